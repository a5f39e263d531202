/**
 * Fault trials (CONTRIBUTING.md, Fault trials): `npm run faults -- [ids] [--quick] [--json file] [--embedded|--postgres] [--seed n] [--case text]`.
 * Each runs real service processes on a database of its own. Exits 1 when anything was lost, doubled or wrong.
 */
import { writeFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { parseArgs } from 'node:util';
import { aPlace, postgresMissing, type Place } from './cluster.ts';
import { R1 } from './r1.ts';
import { R2 } from './r2.ts';
import { R3 } from './r3.ts';
import { R4 } from './r4.ts';
import { R5 } from './r5.ts';
import { R6 } from './r6.ts';
import { R7 } from './r7.ts';
import { R8 } from './r8.ts';
import { R9 } from './r9.ts';
import { R10 } from './r10.ts';
import { R11 } from './r11.ts';
import { R12 } from './r12.ts';
import { R13 } from './r13.ts';
import { R14 } from './r14.ts';
import { R15 } from './r15.ts';
import { R16 } from './r16.ts';
import { R17 } from './r17.ts';
import { R20 } from './r20.ts';
import { killAll, lastWords } from './server.ts';
import { beginRandom, faultsOf, SEED, table, type Outcome, type Trial } from './trial.ts';
import { instantIn } from '../support/today.ts';

const TRIALS: Trial[] = [R1, R2, R3, R4, R5, R6, R7, R8, R9, R10, R11, R12, R13, R14, R15, R16, R17, R20];

const { values: flags, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    quick: { type: 'boolean', default: false },
    json: { type: 'string' },
    embedded: { type: 'boolean', default: false },
    postgres: { type: 'boolean', default: false },
    seed: { type: 'string' },
    case: { type: 'string' },
    help: { type: 'boolean', short: 'h', default: false },
  },
});
if (flags.help) {
  process.stdout.write(
    `npm run faults -- [ids] [--quick] [--json file] [--embedded|--postgres] [--seed n] [--case text]\n  --case: only the cases of R15 whose name contains the text\n${TRIALS.map(({ id, title }) => `  ${id.padEnd(4)} ${title}`).join('\n')}\n`,
  );
  process.exit(0);
}

/** To repeat a run, or run a part. */
const choices = {
  ...(flags.seed === undefined ? {} : { seed: Number(flags.seed) }),
  ...(flags.case === undefined ? {} : { part: flags.case }),
};

const asked = positionals.map((id) => id.toUpperCase());
const unknown = asked.filter((id) => !TRIALS.some((t) => t.id === id));
if (unknown.length) {
  process.stderr.write(`There is no trial ${unknown.join(', ')}; there are ${TRIALS.map((t) => t.id).join(', ')}.\n`);
  process.exit(2);
}

/** With a flag only there; else where the trial belongs. */
const placesOf = (trial: Trial): Place['kind'][] => {
  if (flags.embedded === flags.postgres) return trial.places;
  if (flags.postgres) return ['postgres'];
  return trial.embedded ? ['embedded'] : [];
};

type Run = Outcome & { id: string; on: Place['kind']; seconds: number };

/** Dropped also when somebody stops the trials. */
let current: Place | undefined;
const began = performance.now();
const say = (line: string): void => {
  const seconds = ((performance.now() - began) / 1000).toFixed(0).padStart(4);
  process.stdout.write(`${seconds} s  ${line}\n`);
};

const runOn = async (trial: Trial, on: Place['kind']): Promise<Run> => {
  const started = performance.now();
  lastWords(); // of the trial before
  beginRandom(choices.seed ?? SEED);
  const place = await aPlace(on);
  current = place;
  say(`${trial.id} on ${on}: ${trial.title}`);
  try {
    const outcome = await trial.run(place, flags.quick, (line) => say(`${trial.id} ${line}`), choices);
    return { ...outcome, id: trial.id, on, seconds: (performance.now() - started) / 1000 };
  } finally {
    killAll();
    await place.drop();
  }
};

const main = async (): Promise<number> => {
  const chosen = TRIALS.filter(({ id }) => !asked.length || asked.includes(id));
  const missing = chosen.some((t) => placesOf(t).includes('postgres')) ? await postgresMissing() : null;
  const runs: Run[] = [];
  const notRun: string[] = [];
  for (const trial of chosen) {
    const places = placesOf(trial);
    if (!places.length) notRun.push(`${trial.id} on embedded: it takes several processes on one database`);
    for (const on of places) {
      if (on === 'postgres' && missing) notRun.push(`${trial.id} on postgres: ${missing}`);
      else
        await runOn(trial, on).then(
          (run) => {
            runs.push(run);
            const faults = faultsOf(run.checks);
            say(`${run.id} on ${on} ${faults ? `has ${faults} faults` : 'held'} after ${run.seconds.toFixed(0)} s`);
          },
          (error: unknown) =>
            notRun.push([`${trial.id} on ${on} broke off: ${(error as Error).stack}`, ...lastWords()].join('\n  ')),
        );
    }
  }
  process.stdout.write(`\n${table(runs)}\n\n`);
  for (const run of runs)
    process.stdout.write(`${run.id} on ${run.on} (${run.seconds.toFixed(0)} s): ${run.facts.join(' ')}\n`);
  for (const reason of notRun) process.stdout.write(`not run: ${reason}\n`);
  const faults = runs.reduce((sum, run) => sum + faultsOf(run.checks), 0);
  // Where one chose the embedded database, what can't run there is no failure.
  const failed = notRun.filter((reason) => !reason.includes('it takes several processes')).length;
  process.stdout.write(
    faults || failed
      ? `\n${faults} faults, ${failed} trials not run to the end.\n`
      : '\nNothing lost, nothing doubled, nothing wrong.\n',
  );
  if (flags.json) {
    const machine = { node: process.version, cpus: cpus().length, cpu: cpus()[0]?.model };
    writeFileSync(
      flags.json,
      `${JSON.stringify({ at: instantIn(0), quick: flags.quick, machine, runs, notRun, faults }, null, 2)}\n`,
    );
  }
  return faults || failed ? 1 : 0;
};

for (const signal of ['SIGINT', 'SIGTERM'] as const)
  process.once(signal, () => {
    killAll();
    void (current?.drop() ?? Promise.resolve()).finally(() => process.exit(130));
  });
process.exit(await main());
