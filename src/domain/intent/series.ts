/** Series: a repetition as one slot with a rule (RFC 5545), not as a slot for each occurrence. */
import type { Every } from './facet.ts';
import type { Gathered } from './gather.ts';
import { type Slot, wallInstant } from './when.ts';
import { type Instant, localDate, zoned } from '../time/time.ts';

export type Series = { slot: Slot; rrule: string; exdates: Instant[] };

const CODES = ['MO', 'TU', 'WE', 'TH', 'FR', 'SA', 'SU'];
const FREQUENCIES = { day: 'DAILY', week: 'WEEKLY', month: 'MONTHLY' } as const;

/** 'every day except Sundays' is weekly on the other six. */
const withoutLeftOut = (every: Every, { except }: Gathered): Every | null => {
  if (!except || except.weekdays.length === 0) return every;
  const weekdays = (every.weekdays ?? [1, 2, 3, 4, 5, 6, 7]).filter((day) => !except.weekdays.includes(day));
  if (every.unit === 'month' || (every.unit === 'day' && every.step > 1) || weekdays.length === 0) return null;
  return { ...every, unit: 'week', weekdays };
};

/** The last instant before a day, as a rule writes it. */
export const untilText = (end: Temporal.PlainDate, zone: string): string =>
  Temporal.Instant.from(wallInstant(end, { minutes: 0 }, zone))
    .subtract({ seconds: 1 })
    .toString()
    .replaceAll(/[-:]|\.\d+/g, '');

const endOf = (g: Gathered, first: Temporal.PlainDate, zone: string): string => {
  if (g.count) return `;COUNT=${g.count.times}`;
  const end = g.until ?? g.period?.to ?? (g.span && first.add(g.span));
  if (!end) return '';
  return `;UNTIL=${untilText(end, zone)}`;
};

const ruleOf = (every: Every, g: Gathered, first: Temporal.PlainDate, zone: string): string => {
  const { unit, step, weekdays, monthday, nth } = every;
  const days = weekdays?.map((day) => `${nth ?? ''}${CODES[day - 1]}`).join(',');
  return [
    `FREQ=${FREQUENCIES[unit as keyof typeof FREQUENCIES]}`,
    step > 1 ? `;INTERVAL=${step}` : '',
    days ? `;BYDAY=${days}` : '',
    monthday ? `;BYMONTHDAY=${monthday}` : '',
    endOf(g, first, zone),
  ].join('');
};

/** The series that the slots of a repetition are, one for each time of day; null where a rule can't say it. */
export const seriesOf = (g: Gathered, slots: readonly Slot[], zone: string): Series[] | null => {
  const { every, except } = g;
  if (!every || every.unit === 'minute' || g.count?.per || (except?.parts.length ?? 0) > 0) return null;
  // 'every Friday' with the weekday said apart
  const apart = g.days?.flatMap(({ weekday }) => weekday ?? []) ?? [];
  const named = every.unit === 'week' && !every.weekdays && apart.length > 0 ? { ...every, weekdays: apart } : every;
  const dated = named.unit === 'month' && !named.monthday && !named.nth && g.days?.length === 1;
  const rule = withoutLeftOut(dated ? { ...named, monthday: g.days![0]!.date.day } : named, g);
  const isBounded = g.until !== undefined || g.period !== undefined || g.span !== undefined || g.count !== undefined;
  if (!rule || (isBounded && slots.length < 2)) return null;
  const timeOf = ({ at }: Slot): string => (at ? zoned(at, zone).toPlainTime().toString() : '');
  const firsts = [...new Map(slots.toReversed().map((slot) => [timeOf(slot), slot])).values()].toReversed();
  if ((except?.dates.length ?? 0) > 0 && firsts.some(({ at }) => !at)) return null;
  return firsts.map((slot) => {
    const start = slot.at ?? slot.between!.start;
    const { hour, minute } = zoned(start, zone);
    return {
      slot,
      rrule: ruleOf(rule, g, Temporal.PlainDate.from(localDate(start, zone)), zone),
      exdates: (except?.dates ?? []).map((date) => wallInstant(date, { minutes: hour * 60 + minute }, zone)),
    };
  });
};
