/**
 * The clock that all instances on a Postgres server share. It follows the database's time, whatever the clock of each machine
 * shows.
 */
import type { Clock, ClockState } from '../common/clock.ts';
import type { DatabaseHandle } from './database.ts';
import { createMachineClock } from './machine-clock.ts';

const SYNC_EVERY_MS = 30_000;
const RETRY_MS = 1_000;
/** One comparison asks this often, because the quickest answer bounds the offset most closely. */
const QUERIES = 5;
/** A machine's clock drifts by a few milliseconds a minute at most, so an older comparison no longer proves anything. */
const SURE_FOR_MS = 5 * 60_000;
const WARN_SKEW_MS = 1_000;

export type DatabaseClockDeps = {
  /** Returns the database's time in milliseconds since the epoch. */
  ask: () => Promise<number>;
  warn: (context: object, text: string) => void;
  /** Returns milliseconds from a clock that nobody sets. The tests bring their own. */
  monotonic?: () => number;
};

export type RunningClock = Clock & { stop: () => void };

/**
 * The database's time at the last comparison plus what a monotonic clock has counted since. The database's time is at least the
 * answered one when the answer arrives; the offset is set from that bound, so this clock is never ahead. It never goes back.
 */
export const createDatabaseClock = async ({
  ask,
  warn,
  monotonic = () => performance.now(),
}: DatabaseClockDeps): Promise<RunningClock & { sync: () => Promise<void> }> => {
  let offset = Number.NaN;
  let latest = 0;
  let comparedAt = Number.NEGATIVE_INFINITY;
  let warned = false;
  let timer: NodeJS.Timeout | undefined;
  let stopped = false;

  const millis = (): number => (latest = Math.max(latest, Math.floor(monotonic() + offset)));
  const state = (): ClockState => ({
    skew_ms: Math.round(Date.now() - millis()),
    sure: monotonic() - comparedAt < SURE_FOR_MS,
    ahead_ms: 0,
  });

  const sync = async (): Promise<void> => {
    let least = Number.NEGATIVE_INFINITY;
    let most = Number.POSITIVE_INFINITY;
    for (let i = 0; i < QUERIES; i++) {
      const asked = monotonic();
      const time = await ask();
      least = Math.max(least, time - monotonic());
      most = Math.min(most, time - asked);
    }
    if (!(offset >= least && offset <= most)) offset = least;
    comparedAt = monotonic();
    const { skew_ms } = state();
    const isOff = Math.abs(skew_ms) > WARN_SKEW_MS;
    if (isOff && !warned)
      warn({ skew_ms }, 'the clock of this machine differs from that of the database, which is used');
    warned = isOff;
  };

  const schedule = (ms: number): void => {
    if (stopped) return;
    timer = setTimeout(() => {
      sync().then(
        () => schedule(SYNC_EVERY_MS),
        () => schedule(RETRY_MS), // A failure needs no report, since callers read state().
      );
    }, ms).unref();
  };

  await sync();
  schedule(SYNC_EVERY_MS);
  return {
    now: () => new Date(millis()).toISOString(),
    millis,
    state,
    sync,
    stop: () => {
      stopped = true;
      clearTimeout(timer);
    },
  };
};

/** The clock that belongs to a database: its own on a server, that of the machine for the embedded one. */
export const openClock = async (handle: DatabaseHandle, warn: DatabaseClockDeps['warn']): Promise<RunningClock> => {
  if (handle.kind === 'embedded') return { ...createMachineClock({ warn }), stop: () => undefined };
  const ask = async (): Promise<number> => {
    const { rows } = await handle.query('select extract(epoch from clock_timestamp())::float8 * 1000 as now', []);
    return Number(rows[0]?.['now']);
  };
  return createDatabaseClock({ ask, warn });
};
