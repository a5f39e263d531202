/** R5's questions: what is asked of one person's data, and how an answer is compared with what it has to be. */
import { isDeepStrictEqual } from 'node:util';
import { TEST_START, type TestApp } from '../support/app.ts';
import { call, get, type Answer, type Person } from './api.ts';
import { TAGS, TASKS, TEMPO, TYPES, type Step } from './r5-history.ts';
import type { Doc, Filter, Model, State } from './r5-model.ts';

/** How often what was compared. */
export type Tally = Map<string, number>;

/** What was asked, and answered otherwise than it had to be. */
export class Differs extends Error {}

/** Numbers from a history's own steps: the same history asks the same questions. */
export const createDice = (steps: readonly Step[]) => {
  let state = steps.reduce((sum, { a, b, c }) => (sum * 31 + a * 7 + b * 3 + c) % 2147483647, 17);
  const below = (most: number): number => {
    state = (state * 48271 + 11) % 2147483647;
    return state % most;
  };
  return { below, oneOf: <T>(list: readonly T[]): T => list[below(list.length)] as T };
};
export type Dice = ReturnType<typeof createDice>;

const firstDifference = (a: unknown, b: unknown, path = ''): string => {
  const isObject = (x: unknown): x is Record<string, unknown> => typeof x === 'object' && x !== null;
  if (!isObject(a) || !isObject(b))
    return `${path || '/'}: ${JSON.stringify(a)?.slice(0, 200)}, not ${JSON.stringify(b)?.slice(0, 200)}`;
  const key = [...new Set([...Object.keys(b), ...Object.keys(a)])].find((k) => !isDeepStrictEqual(a[k], b[k]));
  return key === undefined ? `${path}: another kind of value` : firstDifference(a[key], b[key], `${path}/${key}`);
};

/** One person's life and what is asked about it. */
export const createWitness = (app: TestApp, person: Person, model: Model, dice: Dice, tally: Tally) => {
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
    if (dice.below(3) === 0) {
      const timed = model.states.filter((state) => state.at !== '');
      const named = timed.length ? dice.oneOf(timed).at : TEST_START;
      return { state: model.stateAtTime(named), as_of: named };
    }
    const seq = dice.below(last + 1);
    return { state: model.stateAt(seq), as_of: String(seq) };
  };

  return { same, ask, q, walk, exported, aFilter, aPoint };
};
export type Witness = ReturnType<typeof createWitness>;
