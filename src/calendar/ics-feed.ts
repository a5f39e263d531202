/** The calendar as .ics text for other programs: feed and export. What comes in is import-ics.ts. */
import type { Clock } from '../common/clock.ts';
import type { Db } from '../db/database.ts';
import type { Caller } from '../domain/access/caller.ts';
import { writingCalendar } from '../domain/calendar/ics/write-ics.ts';
import type { Instant } from '../domain/time/time.ts';
import type { Ledger } from '../ledger/ledger.ts';
import type { Sensitive } from '../ledger/sensitive-values.ts';
import type { Blanking } from '../domain/record/blanking.ts';
import { createImport } from './import-ics.ts';
import { calendarTag, documentsPage } from './queries.ts';
import type { EventResource } from './schemas.ts';
import { occurrenceAt } from './timeline.ts';
import { mapYielding, runYielding, yieldingPieces } from '../common/yielding.ts';
import type { InTransaction } from './in-transaction.ts';

/** Documents read at once. */
const CHUNK = 500;
/** How often programs should fetch the feed again. */
export const REFRESH_MINUTES = 15;

export type IcsDeps = { db: Db; ledger: Ledger; clock: Clock; inTransaction: InTransaction; sensitive: Sensitive };

/** Adds events, and after each its changed occurrences. */
function* withOccurrences(page: readonly EventResource[], events: EventResource[]): Generator<undefined, void> {
  for (const event of page) {
    events.push(event);
    for (const id of Object.keys(event.overrides)) {
      events.push(occurrenceAt(event, id));
      yield;
    }
  }
}

export const createIcs = ({ db, ledger, clock, inTransaction, sensitive }: IcsDeps) => {
  const write = async (
    user_id: string,
    window: { start: Instant | null; end: Instant | null },
    viewOf?: () => Promise<Blanking>,
  ): Promise<AsyncIterable<string>> => {
    const events: EventResource[] = [];
    let page: EventResource[] = [];
    do {
      page = await documentsPage(db, user_id, window, page.at(-1)?.uid ?? '', CHUNK);
      await runYielding(withOccurrences(page, events));
    } while (page.length === CHUNK);
    const options = { name: 'Almanac', now: clock.now(), refresh_minutes: REFRESH_MINUTES };
    const show = await viewOf?.();
    return yieldingPieces(writingCalendar(show ? await mapYielding(events, (event) => show(event)) : events, options));
  };

  return {
    /**
     * A feed is the person's own calendar program, and shows events whole. Its key opens nothing else.
     * The feed's text and its tag; the text is made only when it is asked for. The tag changes with the year, as time zones do.
     */
    feed: async (user_id: string): Promise<{ tag: string; text: () => Promise<AsyncIterable<string>> }> => ({
      tag: `${clock.now().slice(0, 4)}-${await calendarTag(db, user_id)}`,
      text: () => write(user_id, { start: null, end: null }),
    }),

    exportText: (
      caller: Caller,
      window: { start: Instant | null; end: Instant | null },
    ): Promise<AsyncIterable<string>> => write(caller.user_id, window, () => sensitive.viewOf(caller)),

    ...createImport({ ledger, inTransaction }),
  };
};
