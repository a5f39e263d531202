/** R5 looks back on a finished history: points of its past, asked for in every way there is. */
import type { TestApp } from '../support/app.ts';
import { call, get, type Answer, type Person } from './api.ts';
import { TAGS, TASKS } from './r5-history.ts';
import {
  applied,
  blanked,
  byUid,
  eventsOf,
  tracesOf,
  type Doc,
  type Filter,
  type Model,
  type State,
} from './r5-model.ts';
import type { Dice, Witness } from './r5-witness.ts';

/** Points of the past that are looked at in each history. */
const LOOKS = 4;
const WINDOW = 'start=2026-11-01&end=2027-02-28';
export const SEARCHES = ['contract supplier', 'thesis #legal', 'garden train jane'];

/** What was answered at the head of a step, to be asked for again later. */
export type Copy = { seq: number; at: string; answers: Map<string, unknown> };

/** Questions whose answers are kept, by what they are about. */
export const kept = ({ q }: Witness, { user_id }: Person): [what: string, path: string][] => [
  ['events', `/calendar/events?${WINDOW}&limit=1000`],
  ['events', `/calendar/events?${WINDOW}&limit=1000&tag=${encodeURIComponent(TAGS[0] as string)}`],
  ['linked export', `/memport/export?${q({ user_id, export_format: 'linked', task_id: TASKS[0] })}`],
  ['summary export', `/memport/export?${q({ user_id, export_format: 'summary', group_by: 'task' })}`],
  ['summary export', `/memport/export?${q({ user_id, export_format: 'summary', max_token_count: 300 })}`],
];

/** An answer without when it was made. */
export const timeless = ({ body }: Answer): unknown => {
  const { generated_at: _, ...rest } = body as Record<string, unknown>;
  return Array.isArray(body) ? body : rest;
};

export type Past = {
  app: TestApp;
  person: Person;
  model: Model;
  dice: Dice;
  witness: Witness;
  copies: Copy[];
  checkpoints: Map<string, { seq: number; path: string; text: string }>;
  search: (query: string, as_of?: string) => Promise<unknown>;
};

export const lookBack = async (past: Past): Promise<void> => {
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
    const alone = model.states.filter((other) => other.at.slice(0, 23) === state.at.slice(0, 23)).length === 1;
    return { seq, state, name: String(seq), ...(state.at !== '' && alone ? { time: state.at } : {}) };
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
