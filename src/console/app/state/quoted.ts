/** The largest number of titles that a sentence names. */
const MOST_NAMED = 3;

/** `“A”`, `“A” and “B”`, `“A”, “B”, “C” and 2 more`. */
export const quoted = (titles: readonly string[]): string => {
  const rest = titles.length - MOST_NAMED;
  const names = titles.slice(0, MOST_NAMED).map((title) => `“${title}”`);
  const last = rest > 0 ? `${rest} more` : names.pop();
  return names.length ? `${names.join(', ')} and ${last}` : `${last}`;
};
