/**
 * Benchmarks (CONTRIBUTING.md, Benchmarks): `npm run bench -- [ids] [--json file] [--quick] [--embedded|--postgres]`.
 * Each runs real service processes on a database of its own. A missed target is told, not an error: exits 1 only where
 * something could not run.
 */
import { writeFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { parseArgs } from 'node:util';
import { aPlace, postgresMissing, type Place } from '../faults/cluster.ts';
import { killAll, lastWords } from '../faults/server.ts';
import { isMet, measuredBy, type Bench, type Measured } from './bench.ts';
import { othersLoad, watchLoad } from './load.ts';
import { CONSOLE } from './console.ts';
import { DAY } from './day.ts';
import { GROWTH } from './growth.ts';
import { ICS } from './ics.ts';
import { MCP } from './mcp.ts';
import { PEERS } from './peers.ts';
import { S1 } from './s1.ts';
import { S2 } from './s2.ts';
import { S3 } from './s3.ts';
import { S4 } from './s4.ts';
import { S5 } from './s5.ts';
import { S6 } from './s6.ts';
import { S7 } from './s7.ts';
import { S8 } from './s8.ts';
import { S9 } from './s9.ts';
import { S10 } from './s10.ts';
import { S11 } from './s11.ts';
import { S12 } from './s12.ts';
import { table } from './table.ts';
import { WINDOW_BENCH } from './window.ts';

const BENCHES: Bench[] = [
  S1,
  S2,
  S3,
  S4,
  S5,
  S6,
  S7,
  S8,
  S9,
  S10,
  S11,
  S12,
  GROWTH,
  PEERS,
  WINDOW_BENCH,
  ICS,
  MCP,
  CONSOLE,
  DAY,
];

const { values: flags, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    quick: { type: 'boolean', default: false },
    json: { type: 'string' },
    embedded: { type: 'boolean', default: false },
    postgres: { type: 'boolean', default: false },
  },
});

const asked = positionals.map((id) => id.toUpperCase());
const unknown = asked.filter((id) => !BENCHES.some((b) => b.id === id));
if (unknown.length) {
  process.stderr.write(
    `There is no benchmark ${unknown.join(', ')}; there are ${BENCHES.map((b) => b.id).join(', ')}.\n`,
  );
  process.exit(2);
}

/** With a flag only there; else where the benchmark belongs. */
const placesOf = (bench: Bench): Place['kind'][] => {
  if (flags.embedded === flags.postgres) return bench.places;
  if (flags.postgres) return ['postgres'];
  return bench.embedded ? ['embedded'] : [];
};

type Run = Measured & { id: string; on: Place['kind']; seconds: number; cores: { others: number; during: number } };

/** Dropped also when somebody stops the benchmarks. */
let current: Place | undefined;
const began = performance.now();
const say = (line: string): void => {
  const seconds = ((performance.now() - began) / 1000).toFixed(0).padStart(4);
  process.stdout.write(`${seconds} s  ${line}\n`);
};

const runOn = async (bench: Bench, on: Place['kind']): Promise<Run> => {
  lastWords(); // of the benchmark before
  const others = await othersLoad();
  const started = performance.now();
  const during = watchLoad();
  const place = await aPlace(on);
  current = place;
  say(`${bench.id} on ${on}: ${bench.title} (others use ${others.toFixed(1)} of ${cpus().length} cores)`);
  try {
    const measured = await bench.run(place, flags.quick, (line) => say(`${bench.id} ${line}`));
    const seconds = (performance.now() - started) / 1000;
    return { ...measured, id: bench.id, on, seconds, cores: { others, during: during() } };
  } finally {
    killAll();
    await place.drop();
  }
};

const tell = (runs: Run[], notRun: string[]): void => {
  process.stdout.write(`\n${table(runs)}\n\n`);
  for (const { id, on, seconds, cores, facts } of runs)
    process.stdout.write(
      `${id} on ${on} (${seconds.toFixed(0)} s; of ${cpus().length} cores others used ${cores.others.toFixed(1)} before it, all ${cores.during.toFixed(1)} during it): ${facts.join(' ')}\n`,
    );
  for (const reason of notRun) process.stdout.write(`not run: ${reason}\n`);
};

/** For later comparison: every round of every figure. */
const writeJson = (file: string, runs: Run[], notRun: string[]): void => {
  const machine = { node: process.version, cpus: cpus().length, cpu: cpus()[0]?.model };
  const judged = runs.map((run) => ({
    ...run,
    figures: run.figures.map((figure) => ({ ...figure, measured: measuredBy(figure), met: isMet(figure) })),
  }));
  const report = { at: new Date().toISOString(), quick: flags.quick, machine, runs: judged, notRun };
  writeFileSync(file, `${JSON.stringify(report, null, 2)}\n`);
};

const main = async (): Promise<number> => {
  const chosen = BENCHES.filter((b) => !asked.length || asked.includes(b.id));
  const missing = chosen.some((b) => placesOf(b).includes('postgres')) ? await postgresMissing() : null;
  const runs: Run[] = [];
  const notRun: string[] = [];
  let failed = 0;
  for (const bench of chosen) {
    const places = placesOf(bench);
    if (!places.length) notRun.push(`${bench.id} on embedded: it takes several processes on one database`);
    for (const on of places) {
      try {
        if (on === 'postgres' && missing) throw new Error(missing);
        runs.push(await runOn(bench, on));
      } catch (error) {
        failed += 1;
        notRun.push([`${bench.id} on ${on}: ${(error as Error).stack}`, ...lastWords()].join('\n  '));
      }
    }
  }
  tell(runs, notRun);
  if (flags.json) writeJson(flags.json, runs, notRun);
  return failed ? 1 : 0;
};

for (const signal of ['SIGINT', 'SIGTERM'] as const)
  process.once(signal, () => {
    killAll();
    void (current?.drop() ?? Promise.resolve()).finally(() => process.exit(130));
  });
process.exit(await main());
