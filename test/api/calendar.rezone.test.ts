/** After an update of the time zone data: what lies ahead keeps its wall time, told as any edit. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { sql } from 'kysely';
import { createEventStore } from '../../src/calendar/events/store.ts';
import type { EventResource } from '../../src/calendar/schemas.ts';
import { rememberZones, zoneRelease } from '../../src/calendar/zone-rules.ts';
import { instantOf, millis } from '../../src/domain/time/time.ts';
import { offsetPeriodsOf } from '../../src/domain/time/wall-time.ts';
import { createTraceStore } from '../../src/ledger/trace-store.ts';
import type { CommandContext } from '../../src/process/commands/operator-command.ts';
import { createRezoneCommand } from '../../src/process/commands/rezone.ts';
import { anApp, aUser, type TestApp, type TestUser } from '../support/app.ts';
import { aBlock, create, list, titles } from '../support/calendar.ts';

const HOUR = 3_600_000;
const ZONE = 'Europe/Berlin';

let app: TestApp;
beforeAll(async () => {
  app = await anApp();
  // By the rules of before, Berlin kept summer time for ever from October 2026 on: wall times were an hour earlier in winter.
  const until = Date.parse('2026-10-25T01:00:00Z');
  const before = offsetPeriodsOf(ZONE, Date.UTC(2000, 0), until - 1).map((spell) =>
    spell.until === Infinity ? [null, 2 * HOUR] : [spell.until, spell.offset],
  );
  await sql`insert into zone_rules (release, since, offsets) values ('old', '2020-01-01', ${JSON.stringify({ [ZONE]: before })}::jsonb)`.execute(
    app.database.handle.db,
  );
});
afterAll(() => app.close());

const read = async (user: TestUser, uid: string): Promise<EventResource> =>
  (await user.get(`/calendar/event?uid=${uid}`).expect(200)).body;

/** Records an event as a process with the old rules would have: the same wall times, an hour earlier. */
const asOfOldRules = async (user: TestUser, uid: string): Promise<void> => {
  const from = await read(user, uid);
  const earlier = (at: string) => (at < '2026-10-25T01:00' ? at : instantOf(millis(at) - HOUR));
  const store = createEventStore({ clock: app.clock, traces: createTraceStore({ vectors: app.database.vectors }) });
  const overrides = Object.entries(from.overrides).map(([id, own]) => [
    earlier(id),
    { ...own, ...(own.scheduled_for ? { scheduled_for: earlier(own.scheduled_for) } : {}) },
  ]);
  const to: EventResource = {
    ...from,
    scheduled_for: earlier(from.scheduled_for),
    end: earlier(from.end),
    rdates: from.rdates.map(earlier),
    exdates: from.exdates.map(earlier),
    rrule: from.rrule?.replace('T090000Z', 'T080000Z') ?? null,
    overrides: Object.fromEntries(overrides) as EventResource['overrides'],
  };
  const author = { user_id: user.user_id, actor: 'user:before', origin: 'user' as const };
  await app.services.ledger.write(author, (writer) => store(writer, [{ what: 'updated', from, to }]));
};

const rezone = (user: TestUser, dry = false) => app.services.calendar.rezone({ user_id: user.user_id, dry });
const WINTER = 'start=2026-11-22&end=2027-01-31';

describe('rezone', () => {
  test('moves future events to their wall times, with version, trace and message; a dry run only says so', async () => {
    const user = await aUser(app);
    const { uid } = await create(user, { title: 'Lunch', scheduled_for: '2026-12-01T12:00', duration_minutes: 45 });
    const day = await create(user, { title: 'Fair', scheduled_for: '2026-12-02', all_day: true });
    const past = await create(user, { title: 'Past', scheduled_for: '2026-11-20T12:00', duration_minutes: 45 });
    const other = await create(user, { title: 'Tokyo', scheduled_for: '2026-12-01T12:00', timezone: 'Asia/Tokyo' });
    for (const event of [uid, day.uid, past.uid]) await asOfOldRules(user, event);
    const { body: then } = await user.get('/agent/changes').expect(200);
    expect(await rezone(user, true)).toMatchObject({ users: 1, events: 3, moved: 2, zones: { [ZONE]: 2 } });
    expect((await read(user, uid)).version).toBe(2);
    expect(await rezone(user)).toMatchObject({ moved: 2, displaced: 0, unknown: 0, release: zoneRelease() });
    expect(await read(user, uid)).toMatchObject({
      scheduled_for: '2026-12-01T11:00:00.000Z',
      end: '2026-12-01T11:45:00.000Z',
      local_start: '2026-12-01T12:00:00',
      version: 3,
    });
    expect(await read(user, day.uid)).toMatchObject({
      scheduled_for: '2026-12-01T23:00:00.000Z',
      end: '2026-12-02T23:00:00.000Z',
    });
    expect([(await read(user, past.uid)).version, (await read(user, other.uid)).version]).toEqual([2, 1]);
    const { body } = await user.get(`/agent/changes?after=${then.seq}`).expect(200);
    const types = body.changes.map((change: { type: string }) => change.type).toSorted();
    expect(types).toEqual(['event.updated', 'event.updated', 'trace.created', 'trace.created']);
    const { rows } =
      await sql`select distinct actor from ledger where user_id = ${user.user_id} and seq > ${then.seq}`.execute(
        app.database.handle.db,
      );
    expect(rows).toEqual([{ actor: 'system:timezone' }]);
    const { body: traces } = await user.get('/memory/pull?type=calendar_event&limit=1').expect(200);
    expect(traces[0]).toMatchObject({ origin: 'system', content: expect.stringContaining('Kept at its wall time') });
    expect(await rezone(user)).toMatchObject({ moved: 0 });
    expect((await user.get('/debug/audit').expect(200)).body.ok).toBe(true);
  });

  test('leaves what a fold’s second pass or a gap was meant to be', async () => {
    const user = await aUser(app);
    const fold = await create(user, { title: 'second', scheduled_for: '2027-10-31T01:30:00Z', duration_minutes: 10 });
    const gap = await create(user, { title: 'gap', scheduled_for: '2027-03-28T02:30', duration_minutes: 10 });
    expect(await rezone(user)).toMatchObject({ events: 2, moved: 0 });
    expect((await read(user, fold.uid)).scheduled_for).toBe('2027-10-31T01:30:00.000Z');
    expect((await read(user, gap.uid)).scheduled_for).toBe('2027-03-28T01:30:00.000Z');
  });

  test('takes a series’ exceptions along: what was left out, added or changed stays so', async () => {
    const user = await aUser(app);
    const { uid } = await create(user, {
      title: 'Standup',
      scheduled_for: '2026-10-05T10:00',
      duration_minutes: 15,
      rrule: 'FREQ=WEEKLY;UNTIL=20261221T090000Z',
      exdates: ['2026-11-30T10:00'],
      rdates: ['2026-12-03T16:00'],
    });
    const id = '2026-12-07T09:00:00Z';
    await user
      .patch('/calendar/edit', {
        uid,
        recurrence_id: id,
        updates: { scheduled_for: '2026-12-08T11:00', title: 'Late' },
      })
      .expect(200);
    const wanted = await list(user, WINTER);
    expect(wanted).toHaveLength(5);
    await asOfOldRules(user, uid);
    expect((await list(user, WINTER)).map((e) => e.scheduled_for)).not.toEqual(wanted.map((e) => e.scheduled_for));
    expect(await rezone(user)).toMatchObject({ moved: 1 });
    const told = (events: typeof wanted) => events.map((e) => [e.title, e.scheduled_for, e.recurrence_id]);
    expect(told(await list(user, WINTER))).toEqual(told(wanted));
  });

  test('moves agents’ blocks side by side, and puts back what meets a person’s event', async () => {
    const user = await aUser(app);
    const blocks = [];
    for (const hour of ['09', '10', '11']) blocks.push(await aBlock(user, `Block ${hour}`, `2026-12-01T${hour}:00`));
    // As old and new rules lie an hour apart: written by the old ones they are from 7 to 10, and move to 8 to 11 UTC.
    for (const { event } of blocks) await asOfOldRules(user, event);
    await create(user, {
      title: 'In the way',
      scheduled_for: '2026-12-01T10:30:00Z',
      duration_minutes: 15,
      timezone: 'UTC',
    });
    expect(await rezone(user)).toMatchObject({ moved: 3, displaced: 1 });
    expect(titles(await list(user, 'start=2026-12-01&end=2026-12-01'))).toEqual(['Block 09', 'Block 10', 'In the way']);
    const { body: queue } = await user.get('/agent/queue').expect(200);
    expect(queue).toMatchObject([{ title: 'Block 11', status: 'proposed' }]);
  });

  test('is a command that says what it did', async () => {
    const user = await aUser(app);
    const { uid } = await create(user, { title: 'Lunch', scheduled_for: '2026-12-01T12:00', duration_minutes: 45 });
    await asOfOldRules(user, uid);
    const lines: string[] = [];
    const { run } = createRezoneCommand(() => app.services.calendar.rezone);
    const print = (line: string): void => void lines.push(line);
    const context = { print, progress: print } as Partial<CommandContext> as CommandContext;
    expect(await run(context, { 'dry-run': true, user: user.user_id }, [])).toBe('done');
    expect(await run(context, { user: user.user_id, json: true }, [])).toBe('done');
    expect(lines[0]).toBe(`${user.user_id}: 1 events`);
    expect(lines[1]).toContain('Would move 1 of 1 events ahead');
    expect(JSON.parse(lines[3] ?? '')).toMatchObject({ moved: 1, zones: { [ZONE]: 1 } });
  });

  test('keeps what a release of the zone data said, once', async () => {
    const { db } = app.database.handle;
    await rememberZones(db);
    await rememberZones(db);
    const rows = await db.selectFrom('zone_rules').select('release').execute();
    expect(rows.map((row) => row.release).toSorted()).toEqual([zoneRelease(), 'old'].toSorted());
  });
});
