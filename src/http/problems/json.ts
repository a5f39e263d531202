/** Converts errors to problem+json (RFC 9457). This is the only place that maps a kind of problem to an HTTP status. */
import { z } from 'zod';
import { parse } from '../../common/fault-text.ts';
import { isAccountGone, isDatabaseAway, isImmutable, isWriteRefused } from '../../db/sqlstate.ts';
import { CODES, type ProblemCode, type ProblemKind } from '../../common/problem-codes.ts';
import { faultsOf, invalid, Problem, problem } from '../../common/problem.ts';
import { Quoting } from '../../domain/record/quoting.ts';
import type { Logger } from '../../observability/log.ts';

export const STATUS: Record<ProblemKind, number> = {
  malformed: 400,
  unauthenticated: 401,
  forbidden: 403,
  not_found: 404,
  method_not_allowed: 405,
  too_slow: 408,
  conflict: 409,
  gone: 410,
  stale: 412,
  too_large: 413,
  unsupported_media: 415,
  invalid: 422,
  throttled: 429,
  precondition_required: 428,
  headers_too_large: 431,
  internal: 500,
  not_implemented: 501,
  unavailable: 503,
};

const ProblemCodes = z.enum(Object.keys(CODES) as [ProblemCode, ...ProblemCode[]]).meta({
  id: 'ProblemCode',
  description: [
    'A stable code. New codes may be added.',
    ...Object.entries(CODES).map(([code, [kind, , text]]) => `- \`${code}\` (${STATUS[kind]}): ${text}`),
  ].join('\n'),
});

const FaultBody = z
  .object({
    path: z.string().describe('The JSON Pointer (RFC 6901) of the value in the body or query.'),
    code: z.string(),
    message: z.string(),
  })
  .meta({ id: 'Fault' });

export const ProblemBody = z
  .object({
    type: z.string().describe('The address that explains the code: `/docs#<code>`.').meta({ format: 'uri-reference' }),
    title: z.string(),
    status: z.int(),
    detail: z.string().describe('What is wrong with this request, and what to do.'),
    code: ProblemCodes,
    request_id: z.string(),
    errors: z.array(FaultBody).optional(),
  })
  .meta({
    id: 'Problem',
    description: 'A problem (RFC 9457). Some codes add members; the text of the code names them.',
  });
export type ProblemBody = z.infer<typeof ProblemBody>;

/** Converts anything thrown to a Problem. An unexpected error is logged, and the client sees only internal_error. */
export const asProblem = (error: unknown, log: Logger, request_id: string): Problem => {
  if (error instanceof Problem) return error;
  if (isWriteRefused(error)) {
    log.warn({ err: error, request_id }, 'the database accepts no writes');
    return new Problem(
      'database_read_only',
      'The database accepts no writes at present, so nothing was changed. Try again later.',
      {
        headers: { 'Retry-After': '10' },
      },
    );
  }
  if (isDatabaseAway(error)) {
    log.warn({ err: error, request_id }, 'the database cannot be reached');
    return new Problem('database_unavailable', 'The service cannot reach its database. Try again in a moment.', {
      headers: { 'Retry-After': '2' },
    });
  }
  if (isImmutable(error)) return problem('immutable_trace', 'The record of a transition cannot be changed.');
  if (isAccountGone(error)) return problem('unauthenticated', 'The account was erased.');
  const known = bodyProblem(error);
  if (known) return known;
  log.error({ err: error, request_id }, 'unexpected error');
  return problem('internal_error', 'The service failed and logged the error. Quote the request_id when you report it.');
};

/** Maps errors of the body parser by their `type`, which body-parser documents. */
const bodyProblem = (error: unknown): Problem | null => {
  const { type, status } = (error ?? {}) as { type?: string; status?: number };
  switch (type) {
    case 'entity.too.large':
      return problem('body_too_large', 'The body is larger than 1 MiB, or than 16 MiB for an import. Split it.');
    case 'charset.unsupported':
    case 'encoding.unsupported':
      return problem(
        'unsupported_media_type',
        'The body must be UTF-8, and plain or encoded with gzip, deflate or br.',
      );
    case 'request.aborted':
    case 'request.size.invalid':
    case 'stream.encoding.set':
      return problem('malformed_request', 'The length of the body is not the one in Content-Length.');
    default:
      return status === 400 ? problem('malformed_request', 'The request is not valid HTTP.') : null;
  }
};

/** Blanks a problem for its caller: it may quote what the caller may not see, such as the title of an event. */
export const presentProblem = async (thrown: Problem, present: <T>(part: T) => Promise<T>): Promise<Problem> => {
  const { detail, options } = thrown;
  const { extra } = options;
  const shown = await present({ detail, ...(extra ? { extra } : {}) });
  return new Problem(thrown.code, String(shown.detail), { ...options, ...shown });
};

/** Makes the RFC 9457 body of a problem. */
export const problemBody = (thrown: Problem, request_id: string): ProblemBody => {
  const [kind, title] = CODES[thrown.code];
  const { errors, extra } = thrown.options;
  return {
    type: `/docs#${thrown.code}`,
    title,
    status: STATUS[kind],
    detail: thrown.message,
    code: thrown.code,
    request_id,
    ...(errors ? { errors } : {}),
    ...extra,
  };
};

/** Makes the status, headers and body of the answer. */
export const renderProblem = (
  thrown: Problem,
  request_id: string,
): { status: number; headers: Record<string, string>; body: ProblemBody } => {
  const body = problemBody(thrown, request_id);
  return {
    status: body.status,
    headers: {
      ...(body.status === 401 ? { 'WWW-Authenticate': 'Bearer realm="almanac"' } : {}),
      ...thrown.options.headers,
      'Content-Type': 'application/problem+json; charset=utf-8',
      'Cache-Control': 'no-store',
    },
    body,
  };
};

/** Parses a value with a schema. @throws 422 that lists its faults */
export const parseOr422 = <S extends z.ZodType>(
  schema: S,
  value: unknown,
  kind?: 'field' | 'parameter',
): z.output<S> => {
  const parsed = parse(schema, value, kind);
  if (!parsed.success) throw invalid(faultsOf(parsed.error));
  return parsed.data;
};

/**
 * The body of a problem that is part of an answer. The answer is blanked when it is sent, and the sentences of the service in it
 * are not: they are JSON texts only then.
 */
export const problemInAnswer = (thrown: Problem, request_id: string): ProblemBody => {
  const body = problemBody(thrown, request_id);
  const errors = body.errors?.map((fault) => ({ ...fault, message: asSentence(fault.message) }));
  return {
    ...body,
    title: asSentence(body.title),
    detail: thrown.detail as unknown as string,
    ...(errors ? { errors } : {}),
  };
};

const asSentence = (sentence: string): string => new Quoting([sentence], []) as unknown as string;

/** The result of one item of several that was refused. */
export const problemItem = (thrown: Problem, request_id: string): { status: number; problem: ProblemBody } => {
  const body = problemInAnswer(thrown, request_id);
  return { status: body.status, problem: body };
};
