/** Puts the same calls to AlmanacStore and to LangGraph's InMemoryStore, and prints where the answers differ. */
import { InMemoryStore, type BaseStore } from '@langchain/langgraph-checkpoint';
import { createClient } from 'almanac-client';
import { AlmanacStore } from './langgraph-store.ts';

const client = createClient({ url: process.env['ALMANAC_URL'] ?? '', credential: process.env['ALMANAC_KEY'] ?? '' });
const almanac = new AlmanacStore(client);
const memory = new InMemoryStore();

type Call = (store: BaseStore) => Promise<unknown>;
const CALLS: Record<string, Call> = {
  'get of nothing': (s) => s.get(['users', 'ada'], 'prefs'),
  'put of a first item': (s) =>
    s.put(['users', 'ada'], 'prefs', { theme: 'dark', size: 3, nested: { deep: [1, null] } }),
  'put of others': async (s) => {
    await s.put(['users', 'ada'], 'bio', { text: 'Writes about tides and the moon.', size: 7 });
    await s.put(['users', 'bob'], 'prefs', { theme: 'light', size: 5 });
    await s.put(['users', 'ada', 'notes'], 'one', { text: 'Chapter three is hard.', size: 1 });
    await s.put(['docs', 'v1'], 'readme', { title: 'Start here', size: 9 }, ['title']);
    await s.put(['docs', 'v2'], 'hidden', { title: 'Not searched', size: 2 }, false);
    await s.put(['usersX'], 'prefs', { theme: 'dark', size: 8 });
  },
  'get of an item': (s) => s.get(['users', 'ada'], 'prefs'),
  'get of the same key elsewhere': (s) => s.get(['users', 'bob'], 'prefs'),
  'search of everything': (s) => s.search([]),
  'search under a prefix': (s) => s.search(['users']),
  'search under a longer prefix': (s) => s.search(['users', 'ada']),
  'search with an exact filter': (s) => s.search(['users'], { filter: { theme: 'dark' } }),
  'search with $gt and $lte': (s) => s.search([], { filter: { size: { $gt: 2, $lte: 8 } } }),
  'search with $ne': (s) => s.search([], { filter: { theme: { $ne: 'dark' } } }),
  'search with $in and $nin': (s) => s.search([], { filter: { size: { $in: [1, 2, 3], $nin: [2] } } }),
  'search with an unknown operator': (s) => s.search([], { filter: { size: { $near: 2 } } }),
  'search page by page': async (s) => {
    const pages = [await s.search([], { limit: 3 }), await s.search([], { limit: 10, offset: 3 })];
    return [pages.map((page) => page.length), pages.flat()];
  },
  'put over an item': (s) => s.put(['users', 'ada'], 'prefs', { theme: 'blue' }),
  'get after it': (s) => s.get(['users', 'ada'], 'prefs'),
  'delete of an item': (s) => s.delete(['users', 'ada'], 'bio'),
  'get after the delete': (s) => s.get(['users', 'ada'], 'bio'),
  'delete of nothing': (s) => s.delete(['users', 'ada'], 'nothing'),
  'search after the delete': (s) => s.search(['users', 'ada']),
  'put after the delete': async (s) => {
    await s.put(['users', 'ada'], 'bio', { text: 'Back.' });
    return s.get(['users', 'ada'], 'bio');
  },
  'list of namespaces': (s) => s.listNamespaces(),
  'list under a prefix': (s) => s.listNamespaces({ prefix: ['users'] }),
  'list with a wildcard': (s) => s.listNamespaces({ prefix: ['*', 'ada'] }),
  'list by suffix': (s) => s.listNamespaces({ suffix: ['v1'] }),
  'list to a depth': (s) => s.listNamespaces({ maxDepth: 1 }),
  'list page by page': (s) => s.listNamespaces({ limit: 2, offset: 1 }),
  'batch of reads and writes': (s) =>
    s.batch([
      { namespace: ['batch'], key: 'a', value: { n: 1 } },
      { namespace: ['batch'], key: 'a' },
      { namespace: ['batch'], key: 'a', value: { n: 2 } },
      { namespacePrefix: ['users', 'bob'] },
    ] as const as never),
  'get after the batch': (s) => s.get(['batch'], 'a'),
  'put into a reserved namespace': (s) => s.put(['langgraph'], 'x', { n: 1 }),
  'put into an empty namespace': (s) => s.put([], 'x', { n: 1 }),
};

/** Times differ, and without a query the order of items is the store's own. */
const comparable = (answer: unknown): unknown => {
  const parts = (value: unknown): unknown => {
    if (!Array.isArray(value)) return value;
    const items = value.map(parts);
    return items.some((one) => typeof one === 'object' && one !== null && 'key' in one)
      ? items.toSorted((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1))
      : items;
  };
  const plain = JSON.parse(
    JSON.stringify(answer ?? null, (name, value: unknown) =>
      name === 'createdAt' || name === 'updatedAt' ? 'a time' : name === 'score' ? undefined : value,
    ),
    (_name, value: unknown) =>
      typeof value === 'object' && value !== null && !Array.isArray(value)
        ? Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)))
        : value,
  ) as unknown;
  return parts(plain);
};
const answerOf = async (call: Call, store: BaseStore): Promise<string> =>
  JSON.stringify(comparable(await call(store).catch((error: Error) => ({ refused: error.name }))));

const differences: string[] = [];
for (const [name, call] of Object.entries(CALLS)) {
  const [expected, found] = [await answerOf(call, memory), await answerOf(call, almanac)];
  if (expected !== found) differences.push(`${name}: expected ${expected}, found ${found}`);
}

const before = await almanac.get(['users', 'ada'], 'prefs');
await almanac.put(['users', 'ada'], 'prefs', { theme: 'red' });
const after = await almanac.get(['users', 'ada'], 'prefs');
const [best] = await almanac.search(['users'], { query: 'hard chapter' });
process.stdout.write(
  JSON.stringify({
    calls: Object.keys(CALLS).length,
    differences,
    keepsCreation: before?.createdAt.getTime() === after?.createdAt.getTime(),
    movesUpdate: (before?.updatedAt.getTime() ?? 0) <= (after?.updatedAt.getTime() ?? 0),
    best: [best?.key, typeof best?.score],
  }),
);
