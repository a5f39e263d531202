/** An agent with one scope alone walks every route, tool and method, and no answer holds a text that the scope does not show. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { defaultScopes, possibleScopes, type Scope } from '../../src/domain/access/caller.ts';
import { TOOLS } from '../../src/mcp/all-tools.ts';
import { anApp, type Client, type TestApp } from '../support/app.ts';
import { follow } from '../support/follower.ts';
import { markedPerson, type World } from '../support/scopes/person.ts';
import { markedWords, textOf } from '../support/scopes/words.ts';
import type { Ask } from '../support/scopes/ask.ts';
import { davAsks, mcpAsks, toolAsks } from '../support/scopes/protocols.ts';
import { readAsks } from '../support/scopes/reads.ts';
import { mayShow } from '../support/scopes/shown.ts';
import { writeAsks } from '../support/scopes/writes.ts';

/** What no answer has: a key of a request, and the secret address of a source. */
const UNSEEN = ['nothing', 'kept.key', 'source.url'];

let app: TestApp;
const words = markedWords();
const world = (scopes?: Scope[]): Promise<World> => markedPerson(app, words, scopes);

beforeAll(async () => {
  app = await anApp();
  app.clock.set('2026-11-23T07:00:00.000Z');
});
afterAll(() => app.close());

type Who = Pick<Client, 'token'>;
type Answer = { status: number; head: string; body: string };
const send = async ({ token }: Who, { method, path, headers, body }: Ask): Promise<Answer> => {
  const sent = { method, headers: { Authorization: `Bearer ${token}`, ...headers }, redirect: 'manual' as const };
  const answer = await fetch(app.url + path, body === undefined ? sent : { ...sent, body });
  const head = [...answer.headers].map(([name, value]) => `${name}: ${value}`).join('\n');
  return { status: answer.status, head, body: textOf(Buffer.from(await answer.arrayBuffer())) };
};

/** What tells a right guess from a wrong one: all but the word, what a blank hides, and numbers. */
const outline = ({ status, body }: Answer, guess: string): string => {
  const said = JSON.parse(body) as object;
  // The traces of prompt and reply repeat both.
  const rest = Array.isArray(said) ? said : { ...said, traces: [] };
  return `${status} ${JSON.stringify(rest)}`
    .toLowerCase()
    .replaceAll(guess, '_')
    .replaceAll('[redacted]', '_')
    .replaceAll(/[\w.:-]*\d[\w.:-]*/g, '0');
};
/** The first difference of two texts, with what is around it. */
const difference = (one: string, other: string): string => {
  const at = Array.from(one).findIndex((character, i) => character !== other[i]);
  return [one, other].map((text) => text.slice(Math.max(0, at - 60), at + 60)).join(' | ');
};

/** A word that nothing has. */
const NOTHING = words.word('nothing');

const routeAsks = (w: World): Record<string, Ask[]> => ({ ...readAsks(w), ...writeAsks(w) });

const READS = new Set(['GET', 'PROPFIND', 'REPORT', 'OPTIONS']);
const davRoutes = () => app.routes.filter(({ tag, scopes }) => tag === 'caldav' && scopes !== 'public');
const asksOf = (w: World): { reads: Ask[]; writes: Ask[] } => {
  const all = [...Object.values(routeAsks(w)).flat(), ...davAsks(w, davRoutes())];
  const reads = all.filter(({ method }) => READS.has(method));
  return { reads: [...reads, ...mcpAsks(w)], writes: all.filter(({ method }) => !READS.has(method)) };
};

type Report = { findings: Set<string>; seen: Set<string>; worked: Set<string> };
const newReport = (): Report => ({ findings: new Set(), seen: new Set(), worked: new Set() });

const placeOf = ({ method, path }: Ask, w: World): string =>
  `${method} ${path.split('?')[0]}`.replace(w.user_id, ':user_id').replace(/source-[\w-]+/, 'source');

/** Who lacks the scope of a place is refused there so often, whatever is sent. */
const REFUSALS = 3;

const found = ({ random }: World, text: string, sent = '') =>
  words.findIn(
    random.reduce((rest, id) => rest.replaceAll(id, ''), text),
    sent,
  );

const walk = async (w: World, who: Who, scopes: readonly Scope[], asks: Ask[], report: Report): Promise<void> => {
  const refused = new Map<string, number>();
  for (const one of asks) {
    const place = placeOf(one, w);
    if ((refused.get(place) ?? 0) >= REFUSALS) continue;
    const answer = await send(who, one);
    if (answer.status === 403 && answer.body.includes('"insufficient_scope"'))
      refused.set(place, (refused.get(place) ?? 0) + 1);
    const sent = one.path + (one.body ?? '');
    const where = `${place} ${answer.status} of ${(one.body ?? one.path.split('?')[1] ?? '').slice(0, 200)}`;
    if (answer.status < 300) report.worked.add(place);
    for (const { field, part } of found(w, `${answer.head}\n\n${answer.body}`, sent)) {
      report.seen.add(field);
      if (!mayShow(field, scopes)) report.findings.add(`${field} (${part}) <- ${where}`);
    }
    if (one.guess === undefined || answer.status >= 400 || mayShow(one.guess.field, scopes)) continue;
    const { field, word } = one.guess;
    const other = NOTHING.slice(0, word.length);
    const wrong = await send(who, { ...one, body: (one.body ?? '').replaceAll(word, other) });
    const [right, not] = [outline(answer, word), outline(wrong, other)];
    if (right !== not) report.findings.add(`${field}, guessed <- ${where}: ${difference(right, not)}`);
  }
};

/** What a socket tells while something is done, also of what was before. */
const hearing = async (w: World, { token }: Who, during: () => Promise<void>): Promise<string> => {
  const socket = await follow(app.url, { token });
  socket.subscribe(0);
  await socket.synced();
  await during();
  const actions = [{ action_type: 'log', title: 'Last' }];
  const [{ seq }] = (await w.me.post('/agent/plan', { actions }).expect(200)).body;
  await socket.next(({ sequence = 0 }) => sequence >= seq);
  await socket.close();
  // What it said itself, and what was replied, has the words of its guesses.
  const others = socket.heard.filter(({ data = {} }) => {
    const { recorded_by, metadata } = data as { recorded_by?: string; metadata?: { role?: string } };
    return recorded_by !== w.actor && metadata?.role !== 'reply';
  });
  return JSON.stringify(others);
};

test('every route and every tool is asked', async () => {
  const w = await world();
  const secured = app.routes.filter(
    ({ scopes, tag, path }) => scopes !== 'public' && tag !== 'caldav' && path !== '/mcp',
  );
  expect(Object.keys(routeAsks(w)).toSorted()).toEqual(
    secured.map(({ method, path }) => `${method.toUpperCase()} ${path}`).toSorted(),
  );
  expect(Object.keys(toolAsks(w))).toEqual(TOOLS.map(({ name }) => name));
});

test('the person finds every word', async () => {
  const w = await world();
  const report = newReport();
  await walk(w, w.me, possibleScopes('user', false), asksOf(w).reads, report);
  expect(words.fields().filter((field) => !report.seen.has(field))).toEqual(UNSEEN);
});

const CASES = [
  ...possibleScopes('agent', false).map((scope) => ({ name: scope as string, scopes: [scope] })),
  { name: 'the scopes of agents', scopes: defaultScopes('agent', false) },
];

test.each(CASES)('$name is shown what it says, and nothing else', async ({ scopes }) => {
  const w = await world(scopes);
  const report = newReport();
  const { reads, writes } = asksOf(w);
  const all = (): Promise<void> => walk(w, w.who, scopes, [...reads, ...writes], report);
  if (scopes.includes('plan:read'))
    for (const { field, part } of found(w, await hearing(w, w.who, all)))
      if (!mayShow(field, scopes)) report.findings.add(`${field} (${part}) <- socket`);
      else report.seen.add(field);
  else await all();
  // Every route that the scopes open was used with success.
  const open = app.routes.filter(
    (route) =>
      route.scopes !== 'public' && route.tag !== 'caldav' && route.scopes.every((scope) => scopes.includes(scope)),
  );
  const used = open.filter(({ method, path }) => report.worked.has(`${method.toUpperCase()} ${path}`));
  expect(open.filter((route) => !used.includes(route)).map(({ id }) => id)).toEqual(
    scopes.includes('plan:read') ? ['openSocket'] : [],
  );
  expect([...report.findings], `${report.findings.size} findings`).toEqual([]);
});
