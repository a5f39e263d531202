/** Describes a recurrence rule in English words; a rule with rarer parts is quoted as it is. */
import { partsOf, type RuleParts } from './rrule-parts.ts';

const DAYS: Record<string, string> = {
  MO: 'Monday',
  TU: 'Tuesday',
  WE: 'Wednesday',
  TH: 'Thursday',
  FR: 'Friday',
  SA: 'Saturday',
  SU: 'Sunday',
};
const UNITS: Record<string, string> = { DAILY: 'day', WEEKLY: 'week', MONTHLY: 'month', YEARLY: 'year' };
const ORDINALS: Record<string, string> = {
  '1': 'first',
  '2': 'second',
  '3': 'third',
  '4': 'fourth',
  '5': 'fifth',
  '-1': 'last',
};
const MONTHS = 'January February March April May June July August September October November December'.split(' ');
const KNOWN = new Set(['FREQ', 'INTERVAL', 'BYDAY', 'BYMONTHDAY', 'UNTIL', 'COUNT', 'WKST']);

const listed = (items: string[]): string =>
  items.length > 1 ? `${items.slice(0, -1).join(', ')} and ${items.at(-1)}` : (items[0] ?? '');

/** `first Monday`, `Monday`; undefined for an ordinal without a word. */
const dayText = (day: string): string | undefined => {
  const [, nth, name] = /^\+?(-?\d*)([A-Z]{2})$/.exec(day) ?? [];
  if (name === undefined) return undefined;
  if (!nth) return DAYS[name];
  return ORDINALS[nth] && `the ${ORDINALS[nth]} ${DAYS[name]}`;
};

const untilText = (until: string): string => {
  const [, year, month, day] = /^(\d{4})(\d\d)(\d\d)/.exec(until) ?? [];
  return `until ${Number(day)} ${MONTHS[Number(month) - 1]} ${year}`;
};

const WORKDAYS = 'MO,TU,WE,TH,FR';

/** Whether a rule has no other parts than those that have words. */
const hasWords = (parts: RuleParts, days: (string | undefined)[], dates: string[]): boolean => {
  const isKnown = Object.keys(parts).every((name) => KNOWN.has(name)) && !days.includes(undefined);
  return isKnown && !(days.length && dates.length) && !dates.some((date) => date.includes('-'));
};

/** `every weekday`, `every 2 weeks on Monday`. */
const everyText = (unit: string, { FREQ, INTERVAL = '1', BYDAY }: RuleParts, on: string[]): string => {
  const isOfDays = FREQ === 'WEEKLY' || FREQ === 'DAILY';
  if (INTERVAL === '1' && BYDAY === WORKDAYS && isOfDays) return 'every weekday';
  const every = INTERVAL === '1' ? `every ${unit}` : `every ${INTERVAL} ${unit}s`;
  return on.length ? `${every} on ${listed(on)}` : every;
};

/** `every week on Monday and Friday, until 24 December 2026`. */
export const ruleText = (rrule: string): string => {
  const parts = partsOf(rrule);
  const { FREQ = '', BYDAY, BYMONTHDAY, UNTIL, COUNT } = parts;
  const unit = UNITS[FREQ];
  const days = BYDAY?.split(',').map(dayText) ?? [];
  const dates = BYMONTHDAY?.split(',').map((date) => (date === '-1' ? 'the last day' : `day ${date}`)) ?? [];
  if (!unit || !hasWords(parts, days, dates)) return `by the rule ${rrule}`;
  const every = everyText(unit, parts, [...(days as string[]), ...dates]);
  return [every, UNTIL && untilText(UNTIL), COUNT && (COUNT === '1' ? 'once' : `${COUNT} times`)]
    .filter(Boolean)
    .join(', ');
};
