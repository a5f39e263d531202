/** Says what a change of the settings makes of them. */
import { type TimeRange, WEEKDAYS } from '../../plan/tempo.ts';
import { lengthName, WEEKDAY_NAMES } from '../../time/say.ts';
import type { Intent } from './types.ts';

/** 'Monday to Friday', 'Saturday, Sunday'. */
const daysName = (days: TimeRange['days']): string => {
  const at = days.map((day) => WEEKDAYS.indexOf(day)).toSorted((a, b) => a - b);
  const [first = 0, last = 0] = [at[0], at.at(-1)];
  const names = at.map((day) => WEEKDAY_NAMES[day]);
  if (at.length === WEEKDAYS.length) return 'every day';
  return at.length > 2 && last - first === at.length - 1 ? `${names[0]} to ${names.at(-1)}` : names.join(', ');
};

type Tempo = { time_ranges?: TimeRange[]; duration_biases?: Record<string, { minutes: number }> };

/** 'hours Monday to Friday 09:00 to 20:00; at most 3 plans a day'; undefined of other proposals. */
export const settingsText = ({ action_type, arguments: { limits, tempo } }: Intent): string | undefined => {
  if (action_type !== 'configure') return undefined;
  const { time_ranges: ranges = [], duration_biases: lengths = {} } = (tempo ?? {}) as Tempo;
  const { per_day: day, per_week: week } = limits?.budget ?? {};
  return [
    ranges.length > 0 && `hours ${ranges.map((one) => `${daysName(one.days)} ${one.start} to ${one.end}`).join(', ')}`,
    day != null && `at most ${day} ${day === 1 ? 'plan' : 'plans'} of agents a day`,
    week != null && `at most ${week} ${week === 1 ? 'plan' : 'plans'} of agents a week`,
    ...Object.entries(lengths).map(
      ([key, { minutes }]) => `${lengthName(minutes)} by default${key === 'schedule' ? '' : ` for ${key}`}`,
    ),
    limits?.only_in_tempo === true && 'agents propose only within the hours',
  ]
    .filter(Boolean)
    .join('; ');
};
