/**
 * R5: random histories of traces, plans, events and settings. Whatever is asked of any point of the past, in every way there is
 * to ask, must be what was the case then (r5-model.ts). `--seed` repeats a run; a failing history is shrunk before it is told.
 */
import { isDeepStrictEqual } from 'node:util';
import fc from 'fast-check';
import { openDatabase, type DatabaseHandle } from '../../src/db/database.ts';
import { migrate } from '../../src/db/migrate.ts';
import { ensureVectors } from '../../src/db/vectors.ts';
import { anApp, TEST_START, testClock, type TestApp } from '../support/app.ts';
import { aPerson, call, get, type Answer, type Person } from './api.ts';
import type { Place } from './cluster.ts';
import { createActor, history, profileOf, TAGS, TASKS, TEMPO, TYPES, type Step } from './r5-history.ts';
import {
  applied,
  blanked,
  byUid,
  createModel,
  eventsOf,
  tracesOf,
  type Change,
  type Doc,
  type Filter,
  type Model,
  type State,
} from './r5-model.ts';
import { check, SEED, type Outcome, type Trial } from './trial.ts';

/** Points of the past that are looked at in each history. */
const LOOKS = 4;
/** A shrinking that takes longer ends with what it has. */
const SHRINK_MS = 120_000;

type Tally = Map<string, number>;

/** What was asked, and answered otherwise than it had to be. */
class Differs extends Error {}

/** Numbers from a history's own steps: the same history asks the same questions. */
const createDice = (steps: readonly Step[]) => {
  let state = steps.reduce((sum, { a, b, c }) => (sum * 31 + a * 7 + b * 3 + c) % 2147483647, 17);
  const below = (most: number): number => {
    state = (state * 48271 + 11) % 2147483647;
    return state % most;
  };
  return { below, oneOf: <T>(list: readonly T[]): T => list[below(list.length)] as T };
};
type Dice = ReturnType<typeof createDice>;

const firstDifference = (a: unknown, b: unknown, path = ''): string => {
  const isObject = (x: unknown): x is Record<string, unknown> => typeof x === 'object' && x !== null;
  if (!isObject(a) || !isObject(b))
    return `${path || '/'}: ${JSON.stringify(a)?.slice(0, 200)}, not ${JSON.stringify(b)?.slice(0, 200)}`;
  const key = [...new Set([...Object.keys(b), ...Object.keys(a)])].find((k) => !isDeepStrictEqual(a[k], b[k]));
  return key === undefined ? `${path}: another kind of value` : firstDifference(a[key], b[key], `${path}/${key}`);
};

/** One person's life and what is asked about it. */
const createWitness = (app: TestApp, person: Person, model: Model, dice: Dice, tally: Tally) => {
  const same = (what: string, asked: string, actual: unknown, expected: unknown): void => {
    tally.set(what, (tally.get(what) ?? 0) + 1);
    const plain: unknown = JSON.parse(JSON.stringify(expected));
    if (!isDeepStrictEqual(actual, plain)) throw new Differs(`${what}: ${asked}: ${firstDifference(actual, plain)}`);
  };

  const ask = async (path: string, token = person.key): Promise<Answer> => {
    const answer = await call(app.url, token, get(path));
    if (answer.status !== 200)
      throw new Differs(`GET ${path} answered ${answer.status} ${JSON.stringify(answer.body)}`);
    return answer;
  };
  const q = (parameters: Record<string, unknown>): string =>
    new URLSearchParams(Object.entries(parameters).map(([k, v]) => [k, String(v)])).toString();

  /** All pages of a list, in pages of some size. */
  const walk = async (path: string): Promise<Doc[]> => {
    const all: Doc[] = [];
    for (let next: string | undefined = path; next;) {
      const { body, headers }: Answer = await ask(next);
      all.push(...(body as Doc[]));
      next = /<([^>]+)>; rel="next"/.exec(headers.get('link') ?? '')?.[1];
    }
    return all;
  };

  /** All of an export, as pages or as a stream. */
  const exported = async (parameters: Record<string, unknown>, token = person.key): Promise<Doc[]> => {
    const path = `/memport/export?${q({ user_id: person.user_id, ...parameters })}`;
    if (dice.below(3) === 0) {
      const headers = { Authorization: `Bearer ${token}`, Accept: 'application/x-ndjson' };
      const lines = (await (await fetch(app.url + path, { headers })).text()).split('\n').filter(Boolean);
      return lines.map((line) => JSON.parse(line) as Doc);
    }
    const all: Doc[] = [];
    const limit = dice.oneOf([3, 1000]);
    for (let cursor: string | null = ''; cursor !== null;) {
      const { body }: Answer = await ask(`${path}&limit=${limit}${cursor ? `&cursor=${cursor}` : ''}`, token);
      all.push(...(body.results as Doc[]));
      cursor = body.next_cursor;
    }
    return all;
  };

  const aWindow = (): Filter => {
    const [start_time, end_time] = [dice.below(72), dice.below(72)]
      .toSorted((a, b) => a - b)
      .map((hour) => new Date(Date.parse('2026-11-20T00:00:00Z') + hour * 3_600_000).toISOString());
    return dice.below(2)
      ? { start_time: start_time as string, end_time: end_time as string }
      : { start_time: start_time as string };
  };
  const aFilter = (): Filter =>
    dice.oneOf<() => Filter>([
      () => ({}),
      () => ({}),
      () => ({ task_id: dice.oneOf(TASKS) }),
      () => ({ tag: dice.oneOf(TAGS) }),
      () => ({ tempo_tag: dice.oneOf(TEMPO) }),
      () => ({ type: dice.oneOf([...TYPES, 'agent_plan', 'calendar_event']) }),
      () => ({ task_id: dice.oneOf(TASKS), type: dice.oneOf(TYPES) }),
      aWindow,
    ])();

  /** A point of the past: the state, and ways to name it. */
  const aPoint = (): { state: State; as_of: string } => {
    const last = model.now().seq;
    // The model knows the times of the changes that it heard. That of the profile is none of them.
    const timed = model.states.filter((state) => state.at !== '');
    if (timed.length > 0 && dice.below(3) === 0) {
      const { at } = dice.oneOf(timed);
      return { state: model.stateAtTime(at), as_of: at };
    }
    const seq = dice.below(last + 1);
    return { state: model.stateAt(seq), as_of: String(seq) };
  };

  return { same, ask, q, walk, exported, aFilter, aPoint };
};
type Witness = ReturnType<typeof createWitness>;

const WINDOW = 'start=2026-11-01&end=2027-02-28';
const SEARCHES = ['contract supplier', 'thesis #legal', 'garden train jane'];

/** What was answered at the head of a step, to be asked for again later. */
type Copy = { seq: number; at: string; answers: Map<string, unknown> };

/** Questions whose answers are kept, by what they are about. */
const kept = ({ q }: Witness, { user_id }: Person): [what: string, path: string][] => [
  ['events', `/calendar/events?${WINDOW}&limit=1000`],
  ['events', `/calendar/events?${WINDOW}&limit=1000&tag=${encodeURIComponent(TAGS[0] as string)}`],
  ['linked export', `/memport/export?${q({ user_id, export_format: 'linked', task_id: TASKS[0] })}`],
  ['summary export', `/memport/export?${q({ user_id, export_format: 'summary', group_by: 'task' })}`],
  ['summary export', `/memport/export?${q({ user_id, export_format: 'summary', max_token_count: 300 })}`],
];

/** An answer without when it was made. */
const timeless = ({ body }: Answer): unknown => {
  const { generated_at: _, ...rest } = body as Record<string, unknown>;
  return Array.isArray(body) ? body : rest;
};

const live = async (app: TestApp, steps: readonly Step[], tally: Tally): Promise<void> => {
  const person = await aPerson(app.url);
  const model = createModel();
  const dice = createDice(steps);
  const witness = createWitness(app, person, model, dice, tally);
  const { same, ask, walk, q } = witness;
  const actor = createActor(app, person, model);
  const copies: Copy[] = [];
  const checkpoints = new Map<string, { seq: number; path: string; text: string }>();

  /** Hears what has changed. */
  const listen = async (): Promise<void> => {
    for (let after = model.now().seq; ;) {
      const { body } = await ask(`/agent/changes?after=${after}&limit=1000`);
      for (const change of body.changes as Change[]) model.hear(change);
      if (body.seq === after) break;
      after = body.seq;
    }
    const { body } = await ask('/agent/changes');
    model.hearNothing(body.seq as number, await profileOf(app, person));
  };

  const search = async (query: string, as_of?: string): Promise<unknown> => {
    const sent = {
      method: 'POST' as const,
      path: '/memory/search',
      body: { query, limit: 20, ...(as_of ? { as_of } : {}) },
    };
    const answer = await call(app.url, person.key, sent);
    if (answer.status !== 200) throw new Differs(`search answered ${answer.status} ${JSON.stringify(answer.body)}`);
    return answer.body;
  };

  const copy = async (): Promise<void> => {
    const { seq, at } = model.now();
    const answers = new Map<string, unknown>();
    for (const [, path] of kept(witness, person)) if (dice.below(2)) answers.set(path, timeless(await ask(path)));
    const query = dice.oneOf(SEARCHES);
    answers.set(query, await search(query));
    copies.push({ seq, at, answers });
  };

  const checkpoint = async (): Promise<void> => {
    app.clock.advance(1); // see r5-history.ts, act
    const tag = `kept-${checkpoints.size}`;
    const format = dice.oneOf(['full', 'summary', 'linked']);
    const path = `/memport/export?${q({ user_id: person.user_id, export_format: format, ...witness.aFilter() })}`;
    const { body } = await ask(`${path}&checkpoint=${tag}`);
    checkpoints.set(tag, { seq: body.as_of_seq, path, text: JSON.stringify(body) });
  };

  model.hearNothing(1, await profileOf(app, person)); // made with the account
  await listen();
  for (const step of steps) {
    for (const { sent, answer } of await actor.act(step)) {
      const refused = [403, 404, 409, 412, 422].includes(answer.status);
      same(
        'requests',
        `${sent.method} ${sent.path} ${JSON.stringify(sent.body)} ${refused ? '' : JSON.stringify(answer.body)}`,
        answer.status < 300 || refused,
        true,
      );
    }
    await listen();
    same('now', 'GET /memory/pull', await walk('/memory/pull?order=asc&limit=1000'), tracesOf(model.now(), {}));
    if (dice.below(3) === 0) await copy();
    if (dice.below(8) === 0) await checkpoint();
  }
  await listen();
  await lookBack({ app, person, model, dice, witness, copies, checkpoints, search });
};

type Past = {
  app: TestApp;
  person: Person;
  model: Model;
  dice: Dice;
  witness: Witness;
  copies: Copy[];
  checkpoints: Map<string, { seq: number; path: string; text: string }>;
  search: (query: string, as_of?: string) => Promise<unknown>;
};

const lookBack = async (past: Past): Promise<void> => {
  for (let i = 0; i < LOOKS; i++) {
    await lookAtPull(past);
    await lookAtExport(past);
    await lookAtHistory(past);
    await lookAtDiff(past);
    await lookAtAgentsDiff(past);
  }
  await lookAtCopies(past);
  await lookAtCheckpoints(past);
};

const lookAtPull = async ({ dice, witness: { same, walk, q, aFilter, aPoint } }: Past): Promise<void> => {
  const { state, as_of } = aPoint();
  const filter: Filter = dice.below(4)
    ? aFilter()
    : { status: dice.oneOf(['proposed', 'rejected', 'executed']), origin: dice.oneOf(['user', 'agent']) };
  const order = dice.oneOf(['asc', 'desc']);
  const path = `/memory/pull?${q({ ...filter, as_of, order, limit: dice.oneOf([2, 7, 1000]) })}`;
  const expected = tracesOf(state, filter);
  same('pull as of then', path, await walk(path), order === 'asc' ? expected : expected.toReversed());
};

const lookAtExport = async ({ dice, witness: { same, exported, aFilter, aPoint, q } }: Past): Promise<void> => {
  const { state, as_of } = aPoint();
  const filter = aFilter();
  const isAll = !('type' in filter) && !('start_time' in filter) && dice.below(2) === 0;
  const parameters = {
    export_format: 'full',
    ...filter,
    as_of,
    ...(isAll ? { include: 'profile,traces,events' } : {}),
  };
  const traces = tracesOf(state, filter);
  const profile = state.profile ? [{ subject: 'profile', ...state.profile }] : [];
  const expected = isAll
    ? [
        ...traces.map((doc) => ({ subject: 'trace', ...doc })),
        ...eventsOf(state, filter).map((doc) => ({ subject: 'event', ...doc })),
        ...profile,
      ]
    : traces;
  same('full export as of then', q(parameters), await exported(parameters), expected);
};

const lookAtHistory = async ({ app, person, model, dice, witness: { same, walk, q, aPoint } }: Past): Promise<void> => {
  const uids = [...model.versions.keys()];
  if (!uids.length) return;
  const uid = dice.oneOf(uids);
  const { state, as_of } = aPoint();
  const versions = (model.versions.get(uid) ?? []).filter((version) => version.seq <= state.seq);
  const path = `/memory/history?${q({ uid, as_of, limit: dice.oneOf([1, 2, 100]) })}`;
  if (!versions.length) {
    const { status } = await call(app.url, person.key, get(path));
    return same('history', path, status, 404);
  }
  const items = (await walk(path)) as unknown as { version: number; trace: Doc; changes: [] }[];
  const told = items.map((item) => {
    const { version, seq, recorded_at, action, trace } = item as unknown as Record<string, unknown>;
    return { version, seq, recorded_at, action, doc: trace };
  });
  same('history', path, told, versions.toReversed());
  const older = items.slice(1);
  same(
    'patches of history',
    path,
    older.map(({ trace }, i) => applied([trace], [{ op: 'changed', uid, patch: items[i]?.changes ?? [] }])[0]),
    items.slice(0, -1).map(({ trace }) => trace),
  );
};

/** Two points in order, named as seqs, checkpoints or times. */
const twoPoints = ({ model, dice, checkpoints }: Past) => {
  const head = model.now().seq;
  const point = (): { seq: number; state: State; name: string; time?: string } => {
    const tags = [...checkpoints];
    if (tags.length && dice.below(4) === 0) {
      const [tag, { seq }] = dice.oneOf(tags);
      return { seq, state: model.stateAt(seq), name: tag };
    }
    const seq = dice.below(head + 1);
    const state = model.stateAt(seq);
    return { seq, state, name: String(seq), ...(state.at !== '' ? { time: state.at } : {}) };
  };
  const [from, to] = [point(), point()].toSorted((a, b) => a.seq - b.seq) as [
    ReturnType<typeof point>,
    ReturnType<typeof point>,
  ];
  const byTime =
    from.time !== undefined && to.time !== undefined && from.state.seq < to.state.seq && dice.below(2) === 0;
  const points = byTime ? { start_time: from.time, end_time: to.time } : { from: from.name, to: to.name };
  return { from: from.state, to: to.state, points };
};

const lookAtDiff = async (past: Past): Promise<void> => {
  const { dice, witness } = past;
  const { same, exported, q, aFilter } = witness;
  const { from, to, points } = twoPoints(past);
  const { start_time: _s, end_time: _e, ...filter } = aFilter();
  const isAll = !('type' in filter) && dice.below(2) === 0;
  const parameters = {
    export_format: 'diff',
    ...points,
    ...filter,
    ...(isAll ? { include: 'traces,events,profile' } : {}),
  };
  const all = (state: State): Doc[] => [
    ...tracesOf(state, filter),
    ...(isAll ? [...eventsOf(state, filter), ...(state.profile ? [state.profile] : [])] : []),
  ];
  const differences = (await exported(parameters)) as never;
  same('full(from) + diff = full(to)', q(parameters), byUid(applied(all(from), differences)), byUid(all(to)));
};

/** The same for an agent, to whom more becomes sensitive as time goes by. */
const lookAtAgentsDiff = async (past: Past): Promise<void> => {
  const { person, model, witness } = past;
  const { same, exported, q } = witness;
  const { from, to, points } = twoPoints(past);
  const seen = (state: State): Doc[] => {
    const values = model.sensitiveAt(state.seq);
    return tracesOf(state, {}).map((doc) => blanked(doc, values));
  };
  const withoutSummary = (docs: Doc[]): Doc[] => byUid(docs).map(({ summary: _s, ...doc }) => doc as Doc);
  const parameters = { export_format: 'full', as_of: from.seq };
  const before = await exported(parameters, person.agent);
  same('an agent’s full export', q(parameters), withoutSummary(before), withoutSummary(seen(from)));
  const diff = { export_format: 'diff', ...points };
  const after = applied(before, (await exported(diff, person.agent)) as never);
  same('an agent’s full(from) + diff', q(diff), withoutSummary(after), withoutSummary(seen(to)));
};

const lookAtCopies = async ({ person, dice, witness, copies, search, model }: Past): Promise<void> => {
  const { same, ask } = witness;
  for (const { seq, at, answers } of copies) {
    const byTime = at !== '' && dice.below(3) === 0 && model.stateAtTime(at).seq === seq;
    const as_of = byTime ? at : String(seq);
    for (const [what, path] of kept(witness, person)) {
      const answer = answers.get(path);
      if (answer !== undefined)
        same(`${what} as of then`, `${path}&as_of=${as_of}`, timeless(await ask(`${path}&as_of=${as_of}`)), answer);
    }
    for (const query of SEARCHES)
      if (answers.has(query))
        same('search as of then', `${query} as of ${as_of}`, await search(query, as_of), answers.get(query));
  }
};

const lookAtCheckpoints = async ({ person, witness: { same, ask }, checkpoints }: Past): Promise<void> => {
  for (const [tag, { text }] of checkpoints) {
    const { body } = await ask(`/memport/export?user_id=${person.user_id}&from_checkpoint=${tag}`);
    same('checkpoints', tag, JSON.stringify(body), text);
  }
};

/** The app on the place's database, in this process: thousands of requests without a process between. */
const open = async (place: Place): Promise<{ handle: DatabaseHandle; app: TestApp }> => {
  const handle = await openDatabase({ DATA_DIR: '', DATABASE_POOL: 5, ...place.env }, () => undefined);
  await migrate(handle);
  const { vectors } = await ensureVectors(handle.db);
  const app = await anApp({
    database: { handle, vectors, again: async () => handle, close: handle.close },
    clock: testClock(TEST_START),
    env: { LOG_LEVEL: 'fatal' }, // an answer of 500 is told by the trial
    overrides: { checkAnswers: false },
  });
  return { handle, app };
};

const run = async (
  place: Place,
  quick: boolean,
  say: (line: string) => void,
  { seed = SEED }: { seed?: number } = {},
): Promise<Outcome> => {
  const histories = quick ? 30 : 1000;
  const { handle, app } = await open(place);
  const tally: Tally = new Map();
  const wrong: string[] = [];
  let steps = 0;
  const began = performance.now();
  for (let i = 0; i < histories; i++) {
    const property = fc.asyncProperty(history, async (list) => {
      steps += list.length;
      await live(app, list, tally);
    });
    const { failed, counterexample, errorInstance } = await fc.check(property, {
      seed: seed + i,
      numRuns: 1,
      endOnFailure: wrong.length > 0, // only the first is shrunk
      interruptAfterTimeLimit: SHRINK_MS,
    });
    if (failed) {
      const { message, stack } = errorInstance as Error;
      const why = errorInstance instanceof Differs ? message : (stack ?? message);
      wrong.push(`--seed ${seed + i}: ${why} after ${JSON.stringify(counterexample?.[0])}`);
      say(`history ${i + 1} differs (--seed ${seed + i}): ${why.slice(0, 300)}`);
    }
    if ((i + 1) % (quick ? 10 : 50) === 0) say(`${i + 1} of ${histories} histories, ${wrong.length} differ`);
  }
  const seconds = (performance.now() - began) / 1000;
  await app.close();
  await handle.close();
  return {
    checks: [
      check('random histories', histories, { wrong }),
      ...[...tally].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([what, times]) => check(what, times)),
    ],
    facts: [
      `seed ${seed}: ${histories} histories of ${(steps / histories).toFixed(1)} steps in ${seconds.toFixed(0)} s.`,
    ],
  };
};

export const R5: Trial = {
  id: 'R5',
  title: 'the past of random histories, asked in every way',
  places: ['embedded'],
  embedded: true,
  run,
};
