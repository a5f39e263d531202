/** Alterations: what the times and lengths said of an event or proposal change about it. */
import { slotArguments, timeFields, type Work } from './build.ts';
import { compareDays } from './time/calendar.ts';
import type { Day, Facet, Length } from './facet.ts';
import { isLeftOut } from './time/except.ts';
import { gather, type Gathered } from './gather.ts';
import type { Act } from './verbs.ts';
import { PARTS } from './time/make-parts.ts';
import type { Target } from './targets.ts';
import type { Intent } from './types.ts';
import { place, type Slot, todayOf, wallInstant } from './when.ts';
import { type Instant, instantOf, localDate, millis, minutesBetween, zoned } from '../time/time.ts';
import { lengthName, timeName } from '../time/say.ts';

export type Fields = Partial<
  Pick<Intent, 'scheduled_for' | 'between' | 'part_of_day' | 'avoid' | 'duration_minutes' | 'duration_delta_minutes'>
> & { arguments?: Intent['arguments'] };
export type Change = { fields: Fields } | { ask: string };

/** An edge said as a goal is the goal: 'postpone it until Friday'. */
const asGoal = (facet: Facet): Facet => {
  if (facet.kind !== 'edge') return facet;
  if (facet.said) return { kind: 'days', days: [facet.said] };
  return facet.period ? { kind: 'period', from: facet.period[0], to: facet.period[1] } : facet;
};

const shiftSign = (way: string, act: Act): 1 | -1 =>
  way === 'earlier' || way === 'shorter' || (way === 'by' && (act === 'earlier' || act === 'shorten')) ? -1 : 1;

const shifted = (target: Target, length: Length, sign: 1 | -1, work: Work): Change => {
  const { now, zone } = work.context;
  if (!target.scheduled_for) return { ask: `“${target.title}” has no time yet. When should it be?` };
  const local = zoned(target.scheduled_for, zone);
  const at = instantOf(sign > 0 ? local.add(length) : local.subtract(length));
  if (millis(at) <= millis(now))
    return { ask: `“${target.title}” would then be on ${timeName(at, zone, now)}, which is over. When should it be?` };
  return { fields: { scheduled_for: at } };
};

const lengthened = (target: Target, delta: number): Change => {
  if (delta === 0) return { ask: `By how much should I change “${target.title}”?` };
  if (target.duration_minutes !== undefined && target.duration_minutes + delta < 1)
    return {
      ask: `“${target.title}” lasts ${lengthName(target.duration_minutes)}; nothing would be left. How long should it be?`,
    };
  return { fields: { duration_delta_minutes: delta } };
};

const minutesOf = (length: Length): number => length.minutes ?? 0;

/** Only a day was named, or 'the same time' in a period: it keeps its time of day. */
const keepsHour = (g: Gathered, same: boolean): boolean =>
  (g.days?.length === 1 || (same && g.period !== undefined)) &&
  !g.clocks &&
  !g.hours &&
  !g.part &&
  !g.whole &&
  !g.instant &&
  !g.every &&
  !g.count;

/** Of the coming such weekdays the one nearest to the event: who moves Monday's call 'to Tuesday' means the day after. */
const nearest = ({ date }: Day, own: Temporal.PlainDate): Temporal.PlainDate => {
  const away = Math.round(date.until(own, { largestUnit: 'day' }).days / 7);
  return away > 0 ? date.add({ weeks: away }) : date;
};

const onDay = (target: Target, g: Gathered, work: Work): Change => {
  const { now, zone } = work.context;
  const local = zoned(target.scheduled_for!, zone);
  const minutes = local.hour * 60 + local.minute;
  const day = g.days?.[0] ?? {
    date: g.period!.from.add({ days: (local.dayOfWeek - g.period!.from.dayOfWeek + 7) % 7 }),
  };
  let at = wallInstant(day.bare ? nearest(day, local.toPlainDate()) : day.date, { minutes }, zone);
  const current = day.weekday === local.dayOfWeek && day.roll && (day.bare || day.date.equals(local.toPlainDate()));
  if (day.roll && (current || millis(at) <= millis(now)))
    at = wallInstant((day.bare ? nearest(day, local.toPlainDate()) : day.date).add(day.roll), { minutes }, zone);
  if (millis(at) <= millis(now))
    return { ask: `${timeName(at, zone, now)} is already over. When should “${target.title}” be?` };
  return { fields: { scheduled_for: at } };
};

const slotChange = (slot: Slot, g: Gathered): Change => {
  const minutes = slot.minutes ?? g.duration;
  const extra = slotArguments(slot);
  return {
    fields: {
      ...timeFields(slot),
      ...(minutes !== undefined && { duration_minutes: minutes }),
      ...(Object.keys(extra).length > 0 && { arguments: extra }),
    },
  };
};

/** What was said of a target. `toLength`: a length behind 'to' ('to 30 minutes'); `same`: 'at the same time'. */
export type Said = { facets: readonly Facet[]; act: Act; toLength: boolean; same?: boolean };

const whenAsk = ({ title }: Target): Change => ({ ask: `When should “${title}” be instead?` });

/** 'shorten it by 15 minutes', 'extend it to an hour', 'extend it until 17:00'. */
const resized = (target: Target, g: Gathered, { act, toLength }: Said, work: Work): Change => {
  if (g.duration === undefined) return untilClock(target, g, work);
  if (toLength) return { fields: { duration_minutes: g.duration } };
  return lengthened(target, act === 'shorten' ? -g.duration : g.duration);
};

/** Amounts without a time: 'push it half an hour', 'change it to 45 minutes'. */
const byAmount = (target: Target, g: Gathered, { act, toLength }: Said, work: Work): Change => {
  const moves = act === 'later' || act === 'earlier';
  const sign = act === 'earlier' ? -1 : 1;
  if (g.duration !== undefined && moves && !toLength) return shifted(target, { minutes: g.duration }, sign, work);
  if (g.duration !== undefined) return { fields: { duration_minutes: g.duration } };
  return g.span && moves ? shifted(target, g.span, sign, work) : whenAsk(target);
};

/** 'an hour earlier', 'an hour earlier and 30 minutes', '10 minutes longer'. */
const byShift = (
  target: Target,
  { length, way }: NonNullable<Gathered['shift']>,
  { act, duration }: { act: Act; duration: number | undefined },
  work: Work,
): Change => {
  const sign = shiftSign(way, act);
  const sizes = act === 'shorten' || act === 'extend' || way === 'longer' || way === 'shorter';
  if (sizes && act !== 'later' && act !== 'earlier') return lengthened(target, sign * minutesOf(length));
  const change = shifted(target, length, sign, work);
  if ('ask' in change || duration === undefined) return change;
  return { fields: { ...change.fields, duration_minutes: duration } };
};

/** 'in the evening I mean' of something at 8: the same hour in that part of the day. */
const otherHalf = (at: Instant, g: Gathered, zone: string): Instant | null => {
  const local = zoned(at, zone);
  const { part } = g;
  if (!part || g.days || g.clocks || g.hours || g.period || g.every || local.minute % 5 > 0) return null;
  const hour = (local.hour + 12) % 24;
  const isIn = (one: number): boolean => one >= part.from && one < Math.max(part.to, part.name === 'evening' ? 24 : 0);
  return !isIn(local.hour) && isIn(hour) && g.duration === undefined ? instantOf(local.with({ hour })) : null;
};

/** A new time: its own day where only an hour was named, its own hour where only a day was. */
const toTime = (target: Target, g: Gathered, same: boolean, work: Work): Change => {
  const { now, zone } = work.context;
  if (target.scheduled_for && keepsHour(g, same)) {
    const change = onDay(target, g, work);
    if ('ask' in change || g.duration === undefined) return change;
    return { fields: { ...change.fields, duration_minutes: g.duration } };
  }
  const [weekday, ...others] = g.every?.unit === 'week' ? (g.every.weekdays ?? []) : [];
  if (target.recurrence_id && target.scheduled_for && weekday && others.length === 0 && !g.days) {
    // 'the lesson moves to Wednesdays': each in its own week
    const own = zoned(target.scheduled_for, zone).toPlainDate();
    const { every: _every, ...rest } = g;
    return toTime(target, { ...rest, days: [{ date: own.add({ days: weekday - own.dayOfWeek }) }] }, same, work);
  }
  const half = target.scheduled_for ? otherHalf(target.scheduled_for, g, zone) : null;
  if (half && millis(half) > millis(now)) return { fields: { scheduled_for: half } };
  const own = target.scheduled_for ? Temporal.PlainDate.from(localDate(target.scheduled_for, zone)) : undefined;
  const inherit = own && compareDays(own, todayOf(work.context)) >= 0 && !isLeftOut(g.except, own) ? own : undefined;
  // 'move yoga to 7' in the evening, where it is
  const hour = target.scheduled_for && g.clocks ? zoned(target.scheduled_for, zone).hour : undefined;
  const isSooner = g.clocks?.every((clock) => clock.hour === 6 || clock.hour === 7);
  const isThatDay = g.days === undefined || (own !== undefined && g.days.every(({ date }) => date.equals(own)));
  const isEvening = hour !== undefined && ((hour >= PARTS.evening!.from && isThatDay) || (isSooner && hour >= 12));
  // 'to Monday at 10' is the Monday next to it
  const [day, ...more] = g.days ?? [];
  const days = day?.bare && more.length === 0 && own ? { days: [{ ...day, date: nearest(day, own) }] } : {};
  const placed = place({ ...g, ...days }, { now, zone, inherit, hint: isEvening ? PARTS.evening : undefined });
  if (placed.ask) return { ask: `“${target.title}”: ${placed.ask}` };
  return placed.slots.length === 1
    ? slotChange(placed.slots[0]!, g)
    : { ask: `To which of those times should I move “${target.title}”?` };
};

/** What is said changes this about the target, or must be asked. */
export const changeOf = (target: Target, said: Said, work: Work): Change => {
  const g = gather(said.facets.map(asGoal));
  if (g.ask) return { ask: g.ask };
  if (g.past) return { ask: `That is already over. When should “${target.title}” be?` };
  if (g.shift) return byShift(target, g.shift, { act: said.act, duration: g.duration }, work);
  if (said.act === 'shorten' || said.act === 'extend') return resized(target, g, said, work);
  const timed =
    g.days ||
    g.every ||
    g.period ||
    g.clocks ||
    g.hours ||
    g.part ||
    g.instant ||
    g.whole ||
    g.from ||
    g.until ||
    g.except;
  return timed ? toTime(target, g, said.same === true, work) : byAmount(target, g, said, work);
};

/** 'extend it until 17:00'. */
const untilClock = (target: Target, g: Gathered, { context: { zone } }: Work): Change => {
  const clock = g.hours?.to ?? g.clocks?.[0];
  if (!clock || !target.scheduled_for) return { ask: `By how much should I change “${target.title}”?` };
  const start = zoned(target.scheduled_for, zone);
  const options = clock.fixed ? [clock.hour] : [clock.hour % 12, (clock.hour % 12) + 12];
  const lengths = options
    .map((hour) =>
      minutesBetween(
        target.scheduled_for!,
        wallInstant(start.toPlainDate(), { minutes: hour * 60 + clock.minute }, zone),
      ),
    )
    .filter((length) => length > 0);
  return lengths.length > 0
    ? { fields: { duration_minutes: Math.min(...lengths) } }
    : { ask: `“${target.title}” would end before it begins. When should it end?` };
};
