/** Says the reminders of an event in words, with the words for a length that the reader of them has. */

/** '30 minutes before', '1 day before and at the start', 'none'. */
export const remindersText = (reminders: readonly number[], length: (minutes: number) => string): string => {
  const texts = reminders.map((minutes) => (minutes === 0 ? 'at the start' : `${length(minutes)} before`));
  const last = texts.pop() ?? 'none';
  return texts.length > 0 ? `${texts.join(', ')} and ${last}` : last;
};
