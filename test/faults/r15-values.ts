/**
 * What an agent does with the sensitive values of its person's account (R15): values that are spelled alike, that contain each
 * other, or that are long, and texts that are full of them. Then the person's programs read, and another user waits.
 */
import { get, ok, patch, post, type Person, type Sent } from './api.ts';
import { storm, type Case, type Scene } from './r15-cases.ts';

const LONGEST = { authored_by: 1_000, chat_url: 4_000, notes: 99_000 };
/** In one body, which takes a megabyte. */
const AT_ONCE = 200;
const NOTES = Array.from({ length: 10 }, (_, n) => `note-${n}`);

const WORD = 'abcdefghijklmnop';
/** The same word with other letters in upper case. */
const variant = (n: number): string =>
  Array.from(WORD, (letter, i) => ((n >> i) & 1 ? letter.toUpperCase() : letter)).join('');

const filled = (part: string, length: number): string => part.repeat(Math.ceil(length / part.length)).slice(0, length);

/** A number that follows from another one, so that all runs have the same texts. */
const scattered = (n: number): number => (Math.imul(n ^ (n >>> 15), 2_654_435_761) ^ (n << 7)) >>> 0;

const longUrl = (n: number): string => {
  const parts = Array.from({ length: 700 }, (_, i) => scattered(1_000 * n + i).toString(36));
  return `https://chat.example/${n}/${parts.join('/')}`.slice(0, LONGEST.chat_url);
};

/** The agent sets values on traces of its own, and the person has notes that are full of them. */
const valuesAndNotes = async (
  { url, person }: Scene,
  count: number,
  valueOf: (n: number) => object,
  notes: string,
): Promise<void> => {
  for (let from = 0; from < count; from += AT_ONCE) {
    const traces = Array.from({ length: AT_ONCE }, (_, i) => ({
      ...{ type: 'observation', content: 'x', ...valueOf(from + i) },
    }));
    await ok(url, person.agent, post('/memory/push', { traces }));
  }
  for (let from = 0; from < NOTES.length; from += 5) {
    const traces = NOTES.slice(from, from + 5).map((uid) => ({ uid, type: 'observation', content: 'A talk', notes }));
    await ok(url, person.key, post('/memory/push', { traces }));
  }
};

/** What the person and their agents read meanwhile. */
const reading = ({ key, agent }: Person): { key: string; sent: Sent[] }[] => [
  {
    key: agent,
    sent: [
      ...NOTES.map((uid) => get(`/memory/history?uid=${uid}`)),
      get('/memory/pull?limit=1'),
      get('/memory/pull?limit=100'),
      get('/agent/changes?after=0&limit=100'),
      post('/memory/search', { query: 'talk' }),
    ],
  },
  { key, sent: [get('/memory/pull?limit=20'), get('/user/profile')] },
];

const flooded = (name: string, prepare: (scene: Scene) => Promise<void>): Case => ({
  ...{ name, prepare },
  flood: async (flood) => {
    await Promise.all(reading(flood.person).map(({ key, sent }) => storm(flood, key, sent)));
  },
});

const variants = flooded('12 sensitive values that are spelled alike', (scene) =>
  valuesAndNotes(
    scene,
    scene.quick ? 4_000 : 10_000,
    (n) => ({ authored_by: variant(n) }),
    filled(`${WORD} `, LONGEST.notes),
  ),
);

const nested = flooded('12 sensitive values that contain each other', (scene) =>
  valuesAndNotes(
    scene,
    scene.quick ? 1_000 : 1_800,
    (n) => ({ chat_url: filled('a ', 2 * n + 3), authored_by: filled('a ', 2 * (n % 499) + 3) }),
    filled('a ', LONGEST.notes),
  ),
);

const long = flooded('12 long sensitive values', (scene) =>
  valuesAndNotes(
    scene,
    scene.quick ? 4_000 : 10_000,
    (n) => ({ chat_url: longUrl(n) }),
    filled(`see ${longUrl(7)} now `, LONGEST.notes),
  ),
);

/** A patch of many small members is many times as large as they are. */
const members = (version: number): Record<string, number> =>
  Object.fromEntries(Array.from({ length: 1_700 }, (_, i) => [i.toString(36), (version + i) % 10]));

const versions: Case = {
  name: '12 versions of large metadata',
  prepare: async ({ url, person }) => {
    for (const uid of NOTES.slice(0, 2)) {
      await ok(url, person.key, post('/memory/push', { traces: [{ uid, type: 'observation', content: 'x' }] }));
      for (let version = 0; version < 70; version++)
        await ok(url, person.agent, patch('/memory/edit', { uid, updates: { metadata: members(version) } }));
    }
  },
  flood: (flood) =>
    storm(
      flood,
      flood.person.agent,
      NOTES.slice(0, 2).flatMap((uid) => [
        get(`/memory/history?uid=${uid}`),
        get(`/memory/history?uid=${uid}&limit=1000`),
      ]),
    ),
};

export const VALUE_CASES: Case[] = [variants, nested, long, versions];
