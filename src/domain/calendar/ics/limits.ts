/** Limits of a property that is read, and the count of its values before it is parsed. */

/** An event has at most this many RDATEs and this many EXDATEs. More are not parsed. */
export const MAX_DATES = 10_000;
/** A property that is read may have this many characters. One that is only kept may be longer (attachments). */
export const MAX_READ = 1_000_000;

/** Whether a list has more than `most` values. */
export const hasMoreValues = (list: string, most: number): boolean => {
  let count = 1;
  for (let at = list.indexOf(','); at >= 0 && count <= most; at = list.indexOf(',', at + 1)) count += 1;
  return count > most;
};
