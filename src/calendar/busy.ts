/** Busy time in a window: by event, or as the stretches of time that are taken. */
import type { Db } from '../db/database.ts';
import { mergeSpans, toInterval, toSpan, type Span } from '../domain/time/spans.ts';
import type { Interval } from '../domain/time/time.ts';
import { LOOK, MAX_STRETCHES, tooMany } from './calendar-bounds.ts';
import { busySingles, busySpans, seriesIn, type Busy } from './queries.ts';
import type { EventResource } from './schemas.ts';
import { inOrder, isTaken, type Happened } from './timeline.ts';
import { runYielding } from '../common/yielding.ts';

/** Busy happenings of series, in order. */
function* takenBy(series: readonly EventResource[], window: Span): Generator<Happened<EventResource> | undefined> {
  for (const one of inOrder(series, () => ({ window })))
    yield one && isTaken(one.event, one.happening) ? one : undefined;
}

/** A stretch of time that several events take, which of them is not told. */
const stretch = (span: Span): Busy => ({ ...toInterval(span), uid: '', title: '', plan_uid: null, task_id: null });

const busyOf = ({ event, happening }: Happened<EventResource>): Busy => ({
  ...toInterval([happening.start, happening.end]),
  title: (happening.override ?? event).title,
  uid: event.uid,
  plan_uid: event.yields ? event.plan_uid : null,
  task_id: event.task_id,
});

/** Those of `apart` by themselves, the others as stretches; both by time. */
function* gathered(
  series: readonly EventResource[],
  window: Span,
  isApart: (uid: string) => boolean,
): Generator<undefined, { apart: Busy[]; stretches: Span[] }> {
  const apart: Busy[] = [];
  const stretches: [number, number][] = [];
  let last: [number, number] | undefined;
  for (const one of takenBy(series, window)) {
    yield;
    if (!one) continue;
    const { start, end } = one.happening;
    if (isApart(one.event.uid)) apart.push(busyOf(one));
    else if (last && start <= last[1]) last[1] = Math.max(last[1], end);
    else stretches.push((last = [start, end]));
    if (apart.length + stretches.length > MAX_STRETCHES) throw tooMany();
  }
  return { apart, stretches };
}

const bounded = <T>(list: T[]): T[] => {
  if (list.length > MAX_STRETCHES) throw tooMany();
  return list;
};

/** All busy time in a window, merged; `except` names uids to leave out. @throws 422 too_many_occurrences */
export const busyStretches = async (
  db: Db,
  user_id: string,
  window: Interval,
  except: readonly string[] = [],
): Promise<Span[]> => {
  const singles = await busySpans(db, user_id, window, except, MAX_STRETCHES + 1);
  const series = (await seriesIn(db, user_id, window)).filter(({ uid }) => !except.includes(uid));
  const { stretches } = await runYielding(
    gathered(series, toSpan(window), () => false),
    LOOK,
  );
  return bounded(mergeSpans([...bounded(singles), ...stretches]));
};

const byStart = (a: Interval, b: Interval): number => (a.start < b.start ? -1 : Number(a.start > b.start));

/**
 * Busy time of events and occurrences overlapping the window, by time; `except` names uids to leave out. With `apart` only
 * these events are told by themselves: of the others the stretches they take, with an empty uid.
 * @throws 422 too_many_occurrences
 */
export const busyTime = async (
  db: Db,
  user_id: string,
  window: Interval,
  { except = [], apart }: { except?: readonly string[] | undefined; apart?: readonly string[] | undefined } = {},
): Promise<Busy[]> => {
  const told = apart && new Set(apart);
  const others = told ? await busySpans(db, user_id, window, [...except, ...told], MAX_STRETCHES + 1) : [];
  const isNone = told?.size === 0;
  const singles = isNone ? [] : await busySingles(db, user_id, window, told ? { except, only: [...told] } : { except });
  const series = (await seriesIn(db, user_id, window)).filter(({ uid }) => !except.includes(uid));
  const found = await runYielding(
    gathered(series, toSpan(window), (uid) => told?.has(uid) ?? true),
    LOOK,
  );
  const stretches = mergeSpans([...bounded(others), ...found.stretches]);
  return [...stretches.map(stretch), ...singles, ...found.apart].sort(byStart);
};

/** Events told of what is in the way. */
const MOST_TOLD = 20;

/** What of a calendar lies in the way of some times, by time; both are busy. At most 20 are told. */
export const inTheWay = async (
  db: Db,
  user_id: string,
  times: readonly Span[],
  except: string | null,
): Promise<Busy[]> => {
  const [first, last] = [times[0], times.at(-1)];
  if (!first || !last) return [];
  const span: Span = [first[0], last[1]];
  let at = 0;
  const isInTheWay = (start: number, end: number): boolean => {
    while ((times[at]?.[1] ?? Infinity) <= start) at += 1;
    return (times[at]?.[0] ?? Infinity) < end;
  };
  const window = toInterval(span);
  const singles = (await busySingles(db, user_id, window, { except: except === null ? [] : [except] })).filter((one) =>
    isInTheWay(...toSpan(one)),
  );
  const series = (await seriesIn(db, user_id, window)).filter(({ uid }) => uid !== except);
  at = 0;
  function* found(): Generator<undefined, Busy[]> {
    const all: Busy[] = [];
    for (const one of takenBy(series, span)) {
      yield;
      if (one && isInTheWay(one.happening.start, one.happening.end)) all.push(busyOf(one));
      if (all.length === MOST_TOLD) break;
    }
    return all;
  }
  return [...singles, ...(await runYielding(found(), LOOK))].sort(byStart).slice(0, MOST_TOLD);
};
