/** Files as they come over HTTP: the whole corpus twice and on into another account, encodings, compression, bombs. */
import { gzipSync } from 'node:zlib';
import request from 'supertest';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { anApp, aUser, type Client, type TestApp } from '../support/app.ts';
import { calendarText, list, vevent } from '../support/calendar.ts';
import { bytesOf, CORPUS } from '../support/corpus.ts';

let app: TestApp;
beforeAll(async () => {
  app = await anApp();
});
afterAll(() => app.close());

const send = (user: Client, bytes: Uint8Array, headers: Record<string, string> = {}) =>
  request(app.server)
    .post('/calendar/import')
    .set({ Authorization: `Bearer ${user.token}`, 'Content-Type': 'text/calendar', ...headers })
    .serialize((body: unknown) => body as string)
    .send(Buffer.from(bytes) as unknown as string);

type Happening = { uid: string; scheduled_for: string; end: string; title: string };
const WINDOWS = [
  'start=1969-12-01&end=1970-02-01',
  'start=2006-03-01&end=2006-04-30',
  'start=2026-09-01&end=2027-12-31',
];
const happenings = async (user: Client): Promise<string[]> => {
  const found = (await Promise.all(WINDOWS.map((w) => list(user, `${w}&limit=1000`)))).flat() as Happening[];
  return found.map((one) => `${one.scheduled_for} ${one.end} ${one.title}`);
};

type Outcome = { line: number; outcome: string; reason: string | null };

describe('the corpus', () => {
  test.each(CORPUS)('%s goes in once, and on into another account', async (name) => {
    const user = await aUser(app);
    const { status, body: first } = await send(user, bytesOf(name));
    // a web page is no calendar
    expect(status).toBe(name === 'web-page' ? 422 : 200);
    if (status === 422) return expect(first).toMatchObject({ code: 'nothing_imported', created: 0, failed: 1 });
    const taken = first.components.filter((c: Outcome) => !['skipped', 'failed'].includes(c.outcome));
    expect(taken).toHaveLength(first.created + first.updated + first.unchanged);
    expect(first.components).toHaveLength(taken.length + first.skipped + first.failed);
    const left = first.components.filter((c: Outcome) => c.outcome === 'skipped' || c.outcome === 'failed');
    expect(left.every((c: Outcome) => c.line > 0 && c.reason !== null)).toBe(true);

    const again = (await send(user, bytesOf(name)).expect(200)).body;
    expect(again).toMatchObject({ created: 0, updated: 0, unchanged: taken.length, skipped: first.skipped });

    const { text } = await user.get('/calendar/export.ics').expect(200);
    const other = await aUser(app, { timezone: 'Pacific/Auckland' });
    const second = (await send(other, Buffer.from(text)).expect(200)).body;
    expect(second).toMatchObject({ created: taken.length, skipped: 0, failed: 0 });
    expect(await happenings(other)).toEqual(await happenings(user));
    expect((await other.get('/calendar/export.ics').expect(200)).text.match(/^X-.*$/gm)?.toSorted()).toEqual(
      text.match(/^X-.*$/gm)?.toSorted(),
    );
  });
});

describe('an import', () => {
  const single = (summary: string) => calendarText(vevent('UID:one', 'DTSTART:20261123T100000Z', `SUMMARY:${summary}`));
  const titleOf = async (user: Client): Promise<string> =>
    (await user.get('/calendar/event?uid=one').expect(200)).body.title;

  test('reads bytes as what they are, and else as what the sender says', async () => {
    const user = await aUser(app);
    await send(user, Buffer.from(single('Größe'), 'latin1')).expect(200);
    expect(await titleOf(user)).toBe('Größe');
    // windows-1251 cannot be guessed
    const russian = Buffer.concat([
      Buffer.from(single('').split('SUMMARY:')[0] + 'SUMMARY:'),
      Buffer.from([0xca, 0xee, 0xf4, 0xe5]),
    ]);
    const rest = Buffer.from('\r\nSEQUENCE:1\r\nEND:VEVENT\r\nEND:VCALENDAR\r\n');
    await send(user, Buffer.concat([russian, rest]), {
      'Content-Type': 'text/calendar; charset="windows-1251"',
    }).expect(200);
    expect(await titleOf(user)).toBe('Кофе');
    await send(user, Buffer.from(single('x')), { 'Content-Type': 'text/calendar; charset=no-such-thing' }).expect(200);
  });

  test('inflates what was compressed, and no more than 16 MiB of it', async () => {
    const user = await aUser(app);
    await send(user, gzipSync(single('Packed')), { 'Content-Encoding': 'gzip' }).expect(200);
    expect(await titleOf(user)).toBe('Packed');
    const bomb = gzipSync(Buffer.alloc(200 * 1024 * 1024));
    expect(bomb.length).toBeLessThan(300_000);
    expect((await send(user, bomb, { 'Content-Encoding': 'gzip' }).expect(413)).body.code).toBe('body_too_large');
    await send(user, Buffer.from('no gzip'), { 'Content-Encoding': 'gzip' }).expect(400);
    await send(user, Buffer.from(single('x')), { 'Content-Encoding': 'compress' }).expect(415);
  });

  test('under an Idempotency-Key is one import', async () => {
    const user = await aUser(app);
    const key = { 'Idempotency-Key': 'import-1' };
    const first = await send(user, Buffer.from(single('Once')), key).expect(200);
    const again = await send(user, Buffer.from(single('Once')), key).expect(200);
    expect(again.headers['idempotent-replayed']).toBe('true');
    expect(again.body).toEqual(first.body);
    await send(user, Buffer.from(single('Twice')), key).expect(422);
  });

  test('tells of each component what became of it', async () => {
    const user = await aUser(app);
    const series = vevent(
      'UID:s',
      'DTSTART;TZID=Europe/Berlin:20261102T090000',
      'RRULE:FREQ=DAILY;COUNT=5',
      'SUMMARY:s',
    );
    const moved = (day: number, hour: string) =>
      vevent(
        'UID:s',
        `RECURRENCE-ID;TZID=Europe/Berlin:2026110${day}T090000`,
        `DTSTART;TZID=Europe/Berlin:2026110${day}T${hour}0000`,
        'SUMMARY:s',
      );
    const outcomes = async (...components: string[]) =>
      (await send(user, Buffer.from(calendarText(...components))).expect(200)).body.components.map(
        (c: Outcome) => c.outcome,
      );
    expect(await outcomes(series, moved(3, '10'), vevent('UID:bad'))).toEqual(['created', 'created', 'failed']);
    expect(await outcomes(series, moved(3, '10'), moved(4, '11'))).toEqual(['unchanged', 'unchanged', 'created']);
    expect(await outcomes(series, moved(3, '12'), moved(4, '11'), 'BEGIN:VTODO\r\nEND:VTODO')).toEqual([
      'unchanged',
      'updated',
      'unchanged',
      'skipped',
    ]);
    await user.patch('/calendar/edit', { uid: 's', updates: { title: 'Mine' } }).expect(200);
    expect(await outcomes(series, moved(3, '12'))).toEqual(['skipped', 'skipped']);
  });

  test('of hostile texts is kept or refused, and never half', async () => {
    const user = await aUser(app);
    const bytes = Buffer.from(
      calendarText(
        vevent(
          'UID:long',
          'DTSTART:20261123T100000Z',
          `SUMMARY:${'word '.repeat(150_000)}`,
          `DESCRIPTION:${'x'.repeat(900_000)}`,
        ),
        vevent(
          'UID:blob',
          'DTSTART:20261123T100000Z',
          `ATTACH;ENCODING=BASE64;VALUE=BINARY:${'QUJD'.repeat(1_000_000)}`,
        ),
        vevent('UID:__proto__', 'DTSTART:20261123T100000Z', 'SUMMARY:constructor'),
        vevent(
          'UID:script',
          'DTSTART:20261123T100000Z',
          'URL:javascript:alert(1)',
          'SUMMARY:<script>alert(1)</script>',
        ),
        vevent('UID:year', 'DTSTART:00010101T000000Z', 'DTEND:99991231T235959Z'),
      ),
    );
    const { body } = await send(user, bytes).expect(200);
    expect(body).toMatchObject({ created: 4, failed: 1 });
    expect((await user.get('/calendar/event?uid=script').expect(200)).body.url).toBeNull();
    const { text } = await user.get('/calendar/export.ics').expect(200);
    expect(text.replaceAll('\r\n ', '')).toContain(`BINARY:${'QUJD'.repeat(1_000_000)}\r\n`);
    expect((await send(user, bytes).expect(200)).body).toMatchObject({ unchanged: 4, failed: 1 });
  });
});
