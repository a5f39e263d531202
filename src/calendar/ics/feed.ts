/** Writes the calendar as .ics text for other programs: feed and export. import.ts reads such files. */
import type { Clock } from '../../common/clock.ts';
import type { Db } from '../../db/database.ts';
import type { Caller } from '../../domain/access/caller.ts';
import { writingCalendar } from '../../domain/calendar/ics/write-ics.ts';
import type { Instant } from '../../domain/time/time.ts';
import type { StagedImports } from '../../ledger/staged-import.ts';
import { showEach, type Sensitive } from '../../ledger/sensitive-values.ts';
import type { Blanking } from '../../domain/record/blanking.ts';
import { createImport } from './import.ts';
import { calendarTag, documentsPage } from '../queries.ts';
import type { EventResource } from '../schemas.ts';
import { occurrenceAt } from '../timeline.ts';
import { runYielding, yieldingPieces } from '../../common/yielding.ts';
import type { InTransaction } from '../in-transaction.ts';

/** Documents are read in pages of this many. */
const CHUNK = 500;
/** Programs are asked to fetch the feed again after this many minutes. */
export const REFRESH_MINUTES = 15;

export type IcsDeps = {
  db: Db;
  staged: StagedImports;
  clock: Clock;
  inTransaction: InTransaction;
  sensitive: Sensitive;
};

/** Adds each event and then its overrides to `events`. Yields after each override. */
function* withOccurrences(page: readonly EventResource[], events: EventResource[]): Generator<undefined, void> {
  for (const event of page) {
    events.push(event);
    for (const id of Object.keys(event.overrides)) {
      events.push(occurrenceAt(event, id));
      yield;
    }
  }
}

export const createIcs = ({ db, staged, clock, inTransaction, sensitive }: IcsDeps) => {
  const write = async (
    user_id: string,
    window: { start: Instant | null; end: Instant | null },
    viewOf?: () => Promise<Blanking>,
  ): Promise<AsyncIterable<string>> => {
    const events: EventResource[] = [];
    let page: EventResource[] = [];
    do {
      page = await documentsPage(db, user_id, window, page.at(-1)?.uid ?? '', CHUNK, { own: true });
      await runYielding(withOccurrences(page, events));
    } while (page.length === CHUNK);
    const options = { name: 'Almanac', now: clock.now(), refresh_minutes: REFRESH_MINUTES };
    const show = await viewOf?.();
    return yieldingPieces(writingCalendar(show ? await showEach(show, events) : events, options));
  };

  return {
    /**
     * The feed's ETag, and its text, which is made only on demand. A feed shows sensitive values too, since it serves the
     * person's own calendar program and its key opens nothing else. The tag contains the year because the time zones in the
     * text change with it.
     */
    feed: async (user_id: string): Promise<{ tag: string; text: () => Promise<AsyncIterable<string>> }> => ({
      tag: `${clock.now().slice(0, 4)}-${await calendarTag(db, user_id)}`,
      text: () => write(user_id, { start: null, end: null }),
    }),

    exportText: (
      caller: Caller,
      window: { start: Instant | null; end: Instant | null },
    ): Promise<AsyncIterable<string>> => write(caller.user_id, window, () => sensitive.viewOf(caller)),

    ...createImport({ staged, inTransaction, sensitive }),
  };
};
