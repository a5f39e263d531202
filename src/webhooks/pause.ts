/** Pauses a webhook whose deliveries fail. */
import { randomUUIDv7 } from 'node:crypto';
import { sql } from 'kysely';
import type { Clock } from '../common/clock.ts';
import { newTrace } from '../domain/record/trace.ts';
import type { Ledger } from '../ledger/ledger.ts';
import type { TraceStore } from '../ledger/trace-store.ts';
import type { Claimed } from './queries.ts';
import { hostOf, load, record } from './recorded.ts';
import type { PauseFailure } from './turn.ts';

export type PauseDeps = { ledger: Ledger; clock: Clock; traces: TraceStore };

export const createPause = ({ ledger, clock, traces }: PauseDeps) => {
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

  return { pause };
};
