/** Reads and writes a person's profile: a document in the ledger (subject `profile`), found through users.profile_seq. */
import { sql } from 'kysely';
import type { Db } from '../db/database.ts';
import { mergePatch } from '../domain/record/merge-patch.ts';
import { canonicalJson } from '../domain/record/canonical-json.ts';
import { Limits } from '../domain/plan/limits.ts';
import { storedZone } from '../domain/time/time.ts';
import { notFound } from '../common/problem.ts';
import type { Ledger } from '../ledger/ledger.ts';
import { attest } from '../ledger/attested.ts';
import type { Author, Writer } from '../ledger/ledger-writer.ts';
import type { AccountDoc, CalendarLook, LookChange, MemorySettings, ProfileDoc, Settings, Updates } from './schemas.ts';

export const DEFAULT_MEMORY: MemorySettings = { record_chat: true, recency_half_life_days: 90 };

export const defaultSettings = (): Settings => ({
  execution: 'automatic',
  limits: Limits.parse({}),
  memory: DEFAULT_MEMORY,
});

export type ProfileRow = {
  email: string;
  admin: boolean;
  epoch: number;
  version: number;
  profile: ProfileDoc;
};

/** The bytes of the salt with which the ledger's digests of an account are made. */
export const SALT_BYTES = 32;

/** What of the table `users` the profile's document attests. */
export type AccountRow = {
  email: string;
  admin: boolean;
  password_hash: string;
  salt: Buffer;
  disabled: boolean;
  storage_limit: number | null;
};

export const accountDoc = ({ email, password_hash, salt, ...open }: AccountRow): AccountDoc => ({
  ...{ admin: open.admin, disabled: open.disabled, storage_limit: open.storage_limit },
  ...{ email: attest(salt, 'email', email), password: attest(salt, 'password', password_hash) },
});

/** The columns that the document of an account follows from. */
export const ACCOUNT_COLUMNS = ['email', 'admin', 'password_hash', 'salt', 'disabled', 'storage_limit'] as const;

/** Finds a profile; null where there is no such user. Uses the indexes users_pkey and ledger_pkey. */
export const findProfile = async (db: Db, user_id: string): Promise<ProfileRow | null> => {
  const { rows } = await sql<ProfileRow>`
    select u.email, u.admin, u.epoch, l.version, l.payload as profile
    from users u join ledger l on l.user_id = u.user_id and l.seq = u.profile_seq
    where u.user_id = ${user_id}`.execute(db);
  const [row] = rows;
  return row ? { ...row, profile: { ...row.profile, timezone: storedZone(row.profile.timezone) } } : null;
};

export const loadProfile = async (db: Db, user_id: string): Promise<ProfileRow> => {
  const row = await findProfile(db, user_id);
  if (!row) throw notFound('user', user_id);
  return row;
};

/** Records a new version of the profile in a transaction. */
export const recordProfile = async (
  writer: Writer,
  profile: ProfileDoc,
  version: number,
  kind = version === 1 ? 'profile.created' : 'profile.updated',
): Promise<void> => {
  let seq = 0;
  writer.record({
    kind,
    subject: 'profile',
    uid: profile.user_id,
    version,
    payload: (stamp) => {
      seq = stamp.seq;
      return profile;
    },
  });
  await writer.tx.updateTable('users').set({ profile_seq: seq }).where('user_id', '=', profile.user_id).execute();
};

/** Returns the new document; pure, may throw Problems. */
type ProfileChange = (current: ProfileDoc, version: number) => ProfileDoc;

/** Changes the profile in a write. @returns the profile after it, of the same version where nothing changes */
export const changeProfileIn = async (
  writer: Writer,
  change: ProfileChange,
  /** Writes in the same transaction what follows from the change. */
  then: (writer: Writer, before: ProfileDoc, after: ProfileDoc) => Promise<void> = async () => undefined,
): Promise<ProfileRow & { isNew: boolean }> => {
  await writer.flush(); // This write may have changed the profile before.
  const row = await loadProfile(writer.tx, writer.author.user_id);
  const profile = change(row.profile, row.version);
  if (canonicalJson(profile) === canonicalJson(row.profile)) return { ...row, isNew: false };
  await recordProfile(writer, profile, row.version + 1);
  await then(writer, row.profile, profile);
  return { ...row, profile, version: row.version + 1, isNew: true };
};

/** Changes the profile under the user's lock. */
export const changeProfile = (
  ledger: Ledger,
  author: Author,
  ...change: Parameters<typeof changeProfileIn> extends [Writer, ...infer More] ? More : never
): Promise<ProfileRow> => ledger.write(author, (writer) => changeProfileIn(writer, ...change));

/** What of an account is changed by itself or by the operator. A new password and disabling end all logins (epoch). */
export type AccountChange = { password_hash?: string; disabled?: boolean; storage_limit?: number | null };

export type ChangeOptions = {
  /** The hash of the password that was checked: the account is changed only while it has that one. */
  checked?: string;
  /** Changes the rest of the profile in the same version. */
  change?: (current: ProfileDoc, version: number) => ProfileDoc;
  /** The kind of the entry. */
  kind?: string;
};

/**
 * Changes the row of an account under the user's lock, and records it with what `change` makes of the profile.
 * @returns null where another change of the password came first
 */
export const changeAccount = async (
  writer: Writer,
  values: AccountChange,
  { checked, change = (current) => current, kind }: ChangeOptions = {},
): Promise<ProfileRow | null> => {
  const { user_id } = writer.author;
  const row = await loadProfile(writer.tx, user_id);
  const profile = change(row.profile, row.version);
  const endsLogins = values.password_hash !== undefined || values.disabled === true;
  const changed = await writer.tx
    .updateTable('users')
    .set((eb) => ({ ...values, ...(endsLogins ? { epoch: eb('epoch', '+', 1) } : {}) }))
    .where('user_id', '=', user_id)
    .$if(checked !== undefined, (q) => q.where('password_hash', '=', checked as string))
    .returning([...ACCOUNT_COLUMNS, 'epoch'])
    .executeTakeFirst();
  if (!changed) return null;
  const { salt, epoch } = changed;
  const next = salt ? { ...profile, account: { ...profile.account, ...accountDoc({ ...changed, salt }) } } : profile;
  await recordProfile(writer, next, row.version + 1, kind);
  return { ...row, epoch, profile: next, version: row.version + 1 };
};

/** Changes how a collection is shown. Those that are not in `known` any more are forgotten. */
export const withLook = (current: ProfileDoc, id: string, change: LookChange, known: readonly string[]): ProfileDoc => {
  const { calendars = {}, ...settings } = current.settings;
  const look = mergePatch(calendars[id] ?? {}, change) as CalendarLook;
  const looks = Object.entries({ ...calendars, [id]: look }).filter(
    ([one, kept]) => known.includes(one) && Object.keys(kept).length > 0,
  );
  return { ...current, settings: looks.length ? { ...settings, calendars: Object.fromEntries(looks) } : settings };
};

/** Applies merge patches, whose shape the request's schema has checked, to settings. null restores a default. */
export const patchSettings = (
  current: Settings,
  { execution, limits, memory }: Pick<Updates, 'execution' | 'limits' | 'memory'>,
): Settings => ({
  ...current,
  execution: execution ?? current.execution,
  limits: limits === null ? Limits.parse({}) : Limits.parse(mergePatch(current.limits, limits ?? {})),
  memory:
    memory === null ? DEFAULT_MEMORY : { ...DEFAULT_MEMORY, ...(mergePatch(current.memory, memory ?? {}) as object) },
});
