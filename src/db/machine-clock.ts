/** The clock of this machine, which somebody may set (docs/decisions.md, A clock that is set forward is in doubt). */
import { uptime } from 'node:os';
import type { Clock, ClockState } from '../common/clock.ts';

/** Where the clock moves this much more than the uptime, somebody has set it. Corrections of its drift are far smaller. */
const SET_MS = 60_000;
/** A clock that was set forward and not back for so long is believed. */
const DOUBT_MS = 5 * 60_000;

const FORWARD =
  'the clock of this machine was set forward: for five minutes no plan is executed, and entries are recorded at the time before this change. Set the clock back within that time if it is wrong';
const BACK =
  'the clock of this machine was set back: entries that were recorded at a later time keep it, and the next ones follow them by a microsecond each until the clock reaches that time';

export type MachineClockDeps = {
  warn: (context: object, text: string) => void;
  /** Return milliseconds. The uptime is set by nobody, and on most systems it counts while the machine is suspended. The tests bring their own. */
  wall?: () => number;
  steady?: () => number;
};

/**
 * The clock for the embedded database, which runs in the same process. Asking for its state compares it with the uptime; the
 * executor does so before each round.
 */
export const createMachineClock = ({
  warn,
  wall = Date.now,
  steady = () => uptime() * 1000,
}: MachineClockDeps): Clock => {
  let offset = wall() - steady();
  let ahead_ms = 0;
  let doubted = 0;
  const state = (): ClockState => {
    const at = steady();
    const by = wall() - at - offset;
    offset += by;
    if (Math.abs(by) > SET_MS) {
      ahead_ms = Math.max(0, ahead_ms + by);
      if (by > 0) doubted = at;
      warn({ by_ms: Math.round(by) }, by > 0 ? FORWARD : BACK);
    }
    if (ahead_ms <= SET_MS || at - doubted >= DOUBT_MS) ahead_ms = 0;
    return { skew_ms: 0, sure: ahead_ms === 0, ahead_ms };
  };
  return { now: () => new Date(wall()).toISOString(), millis: wall, state };
};
