/**
 * Creates the HTTP server: a slow, broken or non-HTTP connection is closed with a problem, and stopping waits for answers under
 * way.
 */
import { createServer, type RequestListener, type Server } from 'node:http';
import { Problem, problem } from '../../common/problem.ts';
import { hangUp, refuse } from './refuse.ts';
import { requestIdOf } from '../request-id.ts';

const HEADERS_WITHIN_MS = 15_000;
/** A request of 16 MiB at 1.2 Mbit/s takes this long. */
const REQUEST_WITHIN_MS = 120_000;
/** Common load balancers close idle connections earlier, so they never write to one that this server has just closed. */
const IDLE_MS = 65_000;
const LOOK_MS = 5_000;

const faultOf = ({ code }: NodeJS.ErrnoException): Problem => {
  if (code === 'HPE_HEADER_OVERFLOW')
    return problem('headers_too_large', 'The address and the headers together exceed 16 KiB.');
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT')
    return problem('request_timeout', 'The whole request did not arrive in time.');
  return problem('malformed_request', 'The request is not HTTP/1.1 (RFC 9112).');
};

/** Node keeps the response under way on the socket. A problem must not be written into its middle. */
type Answering = { _httpMessage?: { headersSent?: boolean } | null };

export const createListener = (app: RequestListener): Server => {
  const server = createServer(
    {
      // Any upgrade other than to WebSocket (h2c, for example) is ignored, and the request is answered as plain HTTP.
      shouldUpgradeCallback: (req) => req.headers.upgrade?.toLowerCase() === 'websocket',
      requireHostHeader: false, // http/server.ts refuses a missing Host with a problem.
      headersTimeout: HEADERS_WITHIN_MS,
      requestTimeout: REQUEST_WITHIN_MS,
      keepAliveTimeout: IDLE_MS,
      connectionsCheckingInterval: LOOK_MS,
    },
    app,
  );
  server.on('checkExpectation', app); // An unknown expectation is ignored (RFC 9110 §10.1.1).
  server.on('clientError', (error: NodeJS.ErrnoException, stream) => {
    const begun = (stream as Answering)._httpMessage?.headersSent === true;
    if (error.code === 'ECONNRESET' || !stream.writable) stream.destroy();
    else if (begun) hangUp(stream); // The answer is already under way.
    else refuse(stream, faultOf(error), requestIdOf(undefined));
  });
  // CONNECT asks for a proxy. Without a listener Node would close the connection without an answer.
  server.on('connect', (_req, stream) => {
    stream.on('error', () => stream.destroy());
    const headers = { Allow: 'GET, HEAD, POST, PATCH, DELETE, OPTIONS' };
    refuse(
      stream,
      new Problem('method_not_allowed', 'This service is not a proxy and does not support CONNECT.', { headers }),
      requestIdOf(undefined),
    );
  });
  return server;
};

/** Resolves when every request under way is answered. Connections become idle one by one. */
export const closeListener = async (server: Server): Promise<void> => {
  const closing = setInterval(() => server.closeIdleConnections(), 50);
  await new Promise<void>((resolve) => {
    server.close(() => resolve());
    server.closeIdleConnections();
  });
  clearInterval(closing);
};
