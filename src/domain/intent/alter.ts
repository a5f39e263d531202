/** Alterations: what the times and lengths said of an event or proposal change about it. */
import { slotArguments, timeFields, type Work } from './build.ts';
import { compareDays } from './calendar.ts';
import type { Facet, Length } from './facet.ts';
import { gather, type Gathered } from './gather.ts';
import type { Act } from './lead.ts';
import type { Target } from './targets.ts';
import type { Intent } from './types.ts';
import { place, type Slot, todayOf, wallInstant } from './when.ts';
import { instantOf, localDate, millis, minutesBetween, zoned } from '../time.ts';
import { lengthName, timeName } from './say.ts';

export type Fields = Partial<
  Pick<Intent, 'scheduled_for' | 'between' | 'part_of_day' | 'duration_minutes' | 'duration_delta_minutes'>
> & { arguments?: Record<string, unknown> };
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

/** Only a day was named: the event keeps its time of day. */
const keepsHour = (g: Gathered): boolean =>
  (g.days?.length === 1 || sameHour(g)) &&
  !g.clocks &&
  !g.hours &&
  !g.part &&
  !g.whole &&
  !g.instant &&
  !g.every &&
  !g.count;
const sameHour = (g: Gathered & { same?: boolean }): boolean => g.same === true && g.period !== undefined;

const onDay = (target: Target, g: Gathered, work: Work): Change => {
  const { now, zone } = work.context;
  const local = zoned(target.scheduled_for!, zone);
  const minutes = local.hour * 60 + local.minute;
  const day = g.days?.[0] ?? {
    date: g.period!.from.add({ days: (local.dayOfWeek - g.period!.from.dayOfWeek + 7) % 7 }),
  };
  let at = wallInstant(day.date, { minutes }, zone);
  const current = day.weekday !== undefined && day.roll && day.date.equals(local.toPlainDate());
  if (day.roll && (current || millis(at) <= millis(now))) at = wallInstant(day.date.add(day.roll), { minutes }, zone);
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

/** What `facets` change about a target. `act` gives a bare amount its meaning ('push it half an hour'). */
export const changeOf = (
  target: Target,
  facets: readonly Facet[],
  act: Act,
  toLength: boolean,
  work: Work,
  same = false,
): Change => {
  const { now, zone } = work.context;
  const g: Gathered & { same?: boolean } = { ...gather(facets.map(asGoal)), ...(same && { same: true }) };
  if (g.ask) return { ask: g.ask };
  if (g.past) return { ask: `That is already over. When should “${target.title}” be?` };
  const timed = g.days || g.period || g.clocks || g.hours || g.part || g.instant || g.whole || g.from || g.until;
  const resizes = act === 'shorten' || act === 'extend';
  if (g.shift) {
    const sign = shiftSign(g.shift.way, act);
    const sizes = resizes || g.shift.way === 'longer' || g.shift.way === 'shorter';
    if (sizes && act !== 'later' && act !== 'earlier') return lengthened(target, sign * minutesOf(g.shift.length));
    return shifted(target, g.shift.length, sign, work);
  }
  if (resizes && g.duration !== undefined)
    return toLength
      ? { fields: { duration_minutes: g.duration } }
      : lengthened(target, act === 'shorten' ? -g.duration : g.duration);
  if (resizes) return untilClock(target, g, work);
  if (g.duration !== undefined && !timed) {
    if ((act === 'later' || act === 'earlier') && !toLength)
      return shifted(target, { minutes: g.duration }, act === 'later' ? 1 : -1, work);
    return { fields: { duration_minutes: g.duration } };
  }
  if (g.span && !timed)
    return act === 'later' || act === 'earlier'
      ? shifted(target, g.span, act === 'later' ? 1 : -1, work)
      : { ask: `When should “${target.title}” be instead?` };
  if (!timed) return { ask: `When should “${target.title}” be instead?` };
  if (target.scheduled_for && keepsHour(g)) {
    const change = onDay(target, g, work);
    return 'ask' in change || g.duration === undefined
      ? change
      : { fields: { ...change.fields, duration_minutes: g.duration } };
  }
  const own = target.scheduled_for ? Temporal.PlainDate.from(localDate(target.scheduled_for, zone)) : undefined;
  const inherit = own && compareDays(own, todayOf(work.context)) >= 0 ? own : undefined;
  const placed = place(g, { now, zone, inherit });
  if (placed.ask) return { ask: `“${target.title}”: ${placed.ask}` };
  return placed.slots.length === 1
    ? slotChange(placed.slots[0]!, g)
    : { ask: `To which of those times should I move “${target.title}”?` };
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
