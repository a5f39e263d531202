/** The HTTP server itself: connections that are slow, broken or no HTTP at all get an end and a problem, and stopping waits for answers. */
import { createServer, type RequestListener, type Server } from 'node:http';
import { Problem, problem } from '../common/problem.ts';
import { hangUp, refuse } from './refuse-connection.ts';
import { requestIdOf } from './request-id.ts';

const HEADERS_WITHIN_MS = 15_000;
/** 16 MiB at 1.2 Mbit/s. */
const REQUEST_WITHIN_MS = 120_000;
/** Longer than common load balancers keep theirs, so that they never write on a connection we have just closed. */
const IDLE_MS = 65_000;
const LOOK_MS = 5_000;

const faultOf = ({ code }: NodeJS.ErrnoException): Problem => {
  if (code === 'HPE_HEADER_OVERFLOW')
    return problem('headers_too_large', 'The address and headers are over 16 KiB together.');
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') return problem('request_timeout', 'The request did not come whole in time.');
  return problem('malformed_request', 'That is not HTTP/1.1 (RFC 9112).');
};

/** Node keeps the answer under way on the socket: into its middle nothing may be written. */
type Answering = { _httpMessage?: { headersSent?: boolean } | null };

export const createListener = (app: RequestListener): Server => {
  const server = createServer(
    {
      // Anything but a WebSocket upgrade (h2c, say) is answered as the plain request it also is.
      shouldUpgradeCallback: (req) => req.headers.upgrade?.toLowerCase() === 'websocket',
      requireHostHeader: false, // refused in http/server.ts, as a problem
      headersTimeout: HEADERS_WITHIN_MS,
      requestTimeout: REQUEST_WITHIN_MS,
      keepAliveTimeout: IDLE_MS,
      connectionsCheckingInterval: LOOK_MS,
    },
    app,
  );
  server.on('checkExpectation', app); // an expectation we don't know is none (RFC 9110 §10.1.1)
  server.on('clientError', (error: NodeJS.ErrnoException, stream) => {
    const begun = (stream as Answering)._httpMessage?.headersSent === true;
    if (error.code === 'ECONNRESET' || !stream.writable) stream.destroy();
    else if (begun) hangUp(stream); // the answer is on its way
    else refuse(stream, faultOf(error), requestIdOf(undefined));
  });
  // Somebody asks for a proxy: without a listener the connection would end without a word.
  server.on('connect', (_req, stream) => {
    stream.on('error', () => stream.destroy());
    const headers = { Allow: 'GET, HEAD, POST, PATCH, DELETE, OPTIONS' };
    refuse(stream, new Problem('method_not_allowed', 'This is no proxy.', { headers }), requestIdOf(undefined));
  });
  return server;
};

/** Resolves when every request under way has been answered. Connections become idle one by one. */
export const closeListener = async (server: Server): Promise<void> => {
  const closing = setInterval(() => server.closeIdleConnections(), 50);
  await new Promise<void>((resolve) => {
    server.close(() => resolve());
    server.closeIdleConnections();
  });
  clearInterval(closing);
};
