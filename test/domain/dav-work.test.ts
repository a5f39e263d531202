/** The work that one WebDAV request can cause is counted: these tests count visits, and assert no durations. */
import { describe, expect, test } from 'vitest';
import { readCalendarData } from '../../src/dav/calendar-data.ts';
import { readFilter, type Filter } from '../../src/dav/filter.ts';
import { isMatch, readTextMatch } from '../../src/dav/text-match.ts';
import { createWork, type Work } from '../../src/dav/work.ts';
import { childOf, C, named, type Element } from '../../src/dav/xml.ts';
import { normalized } from '../../src/domain/text/normalized.ts';
import type { EventDoc, JcalComponent } from '../../src/domain/calendar/event-doc.ts';
import { parseXml } from '../support/dav.ts';

const CALDAV = 'xmlns:C="urn:ietf:params:xml:ns:caldav"';

const filterOf = (inner: string): Filter =>
  readFilter(
    parseXml(
      `<C:filter ${CALDAV}><C:comp-filter name="VCALENDAR"><C:comp-filter name="VEVENT">${inner}</C:comp-filter></C:comp-filter></C:filter>`,
    ),
  );

/** The steps of a generator, and its result. */
const drained = <T>(steps: Generator<unknown, T>): { steps: number; value: T } => {
  for (let count = 0; ; count += 1) {
    const step = steps.next();
    if (step.done) return { steps: count, value: step.value };
  }
};

const eventOf = (own: Partial<EventDoc>): EventDoc => ({
  uid: 'x',
  title: 'x',
  description: null,
  location: null,
  url: null,
  tags: [],
  scheduled_for: '2026-12-03T14:00:00.000Z',
  local_start: '2026-12-03T15:00:00',
  duration_minutes: 30,
  timezone: 'Europe/Berlin',
  all_day: false,
  rrule: null,
  rdates: [],
  exdates: [],
  recurrence_id: null,
  status: 'confirmed',
  busy: true,
  reminders: [],
  task_id: null,
  tempo_tag: null,
  sequence: 0,
  created_at: '2026-11-21T09:00:00.000Z',
  updated_at: '2026-11-21T09:00:00.000Z',
  ...own,
});

const kept = (name: string, value: string): [string, object, string, string] => [
  name,
  {},
  'x-line',
  `${name.toUpperCase()}:${value}`,
];
const comments = (count: number, value: string): EventDoc =>
  eventOf({
    ics: { properties: Array.from({ length: count }, () => kept('comment', value)), components: [] } as never,
  });
const alarms = (count: number, trigger: string): EventDoc => {
  const alarm: JcalComponent = [
    'valarm',
    [
      kept('action', 'DISPLAY'),
      ['trigger', {}, 'duration', trigger],
      kept('repeat', '100'),
      kept('duration', 'PT1M'),
    ] as never,
    [],
  ];
  return eventOf({
    rrule: 'FREQ=DAILY',
    ics: { properties: [], components: Array.from({ length: count }, () => alarm) },
  });
};

const tooMuch = expect.objectContaining({ code: 'calendar_object_refused' });
const refused = (work: () => unknown): void => {
  let thrown: unknown;
  try {
    work();
  } catch (error) {
    thrown = error;
  }
  expect(thrown).toEqual(tooMuch);
};

const asked = (filter: string, event: EventDoc, work: Work = createWork()) =>
  drained(filterOf(filter).matching([event], work));

describe('a text-match', () => {
  const matching = (text: string, collation = 'i;unicode-casemap') =>
    readTextMatch(
      parseXml(
        `<C:prop-filter ${CALDAV}><C:text-match collation="${collation}">${text}</C:text-match></C:prop-filter>`,
      ),
    );

  test('has at most 1,024 characters', () => {
    expect(matching('a'.repeat(1_024))).not.toBeNull();
    refused(() => matching('a'.repeat(1_025)));
    refused(() =>
      filterOf(`<C:prop-filter name="COMMENT"><C:text-match>${'a'.repeat(2 ** 20)}</C:text-match></C:prop-filter>`),
    );
  });

  test.each([
    ['at the beginning', 0],
    ['across two slices', 4_090],
    ['at the end', 19_990],
  ])('finds %s, and yields in between', (_where, at) => {
    const value = `${'a'.repeat(at)}Straße\\nÉ${'b'.repeat(20_000 - at)}`;
    for (const text of ['stra', 'É', 'e\u0301', 'ße\né'])
      expect(drained(isMatch(value, matching(text) as never, createWork())).value).toBe(true);
    const missed = drained(isMatch(value, matching('nowhere') as never, createWork()));
    expect(missed).toMatchObject({ value: false });
    expect(missed.steps).toBeGreaterThanOrEqual(4);
  });

  test('does not read half an escape', () => {
    for (let at = 4_090; at < 4_100; at += 1) {
      const value = `${'a'.repeat(at)}\\\\n\\n`;
      expect(drained(isMatch(value, matching('\\n\n') as never, createWork())).value).toBe(true);
      expect(drained(isMatch(value, matching('a\n') as never, createWork())).value).toBe(false);
    }
  });

  test('counts what it reads and what it seeks, over all resources of a request', () => {
    const filter = `<C:prop-filter name="COMMENT"><C:text-match collation="i;unicode-casemap">${'\uFDFA'.repeat(1_000)}</C:text-match></C:prop-filter>`;
    const work = createWork(300_000);
    refused(() => {
      for (let i = 0; i < 100; i += 1) asked(filter, comments(990, '\uFDFA'.repeat(300)), work);
    });
    expect(work.visits()).toBeLessThan(400_000);
  });

  test('of many filters yields within one resource', () => {
    const filter = '<C:prop-filter name="COMMENT"><C:text-match>nowhere</C:text-match></C:prop-filter>';
    expect(asked(filter, comments(990, 'x')).steps).toBeGreaterThan(990);
  });
});

test('text is normalised in linear time, and as usual where no letter has 30 marks', () => {
  const marks = 'e' + '\u0301\u0323'.repeat(200_000);
  expect(normalized(marks, 'NFKC').length).toBeGreaterThan(300_000);
  for (const form of ['NFC', 'NFD', 'NFKC', 'NFKD'] as const)
    expect(normalized('e\u0301ﬁ'.repeat(500), form)).toBe('e\u0301ﬁ'.repeat(500).normalize(form));
});

describe('alarms', () => {
  /** Each occurrence lasts for ten years, so all of ten years overlap any second; none begins in it. */
  const long = (count: number): EventDoc => ({ ...alarms(count, 'PT0S'), reminders: [0], duration_minutes: 5_256_000 });
  const SECOND =
    '<C:comp-filter name="VALARM"><C:time-range start="20500101T000001Z" end="20500101T000002Z"/></C:comp-filter>';

  test('that never ring are counted with each occurrence', () => {
    const work = createWork(50_000);
    refused(() => asked(SECOND, long(200), work));
    expect(work.visits()).toBeLessThan(51_000);
  });

  test('yield between occurrences', () => {
    const work = createWork();
    const { steps, value } = asked(SECOND, long(2), work);
    expect(value).toBe(false);
    expect(steps).toBeGreaterThan(7_000);
    expect(work.visits()).toBeGreaterThan(7_000);
  });
});

describe('an expansion', () => {
  const data = (inner: string): Element =>
    childOf(
      parseXml(`<C:x ${CALDAV}><C:calendar-data>${inner}</C:calendar-data></C:x>`),
      named(C, 'calendar-data'),
    ) as Element;
  const EXPAND = data('<C:expand start="20260101T000000Z" end="20990101T000000Z"/>');
  const objectOf = (event: EventDoc) => ({ name: 'x.ics', etag: 'x', events: [event] as [EventDoc] });

  test('counts occurrences', () => {
    refused(() => drained(readCalendarData(EXPAND)(objectOf(eventOf({ rrule: 'FREQ=DAILY' })), createWork())));
  });

  test('counts the text that each occurrence repeats', () => {
    const event = { ...comments(1, 'x'.repeat(900_000)), rrule: 'FREQ=DAILY;COUNT=100' };
    refused(() => drained(readCalendarData(EXPAND)(objectOf(event), createWork())));
    const few = { ...comments(1, 'x'.repeat(90_000)), rrule: 'FREQ=DAILY;COUNT=10' };
    expect(drained(readCalendarData(EXPAND)(objectOf(few), createWork())).value.length).toBeGreaterThan(900_000);
  });
});

describe('XML', () => {
  test.each([
    ['elements', `<a>${'<b/>'.repeat(60_000)}</a>`],
    ['depth', `${'<a>'.repeat(30)}${'</a>'.repeat(30)}`],
    ['attributes', `<a ${Array.from({ length: 21 }, (_, i) => `a${i}=""`).join(' ')}/>`],
    ['attributes in a long tag', `<a ${Array.from({ length: 100_000 }, (_, i) => `a${i}=""`).join(' ')}`],
    ['filters', ''],
  ])('has a limit of %s', (what, text) => {
    expect(() => (what === 'filters' ? filterOf('<C:prop-filter name="X"/>'.repeat(101)) : parseXml(text))).toThrow();
  });
});
