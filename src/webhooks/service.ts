/** Webhooks as their routes use them: make, list, change, remove and test; and the pause that ends deliveries which always fail. */
import { randomBytes, randomUUIDv7 } from 'node:crypto';
import { sql } from 'kysely';
import type { Clock } from '../common/clock.ts';
import { invalidAt, notFound, problem } from '../common/problem.ts';
import { countRows } from '../db/count-rows.ts';
import type { Db } from '../db/database.ts';
import type { Caller, Scope } from '../domain/access/caller.ts';
import { newTrace } from '../domain/record/trace.ts';
import { addMinutes } from '../domain/time/time.ts';
import { attest, saltOf } from '../ledger/attested.ts';
import type { Ledger } from '../ledger/ledger.ts';
import type { Writer } from '../ledger/ledger-writer.ts';
import { versionsOf } from '../ledger/read-ledger.ts';
import type { TraceStore } from '../ledger/trace-store.ts';
import type { Outbound } from '../outbound/guarded-fetch.ts';
import { requireValidCredential } from '../user/api-keys.ts';
import { deliver } from './delivery.ts';
import { findWebhooks, type Claimed, type Row } from './queries.ts';
import { MAX_WEBHOOKS, type Delivery, type NewWebhook, type Webhook, type WebhookEdit } from './schemas.ts';
import type { PauseFailure } from './sender.ts';

export type WebhooksDeps = {
  reads: Db;
  ledger: Ledger;
  traces: TraceStore;
  clock: Clock;
  outbound: Outbound;
};

/** What the ledger shows of a webhook: of its URL, which may contain a secret, only the host and a digest (ledger/attested.ts). */
type Recorded = Pick<Webhook, 'id' | 'types' | 'description' | 'scopes' | 'status' | 'created_at'>;
type WebhookDoc = Recorded & { host: string };

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
const hostOf = (url: string): string => new URL(url).host;
const docOf = ({
  id,
  url,
  types,
  description,
  scopes,
  status,
  created_at,
}: Recorded & { url: string }): WebhookDoc => ({
  ...{ id, host: hostOf(url), types, description, scopes, status, created_at },
});

export const createWebhooks = ({ reads, ledger, traces, clock, outbound }: WebhooksDeps) => {
  const checkUrl = (url: string, path: string): void => {
    const fault = outbound.faultOf(url);
    if (fault !== null) throw invalidAt(path, 'url_refused', fault);
  };

  const load = async (from: Db, user_id: string, id: string): Promise<Row> => {
    const [row] = await findWebhooks(from, user_id, { id });
    if (!row) throw notFound('webhook', id);
    return row;
  };

  /** Records a version. Its number follows the last one in the ledger. @returns the seq of the entry */
  const record = async (
    writer: Writer,
    what: 'created' | 'updated' | 'removed',
    webhook: Recorded & { url: string },
  ): Promise<number> => {
    const salt = await saltOf(writer.tx, writer.author.user_id);
    const doc = { ...docOf(webhook), ...(salt ? { address: attest(salt, 'webhook', webhook.url) } : {}) };
    const { items } =
      what === 'created'
        ? { items: [] }
        : await versionsOf(writer.tx, writer.author.user_id, 'webhook', doc.id, { limit: 1 });
    const version = (items[0]?.version ?? 0) + 1;
    let at = 0;
    writer.record({
      ...{ kind: `webhook.${what}`, subject: 'webhook', uid: doc.id, version },
      payload: ({ seq }) => {
        at = seq;
        return doc;
      },
    });
    return at;
  };

  const make = async (caller: Caller, wanted: NewWebhook): Promise<Webhook & { secret: string }> => {
    const { url, types = null, description = null } = wanted;
    checkUrl(url, '/url');
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
        id,
        url,
        types,
        description,
        scopes,
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
  const update = (caller: Caller, { id, updates }: WebhookEdit): Promise<Webhook> => {
    if (updates.url !== undefined) checkUrl(updates.url, '/updates/url');
    return ledger.write(caller, async (writer) => {
      const { user_id } = caller;
      const from = await load(writer.tx, user_id, id);
      const given = Object.fromEntries(Object.entries(updates).filter(([, value]) => value !== undefined));
      if (!Object.keys(given).length) return shown(from);
      await requireValidCredential(writer.tx, caller);
      const to: Webhook = { ...shown(from), ...given, scopes: scopesFor(caller) };
      await record(writer, 'updated', to);
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
      await record(writer, 'updated', row);
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

  /** Sends a message of the type webhook.test at once, whatever the state of the webhook. */
  const test = async (caller: Caller, id: string, signal: AbortSignal): Promise<Delivery> => {
    const webhook = await load(reads, caller.user_id, id);
    const session = outbound.session(webhook.url);
    const message = {
      specversion: '1.0',
      id: `${caller.user_id}:test:${randomUUIDv7()}`,
      source: `/ledger/${encodeURIComponent(caller.user_id)}`,
      ...{ type: 'webhook.test', subject: id, time: clock.now(), data: {} },
    };
    const outgoing = { id: message.id, type: message.type, text: JSON.stringify(message) };
    try {
      return (await deliver(session, { secrets: webhook, attempt: 1, clock, signal }, outgoing)).delivery;
    } finally {
      session.close();
    }
  };

  /**
   * Pauses a webhook whose deliveries have failed for too long, and leaves a trace that says so. @returns false where the claim
   * was lost meanwhile
   */
  const pause = (webhook: Claimed, claim: string, failure: PauseFailure): Promise<boolean> => {
    const { user_id, id, description, url } = webhook;
    const { seq, log, failures, failing_since, reason } = failure;
    const author = { user_id, actor: 'system:webhooks', origin: 'system' as const };
    return ledger.write(author, async (writer) => {
      const { rows } = await sql`
        update webhooks set status = 'paused', paused_reason = ${reason}, seq = ${seq}, log = ${JSON.stringify(log)}, failures = ${failures},
          failing_since = ${failing_since}, retry_at = null, claim = null, claimed_until = null, updated_at = ${clock.now()}
        where user_id = ${user_id} and id = ${id} and claim = ${claim} and status = 'active' returning 1`.execute(
        writer.tx,
      );
      if (!rows.length) return false;
      await record(writer, 'updated', await load(writer.tx, user_id, id));
      const name = description === null ? hostOf(url) : `“${description}” (${hostOf(url)})`;
      const content = `The webhook ${name} is paused. ${reason} No change is lost: it continues where it stopped when you set its status to active.`;
      const trace = { uid: randomUUIDv7(), user_id, type: 'observation', content, timestamp: clock.now() };
      await traces.insert(writer, [{ trace: newTrace({ ...trace, origin: 'system', metadata: { webhook_id: id } }) }]);
      return true;
    });
  };

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
