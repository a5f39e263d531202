/**
 * Two-way synchronisation with real programs: vdirsyncer keeps folders of files equal to the calendars, and khal writes an event
 * into one of them. Skipped where Debian's packages vdirsyncer and khal are not here.
 */
import { execFile, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { anApp, type TestApp } from '../support/app.ts';
import { aDavUser, CALENDAR, fileOf, vevent, type DavUser } from '../support/dav.ts';

const missing = ['vdirsyncer', 'khal'].filter((program) => spawnSync(program, ['--version']).status !== 0);
if (missing.length) console.warn(`skipped, ${missing.join(' and ')} is not here: apt-get install vdirsyncer khal`);

const run = promisify(execFile);
const folder = mkdtempSync(join(tmpdir(), 'almanac-vdirsyncer-'));
let app: TestApp;
let user: DavUser;

beforeAll(async () => {
  app = await anApp();
  user = await aDavUser(app);
});
afterAll(async () => {
  await app.close();
  rmSync(folder, { recursive: true });
});

/** A device with its own folder of files. */
const aDevice = async (name: string) => {
  const at = join(folder, name);
  const config = join(at, 'vdirsyncer');
  for (const collection of ['calendar', 'agent-plan']) mkdirSync(join(at, 'files', collection), { recursive: true });
  writeFileSync(
    config,
    `[general]
status_path = "${at}/status/"
[pair cal]
a = "local"
b = "remote"
collections = ["from b"]
conflict_resolution = "b wins"
[storage local]
type = "filesystem"
path = "${at}/files/"
fileext = ".ics"
[storage remote]
type = "caldav"
url = "${app.url}/"
username = "${user.email}"
password = "${user.key}"
`,
  );
  await run('vdirsyncer', ['-c', config, 'discover'], { timeout: 60_000 });
  const files = (collection: string): string[] =>
    readdirSync(join(at, 'files', collection)).filter((one) => one.endsWith('.ics'));
  const read = (collection: string, file: string): string => readFileSync(join(at, 'files', collection, file), 'utf8');
  return {
    at,
    sync: () => run('vdirsyncer', ['-c', config, 'sync'], { timeout: 60_000 }),
    all: (collection: string): string =>
      files(collection)
        .map((file) => read(collection, file))
        .join(''),
    /** Changes the file that contains a text; null removes it. */
    change: (collection: string, text: string, change: ((file: string) => string) | null): void => {
      const file = files(collection).find((one) => read(collection, one).includes(text)) ?? '';
      const path = join(at, 'files', collection, file);
      if (change) writeFileSync(path, change(read(collection, file)));
      else rmSync(path);
    },
    add: (collection: string, file: string, text: string): void =>
      writeFileSync(join(at, 'files', collection, file), text),
  };
};

describe.skipIf(missing.length > 0)('vdirsyncer', () => {
  test('keeps two devices and the service equal, and khal writes an event', { timeout: 180_000 }, async () => {
    await user
      .post('/calendar/create', {
        uid: 'by-rest',
        title: 'By REST',
        scheduled_for: '2026-12-03T10:00',
        duration_minutes: 30,
      })
      .expect(201);
    await user.dav(
      'PUT',
      `${user.calendar}name%40of-its-own.ics`,
      fileOf(...vevent('a@b', 'X-FOO:bare,comma')),
      CALENDAR,
    );
    const [one, two] = [await aDevice('one'), await aDevice('two')];
    await one.sync();
    await two.sync();
    expect(one.all('calendar')).toContain('X-FOO:bare,comma');
    one.add('calendar', 'new.ics', fileOf(...vevent('from-one', 'SUMMARY:From one', 'RRULE:FREQ=DAILY;COUNT=3')));
    one.change('calendar', 'By REST', (text) => text.replace('By REST', 'By one'));
    two.change('calendar', 'UID:a@b', null);
    const khal = join(two.at, 'khal');
    writeFileSync(
      khal,
      `[calendars]\n[[cal]]\npath = ${two.at}/files/calendar\n[locale]\nlocal_timezone = Europe/Berlin\ndefault_timezone = Europe/Berlin\ntimeformat = %H:%M\ndateformat = %Y-%m-%d\nlongdateformat = %Y-%m-%d\ndatetimeformat = %Y-%m-%d %H:%M\nlongdatetimeformat = %Y-%m-%d %H:%M\n[sqlite]\npath = ${two.at}/khal.db\n`,
    );
    await run('khal', ['-c', khal, 'new', '-a', 'cal', '2026-12-05', '09:00', '10:00', 'By khal'], { timeout: 60_000 });
    for (const device of [one, two, one]) await device.sync();
    expect((await user.get('/calendar/event?uid=by-rest').expect(200)).body.title).toBe('By one');
    await user.get('/calendar/event?uid=a@b').expect(404);
    const day = (await user.get('/calendar/events?start=2026-12-05&end=2026-12-05').expect(200)).body;
    expect(day.map(({ title }: { title: string }) => title)).toEqual(['By khal', 'From one']);
    for (const title of ['By khal', 'From one', 'By one'])
      for (const device of [one, two]) expect(device.all('calendar')).toContain(`SUMMARY:${title}`);
    expect(one.all('calendar')).not.toContain('UID:a@b');
  });

  test('decides on proposals: moves one, confirms one, deletes one', { timeout: 120_000 }, async () => {
    const device = await aDevice('three');
    const actions = ['Moved', 'Confirmed', 'Deleted'].map((title, i) => ({
      ...{ action_type: 'schedule', title, scheduled_for: `2026-12-1${i}T10:00`, duration_minutes: 60 },
    }));
    const plans = (await user.agent.post('/agent/plan', { actions }).expect(200)).body as { uid: string }[];
    await device.sync();
    device.change('agent-plan', 'SUMMARY:Moved', (text) =>
      text.replaceAll('T100000', 'T140000').replaceAll('T110000', 'T150000'),
    );
    device.change('agent-plan', 'SUMMARY:Confirmed', (text) => text.replace('TENTATIVE', 'CONFIRMED'));
    device.change('agent-plan', 'SUMMARY:Deleted', null);
    await device.sync();
    const now = await Promise.all(
      plans.map(async ({ uid }) => (await user.get(`/agent/plan?uid=${uid}`).expect(200)).body),
    );
    expect(now.map(({ status }) => status)).toEqual(['proposed', 'executed', 'rejected']);
    expect(now[0]).toMatchObject({ pinned: true, scheduled_for: '2026-12-10T13:00:00.000Z' });
    await device.sync();
    expect(device.all('calendar')).toContain('SUMMARY:Confirmed');
    expect(device.all('agent-plan').match(/SUMMARY:\w+/g)).toEqual(['SUMMARY:Moved']);
  });
});
