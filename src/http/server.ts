/** The Express application around the routes: request ids, security headers, CORS, the /v1 alias, and 404. */
import cors from 'cors';
import express, { type Express, type NextFunction, type Request, type RequestHandler, type Response } from 'express';
import helmet from 'helmet';
import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { pinoHttp } from 'pino-http';
import { problem } from '../errors.ts';
import type { Logger } from '../log.ts';
import { mount, sendProblem, type MountDeps } from './mount.ts';
import type { Route } from './route.ts';

export type ServerOptions = {
  trustProxy: boolean;
  corsOrigins: readonly string[];
  /** Answers GET /metrics to a scraper without an account, or passes on to the route. */
  scraper: RequestHandler;
};

/** What browsers may read of an answer. */
const EXPOSED = [
  'ETag',
  'Link',
  'X-Request-Id',
  'Idempotent-Replayed',
  'Retry-After',
  'X-Cache',
  'Allow',
  'Almanac-As-Of-Seq',
  'WWW-Authenticate',
];
const HARMLESS_ID = /^[\w.:-]{1,128}$/;

/** The id a client gave its request, where it can be written anywhere safely, else a new one. */
export const requestIdOf = (given: string | undefined): string =>
  given && HARMLESS_ID.test(given) ? given : randomUUID();

/** One line per request. The path without its query: keys and tickets may stand there. Probes are not worth a line. */
const requestLog = (logger: Logger): RequestHandler =>
  pinoHttp({
    logger,
    quietReqLogger: true,
    genReqId: (_req, res) => String(res.getHeader('X-Request-Id')),
    customAttributeKeys: { reqId: 'request_id' },
    autoLogging: { ignore: (req) => req.url?.startsWith('/health') ?? false },
    customLogLevel: (_req, res, error) => (error || res.statusCode >= 500 ? 'error' : 'info'),
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
});

export const createHttp = (
  routes: Route[],
  deps: MountDeps,
  { trustProxy, corsOrigins, scraper }: ServerOptions,
): Express => {
  const app = express();
  app.disable('x-powered-by');
  app.disable('etag');
  app.set('trust proxy', trustProxy);
  app.use((req, res, next) => {
    const request_id = requestIdOf(req.get('x-request-id'));
    res.locals['request_id'] = request_id;
    res.setHeader('X-Request-Id', request_id);
    next();
  });
  if (deps.log.isLevelEnabled('info')) app.use(requestLog(deps.log));
  app.use(helmet());
  if (corsOrigins.length)
    app.use(cors({ origin: corsOrigins.includes('*') ? '*' : [...corsOrigins], exposedHeaders: EXPOSED, maxAge: 600 }));
  app.get(['/metrics', '/v1/metrics'], scraper);
  const router = express.Router();
  mount(router, routes, deps);
  app.use('/v1', router);
  app.use(router);
  app.use((req: Request, res: Response) =>
    sendProblem(res, problem('route_not_found', `There is nothing at ${req.path}; see /docs.`), deps.log),
  );
  app.use((error: unknown, _req: Request, res: Response, _next: NextFunction) => sendProblem(res, error, deps.log));
  return app;
};
