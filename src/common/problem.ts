/**
 * The error that services throw (RFC 9457). A code is stable, is listed in openapi.yaml and belongs to one kind; only
 * http/problem-json.ts knows the HTTP status of a kind.
 */

import type { z } from 'zod';
import { MAX_FAULTS } from '../domain/record/bounded-collections.ts';

export type ProblemKind =
  | 'malformed'
  | 'unauthenticated'
  | 'forbidden'
  | 'not_found'
  | 'method_not_allowed'
  | 'conflict'
  | 'gone'
  | 'stale'
  | 'precondition_required'
  | 'too_large'
  | 'headers_too_large'
  | 'too_slow'
  | 'unsupported_media'
  | 'invalid'
  | 'throttled'
  | 'internal'
  | 'not_implemented'
  | 'unavailable';

/** Every problem code with its kind and what it means. */
export const CODES = {
  malformed_json: ['malformed', 'The body is not JSON.'],
  malformed_request: ['malformed', 'The request can’t be read as HTTP asks (encoding, address, length).'],
  unauthenticated: ['unauthenticated', 'No credential, or one that is unknown, expired or revoked.'],
  wrong_credentials: ['unauthenticated', 'Unknown account or wrong password.'],
  insufficient_scope: ['forbidden', 'The credential lacks a scope, which is named.'],
  forbidden_origin: ['forbidden', 'A browser page from elsewhere may not do that here.'],
  other_user: ['forbidden', 'user_id names somebody else.'],
  not_yours_to_edit: ['forbidden', 'This kind of credential may not change that field or resource.'],
  route_not_found: ['not_found', 'No such address.'],
  trace_not_found: ['not_found', 'No such trace of yours.'],
  plan_not_found: ['not_found', 'No such plan of yours.'],
  event_not_found: ['not_found', 'No such event of yours.'],
  task_not_found: ['not_found', 'No plan of yours belongs to that task.'],
  key_not_found: ['not_found', 'No such API key of yours.'],
  user_not_found: ['not_found', 'No such user.'],
  checkpoint_not_found: ['not_found', 'No checkpoint of yours has that tag.'],
  registration_closed: ['not_found', 'Registration is switched off (ALLOW_REGISTRATION).'],
  method_not_allowed: ['method_not_allowed', 'The address exists, but not for this method; see Allow.'],
  illegal_transition: ['conflict', 'The plan’s status does not allow that move; from and to are named.'],
  redacted_field: [
    'conflict',
    'The credential is not shown the whole of a field, so it can’t replace it; the fields are named.',
  ],
  immutable_trace: ['conflict', 'The record of a transition can’t be changed.'],
  limit_reached: ['conflict', 'A budget or cadence rule of the user’s settings is used up.'],
  slot_taken: ['conflict', 'The time is busy; the busy events are named.'],
  series_limit: ['conflict', 'The calendar holds as many series as it can; the limit is named.'],
  uid_taken: ['conflict', 'The uid exists with other content, or was removed.'],
  email_taken: ['conflict', 'An account with that e-mail address exists.'],
  too_many_pending: ['conflict', 'As many proposals wait for a decision as may; the limit is named.'],
  too_many_checkpoints: ['conflict', 'The account, or this agent, holds as many checkpoints as it may.'],
  tag_taken: ['conflict', 'A checkpoint with that tag exists.'],
  not_due: ['conflict', 'The time of the plan has not come.'],
  not_approved: ['conflict', 'Only plans that are not approved are there.'],
  idempotency_running: ['conflict', 'A request with that Idempotency-Key is still running.'],
  idempotency_interrupted: [
    'conflict',
    'The first request took effect, but its answer was lost; the ledger seq is named.',
  ],
  idempotency_secret: ['conflict', 'The first answer held a secret that is shown only once.'],
  seq_gone: ['gone', 'The seq is not one of this ledger (any more): start over.'],
  cursor_gone: ['gone', 'The cursor is older than what is kept: start over.'],
  precondition_required: [
    'precondition_required',
    'The plan was changed since it was proposed: say which version you have seen.',
  ],
  version_mismatch: ['stale', 'The resource has changed since it was read.'],
  body_too_large: ['too_large', 'The body exceeds the limit.'],
  headers_too_large: ['headers_too_large', 'Address and headers exceed 16 KiB.'],
  request_timeout: ['too_slow', 'The request did not come whole in time.'],
  export_too_large: ['too_large', 'The answer would not fit; narrow it, page it or ask for application/x-ndjson.'],
  unsupported_media_type: ['unsupported_media', 'Content-Type or charset can’t be read here.'],
  invalid_request: ['invalid', 'Well-formed but invalid; every fault is listed.'],
  too_many_occurrences: [
    'invalid',
    'Series occur more often in that window than can be looked at; ask for a shorter one.',
  ],
  nothing_imported: ['invalid', 'Nothing of the file could be taken in; the report names every component and why.'],
  invalid_cursor: ['invalid', 'The cursor is not one of this list.'],
  idempotency_mismatch: ['invalid', 'The Idempotency-Key was used for another request.'],
  too_many_requests: ['throttled', 'Too many requests in a minute, or too many of one user at once; see Retry-After.'],
  too_many_logins: ['throttled', 'Too many failed logins or registrations, or too many at once; see Retry-After.'],
  too_many_tickets: ['throttled', 'Too many unused socket tickets of one user or agent; see Retry-After.'],
  too_many_idempotency_keys: ['throttled', 'Too many Idempotency-Keys of one user within a day; see Retry-After.'],
  too_many_sockets: ['throttled', 'Too many open sockets of one user or agent on this instance.'],
  semantic_unavailable: ['not_implemented', 'This Postgres has no pgvector; use keyword, tag or hybrid.'],
  database_unavailable: ['unavailable', 'The database can’t be reached; see Retry-After.'],
  database_read_only: [
    'unavailable',
    'The database takes no writes at present: its disk is full, or it is read-only. Reading works.',
  ],
  shutting_down: ['unavailable', 'This instance is stopping; try again.'],
  internal_error: ['internal', 'A fault of the service; quote the request_id.'],
} as const satisfies Record<string, readonly [ProblemKind, string]>;

export type ProblemCode = keyof typeof CODES;

/** One fault of an invalid request. `path` is a JSON Pointer (RFC 6901) into the body or the query. */
export type Fault = { path: string; code: string; message: string };

export type ProblemOptions = {
  errors?: Fault[];
  /** Extension members of the problem body (RFC 9457 §3.2). */
  extra?: Record<string, unknown>;
  headers?: Record<string, string>;
};

/** A refusal that the service foresees. `detail` says what to do. */
export class Problem extends Error {
  readonly code: ProblemCode;
  readonly options: ProblemOptions;

  constructor(code: ProblemCode, detail: string, options: ProblemOptions = {}) {
    super(detail);
    this.code = code;
    this.options = options;
  }
}

export const problem = (code: ProblemCode, detail: string, extra?: Record<string, unknown>): Problem =>
  new Problem(code, detail, extra ? { extra } : {});

/** `what` names the resource: `trace`, `plan`, `event` and so on. */
export const notFound = (
  what: 'trace' | 'plan' | 'event' | 'task' | 'key' | 'user' | 'checkpoint',
  uids: string | string[],
): Problem => {
  const list = [uids].flat();
  return problem(`${what}_not_found`, `No ${what} of yours has the uid ${list.join(', ')}.`, { uids: list });
};

/** A problem lists at most a hundred faults, so a caller that has found more can stop looking. */
export const invalid = (errors: Fault[]): Problem => {
  const told = errors.slice(0, 3).map((e) => (e.path ? `${e.path}: ${e.message}` : e.message));
  const least = errors.length >= MAX_FAULTS ? `at least ${MAX_FAULTS - 3}` : errors.length - 3;
  const rest = errors.length > 3 ? ` (and ${least} more)` : '';
  return new Problem('invalid_request', told.join('; ') + rest, { errors: errors.slice(0, MAX_FAULTS) });
};

/** Writes a zod path as a JSON Pointer (RFC 6901). */
export const pointer = (path: readonly PropertyKey[]): string =>
  path.map((p) => `/${String(p).replaceAll('~', '~0').replaceAll('/', '~1')}`).join('');

/**
 * Lists the faults of a failed parse; an unknown field is a fault at its own path. `at` is the path of the parsed value in the
 * request.
 */
export const faultsOf = (error: z.ZodError, at: readonly PropertyKey[] = []): Fault[] =>
  error.issues.slice(0, MAX_FAULTS).flatMap((issue): Fault[] => {
    const path = [...at, ...issue.path];
    if (issue.code !== 'unrecognized_keys') return [{ path: pointer(path), code: issue.code, message: issue.message }];
    return issue.keys
      .slice(0, MAX_FAULTS)
      .map((key) => ({ path: pointer([...path, key]), code: 'unknown_field', message: 'is not a field here' }));
  });

/** A problem with a single fault at `path`. */
export const invalidAt = (path: string, code: string, message: string): Problem => invalid([{ path, code, message }]);

/**
 * The state of a resource that a client has read: the version that the body names, or the versions that If-Match lists, possibly
 * none.
 */
export type Seen = number | readonly string[];

export const stale = (what: string, uid: string, seen: Seen, actual: number): Problem => {
  const other = [seen].flat().join(' or ') || 'one that a weak entity tag names';
  return problem(
    'version_mismatch',
    `The ${what} ${uid} is at version ${actual}, not ${other}: read it again, then repeat the change.`,
    { version: actual },
  );
};

/** @throws 412 where the client has read another version */
export const checkSeen = (what: string, uid: string, seen: Seen | undefined, actual: number): void => {
  if (seen !== undefined && ![seen].flat().some((version) => String(version) === String(actual)))
    throw stale(what, uid, seen, actual);
};
