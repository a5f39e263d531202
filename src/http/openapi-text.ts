/** The texts of openapi.yaml that belong to no single route. */

/** The description of each tag, in the order in which the documents show them. */
export const TAGS: Record<string, string> = {
  chat: 'Talk: requests become proposals, replies are grounded in memory.',
  agent: 'The planner queue: agents propose, people decide, the executor carries out.',
  calendar: 'Events, free slots, and iCalendar in and out.',
  memory: 'Traces: what was observed, planned and done, with every version.',
  memport: 'Context export and import.',
  tempo: 'When a person likes to do what.',
  live: 'Changes as they happen, on a socket or by polling.',
  user: 'Accounts, login, settings, API keys.',
  system: 'Health, version, metrics, debugging, documentation.',
};

export const INTRODUCTION = `Almanac anchors what agents do in time: agents propose, the calendar decides, the ledger remembers.

**Addresses.** Everything is served at the paths below and the same under \`/v1\`. The API follows semver; within a major version there are only additions: ignore members and codes you don’t know.

**Credentials.** \`Authorization: Bearer <API key or login token>\`. Each operation names the scope it needs in \`x-scopes\`. Agent keys can never hold plan:decide, calendar:write, keys:manage, user:write, export:sensitive or admin: whatever an agent wants done to the calendar goes through the queue.

**Time.** Answers hold UTC instants. Input with an offset means that instant; input without one is wall time in the \`timezone\` given beside it, else in the user’s own zone. A bare date as a window’s start is that local day’s first instant, as its end the day’s last; windows include both ends. \`as_of\` (a time or a ledger seq) answers from what was known then.

**Lists** are JSON arrays. \`limit\` is 1 to 1000, 100 unless said; the next page is announced in \`Link: <...>; rel="next"\`, and without that header nothing was left out. A walk shows what existed at its start exactly once, whatever is written meanwhile.

**Repeating safely.** With an \`Idempotency-Key\` the same request again is the same answer again, for 24 hours (\`Idempotent-Replayed: true\`). Each agent has keys of its own; the person’s credentials share theirs. Single resources carry an \`ETag\`; \`If-Match\` on a change makes a stale write a 412.

**Problems** are RFC 9457 \`application/problem+json\` with a stable \`code\`; \`errors\` lists every fault of an invalid request with its JSON Pointer. Quote \`request_id\` when you report one.

**Limits.** Bodies up to 1 MiB, imports 16 MiB; address and headers 16 KiB; JSON nested up to 32 deep. Too many requests of a credential (without one: of an address), failed logins, registrations or sockets are a 429 with Retry-After. An account holds up to 200 API keys, 10,000 checkpoints, 100 logins (the next one ends the oldest), 100 unused socket tickets and 100,000 Idempotency-Keys within a day. 1,000 proposals of an agent key may wait for a decision, 5,000 of all agents, 5,000 of the person.`;

export const HEADERS = {
  'X-Request-Id': {
    description: 'The one that was sent, or one made up; it is in every log line and every problem.',
    schema: { type: 'string' },
  },
  ETag: {
    description: 'Version of the resource, where it has one; for If-Match.',
    schema: { type: 'string', examples: ['"3"'] },
  },
  Link: {
    description: 'The next page (RFC 8288): `<...>; rel="next"`. Absent on the last.',
    schema: { type: 'string', examples: ['</memory/pull?limit=100&cursor=eyJ>; rel="next"'] },
  },
  'Retry-After': { description: 'Seconds.', schema: { type: 'integer' } },
  'Idempotent-Replayed': {
    description: '`true` where this is the kept answer of an earlier request.',
    schema: { type: 'string' },
  },
  'WWW-Authenticate': { description: 'RFC 6750; names the missing scope.', schema: { type: 'string' } },
} as const;

export const PARAMETERS = {
  'X-Request-Id': {
    name: 'X-Request-Id',
    in: 'header',
    description: 'Your own name for the request: letters, digits and `._:-`, at most 128.',
    schema: { type: 'string', maxLength: 128 },
  },
  'Idempotency-Key': {
    name: 'Idempotency-Key',
    in: 'header',
    description:
      'Makes repeating safe: same key and same request replay the first answer; same key and another request is 422; while the first runs, 409.',
    schema: { type: 'string', minLength: 1, maxLength: 255 },
  },
  'If-Match': {
    name: 'If-Match',
    in: 'header',
    description: 'ETag of the version you saw: when the resource has changed since, 412.',
    schema: { type: 'string', examples: ['"3"'] },
  },
} as const;
