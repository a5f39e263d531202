/**
 * The table of problem codes. A code is stable, is listed in openapi.yaml and belongs to one kind; only http/problems/json.ts knows the
 * HTTP status of a kind.
 */
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

/** Every problem code with its kind, its title, and what it means and asks for. */
export const CODES = {
  malformed_json: ['malformed', 'Malformed JSON', 'The body is not valid JSON.'],
  malformed_request: [
    'malformed',
    'Malformed request',
    'The request is not valid HTTP: its encoding, its address or its length is wrong.',
  ],
  unauthenticated: [
    'unauthenticated',
    'Not authenticated',
    'The request has no credential, or the credential is unknown, expired or revoked.',
  ],
  wrong_credentials: ['unauthenticated', 'Wrong credentials', 'The account is unknown or the password is wrong.'],
  insufficient_scope: [
    'forbidden',
    'Insufficient scope',
    'The credential lacks a scope that the request needs; `missing` names it.',
  ],
  login_required: ['forbidden', 'Login required', 'Only a login may do this, and the credential is an API key.'],
  forbidden_origin: ['forbidden', 'Forbidden origin', 'A browser page of this origin may not send this request.'],
  account_disabled: ['forbidden', 'Account disabled', 'The operator has disabled the account; its data is kept.'],
  other_user: ['forbidden', 'Other user', '`user_id` names another user; only a credential with `admin` may do that.'],
  not_yours_to_edit: [
    'forbidden',
    'Edit not permitted',
    'This kind of credential may not change that field or resource.',
  ],
  time_pinned: [
    'forbidden',
    'Time chosen by a person',
    'A person chose the time of the plan (`pinned`), so no agent can change it and the planner chooses no other.',
  ],
  calendar_object_refused: [
    'forbidden',
    'Calendar object refused',
    'The resource is not one event, or its UID belongs to another resource; `precondition` names the rule of RFC 4791.',
  ],
  route_not_found: ['not_found', 'Route not found', 'No route has this path.'],
  trace_not_found: ['not_found', 'Trace not found', 'The user has no such trace.'],
  plan_not_found: ['not_found', 'Plan not found', 'The user has no such plan.'],
  event_not_found: ['not_found', 'Event not found', 'The user has no such event.'],
  task_not_found: ['not_found', 'Task not found', 'The user has no plan that belongs to this task.'],
  proposal_not_found: ['not_found', 'Proposal not found', 'The user has no plan with this `proposal_id`.'],
  session_not_found: ['not_found', 'Login not found', 'The user has no such login.'],
  key_not_found: ['not_found', 'API key not found', 'The user has no such API key.'],
  user_not_found: ['not_found', 'User not found', 'There is no such user.'],
  source_not_found: ['not_found', 'Calendar source not found', 'The user has no such calendar source.'],
  reply_not_found: ['not_found', 'Reply not found', 'This credential was given no such reply in the chat.'],
  webhook_not_found: ['not_found', 'Webhook not found', 'The user has no such webhook.'],
  invitation_not_found: ['not_found', 'Invitation not found', 'The user has no such invitation that is still open.'],
  checkpoint_not_found: ['not_found', 'Checkpoint not found', 'The user has no checkpoint with this tag.'],
  registration_closed: [
    'not_found',
    'Registration closed',
    'The operator has not opened registration (ALLOW_REGISTRATION).',
  ],
  method_not_allowed: [
    'method_not_allowed',
    'Method not allowed',
    'The path exists, but not for this method; `Allow` lists its methods.',
  ],
  illegal_transition: [
    'conflict',
    'Illegal transition',
    'The status of the plan does not allow this change; `from` and `to` name both statuses.',
  ],
  part_of_swap: [
    'conflict',
    'Part of a swap',
    'The plan exchanges places with another one, so its time cannot change alone.',
  ],
  changed_since: [
    'conflict',
    'Changed since',
    'What was made was changed after it, so it cannot be taken back; `uid` names what was changed.',
  ],
  not_undoable: [
    'conflict',
    'Cannot be taken back',
    'A change of this kind cannot be taken back as a whole; the detail says what to do instead.',
  ],
  redacted_field: [
    'conflict',
    'Redacted field',
    'The credential is not shown the whole value of a field, so it cannot replace that field; `fields` names it.',
  ],
  immutable_trace: ['conflict', 'Immutable trace', 'The record of a transition cannot be changed.'],
  limit_reached: ['conflict', 'Limit reached', 'A budget or cadence rule in the user’s settings is used up.'],
  slot_taken: ['conflict', 'Slot taken', 'The calendar is busy at this time; the answer names the events.'],
  series_limit: [
    'conflict',
    'Too many series',
    'The calendar already has as many recurring events as it can hold; the detail names the limit.',
  ],
  uid_taken: [
    'conflict',
    'Uid taken',
    'The uid already exists with other content or from another credential, or its resource was removed.',
  ],
  email_taken: ['conflict', 'E-mail address taken', 'An account with this e-mail address already exists.'],
  too_many_pending: [
    'conflict',
    'Too many pending proposals',
    'The largest number of proposals already waits for a decision; the detail names the limit.',
  ],
  too_many_checkpoints: [
    'conflict',
    'Too many checkpoints',
    'The account, or this agent, already has the largest number of checkpoints.',
  ],
  source_event: [
    'conflict',
    'Event of a source',
    'The event belongs to a calendar source, so it can be changed in the other calendar only; `source_uid` names the source.',
  ],
  too_many_sources: ['conflict', 'Too many sources', 'The user already has the largest number of calendar sources.'],
  too_many_webhooks: ['conflict', 'Too many webhooks', 'The user already has the largest number of webhooks.'],
  too_many_invitations: ['conflict', 'Too many invitations', 'The user has too many open invitations; revoke one.'],
  storage_full: ['conflict', 'Storage full', 'The account stores `used_bytes` of `limit_bytes`, and this needs more.'],
  tag_taken: ['conflict', 'Tag taken', 'A checkpoint with this tag already exists.'],
  not_due: ['conflict', 'Plan not due', 'The time of the plan has not come yet.'],
  not_approved: ['conflict', 'No approved plan', 'The task has plans, but none of them is approved.'],
  idempotency_running: [
    'conflict',
    'Request still running',
    'An earlier request with this Idempotency-Key is still running; repeat the request later.',
  ],
  idempotency_interrupted: [
    'conflict',
    'Answer lost',
    'The first request with this Idempotency-Key took effect, or some of its items did, but its answer was lost; the detail names the ledger seq.',
  ],
  idempotency_secret: [
    'conflict',
    'Secret not repeated',
    'The first answer contained a secret, which is shown only once.',
  ],
  seq_gone: [
    'gone',
    'Seq gone',
    'The ledger does not contain this seq, or no longer does; read the current state, then follow from there.',
  ],
  cursor_gone: ['gone', 'Cursor gone', 'The cursor is too old; start again with the first page.'],
  precondition_required: [
    'precondition_required',
    'Precondition required',
    'The plan was changed after it was proposed, so the request has to name the version that was read.',
  ],
  version_mismatch: [
    'stale',
    'Version mismatch',
    'The resource has changed since it was read; read it again, then repeat the change.',
  ],
  body_too_large: ['too_large', 'Body too large', 'The body is larger than the limit.'],
  headers_too_large: ['headers_too_large', 'Headers too large', 'The address and the headers exceed 16 KiB.'],
  request_timeout: ['too_slow', 'Request timeout', 'The whole request did not arrive in time.'],
  export_too_large: [
    'too_large',
    'Export too large',
    'The answer would be too large; narrow the export, page it, or accept application/x-ndjson.',
  ],
  unsupported_media_type: [
    'unsupported_media',
    'Unsupported media type',
    'The service cannot read this Content-Type, charset or Content-Encoding.',
  ],
  invalid_request: [
    'invalid',
    'Invalid request',
    'The request is well-formed, but some of its values are not valid; `errors` lists every fault.',
  ],
  too_many_occurrences: [
    'invalid',
    'Too many occurrences',
    'Recurring events occur too often in this window; ask for a shorter one.',
  ],
  nothing_imported: [
    'invalid',
    'Nothing imported',
    'The file has no component that can be imported; the report names the reason for each component.',
  ],
  invalid_cursor: ['invalid', 'Invalid cursor', 'The cursor does not belong to this list.'],
  idempotency_mismatch: [
    'invalid',
    'Idempotency-Key reused',
    'The Idempotency-Key was already used for another request.',
  ],
  too_many_requests: [
    'throttled',
    'Too many requests',
    'The client sent too many requests in a minute, or too many at once; wait as Retry-After says.',
  ],
  too_many_logins: [
    'throttled',
    'Too many logins',
    'Too many logins or registrations failed, or came at once; wait as Retry-After says.',
  ],
  too_many_tickets: [
    'throttled',
    'Too many tickets',
    'The user or agent has too many unused socket tickets or login links; wait as Retry-After says.',
  ],
  too_many_idempotency_keys: [
    'throttled',
    'Too many Idempotency-Keys',
    'The user sent too many Idempotency-Keys within a day; wait as Retry-After says.',
  ],
  too_many_sockets: [
    'throttled',
    'Too many sockets',
    'The user or agent has too many open sockets on this instance; close one first.',
  ],
  semantic_unavailable: [
    'not_implemented',
    'Semantic search unavailable',
    'The service cannot use pgvector; use the mode keyword, tag or hybrid.',
  ],
  database_unavailable: [
    'unavailable',
    'Database unavailable',
    'The service cannot reach its database; wait as Retry-After says.',
  ],
  database_read_only: [
    'unavailable',
    'Database read-only',
    'The database accepts no writes, because its disk is full or it is read-only; reading works.',
  ],
  shutting_down: ['unavailable', 'Shutting down', 'This instance is stopping; send the request again.'],
  internal_error: ['internal', 'Internal error', 'The service failed; quote the `request_id` when you report this.'],
} as const satisfies Record<string, readonly [kind: ProblemKind, title: string, meaning: string]>;

export type ProblemCode = keyof typeof CODES;
