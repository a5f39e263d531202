/** Reports the state of the service and of a user's memory, for operators and debuggers. */
import { sql } from 'kysely';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Clock } from '../common/clock.ts';
import type { DatabaseHandle } from '../db/database.ts';
import type { Caller } from '../domain/access/caller.ts';
import { verifyLedger } from '../ledger/audit.ts';
import type { Sensitive } from '../ledger/sensitive-values.ts';
import type { Projection } from '../ledger/projections.ts';
import { headSeq, resolveAsOf } from '../ledger/read-ledger.ts';
import { dumpCounts, dumpPage, type Snapshot } from './queries.ts';
import type { Dump, DumpBody, Health, Version } from './schemas.ts';

/** A database that does not answer in this time is away. The time is long because the embedded one may run a long statement. */
const TIMEOUT_MS = 3_000;

export type SystemDeps = {
  handle: DatabaseHandle;
  build: Version['build'];
  api_version: string;
  features: Version['features'];
  /** The tables that GET /debug/audit compares with the ledger. */
  projections: readonly Projection[];
  sensitive: Sensitive;
  clock: Clock;
  executor: () => Health['executor'];
  stopping: () => boolean;
};

const earliest = (times: string[]): string | null => times.toSorted()[0] ?? null;
const latest = (times: string[]): string | null => times.toSorted().at(-1) ?? null;

export const createSystemService = ({
  handle,
  build,
  api_version,
  features,
  projections,
  sensitive,
  clock,
  executor,
  stopping,
}: SystemDeps) => {
  const { db } = handle;
  let databaseVersion: string | null = null;

  const answers = async (): Promise<boolean> => {
    const late = new AbortController();
    const asked = handle.ping().then(
      () => true,
      () => false,
    );
    const answered = await Promise.race([asked, sleep(TIMEOUT_MS, false, { signal: late.signal }).catch(() => false)]);
    late.abort();
    return answered;
  };

  return {
    /** Never throws, since it also reports a database that is away. */
    health: async (): Promise<Health> => {
      const database = (await answers()) ? (handle.isReadOnly() ? 'read_only' : 'ok') : 'away';
      const status = stopping() ? 'stopping' : database === 'ok' ? 'ok' : 'unavailable';
      return { status, database, executor: executor(), clock_skew_ms: clock.state().skew_ms };
    },

    version: async (): Promise<Version> => {
      databaseVersion ??= await sql<{ v: string }>`select split_part(current_setting('server_version'), ' ', 1) as v`
        .execute(db)
        .then(
          ({ rows }) => rows[0]?.v ?? null,
          () => null,
        );
      return {
        name: 'almanac',
        api_version,
        build,
        database: { kind: handle.kind, version: databaseVersion },
        features,
      };
    },

    audit: async (caller: Caller, signal: AbortSignal) => {
      const verdict = await verifyLedger(db, caller.user_id, { projections, signal });
      const { seq } = verdict.head;
      return (await sensitive.mayVerify(caller)) ? verdict : { ...verdict, head: { seq } };
    },

    /**
     * One page of a snapshot.
     * @param position where the page before ended, and the seq of the snapshot
     * @returns `next`: the seq after which to continue, null on the last page
     */
    dump: async (
      caller: Caller,
      { task_id, type, as_of, limit }: DumpBody,
      position: { at: number; after: number } | undefined,
      signal: AbortSignal,
    ): Promise<{ dump: Dump; at: number; next: number | null }> => {
      const { user_id } = caller;
      const asker = { user_id, zone: caller.zone, now: clock.now() };
      const asked = position ? position.at : await resolveAsOf(db, asker, as_of);
      const head = await headSeq(db, user_id);
      const seq = Math.min(asked ?? head, head);
      const snapshot: Snapshot = { user_id, seq, filter: { task_id, type } };
      const { items, more } = await dumpPage(db, snapshot, position?.after ?? 0, limit);
      const counts = await dumpCounts(db, snapshot);
      const metadata: Dump['metadata'] = {
        counts: {
          total: counts.reduce((sum, c) => sum + c.count, 0),
          by_type: Object.fromEntries(counts.map((c) => [c.type, c.count])),
        },
        seq,
        ledger: { head, verified: position ? null : (await verifyLedger(db, user_id, { signal })).ok },
        oldest: earliest(counts.map((c) => c.oldest)),
        newest: latest(counts.map((c) => c.newest)),
      };
      const last = items.at(-1);
      return {
        dump: { traces: items.map((r) => r.payload), metadata },
        at: seq,
        next: more && last ? last.seq : null,
      };
    },
  };
};

export type SystemService = ReturnType<typeof createSystemService>;
