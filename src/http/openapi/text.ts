/** The texts of openapi.yaml that belong to no single route. */

/** The description of each tag, in the order in which the documents show them. */
export const TAGS: Record<string, string> = {
  chat: 'Turn requests in words into proposals, and get replies that use the memory.',
  agent: 'The planner queue: agents propose plans, people decide on them, and the executor executes what is approved.',
  calendar: 'Events, free slots, and import and export of iCalendar files.',
  memory: 'Traces: what was observed, planned and done. Every version is kept.',
  memport: 'Export and import of memory.',
  tempo: 'Preferences about when a person does what, and for how long.',
  live: 'Follow changes as they happen, on a WebSocket or by polling.',
  webhooks: 'Addresses to which changes are sent.',
  mcp: 'The Model Context Protocol, for agent hosts.',
  user: 'Accounts, logins, settings and API keys.',
  system: 'Health, version, metrics, debugging and documentation.',
};

export const INTRODUCTION = `Almanac keeps the memory and the calendar of a person and lets agents work on both. Agents propose actions, the person decides on them, and an executor carries out what is approved. A ledger records every change.

**Addresses.** The service answers at the paths below and at the same paths under \`/v1\`. The API follows semantic versioning from version 1.0.0 of Almanac on: within a major version there are only additions. Before it, a release may also change what exists, and CHANGELOG.md says so. Ignore members and codes that you do not know.

**Credentials.** Send \`Authorization: Bearer <API key or login token>\`. \`x-scopes\` of an operation lists the scopes that it needs. An agent key can never hold plan:decide, calendar:write, tempo:write, keys:manage, user:write, export:sensitive or admin. An agent that wants to change the calendar therefore proposes a plan. With \`Read-As\` and the id of an agent key, the person is answered as that agent would be.

**Time.** Answers contain UTC instants. A time with an offset is that instant. A time without an offset is wall time in the \`timezone\` beside it, or else in the time zone of the user. A date without a time is the first instant of that local day at the start of a window, and the last instant at its end. Windows include both ends. With \`as_of\` (a time or a ledger seq) the answer shows what was known then.

**Lists** are JSON arrays. \`limit\` is between 1 and 1000; its default is 100 unless the operation says otherwise. The header \`Link: <...>; rel="next"\` leads to the next page; without it, the list is complete. Following the pages returns everything that existed at the first page exactly once, whatever is written in the meantime.

**Compression.** A JSON answer of 14,600 bytes or more is compressed with brotli or gzip where \`Accept-Encoding\` allows it, unless it has a strong \`ETag\`. Streams are not compressed.

**Idempotency.** A request that is repeated with the same \`Idempotency-Key\` within 24 hours has no second effect and gets the first answer (\`Idempotent-Replayed: true\`). Each agent has its own Idempotency-Keys; the credentials of the person share theirs.

**Concurrent changes.** A single resource has an \`ETag\`. Send it as \`If-Match\` with a change; if the resource has changed since, the answer is 412.

**Problems** are \`application/problem+json\` (RFC 9457) with a stable \`code\`. \`errors\` lists every fault of an invalid request with its JSON Pointer. Quote the \`request_id\` when you report a problem.

**Limits.** A body may have 1 MiB, an import 16 MiB, the address and the headers together 16 KiB. JSON may be nested 32 levels deep. Too many requests of one credential (or, without a credential, of one address), failed logins, registrations or sockets are refused with 429 and Retry-After. An account holds at most 200 API keys, 10,000 checkpoints, 100 logins (the next one ends the oldest), 100 unused socket tickets, 20 unused login links and 100,000 Idempotency-Keys of one day. At most 1,000 proposals of an agent key may wait for a decision, 5,000 of all agents, and 5,000 of the person.`;

export const HEADERS = {
  'X-Request-Id': {
    description:
      'The id of the request: the one that the client sent, or a new one. Every log line and every problem contains it.',
    schema: { type: 'string' },
  },
  ETag: {
    description: 'The version of the resource, if it has one. Send it as If-Match with a change.',
    schema: { type: 'string', examples: ['"3"'] },
  },
  Link: {
    description: 'The address of the next page (RFC 8288): `<...>; rel="next"`. The last page has no such header.',
    schema: { type: 'string', examples: ['</memory/pull?limit=100&cursor=eyJ>; rel="next"'] },
  },
  'Retry-After': { description: 'The number of seconds to wait before the next request.', schema: { type: 'integer' } },
  RateLimit: {
    description:
      'What is left of the limit (draft-ietf-httpapi-ratelimit-headers): `r` requests in the next `t` seconds. It is missing where the operator has set no limit.',
    schema: { type: 'string', examples: ['"minute";r=1199;t=60'] },
  },
  'RateLimit-Policy': {
    description: 'The limit: `q` requests in `w` seconds, of each credential, or of each address without one.',
    schema: { type: 'string', examples: ['"minute";q=1200;w=60'] },
  },
  'X-Total-Count': {
    description:
      'With `Prefer: count=exact`, the number of items on all pages, as of the first page. It is missing where the list has more than 100,000, or could be counted only by reading too much.',
    schema: { type: 'integer' },
  },
  'Preference-Applied': {
    description: '`count=exact` where the items were counted (RFC 7240).',
    schema: { type: 'string' },
  },
  'Idempotent-Replayed': {
    description: '`true` if this is the answer to an earlier request with the same Idempotency-Key.',
    schema: { type: 'string' },
  },
  'WWW-Authenticate': {
    description: 'The authentication scheme (RFC 6750), and the missing scope if that is the reason.',
    schema: { type: 'string' },
  },
} as const;

export const PARAMETERS = {
  'X-Request-Id': {
    name: 'X-Request-Id',
    in: 'header',
    description: 'An id for this request, which you choose: at most 128 letters, digits and `._:-`.',
    schema: { type: 'string', maxLength: 128 },
  },
  'Idempotency-Key': {
    name: 'Idempotency-Key',
    in: 'header',
    description:
      'Makes it safe to repeat the request. The same request with the same key gets the first answer again. Another request with the same key is 422. While the first request is running, the answer is 409.',
    schema: { type: 'string', minLength: 1, maxLength: 255 },
  },
  'Read-As': {
    name: 'Read-As',
    in: 'header',
    description:
      'The id of an agent key of the account, also of a revoked one. The request is answered as the agent would be: with those of its scopes that read. With `as_of`, that is what the agent could know then. It needs keys:manage and export:sensitive.',
    schema: { type: 'string', examples: ['0a1b2c3d4e5f'] },
  },
  Prefer: {
    name: 'Prefer',
    in: 'header',
    description: 'With `count=exact` (RFC 7240) the answer has the number of items on all pages in X-Total-Count.',
    schema: { type: 'string', examples: ['count=exact'] },
  },
  'If-Match': {
    name: 'If-Match',
    in: 'header',
    description: 'The ETag of the version that you have read. If the resource has changed since, the answer is 412.',
    schema: { type: 'string', examples: ['"3"'] },
  },
} as const;
