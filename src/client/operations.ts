/** The operations of the API as functions of the client: a table of names, and the types that follow from openapi.yaml. */
import type { PageWalk } from './page-walk.ts';
import type { ChatStream } from './chat-stream.ts';
import type { paths } from './openapi-types.ts';

/**
 * `<method> <path> [<type of the body>]`. A star after the method marks an answer with pages, which becomes a PageWalk.
 * test/client/operations.test.ts compares the table with openapi.yaml.
 */
export const OPERATIONS = {
  chat: {
    /** Answer a prompt and propose plans. */
    respond: 'post /chat/respond',
    /** Preview the proposals for a prompt. */
    planPreview: 'post /chat/plan-preview',
    /** Summarise traces. */
    traceSummary: 'post /chat/trace-summary',
  },
  memory: {
    /** Store traces. */
    push: 'post /memory/push',
    /** List traces. */
    pull: 'get* /memory/pull',
    /** Change a trace. */
    edit: 'patch /memory/edit',
    /** Remove a trace. */
    remove: 'delete /memory/remove',
    /** List the versions of a trace. */
    history: 'get* /memory/history',
    /** Search traces. */
    search: 'post* /memory/search',
  },
  calendar: {
    /** Create an event. */
    create: 'post /calendar/create',
    /** List events in a window. */
    events: 'get* /calendar/events',
    /** Read one event. */
    event: 'get /calendar/event',
    /** Change an event. */
    edit: 'patch /calendar/edit',
    /** Remove an event. */
    remove: 'delete /calendar/remove',
    /** Remove several events. */
    removeSeveral: 'post /calendar/remove',
    /** Take a change of the calendar back. */
    undo: 'post /calendar/undo',
    /** Find free slots. */
    slots: 'get /calendar/slots',
    /** List busy time. */
    freeBusy: 'get /calendar/freebusy',
    /** Download the calendar as .ics. */
    exportIcs: 'get /calendar/export.ics',
    /** Import an .ics file. */
    importIcs: 'post /calendar/import text/calendar',
  },
  agent: {
    /** Propose plans with a prompt or with actions. */
    plan: 'post /agent/plan',
    /** Read one plan. */
    getPlan: 'get /agent/plan',
    /** List plans that wait for a decision. */
    queue: 'get* /agent/queue',
    /** Approve plans. */
    approve: 'post /agent/approve',
    /** Reject proposals, or cancel approved plans. */
    reject: 'post /agent/reject',
    /** Take decisions back. */
    undo: 'post /agent/undo',
    /** Take back what an agent caused. */
    takeBack: 'post /agent/take-back',
    /** Withdraw proposals that this credential made. */
    withdraw: 'post /agent/withdraw',
    /** Execute or simulate the approved plans of a task. */
    execute: 'post /agent/execute',
    /** Rate a trace or comment on it. */
    feedback: 'post /agent/feedback',
    /** Read the state of the executor, the queue and the limits. */
    status: 'get /agent/status',
    /** Count the plans of each agent. */
    activity: 'get* /agent/activity',
    /** Read which limits a plan uses. */
    limits: 'get /agent/limits',
    /** Follow changes by polling. */
    changes: 'get /agent/changes',
  },
  tempo: {
    /** List tempo tags. */
    tags: 'get* /tempo/tags',
    /** Read the tempo profile. */
    profile: 'get /tempo/profile',
    /** Change timing preferences. */
    adjust: 'post /tempo/adjust',
  },
  memport: {
    /** One page of an export, with what is known about the whole. */
    export: 'get /memport/export',
    /** The results of an export, over all pages. */
    results: 'get* /memport/export',
    /** List ledger entries. */
    ledger: 'get* /memport/ledger',
    /** List checkpoints. */
    checkpoints: 'get* /memport/checkpoints',
    /** Make a checkpoint of an export. */
    makeCheckpoint: 'post /memport/checkpoints',
    /** Move a checkpoint. */
    moveCheckpoint: 'patch /memport/checkpoints',
    /** Delete a checkpoint. */
    deleteCheckpoint: 'delete /memport/checkpoints',
    /** Import a full export. */
    import: 'post /memport/import',
  },
  user: {
    /** Log in with e-mail and password. */
    login: 'post /user/login',
    /** Log in with a link. */
    loginWithLink: 'post /user/login-link',
    /** Make a link that logs another device in. */
    makeLoginLink: 'post /user/login-links',
    /** Refresh a session. */
    refresh: 'post /user/refresh',
    /** Make an account. */
    register: 'post /user/register',
    /** End a login. */
    logout: 'post /user/logout',
    /** List logins. */
    sessions: 'get* /user/sessions',
    /** End other logins. */
    endSessions: 'delete /user/sessions',
    /** Read who the credential belongs to, and what it may do. */
    whoami: 'get /user/whoami',
    /** Read the profile with settings, limits and tempo. */
    profile: 'get /user/profile',
    /** Change the profile and settings. */
    update: 'patch /user/update',
    /** List API keys. */
    keys: 'get* /user/keys',
    /** Make an API key. */
    makeKey: 'post /user/keys',
    /** Revoke an API key. */
    revokeKey: 'delete /user/keys',
    /** List invitations. */
    invitations: 'get* /user/invitations',
    /** Invite a person. */
    invite: 'post /user/invitations',
    /** Revoke an invitation. */
    revokeInvitation: 'delete /user/invitations',
    /** Read how much the account stores, and may store. */
    storage: 'get /user/storage',
    /** Limit how much an account may store. */
    limitStorage: 'patch /user/storage',
    /** Get a ticket for a WebSocket. */
    socketTicket: 'post /user/ws-ticket',
    /** Download the whole account. */
    archive: 'get /user/archive',
    /** Erase the account. */
    eraseAccount: 'delete /user/account',
  },
  sources: {
    /** Subscribe to another calendar. */
    create: 'post /calendar/sources',
    /** List the calendars that are read, with their state. */
    list: 'get* /calendar/sources',
    /** Change a calendar that is read. */
    update: 'patch /calendar/sources',
    /** Stop reading a calendar and remove its events. */
    remove: 'delete /calendar/sources',
    /** Read a calendar again now. */
    refresh: 'post /calendar/sources/refresh',
  },
  webhooks: {
    /** Make a webhook. */
    create: 'post /user/webhooks',
    /** List webhooks with their state. */
    list: 'get* /user/webhooks',
    /** Change, pause or resume a webhook. */
    update: 'patch /user/webhooks',
    /** Remove a webhook. */
    remove: 'delete /user/webhooks',
    /** Send a test message to a webhook. */
    test: 'post /user/webhooks/test',
    /** Give a webhook a new secret; the previous one signs too for 24 hours. */
    rotateSecret: 'post /user/webhooks/rotate-secret',
    /** List the newest deliveries of a webhook. */
    deliveries: 'get /user/webhooks/deliveries',
  },
  system: {
    /** Check the health of the service. */
    health: 'get /health',
    /** Read the version. */
    version: 'get /version',
    /** Read metrics. */
    metrics: 'get /metrics',
  },
  debug: {
    /** Dump a snapshot of memory. */
    traceDump: 'post* /debug/trace-dump',
    /** Verify the ledger. */
    audit: 'get /debug/audit',
  },
} as const satisfies Record<string, Record<string, Entry>>;

/** These need no credential, so that none is fetched for them. */
export const PUBLIC: ReadonlySet<string> = new Set([
  '/user/login',
  '/user/login-link',
  '/user/refresh',
  '/user/register',
  '/health',
  '/version',
]);

/** DELETE requests whose parameters are a body, so that a password is never part of an address. */
export const DELETES_WITH_BODY: ReadonlySet<string> = new Set(['/user/account']);

type Method = 'get' | 'post' | 'patch' | 'delete';
type Entry = `${Method}${'' | '*'} ${keyof paths}${'' | ' text/calendar'}`;

export type CallOptions = {
  signal?: AbortSignal | undefined;
  /** Asks for the number of all items of a list, which is `total` of each `page()`. */
  count?: boolean | undefined;
  /** The version that is to be changed, as If-Match. Another version is the problem 412. */
  ifMatch?: number | string | undefined;
  /** The key under which a write takes effect once. By default each call has a new one, which its retries share. */
  idempotencyKey?: string | undefined;
  /** The id of an agent’s key: a request that reads is answered as that agent would be (`Read-As`). */
  readAs?: string | undefined;
  headers?: Record<string, string> | undefined;
  /** For how many milliseconds the client repeats a request that fails for a passing reason. */
  retryFor?: number | undefined;
  /** After how many milliseconds without an answer one try is given up. */
  timeout?: number | undefined;
};

type Operation<M extends string, P extends string> = P extends keyof paths
  ? M extends keyof paths[P]
    ? paths[P][M]
    : never
  : never;
type Query<O> = O extends { parameters: { query?: infer Q } }
  ? [NonNullable<Q>] extends [never]
    ? unknown
    : Omit<NonNullable<Q>, 'cursor'>
  : unknown;
type Content<O> = O extends { requestBody?: infer B } ? (B extends { content: infer C } ? C : never) : never;
type Body<O> = [Content<O>] extends [never]
  ? unknown
  : Content<O> extends { 'application/json': infer J }
    ? J
    : { body: string };
/** Query and body are one object, because no operation has the same name in both. */
type Parameters<O> = Query<O> & Body<O>;

type Success<O> = O extends { responses: infer R } ? R[keyof R & (200 | 201)] : never;
type Answer<O> =
  Success<O> extends { content: infer C }
    ? C extends { 'application/json': infer J }
      ? J
      : C extends { 'application/zip': unknown }
        ? Response
        : string
    : never;
type Several = readonly unknown[];
/** Some answers follow from a parameter: the format of an export, and a list of decisions where several plans are decided. */
type AnswerTo<A, P> = P extends { export_format: infer F }
  ? Extract<A, { export_format: F }>
  : [Exclude<A, Several>] extends [never]
    ? A
    : P extends { uids: Several } | { proposal_id: string } | { edits: Several }
      ? Extract<A, Several>
      : P extends { uid: string }
        ? Exclude<A, Several>
        : A;
type Items<A> = A extends readonly (infer T)[]
  ? T
  : A extends { results: readonly (infer T)[] }
    ? T
    : A extends { traces: readonly (infer T)[] }
      ? T
      : never;

type Arguments<P, Given = P> = object extends P
  ? [parameters?: Given, options?: CallOptions]
  : [parameters: Given, options?: CallOptions];

type Plain<O> = <const P extends Parameters<O>>(
  ...args: Arguments<Parameters<O>, P>
) => Promise<AnswerTo<Answer<O>, P>>;
type Walk<O> = <const P extends Parameters<O>>(
  ...args: Arguments<Parameters<O>, P>
) => PageWalk<Items<AnswerTo<Answer<O>, P>>, AnswerTo<Answer<O>, P>>;
type Respond<O> = {
  /** Answer a prompt and propose plans. The reply is an iterator of pieces of text; `final()` is the whole answer. */
  (parameters: Parameters<O> & { stream: true }, options?: CallOptions): ChatStream<Answer<O>>;
  /** Answer a prompt and propose plans. With `stream: true`, the reply comes in pieces. */
  (parameters: Parameters<O> & { stream?: false }, options?: CallOptions): Promise<Answer<O>>;
};

type Call<E> = E extends 'post /chat/respond'
  ? Respond<Operation<'post', '/chat/respond'>>
  : E extends `${infer M}* ${infer P}`
    ? Walk<Operation<M, P>>
    : E extends `${infer M} ${infer P} text/calendar`
      ? Plain<Operation<M, P>>
      : E extends `${infer M} ${infer P}`
        ? Plain<Operation<M, P>>
        : never;

export type Groups = {
  [G in keyof typeof OPERATIONS]: { [N in keyof (typeof OPERATIONS)[G]]: Call<(typeof OPERATIONS)[G][N]> };
};
