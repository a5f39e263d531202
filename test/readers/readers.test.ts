/**
 * What Almanac writes, read by others: python3-icalendar with python3-recurring-ical-events, python3-vobject and khal see
 * the same instants and find nothing to complain about. Each part is skipped where its Debian package is not there.
 */
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import type { EventDoc } from '../../src/domain/calendar/event-doc.ts';
import { bytesOf, CORPUS, eventsOf, happeningsOf, NOW } from '../support/corpus.ts';
import { aDay, anEvent, at, writeCalendar } from '../support/events.ts';

/** Debian's packages are in Debian's Python, whatever another one stands before it. */
const PYTHON = ['/usr/bin/python3', 'python3'];

const works = (command: string, ...args: string[]): boolean => spawnSync(command, args).status === 0;
const pythonWith = (modules: string): string | undefined =>
  PYTHON.find((python) => works(python, '-W', 'ignore', '-c', `import ${modules}`));

type Reader = {
  name: string;
  packages: string;
  script: string;
  python: string | undefined;
};
type Told = { uid: string; start: string; end: string };

const READERS: Reader[] = [
  {
    name: 'icalendar',
    packages: 'python3-icalendar python3-recurring-ical-events',
    script: 'recurring.py',
    python: pythonWith('icalendar, recurring_ical_events'),
  },
  {
    name: 'vobject',
    packages: 'python3-vobject',
    script: 'vobject_reader.py',
    python: pythonWith('vobject'),
  },
  {
    name: 'khal',
    packages: 'khal',
    script: 'khal_reader.py',
    python: works('khal', '--version') ? pythonWith('json') : undefined,
  },
];

for (const { name, packages, python } of READERS)
  if (python === undefined) console.warn(`skipped, ${name} is not here: apt-get install ${packages}`);

const FROM = '2026-09-01';
const TO = '2027-03-01';
const WINDOW = { start: `${FROM}T00:00:00.000Z`, end: `${TO}T00:00:00.000Z` };

const folder = mkdtempSync(join(tmpdir(), 'almanac-readers-'));
afterAll(() => rmSync(folder, { recursive: true }));

/** What an event's time is called in a file: a day, a wall time without zone, or an instant. */
const called = ({ start, end, doc }: ReturnType<typeof happeningsOf>[number]): [string, string] => {
  const local = (instant: string) => Temporal.Instant.from(instant).toZonedDateTimeISO(doc.timezone).toPlainDateTime();
  if (doc.all_day) return [local(start).toPlainDate().toString(), local(end).toPlainDate().toString()];
  if (doc.ics?.floating)
    return [local(start).toString({ smallestUnit: 'second' }), local(end).toString({ smallestUnit: 'second' })];
  return [`${start.slice(0, 19)}Z`, `${end.slice(0, 19)}Z`];
};

const expected = (events: EventDoc[]): Told[] =>
  happeningsOf(events, WINDOW)
    .map((one) => ({ uid: one.uid, times: called(one) }))
    .map(({ uid, times: [start, end] }) => ({ uid, start, end }));

/** khal answers all times in UTC without a mark, and days as midnights of their last day. */
const plain = (reader: Reader, { uid, start, end }: Told): Told => {
  if (reader.name !== 'khal') return { uid, start, end };
  if (start.length > 10) return { uid, start: start.replace('Z', ''), end: end.replace('Z', '') };
  const last = Temporal.PlainDate.from(end).subtract({ days: 1 }).toString();
  return { uid, start: `${start}T00:00:00`, end: `${last}T00:00:00` };
};

const isWithin = ({ start }: Told): boolean => start >= FROM && start < TO;

const read = ({ python, script }: Reader, text: string): { occurrences: Told[]; complaints: string[] } => {
  const path = join(folder, 'calendar.ics');
  writeFileSync(path, text);
  const script_path = join(import.meta.dirname, script);
  const out = execFileSync(python as string, [script_path, path, FROM, TO], {
    encoding: 'utf8',
    maxBuffer: 64 * 2 ** 20,
  });
  const { occurrences, complaints } = JSON.parse(out) as { occurrences: string[][]; complaints: string[] };
  return { occurrences: occurrences.map(([uid = '', start = '', end = '']) => ({ uid, start, end })), complaints };
};

const sorted = (list: Told[]): string[] =>
  list
    .filter(isWithin)
    .map(({ uid, start, end }) => `${start}/${end} ${uid}`)
    .toSorted();

const wantedOf = (reader: Reader, events: EventDoc[]): Told[] => expected(events).map((one) => plain(reader, one));

/** What the reader says, beside what it should. */
const compared = (reader: Reader, events: EventDoc[], text: string) => {
  const { occurrences, complaints } = read(reader, text);
  const wanted = wantedOf(reader, events);
  // khal gives what has no end an hour
  const zeros = new Set(wanted.filter(({ start, end }) => start === end).map(({ uid, start }) => `${start} ${uid}`));
  const found = occurrences.map((one) =>
    reader.name === 'khal' && zeros.has(`${one.start} ${one.uid}`) ? { ...one, end: one.start } : one,
  );
  return { complaints, found: sorted(found), wanted: sorted(wanted) };
};

const write = (events: EventDoc[]) =>
  writeCalendar(events, { name: 'Almanac; test, ü', now: NOW, refresh_minutes: 15 });

/** Times within folds are left out: pytz reads the second of the two, against RFC 5545 §3.3.5. */
const RICH: EventDoc[] = [
  anEvent({
    uid: 'text',
    title: 'Überprüfung; "alles", \\ weiter 🎉'.repeat(6),
    description: 'Zeile 1\nZeile 2; a,b\\c '.repeat(20),
    tags: ['work', 'a,b'],
    reminders: [10, 0, 1440],
    url: 'https://example.org/?a=1;b=2,3',
    status: 'tentative',
  }),
  anEvent({
    uid: 'weekly',
    local_start: '2026-10-05T09:00:00',
    rrule: 'FREQ=WEEKLY;UNTIL=20261214T080000Z',
    exdates: [at('2026-10-12T07:00'), at('2026-11-09T08:00')],
  }),
  anEvent({ uid: 'weekly', local_start: '2026-10-27T11:00:00', recurrence_id: at('2026-10-26T08:00') }),
  anEvent({
    uid: 'weekly',
    timezone: 'Asia/Tokyo',
    local_start: '2026-11-03T11:00:00',
    recurrence_id: at('2026-11-02T08:00'),
  }),
  aDay('2026-10-24', { uid: 'days', rrule: 'FREQ=DAILY;COUNT=5', exdates: [at('2026-10-25T23:00')] }),
  aDay('2026-12-24', { uid: 'three-days', duration_minutes: 3 * 1440 }),
  aDay('2026-12-31', { uid: 'yearly-days', rrule: 'FREQ=YEARLY', timezone: 'Asia/Tokyo' }),
  anEvent({
    uid: 'floating',
    local_start: '2026-10-20T07:00:00',
    rrule: 'FREQ=DAILY;UNTIL=20261028T060000Z',
    ics: { properties: [], components: [], floating: 'Europe/Berlin' },
  }),
  anEvent({ uid: 'gap', local_start: '2026-03-20T02:30:00', rrule: 'FREQ=DAILY;COUNT=200;INTERVAL=2' }),
  anEvent({
    uid: 'dates',
    local_start: '2026-10-20T10:15:00',
    rdates: [at('2026-10-28T12:00'), at('2026-12-24T12:00')],
  }),
  anEvent({ uid: 'nothing', duration_minutes: 0, local_start: '2026-11-01T12:00:00' }),
  anEvent({ uid: 'old', local_start: '1998-10-07T09:00:00', rrule: 'FREQ=WEEKLY;BYDAY=WE' }),
  ...[
    ['America/New_York', '2026-10-01T22:30:00', 'FREQ=DAILY;COUNT=60'],
    ['America/Sao_Paulo', '2017-06-06T08:00:00', 'FREQ=WEEKLY;BYDAY=TU'],
    ['Australia/Lord_Howe', '2026-09-20T10:15:00', 'FREQ=WEEKLY'],
    ['Africa/Casablanca', '2026-01-20T10:15:00', 'FREQ=WEEKLY'],
    ['Africa/El_Aaiun', '2026-01-21T10:15:00', 'FREQ=DAILY;INTERVAL=3'],
    ['Africa/Cairo', '2022-01-20T10:15:00', 'FREQ=WEEKLY'],
    ['Asia/Kolkata', '2026-10-30T10:15:00', 'FREQ=MONTHLY;BYDAY=-1FR'],
    ['Asia/Jerusalem', '2026-01-30T10:15:00', 'FREQ=WEEKLY'],
    ['Pacific/Apia', '2010-01-30T10:15:00', 'FREQ=WEEKLY'],
    ['UTC', '2026-10-20T10:15:00', 'FREQ=DAILY;INTERVAL=9'],
  ].map(([timezone = '', local_start = '', rrule = '']) => anEvent({ uid: timezone, timezone, local_start, rrule })),
];

const OFFSETS = `
import json, sys
from datetime import datetime, timedelta, timezone
from zoneinfo import ZoneInfo
noon = datetime.fromisoformat(sys.argv[1]).replace(hour=12, tzinfo=timezone.utc)
days = [noon + timedelta(days=n) for n in range(int(sys.argv[2]))]
print(json.dumps([[int(day.astimezone(ZoneInfo(zone)).utcoffset().total_seconds()) for day in days] for zone in sys.argv[3:]]))`;

/** Events in zones of which Debian's tzdata, which readers go by, says the same as Node's: governments decide between two releases. */
const agreed = (events: EventDoc[]): EventDoc[] => {
  const python = READERS.find((reader) => reader.python !== undefined)?.python;
  if (python === undefined) return events;
  const zones = [...new Set(events.map(({ timezone }) => timezone))];
  const days = (Date.parse(TO) - Date.parse(FROM)) / 86_400_000;
  const told = JSON.parse(execFileSync(python, ['-c', OFFSETS, FROM, String(days), ...zones], { encoding: 'utf8' }));
  const here = (zone: string, day: number): number =>
    Temporal.Instant.from(`${FROM}T12:00:00Z`)
      .add({ hours: 24 * day })
      .toZonedDateTimeISO(zone).offsetNanoseconds / 1e9;
  const other = zones.filter((zone, z) => (told as number[][])[z]?.some((offset, day) => offset !== here(zone, day)));
  if (other.length) console.warn(`left out, as this machine's tzdata has other rules: ${other.join(', ')}`);
  return events.filter(({ timezone }) => !other.includes(timezone));
};

const AGREED = agreed(RICH);

/** Under names that no reader knows, so that only the VTIMEZONEs can tell. */
const renamed = (text: string): string => text.replace(/((?:^TZID:|;TZID=))([A-Z]\w+)\//gm, '$1Almanac-$2-');

/**
 * Files with lines that go back out unchanged and that others take otherwise: nonsense, EXRULE and rules, which we only keep. Others
 * also give hours after nominal days by the wall clock, and leave out a start that its rule does not match.
 */
const BEYOND = ['unreadable-lines', 'exrule-rfc2445', 'rules', 'rules-of-others', 'nominal-days', 'odd-rules'];

/** All files of the corpus in one calendar. */
const IMPORTED = CORPUS.filter((name) => !BEYOND.includes(name)).flatMap((name) =>
  eventsOf(bytesOf(name)).map((event) => ({ ...event, uid: `${name}.${event.uid}` })),
);

const CALENDARS: [what: string, events: EventDoc[], text: string][] = [
  ['a rich calendar', AGREED, write(AGREED)],
  ['it by the VTIMEZONEs alone', RICH, renamed(write(RICH))],
  ['the corpus as it was imported', IMPORTED, write(IMPORTED)],
];

describe.each(
  READERS.map((reader) => [reader.python ? reader.name : `needs apt-get install ${reader.packages}`, reader] as const),
)('%s', (_name, reader) => {
  test.skipIf(reader.python === undefined).each(CALENDARS)('sees every occurrence of %s', (_what, events, text) => {
    const { complaints, found, wanted } = compared(reader, events, text);
    expect(complaints).toEqual([]);
    expect(wanted.length).toBeGreaterThan(90);
    expect(found).toEqual(wanted);
  });
});
