/** Reads tables of words that are written as text. */

/** The words of a text, as a set. */
export const setOf = (text: string): ReadonlySet<string> => new Set(text.split(/\s+/).filter(Boolean));

/** Lines 'value: word word'; a word of several is written with _. */
export const tableOf = (text: string): ReadonlyMap<string, string> =>
  new Map(
    text
      .split('\n')
      .filter((line) => line.includes(':'))
      .flatMap((line) => {
        const [value = '', words = ''] = line.split(/:(.*)/s);
        return [...setOf(words)].map((word): [string, string] => [word.replaceAll('_', ' '), value.trim()]);
      }),
  );
