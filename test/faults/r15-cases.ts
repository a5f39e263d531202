/** What one user does at his worst (R15): the cases of issue 12, section B, each by itself. */
import { gzipSync } from 'node:zlib';
import { ok, post, patch, type Person, type Sent } from './api.ts';
import { dayAhead, weekAhead } from '../support/today.ts';

export type Scene = { url: string; person: Person; quick: boolean };
export type Flood = Scene & {
  /** Whether it has lasted long enough. */
  isOver: () => boolean;
  /** Told of every answer; 0 where there was none. */
  answered: (what: string, status: number) => void;
};
export type Case = {
  name: string;
  /** What has to be there before; not measured. */
  prepare?: (scene: Scene) => Promise<void>;
  flood: (flood: Flood) => Promise<void>;
};

const MIB = 1024 * 1024;
const PATIENCE_MS = 300_000;
const DAY = weekAhead(0);

type Raw = { method: string; path: string; type: string; body: string | Buffer; headers?: Record<string, string> };

const send = async ({ url, answered }: Flood, key: string, sent: Sent | Raw): Promise<void> => {
  const isRaw = 'type' in sent;
  const body = isRaw ? sent.body : sent.body === undefined ? undefined : JSON.stringify(sent.body);
  const what = `${sent.method} ${sent.path.split('?')[0]}`;
  try {
    const response = await fetch(url + sent.path, {
      method: sent.method,
      headers: {
        Authorization: `Bearer ${key}`,
        ...(body === undefined ? {} : { 'Content-Type': isRaw ? sent.type : 'application/json' }),
        ...sent.headers,
      },
      ...(body === undefined ? {} : { body: body as string }),
      signal: AbortSignal.timeout(PATIENCE_MS),
    });
    for await (const piece of response.body ?? []) void piece; // the whole answer, without keeping it
    answered(what, response.status);
  } catch {
    answered(what, 0);
  }
};

/** Sends a list, `width` at a time. */
const sendAll = async (flood: Flood, key: string, list: Iterable<Sent | Raw>, width: number): Promise<void> => {
  const rest = list[Symbol.iterator]();
  await Promise.all(
    Array.from({ length: width }, async () => {
      for (let next = rest.next(); !next.done; next = rest.next()) await send(flood, key, next.value);
    }),
  );
};

/** Sends the same requests, all at once, again and again until it has lasted long enough. */
export const storm = async (flood: Flood, key: string, list: Sent[]): Promise<void> => {
  await Promise.all(
    list.map(async (sent) => {
      do await send(flood, key, sent);
      while (!flood.isOver());
    }),
  );
};

/** As much as a body of `bytes` holds. */
const zeros = (bytes: number): string => `[${'0,'.repeat(Math.floor(bytes / 2) - 100)}0]`;

/** A gzip of 16 kB that is an array of eight million numbers. */
const junkImport: Case = {
  name: '7 junk imports',
  flood: (flood) => {
    const body = gzipSync(`{"traces":${zeros(16 * MIB)}}`);
    const sent: Raw = {
      ...{ method: 'POST', path: '/memport/import', type: 'application/json', body },
      headers: { 'Content-Encoding': 'gzip' },
    };
    return sendAll(
      flood,
      flood.person.key,
      Array.from({ length: flood.quick ? 2 : 6 }, () => sent),
      3,
    );
  },
};

type Schema = {
  $ref?: string;
  properties?: Record<string, Schema>;
  type?: string | string[];
  items?: Schema;
  anyOf?: Schema[];
};
type Document = {
  paths: Record<string, Record<string, { requestBody?: { content: Record<string, { schema: Schema }> } }>>;
  components: { schemas: Record<string, Schema> };
};

/** Of zeros: as many as a body holds, and as many as one that is still parsed (http/body/body.ts). */
const JUNK = [zeros(MIB), zeros(480_000)];

/** Every array of every JSON body openapi.yaml names, two levels deep, as junk. */
const junkArrays = ({ paths, components }: Document): Raw[] => {
  const resolved = (schema: Schema): Schema =>
    schema.$ref ? (components.schemas[schema.$ref.split('/').at(-1) as string] ?? {}) : schema;
  const isArray = (schema: Schema): boolean =>
    [resolved(schema).type].flat().includes('array') || (resolved(schema).anyOf ?? []).some(isArray);
  const arraysOf = (schema: Schema, depth = 0): string[][] =>
    Object.entries(resolved(schema).properties ?? {}).flatMap(([name, member]) => [
      ...(isArray(member) ? [[name]] : []),
      ...(depth < 2 ? arraysOf(member, depth + 1).map((path) => [name, ...path]) : []),
    ]);
  const holding = ([name, ...rest]: string[], junk: string): string =>
    name === undefined ? junk : `{${JSON.stringify(name)}:${holding(rest, junk)}}`;
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).flatMap(([method, { requestBody }]) =>
      arraysOf(requestBody?.content['application/json']?.schema ?? {}).flatMap((members) =>
        JUNK.map((junk) => ({
          ...{ method: method.toUpperCase(), path, type: 'application/json', body: holding(members, junk) },
        })),
      ),
    ),
  );
};

const junkBodies: Case = {
  name: '7 junk in every array',
  flood: async (flood) => {
    const document = (await (await fetch(`${flood.url}/openapi.json`)).json()) as Document;
    await sendAll(flood, flood.person.key, junkArrays(document), 4);
  },
};

const proposal = (n: number) => ({
  ...{ action_type: 'schedule', title: `Proposal ${n}`, scheduled_for: `${DAY}T10:00`, duration_minutes: 60 },
});

/** 14,000 proposals for one hour, and the whole queue of them. */
const proposals: Case = {
  name: '8 proposals for one hour',
  flood: async (flood) => {
    const { person, quick } = flood;
    const requests = Array.from({ length: quick ? 10 : 140 }, (_, i) =>
      post('/agent/plan', { actions: Array.from({ length: 100 }, (__, n) => proposal(100 * i + n)) }),
    );
    await sendAll(flood, person.agent, requests, 4);
    const queue: Sent = { method: 'GET', path: '/agent/queue?limit=1000' };
    await storm(flood, person.key, [queue, queue, queue]);
  },
};

const icsOf = (events: string[]): string =>
  ['BEGIN:VCALENDAR', 'VERSION:2.0', 'PRODID:-//trial//EN', ...events, 'END:VCALENDAR', ''].join('\r\n');

const overrides = (count: number): string[] =>
  Array.from({ length: count }, (_, n) => {
    const at = new Date(Date.UTC(2020, 0, 1 + n, 9)).toISOString().replace(/[-:]|\.\d+/g, '');
    return ['BEGIN:VEVENT', 'UID:overridden', 'DTSTAMP:20260101T000000Z', `RECURRENCE-ID:${at}`, `DTSTART:${at}`]
      .concat('DURATION:PT30M', `SUMMARY:Override ${n}`, 'END:VEVENT')
      .join('\r\n');
  });

const calendarImport = (events: string[]): Raw => ({
  ...{ method: 'POST', path: '/calendar/import', type: 'text/calendar', body: icsOf(events) },
});

const recurrenceIds: Case = {
  name: '9 an .ics of overrides',
  flood: async (flood) => {
    const master = ['BEGIN:VEVENT', 'UID:overridden', 'DTSTAMP:20260101T000000Z', 'DTSTART:20200101T090000Z']
      .concat('DURATION:PT30M', 'RRULE:FREQ=DAILY', 'SUMMARY:Series', 'END:VEVENT')
      .join('\r\n');
    await send(flood, flood.person.key, calendarImport([master, ...overrides(flood.quick ? 1_000 : 9_990)]));
  },
};

/** Rules that have to be followed for years to find nothing. */
const rareRules: Case = {
  name: '9 rules that hardly ever occur',
  flood: async (flood) => {
    const events = Array.from({ length: flood.quick ? 50 : 500 }, (_, n) =>
      ['BEGIN:VEVENT', `UID:rare-${n}`, 'DTSTAMP:20260101T000000Z', 'DTSTART:20240229T090000Z', 'DURATION:PT30M']
        .concat('RRULE:FREQ=DAILY;BYMONTH=2;BYMONTHDAY=29', `SUMMARY:Rare ${n}`, 'END:VEVENT')
        .join('\r\n'),
    );
    await send(flood, flood.person.key, calendarImport(events));
    await storm(flood, flood.person.key, [
      { method: 'GET', path: `/calendar/events?start=${dayAhead(-365)}&end=${dayAhead(365)}` },
      { method: 'GET', path: `/calendar/slots?start=${DAY}&end=${weekAhead(30)}&duration_minutes=30` },
    ]);
  },
};

const quarterHours = (n: number): string =>
  ['BEGIN:VEVENT', `UID:quarter-${n}`, 'DTSTAMP:20260101T000000Z', 'DTSTART:20260101T000000Z', 'DURATION:PT5M']
    .concat('RRULE:FREQ=DAILY;BYHOUR=0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23;BYMINUTE=0,15,30,45')
    .concat(`SUMMARY:Quarter ${n}`, 'END:VEVENT')
    .join('\r\n');

/** Series of a quarter of an hour: listed, searched for room, and read by the planner. */
const denseSeries: Case = {
  name: '9 series of quarter hours',
  prepare: async ({ url, person, quick }) => {
    for (let from = 0; from < (quick ? 100 : 2_000); from += 100) {
      const body = icsOf(Array.from({ length: 100 }, (_, n) => quarterHours(from + n)));
      await fetch(`${url}/calendar/import`, {
        ...{ method: 'POST', body, signal: AbortSignal.timeout(PATIENCE_MS) },
        headers: { Authorization: `Bearer ${person.key}`, 'Content-Type': 'text/calendar' },
      }).then((response) => response.text());
    }
  },
  flood: (flood) =>
    storm(flood, flood.person.key, [
      { method: 'GET', path: `/calendar/events?start=${DAY}&end=${weekAhead(30)}` },
      { method: 'GET', path: `/calendar/slots?start=${DAY}&end=${weekAhead(7)}&duration_minutes=30` },
      post('/chat/respond', { prompt: 'Plan 30 minutes of reading tomorrow at 10:00' }),
      post('/agent/plan', { actions: [proposal(1)] }),
    ]),
};

const LARGEST = 100_000;

/** Traces as large as they may be, read in pages as long as they may be. */
const largePages: Case = {
  name: '10 pages of large traces',
  prepare: async ({ url, person, quick }) => {
    const words = 'the supplier wants the contract signed by friday and ana asked for the figures again ';
    const content = words.repeat(Math.ceil(LARGEST / words.length)).slice(0, LARGEST);
    for (let n = 0; n < (quick ? 20 : 100); n++) {
      const traces = Array.from({ length: 10 }, () => ({ type: 'observation', content, task_id: 'large' }));
      await ok(url, person.key, post('/memory/push', { traces }));
    }
  },
  flood: (flood) =>
    storm(flood, flood.person.key, [
      { method: 'GET', path: '/memory/pull?limit=1000' },
      { method: 'GET', path: '/memory/pull?limit=100' },
      { method: 'GET', path: '/agent/changes?after=0&limit=1000' },
      { method: 'GET', path: `/memport/export?user_id=${flood.person.user_id}&export_format=full&limit=1000` },
      post('/debug/trace-dump', { limit: 1000 }),
    ]),
};

const WORDS = Array.from({ length: 2_000 }, (_, n) => `w${(n * 7919).toString(36)}`);
const someWords = (n: number, count: number): string =>
  Array.from({ length: count }, (_, i) => WORDS[(n * 31 + i * 17) % WORDS.length]).join(' ');

/** Fifteen searches of every word there is, six prompts of 100,000 characters, and one of 59 series, all at once. */
const searchesAndPrompts: Case = {
  name: '11 searches and prompts',
  prepare: async ({ url, person, quick }) => {
    for (let n = 0; n < (quick ? 5 : 30); n++) {
      const traces = Array.from({ length: 200 }, (_, i) => ({
        ...{ type: 'observation', content: someWords(200 * n + i, 60), task_id: `task ${i % 20}` },
      }));
      await ok(url, person.key, post('/memory/push', { traces }));
    }
    await ok(url, person.key, patch('/user/update', { updates: { memory: { record_chat: false } } }));
  },
  flood: (flood) => {
    const prompt = 'gym at 7, then call Anna about the invoice tomorrow at 3pm, and '.repeat(2_000).slice(0, LARGEST);
    const series = Array.from({ length: 59 }, (_, i) => `jog ${i} every day at ${10 + (i % 8)}:${10 + i}`).join(', ');
    return storm(flood, flood.person.agent, [
      post('/chat/plan-preview', { prompt: series }),
      ...Array.from({ length: 15 }, (_, n) =>
        post('/memory/search', { query: someWords(n, 1_200).slice(0, 10_000), limit: 100, explain: true }),
      ),
      ...['/chat/respond', '/chat/plan-preview', '/agent/plan'].flatMap((path) => [
        post(path, { prompt }),
        post(path, { prompt: '@'.repeat(LARGEST) }),
      ]),
    ]);
  },
};

/** More of everything small than fits: reads, writes and lists in hundreds at once. */
const manyAtOnce: Case = {
  name: '11 hundreds of requests at once',
  flood: (flood) => {
    const content = 'the supplier wants the contract signed '.repeat(2_000);
    return storm(
      flood,
      flood.person.agent,
      Array.from({ length: flood.quick ? 200 : 600 }, (_, n): Sent =>
        n % 3 === 0
          ? post('/memory/push', { traces: [{ type: 'observation', content }] })
          : n % 3 === 1
            ? { method: 'GET', path: '/memory/pull?limit=100' }
            : post('/memory/search', { query: 'supplier contract' }),
      ),
    );
  },
};

/** Texts that repeat a few characters, which expressions and parsers read again and again where they are not careful. */
const REPEATED = [
  '[',
  '([',
  '"',
  '.',
  '?)',
  '\u4e00',
  '\u6f22',
  '\uac00',
  '#a ',
  'a://',
  ' \n',
  '1.',
  "a'",
  '@a',
  ', and ',
];

const sameCharacters: Case = {
  name: '13 texts of the same characters',
  flood: (flood) =>
    storm(
      flood,
      flood.person.agent,
      REPEATED.flatMap((part): Sent[] => {
        const content = part.repeat(LARGEST / part.length);
        return [
          post('/memory/push', { traces: [{ type: 'observation', content }] }),
          post('/chat/plan-preview', { prompt: content }),
          post('/memory/search', { query: content.slice(0, 10_000) }),
          { ...post('/memory/push', {}), headers: { 'If-Match': `"a",${' '.repeat(8_000)}x` } },
        ];
      }),
    ),
};

export const CASES: Case[] = [
  junkImport,
  junkBodies,
  proposals,
  recurrenceIds,
  rareRules,
  denseSeries,
  largePages,
  searchesAndPrompts,
  manyAtOnce,
  sameCharacters,
];
