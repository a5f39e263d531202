/**
 * CalDAV with a real Thunderbird, which runs its own code on the calendars of the service: it finds them, shows what an agent
 * proposes, and moves, confirms and deletes it. Skipped where Debian's package thunderbird is not here.
 */
import { spawnSync } from 'node:child_process';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { anApp, type TestApp } from '../support/app.ts';
import { aDavUser, CALENDAR, fileOf, vevent, type DavUser } from '../support/dav.ts';
import { callTool, mcpClient } from '../support/mcp.ts';
import { aThunderbird, type Thunderbird } from '../support/thunderbird.ts';

const PROGRAM = process.env['THUNDERBIRD'] ?? 'thunderbird';
const isHere = spawnSync(PROGRAM, ['--version']).status === 0;
if (!isHere) console.warn('skipped, Thunderbird is not here: apt-get install thunderbird, or name it in THUNDERBIRD');

const OWN = 'Almanac';
const PROPOSALS = 'Almanac: proposals';

let app: TestApp;
let user: DavUser;
let thunderbird: Thunderbird;

/** Runs code with the calendar of a name as `calendar`, its items as `items`, and one of a title as `item`. */
const within = (name: string, title: string, code: string, ...args: unknown[]): Promise<unknown> =>
  thunderbird.run(
    `const [name, title] = args.splice(0, 2);
     const calendar = cal.manager.getCalendars().find((one) => one.name === name);
     const items = await calendar.getItemsAsArray(Ci.calICalendar.ITEM_FILTER_ALL_ITEMS, 0, null, null);
     const item = items.find((one) => one.title === title);
     ${code}`,
    name,
    title,
    ...args,
  );

type Shown = { title: string; status: string; start: string; description: string | null };
/** What a calendar shows, sorted by time. */
const shown = (name: string): Promise<Shown[]> =>
  within(
    name,
    '',
    `return items
       .map((one) => ({
         title: one.title, status: one.status, start: one.startDate.icalString, description: one.getProperty('DESCRIPTION'),
       }))
       .sort((a, b) => (a.start < b.start ? -1 : 1));`,
  ) as Promise<Shown[]>;

const titles = async (name: string): Promise<string[]> => (await shown(name)).map(({ title }) => title);

/** Synchronises until a calendar shows these titles, soonest first. */
const shows = (name: string, expected: string[]): Promise<void> =>
  vi.waitFor(
    async () => {
      await within(name, '', 'calendar.refresh();');
      expect(await titles(name)).toEqual(expected);
    },
    { timeout: 30_000, interval: 500 },
  );

/** Changes an item as the dialog of Thunderbird does, and answers how it is then, or why not. */
const change = (name: string, title: string, code: string, ...args: unknown[]): Promise<unknown> =>
  within(
    name,
    title,
    `const copy = item.clone();
     ${code}
     try {
       const made = await calendar.modifyItem(copy, item);
       return [made.status, made.startDate.icalString];
     } catch (error) {
       return String(error);
     }`,
    ...args,
  );

const TO = `const length = copy.duration;
  copy.startDate = cal.createDateTime(args[0]).getInTimezone(item.startDate.timezone);
  const end = copy.startDate.clone();
  end.addDuration(length);
  copy.endDate = end;`;

/** Answers the dialog that asks whether to overwrite what somebody else has changed. */
const ANSWER = `
  const asked = (window) => {
    Services.ww.unregisterNotification(asked);
    window.addEventListener('load', () => window.setTimeout(() => window.document.querySelector('dialog')[args[0]]()));
  };
  Services.ww.registerNotification(asked);`;

/** An agent proposes by MCP. */
const propose = async (...actions: { title: string; scheduled_for: string }[]): Promise<string[]> => {
  const agent = await mcpClient(app.url, user.agent.token);
  const asked = actions.map((one) => ({
    ...{ action_type: 'schedule', reasoning: 'You asked for it.', duration_minutes: 60, ...one },
  }));
  const { value } = await callTool(agent, 'propose', { actions: asked });
  await agent.close();
  return value.plans.map(({ uid }: { uid: string }) => uid);
};

const planOf = async (uid: string) => (await user.get(`/agent/plan?uid=${uid}`).expect(200)).body;

describe.skipIf(!isHere)('Thunderbird', () => {
  beforeAll(async () => {
    app = await anApp();
    user = await aDavUser(app);
    await user
      .post('/calendar/create', { title: 'By REST', scheduled_for: '2026-12-03T10:00', duration_minutes: 30 })
      .expect(201);
    const series = vevent('series', 'RRULE:FREQ=DAILY;COUNT=3', 'SUMMARY:Series', 'DTSTART:20261210T090000Z');
    await user.dav('PUT', `${user.calendar}series.ics`, fileOf(...series), CALENDAR);
    thunderbird = await aThunderbird(PROGRAM);
  }, 120_000);
  afterAll(async () => {
    await thunderbird?.stop();
    await app?.close();
  });

  test('finds the calendars from the bare address, and shows them', { timeout: 60_000 }, async () => {
    const found = await thunderbird.run(
      `const answer = [];
       for (const [provider, calendars] of await cal.provider.detection.detect(...args, true, [], {}))
         for (const calendar of calendars) {
           calendar.setProperty('cache.enabled', true);
           cal.manager.registerCalendar(calendar);
           answer.push([provider.type, calendar.name, calendar.readOnly]);
         }
       return answer;`,
      ...[user.email, user.key, app.url],
    );
    expect(found).toEqual([
      ['caldav', OWN, false],
      ['caldav', PROPOSALS, false],
    ]);
    await shows(OWN, ['By REST', 'Series']);
  });

  test('decides on what an agent proposes', { timeout: 90_000 }, async () => {
    const [moved = '', confirmed = '', deleted = ''] = await propose(
      { title: 'Moved', scheduled_for: '2026-12-01T10:00' },
      { title: 'Confirmed', scheduled_for: '2026-12-02T10:00' },
      { title: 'Deleted', scheduled_for: '2026-12-04T10:00' },
    );
    await shows(PROPOSALS, ['Moved', 'Confirmed', 'Deleted']);
    expect((await shown(PROPOSALS))[0]).toMatchObject({
      status: 'TENTATIVE',
      description: expect.stringContaining('You asked for it.') as string,
    });

    expect(await change(PROPOSALS, 'Moved', TO, '20261201T130000Z')).toEqual(['TENTATIVE', '20261201T140000']);
    expect(await planOf(moved)).toMatchObject({
      status: 'proposed',
      pinned: true,
      scheduled_for: '2026-12-01T13:00:00.000Z',
    });
    expect(await change(PROPOSALS, 'Confirmed', `copy.status = 'CONFIRMED';`)).toEqual([
      'CONFIRMED',
      '20261202T100000',
    ]);
    expect(await planOf(confirmed)).toMatchObject({ status: 'executed', decision: { code: 'user' } });
    await within(PROPOSALS, 'Deleted', 'await calendar.deleteItem(item);');
    expect(await planOf(deleted)).toMatchObject({ status: 'rejected', decision: { code: 'user' } });

    await shows(PROPOSALS, ['Moved']);
    await shows(OWN, ['Confirmed', 'By REST', 'Series']);

    // What was moved is confirmed where it is now.
    await change(PROPOSALS, 'Moved', `copy.status = 'CONFIRMED';`);
    await shows(PROPOSALS, []);
    await shows(OWN, ['Moved', 'Confirmed', 'By REST', 'Series']);
    const { linked_event_uid } = await planOf(moved);
    expect((await user.get(`/calendar/event?uid=${linked_event_uid}`).expect(200)).body).toMatchObject({
      title: 'Moved',
      scheduled_for: '2026-12-01T13:00:00.000Z',
    });
  });

  test.each(['cancelDialog', 'acceptDialog'])(
    'decides nothing by a copy that is out of date (%s)',
    { timeout: 60_000 },
    async (answer) => {
      const [title, changed] = [`Stale ${answer}`, `Changed ${answer}`];
      const [uid = ''] = await propose({ title, scheduled_for: '2026-12-07T10:00' });
      await shows(PROPOSALS, [title]);
      await user.agent.patch('/memory/edit', { uid, updates: { title: changed } }).expect(200);
      await change(PROPOSALS, title, ANSWER + `copy.status = 'CONFIRMED';`, answer);
      expect(await planOf(uid)).toMatchObject({ status: 'proposed', title: changed });
      await shows(PROPOSALS, [changed]);
      await within(PROPOSALS, changed, 'await calendar.deleteItem(item);');
    },
  );

  test('writes, changes and removes events', { timeout: 60_000 }, async () => {
    const event = fileOf(...vevent('by-thunderbird', 'SUMMARY:By Thunderbird', 'DTSTART:20261208T090000Z'));
    const add = (name: string) =>
      within(
        name,
        '',
        `const parser = Cc['@mozilla.org/calendar/ics-parser;1'].createInstance(Ci.calIIcsParser);
         parser.parseString(args[0]);
         try { await calendar.addItem(parser.getItems()[0]); return 'added'; } catch (error) { return 'refused'; }`,
        event,
      );
    expect(await add(PROPOSALS)).toBe('refused');
    expect(await add(OWN)).toBe('added');
    const read = async () => (await user.get('/calendar/event?uid=by-thunderbird')).body;
    expect(await read()).toMatchObject({ title: 'By Thunderbird', scheduled_for: '2026-12-08T09:00:00.000Z' });
    expect(await change(OWN, 'By Thunderbird', TO, '20261208T120000Z')).toEqual(['CONFIRMED', '20261208T120000Z']);
    expect(await read()).toMatchObject({ scheduled_for: '2026-12-08T12:00:00.000Z' });

    const second = `const occurrence = item.recurrenceInfo.getOccurrenceFor(cal.createDateTime('20261211T090000Z'));`;
    await within(
      OWN,
      'Series',
      `${second}
       const copy = occurrence.clone();
       copy.title = 'One of them';
       await calendar.modifyItem(copy, occurrence);`,
    );
    const { overrides } = (await user.get('/calendar/event?uid=series').expect(200)).body;
    expect(Object.values(overrides)).toEqual([expect.objectContaining({ title: 'One of them' })]);

    await within(OWN, 'By Thunderbird', 'await calendar.deleteItem(item);');
    await user.get('/calendar/event?uid=by-thunderbird').expect(404);
  });
});
