/**
 * R15: one user at his worst, another working meanwhile. The other's answers may come 250 ms later than without him,
 * nobody gets a 5xx, and the process stays within 512 MiB above idle. The named cases (r15-cases.ts) are floods that were found;
 * the generated ones (r15-generated.ts) are the largest inputs of every route, MCP tool and DAV method.
 *
 * The full trial measures how long the other waited. The small one runs on machines that also do other things, so it measures whether
 * the work was bounded (r15-measures.ts).
 */
import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { percentile } from '../bench/bench.ts';
import { othersLoad } from '../bench/load.ts';
import { aPerson, ok, post, type Person } from './api.ts';
import { CASES as FLOODS, type Case, type Flood } from './r15-cases.ts';
import { runGenerated } from './r15-generated.ts';
import { BY_TIME, BY_WORK, allowed, figuresOf, lateOf, type Measure } from './r15-measures.ts';
import type { Answered, Work } from './r15-other.ts';
import { VALUE_CASES } from './r15-values.ts';
import { aServer, type Server } from './server.ts';
import { check, SEED, type Check, type Choices, type Outcome, type Trial } from './trial.ts';

const CASES = [...FLOODS, ...VALUE_CASES];

const MEMORY_MIB = 512;
const PROBE = new URL('r15-probe.js', import.meta.url).href;
const QUIET_MS = { quick: 1_000, full: 10_000 };
/** Short floods are repeated for so long. */
const FLOOD_MS = { quick: 1_500, full: 15_000 };

/** From now on the peak is counted anew (proc(5), clear_refs). */
const resetPeak = (server: Server): void => writeFileSync(`/proc/${server.pid()}/clear_refs`, '5');

/** In MiB. */
const memoryOf = (server: Server): { now: number; peak: number } => {
  const status = readFileSync(`/proc/${server.pid()}/status`, 'utf8');
  const read = (name: string): number =>
    Number(new RegExp(`${name}:\\s+(\\d+)`).exec(status)?.[1] ?? Number.NaN) / 1024;
  return { now: read('VmRSS'), peak: read('VmHWM') };
};

const working = async <T>(other: ChildProcess, work: Work, meanwhile: () => Promise<T>): Promise<[Answered[], T]> => {
  other.send(work);
  const told = once(other, 'message') as Promise<[Answered[]]>;
  try {
    const result = await meanwhile();
    other.send('stop');
    return [(await told)[0], result];
  } catch (error) {
    other.send('stop');
    await told;
    throw error;
  }
};

const measuresOf = (quick: boolean): Measure[] => (quick ? BY_WORK : BY_TIME);

const slowestOf = (answered: Answered[]): number => Math.max(...answered.map(({ ms }) => ms));

const figures = (answered: Answered[]): string => {
  const ms = answered.map((a) => a.ms);
  const [p50, p99] = [percentile(ms, 0.5), percentile(ms, 0.99)];
  const slowest = answered.find((a) => a.ms === slowestOf(answered))?.what;
  return `p50 ${p50.toFixed(0)}, p99 ${p99.toFixed(0)}, max ${slowestOf(answered).toFixed(0)} ms (${slowest}), ${figuresOf(BY_WORK, answered)} (${ms.length} answers)`;
};

const judge = (name: string, measures: Measure[], usual: Answered[], answered: Answered[]): Check[] => [
  check(`${name}: the other’s answers, at most ${allowed(measures)} more`, answered.length, {
    wrong: lateOf(measures, usual, answered),
  }),
  check(`${name}: the other is answered what was asked`, answered.length, {
    wrong: answered
      .filter(({ status }) => status !== 200 && status !== 201)
      .map(({ what, status }) => `${what} was answered ${status}`),
  }),
];

/** Counts what the flood is answered: refusals are fine, faults of the service and cut connections are not. */
const aFlood = (server: Server, person: Person, quick: boolean) => {
  const statuses = new Map<number, number>();
  const faults: string[] = [];
  const until = performance.now() + (quick ? FLOOD_MS.quick : FLOOD_MS.full);
  const flood: Flood = {
    url: server.url,
    person,
    quick,
    isOver: () => performance.now() > until,
    answered: (what, status) => {
      statuses.set(status, (statuses.get(status) ?? 0) + 1);
      if (status >= 500 || status === 0) faults.push(`${what} was answered ${status || 'by a cut connection'}`);
    },
  };
  return { flood, statuses, faults };
};

const tried = async (
  server: Server,
  one: Case,
  other: { child: ChildProcess; person: Person },
  quick: boolean,
): Promise<{ checks: Check[]; fact: string }> => {
  const villain = await aPerson(server.url);
  await one.prepare?.({ url: server.url, person: villain, quick });
  await sleep(500);
  const work = { url: server.url, key: other.person.key };
  const [before] = await working(other.child, work, () => sleep(quick ? QUIET_MS.quick : QUIET_MS.full));
  const idle = memoryOf(server).now;
  resetPeak(server);
  const { flood, statuses, faults } = aFlood(server, villain, quick);
  const [during] = await working(other.child, work, async () => {
    await one.flood(flood);
    while (!flood.isOver()) await sleep(50);
  });
  const { peak } = memoryOf(server);
  const answers = [...statuses].map(([status, count]) => `${count} × ${status}`).join(', ');
  return {
    checks: [
      ...judge(one.name, measuresOf(quick), before, during),
      check(`${one.name}: no 5xx for the flood`, statuses.size && [...statuses.values()].reduce((a, b) => a + b), {
        wrong: faults,
      }),
      check(`${one.name}: memory, at most ${MEMORY_MIB} MiB above idle`, 1, {
        wrong: peak - idle > MEMORY_MIB ? [`${(peak - idle).toFixed(0)} MiB above ${idle.toFixed(0)}`] : [],
      }),
      check(`${one.name}: the process goes on`, 1, { wrong: server.accidents.slice() }),
    ],
    fact: `${one.name}: the other quiet ${figures(before)}, meanwhile ${figures(during)}; flood ${answers}; peak ${(peak - idle).toFixed(0)} MiB above idle.`,
  };
};

const newOther = (): ChildProcess => fork(join(import.meta.dirname, 'r15-other.ts'), { serialization: 'advanced' });

const isNamed = ({ name }: Case, part: string): boolean => name.includes(part);
/** The cases of the generator are named after it: `generated POST /memory/search`. */
const GENERATED = 'generated';
const asksGenerated = (part: string): boolean => part === '' || part.startsWith(GENERATED) || GENERATED.includes(part);

type Ground = { server: Server; person: Person; quick: boolean; say: (line: string) => void };

const runNamed = async ({ server, person, quick }: Ground, one: Case): Promise<{ checks: Check[]; fact: string }> => {
  const child = newOther();
  try {
    return await tried(server, one, { child, person }, quick);
  } finally {
    child.kill();
  }
};

const generated = async ({ server, person, quick, say }: Ground, choices: Choices): Promise<Outcome> => {
  const child = newOther();
  try {
    const work = { url: server.url, key: person.key };
    return await runGenerated({
      ...{ url: server.url, quick, say, accidents: server.accidents },
      ...{ seed: choices.seed ?? SEED, part: choices.part, measures: measuresOf(quick) },
      memoryMiB: MEMORY_MIB,
      newPerson: () => aPerson(server.url),
      working: (meanwhile) => working(child, work, meanwhile),
      memory: { reset: () => resetPeak(server), now: () => memoryOf(server).now, peak: () => memoryOf(server).peak },
    });
  } finally {
    child.kill();
  }
};

/** In full each case has a process of its own, so that the memory one took is not told of the next. */
const run: Trial['run'] = async (place, quick, say, choices): Promise<Outcome> => {
  const part = choices.part ?? '';
  const chosen = CASES.filter((one) => isNamed(one, part));
  if (!chosen.length && !asksGenerated(part))
    throw new Error(`R15 has no case "${part}"; it has ${GENERATED}, ${CASES.map(({ name }) => name).join(', ')}.`);
  const server = await aServer({ ...place.env, NODE_OPTIONS: `--import=${PROBE}` });
  const checks: Check[] = [];
  // Where others are at work on the same machine, the other's answers are later without anybody's flood.
  const facts = [`Of ${cpus().length} cores others used ${(await othersLoad()).toFixed(1)} before it.`];
  await server.start();
  const person = await aPerson(server.url);
  await ok(server.url, person.key, post('/calendar/create', { title: 'Review', scheduled_for: '2026-11-24T09:00' }));
  await ok(server.url, person.key, post('/memory/push', { traces: [{ type: 'observation', content: 'October' }] }));
  const ground = { server, person, quick, say };
  const fresh = async (): Promise<void> => {
    server.accidents.length = 0;
    if (quick) return;
    await server.stop();
    await server.start();
  };
  for (const one of chosen) {
    await fresh();
    const outcome = await runNamed(ground, one);
    checks.push(...outcome.checks);
    facts.push(outcome.fact);
    say(outcome.fact);
  }
  if (asksGenerated(part)) {
    await fresh();
    const outcome = await generated(ground, choices);
    checks.push(...outcome.checks);
    facts.push(...outcome.facts);
    outcome.facts.forEach(say);
  }
  await server.stop();
  return { checks, facts };
};

export const R15: Trial = {
  id: 'R15',
  title: 'one user at his worst, another working meanwhile',
  places: ['postgres', 'embedded'],
  embedded: true,
  run,
};
