/** Schemas of accounts, sessions, keys and settings. */
import { z } from 'zod';
import { dictionary, list } from '../domain/record/bounded-collections.ts';
import { ALL_SCOPES, type Scope } from '../domain/access/caller.ts';
import { Limits, LimitsPatch } from '../domain/plan/limits.ts';
import { TempoProfile, type TempoPreferences } from '../domain/plan/tempo.ts';
import { InstantOut, Zone } from '../domain/record/field-shapes.ts';

export const Email = z
  .email()
  .max(254)
  .transform((e) => e.toLowerCase());

/** bcrypt uses 72 bytes only, so a longer password is refused and not cut. */
export const NewPassword = z
  .string()
  .max(1000)
  .refine((p) => Buffer.byteLength(p) >= 10 && Buffer.byteLength(p) <= 72, 'must be 10 to 72 bytes')
  .describe('The password: 10 to 72 bytes of any characters. The most common passwords are refused.');

const DisplayName = z.string().trim().min(1).max(200);

export const Execution = z
  .enum(['automatic', 'manual'])
  .describe(
    'How approved plans are executed. automatic executes them when they are due; with manual they wait for POST /agent/execute.',
  );

export const MemorySettings = z
  .strictObject({
    record_chat: z.boolean().describe('Whether prompts and replies of POST /chat/respond are stored as observations.'),
    recency_half_life_days: z
      .number()
      .min(1)
      .max(3650)
      .describe('The number of days after which recency counts half as much in a search.'),
  })
  .meta({ id: 'MemorySettings' });
export type MemorySettings = z.infer<typeof MemorySettings>;

/** A JSON Merge Patch on MemorySettings. */
const MemoryPatch = z
  .strictObject({
    record_chat: MemorySettings.shape.record_chat.nullable(),
    recency_half_life_days: MemorySettings.shape.recency_half_life_days.nullable(),
  })
  .partial()
  .meta({
    id: 'MemorySettingsPatch',
    description: 'A JSON Merge Patch (RFC 7396) on the memory settings; null restores a default.',
  });

export const CalendarLook = z
  .strictObject({
    name: z.string().max(200),
    description: z.string().max(2_000),
    color: z
      .string()
      .regex(/^#[0-9a-fA-F]{6}([0-9a-fA-F]{2})?$/)
      .describe('#rrggbb or #rrggbbaa.'),
    order: z.number().describe('The place among the calendars, ascending.'),
    timezone: Zone.describe('The time zone that a program gave. Floating times are read in the zone of the account.'),
    transparent: z.boolean().describe('Whether its events leave time free, in the eyes of a program.'),
  })
  .partial()
  .meta({ id: 'CalendarLook', description: 'How a calendar is shown in calendar programs.' });
export type CalendarLook = z.infer<typeof CalendarLook>;
/** The values that a calendar program sets; null removes one. */
export type LookChange = { [K in keyof CalendarLook]: CalendarLook[K] | null };

export const Settings = z
  .strictObject({
    execution: Execution,
    limits: Limits,
    memory: MemorySettings,
    // The events, the proposals, and each source (calendar/sources/schemas.ts).
    calendars: dictionary(z.string().max(255), CalendarLook, 102)
      .optional()
      .describe('What calendar programs set by CalDAV (PROPPATCH), by the name of the collection.'),
  })
  .meta({
    id: 'Settings',
    description: 'The settings of a person: how plans are executed, what agents may propose, and how memory works.',
  });
export type Settings = z.infer<typeof Settings>;

/** The document that the ledger stores about a person (subject `profile`). */
export type ProfileDoc = {
  user_id: string;
  display_name: string;
  timezone: string;
  settings: Settings;
  tempo: TempoPreferences;
  /** Who may act for the person, for the audit. Documents of earlier releases lack it. */
  account?: AccountDoc;
};

/** The digests are made with the account's salt (ledger/attested.ts). */
export type AccountDoc = {
  admin: boolean;
  /** Documents of earlier releases lack these two. */
  disabled?: boolean;
  storage_limit?: number | null;
  email: string;
  password: string;
  /** Digests of keys and webhooks whose own entries are of an earlier release, by id. */
  keys?: Record<string, string>;
  webhooks?: Record<string, string>;
};

export const User = z
  .object({ user_id: z.string(), email: z.string(), display_name: z.string(), timezone: Zone })
  .meta({ id: 'User' });
export type User = z.infer<typeof User>;

export const Profile = User.extend({ settings: Settings, tempo: TempoProfile }).meta({ id: 'UserProfile' });
export type Profile = z.infer<typeof Profile>;

export const Updates = z
  .strictObject({
    display_name: DisplayName.optional(),
    timezone: Zone.optional(),
    password: NewPassword.optional(),
    current_password: z.string().max(1000).optional().describe('The present password; it is required with password.'),
    execution: Execution.optional(),
    limits: LimitsPatch.nullable()
      .optional()
      .describe('A JSON Merge Patch on the limits; null switches all of them off.'),
    memory: MemoryPatch.nullable()
      .optional()
      .describe('A JSON Merge Patch on the memory settings; null restores the defaults.'),
  })
  .meta({ id: 'UserUpdates', description: 'A JSON Merge Patch (RFC 7396) on the profile and the settings.' });
export type Updates = z.infer<typeof Updates>;

const RefreshIn = z
  .enum(['body', 'cookie'])
  .default('body')
  .describe(
    'Where the refresh token is: in the answer, or in a cookie that only POST /user/refresh gets and no script can read. Only pages of this service may ask for the cookie.',
  );
export type RefreshIn = z.infer<typeof RefreshIn>;

export const Registration = z.strictObject({
  email: Email,
  password: NewPassword,
  display_name: DisplayName.optional(),
  timezone: Zone.optional(),
  invitation: z
    .string()
    .max(500)
    .optional()
    .describe('The invitation, which makes one account also where registration is closed.'),
  refresh_in: RefreshIn,
});

export const Login = z.strictObject({
  email: z.string().max(254),
  password: z.string().max(1000),
  refresh_in: RefreshIn,
});

export const LinkLogin = z.strictObject({ ticket: z.string().max(500), refresh_in: RefreshIn });

export const MadeLoginLink = z
  .object({
    link: z.string().describe('The link, which opens the console. It is a secret, and is shown only once.'),
    expires_at: InstantOut,
  })
  .meta({ id: 'NewLoginLink' });

export const Refresh = z.strictObject({
  refresh_token: z.string().max(500).optional().describe('The refresh token; without it, the cookie of the console.'),
});

export const Erasure = z.strictObject({ password: z.string().max(1000).describe('The password of the account.') });

export const Erased = z
  .object({
    user_id: z.string(),
    erased: z.literal(true),
    head: z
      .object({ seq: z.number().int(), hash: z.string() })
      .describe('The end of the ledger, of which only the hash chain remains, without any text.'),
  })
  .meta({ id: 'ErasedAccount' });

export const Session = z
  .object({
    token: z.string().describe('The access token, a JWT for Authorization: Bearer. It is valid for an hour.'),
    token_type: z.literal('Bearer'),
    expires_at: InstantOut,
    refresh_token: z
      .string()
      .describe(
        'The refresh token for POST /user/refresh. It can be used once, within 30 days. Empty where it is in a cookie (`refresh_in`).',
      ),
    user: User,
  })
  .meta({ id: 'Session' });
export type Session = z.infer<typeof Session>;

export const LoginSession = z
  .object({
    id: z.string(),
    current: z.boolean().describe('Whether the request was sent with this login.'),
    client: z.string().nullable().describe('The User-Agent that logged in; null where it sent none.'),
    started_at: InstantOut,
    last_used_at: InstantOut.describe('When it was refreshed last. A client refreshes it about once an hour.'),
    expires_at: InstantOut.describe('When it ends unless it is refreshed before.'),
  })
  .meta({ id: 'LoginSession', description: 'A login of the person, with its access and refresh tokens.' });
export type LoginSession = z.infer<typeof LoginSession>;

const ScopeName = z.enum(ALL_SCOPES as [Scope, ...Scope[]]);

export const Key = z
  .object({
    id: z.string(),
    kind: z.enum(['user', 'agent', 'feed']),
    label: z.string(),
    scopes: z.array(ScopeName),
    expires_at: InstantOut.nullable(),
    last_used_at: InstantOut.nullable(),
    created_at: InstantOut,
    revoked_at: InstantOut.nullable().describe('When the key was revoked; null while it is valid or has expired.'),
  })
  .meta({ id: 'ApiKey' });
export type Key = z.infer<typeof Key>;

export const WhoAmI = z
  .object({
    user_id: z.string(),
    kind: z.enum(['user', 'agent']).describe('Who uses the credential: a person, with a key or a login, or an agent.'),
    key_id: z.string().nullable().describe('The id of the API key; null for a login.'),
    label: z.string().nullable().describe('The label of the API key; null for a login.'),
    scopes: z.array(ScopeName),
    timezone: Zone,
    expires_at: InstantOut.nullable(),
  })
  .meta({ id: 'WhoAmI', description: 'The credential of the request.' });
export type WhoAmI = z.infer<typeof WhoAmI>;

export const NewKey = z.strictObject({
  kind: z
    .enum(['user', 'agent', 'feed'])
    .describe(
      'Who uses the key: a person, an agent, or a calendar program. A key of the kind feed is valid for GET /calendar/feed.ics and GET /calendar/proposals.ics only.',
    ),
  label: z.string().trim().min(1).max(200),
  scopes: list(ScopeName, ALL_SCOPES.length)
    .optional()
    .describe(
      'The scopes of the key. By default a user key has all that it can hold, an agent key has those for reading, remembering and proposing, and a feed key has calendar:read. A feed of proposals needs plan:read. With plan:decide it has links that approve or reject; anybody who can read that feed can decide.',
    ),
  expires_at: z.string().max(64).optional().describe('When the key expires, in ISO 8601; by default never.'),
});
export type NewKey = z.infer<typeof NewKey>;

export const MadeKey = Key.omit({ last_used_at: true, revoked_at: true })
  .extend({ key: z.string().describe('The key, which is shown only once.') })
  .meta({ id: 'NewApiKey' });

export const NewInvitation = z.strictObject({
  label: z.string().trim().min(1).max(200).optional().describe('Whom it is for, for the list.'),
  expires_at: z
    .string()
    .max(64)
    .optional()
    .describe('When it expires, in ISO 8601: within 30 days, by default in 7 days.'),
});

export const Invitation = z
  .object({
    id: z.string(),
    label: z.string().nullable(),
    created_at: InstantOut,
    expires_at: InstantOut,
    used_at: InstantOut.nullable().describe('When somebody made an account with it.'),
    used_by: z.string().nullable().describe('The user_id of that account.'),
    revoked_at: InstantOut.nullable(),
  })
  .meta({ id: 'Invitation', description: 'A link that makes one account, without its secret.' });
export type Invitation = z.infer<typeof Invitation>;

export const MadeInvitation = Invitation.pick({ id: true, label: true, created_at: true, expires_at: true })
  .extend({
    invitation: z.string().describe('The secret for POST /user/register, which is shown only once.'),
    url: z.string().describe('The link for the invited person, which opens the console.'),
  })
  .meta({ id: 'NewInvitation' });

export const StorageUse = z
  .object({
    user_id: z.string(),
    used_bytes: z.number().int().describe('The bytes of all documents in the ledger, with those of earlier versions.'),
    limit_bytes: z.number().int().nullable().describe('How many there may be; null where there is no limit.'),
  })
  .meta({ id: 'StorageUse', description: 'What an account stores, and may store.' });
