/** The days of the week as RFC 5545 names them, and how several of them are said. */

export const WEEKDAYS = ['MO', 'TU', 'WE', 'TH', 'FR', 'SA', 'SU'] as const;
export type Weekday = (typeof WEEKDAYS)[number];

/** `every day`, `Monday to Friday`, `Monday, Thursday`. */
export const daysText = (days: readonly Weekday[], nameOf: (day: Weekday) => string): string => {
  if (days.length === WEEKDAYS.length) return 'every day';
  const places = days.map((day) => WEEKDAYS.indexOf(day)).toSorted((a, b) => a - b);
  const names = places.map((place) => nameOf(WEEKDAYS[place] as Weekday));
  const isRow = places.length > 2 && places.every((place, n) => place === (places[0] ?? 0) + n);
  return isRow ? `${names[0]} to ${names.at(-1)}` : names.join(', ');
};
