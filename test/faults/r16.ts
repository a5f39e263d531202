/**
 * R16: random spellings of addresses x scopes x methods. An address in its one spelling answers exactly what was decided; any other
 * spelling is refused, or answers what the address that it is equivalent to gives to the same credential, and never more.
 */
import { meaningOf, rowOf, type Row } from './r16-addresses.ts';
import { spelled } from './r16-spellings.ts';
import { furnished, SECRETS, sent, type Asked, type Credential, type People } from './r16-world.ts';
import { audit } from './api.ts';
import { dice, type Dice } from './requests.ts';
import { servers } from './server.ts';
import { check, SEED, type Check, type Outcome, type Trial } from './trial.ts';
import type { Wired } from './wire.ts';

const LANES = 4;

type Tally = { tried: Record<Kind, number>; wrong: Record<Kind, string[]>; statuses: Map<number, number> };
const KINDS = ['decided addresses', 'equivalent spellings', 'other spellings', 'addresses in bodies'] as const;
type Kind = (typeof KINDS)[number];

export const aTally = (): Tally => ({
  tried: Object.fromEntries(KINDS.map((kind) => [kind, 0])) as Tally['tried'],
  wrong: Object.fromEntries(KINDS.map((kind) => [kind, [] as string[]])) as unknown as Tally['wrong'],
  statuses: new Map(),
});

const codeIn = ({ body }: Wired): string => /"code":"(\w+)"/.exec(body)?.[1] ?? '';

/** What a row gives to a credential; null where it is as decided. The answer to HEAD has no code. */
const difference = (row: Row, { key, scopes }: Credential, answer: Wired, { method, target }: Asked): string | null => {
  const { status } = answer;
  const lacksScope = method === 'HEAD' ? status === 403 : codeIn(answer) === 'insufficient_scope';
  if (row.scopes !== 'public') {
    if (key === null || !scopes.size) return status === 401 ? null : '401 without a credential';
    if (row.scopes.some((scope) => !scopes.has(scope)))
      return status === 403 && lacksScope ? null : `403 without ${row.scopes.join(', ')}`;
  }
  if (lacksScope && row.status !== 403) return 'no refusal for want of a scope';
  if (row.status === undefined) return status < 500 ? null : 'no fault of the service';
  // A spelling that changes the query may make it invalid.
  const isOtherQuery = target.slice(target.indexOf('?')) !== row.query && target.includes('?');
  return status === row.status || (isOtherQuery && status === 422) ? null : String(row.status);
};

const REFUSED = new Set([400, 401, 403, 404, 405]);
/** What tells nothing, and no more than the service tells of any address. */
const isRefusal = (answer: Wired, method: string): boolean =>
  REFUSED.has(answer.status) || (method === 'OPTIONS' && answer.status < 300 && answer.body === '');

/** Whether WebDAV or MCP tell a text to whom may not read it. */
const leak = ({ body }: Wired, { scopes }: Credential): string | null =>
  Object.entries(SECRETS).find(([scope, text]) => body.includes(text) && !scopes.has(scope))?.[0] ?? null;

const judge = (people: People, asked: Asked, by: Credential, answer: Wired): [Kind, string | null] => {
  const { rows } = people;
  const [path] = asked.target.split('?');
  const meaning = meaningOf(asked.target);
  const row = meaning === null ? undefined : rowOf(rows, asked.method, meaning);
  const secret =
    asked.target.includes('/memory') || (asked.target.includes('ics') && /feed/.test(asked.target))
      ? null
      : leak(answer, by);
  const isDav = /dav|mcp/i.test(asked.target);
  if (isDav && secret !== null) return ['other spellings', `tells what needs ${secret}`];
  if (!row) return ['other spellings', isRefusal(answer, asked.method) ? null : 'a refusal'];
  if (path === row.path || (row.path.endsWith('/*') && path === meaning))
    return ['decided addresses', difference(row, by, answer, asked)];
  if (answer.status === 400 || answer.status === 404) return ['equivalent spellings', null];
  return ['equivalent spellings', difference(row, by, answer, asked)];
};

const METHODS = ['GET', 'HEAD', 'PUT', 'DELETE', 'PROPFIND', 'PROPPATCH', 'REPORT', 'OPTIONS', 'POST', 'PATCH'];
const URIS = [
  'almanac://day/2026-12-03',
  'almanac://week/2026-12-03',
  'almanac://queue',
  'almanac://tasks/none',
  'almanac://day',
];

const message = (uri: string): string =>
  JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'resources/read', params: { uri } });

/** An address inside of a body: the href of a report, or the URI of a resource. */
const inBody = ({ rows, person, plan }: People, d: Dice, key: string | null): Asked => {
  if (d.chance(0.5)) {
    const [scheme = '', path = ''] = d.of(URIS).split('//');
    const uri = `${scheme}/${spelled(
      `/${path}`,
      URIS.map((one) => one.slice('almanac:/'.length)),
      d,
    )}`;
    return { method: 'POST', target: '/mcp', key, body: message(uri) };
  }
  const home = `/dav/calendars/${person.user_id}`;
  const [here, there] = d.chance(0.5)
    ? ['calendar', `agent-plan/proposal-${plan}.ics`]
    : ['agent-plan', 'calendar/known-event.ics'];
  const href = spelled(
    `${home}/${there}`,
    rows.map((row) => row.path).filter((path) => path.startsWith(home)),
    d,
  );
  return { method: 'REPORT', target: `${home}/${here}/`, key, href };
};

const makeRequest = (
  people: People,
  seed: number,
  number: number,
): { asked: Asked; by: Credential; isBody: boolean } => {
  const d = dice(seed, number);
  const by = d.of(people.credentials);
  const { key } = by;
  if (d.chance(0.1)) return { asked: inBody(people, d, key), by, isBody: true };
  const rows = people.rows.filter((row) => row.path.includes('/dav') === d.chance(0.7) || row.path === '/mcp');
  const row = d.of(rows.length ? rows : people.rows);
  const path = row.path.replace(/\*$/, () =>
    d.of(['other.ics', 'x', 'a%40b.ics', 'known-event', 'known-event.ics.ics']),
  );
  const method = d.chance(0.9) ? row.method : d.of(METHODS);
  const target =
    spelled(
      path,
      people.rows.map((one) => one.path),
      d,
    ) + (row.query ?? '');
  return { asked: { method, target, key }, by, isBody: false };
};

/** Sends some of the requests of a seed, and notes what was not as it has to be. */
export const trySpellings = async (
  people: People,
  seed: number,
  numbers: Iterable<number>,
  tally: Tally,
): Promise<void> => {
  for (const number of numbers) {
    const { asked, by, isBody } = makeRequest(people, seed, number);
    const answer = await sent(people.url, asked);
    const what = `#${number} ${asked.method} ${JSON.stringify(asked.href ?? asked.body ?? asked.target)} as ${by.name}`;
    const isAnswer = answer !== null && answer !== 'hung';
    let [kind, expected]: [Kind, string | null] = ['other spellings', isAnswer ? null : 'an answer'];
    if (isAnswer && isBody) {
      const secret = leak(answer, by);
      [kind, expected] = ['addresses in bodies', secret && `nothing that needs ${secret}`];
    } else if (isAnswer) [kind, expected] = judge(people, asked, by, answer);
    tally.tried[kind] += 1;
    const status = isAnswer ? answer.status : 0;
    tally.statuses.set(status, (tally.statuses.get(status) ?? 0) + 1);
    if (status >= 500) expected ??= 'no fault of the service';
    if (expected !== null)
      tally.wrong[kind].push(
        `${what}: ${status} ${isAnswer ? answer.body.slice(0, 100) : String(answer)}, expected ${expected}`,
      );
  }
};

export const checksOf = ({ tried, wrong }: Tally): Check[] =>
  KINDS.map((kind) => check(kind, tried[kind], { wrong: wrong[kind] }));

const run: Trial['run'] = async (place, quick, say, { seed = SEED }): Promise<Outcome> => {
  const count = quick ? 600 : 10_000;
  const [server] = await servers(1, place.env);
  if (!server) throw new Error('no server');
  const lanes = await Promise.all(Array.from({ length: LANES }, () => furnished(server.url)));
  say(`${count} spellings of ${lanes[0]?.rows.length ?? 0} addresses from seed ${seed} (again: --seed ${seed})`);
  const tally = aTally();
  await Promise.all(
    lanes.map((people, lane) =>
      trySpellings(
        people,
        seed,
        Array.from({ length: Math.ceil((count - lane) / LANES) }, (_, i) => i * LANES + lane),
        tally,
      ),
    ),
  );
  const people = lanes.map(({ person }) => person);
  const checks = [
    ...checksOf(tally),
    check('ledgers verified', LANES, { wrong: await audit(server.url, people) }),
    check('services that lived through it', 1, { wrong: server.accidents }),
  ];
  await server.stop();
  const statuses = [...tally.statuses].toSorted(([a], [b]) => a - b).map(([status, times]) => `${times} of ${status}`);
  return { checks, facts: [`Seed ${seed}; ${lanes[0]?.rows.length ?? 0} addresses; answers: ${statuses.join(', ')}.`] };
};

export const R16: Trial = {
  id: 'R16',
  title: 'other spellings of addresses with every kind of scopes',
  places: ['postgres', 'embedded'],
  embedded: true,
  run,
};
