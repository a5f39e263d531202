/**
 * `npm run train-reader`: trains the reader of roles from data/requests/*.txt, and writes its weights and their figures. The first
 * net learns from nine tenths of the lines; the last tenth says how good it is and how sure it may be. The second learns from all.
 * With `-- --held-out` neither learns from that tenth, and nothing is written: so an idea is measured. `--share 0.5` takes half of
 * the lines, for the curve of learning.
 * With `-- --try FILE.jsonl...` it measures the present weights on annotated requests of files.
 */
import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { parseArgs } from 'node:util';
import { Worker } from 'node:worker_threads';
import type { Request } from '../../src/domain/planner/request.ts';
import type { Net } from '../../src/domain/planner/roles/net.ts';
import { readRoles, readWith } from '../../src/domain/planner/roles/reader.ts';
import { encodeWeights, WEIGHTS_FILE, type Weights } from '../../src/domain/planner/roles/weights.ts';
import { alike, annotated } from '../support/annotated.ts';
import { honestyOf, judge, rolesOf, sharesOf, type Judged } from './judge.ts';
import { EPOCHS, rowsOf, type Task } from './learn.ts';

const DATA = join(import.meta.dirname, '../../data/requests');
/** Of ten lines, this one is held out. */
const HELD_OUT = 3;

const { values: options, positionals } = parseArgs({
  options: {
    try: { type: 'boolean', default: false },
    'held-out': { type: 'boolean', default: false },
    share: { type: 'string', default: '1' },
    epochs: { type: 'string', default: String(EPOCHS) },
    to: { type: 'string', default: WEIGHTS_FILE },
  },
  allowPositionals: true,
});

const linesOf = (file: string): string[] =>
  readFileSync(file, 'utf8')
    .split('\n')
    .filter((line) => line.trim() !== '' && !line.startsWith('#'));

/** All lines of the data, or an even share of them. */
const dataOf = (share: number): Request[] =>
  readdirSync(DATA)
    .filter((file) => file.endsWith('.txt'))
    .sort()
    .flatMap((file) => linesOf(join(DATA, file)))
    .filter((_, i) => Math.floor((i + 1) * share) > Math.floor(i * share))
    .map((line) => alike(annotated(line)));

const train = (task: Task): Promise<Net> =>
  new Promise((resolve, reject) => {
    const worker = new Worker(new URL('./worker.ts', import.meta.url), { workerData: task });
    worker.once('message', resolve).once('error', reject);
  });

/** What the scores of a net are multiplied by, so that the probability of a reading says best whether it is right. */
const sharpnessOf = (lines: readonly Request[], weights: Weights): number => {
  const lossAt = (sharpness: number): number =>
    lines
      .map((line) => judge(line, readWith(line.text, { ...weights, sharpness }).best))
      .reduce((sum, { right, reading: { probability: p } }) => sum - Math.log(Math.max(1e-6, right ? p : 1 - p)), 0);
  const tried = Array.from({ length: 11 }, (_, i) => 0.6 + i / 20);
  return tried.map((one) => [lossAt(one), one] as const).sort(([a], [b]) => a - b)[0]![1];
};

const trainAll = async (): Promise<void> => {
  const lines = dataOf(Number(options.share));
  const [kept, held] = [false, true].map((isHeld) => lines.filter((_, i) => (i % 10 === HELD_OUT) === isHeld)) as [
    Request[],
    Request[],
  ];
  const isTrial = options['held-out'];
  const rows = rowsOf(isTrial ? kept : lines);
  const nets = await Promise.all(
    [kept, isTrial ? kept : lines].map((lines, i) =>
      train({ lines, rows, seed: i + 1, epochs: Number(options.epochs) }),
    ),
  );
  const measured = { rows, nets: isTrial ? nets : nets.slice(0, 1), sharpness: 1 };
  const sharpness = sharpnessOf(held, measured);
  const judged = held.map((line) => judge(line, readWith(line.text, { ...measured, sharpness }).best));
  const figures = [sharesOf([['held out', judged]]), honestyOf(judged), rolesOf(judged)].join('\n\n');
  process.stdout.write(`${figures}\n`);
  if (isTrial) return;
  writeFileSync(options.to, encodeWeights({ rows, nets, sharpness }));
  const size = (statSync(options.to).size / 1e6).toFixed(2);
  const head = `# weights.bin\n\nThe weights of the reader of roles, ${size} MB, written by \`npm run train-reader\` from ${lines.length} lines of \`data/requests\`: ${rows.size} features, ${options.epochs} epochs, scores times ${sharpness.toFixed(2)}.\nThe figures are those of the first of its two nets alone on the ${held.length} lines that it has not learned from; both together are better.`;
  writeFileSync(options.to.replace(/bin$/, 'md'), `${head}\n\n${figures}\n`);
};

/** The requests of a file of effects, or the turns of one of dialogues. */
const requestsOf = (file: string): Request[] =>
  linesOf(file)
    .map((line) => JSON.parse(line) as { text?: string; turns?: string[] })
    .flatMap(({ text, turns = [] }) => (text === undefined ? turns : [text]))
    .map((line) => alike(annotated(line)));

const tryFiles = (files: readonly string[]): void => {
  const sets = files.map((file): [string, Judged[]] => [
    basename(file),
    requestsOf(file).map((line) => judge(line, readRoles(line.text).best)),
  ]);
  const all = sets.flatMap(([, judged]) => judged);
  process.stdout.write(`${[sharesOf([...sets, ['all', all]]), honestyOf(all), rolesOf(all)].join('\n\n')}\n`);
};

if (options.try) tryFiles(positionals);
else await trainAll();
