/** Builds the Express application around the routes: request ids, security headers, CORS, the /v1 alias, and 404. */
import cors from 'cors';
import express, { type NextFunction, type Request, type RequestHandler, type Response } from 'express';
import helmet from 'helmet';
import { ServerResponse, type IncomingMessage, type OutgoingHttpHeaders, type RequestListener } from 'node:http';
import { pinoHttp } from 'pino-http';
import { problem } from '../common/problem.ts';
import type { Logger } from '../observability/log.ts';
import type { Telemetry } from '../observability/telemetry.ts';
import { addressOf, handshakeFault, hostFault, targetOf } from './connection/address.ts';
import { mount, requestId, type MountDeps } from './mount.ts';
import { refuse } from './connection/refuse.ts';
import type { Origins } from './connection/origins.ts';
import { requestIdOf } from './request-id.ts';
import { sendProblem } from './problems/send.ts';
import type { Route } from './route.ts';

export type ServerOptions = {
  /** The number of proxies whose statement of the client's address is trusted. */
  trustProxy: number;
  /** Returns whether pages of that origin may read answers. */
  mayRead: Origins;
  /** Makes a span of each request; undefined where no collector is configured. */
  trace: Telemetry['request'];
  /** Answers GET /metrics for a scraper without an account, or passes the request on to the route. */
  scraper: RequestHandler;
  /** Answers the addresses of the console. */
  console: RequestHandler;
};

/** The response headers that scripts of other origins may read. */
const EXPOSED = [
  'ETag',
  'Link',
  'X-Request-Id',
  'Idempotent-Replayed',
  'Retry-After',
  'X-Cache',
  'Allow',
  'Almanac-As-Of-Seq',
  'Preference-Applied',
  'X-Total-Count',
  'Content-Disposition',
  'RateLimit',
  'RateLimit-Policy',
  'WWW-Authenticate',
];
/** A policy that forbids browsers to run, frame or render an answer. HTML pages (/docs) set a policy of their own. */
const DENY_ALL = {
  'default-src': ["'none'"],
  'object-src': ["'none'"],
  'base-uri': ["'none'"],
  'form-action': ["'none'"],
  'frame-ancestors': ["'none'"],
};

/**
 * The headers that helmet sets on every answer. They are computed once, because calling helmet each time took 5 % of a small
 * request.
 */
const PROTECTIVE: OutgoingHttpHeaders = {};
helmet({ contentSecurityPolicy: { useDefaults: false, directives: DENY_ALL } })(
  {} as IncomingMessage,
  {
    setHeader: (name: string, value: string) => (PROTECTIVE[name] = value),
    removeHeader: () => undefined,
  } as unknown as ServerResponse,
  (error?: unknown) => {
    if (error) throw error;
  },
);

/** Every answer passes here, also those that Express makes itself. Headers that the answer sets explicitly win. */
function writeHead(this: Response, status: number, given?: OutgoingHttpHeaders): Response {
  const headers = { ...PROTECTIVE, 'X-Request-Id': requestId(this), ...given };
  return ServerResponse.prototype.writeHead.call(this, status, headers) as Response;
}

/** Logs one line for each request, except for probes. It writes the path without the query, which may hold keys and tickets. */
const requestLog = (logger: Logger): RequestHandler =>
  pinoHttp({
    logger,
    quietReqLogger: true,
    genReqId: (_req, res) => requestId(res as Response),
    customAttributeKeys: { reqId: 'request_id' },
    autoLogging: { ignore: (req) => req.url?.startsWith('/health') ?? false },
    customLogLevel: (_req, res, error) =>
      res.statusCode === 503 ? 'warn' : error || res.statusCode >= 500 ? 'error' : 'info',
    serializers: { req: () => undefined, res: () => undefined },
    customSuccessObject: (req: IncomingMessage, res: ServerResponse, value: object) => ({
      ...value,
      ...lineOf(req, res),
    }),
    customErrorObject: (req: IncomingMessage, res: ServerResponse, _error: Error, value: object) => ({
      ...value,
      ...lineOf(req, res),
    }),
  });

const lineOf = (req: IncomingMessage, res: ServerResponse): object => ({
  method: req.method,
  path: (req as Request).originalUrl.split('?')[0],
  status: res.statusCode,
  ...(res as Response).locals['who'],
  ...(REFUSED.has(res.statusCode) ? { ip: (req as Request).ip } : {}),
});

/** Whoever investigates a refusal needs the client's address, so these statuses log it. */
const REFUSED = new Set([401, 403, 429]);

/** cors answers every OPTIONS itself. Without an Origin it comes from no page, and the route answers. */
const ofPages =
  (handler: RequestHandler): RequestHandler =>
  (req, res, next) =>
    req.method === 'OPTIONS' && req.headers.origin === undefined ? next() : handler(req, res, next);

export const createHttp = (
  routes: Route[],
  deps: MountDeps,
  { trustProxy, mayRead, trace, scraper, console }: ServerOptions,
): RequestListener => {
  const app = express();
  app.disable('x-powered-by');
  app.disable('etag');
  app.enable('case sensitive routing');
  app.set('trust proxy', trustProxy);
  app.response.writeHead = writeHead as Response['writeHead'];
  app.use((req, res, next) => {
    res.locals['request_id'] = requestIdOf(req.get('x-request-id'));
    const fault = hostFault(req) ?? handshakeFault(req);
    if (fault !== null) throw problem('malformed_request', fault);
    next();
  });
  if (trace) app.use(trace);
  if (deps.log.isLevelEnabled('info')) app.use(requestLog(deps.log));
  if (mayRead.any) app.use(ofPages(cors({ origin: '*', exposedHeaders: EXPOSED, maxAge: 600 })));
  else if (!mayRead.none)
    app.use(
      ofPages(
        cors({
          origin: (origin, done) => done(null, origin !== undefined && mayRead.includes(origin)),
          exposedHeaders: EXPOSED,
          maxAge: 600,
        }),
      ),
    );
  app.use((req, res, next) => {
    res.locals['address'] = addressOf(req.url);
    if (res.locals['address'] === null)
      throw problem(
        'route_not_found',
        'No resource has such an address. Send its path without dot segments, backslashes, empty segments and encoded separators.',
      );
    next();
  });
  app.get(['/metrics', '/v1/metrics'], scraper);
  app.use('/console', console);
  const router = express.Router({ caseSensitive: true });
  mount(router, routes, deps);
  app.use('/v1', router);
  app.use(router);
  app.use((req: Request, res: Response) =>
    sendProblem(res, problem('route_not_found', `There is no route ${req.path}. /docs lists the routes.`), deps),
  );
  app.use((error: unknown, _req: Request, res: Response, _next: NextFunction) => sendProblem(res, error, deps));
  // Express cannot decode every address and would answer those in HTML, so they are refused before it sees them.
  return (req, res) => {
    const target = targetOf(req.url ?? '');
    if (target === null)
      return refuse(
        req.socket,
        problem('malformed_request', 'The address is not a valid URI (RFC 3986).'),
        requestIdOf(undefined),
      );
    req.url = target;
    app(req, res);
  };
};
