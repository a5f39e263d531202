/** How often an event repeats: the usual rules, with an end, or the rule that a series has. */
import type { Signal } from '@preact/signals';
import { ruleText } from '../../../domain/calendar/rrule-text.ts';
import { daysBetween, wallOf, weekday, type Wall } from '../state/wall-time.ts';

const DAYS = ['SU', 'MO', 'TU', 'WE', 'TH', 'FR', 'SA'];

/** The rules of RFC 5545, without their end. Those of a week are on the day of the start. */
const RULES: [value: string, name: string, rule: (start: string) => string][] = [
  ['never', 'Never', () => ''],
  ['daily', 'Every day', () => 'FREQ=DAILY'],
  ['weekdays', 'Every weekday', () => 'FREQ=WEEKLY;BYDAY=MO,TU,WE,TH,FR'],
  ['weekly', 'Every week', (date) => `FREQ=WEEKLY;BYDAY=${DAYS[weekday(date)] ?? 'MO'}`],
  ['fortnightly', 'Every two weeks', (date) => `FREQ=WEEKLY;INTERVAL=2;BYDAY=${DAYS[weekday(date)] ?? 'MO'}`],
  ['monthly', 'Every month', (date) => `FREQ=MONTHLY;BYMONTHDAY=${Number(date.slice(8))}`],
  ['yearly', 'Every year', () => 'FREQ=YEARLY'],
];

const MINUTE_MS = 60_000;

/** The end of a day in the zone of the profile, as RFC 5545 writes it. */
const endOf = (date: string): string => {
  const guess = Date.parse(`${date}T23:59:00Z`);
  const wall = wallOf(guess);
  const late = daysBetween(date, wall.date) * 1440 + wall.minutes - 1439;
  return new Date(guess - late * MINUTE_MS).toISOString().replaceAll(/[-:]|\.\d+/g, '');
};

/** The choice of the rule that a series has. */
export const KEPT = 'kept';

/** @param until the last day, or nothing */
export const ruleFrom = (repeats: string, until: string, start: string): string | null => {
  const rule = RULES.find(([value]) => value === repeats)?.[2](start.slice(0, 10)) ?? '';
  if (!rule) return null;
  return until ? `${rule};UNTIL=${endOf(until)}` : rule;
};

type FieldProps = { start: Wall; repeats: Signal<string>; rule: string | null | undefined };

/** @param rule that of the series, where it is one; null where its days are listed */
export const RepetitionField = ({ start, repeats, rule }: FieldProps) => {
  const isNew = ![KEPT, 'never'].includes(repeats.value);
  // A series that is removed while its form is open has no rule any more.
  const value = rule === undefined && repeats.value === KEPT ? 'never' : repeats.value;
  return (
    <>
      <label>
        Repeats{' '}
        <select name="repeats" value={value} onChange={(event) => (repeats.value = event.currentTarget.value)}>
          {rule !== undefined && (
            <option value={KEPT}>As now: {rule === null ? 'on listed days' : ruleText(rule)}</option>
          )}
          {RULES.map(([value, name]) => (
            <option key={value} value={value}>
              {name}
            </option>
          ))}
        </select>
      </label>
      {isNew && (
        <label>
          Until <input name="until" type="date" min={start.date} />
        </label>
      )}
    </>
  );
};
