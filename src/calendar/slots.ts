/** Finds free slots, and free and busy time. */
import type { Clock } from '../common/clock.ts';
import type { Db } from '../db/database.ts';
import type { Caller } from '../domain/access/caller.ts';
import { learnedWeight } from '../domain/plan/tempo-learning.ts';
import { findSlots, refusal, whyNone } from '../domain/plan/slots.ts';
import { intersectSpans, subtractSpans, toInterval, toSpan, type Span } from '../domain/time/spans.ts';
import { durationFor, tempoWindows } from '../domain/plan/tempo.ts';
import { addMinutes, type Interval } from '../domain/time/time.ts';
import { busyStretches } from './busy.ts';
import type { FreeBusyQuery, SlotsQuery } from './schemas.ts';
import type { InTransactionDeps } from './in-transaction.ts';
import type { Asked, WindowRule } from './asked-window.ts';

export type SlotsDeps = {
  tempo: InTransactionDeps['tempo'];
  windowOf: (caller: Caller, query: Asked & { timezone?: string | undefined }, rule: WindowRule) => Interval;
  db: Db;
  clock: Clock;
};

/** An answer lists at most this many unusable parts of a window; a year of a full calendar has tens of thousands. */
const MAX_REJECTED = 100;

/** Two years with a leap day each, and the day that a bare date as the end adds. */
export const TWO_YEARS: WindowRule = { days: 30, most: 2 * 366 + 1, mostText: '2 years' };

const A_YEAR: WindowRule = { days: 7, most: 367, mostText: 'a year' };

export const createSlots = ({ tempo, windowOf, db, clock }: SlotsDeps) => {
  const slots = async (caller: Caller, query: SlotsQuery) => {
    const profile = await tempo.profileOf(caller.user_id);
    const window = windowOf(caller, query, A_YEAR);
    const subject = { tempo_tag: query.tempo_tag, task_id: query.task_id };
    const { minutes, reason } = durationFor(profile, {
      ...subject,
      action_type: 'schedule',
      asked: query.duration_minutes,
    });
    const around = {
      start: addMinutes(window.start, -query.buffer_minutes),
      end: addMinutes(window.end, query.buffer_minutes),
    };
    const weight = profile.use_learned
      ? { weight: learnedWeight(profile.learned, { tag: query.tempo_tag, action_type: 'schedule' }, profile.timezone) }
      : {};
    const answer = findSlots({
      window,
      duration_minutes: minutes,
      busy: await busyStretches(db, caller.user_id, around),
      windows: tempoWindows(profile, subject, window),
      wider: tempoWindows(profile, {}, window),
      now: clock.now(),
      buffer_minutes: query.buffer_minutes,
      notice_minutes: query.notice_minutes,
      zone: profile.timezone,
      limit: query.limit,
      ...weight,
    });
    const found = answer.slots.map(({ start, end, duration_minutes, reasons }) => ({
      start,
      end,
      duration_minutes,
      reasons: [...reasons, reason],
    }));
    if (found.length) return { slots: found, why: null, rejected: [], rejected_count: 0 };
    const { refused } = answer;
    return {
      slots: [],
      why: whyNone(refused, minutes).detail,
      rejected: refused.slice(0, MAX_REJECTED).map(refusal),
      rejected_count: refused.length,
    };
  };

  const freebusy = async (caller: Caller, query: FreeBusyQuery) => {
    const window = windowOf(caller, query, TWO_YEARS);
    const whole: Span[] = [toSpan(window)];
    const busy = intersectSpans(whole, await busyStretches(db, caller.user_id, window));
    return { ...window, busy: busy.map(toInterval), free: subtractSpans(whole, busy).map(toInterval) };
  };

  return { slots, freebusy };
};
