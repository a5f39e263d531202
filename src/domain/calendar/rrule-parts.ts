/** A recurrence rule (RFC 5545 §3.3.10) as text, and as its parts. */

/** The parts of a rule by name, in upper case: `{ FREQ: 'WEEKLY', BYDAY: 'MO,WE' }`. */
export type RuleParts = Record<string, string>;

/** Splits a rule into its parts. Unknown and repeated names are kept, so that `faultOf` can report them. */
export const partsOf = (rrule: string): RuleParts =>
  Object.fromEntries(
    rrule
      .toUpperCase()
      .split(';')
      .map((part) => {
        const [name = '', value = ''] = part.split('=', 2);
        return [name, value];
      }),
  );

export const textOf = (parts: RuleParts): string =>
  Object.entries(parts)
    .map(([name, value]) => `${name}=${value}`)
    .join(';');
