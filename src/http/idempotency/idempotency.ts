/**
 * Answers a repeated Idempotency-Key with the first answer, which is kept for 24 hours (docs/decisions.md, Idempotency by claim).
 * The ledger marks the effect in its own transaction, so that a crash between effect and answer can be distinguished from a
 * request that had no effect.
 */
import { hash, randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import type { Clock } from '../../common/clock.ts';
import type { Db } from '../../db/database.ts';
import type { Claim } from '../../domain/access/caller.ts';
import { canonicalJson } from '../../domain/record/canonical-json.ts';
import { addMinutes, type Instant } from '../../domain/time/time.ts';
import { problem } from '../../common/problem.ts';

export type KeptAnswer = { status: number; headers: Record<string, string>; body: unknown };

const KEPT_MINUTES = 24 * 60;
/**
 * A request without an effect after this time counts as ended by a crash, and may be tried again. If it was only slow, the ledger
 * still lets only the try that holds the claim have the effect.
 */
const ABANDONED_MINUTES = 0.5;
/** An answer that is not there this long after its effect is lost. */
const PAUSE_MS = 50;
const PAUSES = 10;

/** The hash covers what the caller may see, because a kept answer shows what its first caller was allowed to see. */
export const requestHash = (
  method: string,
  path: string,
  query: unknown,
  body: unknown,
  scopes: ReadonlySet<string>,
): Buffer => {
  const reader = scopes.has('export:sensitive') ? '' : ' blind';
  const content = body instanceof Uint8Array ? hash('sha256', body) : (body ?? null);
  return Buffer.from(hash('sha256', `${method} ${path}${reader}\n${canonicalJson([query ?? null, content])}`), 'hex');
};

export const createIdempotency = ({ db, clock }: { db: Db; clock: Clock }) => {
  /** @returns the claim, or null where another request holds it */
  const take = async (user_id: string, key: string, request_hash: Buffer, now: Instant): Promise<string | null> => {
    const claim = randomUUID();
    // The commit does not wait for the disk, which saves 1.1 ms of 3: the effect's commit waits for it, and everything written
    // before is then on disk too. A key may be used again after its day, or when its request died without an effect.
    // The setting is one of the values, because Citus does not plan an insert from a select of parameters.
    const { rows } = await sql`
      insert into idempotency_keys as k (user_id, key, claim, request_hash, created_at)
      values (${user_id}, ${key}, ${claim}, ${request_hash},
              case when set_config('synchronous_commit', 'off', true) is not null then ${now}::timestamptz end)
      on conflict (user_id, key) do update
        set claim = excluded.claim, request_hash = excluded.request_hash, created_at = excluded.created_at, effect_seq = null, answer = null
        where k.created_at < ${addMinutes(now, -KEPT_MINUTES)}
           or (k.answer is null and k.effect_seq is null and k.request_hash = excluded.request_hash
               and k.created_at < ${addMinutes(now, -ABANDONED_MINUTES)})
      returning k.key`.execute(db);
    return rows.length ? claim : null;
  };

  const read = (user_id: string, key: string) =>
    db
      .selectFrom('idempotency_keys')
      .select(['request_hash', 'answer', 'effect_seq'])
      .where('user_id', '=', user_id)
      .where('key', '=', key)
      .executeTakeFirst();

  return {
    /**
     * Claims the key. @returns the claim under which the request runs, or the first answer to replay
     * @throws 422 when the key was used for another request, 409 while the first request still runs or when its answer is lost
     */
    begin: async (user_id: string, key: string, request_hash: Buffer): Promise<string | KeptAnswer> => {
      const claim = await take(user_id, key, request_hash, clock.now());
      if (claim) return claim;
      let row = await read(user_id, key);
      // The first request stores its answer right after its effect, so a repetition can come in between.
      const isAnswerDue = () => row?.effect_seq && !row.answer && row.request_hash.equals(request_hash);
      for (let pauses = 0; isAnswerDue() && pauses < PAUSES; pauses++) {
        await sleep(PAUSE_MS);
        row = await read(user_id, key);
      }
      if (row && !row.request_hash.equals(request_hash))
        throw problem(
          'idempotency_mismatch',
          'This Idempotency-Key was already used for another request. Send a new key.',
        );
      if (row?.answer?.body === SECRET)
        throw problem(
          'idempotency_secret',
          'The request has already taken effect. Its answer contained a secret, which is shown only once. If the secret is lost, revoke it and make another.',
        );
      if (row?.answer) return row.answer;
      if (row?.effect_seq)
        throw problem(
          'idempotency_interrupted',
          `The first request took effect from seq ${row.effect_seq} on, but its answer was lost. Of several items, some may be missing. Read what it did from /agent/changes?after=${row.effect_seq - 1}, then send the rest with another key.`,
          { seq: row.effect_seq },
        );
      throw problem(
        'idempotency_running',
        'The first request with this Idempotency-Key is still running. Repeat the request in a moment.',
      );
    },

    finish: async (user_id: string, { key, claim }: Claim, answer: KeptAnswer): Promise<void> => {
      await db
        .updateTable('idempotency_keys')
        .set({ answer: JSON.stringify(answer) })
        .where('user_id', '=', user_id)
        .where('key', '=', key)
        .where('claim', '=', claim)
        .execute();
    },

    /** Frees the key after a failure that changed nothing, so that the client may repeat the request. */
    abandon: async (user_id: string, { key, claim }: Claim): Promise<void> => {
      await db
        .deleteFrom('idempotency_keys')
        .where('user_id', '=', user_id)
        .where('key', '=', key)
        .where('claim', '=', claim)
        .where('effect_seq', 'is', null)
        .where('answer', 'is', null)
        .execute();
    },

    /** Deletes keys that are older than a day. */
    sweep: async (): Promise<void> => {
      await db
        .deleteFrom('idempotency_keys')
        .where('created_at', '<', addMinutes(clock.now(), -KEPT_MINUTES))
        .execute();
    },
  };
};

/** Replaces a secret in the answer that is kept. */
export const SECRET = 'shown once';

export type Idempotency = ReturnType<typeof createIdempotency>;
