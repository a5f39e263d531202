/** Properties of a file that repeat a field (test/corpus/apple-outlook-companions.ics): what is left of them after an edit. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { anApp, type TestApp } from '../support/app.ts';
import { bytesOf } from '../support/corpus.ts';
import { aDavUser, CALENDAR, type DavUser } from '../support/dav.ts';

let app: TestApp;
beforeAll(async () => {
  app = await anApp();
});
afterAll(() => app.close());

const FILE = new TextDecoder().decode(bytesOf('apple-outlook-companions'));
const SECOND = '2026-11-09T08:00:00.000Z';
const THIRD = '2026-11-16T08:00:00.000Z';
const PLACE = [
  'GEO',
  'X-APPLE-STRUCTURED-LOCATION',
  'X-APPLE-TRAVEL-DURATION',
  'X-MICROSOFT-LOCATIONDISPLAYNAME',
] as const;

const aPerson = async (): Promise<DavUser> => {
  const user = await aDavUser(app);
  expect((await user.dav('PUT', `${user.calendar}companions.ics`, FILE, CALENDAR)).status).toBe(201);
  return user;
};
const edit = async (user: DavUser, updates: object, more: object = {}) =>
  (await user.patch('/calendar/edit', { uid: 'companions', updates, scope: 'all', ...more }).expect(200)).body;

/** Each VEVENT of the export: the first value of each property, by name. */
const eventsIn = async (user: DavUser): Promise<Record<string, string>[]> => {
  const { text } = await user.get('/calendar/export.ics').expect(200);
  return [...text.replaceAll('\r\n ', '').matchAll(/BEGIN:VEVENT\r\n([^]*?)END:VEVENT/g)].map(([, lines = '']) =>
    Object.fromEntries(
      lines
        .trim()
        .split('\r\n')
        .map((line) => [/^[\w-]*/.exec(line)?.[0] ?? '', line] as const),
    ),
  );
};
const namesIn = (event: Record<string, string> | undefined): string[] =>
  Object.keys(event ?? {}).filter((name) => /^(GEO|X-(?!ALMANAC))/.test(name));

const OTHERS = [
  'X-ALT-DESC',
  'X-MICROSOFT-CDO-BUSYSTATUS',
  'X-MICROSOFT-CDO-INTENDEDSTATUS',
  'X-MICROSOFT-CDO-ALLDAYEVENT',
  'X-COLOUR',
];

describe('an edit of the whole series', () => {
  test('of another field keeps all of them', async () => {
    const user = await aPerson();
    await edit(user, { title: 'Renamed' });
    const [series, own] = await eventsIn(user);
    expect(namesIn(series)).toEqual([...PLACE, ...OTHERS]);
    expect(namesIn(own)).toEqual(['X-APPLE-STRUCTURED-LOCATION', 'X-ALT-DESC', 'X-MICROSOFT-CDO-BUSYSTATUS']);
  });

  test('of the place drops its companions, and not those of an occurrence with a place of its own', async () => {
    const user = await aPerson();
    await edit(user, { location: 'New Street 3' });
    const [series, own] = await eventsIn(user);
    expect(series).toMatchObject({ LOCATION: 'LOCATION:New Street 3' });
    expect(namesIn(series)).toEqual(OTHERS);
    expect(own?.['X-APPLE-STRUCTURED-LOCATION']).toContain('Other Road 2');
  });

  test('of the notes drops the HTML, also in an occurrence that has the notes of its series', async () => {
    const user = await aPerson();
    await edit(user, { description: 'New notes' });
    for (const event of await eventsIn(user)) {
      expect(event).toMatchObject({ DESCRIPTION: 'DESCRIPTION:New notes' });
      expect(namesIn(event)).not.toContain('X-ALT-DESC');
    }
  });

  test.each([
    [{ busy: false }, 'FREE', 'FREE', 'FREE'],
    [{ status: 'tentative' }, 'TENTATIVE', 'TENTATIVE', 'TENTATIVE'],
    [{ busy: true }, 'OOF', 'BUSY', 'BUSY'],
  ])('of %o gives Outlook the right status', async (updates, busy, intended, own) => {
    const user = await aPerson();
    await edit(user, updates);
    const [series, other] = await eventsIn(user);
    expect(series).toMatchObject({
      'X-MICROSOFT-CDO-BUSYSTATUS': `X-MICROSOFT-CDO-BUSYSTATUS:${busy}`,
      'X-MICROSOFT-CDO-INTENDEDSTATUS': `X-MICROSOFT-CDO-INTENDEDSTATUS:${intended}`,
    });
    expect(other?.['X-MICROSOFT-CDO-BUSYSTATUS']).toBe(`X-MICROSOFT-CDO-BUSYSTATUS:${own}`);
  });

  test('of the length to whole days says so', async () => {
    const user = await aPerson();
    await edit(user, { all_day: true });
    expect((await eventsIn(user))[0]?.['X-MICROSOFT-CDO-ALLDAYEVENT']).toBe('X-MICROSOFT-CDO-ALLDAYEVENT:TRUE');
  });
});

describe('an edit of some occurrences', () => {
  test('of the place of one leaves it none of the series', async () => {
    const user = await aPerson();
    await edit(user, { location: 'New Street 3' }, { scope: 'this', recurrence_id: SECOND });
    const events = await eventsIn(user);
    expect(namesIn(events[0])).toEqual([...PLACE, ...OTHERS]);
    const own = events.find((event) => event['RECURRENCE-ID']?.includes('20261109'));
    expect(own).toMatchObject({ LOCATION: 'LOCATION:New Street 3' });
    expect(namesIn(own)).toEqual(OTHERS);
    // A later change of the series leaves the occurrence its own place.
    await edit(user, { location: 'Newer Street 4' });
    expect((await eventsIn(user)).map(({ LOCATION }) => LOCATION)).toEqual([
      'LOCATION:Newer Street 4',
      'LOCATION:New Street 3',
      'LOCATION:Other Road 2',
    ]);
  });

  test('of the following ones drops them there only, also in a changed one that the edit names', async () => {
    const user = await aPerson();
    await edit(user, { location: 'New Street 3' }, { scope: 'following', recurrence_id: THIRD });
    const events = await eventsIn(user);
    const old = events.find(({ UID }) => UID === 'UID:companions');
    expect(namesIn(old)).toEqual([...PLACE, ...OTHERS]);
    const later = events.filter(({ UID }) => UID !== 'UID:companions');
    expect(later).toHaveLength(2);
    for (const event of later) {
      expect(event).toMatchObject({ LOCATION: 'LOCATION:New Street 3' });
      expect(namesIn(event)).not.toContain('X-APPLE-STRUCTURED-LOCATION');
    }
  });

  test('of busy of the series gives an occurrence with its own busy a status of its own', async () => {
    const user = await aPerson();
    await edit(user, { busy: true, location: 'Here' }, { scope: 'this', recurrence_id: SECOND });
    await edit(user, { busy: false }, { scope: 'this', recurrence_id: SECOND });
    await edit(user, { status: 'tentative' });
    const own = (await eventsIn(user)).find((event) => event['RECURRENCE-ID']?.includes('20261109'));
    expect(own?.['X-MICROSOFT-CDO-BUSYSTATUS']).toBe('X-MICROSOFT-CDO-BUSYSTATUS:FREE');
  });
});

test('undo gives them back', async () => {
  const user = await aPerson();
  const { seq } = await edit(user, { location: 'New Street 3' });
  await user.post('/calendar/undo', { seq }).expect(200);
  expect(namesIn((await eventsIn(user))[0])).toEqual([...PLACE, ...OTHERS]);
});

test('PUT and import bring their own', async () => {
  const user = await aPerson();
  const moved = FILE.replace(/LOCATION;ALTREP[^\r]*/, 'LOCATION:New Street 3');
  expect((await user.dav('PUT', `${user.calendar}companions.ics`, moved, CALENDAR)).status).toBe(204);
  expect(namesIn((await eventsIn(user))[0])).toEqual([...PLACE, ...OTHERS]);
});
