/**
 * Keeps future events at their wall time after an update of the time zone data, which changes their instants. An event stores
 * the wall time it means. For the exceptions of a series it follows from the rules that were in use when they were written
 * (zone-rules.ts).
 */
import type { Clock } from '../common/clock.ts';
import type { Db } from '../db/database.ts';
import { eventEnd } from '../domain/calendar/series-expansion.ts';
import { partsOf, textOf } from '../domain/calendar/rrule-parts.ts';
import { instantOf, localStart, millis, type Instant } from '../domain/time/time.ts';
import { clockOf, wallBy, wallOf, type OffsetPeriod } from '../domain/time/wall-time.ts';
import { Problem } from '../common/problem.ts';
import type { Ledger } from '../ledger/ledger.ts';
import type { Writer } from '../ledger/ledger-writer.ts';
import { isSeries, sortedOnce, type EventDraft } from './events/document.ts';
import { documentsPage } from './queries.ts';
import { whenText } from './events/sentence.ts';
import type { EventResource } from './schemas.ts';
import { refreshRows, type EventChange } from './events/store.ts';
import type { InTransaction } from './in-transaction.ts';
import { rememberZones, storedRules, zoneRelease } from './zone-rules.ts';

/** Events are read, and users listed, in pages of this many. */
const BATCH = 500;

/** Converts an instant that was written under older zone rules to the same wall time under the current ones. */
type Mover = (at: Instant) => Instant;

type Timed = Pick<EventDraft, 'scheduled_for' | 'local_start' | 'timezone'>;

/** The start of an event under the current rules: the instant at which the clock shows its wall time. */
const startOf = ({ scheduled_for, local_start, timezone }: Timed): Instant => {
  // Keeps also the second hour of a fold, which the wall time alone does not distinguish.
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

/** The event under the current rules. What is before `now` stays unchanged. @param rules in use when it was written */
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
  `Kept at its wall time after an update of the time zone ${to.timezone}: ${to.title}, ${whenText(to)}`;

export type Rezoned = {
  release: string;
  users: number;
  /** Events examined: those that are not over. */
  events: number;
  /** Events moved, by zone. */
  zones: Record<string, number>;
  moved: number;
  /** Agents' blocks whose new time is taken. Their plans returned to the queue. */
  displaced: number;
  /** Series whose exceptions could not be converted, because the rules in use when they were written are unknown. */
  unknown: number;
};

export type RezoneOptions = {
  /** Reports what would happen and changes nothing. */
  dry?: boolean | undefined;
  user_id?: string | undefined;
  onProgress?: ((line: string) => void) | undefined;
};

export type RezoneDeps = { db: Db; ledger: Ledger; clock: Clock; inTransaction: InTransaction };

export const createRezone = ({ db, ledger, clock, inTransaction }: RezoneDeps) => {
  const usersAfter = async (after: string, user_id: string | undefined): Promise<string[]> => {
    let query = db.selectFrom('users').select('user_id').where('user_id', '>', after).orderBy('user_id').limit(BATCH);
    if (user_id !== undefined) query = query.where('user_id', '=', user_id);
    return (await query.execute()).map((row) => row.user_id);
  };

  /** Moves every future event whose instant differs under the current rules. It can run again, and while the service runs. */
  return async ({ dry = false, user_id: only, onProgress }: RezoneOptions = {}): Promise<Rezoned> => {
    const writtenBy = await storedRules(db);
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
          // The user was erased meanwhile.
          if (!(error instanceof Problem && error.code === 'user_not_found')) throw error;
        });
        report.users += 1;
        if (report.moved > before) onProgress?.(`${user_id}: ${report.moved - before} events`);
      }
    if (!dry && only === undefined) await rememberZones(db);
    return report;
  };
};
