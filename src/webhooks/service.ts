/** Webhooks as their routes use them: make, list, change, remove and test; and the pause that ends deliveries which always fail. */
import { randomBytes, randomUUIDv7 } from 'node:crypto';
import { sql } from 'kysely';
import type { Clock } from '../common/clock.ts';
import { invalidAt, problem } from '../common/problem.ts';
import { countRows } from '../db/count-rows.ts';
import type { Db } from '../db/database.ts';
import type { Caller, Scope } from '../domain/access/caller.ts';
import { addMinutes } from '../domain/time/time.ts';
import type { Ledger } from '../ledger/ledger.ts';
import type { TraceStore } from '../ledger/trace-store.ts';
import type { Outbound } from '../outbound/guarded-fetch.ts';
import { requireValidCredential } from '../user/api-keys.ts';
import { findWebhooks, type Row } from './queries.ts';
import { MAX_WEBHOOKS, type Delivery, type NewWebhook, type Webhook, type WebhookEdit } from './schemas.ts';
import { createPause } from './pause.ts';
import { load, record } from './recorded.ts';
import { createTestDelivery } from './test-delivery.ts';

export type WebhooksDeps = {
  reads: Db;
  ledger: Ledger;
  traces: TraceStore;
  clock: Clock;
  outbound: Outbound;
};

const READING: Scope[] = ['plan:read', 'memory:read', 'calendar:read'];
const PASSED_ON: Scope[] = [...READING, 'export:sensitive'];

/** What a webhook receives: what the credential may read that makes or changes it. @throws 403 where that is nothing */
const scopesFor = ({ scopes }: Caller): Scope[] => {
  if (!READING.some((scope) => scopes.has(scope)))
    throw problem(
      'insufficient_scope',
      `A webhook receives what this credential may read, which is nothing. The credential needs ${READING.join(', ')} or some of them.`,
      { missing: READING },
    );
  return PASSED_ON.filter((scope) => scopes.has(scope));
};

const shown = ({ secret: _secret, previous_secret: _previous, log: _log, ...webhook }: Row): Webhook => webhook;
const newSecret = (): string => `whsec_${randomBytes(32).toString('base64')}`;

/** For so long the previous secret signs beside the new one. */
const ROTATION_HOURS = 24;
export const createWebhooks = ({ reads, ledger, traces, clock, outbound }: WebhooksDeps) => {
  const checkUrl = async (url: string, path: string): Promise<void> => {
    const fault = await outbound.faultOf(url);
    if (fault !== null) throw invalidAt(path, 'url_refused', fault);
  };

  const make = async (caller: Caller, wanted: NewWebhook): Promise<Webhook & { secret: string }> => {
    const { url, types = null, description = null } = wanted;
    await checkUrl(url, '/url');
    const scopes = scopesFor(caller);
    const secret = newSecret();
    const { user_id } = caller;
    const id = randomUUIDv7();
    return ledger.write(caller, async (writer) => {
      await requireValidCredential(writer.tx, caller);
      const { rows } = await sql<{ count: number }>`
        select count(*) as count from webhooks where user_id = ${user_id}`.execute(writer.tx);
      if ((rows[0]?.count ?? 0) >= MAX_WEBHOOKS)
        throw problem('too_many_webhooks', `A user has at most ${MAX_WEBHOOKS} webhooks. Remove one first.`);
      const now = clock.now();
      const seq = await record(writer, 'created', {
        ...{ id, url, secret, types, description, scopes },
        status: 'active',
        created_at: now,
      });
      await sql`
        insert into webhooks (user_id, id, url, secret, types, description, scopes, status, seq, created_at, updated_at)
        values (${user_id}, ${id}, ${url}, ${secret}, ${types}, ${description}, ${scopes}, 'active', ${seq}, ${now}, ${now})`.execute(
        writer.tx,
      );
      await writer.flush();
      return { ...shown(await load(writer.tx, user_id, id)), secret };
    });
  };

  /**
   * Changes a webhook. From then on it receives what this credential may read, so that nobody can send themselves more than
   * that. A sender that works on it loses its claim, and the next one begins with the new values.
   */
  const update = async (caller: Caller, { id, updates }: WebhookEdit): Promise<Webhook> => {
    if (updates.url !== undefined) await checkUrl(updates.url, '/updates/url');
    return ledger.write(caller, async (writer) => {
      const { user_id } = caller;
      const from = await load(writer.tx, user_id, id);
      const given = Object.fromEntries(Object.entries(updates).filter(([, value]) => value !== undefined));
      if (!Object.keys(given).length) return shown(from);
      await requireValidCredential(writer.tx, caller);
      const to: Webhook = { ...shown(from), ...given, scopes: scopesFor(caller) };
      await record(writer, 'updated', { ...to, secret: from.secret });
      await sql`
        update webhooks set url = ${to.url}, types = ${to.types}, description = ${to.description}, scopes = ${to.scopes}, status = ${to.status},
          paused_reason = null, failures = 0, failing_since = null, retry_at = null, claim = null, claimed_until = null,
          updated_at = ${clock.now()}
        where user_id = ${user_id} and id = ${id}`.execute(writer.tx);
      await writer.flush();
      return shown(await load(writer.tx, user_id, id));
    });
  };

  /** Makes a new secret. A sender that works on the webhook loses its claim, so that the next message has both signatures. */
  const rotateSecret = (caller: Caller, id: string): Promise<Webhook & { secret: string }> =>
    ledger.write(caller, async (writer) => {
      const { user_id } = caller;
      await requireValidCredential(writer.tx, caller);
      const row = await load(writer.tx, user_id, id);
      const secret = newSecret();
      await record(writer, 'updated', { ...row, secret });
      await sql`
        update webhooks set secret = ${secret}, previous_secret = secret,
          previous_until = ${addMinutes(clock.now(), ROTATION_HOURS * 60)}, claim = null, claimed_until = null,
          updated_at = ${clock.now()}
        where user_id = ${user_id} and id = ${id}`.execute(writer.tx);
      await writer.flush();
      return { ...shown(await load(writer.tx, user_id, id)), secret };
    });

  const remove = (caller: Caller, id: string): Promise<{ id: string; removed: true }> =>
    ledger.write(caller, async (writer) => {
      const row = await load(writer.tx, caller.user_id, id);
      await sql`delete from webhooks where user_id = ${caller.user_id} and id = ${id}`.execute(writer.tx);
      await record(writer, 'removed', row);
      return { id, removed: true };
    });

  const { test } = createTestDelivery({ reads, outbound, clock });
  const { pause } = createPause({ ledger, clock, traces });
  return {
    make,
    update,
    rotateSecret,
    remove,
    test,
    pause,
    list: async (user_id: string, after: string | undefined, limit: number): Promise<Webhook[]> =>
      (await findWebhooks(reads, user_id, { after, limit })).map(shown),
    count: (user_id: string) => countRows(reads, sql`webhooks where user_id = ${user_id}`),
    /** The newest attempts, newest first. */
    deliveries: async (user_id: string, id: string): Promise<Delivery[]> =>
      (await load(reads, user_id, id)).log.toReversed(),
  };
};

export type Webhooks = ReturnType<typeof createWebhooks>;
