/**
 * R15 as a generator: the requests of r15-requests.ts, several at once, while another user works. An answer of the other that is
 * late is a fault only where one of the requests that were under way makes it late again, each of three times, when it is sent alone: other
 * programs of the machine delay answers too.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { get, call, type Person } from './api.ts';
import { allowed, excessOf, figuresOf, lateOf, type Measure } from './r15-measures.ts';
import type { Answered } from './r15-other.ts';
import { batches, type Batch, type Hostile, type Tool } from './r15-requests.ts';
import { fillScene } from './r15-scene.ts';
import { check, type Check } from './trial.ts';
import { millisIn } from '../support/today.ts';

/** What the runner of the trial provides. */
export type Stage = {
  url: string;
  quick: boolean;
  seed: number;
  part: string | undefined;
  measures: Measure[];
  memoryMiB: number;
  say: (line: string) => void;
  newPerson: () => Promise<Person>;
  /** Runs something while the other works. */
  working: <T>(meanwhile: () => Promise<T>) => Promise<[Answered[], T]>;
  memory: { reset: () => void; now: () => number; peak: () => number };
  /** What the process of the service did that it should not have done. */
  accidents: string[];
};

const WIDTH = 4;
/** Beside other programs, an import of 11.7 MiB took more than 120 s. fetch itself waits for 300 s. */
const PATIENCE_MS = 290_000;
const QUIET_MS = { quick: 1_500, full: 5_000 };
const LEAST_MS = 150;
const SUSPECTS = 3;
const AGAIN = 3;
/** So many times the limit is no load of the machine, and is not tried again. */
const BEYOND_DOUBT = 10;

type Sent = { hostile: Hostile; from: number; to: number; status: number };

const sendOne = async ({ url }: Stage, key: string, hostile: Hostile): Promise<Sent> => {
  const { method, path, headers, body } = hostile;
  const from = millisIn(0);
  const status = await fetch(url + path, {
    ...{ method, signal: AbortSignal.timeout(PATIENCE_MS) },
    headers: { Authorization: `Bearer ${key}`, ...headers },
    ...(body && { body: body() }),
  })
    .then(async (response) => {
      for await (const piece of response.body ?? []) void piece;
      return response.status;
    })
    .catch(() => 0); // also where the answer begins and does not end
  return { hostile, from, to: millisIn(0), status };
};

const sendAll = async (stage: Stage, key: string, list: readonly Hostile[]): Promise<Sent[]> => {
  const sent: Sent[] = [];
  const rest = list[Symbol.iterator]();
  await Promise.all(
    Array.from({ length: WIDTH }, async () => {
      for (let next = rest.next(); !next.done; next = rest.next()) sent.push(await sendOne(stage, key, next.value));
    }),
  );
  return sent;
};

/** What the other is answered where nobody else does anything. */
const quiet = async ({ working, quick }: Stage): Promise<Answered[]> =>
  (await working(() => sleep(quick ? QUIET_MS.quick : QUIET_MS.full)))[0];

/** Batches that take longer are named as progress. */
const LONG_S = 5;
const CALM_TRIES = 8;
/** The same after a flood: the service may be still at work on requests whose clients have gone. */
const calm = async (stage: Stage, usual: Answered[]): Promise<Answered[]> => {
  let own = await quiet(stage);
  for (let time = 1; time < CALM_TRIES && excessOf(stage.measures, usual, own) > 1; time++) own = await quiet(stage);
  return own;
};

/** Sends one request several times at once. @returns how the other’s answer was late in the last try, or null as soon as it was not late */
const lateAlone = async (stage: Stage, key: string, hostile: Hostile, usual: Answered[]): Promise<string | null> => {
  for (let time = 1; ; time++) {
    const own = await calm(stage, usual);
    const [answered] = await stage.working(() =>
      sendAll(
        stage,
        key,
        Array.from({ length: WIDTH }, () => hostile),
      ),
    );
    const [late] = lateOf(stage.measures, own, answered);
    if (late === undefined) return null;
    if (time === AGAIN || excessOf(stage.measures, own, answered) > BEYOND_DOUBT) return late;
  }
};

/** The requests that were under way when an answer came too late, those that took longest first. */
const suspectsOf = (late: Answered[], sent: Sent[]): Hostile[] => {
  const beside = sent.filter(({ from, to }) => late.some(({ since, at }) => from < at && to > since));
  const longest = beside.toSorted((a, b) => b.to - b.from - (a.to - a.from)).map(({ hostile }) => hostile);
  return [...new Set(longest)].slice(0, SUSPECTS);
};

type Found = {
  late: string[];
  faults: string[];
  memory: string[];
  answered: number;
  sent: Sent[];
  unconfirmed: number;
};

const tryBatch = async (stage: Stage, key: string, { name, requests }: Batch, own: Answered[]): Promise<Found> => {
  const found: Found = { late: [], faults: [], memory: [], answered: 0, sent: [], unconfirmed: 0 };
  const idle = stage.memory.now();
  stage.memory.reset();
  const [answered, sent] = await stage.working(async () => {
    const [all] = await Promise.all([sendAll(stage, key, requests), sleep(LEAST_MS)]);
    return all;
  });
  const above = stage.memory.peak() - idle;
  if (above > stage.memoryMiB) found.memory.push(`${name}: ${above.toFixed(0)} MiB above ${idle.toFixed(0)}`);
  found.sent = sent;
  found.answered = answered.length;
  for (const { hostile, status } of sent)
    if ((status >= 500 && status !== 501) || status === 0)
      found.faults.push(`${hostile.what} was answered ${status || 'by a cut connection'}`);
  for (const { what, status } of answered)
    if (status !== 200 && status !== 201)
      found.faults.push(`during ${name} the other’s ${what} was answered ${status}`);
  const late = answered.filter((answer) => lateOf(stage.measures, own, [answer]).length);
  if (late.length === 0) return found;
  stage.say(`${name}: the other’s ${lateOf(stage.measures, own, late)[0]}; what was under way is tried alone.`);
  for (const suspect of suspectsOf(late, sent)) {
    const again = await lateAlone(stage, key, suspect, own);
    if (again !== null) found.late.push(`${suspect.what}, sent alone: the other’s ${again}`);
    if (stage.quick && found.late.length > 0) break;
  }
  if (found.late.length === 0) found.unconfirmed = 1;
  for (const line of found.late) stage.say(line);
  return found;
};

const toolsOf = async (url: string, key: string): Promise<Tool[]> => {
  const response = await fetch(`${url}/mcp`, {
    method: 'POST',
    headers: {
      Authorization: `Bearer ${key}`,
      'Content-Type': 'application/json',
      Accept: 'application/json, text/event-stream',
    },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} }),
  });
  const text = await response.text();
  const json = text.startsWith('{') ? text : (/^data: (.*)$/m.exec(text)?.[1] ?? '{}');
  const { result } = JSON.parse(json) as { result?: { tools: Tool[] } };
  if (!result?.tools.length) throw new Error(`MCP lists no tools: ${text.slice(0, 300)}`);
  return result.tools;
};

export const runGenerated = async (stage: Stage): Promise<{ checks: Check[]; facts: string[] }> => {
  const newVillain = async (): Promise<Person> => {
    const person = await stage.newPerson();
    await fillScene(stage.url, person, stage.quick);
    return person;
  };
  let villain = await newVillain();
  const tools = await toolsOf(stage.url, villain.agent);
  const list = (): Batch[] => batches({ person: villain, tools, quick: stage.quick, seed: stage.seed });
  const names = list().map(({ name }) => name);
  const chosen = names.filter((name) => `generated ${name}`.includes(stage.part ?? ''));
  await quiet(stage); // The first answers of a process are slower.
  let own = await quiet(stage);
  const all: Found[] = [];
  for (const [n, name] of chosen.entries()) {
    const began = performance.now();
    // Some requests end the credential or the account that sends them.
    if ((await call(stage.url, villain.key, get('/user/whoami'))).status !== 200) villain = await newVillain();
    const one = list().find((batch) => batch.name === name) as Batch;
    const key = name.startsWith('tool ') ? villain.agent : villain.key;
    const found = await tryBatch(stage, key, one, own);
    all.push(found);
    const seconds = (performance.now() - began) / 1000;
    if (seconds > LONG_S) stage.say(`${n + 1} of ${chosen.length}: ${name} took ${seconds.toFixed(0)} s`);
    if (found.late.length + found.unconfirmed > 0) own = await calm(stage, own);
  }
  const sent = all.flatMap((found) => found.sent);
  const statuses = new Map<number, number>();
  for (const { status } of sent) statuses.set(status, (statuses.get(status) ?? 0) + 1);
  const answers = [...statuses].sort(([a], [b]) => a - b).map(([status, count]) => `${count} × ${status}`);
  return {
    checks: [
      check(`generated: the other’s answers, at most ${allowed(stage.measures)} more`, sent.length, {
        wrong: all.flatMap(({ late }) => late),
      }),
      check('generated: no 5xx for anybody', sent.length, { wrong: all.flatMap(({ faults }) => faults) }),
      check(`generated: memory, at most ${stage.memoryMiB} MiB above idle`, chosen.length, {
        wrong: all.flatMap(({ memory }) => memory),
      }),
      check('generated: the process goes on', 1, { wrong: stage.accidents.slice() }),
    ],
    facts: [
      `generated: ${chosen.length} of ${names.length} routes, tools and methods, ${sent.length} requests, seed ${stage.seed}: ${answers.join(', ')}; the other had ${all.reduce((sum, { answered }) => sum + answered, 0)} answers, without others at most ${figuresOf(stage.measures, own)}; ${all.reduce((sum, { unconfirmed }) => sum + unconfirmed, 0)} times one was late that was not late again.`,
    ],
  };
};
