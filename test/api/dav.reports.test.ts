/** The reports of CalDAV: what a query finds, what changed, and when time is busy. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { anApp, type TestApp } from '../support/app.ts';
import {
  aDavUser,
  CALENDAR,
  fileOf,
  preconditionsIn,
  responsesIn,
  syncTokenIn,
  vevent,
  type DavUser,
} from '../support/dav.ts';
import { multiget, query, sync } from '../support/dav-story.ts';

let app: TestApp;
let user: DavUser;
const put = async (name: string, ...lines: string[]) =>
  expect((await user.dav('PUT', `${user.calendar}${name}.ics`, fileOf(...lines), CALENDAR)).status).toBeLessThan(300);
beforeAll(async () => {
  app = await anApp();
  user = await aDavUser(app);
  await put('single', ...vevent('single', 'CATEGORIES:Work,Health', 'CLASS:PRIVATE'));
  await put('day', ...vevent('day', 'DTSTART;VALUE=DATE:20261210', 'DURATION:P1D', 'SUMMARY:Straße'));
  await put(
    'series',
    ...vevent(
      'series',
      'DTSTART:20270104T090000Z',
      'DURATION:PT1H',
      'RRULE:FREQ=WEEKLY;COUNT=4',
      'EXDATE:20270111T090000Z',
      'SUMMARY:Weekly',
    ),
    ...vevent('series', 'RECURRENCE-ID:20270118T090000Z', 'DTSTART:20270120T120000Z', 'DURATION:PT1H', 'SUMMARY:Moved'),
  );
  await put('free', ...vevent('free', 'DTSTART:20270301T100000Z', 'TRANSP:TRANSPARENT'));
  await put('maybe', ...vevent('maybe', 'DTSTART:20270301T120000Z', 'STATUS:TENTATIVE'));
  await put(
    'busy',
    ...vevent(
      'busy',
      'DTSTART:20270301T140000Z',
      'BEGIN:VALARM',
      'ACTION:DISPLAY',
      'DESCRIPTION:x',
      'TRIGGER:-PT2H',
      'END:VALARM',
    ),
  );
});
afterAll(() => app.close());

/** The database and ISO 8601 without a sign agree on the years 1 to 9999, and no calendar has a 30 February. */
test.each(['00000101T000000Z', '00001231T235959Z', '20260230T000000Z', '20261301T000000Z', '-00010101T000000Z'])(
  'a time range with %s is refused, wherever it is written',
  async (bad) => {
    const range = (start: string, end: string) => `<C:time-range start="${start}" end="${end}"/>`;
    const data = (name: string) =>
      `<D:prop xmlns:D="DAV:" xmlns:C="urn:ietf:params:xml:ns:caldav"><C:calendar-data><C:${name} start="${bad}" end="20270101T000000Z"/></C:calendar-data></D:prop>`;
    const asked = [
      query(range(bad, '20270101T000000Z')),
      query(range('20260101T000000Z', bad)),
      query(`<C:time-range start="${bad}"/>`),
      query(`<C:comp-filter name="VALARM">${range(bad, '20270101T000000Z')}</C:comp-filter>`),
      query(`<C:prop-filter name="DTSTAMP">${range(bad, '20270101T000000Z')}</C:prop-filter>`),
      ...['expand', 'limit-recurrence-set', 'limit-freebusy-set'].map((name) => query('', data(name))),
      `<C:free-busy-query xmlns:C="urn:ietf:params:xml:ns:caldav">${range(bad, '20270101T000000Z')}</C:free-busy-query>`,
    ];
    for (const at of [user.calendar, user.proposals])
      for (const body of asked) {
        const { status, text } = await user.dav('REPORT', at, body, { Depth: '1' });
        expect([status, preconditionsIn(text)[0]], body).toEqual([403, 'valid-filter']);
      }
  },
);

test('the first and the last years are asked about', async () => {
  const whole = '<C:time-range start="00010101T000000Z" end="99991231T235959Z"/>';
  expect(await found(whole)).toHaveLength(6);
  const { status } = await user.dav(
    'REPORT',
    user.calendar,
    `<C:free-busy-query xmlns:C="urn:ietf:params:xml:ns:caldav">${whole}</C:free-busy-query>`,
    { Depth: '1' },
  );
  expect(status).toBe(200);
});

const names = (text: string): string[] =>
  responsesIn(text)
    .filter(({ status }) => status === null)
    .map(({ href }) => href.slice(user.calendar.length).replace('.ics', ''))
    .toSorted();
const found = async (filter: string) =>
  names((await user.dav('REPORT', user.calendar, query(filter), { Depth: '1' })).text);
const range = (start: string, end: string) => `<C:time-range start="${start}" end="${end}"/>`;
const text = (property: string, match: string, more = '') =>
  `<C:prop-filter name="${property}"><C:text-match ${more}>${match}</C:text-match></C:prop-filter>`;

describe('calendar-query', () => {
  test.each([
    ['half-open: ends where the event begins', range('20261203T000000Z', '20261203T140000Z'), []],
    ['half-open: begins where the event ends', range('20261203T143000Z', '20261203T150000Z'), []],
    ['overlaps', range('20261203T142900Z', '20261203T150000Z'), ['single']],
    ['an all-day event in the zone of the person', range('20261209T230000Z', '20261209T233000Z'), ['day']],
    ['an excluded occurrence', range('20270111T000000Z', '20270112T000000Z'), []],
    ['where a moved occurrence was', range('20270118T000000Z', '20270119T000000Z'), []],
    ['where it is', range('20270120T123000Z', '20270120T124000Z'), ['series']],
    ['open at the end', '<C:time-range start="20270301T130000Z"/>', ['busy']],
    ['open at the start', '<C:time-range end="20261204T000000Z"/>', ['single']],
    ['open at the start, with a series', '<C:time-range end="20270110T000000Z"/>', ['day', 'series', 'single']],
    ['text, whatever the case', text('SUMMARY', 'DENTIST'), ['busy', 'free', 'maybe', 'single']],
    ['text of a changed occurrence', text('SUMMARY', 'moved'), ['series']],
    ['i;octet compares exactly', text('SUMMARY', 'DENTIST', 'collation="i;octet"'), []],
    [
      'i;ascii-casemap leaves other letters alone',
      text('SUMMARY', 'stra&#223;e', 'collation="i;ascii-casemap"'),
      ['day'],
    ],
    ['negated', text('SUMMARY', 'dentist', 'negate-condition="yes"'), ['day', 'series']],
    ['a property that Almanac keeps', text('CLASS', 'private'), ['single']],
    ['one of several categories', text('CATEGORIES', 'health'), ['single']],
    ['defined', '<C:prop-filter name="RRULE"/>', ['series']],
    [
      'not defined',
      '<C:prop-filter name="CLASS"><C:is-not-defined/></C:prop-filter>',
      ['busy', 'day', 'free', 'maybe', 'series'],
    ],
    [
      'alarms that ring',
      `<C:comp-filter name="VALARM">${range('20270301T115900Z', '20270301T120100Z')}</C:comp-filter>`,
      ['busy'],
    ],
    [
      'alarms that ring at another time',
      `<C:comp-filter name="VALARM">${range('20270301T135900Z', '20270301T140100Z')}</C:comp-filter>`,
      [],
    ],
    [
      'no alarm',
      `<C:comp-filter name="VALARM"><C:is-not-defined/></C:comp-filter>`,
      ['day', 'free', 'maybe', 'series', 'single'],
    ],
  ])('%s', async (_what, filter, expected) => {
    expect(await found(filter)).toEqual(expected);
  });

  test('expand answers occurrences in UTC without their rule', async () => {
    const expand = `<D:prop xmlns:D="DAV:"><C:calendar-data xmlns:C="urn:ietf:params:xml:ns:caldav"><C:expand start="20270101T000000Z" end="20270201T000000Z"/></C:calendar-data></D:prop>`;
    const answer = await user.dav(
      'REPORT',
      user.calendar,
      query(range('20270101T000000Z', '20270201T000000Z'), expand),
    );
    const data = responsesIn(answer.text)[0]?.found['calendar-data']?.text ?? '';
    expect(data.match(/^RECURRENCE-ID.*$/gm)).toEqual([
      'RECURRENCE-ID:20270104T090000Z',
      'RECURRENCE-ID:20270118T090000Z',
      'RECURRENCE-ID:20270125T090000Z',
    ]);
    expect(data).toContain('DTSTART:20270120T120000Z');
    expect(data).not.toMatch(/RRULE|VTIMEZONE|EXDATE/);
  });

  const dataOf = async (inner: string, name = 'series') => {
    const data = `<D:prop xmlns:D="DAV:"><C:calendar-data xmlns:C="urn:ietf:params:xml:ns:caldav">${inner}</C:calendar-data></D:prop>`;
    const hrefs = multiget(`${user.calendar}${name}.ics`).replace(/<D:prop .*<\/D:prop>/, data);
    const answer = await user.dav('REPORT', user.calendar, hrefs);
    return responsesIn(answer.text)[0]?.found['calendar-data']?.text ?? '';
  };

  test('multiget expands too', async () => {
    const data = await dataOf('<C:expand start="20270118T000000Z" end="20270121T000000Z"/>');
    expect(data.match(/^(RECURRENCE-ID|DTSTART).*$/gm)?.toSorted()).toEqual([
      'DTSTART:20270120T120000Z',
      'RECURRENCE-ID:20270118T090000Z',
    ]);
  });

  test('limit-recurrence-set keeps the series, and the changes that are or were in the range', async () => {
    const limited = (start: string, end: string) =>
      dataOf(`<C:limit-recurrence-set start="${start}" end="${end}"/>`).then((text) => text.match(/^SUMMARY.*$/gm));
    const both = ['SUMMARY:Weekly', 'SUMMARY:Moved'];
    expect(await limited('20270118T093000Z', '20270118T094000Z')).toEqual(both);
    expect(await limited('20270120T120000Z', '20270120T130000Z')).toEqual(both);
    expect(await limited('20270118T100000Z', '20270120T120000Z')).toEqual(['SUMMARY:Weekly']);
    const data = await dataOf('<C:limit-recurrence-set start="20270104T000000Z" end="20270105T000000Z"/>');
    expect(data).toContain('RRULE');
    expect(data).not.toContain('RECURRENCE-ID');
  });

  test('a part of the text', async () => {
    const whole = await dataOf('', 'busy');
    const event = (inner: string) => `<C:comp name="VCALENDAR"><C:comp name="vevent">${inner}</C:comp></C:comp>`;
    expect(await dataOf('<C:comp name="VCALENDAR"/>', 'busy')).toBe(whole);
    expect(await dataOf('<C:comp name="VCALENDAR"><C:allprop/><C:allcomp/></C:comp>', 'busy')).toBe(whole);
    expect(await dataOf(event('<C:prop name="SUMMARY"/><C:prop name="uid" novalue="yes"/>'), 'busy')).toBe(
      ['BEGIN:VCALENDAR', 'BEGIN:VEVENT', 'UID:', 'SUMMARY:Dentist', 'END:VEVENT', 'END:VCALENDAR', ''].join('\r\n'),
    );
    const alarms = await dataOf(event('<C:comp name="VALARM"><C:prop name="TRIGGER"/></C:comp>'), 'busy');
    expect(alarms.match(/^.+$/gm)?.map((line) => line.trim())).toEqual([
      ...['BEGIN:VCALENDAR', 'BEGIN:VEVENT', 'BEGIN:VALARM', 'TRIGGER:-PT2H'],
      ...['END:VALARM', 'END:VEVENT', 'END:VCALENDAR'],
    ]);
    // With expand, it is a part of each occurrence.
    const range = '<C:expand start="20270104T000000Z" end="20270126T000000Z"/>';
    const times = await dataOf(event('<C:prop name="DTSTART"/>') + range);
    expect(times.match(/^D.*$/gm)).toHaveLength(3);
    expect(times).not.toContain('SUMMARY');
    // A long line is left out, or kept, with its continuation.
    await put('long', ...vevent('long', 'DTSTART:20280301T140000Z', `DESCRIPTION:${'long '.repeat(40)}`));
    expect(await dataOf(event('<C:prop name="UID"/>'), 'long')).not.toContain('long long');
    expect((await dataOf(event('<C:prop name="DESCRIPTION"/>'), 'long')).replaceAll('\r\n ', '')).toContain(
      'long '.repeat(39),
    );
    await user.dav('DELETE', `${user.calendar}long.ics`);
    for (const wrong of [
      '<C:comp name="VEVENT"/>',
      '<C:comp/>',
      `${range}<C:limit-recurrence-set start="20270104T000000Z" end="20270126T000000Z"/>`,
      '<C:limit-freebusy-set start="20270104T000000Z"/>',
      '<C:limit-recurrence-set/>',
    ]) {
      const body = multiget('x').replace('<C:calendar-data/>', `<C:calendar-data>${wrong}</C:calendar-data>`);
      expect((await user.dav('REPORT', user.calendar, body)).status, wrong).toBe(400);
    }
    expect(await dataOf('<C:limit-freebusy-set start="20270104T000000Z" end="20270126T000000Z"/>', 'busy')).toBe(whole);
  });

  test('refuses what it cannot do', async () => {
    const refused = async (body: string) => preconditionsIn((await user.dav('REPORT', user.calendar, body)).text)[0];
    expect(await refused(query(text('SUMMARY', 'x', 'collation="i;other"')))).toBe('supported-collation');
    expect(await refused(query('<C:time-range start="soon"/>'))).toBe('valid-filter');
    expect(await refused(query('<C:time-range/>'))).toBe('valid-filter');
    expect(await refused(query('<C:prop-filter name="SUMMARY"/>'.repeat(100)))).toBe('valid-filter');
    const many = `<D:prop xmlns:D="DAV:">${Array.from({ length: 201 }, (_, i) => `<D:x${i}/>`).join('')}</D:prop>`;
    for (const [method, body] of [
      ['REPORT', query('', many)],
      ['PROPFIND', `<D:propfind xmlns:D="DAV:">${many}</D:propfind>`],
    ] as const)
      expect((await user.dav(method, user.calendar, body, { Depth: '1' })).status).toBe(400);
    expect(await refused('<x xmlns="DAV:"/>')).toBe('supported-report');
  });
});

test('multiget takes paths and addresses in any spelling, and 404 for each that is not there', async () => {
  await put('a%40b', ...vevent('a@b'));
  const hrefs = [
    `${user.calendar}single.ics`,
    `${app.url}${user.calendar}day.ics`,
    `${user.calendar}a@b.ics`,
    `${user.calendar}none.ics`,
    '/elsewhere',
    ...[`${user.calendar}%00.ics`, `${user.calendar}%ff.ics`, '%', 'http://[', user.proposals],
    `${(await aDavUser(app)).calendar}single.ics`,
  ];
  const answers = responsesIn((await user.dav('REPORT', user.calendar, multiget(...hrefs))).text);
  const missing = hrefs.slice(3).map(() => 'HTTP/1.1 404 Not Found');
  expect(answers.map(({ status }) => status)).toEqual([null, null, null, ...missing]);
  expect(answers[2]?.href).toBe(`${user.calendar}a@b.ics`);
  expect(answers[0]?.found['calendar-data']?.text).toBe((await user.dav('GET', hrefs[0] ?? '')).text);
});

test('sync-collection tells what changed and what is gone, in pages', async () => {
  const report = async (token: string, more = '') => (await user.dav('REPORT', user.calendar, sync(token, more))).text;
  await put('gone-before', ...vevent('gone-before'));
  await user.dav('DELETE', `${user.calendar}gone-before.ics`);
  const first = await report('');
  expect(responsesIn(first).every(({ status }) => status === null)).toBe(true);
  const token = syncTokenIn(first);
  expect(responsesIn(await report(token))).toEqual([]);
  await put('own-name', ...vevent('uid-of-its-own'));
  await user.dav('DELETE', `${user.calendar}free.ics`);
  await user.patch('/calendar/edit', { uid: 'single', updates: { title: 'By REST' } }).expect(200);
  const changes = responsesIn(await report(token)).map(({ href, status }) => [
    href.slice(user.calendar.length),
    status,
  ]);
  expect(changes.toSorted()).toEqual([
    ['free.ics', 'HTTP/1.1 404 Not Found'],
    ['own-name.ics', null],
    ['single.ics', null],
  ]);

  const limit = '<D:limit><D:nresults>1</D:nresults></D:limit>';
  const seen: string[] = [];
  for (let at = token, more = true; more;) {
    const page = await report(at, limit);
    const all = responsesIn(page);
    more = all.some(({ status }) => status?.includes('507'));
    seen.push(
      ...all.filter(({ status }) => !status?.includes('507')).map(({ href }) => href.slice(user.calendar.length)),
    );
    at = syncTokenIn(page);
  }
  expect(seen).toEqual(['own-name.ics', 'free.ics', 'single.ics']);
  for (const bad of ['urn:almanac:sync:999999.000000000000', 'urn:almanac:sync:1.000000000000', 'x'])
    expect(preconditionsIn(await report(bad))).toContain('valid-sync-token');
});

test('no report names an href twice', async () => {
  const path = `${user.calendar}again.ics`;
  const token = syncTokenIn((await user.dav('REPORT', user.calendar, sync(''))).text);
  const changes = async () =>
    responsesIn((await user.dav('REPORT', user.calendar, sync(token))).text).map(({ href, status }) => [href, status]);
  const gone = [path, 'HTTP/1.1 404 Not Found'];
  for (const uid of ['again', 'again', 'again', 'another']) {
    await put('again', ...vevent(uid));
    expect(await changes()).toEqual([[path, null]]);
    await user.dav('DELETE', path);
    expect(await changes()).toEqual([gone]);
  }
  await put('again', ...vevent('again'));
  expect(await changes()).toEqual([[path, null]]);
  const asked = [path, path, `${app.url}${path}`, `${path}?x`, '/elsewhere', `${app.url}/elsewhere`];
  const answers = responsesIn((await user.dav('REPORT', user.calendar, multiget(...asked))).text);
  expect(answers.map(({ href }) => href)).toEqual([path, '/elsewhere']);
  await user.dav('DELETE', path);
});

test('a refused resource is told with one line, that of the fault', async () => {
  const text = fileOf('BEGIN:VEVENT', 'UID:refused', 'DTSTAMP:20270101T000000Z', 'DTSTART:soon', 'END:VEVENT');
  const { status, text: answer } = await user.dav('PUT', `${user.calendar}refused.ics`, text, CALENDAR);
  expect(status).toBe(403);
  expect(answer.match(/Line \d+:/g)).toEqual(['Line 7:']);
});

test('free-busy-query tells busy and tentative time', async () => {
  const body = `<C:free-busy-query xmlns:C="urn:ietf:params:xml:ns:caldav">${range('20270301T000000Z', '20270301T141000Z')}</C:free-busy-query>`;
  const answer = await user.dav('REPORT', user.calendar, body, { Depth: '1' });
  expect(answer.headers.get('content-type')).toMatch('text/calendar');
  expect(answer.text.match(/^FREEBUSY.*$/gm)).toEqual([
    'FREEBUSY;FBTYPE=BUSY:20270301T140000Z/20270301T141000Z',
    'FREEBUSY;FBTYPE=BUSY-TENTATIVE:20270301T120000Z/20270301T123000Z',
  ]);
});
