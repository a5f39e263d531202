/** Lists the problems that a route can answer: those that follow from its definition, and those that it names. */
import { CODES, type ProblemCode } from '../../common/problem-codes.ts';
import { Problem } from '../../common/problem.ts';
import { hasPages, isReading, type Route } from '../route.ts';

/** Any route answers these to a request that is no request of this document; the introduction of openapi.yaml names them. */
const OF_PROTOCOL: ReadonlySet<ProblemCode> = new Set([
  ...(['malformed_json', 'malformed_request', 'body_too_large', 'unsupported_media_type', 'invalid_request'] as const),
  ...(['headers_too_large', 'request_timeout', 'method_not_allowed', 'shutting_down'] as const),
]);

const asks = (schema: unknown, name: string): boolean =>
  name in ((schema as { shape?: object } | undefined)?.shape ?? {});

const ofCredential = (route: Route): ProblemCode[] => {
  const { scopes, query, body } = route;
  if (scopes === 'public') return [];
  const namesUser = asks(query, 'user_id') || asks(body, 'user_id');
  return [
    'unauthenticated',
    'account_disabled',
    ...(scopes.length || isReading(route) ? (['insufficient_scope'] as const) : []),
    ...(isReading(route) ? (['key_not_found'] as const) : []),
    ...(namesUser ? (['other_user', 'user_not_found'] as const) : []),
  ];
};

const ofInput = ({ query, body }: Route): ProblemCode[] => [
  'malformed_request',
  ...(body ? (['malformed_json', 'body_too_large', 'unsupported_media_type'] as const) : []),
  ...(query || body ? (['invalid_request'] as const) : []),
];

const ofKey = ['idempotency_running', 'idempotency_interrupted', 'idempotency_mismatch'] as const;

const ofWrite = ({ method, scopes, secret, otherProtocol }: Route): ProblemCode[] => {
  if (method === 'get' || otherProtocol) return [];
  if (scopes === 'public') return ['database_read_only'];
  return [
    // The account may be erased while the request is under way.
    'user_not_found',
    'database_read_only',
    'storage_full',
    'too_many_idempotency_keys',
    ...ofKey,
    ...(secret ? (['idempotency_secret'] as const) : []),
  ];
};

/** Every problem that the route can answer, in the order of CODES. */
export const problemsOf = (route: Route): ProblemCode[] => {
  const needsDatabase = route.scopes !== 'public' || route.query !== undefined || route.body !== undefined;
  const codes = new Set<ProblemCode>([
    ...ofInput(route),
    ...ofCredential(route),
    ...ofWrite(route),
    ...(hasPages(route) ? (['invalid_cursor'] as const) : []),
    ...(route.problems ?? []),
    ...(needsDatabase ? (['database_unavailable'] as const) : []),
    'too_many_requests',
    'internal_error',
  ]);
  return (Object.keys(CODES) as ProblemCode[]).filter((code) => codes.has(code));
};

/** The tests answer 500 where a route throws a problem that openapi.yaml does not show for it. */
export const asDeclared = (route: Route, error: unknown): unknown =>
  error instanceof Problem && !OF_PROTOCOL.has(error.code) && !problemsOf(route).includes(error.code)
    ? new Error(`${route.id} answers the problem ${error.code}, which its \`problems\` do not name`)
    : error;
