/**
 * Who is calling and what they may do: scopes, the kinds of key, and the caller as services see it
 * (docs/decisions.md, Agents propose, people decide).
 */

/** Every scope with what it allows; openapi.yaml shows these texts. */
export const SCOPES = {
  'memory:read': 'Read, search and summarise traces and their history.',
  'memory:write': 'Push, edit and remove ordinary traces, give feedback.',
  'calendar:read': 'Read events, free slots and feeds.',
  'calendar:write': 'Create, edit, remove and import events. Never an agent.',
  'plan:read': 'Read the planner queue, its changes and the executor status.',
  'plan:propose': 'Propose plans and withdraw them.',
  'plan:decide': 'Approve, reject and edit plans. Never an agent.',
  'plan:execute': 'Execute approved plans, or simulate it.',
  'tempo:read': 'Read tempo tags and the tempo profile.',
  'tempo:write': 'Change timing preferences and the time zone. Never an agent.',
  'export:read': 'Export memory context.',
  'export:sensitive': 'See authored_by and chat_url, and their values in texts. Never an agent.',
  'user:read': 'Read the user profile.',
  'user:write': 'Change the user profile and password. Never an agent.',
  'keys:manage': 'Make, list and revoke API keys. Never an agent.',
  'debug:read': 'Dump traces, verify the ledger, read metrics.',
  admin: 'Act for any user by user_id. Only on accounts that are administrators; never an agent.',
} as const;

export type Scope = keyof typeof SCOPES;
export const ALL_SCOPES = Object.keys(SCOPES) as Scope[];

/** `feed` opens calendar feeds and nothing else; it is never a bearer credential. */
export type KeyKind = 'user' | 'agent' | 'feed';

/** What would let an agent decide, act outside the queue, or move the limits that the person has set to it. */
const NEVER_AGENT: ReadonlySet<Scope> = new Set<Scope>([
  'plan:decide',
  'calendar:write',
  'keys:manage',
  'tempo:write',
  'user:write',
  'export:sensitive',
  'admin',
]);

/** A feed shows events; proposals, and links that decide on them, only where the person says so. */
const FEED: Scope[] = ['calendar:read', 'plan:read', 'plan:decide'];
const FEED_DEFAULTS: Scope[] = ['calendar:read'];

const AGENT_DEFAULTS: Scope[] = [
  'memory:read',
  'memory:write',
  'calendar:read',
  'plan:read',
  'plan:propose',
  'plan:execute',
  'tempo:read',
  'export:read',
];

/** Scopes a credential of this kind can hold on an account; of others that a key was given by an earlier release, none counts. */
export const possibleScopes = (kind: KeyKind, isAdmin: boolean): Scope[] =>
  kind === 'feed'
    ? FEED
    : ALL_SCOPES.filter((s) => (s !== 'admin' || isAdmin) && (kind === 'user' || !NEVER_AGENT.has(s)));

export const defaultScopes = (kind: KeyKind, isAdmin: boolean): Scope[] =>
  kind === 'user' ? possibleScopes(kind, isAdmin) : { agent: AGENT_DEFAULTS, feed: FEED_DEFAULTS }[kind];

/** A client's Idempotency-Key, and the one try of the request that may have an effect under it. */
export type Claim = { key: string; claim: string };

/** The authenticated caller. `user_id` is whose data is meant: the caller's own, or another's for an administrator. */
export type Caller = {
  user_id: string;
  /** As written in the ledger: `user:<key id>`, `user:session`, `agent:<key id>`. */
  actor: string;
  /** What the credential makes of things written with it. */
  origin: 'user' | 'agent';
  scopes: ReadonlySet<Scope>;
  /** Key id or session family: what rate limits count by, and whose end closes sockets. */
  credential_id: string;
  expires_at: string | null;
  /** Of an administrator who acts for another: their own. */
  own_id?: string | undefined;
  /** The user's time zone, for wall times without one. */
  zone: string;
  request_id: string;
  idempotency?: Claim | undefined;
};
