/** S6: slots over 90 days with 10,000 busy blocks: the pure function, the endpoint, and the bare query beneath it. */
import { learn, learnedWeight, type Sample } from '../../src/domain/plan/tempo-learning.ts';
import { findSlots } from '../../src/domain/plan/slots.ts';
import { defaultTempo } from '../../src/domain/plan/plan-settings.ts';
import { tempoWindows, type TempoProfile } from '../../src/domain/plan/tempo.ts';
import { addMinutes, instantOf, type Instant, type Interval } from '../../src/domain/time/time.ts';
import { aPerson, get, type Person } from '../faults/api.ts';
import type { Place } from '../faults/cluster.ts';
import { servers, type Server } from '../faults/server.ts';
import { percentiles, timed, type Bench, type Figure, type Measured } from './bench.ts';

const DAYS = 90;
const BLOCKS = 10_000;
const ZONE = 'Europe/Berlin';
const DAY_MS = 86_400_000;
const TARGET = { 95: 50 };
const FILE = 2_500;
/** One that fits many of the gaps, and one that fits none: then every part of the window is answered with its reason. */
const LENGTHS = [
  { minutes: 5, what: 'many slots' },
  { minutes: 30, what: 'none, with reasons' },
];

const windowFrom = (now: number): Interval => {
  const start = Math.ceil(now / DAY_MS) * DAY_MS;
  return { start: instantOf(start), end: instantOf(start + DAYS * DAY_MS) };
};

/** Blocks of 3 to 10 minutes that don't touch: nothing merges, so there are as many gaps as blocks. The same every time. */
const blocksIn = ({ start }: Interval): Interval[] => {
  const every = (DAYS * 24 * 60) / BLOCKS;
  return Array.from({ length: BLOCKS }, (_, i) => {
    const from = addMinutes(start, Math.floor(i * every));
    return { start: from, end: addMinutes(from, 3 + ((i * 7919) % 8)) };
  });
};

/** Decisions over all hours of the week, so that each has a weight of its own. */
const samplesFrom = (start: Instant): Sample[] =>
  Array.from({ length: 500 }, (_, i) => {
    const proposed = { start: addMinutes(start, i * 60), duration_minutes: 30 };
    return {
      action_type: 'schedule',
      tags: ['@deep_work'],
      proposed,
      decided: i % 3 === 0 ? null : proposed,
      rating: null,
    };
  });

type Measure = (work: () => unknown, count: number) => Promise<number[]>;
const measure: Measure = async (work, count) => {
  const times: number[] = [];
  for (let i = 0; i < count; i++) times.push(await timed(work));
  return times;
};

type Sizes = { rounds: number; calls: number };

/** As the service calls them, tempo windows included. */
const pure = async ({ rounds, calls }: Sizes): Promise<Figure[]> => {
  const now = instantOf(Date.now());
  const window = windowFrom(Date.now());
  const busy = blocksIn(window);
  const learned = learn(samplesFrom(window.start), ZONE);
  const profile: TempoProfile = { user_id: 'bench', timezone: ZONE, ...defaultTempo(), learned };
  const weights = [
    { weight: undefined, how: '' },
    {
      weight: learnedWeight(learned, { tag: '@deep_work', action_type: 'schedule' }, ZONE),
      how: ', with learning',
    },
  ];
  const figures: Figure[] = [];
  for (const { minutes, what } of LENGTHS)
    for (const { weight, how } of weights) {
      const find = () =>
        findSlots({
          window,
          duration_minutes: minutes,
          busy,
          windows: tempoWindows(profile, {}, window),
          wider: tempoWindows(profile, {}, window),
          now,
          zone: ZONE,
          limit: 10,
          weight,
        });
      if (find().slots.length > 0 !== (minutes === 5)) throw new Error(`unexpected answer for ${what}`);
      await measure(find, 20); // warm
      const times: number[][] = [];
      for (let round = 0; round < rounds; round++) times.push(await measure(find, calls));
      figures.push(...percentiles(`pure function, ${what}${how}`, times, [50, 95]));
    }
  return figures;
};

const stamp = (at: Instant): string => at.replace(/[-:]|\.\d+/g, '');

const fileOf = (blocks: Interval[], from: number): string =>
  [
    'BEGIN:VCALENDAR',
    'VERSION:2.0',
    'PRODID:-//Almanac//bench//EN',
    ...blocks.flatMap(({ start, end }, i) => [
      'BEGIN:VEVENT',
      `UID:block-${from + i}`,
      'DTSTAMP:20260101T000000Z',
      `DTSTART:${stamp(start)}`,
      `DTEND:${stamp(end)}`,
      `SUMMARY:Block ${from + i}`,
      'END:VEVENT',
    ]),
    'END:VCALENDAR',
    '',
  ].join('\r\n');

const fill = async ({ url }: Server, { key }: Person, blocks: Interval[]): Promise<void> => {
  for (let from = 0; from < blocks.length; from += FILE) {
    const response = await fetch(`${url}/calendar/import`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${key}`, 'Content-Type': 'text/calendar' },
      body: fileOf(blocks.slice(from, from + FILE), from),
    });
    const answer = (await response.json()) as { created?: number };
    if (answer.created !== Math.min(FILE, blocks.length - from))
      throw new Error(`the calendar was not imported: ${JSON.stringify(answer)}`);
  }
};

/** The query of calendar/queries.ts busySpans, by itself. */
const BUSY = `
  select (extract(epoch from lower(r)) * 1000)::float8 as from, (extract(epoch from upper(r)) * 1000)::float8 as to
  from (select unnest(range_agg(e.during)) as r from events e
         where e.user_id = $1 and e.busy and not e.recurring and e.span && tstzrange($2, $3)) merged`;

const endpoint = async (place: Place, { rounds, calls }: Sizes, say: (line: string) => void): Promise<Figure[]> => {
  const [server] = (await servers(1, place.env)) as [Server];
  const person = await aPerson(server.url, ZONE);
  const window = windowFrom(Date.now());
  say(`importing ${BLOCKS} events`);
  await fill(server, person, blocksIn(window));
  const ask = async (minutes: number): Promise<void> => {
    const { path } = get(`/calendar/slots?start=${window.start}&end=${window.end}&duration_minutes=${minutes}`);
    const response = await fetch(server.url + path, { headers: { Authorization: `Bearer ${person.key}` } });
    const text = await response.text();
    if (!response.ok) throw new Error(text);
  };
  const figures: Figure[] = [];
  for (const { minutes, what } of LENGTHS) {
    await measure(() => ask(minutes), 20);
    const times: number[][] = [];
    for (let round = 0; round < rounds; round++) {
      times.push(await measure(() => ask(minutes), calls));
      say(`GET /calendar/slots, ${what}: round ${round + 1} of ${rounds}`);
    }
    figures.push(...percentiles(`GET /calendar/slots, ${what}`, times, [50, 95], TARGET));
  }
  await server.stop();
  const bare = await place.sql(async (query) => {
    const look = async (): Promise<void> => {
      const rows = await query(BUSY, [person.user_id, window.start, window.end]);
      if (rows.length !== BLOCKS) throw new Error(`${rows.length} busy spans`);
    };
    await measure(look, 20);
    const times: number[][] = [];
    for (let round = 0; round < rounds; round++) times.push(await measure(look, calls));
    return times;
  });
  return [...figures, ...percentiles('bare query of the busy spans', bare, [50, 95])];
};

const run = async (place: Place, quick: boolean, say: (line: string) => void): Promise<Measured> => {
  const sizes = quick ? { rounds: 2, calls: 20 } : { rounds: 5, calls: 100 };
  say('the pure function');
  const figures = [...(await pure(sizes)), ...(await endpoint(place, sizes, say))];
  return {
    figures,
    facts: [
      `${BLOCKS} blocks that don’t touch in ${DAYS} days, ${sizes.calls} calls one after the other in each round.`,
    ],
  };
};

export const S6: Bench = {
  id: 'S6',
  title: `slots over ${DAYS} days with ${BLOCKS} busy blocks`,
  places: ['postgres'],
  embedded: true,
  run,
};
