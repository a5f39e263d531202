/**
 * The tables as Kysely sees them; migrations/*.sql define them. Both drivers return instants as ISO strings. The tables of traces
 * and events are read and written in SQL only: ledger/trace-rows.ts and calendar/events/store.ts list their columns.
 */
import type { ColumnType, Generated } from 'kysely';
import type { KeyKind } from '../domain/access/caller.ts';
import type { Instant } from '../domain/time/time.ts';

/** jsonb is read as a parsed value and written as JSON text. */
type Json<T> = ColumnType<T, string, string>;
/** bytea is a Buffer in both directions (db/driver-values.ts converts the embedded driver's Uint8Array). */
type Bytes = ColumnType<Buffer, Buffer, Buffer>;

export type UsersTable = {
  user_id: string;
  email: string;
  password_hash: string;
  admin: Generated<boolean>;
  epoch: Generated<number>;
  profile_seq: Generated<number>;
  /** Null until the service has recorded an account of an earlier release. */
  salt: ColumnType<Buffer | null, Buffer | null, Buffer>;
  disabled: Generated<boolean>;
  /** In bytes. Null: that of all accounts; 0: no limit. */
  storage_limit: ColumnType<number | null, number | null | undefined, number | null>;
  created_at: Generated<Instant>;
};

export type LedgerHeadsTable = {
  user_id: string;
  seq: Generated<number>;
  hash: Bytes;
  recorded_at: Instant;
  /** The bytes of all documents up to `counted_seq` (ledger/storage.ts). */
  counted_bytes: Generated<number>;
  counted_seq: Generated<number>;
};

/** The end of the ledger of an erased account, whose other rows are deleted. */
export type ErasedAccountsTable = Pick<LedgerHeadsTable, 'user_id' | 'hash' | 'recorded_at'> & { seq: number };

export type InvitationsTable = {
  user_id: string;
  id: string;
  label: string | null;
  hash: Bytes;
  seal: Bytes;
  created_at: Instant;
  expires_at: Instant;
};

export type LedgerTable = {
  user_id: string;
  seq: number;
  kind: string;
  subject: string;
  subject_uid: string;
  version: number;
  actor: string;
  recorded_at: Instant;
  payload: Json<Record<string, unknown> | null>;
  payload_hash: Bytes;
  hash: Bytes;
  /** The size of the document as text in bytes; null in rows that an earlier release wrote. */
  bytes: number | null;
};

export type ZoneRulesTable = {
  release: string;
  since: Generated<Instant>;
  /** For each zone a list of `[until, offset]` in milliseconds; the last `until` is null. */
  offsets: Json<Record<string, [number | null, number][]>>;
};

export type ApiKeysTable = {
  user_id: string;
  id: string;
  kind: KeyKind;
  label: string;
  scopes: string[];
  secret_hash: Bytes;
  expires_at: Instant | null;
  last_used_at: Instant | null;
  created_at: Instant;
};

export type RefreshTokensTable = {
  user_id: string;
  id: string;
  family: string;
  hash: Bytes;
  used: Generated<boolean>;
  expires_at: Instant;
  started_at: Instant | null;
  client: string | null;
  used_at: Instant | null;
  /** Null in rows of an earlier release until their account is recorded. */
  seal: Bytes | null;
};

export type TicketsTable = {
  user_id: string;
  hash: Bytes;
  credential: Json<Record<string, unknown>>;
  expires_at: Instant;
  seal: Bytes | null;
};

export type IdempotencyTable = {
  user_id: string;
  key: string;
  claim: string;
  request_hash: Bytes;
  effect_seq: number | null;
  answer: Json<{ status: number; headers: Record<string, string>; body: unknown } | null> | null;
  created_at: Instant;
};

export type CheckpointsTable = {
  user_id: string;
  tag: string;
  seq: number;
  parameters: Json<Record<string, unknown>>;
  created_at: Instant;
};

export type Database = {
  users: UsersTable;
  ledger_heads: LedgerHeadsTable;
  invitations: InvitationsTable;
  erased_accounts: ErasedAccountsTable;
  ledger: LedgerTable;
  zone_rules: ZoneRulesTable;
  api_keys: ApiKeysTable;
  refresh_tokens: RefreshTokensTable;
  tickets: TicketsTable;
  idempotency_keys: IdempotencyTable;
  checkpoints: CheckpointsTable;
};
