/**
 * After an update of the time zone data: what lies ahead keeps its wall time, and its instants move. An event knows the wall
 * time it means; of a series' exceptions it is told by the rules they were written by (zone-rules.ts).
 */
import type { Clock } from '../common/clock.ts';
import type { Db } from '../db/database.ts';
import { eventEnd } from '../domain/calendar/series-expansion.ts';
import { partsOf, textOf } from '../domain/calendar/rrule.ts';
import { instantOf, localStart, millis, type Instant } from '../domain/time/time.ts';
import { clockOf, wallBy, wallOf, type OffsetPeriod } from '../domain/time/wall-time.ts';
import { Problem } from '../common/problem.ts';
import type { Ledger, Writer } from '../ledger/ledger.ts';
import { isSeries, sortedOnce, type EventDraft } from './event-document.ts';
import { documentsPage } from './queries.ts';
import { whenText } from './event-sentence.ts';
import type { EventResource } from './schemas.ts';
import { refreshRows, type EventChange } from './event-store.ts';
import type { InTransaction } from './in-transaction.ts';
import { rememberZones, rulesKept, zoneRelease } from './zone-rules.ts';

/** Events looked at, and users listed, at once. */
const BATCH = 500;

/** An instant that was written by rules known or not, by the rules of today. */
type Mover = (at: Instant) => Instant;

type Timed = Pick<EventDraft, 'scheduled_for' | 'local_start' | 'timezone'>;

/** Where the start of an event is by the rules of today: there where the clock shows, or meant, its wall time. */
const startOf = ({ scheduled_for, local_start, timezone }: Timed): Instant => {
  // also the second pass of a fold, which the wall time alone does not tell
  if (localStart(scheduled_for, timezone) === local_start.slice(0, 19)) return scheduled_for;
  return instantOf(clockOf(timezone).instantAt(wallOf(local_start)) + (millis(scheduled_for) % 1000));
};

const untilMoved = (rrule: string | null, move: Mover): string | null => {
  const parts = partsOf(rrule ?? '');
  const until = /^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/.exec(parts['UNTIL'] ?? '');
  if (!until) return rrule;
  const [, y, mo, d, h, mi, s] = until;
  const at = `${y}-${mo}-${d}T${h}:${mi}:${s}.000Z`;
  const moved = move(at);
  return moved === at ? rrule : textOf({ ...parts, UNTIL: moved.replace(/[-:]|\.\d+/g, '') });
};

/** The event by the rules of today; what is over by `now` stays as it was. @param rules it was written by */
export const rezoned = (event: EventDraft, now: Instant, rules: OffsetPeriod[] | null): EventDraft => {
  const { timezone } = event;
  const clock = clockOf(timezone);
  const isAhead = (at: Instant): boolean => at >= now;
  const move: Mover = (at) =>
    rules === null || !isAhead(at) ? at : instantOf(clock.instantAt(wallBy(rules, millis(at))));
  const start = (own: Timed): Instant => (isAhead(own.scheduled_for) ? startOf(own) : own.scheduled_for);
  const overrides = Object.entries(event.overrides).map(([id, own]): [Instant, typeof own] => {
    const { scheduled_for, local_start, timezone: zone = timezone } = own;
    const moved =
      scheduled_for !== undefined && local_start !== undefined
        ? { scheduled_for: start({ scheduled_for, local_start, timezone: zone }) }
        : {};
    return [move(id), { ...own, ...moved }];
  });
  const to: EventDraft = {
    ...event,
    scheduled_for: start(event),
    rrule: untilMoved(event.rrule, move),
    rdates: sortedOnce(event.rdates.map(move)),
    exdates: sortedOnce(event.exdates.map(move)),
    overrides: Object.fromEntries(overrides),
  };
  return { ...to, end: eventEnd(to) };
};

const isOther = (a: EventDraft, b: EventDraft): boolean =>
  a.scheduled_for !== b.scheduled_for ||
  a.end !== b.end ||
  a.rrule !== b.rrule ||
  a.rdates.join() !== b.rdates.join() ||
  a.exdates.join() !== b.exdates.join() ||
  JSON.stringify(a.overrides) !== JSON.stringify(b.overrides);

const contentOf = (to: EventDraft): string =>
  `Kept at its wall time, as the clocks of ${to.timezone} change otherwise than was known: ${to.title}, ${whenText(to)}`;

export type Rezoned = {
  release: string;
  users: number;
  /** Looked at: what is not over. */
  events: number;
  /** Moved, by zone. */
  zones: Record<string, number>;
  moved: number;
  /** Agents' blocks whose new time is taken: their plans went back to the queue. */
  displaced: number;
  /** Series whose exceptions could not be looked at, as the rules they were written by are not known. */
  unknown: number;
};

export type RezoneOptions = {
  /** Says what would happen and changes nothing. */
  dry?: boolean | undefined;
  user_id?: string | undefined;
  told?: ((line: string) => void) | undefined;
};

export type RezoneDeps = { db: Db; ledger: Ledger; clock: Clock; inTransaction: InTransaction };

export const createRezone = ({ db, ledger, clock, inTransaction }: RezoneDeps) => {
  const usersAfter = async (after: string, user_id: string | undefined): Promise<string[]> => {
    let query = db.selectFrom('users').select('user_id').where('user_id', '>', after).orderBy('user_id').limit(BATCH);
    if (user_id !== undefined) query = query.where('user_id', '=', user_id);
    return (await query.execute()).map((row) => row.user_id);
  };

  /** Moves every future event whose instant the rules of today put elsewhere. Can be run again, and while the service runs. */
  return async ({ dry = false, user_id: only, told }: RezoneOptions = {}): Promise<Rezoned> => {
    const writtenBy = await rulesKept(db);
    const now = clock.now();
    const release = zoneRelease();
    const report: Rezoned = { release, users: 0, events: 0, zones: {}, moved: 0, displaced: 0, unknown: 0 };

    const changesOf = (events: EventResource[]): EventChange[] =>
      events.flatMap((from): EventChange[] => {
        const kept = writtenBy(from.updated_at);
        const rules = kept?.rules(from.timezone) ?? null;
        if (rules === null && isSeries(from)) report.unknown += 1;
        const to = rezoned(from, now, kept?.release === release ? null : rules);
        if (!isOther(from, to)) return [];
        report.zones[to.timezone] = (report.zones[to.timezone] ?? 0) + 1;
        return [{ what: 'updated', from, to: { ...to, sequence: from.sequence + 1 }, content: contentOf(to) }];
      });

    const settle = async (writer: Writer, events: EventResource[]): Promise<void> => {
      const changes = changesOf(events);
      report.moved += changes.length;
      report.displaced += await inTransaction.shift(writer, changes);
      const others = new Set(changes.map(({ to }) => to.uid));
      const still = events.filter((event) => isSeries(event) && !others.has(event.uid));
      await refreshRows(writer.tx, writer.author.user_id, still);
    };

    const walk = async (user_id: string): Promise<void> => {
      const author = { user_id, actor: 'system:timezone', origin: 'system' as const };
      const ahead = { start: now, end: null };
      for (let after = '', page: EventResource[] = []; ; after = page.at(-1)?.uid ?? '') {
        const next = async (tx: Db) => (page = await documentsPage(tx, user_id, ahead, after, BATCH));
        if (dry) report.moved += changesOf(await next(db)).length;
        else await ledger.write(author, async (writer) => settle(writer, await next(writer.tx)));
        report.events += page.length;
        if (page.length < BATCH) return;
      }
    };

    for (let users = await usersAfter('', only); users.length; users = await usersAfter(users.at(-1) as string, only))
      for (const user_id of users) {
        const before = report.moved;
        await walk(user_id).catch((error: unknown) => {
          // erased meanwhile
          if (!(error instanceof Problem && error.code === 'user_not_found')) throw error;
        });
        report.users += 1;
        if (report.moved > before) told?.(`${user_id}: ${report.moved - before} events`);
      }
    if (!dry && only === undefined) await rememberZones(db);
    return report;
  };
};
