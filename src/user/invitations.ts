/**
 * Invitations: a link that makes one account where registration is closed, used once within its time. Administrators and the
 * operator make them. Only a hash is stored, sealed with the secret of the service, so that an inserted row invites nobody.
 */
import { randomBytes, timingSafeEqual } from 'node:crypto';
import { sql } from 'kysely';
import type { Clock } from '../common/clock.ts';
import { countRows } from '../db/count-rows.ts';
import type { Db } from '../db/database.ts';
import { isEnabled } from '../db/enabled-users.ts';
import { addMinutes, millis, readTime, type Instant } from '../domain/time/time.ts';
import { invalidAt, notFound, problem, type Problem } from '../common/problem.ts';
import { attest, saltOf } from '../ledger/attested.ts';
import type { Ledger } from '../ledger/ledger.ts';
import type { Author, Writer } from '../ledger/ledger-writer.ts';
import { digest, partsOf } from './api-keys.ts';
import { isSealOf, sealOf } from './seal.ts';
import type { Invitation } from './schemas.ts';

const DAY_MINUTES = 24 * 60;
const DEFAULT_DAYS = 7;
const MAX_DAYS = 30;
/** An account has at most this many invitations that nobody has used. */
const MAX_OPEN = 100;

export type InvitationsDeps = { db: Db; ledger: Ledger; clock: Clock; secret: string };

type Doc = Pick<Invitation, 'id' | 'label' | 'created_at' | 'expires_at'>;
type Row = Doc & { user_id: string; hash: Buffer; seal: Buffer };
export type Wanted = { label: string | undefined; expires_at: Instant };

/** What a row decides. */
const sealed = ({ user_id, id, hash, expires_at }: Pick<Row, 'user_id' | 'id' | 'hash' | 'expires_at'>): string =>
  `invitation ${user_id} ${id} ${hash.toString('hex')} ${millis(expires_at)}`;

const refused = (): Problem =>
  invalidAt(
    '/invitation',
    'invalid_invitation',
    'is unknown, used, expired or revoked: ask whoever sent it for another one',
  );

/** The row of an invitation, whose maker must still be an administrator that is not disabled. Uses the index invitations_pkey. */
const find = async (tx: Db, user_id: string, id: string): Promise<Row | undefined> => {
  const { rows } = await sql<Row>`
    select i.user_id, i.id, i.label, i.hash, i.seal, i.created_at, i.expires_at
    from invitations i join users u on u.user_id = i.user_id and u.admin
    where i.user_id = ${user_id} and i.id = ${id} and ${isEnabled('i')}`.execute(tx);
  return rows[0];
};

/**
 * A page of the invitations by id, also those that were used or revoked, which only the ledger still has. Uses the indexes
 * invitations_pkey and ledger_user_id_subject_subject_uid_version_key.
 */
const pageOf = async (db: Db, user_id: string, after: string | undefined, limit: number): Promise<Invitation[]> => {
  const { rows } = await sql<Invitation>`
        (select id, label, created_at, expires_at, null::timestamptz as used_at, null::text as used_by, null::timestamptz as revoked_at
         from invitations where user_id = ${user_id} and id > ${after ?? ''} order by id limit ${limit})
        union all
        (select l.subject_uid, l.payload->>'label', (l.payload->>'created_at')::timestamptz, (l.payload->>'expires_at')::timestamptz,
                (l.payload->>'used_at')::timestamptz, l.payload->>'used_by',
                case when l.kind = 'invitation.revoked' then date_trunc('milliseconds', l.recorded_at) end
         from ledger l where l.user_id = ${user_id} and l.subject = 'invitation' and l.subject_uid > ${after ?? ''} and l.version = 2
         order by l.subject_uid limit ${limit})
        order by id limit ${limit}`.execute(db);
  return rows;
};

export const createInvitations = ({ db, ledger, clock, secret }: InvitationsDeps) => {
  /** @throws 422 where the invitation makes no account */
  const requireOpen = async (tx: Db, invitation: string): Promise<Row> => {
    const [user_id = '', id = '', own = ''] = partsOf(invitation, 3) ?? [];
    const row = own ? await find(tx, user_id, id) : undefined;
    if (!row || !timingSafeEqual(row.hash, digest(`invitation ${own}`))) throw refused();
    if (!isSealOf(secret, sealed(row), row.seal) || millis(row.expires_at) <= clock.millis()) throw refused();
    return row;
  };

  /** Ends an invitation in a write of whoever invited. @returns what it was */
  const end = async (
    writer: Writer,
    id: string,
    kind: 'used' | 'revoked',
    further: object,
  ): Promise<Doc | undefined> => {
    const row = await writer.tx
      .deleteFrom('invitations')
      .where('user_id', '=', writer.author.user_id)
      .where('id', '=', id)
      .returning(['id', 'label', 'created_at', 'expires_at'])
      .executeTakeFirst();
    if (row)
      writer.record({
        ...{ kind: `invitation.${kind}`, subject: 'invitation' as const, uid: id, version: 2 },
        payload: () => ({ ...row, ...further }),
      });
    return row;
  };

  return {
    requireOpen: (invitation: string) => requireOpen(db, invitation),

    /** When an invitation expires that shall be valid until `asked`. @throws 422 */
    expiryOf: (asked: string | undefined, zone: string): Instant => {
      const latest = addMinutes(clock.now(), MAX_DAYS * DAY_MINUTES);
      if (asked === undefined) return addMinutes(clock.now(), DEFAULT_DAYS * DAY_MINUTES);
      const expires_at = readTime(asked, zone, 'end');
      if (!expires_at || millis(expires_at) <= clock.millis() || millis(expires_at) > millis(latest))
        throw invalidAt('/expires_at', 'invalid_time', `must be a time within the next ${MAX_DAYS} days`);
      return expires_at;
    },

    /** @throws 409 too_many_invitations */
    make: async (author: Author, { label, expires_at }: Wanted): Promise<Doc & { invitation: string }> => {
      const { user_id } = author;
      const id = randomBytes(12).toString('hex');
      const own = randomBytes(32).toString('base64url');
      const hash = digest(`invitation ${own}`);
      const doc: Doc = { id, label: label ?? null, created_at: clock.now(), expires_at };
      await ledger.write(author, async (writer) => {
        const { tx } = writer;
        const { rows } = await sql<{ open: number }>`
          select count(*) as open from invitations where user_id = ${user_id} and expires_at > ${clock.now()}`.execute(
          tx,
        );
        if ((rows[0]?.open ?? 0) >= MAX_OPEN)
          throw problem(
            'too_many_invitations',
            `There are ${MAX_OPEN} invitations that nobody has used: revoke one first.`,
          );
        const salt = await saltOf(tx, user_id);
        const said = salt ? { ...doc, secret: attest(salt, 'invitation', hash.toString('hex')) } : doc;
        writer.record({ kind: 'invitation.created', subject: 'invitation', uid: id, version: 1, payload: () => said });
        const seal = sealOf(secret, sealed({ user_id, id, hash, expires_at: doc.expires_at }));
        await tx
          .insertInto('invitations')
          .values({ ...doc, user_id, hash, seal })
          .execute();
      });
      return { ...doc, invitation: `${user_id}.${id}.${own}` };
    },

    /**
     * Uses an invitation in one transaction with `work`, which makes the account in it: of two people who use it at the same time,
     * one makes an account.
     * @throws 422
     */
    use: async <T extends { user: { user_id: string } }>(
      invitation: string,
      work: (writer: Writer) => Promise<T>,
    ): Promise<T> => {
      const { user_id, id } = await requireOpen(db, invitation);
      const author = { user_id, actor: 'system:invitations', origin: 'system' as const };
      return ledger.write(author, async (writer) => {
        await requireOpen(writer.tx, invitation);
        const made = await work(writer);
        await end(writer, id, 'used', { used_at: clock.now(), used_by: made.user.user_id });
        return made;
      });
    },

    /** @throws 404 */
    revoke: (author: Author, id: string): Promise<{ id: string; revoked: true }> =>
      ledger.write(author, async (writer) => {
        if (!(await end(writer, id, 'revoked', {}))) throw notFound('invitation', id);
        return { id, revoked: true as const };
      }),

    list: (user_id: string, after: string | undefined, limit: number) => pageOf(db, user_id, after, limit),

    count: (user_id: string) =>
      countRows(
        db,
        sql`(select from invitations where user_id = ${user_id}
             union all select from ledger where user_id = ${user_id} and subject = 'invitation' and version = 2) i`,
      ),
  };
};

export type Invitations = ReturnType<typeof createInvitations>;
