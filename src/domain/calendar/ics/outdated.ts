/** Decides between a changed occurrence and an EXDATE of its series that removes it. */
import type { Instant } from '../../time/time.ts';
import { happensNever } from './file-rules.ts';

type Series = Parameters<typeof happensNever>[0] & { sequence: number };
type Occurrence = { sequence: number; recurrence_id?: Instant | null | undefined };

export const OUTDATED = 'A newer version of the series has removed this occurrence.';

/**
 * Returns a test of whether a series removed an occurrence after it was changed. Programs that delete a moved occurrence add an
 * EXDATE and a SEQUENCE, and some leave the old VEVENT in the file. With an equal SEQUENCE the changed occurrence counts.
 */
export const outdatedIn = (series: Series): ((own: Occurrence) => boolean) => {
  const removed = new Set<Instant>(series.exdates);
  const isNever = happensNever(series);
  return (own) =>
    own.recurrence_id != null && own.sequence < series.sequence && (isNever || removed.has(own.recurrence_id));
};
