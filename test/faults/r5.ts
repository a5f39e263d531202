/**
 * R5: random histories of traces, plans, events and settings. Whatever is asked of any point of the past, in every way there is
 * to ask, must be what was the case then (r5-model.ts). `--seed` repeats a run; a failing history is shrunk before it is told.
 */
import { join } from 'node:path';
import fc from 'fast-check';
import { openDatabase } from '../../src/db/client.ts';
import { ensureVectors, migrate } from '../../src/db/migrate.ts';
import { anApp, TEST_START, testClock, type TestApp } from '../support/app.ts';
import { aPerson, call } from './api.ts';
import type { Place } from './cluster.ts';
import { createActor, history, profileOf, type Step } from './r5-history.ts';
import { kept, lookBack, SEARCHES, timeless, type Copy, type Past } from './r5-looks.ts';
import { createModel, tracesOf, type Change } from './r5-model.ts';
import { createDice, createWitness, Differs, type Tally } from './r5-witness.ts';
import { check, type Outcome, type Trial } from './trial.ts';

/** A shrinking that takes longer ends with what it has. */
const SHRINK_MS = 120_000;
/** Histories in one database: the embedded one grows slow without the statistics that a server keeps by itself. */
const TOGETHER = 100;

const live = async (app: TestApp, steps: readonly Step[], tally: Tally): Promise<void> => {
  const person = await aPerson(app.url);
  const model = createModel();
  const dice = createDice(steps);
  const witness = createWitness(app, person, model, dice, tally);
  const { same, ask, walk, q } = witness;
  const actor = createActor(app, person, model);
  const copies: Copy[] = [];
  const checkpoints: Past['checkpoints'] = new Map();

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

/** The app on the place's database, in this process: thousands of requests without a process between. */
const open = async (place: Place, part: number): Promise<TestApp> => {
  const { DATA_DIR = '' } = place.env;
  const database = { DATABASE_POOL: 5, ...place.env, DATA_DIR: join(DATA_DIR, String(part)) };
  const handle = await openDatabase(database, () => undefined);
  await migrate(handle);
  const vectors = await ensureVectors(handle.db);
  return anApp({
    database: { handle, vectors, again: async () => handle, close: handle.close },
    clock: testClock(TEST_START),
    env: { LOG_LEVEL: 'fatal' }, // an answer of 500 is told by the trial
    overrides: { checkAnswers: false },
  });
};

const run = async (
  place: Place,
  quick: boolean,
  say: (line: string) => void,
  { seed = Math.floor(Math.random() * 1e9) }: { seed?: number } = {},
): Promise<Outcome> => {
  const histories = quick ? 30 : 1000;
  let app: TestApp | undefined;
  const close = async (): Promise<void> => {
    await app?.close();
    await app?.database.close();
  };
  const tally: Tally = new Map();
  const wrong: string[] = [];
  let steps = 0;
  const began = performance.now();
  for (let i = 0; i < histories; i++) {
    if (i % TOGETHER === 0) {
      await close();
      app = await open(place, i / TOGETHER);
    }
    const property = fc.asyncProperty(history, async (list) => {
      steps += list.length;
      await live(app as TestApp, list, tally);
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
  await close();
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
