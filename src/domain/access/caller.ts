/** Defines scopes, the kinds of key, and the caller as services see it (docs/decisions.md, Agents propose, people decide). */

/**
 * Every scope with what it allows; openapi.yaml shows these texts. A route that answers a stored thing as a whole needs the scope
 * that reads it, also where it changes it (docs/decisions.md, A write answers what its caller may read).
 */
export const SCOPES = {
  'memory:read':
    'Read, search and summarise traces and their history, plans among them. Traces of the type calendar_event show the title and times of events.',
  'memory:write':
    'Push, edit and remove traces that are no plans, and give feedback. Editing and feedback answer the trace, so they need memory:read too.',
  'calendar:read': 'Read events, free slots and feeds. A feed shows events whole, without blanking.',
  'calendar:write':
    'Create, edit, remove and import events. What answers a stored event or source needs calendar:read too. Agents cannot hold it.',
  'plan:read': 'Read the planner queue, its changes and the executor status. Plans name the events that they concern.',
  'plan:propose': 'Propose plans and withdraw them. Withdrawing answers the plan, so it needs plan:read too.',
  'plan:decide':
    'Approve, reject and edit plans, also those that change events or settings. Decisions answer the plan, so they need plan:read too. Agents cannot hold it.',
  'plan:execute':
    'Execute approved plans, or simulate their execution. What they write is shown with memory:read and calendar:read.',
  'tempo:read': 'Read tempo tags and the tempo profile.',
  'tempo:write':
    'Change timing preferences and the time zone. The answer is the tempo profile, so it needs tempo:read too. Agents cannot hold it.',
  'export:read': 'Export memory: all that memory:read reads. Events and the profile need their own scopes.',
  'export:sensitive':
    'See authored_by and chat_url, and their values in texts, which all other credentials see blanked, except in feeds. Agents cannot hold it.',
  'user:read': 'Read the user profile: e-mail address, name, settings and tempo.',
  'user:write':
    'Change the user profile, which is answered and so needs user:read too, and end logins. Agents cannot hold it.',
  'keys:manage': 'Make, list and revoke API keys. Agents cannot hold it.',
  'debug:read': 'Dump traces (all that memory:read reads), verify the ledger, read metrics.',
  admin: 'Act for any user by user_id. Only accounts of administrators have it, and agents cannot hold it.',
} as const;

export type Scope = keyof typeof SCOPES;
export const ALL_SCOPES = Object.keys(SCOPES) as Scope[];

/** `feed` opens calendar feeds and nothing else; it is never a bearer credential. */
export type KeyKind = 'user' | 'agent' | 'feed';

/** With these an agent could decide, act without a proposal, or change the limits that the person has set for it. */
const NEVER_AGENT: ReadonlySet<Scope> = new Set<Scope>([
  'plan:decide',
  'calendar:write',
  'keys:manage',
  'tempo:write',
  'user:write',
  'export:sensitive',
  'admin',
]);

/** A feed shows events. It shows proposals, and links that decide on them, only where the person has chosen so. */
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

/**
 * Lists the scopes that a credential of this kind can hold. Others, which a key may have from an earlier release, do not count.
 */
export const possibleScopes = (kind: KeyKind, isAdmin: boolean): Scope[] =>
  kind === 'feed'
    ? FEED
    : ALL_SCOPES.filter((s) => (s !== 'admin' || isAdmin) && (kind === 'user' || !NEVER_AGENT.has(s)));

export const defaultScopes = (kind: KeyKind, isAdmin: boolean): Scope[] =>
  kind === 'user' ? possibleScopes(kind, isAdmin) : { agent: AGENT_DEFAULTS, feed: FEED_DEFAULTS }[kind];

/** A client's Idempotency-Key, and the claim of the one try that may have an effect under it. */
export type Claim = { key: string; claim: string };

/**
 * The authenticated caller. `user_id` is the user whose data is used: the caller, or another user for whom an administrator acts.
 */
export type Caller = {
  user_id: string;
  /** The actor as the ledger records it: `user:<key id>`, `user:session`, `agent:<key id>`. */
  actor: string;
  /** The origin of what is written with this credential. */
  origin: 'user' | 'agent';
  scopes: ReadonlySet<Scope>;
  /** The key id or session family. Rate limits count by it, and its end closes sockets. */
  credential_id: string;
  expires_at: string | null;
  /** The own user_id of an administrator who acts for another user. */
  own_id?: string | undefined;
  /** The user's time zone, for wall times without one. */
  zone: string;
  request_id: string;
  idempotency?: Claim | undefined;
  /** Reads as an agent (`Read-As`), in whose name nothing may be written. */
  read_only?: true;
};

/** The caller as an agent with this key: what it may read of what the caller may read, and nothing else. */
export const readingAs = (caller: Caller, { id, scopes }: { id: string; scopes: readonly string[] }): Caller => {
  const seen = ALL_SCOPES.filter((s) => s.endsWith(':read') && scopes.includes(s) && caller.scopes.has(s));
  return {
    ...caller,
    ...{ actor: `agent:${id}`, origin: 'agent', credential_id: id, scopes: new Set(seen), read_only: true },
  };
};

/**
 * Whether a caller who sends the uid of something that exists may be answered as its maker was. Any other credential that may not
 * read all values could test guesses of the hidden ones.
 */
export const mayRepeat = ({ scopes, actor }: Pick<Caller, 'scopes' | 'actor'>, maker: string): boolean =>
  scopes.has('export:sensitive') || maker === actor;
