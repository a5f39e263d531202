/** The error that services throw (RFC 9457), with a code of problem-codes.ts. */
import type { z } from 'zod';
import { MAX_FAULTS } from '../domain/record/bounded-collections.ts';
import { Quoting } from '../domain/record/quoting.ts';
import type { ProblemCode } from './problem-codes.ts';

/** One fault of an invalid request. `path` is a JSON Pointer (RFC 6901) into the body or the query. */
export type Fault = { path: string; code: string; message: string };

export type ProblemOptions = {
  errors?: Fault[];
  /** Extension members of the problem body (RFC 9457 §3.2). */
  extra?: Record<string, unknown>;
  headers?: Record<string, string>;
};

/**
 * A refusal that the service foresees. `detail` says what to do. Where it quotes text of the user, it is `quoting`, because only such
 * text is blanked for a reader who may not see all of it.
 */
export class Problem extends Error {
  readonly code: ProblemCode;
  readonly detail: Quoting;
  readonly options: ProblemOptions;

  constructor(code: ProblemCode, detail: string | Quoting, options: ProblemOptions = {}) {
    super(String(detail));
    this.code = code;
    this.detail = typeof detail === 'string' ? new Quoting([detail], []) : detail;
    this.options = options;
  }
}

export const problem = (code: ProblemCode, detail: string | Quoting, extra?: Record<string, unknown>): Problem =>
  new Problem(code, detail, extra ? { extra } : {});

/** `what` names the resource: `trace`, `plan`, `event` and so on. */
export const notFound = (
  what:
    | 'trace'
    | 'plan'
    | 'proposal'
    | 'event'
    | 'task'
    | 'key'
    | 'session'
    | 'user'
    | 'checkpoint'
    | 'invitation'
    | 'webhook'
    | 'source'
    | 'reply',
  uids: string | string[],
): Problem => {
  const list = [uids].flat();
  const detail =
    list.length === 1 ? `The ${what} ${list[0]} does not exist.` : `These ${what}s do not exist: ${list.join(', ')}.`;
  return problem(`${what}_not_found`, detail, { uids: list });
};

/** A problem lists at most a hundred faults, so a caller that has found more can stop looking. */
export const invalid = (errors: Fault[]): Problem => {
  const shown = errors.slice(0, 3).map((e) => (e.path ? `${e.path}: ${e.message}` : e.message));
  const least = errors.length >= MAX_FAULTS ? `at least ${MAX_FAULTS - 3}` : errors.length - 3;
  const rest = errors.length > 3 ? ` (and ${least} more)` : '';
  return new Problem('invalid_request', shown.join('; ') + rest, { errors: errors.slice(0, MAX_FAULTS) });
};

/** Writes a zod path as a JSON Pointer (RFC 6901). */
export const pointer = (path: readonly PropertyKey[]): string =>
  path.map((p) => `/${String(p).replaceAll('~', '~0').replaceAll('/', '~1')}`).join('');

/**
 * Lists the faults of a failed parse; an unknown field is a fault at its own path (fault-text.ts). `at` is the path of the parsed
 * value in the request.
 */
export const faultsOf = (error: z.ZodError, at: readonly PropertyKey[] = []): Fault[] =>
  error.issues.slice(0, MAX_FAULTS).flatMap((issue): Fault[] => {
    const path = [...at, ...issue.path];
    if (issue.code !== 'unrecognized_keys') return [{ path: pointer(path), code: issue.code, message: issue.message }];
    const messages = issue.message.split('\n');
    return issue.keys.slice(0, MAX_FAULTS).map((key, i) => ({
      path: pointer([...path, key]),
      code: 'unknown_field',
      message: messages[i] ?? 'unknown field',
    }));
  });

/** A problem with a single fault at `path`. */
export const invalidAt = (path: string, code: string, message: string): Problem => invalid([{ path, code, message }]);

/**
 * The state of a resource that a client has read: the version that the body names, or the versions that If-Match lists, possibly
 * none.
 */
export type SeenVersions = number | readonly string[];

export const stale = (what: string, uid: string, seen: SeenVersions, actual: number): Problem => {
  const other = [seen].flat().join(' or ') || 'a version that a weak entity tag names';
  return problem(
    'version_mismatch',
    `The ${what} ${uid} is at version ${actual}, not ${other}. Read it again, then repeat the change.`,
    { version: actual, subject: what },
  );
};

/** @throws 412 where the client has read another version */
export const checkSeenVersion = (what: string, uid: string, seen: SeenVersions | undefined, actual: number): void => {
  if (seen !== undefined && ![seen].flat().some((version) => String(version) === String(actual)))
    throw stale(what, uid, seen, actual);
};
