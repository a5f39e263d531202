/** Files of other calendar programs taken in: once, the newer wins, the bad told and the good kept. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  aBlock,
  AUTUMN,
  calendarText,
  imported,
  list,
  MOVED,
  SINGLE,
  told,
  vevent,
  WEEKLY,
} from '../support/calendar.ts';
import { shownTo, withHidden } from '../../src/calendar/ics/imported-event.ts';
import type { EventResource } from '../../src/calendar/schemas.ts';
import { blanking, everything } from '../../src/domain/record/blanking.ts';
import { aKey, anApp, aUser, type TestApp } from '../support/app.ts';

let app: TestApp;
beforeAll(async () => {
  app = await anApp();
});
afterAll(() => app.close());

type Told = { line: number; uid: string | null; level: string; message: string };

describe('an import', () => {
  test('takes events, series and moved occurrences in, with trace and ledger', async () => {
    const user = await aUser(app);
    const { body } = await imported(app, user, calendarText(WEEKLY, MOVED, SINGLE)).expect(200);
    const component = 'VEVENT';
    const made = { component, outcome: 'created', reason: null };
    expect(body).toEqual({
      created: 3,
      updated: 0,
      unchanged: 0,
      skipped: 0,
      failed: 0,
      components: [
        { ...made, line: 4, uid: 'weekly', recurrence_id: null },
        { ...made, line: 13, uid: 'weekly', recurrence_id: '2026-10-26T08:00:00.000Z' },
        { ...made, line: 21, uid: 'single', recurrence_id: null },
      ],
      report: [],
    });
    expect(told(await list(user, AUTUMN))).toEqual([
      '2026-10-19T07:00:00.000Z 2026-10-19T07:15:00.000Z Weekly',
      '2026-10-27T10:00:00.000Z 2026-10-27T10:15:00.000Z Weekly, late',
      '2026-11-02T08:00:00.000Z 2026-11-02T08:15:00.000Z Weekly',
      '2026-11-09T08:00:00.000Z 2026-11-09T08:15:00.000Z Weekly',
      '2026-11-21T10:00:00.000Z 2026-11-21T11:00:00.000Z Single',
    ]);
    const { body: traces } = await user.get('/memory/pull?type=calendar_event').expect(200);
    expect(traces).toHaveLength(2);
    expect(traces[0].origin).toBe('import');
    const { text } = await user.get('/calendar/export.ics').expect(200);
    expect(text).toContain('X-COLOUR:red\r\n');
  });

  test('again changes nothing; newer wins; older is told and left out', async () => {
    const user = await aUser(app);
    await imported(app, user, calendarText(WEEKLY, MOVED, SINGLE)).expect(200);
    expect((await imported(app, user, calendarText(WEEKLY, MOVED, SINGLE))).body).toMatchObject({
      created: 0,
      updated: 0,
      unchanged: 3,
    });
    const newer = SINGLE.replace('SUMMARY:Single', 'SUMMARY:Single, renamed\r\nSEQUENCE:3');
    expect((await imported(app, user, calendarText(newer))).body).toMatchObject({ updated: 1 });
    expect((await imported(app, user, calendarText(newer))).body).toMatchObject({ unchanged: 1 });
    const { body } = await imported(app, user, calendarText(SINGLE)).expect(200);
    expect(body).toMatchObject({ updated: 0, skipped: 1, report: [{ uid: 'single', level: 'info', line: 4 }] });
    const read = (await user.get('/calendar/event?uid=single').expect(200)).body;
    expect(read).toMatchObject({ title: 'Single, renamed', version: 2, sequence: 3 });
    expect(read.ics).toBeUndefined();
    // What was changed here since is newer than the file.
    await user.patch('/calendar/edit', { uid: 'single', updates: { title: 'Mine' } }).expect(200);
    expect((await imported(app, user, calendarText(newer))).body).toMatchObject({ skipped: 1 });
    // What was removed here comes back only because it is imported again.
    await user.delete('/calendar/remove?uid=single').expect(200);
    expect((await imported(app, user, calendarText(newer))).body).toMatchObject({ created: 1 });
    expect((await user.get('/calendar/event?uid=single').expect(200)).body).toMatchObject({
      title: 'Single, renamed',
      version: 5,
    });
  });

  test('of occurrences before their series puts them together', async () => {
    const user = await aUser(app);
    const other = MOVED.replaceAll('20261026', '20261102')
      .replace('20261027T11', '20261103T12')
      .replace('late', 'later');
    expect((await imported(app, user, calendarText(MOVED, other))).body).toMatchObject({ created: 2, skipped: 0 });
    expect((await list(user, AUTUMN)).map((o) => o.title)).toEqual(['Weekly, late', 'Weekly, later']);
    expect((await imported(app, user, calendarText(MOVED, other))).body).toMatchObject({ unchanged: 2 });
    await imported(app, user, calendarText(WEEKLY)).expect(200);
    expect((await list(user, AUTUMN)).map((o) => o.title)).toEqual([
      'Weekly',
      'Weekly, late',
      'Weekly, later',
      'Weekly',
    ]);
  });

  describe('of a moved occurrence that its series has removed since', () => {
    const at = (sequence: number, ...lines: string[]) => vevent('UID:weekly', `SEQUENCE:${sequence}`, ...lines);
    const series = at(
      2,
      'DTSTART;TZID=Europe/Berlin:20261019T090000',
      'RRULE:FREQ=WEEKLY;COUNT=2',
      'EXDATE;TZID=Europe/Berlin:20261026T090000',
      'SUMMARY:Weekly',
    );
    const moved = (sequence: number, ...lines: string[]) =>
      at(
        sequence,
        'RECURRENCE-ID;TZID=Europe/Berlin:20261026T090000',
        'DTSTART;TZID=Europe/Berlin:20261027T110000',
        'SUMMARY:Moved',
        ...lines,
      );
    const OLD = ['Weekly'];
    const NEW = ['Weekly', 'Moved'];

    test.each([
      [1, OLD],
      [2, NEW],
      [3, NEW],
    ])('with SEQUENCE:%i, in one file or two', async (sequence, titles) => {
      for (const files of [
        [calendarText(series, moved(sequence))],
        [calendarText(moved(sequence), series)],
        [calendarText(series), calendarText(moved(sequence))],
        [calendarText(moved(sequence)), calendarText(series)],
      ]) {
        const user = await aUser(app);
        for (const file of files) await imported(app, user, file).expect(200);
        const listed = async () => (await list(user, AUTUMN)).map(({ title }) => title);
        expect(await listed()).toEqual(titles);
        const { text } = await user.get('/calendar/export.ics').expect(200);
        expect((await imported(app, user, text).expect(200)).body).toMatchObject({
          created: 0,
          updated: 0,
          skipped: 0,
        });
        const other = await aUser(app);
        await imported(app, other, text).expect(200);
        expect((await list(other, AUTUMN)).map(({ title }) => title)).toEqual(titles);
      }
    });

    test('says of the old occurrence that it was left out', async () => {
      const user = await aUser(app);
      await imported(app, user, calendarText(series)).expect(200);
      const { body } = await imported(app, user, calendarText(moved(1))).expect(200);
      const message = 'A newer version of the series has removed this occurrence.';
      expect(body).toMatchObject({
        ...{ skipped: 1, updated: 0, unchanged: 0 },
        components: [{ line: 4, outcome: 'skipped', reason: message }],
        report: [{ line: 4, level: 'warning', message }],
      });
    });

    test('where Almanac removed it: the old file does not bring it back', async () => {
      const user = await aUser(app);
      const whole = series.replace(/EXDATE[^\r]*\r\n/, '').replace('SEQUENCE:2', 'SEQUENCE:0');
      await imported(app, user, calendarText(whole, moved(0))).expect(200);
      const removal = 'uid=weekly&scope=this&recurrence_id=2026-10-26T08:00:00.000Z';
      await user.delete(`/calendar/remove?${removal}`).expect(200);
      const { text } = await user.get('/calendar/export.ics').expect(200);
      await imported(app, user, text).expect(200);
      for (const file of [calendarText(whole, moved(0)), calendarText(moved(0))])
        expect((await imported(app, user, file).expect(200)).body).toMatchObject({ created: 0, updated: 0 });
      expect((await list(user, AUTUMN)).map(({ title }) => title)).toEqual(OLD);
    });

    test('a cancelled one stays cancelled, by its STATUS or by the METHOD of its file', async () => {
      const cancel = calendarText('METHOD:CANCEL', moved(1));
      const whole = series.replace(/EXDATE[^\r]*\r\n/, '');
      for (const files of [
        [calendarText(whole, moved(2, 'STATUS:CANCELLED'))],
        [calendarText(whole.replace('SEQUENCE:2', 'SEQUENCE:1')), cancel],
      ]) {
        const user = await aUser(app);
        for (const file of files) await imported(app, user, file).expect(200);
        const busy = await user.get('/calendar/freebusy?start=2026-10-25&end=2026-10-31').expect(200);
        expect(busy.body.busy ?? busy.body).toEqual([]);
      }
    });
  });

  test('reads floating times in the zone named, else in the user’s', async () => {
    const user = await aUser(app);
    const floating = (uid: string) =>
      calendarText(vevent(`UID:${uid}`, 'DTSTART:20261123T100000', 'DURATION:PT1H', 'SUMMARY:x'));
    await imported(app, user, floating('a')).expect(200);
    await imported(app, user, floating('b'), '?timezone=Asia/Tokyo').expect(200);
    expect((await list(user, AUTUMN)).map((o) => [o.uid, o.scheduled_for])).toEqual([
      ['b', '2026-11-23T01:00:00.000Z'],
      ['a', '2026-11-23T09:00:00.000Z'],
    ]);
  });

  test('displaces agents’ blocks as any event of a person does', async () => {
    const user = await aUser(app);
    await aBlock(user, 'Write', '2026-11-23T10:00');
    await imported(
      app,
      user,
      calendarText(vevent('UID:d', 'DTSTART;TZID=Europe/Berlin:20261123T103000', 'DURATION:PT1H', 'SUMMARY:Dentist')),
    ).expect(200);
    expect((await list(user, AUTUMN)).map((o) => o.title)).toEqual(['Dentist']);
    expect((await user.get('/agent/queue')).body).toHaveLength(1);
  });

  test('tells what is bad with its line, and takes what is good', async () => {
    const user = await aUser(app);
    const { body } = await imported(
      app,
      user,
      calendarText(
        vevent('UID:no-start', 'SUMMARY:x'),
        vevent('UID:never', 'DTSTART:20261123T100000Z', 'RRULE:FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=30'),
        vevent(`UID:${'u'.repeat(300)}`, 'DTSTART:20261123T100000Z'),
        vevent('UID:bad-end', 'DTSTART:20261123T100000Z', 'DTEND:20261122T100000Z'),
        'BEGIN:VTODO\r\nUID:todo\r\nEND:VTODO',
        vevent('UID:late', 'DTSTART:99991231T230000Z', 'DURATION:P9D'),
        SINGLE,
        vevent('UID:tags', 'DTSTART:20261123T100000Z', `CATEGORIES:ok,${'t'.repeat(200)}`),
      ),
    ).expect(200);
    expect(body).toMatchObject({ created: 3, skipped: 1, failed: 4 });
    expect(body.report.filter((one: Told) => one.level === 'error').map((one: Told) => one.uid?.slice(0, 8))).toEqual(
      expect.arrayContaining(['no-start', 'uuuuuuuu', 'bad-end', 'late']),
    );
    expect(body.report.every((one: Told) => one.line > 0 && one.message.length > 0)).toBe(true);
    expect((await list(user, AUTUMN)).map((o) => o.title)).toEqual(['Single', '(no title)', '(no title)']);
  });

  test('holds a series that never happens, a rule that is not computed, nominal days and ends with seconds', async () => {
    const user = await aUser(app);
    const start = (day: string) => `DTSTART;TZID=Europe/Berlin:202611${day}T100000`;
    const text = calendarText(
      vevent('UID:gone', start('23'), 'RRULE:FREQ=WEEKLY;UNTIL=20261101', 'SUMMARY:Gone'),
      vevent('UID:feast', start('24'), 'RRULE:RSCALE=HEBREW;FREQ=YEARLY', 'SUMMARY:Feast'),
      vevent('UID:camp', 'DTSTART;TZID=Europe/Berlin:20261017T100000', 'DURATION:P1D', 'RRULE:FREQ=WEEKLY;COUNT=2'),
      vevent('UID:late', start('26'), 'DTEND;TZID=Europe/Berlin:20261126T235959', 'SUMMARY:Late'),
    );
    const { body } = await imported(app, user, text).expect(200);
    expect(body).toMatchObject({ created: 4, failed: 0 });
    const found = await list(user, 'start=2026-10-01T00:00:00Z&end=2026-12-31T00:00:00Z');
    expect(found.map(({ uid, end }) => `${uid} ${end}`)).toEqual([
      'camp 2026-10-18T08:00:00.000Z',
      'camp 2026-10-25T09:00:00.000Z',
      'feast 2026-11-24T09:00:00.000Z',
      'late 2026-11-26T22:59:59.000Z',
    ]);
    expect((await imported(app, user, text).expect(200)).body).toMatchObject({ created: 0, updated: 0 });
    const out = (await user.get('/calendar/export.ics')).text;
    expect(out).toMatch(/^DURATION:P1D\r$/m);
    expect(out).toMatch(/^RRULE:RSCALE=HEBREW;FREQ=YEARLY\r$/m);
    await user
      .patch('/calendar/edit', { uid: 'feast', scope: 'all', updates: { rrule: 'FREQ=DAILY;COUNT=2' } })
      .expect(200);
    expect((await user.get('/calendar/export.ics')).text).not.toContain('HEBREW');
  });

  test('of what is no calendar changes nothing', async () => {
    const user = await aUser(app);
    const { body } = await imported(app, user, 'hello').expect(422);
    expect(body).toMatchObject({
      code: 'nothing_imported',
      created: 0,
      failed: 1,
      components: [{ line: 1, outcome: 'failed', reason: 'The text contains no VCALENDAR.' }],
      report: [{ level: 'error' }],
    });
    const bad = calendarText(vevent('UID:no-start'), vevent('UID:bad', 'DTSTART:yesterday'));
    const refused = (await imported(app, user, bad).expect(422)).body;
    expect(refused).toMatchObject({ code: 'nothing_imported', failed: 2 });
    expect(refused.components.map((one: Told) => one.uid)).toEqual(['no-start', 'bad']);
    expect((await imported(app, user, calendarText()).expect(200)).body).toMatchObject({ failed: 0, components: [] });
    expect((await user.get('/memory/pull')).body).toEqual([]);
    await imported(app, user, '').expect(422);
    await imported(app, user, 'BEGIN:VCALENDAR\r\n\0').expect(200);
    expect(await list(user, AUTUMN)).toEqual([]);
  });

  test.each([
    ['an occurrence before the year 1', ['DTSTART:20261201T100000Z', 'RRULE:FREQ=DAILY', 'RDATE:00000101T000000Z']],
    ['another start before the year 1', ['DTSTART:20261201T100000Z', 'RDATE:00000101T000000Z']],
    ['an offset beside a zone', ['DTSTART;TZID=Europe/Berlin:20261201T100000+0500']],
  ])('%s is told, and the rest goes in', async (_name, lines) => {
    const user = await aUser(app);
    const { body } = await imported(app, user, calendarText(vevent('UID:odd', ...lines), SINGLE)).expect(200);
    expect(body).toMatchObject({ created: 1, failed: 1 });
    expect(body.components.find((one: Told) => one.uid === 'odd')).toMatchObject({ outcome: 'failed' });
  });

  test('a changed occurrence before the year 1 is told, and the rest goes in', async () => {
    const user = await aUser(app);
    const series = vevent('UID:odd', 'DTSTART:20261201T100000Z', 'RRULE:FREQ=DAILY');
    const changed = (start: string, ...more: string[]) =>
      calendarText(series, vevent('UID:odd', 'RECURRENCE-ID:20261202T100000Z', `DTSTART:${start}`, ...more), SINGLE);
    const early = (await imported(app, user, changed('00000101T000000Z')).expect(200)).body;
    expect(early).toMatchObject({ created: 1, failed: 2 });
    const late = (await imported(app, user, changed('99991231T235959Z', 'DURATION:PT1H')).expect(200)).body;
    expect(late).toMatchObject({ unchanged: 1, failed: 2 });
  });

  test.each(['Pacific/Kiritimati', 'Pacific/Auckland'])('refuses what ends in the year 10000 in %s', async (zone) => {
    const user = await aUser(app);
    const event = vevent('UID:last', `DTSTART;TZID=${zone}:99991231T235959`, 'DURATION:PT1H');
    const { body } = await imported(app, user, calendarText(event, SINGLE)).expect(200);
    expect(body).toMatchObject({ created: 1, failed: 1 });
  });

  test.each(['99991218T100000Z', '99991231T100000Z', '99991231T235959Z'])('takes what starts at %s', async (start) => {
    const user = await aUser(app);
    const { body } = await imported(app, user, calendarText(vevent('UID:last', `DTSTART:${start}`))).expect(200);
    expect(body).toMatchObject({ created: 1, failed: 0 });
  });

  test('needs its own type, its scope, and fits in 16 MiB', async () => {
    const user = await aUser(app);
    await user.post('/calendar/import', { text: 'x' }).expect(415);
    await imported(app, user.agent, calendarText(SINGLE)).expect(403);
    expect((await imported(app, user, 'x'.repeat(17 * 1024 * 1024)).expect(413)).body.code).toBe('body_too_large');
  });

  test('of thousands of events is one write', async () => {
    const user = await aUser(app);
    const many = Array.from({ length: 1_500 }, (_, i) =>
      vevent(
        `UID:many-${i}`,
        `DTSTART:202611${String(1 + (i % 28)).padStart(2, '0')}T${String(i % 24).padStart(2, '0')}0000Z`,
        'DURATION:PT30M',
        `SUMMARY:Event ${i}`,
      ),
    );
    expect((await imported(app, user, calendarText(...many)).expect(200)).body).toMatchObject({
      created: 1_500,
      skipped: 0,
    });
    expect((await imported(app, user, calendarText(...many)).expect(200)).body).toMatchObject({ unchanged: 1_500 });
    const first = await user.get(`/calendar/events?${AUTUMN}&limit=1000`).expect(200);
    expect(first.body).toHaveLength(1_000);
    expect(first.headers['link']).toContain('rel="next"');
  });
});

describe('an import by a credential that is not shown everything', () => {
  const NAMES = ['Zoë Quist', 'Zebulonia'];
  const START = ['UID:weekly', 'DTSTART:20261019T080000Z', 'DURATION:PT15M'];
  const occurrence = (day: string, ...lines: string[]) =>
    vevent(
      'UID:weekly',
      `RECURRENCE-ID:202610${day}T080000Z`,
      `DTSTART:202610${day}T090000Z`,
      'DURATION:PT15M',
      ...lines,
    );
  const series = (...lines: string[]) => vevent(...START, 'RRULE:FREQ=WEEKLY;COUNT=4', ...lines);
  const stored = async (...components: string[]) => {
    const user = await aUser(app);
    const traces = NAMES.map((authored_by) => ({ type: 'observation', content: 'x', authored_by }));
    await user.post('/memory/push', { traces }).expect(201);
    await imported(app, user, calendarText(...components)).expect(200);
    const blind = await aKey(app, user, 'user', ['calendar:read', 'calendar:write']);
    const event = async () => (await user.get('/calendar/event?uid=weekly').expect(200)).body;
    const shown = async () => (await blind.get('/calendar/export.ics').expect(200)).text;
    return { user, blind, event, shown };
  };

  test('adds an occurrence to a series whose texts it does not send', async () => {
    const late = occurrence('26', 'SUMMARY:Late with Zebulonia', 'DESCRIPTION:Zebulonia');
    const { blind, event } = await stored(series('SUMMARY:Call with Zoë Quist', 'X-NOTE:Zoë Quist'), late);
    const before = await event();
    const other = occurrence('19', 'SUMMARY:Other');
    expect((await imported(app, blind, calendarText(other)).expect(200)).body).toMatchObject({ created: 1 });
    const { title, overrides } = await event();
    expect(title).toBe('Call with Zoë Quist');
    expect(overrides['2026-10-26T08:00:00.000Z']).toEqual(before.overrides['2026-10-26T08:00:00.000Z']);
    expect(overrides['2026-10-19T08:00:00.000Z']).toMatchObject({ title: 'Other' });
    // What it does send it cannot change where it is not shown all of it.
    const changed = occurrence('26', 'SUMMARY:Late with nobody', 'DESCRIPTION:[redacted]');
    const { body } = await imported(app, blind, calendarText(changed)).expect(422);
    expect(body.components[0].reason).toContain('overrides');
  });

  test('learns from an occurrence neither that a guess is right nor that it is wrong', async () => {
    const { blind, event } = await stored(series('SUMMARY:Call with Zoë Quist'));
    for (const [day, name] of Object.entries({ 19: 'Zoë Quist', 26: 'Somebody' }))
      await imported(app, blind, calendarText(occurrence(day, `SUMMARY:Call with ${name}`))).expect(200);
    const { overrides } = await event();
    expect(Object.values<object>(overrides).map((own) => Object.keys(own).sort())).toEqual([
      ['local_start', 'scheduled_for', 'timezone', 'title'],
      ['local_start', 'scheduled_for', 'timezone', 'title'],
    ]);
  });

  test('changes nothing with the file that was exported for it', async () => {
    const { blind, event, shown } = await stored(
      series('SUMMARY:Call with Zoë Quist', 'CATEGORIES:Zoë Quist,Zebulonia,talks'),
      occurrence('26', 'SUMMARY:Call with Zebulonia', 'CATEGORIES:Zoë Quist'),
    );
    const before = await event();
    expect(before.tags).toEqual([...NAMES, 'talks']);
    const text = await shown();
    expect(text).not.toMatch(/quist|zebulonia/i);
    expect((await imported(app, blind, text).expect(200)).body).toMatchObject({ unchanged: 2, updated: 0 });
    expect(await event()).toEqual(before);
    // Where it removes what it is not shown, or guesses, the answer is the same.
    for (const tags of ['talks', 'Zoë Quist,Zebulonia,talks', 'Somebody,talks']) {
      const sent = text.replace(/CATEGORIES:[^\r]*talks/, `CATEGORIES:${tags}`);
      expect((await imported(app, blind, sent).expect(422)).body.components[0].reason).toContain('value of tags');
    }
    expect(await event()).toEqual(before);
  });

  test('keeps an occurrence that was there before its series', async () => {
    const { blind, event } = await stored(occurrence('26', 'SUMMARY:Late with Zebulonia', 'CATEGORIES:Zebulonia'));
    const added = await imported(app, blind, calendarText(series('SUMMARY:Call'))).expect(200);
    expect(added.body).toMatchObject({ failed: 0 });
    const { title, overrides } = await event();
    expect(title).toBe('Call');
    expect(overrides['2026-10-26T08:00:00.000Z']).toMatchObject({ title: 'Late with Zebulonia', tags: ['Zebulonia'] });
  });

  test('compares one override after the other, and nothing for a credential that is shown everything', async () => {
    const { event } = await stored(WEEKLY);
    const days = Array.from({ length: 200 }, (_, n) => new Date(Date.UTC(2026, 0, 1 + n)).toISOString());
    const own = { title: 'Late with Zebulonia' };
    const there: EventResource = { ...(await event()), overrides: Object.fromEntries(days.map((id) => [id, own])) };
    const walked = <T>(work: Generator<undefined, T>): { steps: number; value: T } => {
      for (let steps = 0; ; steps += 1) {
        const { done, value } = work.next();
        if (done) return { steps, value };
      }
    };
    const hiding = blanking(() => (text) => (text.endsWith('Zebulonia') ? [[text.length - 9, text.length]] : []));
    const shown = walked(shownTo(hiding, there));
    expect(shown.value?.overrides[days[0]!]).toEqual({ title: 'Late with [redacted]' });
    const sent = walked(withHidden(shown.value!, there, shown.value));
    expect(sent.value.overrides).toEqual(there.overrides);
    expect([shown.steps, sent.steps]).toEqual([200, 200]);
    expect(walked(shownTo(everything, there))).toEqual({ steps: 0, value: there });
    const made = { ...there };
    expect(walked(withHidden(made, there, there)).value).toBe(made);
  });
});

describe('a uid of a client', () => {
  const WRONG = ['a\nb', 'a\u0001b', 'a\u007fb', ' ab', 'ab\t', '\u00a0ab', '\n'];
  const message = 'must not contain control characters, or begin or end with white space';

  test.each(WRONG)('is refused where no calendar file can hold it: %j', async (uid) => {
    const user = await aUser(app);
    const actions = [{ uid, action_type: 'schedule', title: 'x' }];
    const plan = { uid, type: 'agent_plan', action_type: 'schedule', title: 'x', content: 'x' };
    for (const [asked, path] of [
      [user.post('/calendar/create', { uid, title: 'x', scheduled_for: '2026-12-01T10:00Z' }), '/uid'],
      [user.post('/memory/push', { traces: [{ uid, type: 'observation', content: 'x' }] }), '/traces/0/uid'],
      [user.post('/memory/push', { traces: [plan] }), '/traces/0/uid'],
      [user.agent.post('/agent/plan', { actions }), '/actions/0/uid'],
    ] as const) {
      const { body } = await asked.expect(422);
      expect(body.errors).toEqual([expect.objectContaining({ path, message })]);
    }
  });

  test('of an earlier release is a record where a trace has it, and no proposal', async () => {
    const user = await aUser(app);
    const plan = {
      type: 'agent_plan',
      content: 'x',
      title: 'x',
      action_type: 'log',
      status: 'proposed',
      origin: 'user',
    };
    const traces = ['p', 'p\n'].map((uid) => ({ ...plan, uid, timestamp: '2026-11-01T10:00Z' }));
    await user.post('/memport/import', { traces }).expect(200);
    const { body } = await user.get('/memory/pull?type=agent_plan&order=asc').expect(200);
    const origins = body.map(({ uid, origin }: { uid: string; origin: string }) => [uid, origin]);
    expect(Object.fromEntries(origins)).toEqual({ p: 'user', 'p\n': 'import' });
  });

  test('of a file comes back from it, with a line break too', async () => {
    const user = await aUser(app);
    const named = (uid: string) => SINGLE.replace('UID:single', `UID:${uid}`);
    await imported(app, user, calendarText(named('ab'), named('a\\nb'))).expect(200);
    const { text } = await user.get('/calendar/export.ics').expect(200);
    expect((await imported(app, user, text).expect(200)).body).toMatchObject({ created: 0, unchanged: 2 });
    const other = await aUser(app);
    expect((await imported(app, other, text).expect(200)).body).toMatchObject({ created: 2 });
    const { body } = await other.get('/calendar/event?uid=a%0Ab').expect(200);
    expect(body).toMatchObject({ uid: 'a\nb', title: 'Single' });
  });
});
