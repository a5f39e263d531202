/** WINDOW: a year of a calendar with 200 series and 20,000 single events, over HTTP, beside the bare queries beneath it. */
import { addMinutes, instantOf, type Instant, type Interval } from '../../src/domain/time/time.ts';
import { aPerson, type Person } from '../faults/api.ts';
import type { Place } from '../faults/cluster.ts';
import { servers, type Server } from '../faults/server.ts';
import { percentiles, timed, type Bench, type Figure, type Measured } from './bench.ts';

const YEAR = 2027;
const SINGLES = 20_000;
const SERIES = 200;
const FILE = 2_500;
const TARGET = { 95: 50 };
const WINDOW: Interval = { start: `${YEAR}-01-01T00:00:00.000Z`, end: `${YEAR + 1}-01-01T00:00:00.000Z` };
/** What people repeat, and how many of twenty series do so; most of them began some time ago. */
const RULES = [
  ...Array.from({ length: 12 }, (_, i) => `FREQ=WEEKLY;BYDAY=${['MO', 'TU', 'WE', 'TH', 'FR'][i % 5]}`),
  'FREQ=WEEKLY;BYDAY=MO,TU,WE,TH,FR',
  'FREQ=DAILY',
  'FREQ=WEEKLY;INTERVAL=2',
  'FREQ=MONTHLY;BYDAY=-1FR',
  'FREQ=MONTHLY;BYMONTHDAY=1',
  'FREQ=MONTHLY;BYDAY=MO,TU,WE,TH,FR;BYSETPOS=-1',
  'FREQ=YEARLY',
  'FREQ=YEARLY;BYMONTH=3;BYDAY=2SU',
];

const stamp = (at: Instant): string => at.replace(/[-:]|\.\d+/g, '');

const singleEvent = (i: number): string[] => {
  const start = addMinutes(WINDOW.start, Math.floor((i * 365 * 1440) / SINGLES));
  return [`DTSTART:${stamp(start)}`, `DTEND:${stamp(addMinutes(start, 15 + (i % 4) * 15))}`];
};

const series = (i: number): string[] => {
  const began = addMinutes('2024-01-01T07:00:00.000Z', ((i * 1440 * 3) % (1440 * 900)) + (i % 36) * 15);
  return [
    `DTSTART;TZID=Europe/Berlin:${stamp(began).slice(0, -1)}`,
    `DURATION:PT${15 + (i % 4) * 15}M`,
    `RRULE:${RULES[i % RULES.length]}`,
  ];
};

const fileOf = (events: { uid: string; lines: string[] }[]): string =>
  [
    'BEGIN:VCALENDAR',
    'VERSION:2.0',
    'PRODID:-//Almanac//bench//EN',
    ...events.flatMap(({ uid, lines }) => [
      'BEGIN:VEVENT',
      `UID:${uid}`,
      'DTSTAMP:20260101T000000Z',
      ...lines,
      `SUMMARY:Event ${uid} with a title of usual length`,
      'LOCATION:Room 4',
      'END:VEVENT',
    ]),
    'END:VCALENDAR',
    '',
  ].join('\r\n');

const fill = async ({ url }: Server, { key }: Person): Promise<void> => {
  const events = [
    ...Array.from({ length: SINGLES }, (_, i) => ({ uid: `single-${i}`, lines: singleEvent(i) })),
    ...Array.from({ length: SERIES }, (_, i) => ({ uid: `series-${i}`, lines: series(i) })),
  ];
  for (let from = 0; from < events.length; from += FILE) {
    const part = events.slice(from, from + FILE);
    const response = await fetch(`${url}/calendar/import`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${key}`, 'Content-Type': 'text/calendar' },
      body: fileOf(part),
    });
    const answer = (await response.json()) as { created?: number };
    if (answer.created !== part.length) throw new Error(`not imported: ${JSON.stringify(answer).slice(0, 500)}`);
  }
};

/** The query of calendar/queries.ts singlesPage for a first page, and that of seriesIn; documents as text, as they are sent. */
const BARE_SINGLES = `
  select l.payload::text as text from (select e.seq, lower(e.during) as at, e.uid from events e
         where e.user_id = $1 and not e.recurring and lower(e.during) >= $2 and lower(e.during) < $3
         order by lower(e.during), e.uid collate "C" limit $4) page
  join ledger l on l.user_id = $1 and l.seq = page.seq order by page.at, page.uid collate "C"`;
const BARE_SERIES = `
  select l.payload::text as text from events e join ledger l on l.user_id = $1 and l.seq = e.seq
  where e.user_id = $1 and e.recurring and e.span && tstzrange($2, $3)`;

type Sizes = { rounds: number; calls: number };

const inRounds = async ({ rounds, calls }: Sizes, work: () => Promise<void>): Promise<number[][]> => {
  for (let i = 0; i < 10; i++) await work();
  const times: number[][] = [];
  for (let round = 0; round < rounds; round++) {
    const of: number[] = [];
    for (let i = 0; i < calls; i++) of.push(await timed(work));
    times.push(of);
  }
  return times;
};

type Question = { what: string; path: string; least: number; target: boolean };

const questions = (seq: number): Question[] => {
  const year = `start=${WINDOW.start}&end=${instantOf(Date.parse(WINDOW.end) - 1)}`;
  return [
    { what: 'a page of 100', path: `/calendar/events?${year}`, least: 100, target: true },
    { what: 'a page of 1000', path: `/calendar/events?${year}&limit=1000`, least: 1000, target: true },
    {
      what: 'a page of 1000 as of a seq',
      path: `/calendar/events?${year}&limit=1000&as_of=${seq}`,
      least: 1000,
      target: true,
    },
    { what: 'busy time of the year', path: `/calendar/freebusy?${year}`, least: 0, target: true },
  ];
};

const run = async (place: Place, quick: boolean, say: (line: string) => void): Promise<Measured> => {
  const sizes = quick ? { rounds: 2, calls: 20 } : { rounds: 5, calls: 60 };
  const [server] = (await servers(1, place.env)) as [Server];
  const person = await aPerson(server.url, 'Europe/Berlin');
  say(`importing ${SINGLES} single events and ${SERIES} series`);
  await fill(server, person);
  const get = (path: string) => fetch(server.url + path, { headers: { Authorization: `Bearer ${person.key}` } });
  const { seq } = (await (await get('/agent/changes')).json()) as { seq: number };
  say('changing every tenth event, so that as_of has something to look back on');
  for (let i = 0; i < SINGLES; i += 10) await change(server, person, `single-${i}`);
  const figures: Figure[] = [];
  for (const { what, path, least, target } of questions(seq)) {
    const ask = async (): Promise<void> => {
      const response = await get(path);
      const body = (await response.json()) as unknown[];
      if (!response.ok || (least > 0 && body.length !== least)) throw new Error(JSON.stringify(body).slice(0, 300));
    };
    const times = await inRounds(sizes, ask);
    figures.push(...percentiles(`GET, ${what}`, times, [50, 95], target ? TARGET : {}));
    say(what);
  }
  await server.stop();
  const bare = await place.sql((query) =>
    inRounds(sizes, async () => {
      const values = [person.user_id, WINDOW.start, WINDOW.end];
      const singles = await query(BARE_SINGLES, [...values, 1001]);
      const repeating = await query(BARE_SERIES, values);
      if (singles.length + repeating.length !== 1001 + SERIES) throw new Error('the bare queries find something else');
    }),
  );
  return {
    figures: [...figures, ...percentiles('the two bare queries of a page of 1000', bare, [50, 95])],
    facts: [
      `${SERIES} series with some 15,000 occurrences in the year, ${SINGLES} single events; ${sizes.calls} calls one after the other in each round.`,
    ],
  };
};

const change = async ({ url }: Server, { key }: Person, uid: string): Promise<void> => {
  const response = await fetch(`${url}/calendar/edit`, {
    method: 'PATCH',
    headers: { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' },
    body: JSON.stringify({ uid, updates: { location: 'Room 5' } }),
  });
  if (!response.ok) throw new Error(await response.text());
};

export const WINDOW_BENCH: Bench = {
  id: 'WINDOW',
  title: `a year with ${SERIES} series and ${SINGLES} single events`,
  places: ['postgres'],
  embedded: true,
  run,
};
