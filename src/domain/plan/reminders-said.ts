/** Says the reminders of a plan within a sentence. */
import { distanceName } from '../time/say.ts';
import { remindersText } from './reminders-text.ts';

/** '30 minutes before', '1 day before and at the start', 'none'. */
export const saidReminders = (reminders: readonly number[]): string => remindersText(reminders, distanceName);

/** What a plan says of the reminders: 'with a reminder 30 minutes before', 'without reminders'; '' where it says nothing. */
export const withReminders = (reminders: readonly number[] | undefined): string => {
  if (!reminders) return '';
  if (reminders.length === 0) return 'without reminders';
  return `with ${reminders.length === 1 ? 'a reminder' : 'reminders'} ${saidReminders(reminders)}`;
};
