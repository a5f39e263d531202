/** Says the reminders of an event in words. */
import { daysName, lengthName } from '../time/say.ts';

const DAY = 24 * 60;

const reminderText = (minutes: number): string =>
  minutes === 0 ? 'at the start' : `${minutes % DAY === 0 ? daysName(minutes) : lengthName(minutes)} before`;

/** '30 minutes before', '1 day before and at the start', 'none'. */
export const remindersText = (reminders: readonly number[]): string => {
  const texts = reminders.map(reminderText);
  const last = texts.pop() ?? 'none';
  return texts.length > 0 ? `${texts.join(', ')} and ${last}` : last;
};

/** What a plan says of the reminders: 'with a reminder 30 minutes before', 'without reminders'; '' where it says nothing. */
export const withReminders = (reminders: readonly number[] | undefined): string => {
  if (!reminders) return '';
  if (reminders.length === 0) return 'without reminders';
  return `with ${reminders.length === 1 ? 'a reminder' : 'reminders'} ${remindersText(reminders)}`;
};
