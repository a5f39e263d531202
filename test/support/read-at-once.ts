/** The readers of calendar files, which the service runs in slices, run to their end. */
import { readingComponents, type ReadComponents } from '../../src/domain/calendar/ics/components.ts';
import { readingCalendar, type ReadCalendar, type ReadOptions } from '../../src/domain/calendar/ics/read-ics.ts';

export const atOnce = <T>(work: Generator<unknown, T>): T => {
  for (;;) {
    const { done, value } = work.next();
    if (done) return value;
  }
};

export const readComponents = (input: string | Uint8Array): ReadComponents => atOnce(readingComponents(input));

export const readCalendar = (input: string | Uint8Array, options: ReadOptions): ReadCalendar =>
  atOnce(readingCalendar(input, options));
