/**
 * R7: requests made from openapi.yaml and spoiled in every way, and bytes that are no requests at all: no answer of 5xx, every
 * refusal a problem with its code, and no trace in the ledger of what was refused.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { CODES } from '../../src/common/problem-codes.ts';
import { aPerson, audit, call, changesAfter, get, ok, patch, post, type Person } from './api.ts';
import type { Place } from './cluster.ts';
import { KNOWN, make, targets, type Made } from './requests.ts';
import { servers } from './server.ts';
import { check, SEED, type Outcome, type Trial } from './trial.ts';
import { broken, bytes, exchange, UNFINISHED, type Wired } from './wire.ts';

const LANES = 4;
/** What the documentation calls an answer, not an accident: this Postgres has no pgvector. */
const HONEST = new Set(['semantic_unavailable']);
/** Nothing of these may be read in a problem. */
const LEAKS =
  /\bat .{1,200}\.[jt]s:\d+|node_modules|\bselect .{1,80} from\b|\binsert into\b|SQLSTATE|pg_catalog|password_hash/i;

type Tally = {
  statuses: Map<number, number>;
  fiveHundreds: string[];
  malformed: string[];
  leaking: string[];
  undocumented: string[];
  written: string[];
  silent: string[];
};

const describe = ({ number, method, path, as, spoiled }: Made): string =>
  `#${number} ${method} ${path.slice(0, 120)} as ${as} (${spoiled.join('; ') || 'as it is'})`;

const codeIn = (answer: Wired): string | null => {
  try {
    return (JSON.parse(answer.body) as { code: string }).code;
  } catch {
    return null;
  }
};

/** The Model Context Protocol answers a message that it cannot read with an error of its own (JSON-RPC 2.0). */
const isRpcError = ({ body, headers }: Wired): boolean => {
  if (!headers.get('content-type')?.startsWith('application/json')) return false;
  try {
    const { jsonrpc, error } = JSON.parse(body) as { jsonrpc?: unknown; error?: { code?: unknown } };
    return jsonrpc === '2.0' && typeof error?.code === 'number';
  } catch {
    return false;
  }
};

/** The page of a link in the feed of proposals, which a browser gets in place of a problem. */
const isPageForBrowser = ({ headers, body }: Wired, what: string): boolean =>
  /\/calendar\/decide\b.*Accept: text\/html/.test(what) &&
  headers.get('content-type')?.startsWith('text/html') === true &&
  headers.has('x-request-id') &&
  body.startsWith('<!doctype html>');

/** What every answer has to be, whatever was asked. */
const judge = (answer: Wired | null | 'hung', what: string, isHead: boolean, tally: Tally): answer is Wired => {
  if (answer === null || answer === 'hung') {
    tally.silent.push(`${what}: ${answer ?? 'closed without an answer'}`);
    return false;
  }
  const { status, headers, body } = answer;
  tally.statuses.set(status, (tally.statuses.get(status) ?? 0) + 1);
  const told = `${what}: ${status} ${body.slice(0, 300)}`;
  const code = codeIn(answer);
  if (status >= 500 && !HONEST.has(code ?? '')) tally.fiveHundreds.push(told);
  if (status < 400) return true;
  const isProblem =
    headers.get('content-type') === 'application/problem+json; charset=utf-8' && headers.has('x-request-id');
  const isKnown = isProblem && (isHead || (code !== null && code in CODES));
  if (!isKnown && !isRpcError(answer) && !isPageForBrowser(answer, what)) tally.malformed.push(told);
  if (LEAKS.test(body)) tally.leaking.push(told);
  return true;
};

/** Answers that belong to no route of the description. */
const ANYWHERE = new Set([400, 404, 405, 408, 413, 415, 422, 431]);

/** A person with something of everything, nothing of which happens by itself. */
const furnish = async (url: string): Promise<Person> => {
  const person = await aPerson(url);
  const { user_id, key, agent } = person;
  await ok(url, key, patch('/user/update', { user_id, updates: { execution: 'manual' } }));
  const trace = { uid: KNOWN.trace, type: 'observation', content: 'known', task_id: KNOWN.task, tags: [KNOWN.tag] };
  await ok(url, key, post('/memory/push', { traces: [trace] }));
  await ok(
    url,
    key,
    post('/calendar/create', {
      uid: KNOWN.event,
      title: 'known',
      scheduled_for: '2026-12-03T10:00',
      duration_minutes: 30,
    }),
  );
  await ok(
    url,
    agent,
    post('/agent/plan', { actions: [{ uid: KNOWN.plan, action_type: 'log', title: 'known', task_id: KNOWN.task }] }),
  );
  return person;
};

const head = async (url: string, { key }: Person): Promise<number> =>
  (await ok(url, key, get('/agent/changes?limit=1'))).body.seq;

/** Entries that came by themselves: proposals whose time has passed lapse. */
const lapsed = async (url: string, { key }: Person, after: number): Promise<boolean> =>
  (await changesAfter(url, key, after)).every(
    ({ type, data }) => type === 'plan.rejected' || type === 'queue.changed' || Boolean(data['transition']),
  );

/** One person's share of the requests, one after the other. */
const worker = async (url: string, seed: number, numbers: Iterable<number>, tally: Tally): Promise<void> => {
  let person = await furnish(url);
  let seq = await head(url, person);
  for (const number of numbers) {
    const made = make(seed, number);
    const token = { person: person.key, agent: person.agent, nonsense: 'alm_user_nonsense', nobody: null }[made.as];
    const headers = { ...(token ? { Authorization: `Bearer ${token}` } : {}), ...made.headers };
    const answer = await exchange(url, [bytes(made.method, made.path, headers, made.body)]);
    const what = describe(made);
    if (!judge(answer, what, made.method === 'HEAD', tally)) continue;
    const documented =
      answer.status in made.target.operation.responses ||
      ANYWHERE.has(answer.status) ||
      HONEST.has(codeIn(answer) ?? '');
    if (made.method === made.target.method && !documented) tally.undocumented.push(`${what}: ${answer.status}`);
    const now = await call(url, person.key, get('/agent/changes?limit=1'));
    if (now.status === 401) {
      // The request was a good one: it erased the account.
      person = await furnish(url);
      seq = await head(url, person);
      continue;
    }
    const after = now.body.seq as number;
    if (answer.status >= 400 && after !== seq && !(await lapsed(url, person, seq)))
      tally.written.push(`${what}: ${answer.status}, yet the ledger went from ${seq} to ${after}`);
    seq = after;
  }
};

/** A few at a time: each takes a turn of its own. */
const bytesThatAreNoRequests = async (url: string, token: string, tally: Tally): Promise<number> => {
  const all = broken(token);
  for (const [name, pieces] of all) {
    const answer = await exchange(url, pieces, pieces.length > 1 ? 1 : 0);
    // Half a frame of another protocol may be met with silence; what hangs may not.
    if (answer === null && name === 'TLS') continue;
    if (
      judge(answer, name, false, tally) &&
      answer.status >= 200 &&
      answer.status < 300 &&
      !/HTTP\/1\.0|host|OPTIONS|trailers|one by one|h2c|3,000|folded|no version/.test(name)
    )
      tally.malformed.push(`${name} was answered ${answer.status}`);
  }
  return all.length;
};

/** Many that never finish: others are served meanwhile, and these are ended. */
const slowOnes = async (url: string): Promise<string[]> => {
  const wrong: string[] = [];
  const ends = UNFINISHED.flatMap(([name, piece]) =>
    Array.from({ length: 50 }, async () => {
      const answer = await exchange(url, [piece]);
      if (answer === 'hung' || (answer && answer.status !== 408))
        wrong.push(`${name}: ${answer === 'hung' ? 'still open after 30 s' : answer.status}`);
    }),
  );
  await sleep(200);
  const served = await fetch(`${url}/health/live`, { signal: AbortSignal.timeout(2_000) }).then(
    (r) => r.ok,
    () => false,
  );
  if (!served) wrong.push('nobody else was served meanwhile');
  await Promise.all(ends);
  return wrong;
};

const run = async (
  place: Place,
  quick: boolean,
  say: (line: string) => void,
  { seed = SEED }: { seed?: number } = {},
): Promise<Outcome> => {
  const count = quick ? 500 : 10_000;
  const [server] = await servers(1, place.env);
  if (!server) throw new Error('no server');
  const { url } = server;
  say(`${count} requests over ${targets.length} routes from seed ${seed} (again: --seed ${seed})`);
  const tally: Tally = {
    statuses: new Map(),
    fiveHundreds: [],
    malformed: [],
    leaking: [],
    undocumented: [],
    written: [],
    silent: [],
  };
  const share = Array.from({ length: LANES }, (_, l) =>
    Array.from({ length: Math.ceil((count - l) / LANES) }, (_each, i) => i * LANES + l),
  );
  await Promise.all(share.map((numbers) => worker(url, seed, numbers, tally)));
  const person = await furnish(url);
  const raw = await bytesThatAreNoRequests(url, person.key, tally);
  const slow = quick ? [] : await slowOnes(url);
  const all = count + raw;
  const statuses = [...tally.statuses].toSorted(([a], [b]) => a - b).map(([status, times]) => `${times} of ${status}`);
  const checks = [
    check('answers below 500', all, { wrong: tally.fiveHundreds }),
    check('requests that were answered', all, { wrong: tally.silent }),
    check('refusals as problem+json with a known code', all, { wrong: tally.malformed }),
    check('answers that tell nothing of the inside', all, { wrong: tally.leaking }),
    check('statuses the description names', all, { wrong: tally.undocumented }),
    check('refusals that left the ledger as it was', all, { wrong: tally.written }),
    check('connections that never finish', quick ? 0 : 100, { wrong: slow }),
    check('ledgers verified', 1, { wrong: await audit(url, [person]) }),
    check('services that lived through it', 1, { wrong: server.accidents }),
  ];
  await server.stop();
  return {
    checks,
    facts: [
      `Seed ${seed}; ${targets.length} routes; ${raw} conversations that are no HTTP; answers: ${statuses.join(', ')}.`,
    ],
  };
};

export const R7: Trial = {
  id: 'R7',
  title: 'malformed requests of every kind',
  places: ['postgres', 'embedded'],
  embedded: true,
  run,
};
