/** The corpus: files as other programs write them (imitations), what they say, and what Almanac tells of them. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { EventDoc } from '../../src/domain/calendar/event-doc.ts';
import { eventEnd, expand } from '../../src/domain/calendar/series-expansion.ts';
import { readCalendar } from './read-at-once.ts';

const FOLDER = join(import.meta.dirname, '../corpus');

export const CORPUS: string[] = readdirSync(FOLDER)
  .filter((name) => name.endsWith('.ics'))
  .map((name) => name.replace(/\.ics$/, ''))
  .toSorted();

export const bytesOf = (name: string): Uint8Array => readFileSync(join(FOLDER, `${name}.ics`));

/** Whoever reads the corpus lives in Berlin. */
export const READER = { zone: 'Europe/Berlin' };

export const NOW = '2026-10-01T00:00:00.000Z';

/** The events of a file as if they had just been imported. */
export const eventsOf = (input: string | Uint8Array): EventDoc[] =>
  readCalendar(input, READER).events.map(({ event }) => ({ ...event, created_at: NOW, updated_at: NOW }));

export type Happening = { uid: string; start: string; end: string; doc: EventDoc };

/** What happens in a window, each series with its changed occurrences; occurrences without a series stand alone. */
export const happeningsOf = (
  events: EventDoc[],
  window = { start: '1960-01-01T00:00:00.000Z', end: '2100-01-01T00:00:00.000Z' },
  limit = 100_000,
): Happening[] =>
  [...Map.groupBy(events, ({ uid }) => uid)]
    .flatMap(([uid, docs]) => {
      const master = docs.find((doc) => !doc.recurrence_id);
      const changed = docs.filter((doc) => doc !== master);
      const found = master
        ? expand(master, changed, window, { limit })
        : changed.map((doc) => ({ scheduled_for: doc.scheduled_for, end: eventEnd(doc), override: doc }));
      return found.map(({ scheduled_for: start, end, override }) => ({
        uid,
        start,
        end,
        doc: override ?? (master as EventDoc),
      }));
    })
    .toSorted((a, b) => (a.start + a.uid < b.start + b.uid ? -1 : 1));
