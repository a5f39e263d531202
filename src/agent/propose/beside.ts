/** Reads what proposals are judged beside: the busy time around them, and the plans that limits count. */
import type { CalendarService } from '../../calendar/service.ts';
import type { Clock } from '../../common/clock.ts';
import type { Db } from '../../db/database.ts';
import type { LimitCounts } from '../../domain/plan/limits.ts';
import { mergeSpans, toInterval, toSpan, type Span } from '../../domain/time/spans.ts';
import { addMinutes, instantOf, millis, type Interval } from '../../domain/time/time.ts';
import type { Reading } from '../../ledger/ledger-writer.ts';
import { countingFor, limitCounts } from '../place/counted-plans.ts';
import { CHECKED_DAYS, countedOccurrences, repeatingOf } from '../place/plan-series.ts';
import { wantedTimes } from '../queries.ts';
import { HORIZON_MINUTES, needsSlot, windowOf, type Proposal, type Situation } from './proposal.ts';

export type BesideDeps = { clock: Clock; calendar: CalendarService };

/** Busy time with the uid of its event, or '' where it has none. */
export type Busy = Interval & { uid: string };

export const createBeside = ({ clock, calendar }: BesideDeps) => {
  /** Busy time near the times of the proposals and where they search for a slot, without the years between. */
  const busyAround = async (db: Db, user_id: string, proposals: Proposal[]): Promise<Busy[]> => {
    const now = clock.now();
    const windows = proposals.filter(needsSlot).flatMap((p) => {
      const ahead = p.rrule == null && !p.following ? 0 : CHECKED_DAYS * 24 * 60;
      const start =
        p.scheduled_for && millis(p.scheduled_for) > millis(now) ? p.scheduled_for : (p.between?.start ?? now);
      const end = p.between && !p.scheduled_for ? p.between.end : start;
      return [
        { start: now, end: addMinutes(now, 2 * HORIZON_MINUTES) },
        { start, end: addMinutes(end, ahead + 2 * HORIZON_MINUTES) },
      ];
    });
    // An event may overlap its own old time, so the busy time of target events is listed by event.
    const apart = proposals.flatMap((p) => p.target_event_uid ?? []);
    let busy: Busy[] = [];
    for (const window of mergeSpans(windows.map(toSpan)).map(toInterval))
      busy = busy.concat(await calendar.inTransaction.busy(db, user_id, window, { apart }));
    return busy;
  };

  /** The times that waiting proposals want where these search for one. Nothing is read where all name theirs. */
  const wantedAround = async (db: Db, user_id: string, proposals: Proposal[]): Promise<Span[]> => {
    const now = clock.now();
    const windows = proposals
      .filter((p) => needsSlot(p) && p.scheduled_for === null && p.rrule == null)
      .map((p) => windowOf(p, now));
    let wanted: Span[] = [];
    for (const window of mergeSpans(windows.map(toSpan)).map(toInterval))
      wanted = wanted.concat(await wantedTimes(db, user_id, window));
    return wanted;
  };

  /**
   * Counts the plans beside which limits are checked, up to the last occurrence that a proposal may have. Nothing is read where
   * no limit binds.
   */
  const countedBeside = async (
    { tx, author }: Reading,
    proposals: Proposal[],
    situation: Situation,
  ): Promise<LimitCounts | null> => {
    const of = countingFor(author.origin, situation);
    if (!of) return null;
    const now = clock.now();
    const lasts = proposals.flatMap((p) => {
      const at = p.scheduled_for ?? p.between?.end;
      const series = repeatingOf({ ...p, scheduled_for: at ?? now });
      const end = series ? countedOccurrences(series).at(-1)?.[1] : undefined;
      return [at ?? [], end === undefined ? [] : addMinutes(instantOf(end), HORIZON_MINUTES)].flat();
    });
    const last = lasts.reduce((at, one) => (millis(one) > millis(at) ? one : at), addMinutes(now, 2 * HORIZON_MINUTES));
    return limitCounts(tx, author.user_id, of, { start: now, end: last });
  };

  return { busyAround, wantedAround, countedBeside };
};
