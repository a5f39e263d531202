/**
 * A bidirectional recurrent net of gated units (GRU; Cho et al. 2014), which gives the scores of each word's tags. One direction
 * knows what was said before a word, the other what follows. test/training trains it.
 */
import { DIMENSIONS } from '../../text/word-table.ts';
import { WIDTH } from './crf.ts';

/** Row by row. The kernels take four rows at once, so a matrix of weights has a multiple of four. */
export type Matrix = { rows: number; columns: number; values: Float32Array };
export const matrixOf = (rows: number, columns: number): Matrix => ({
  ...{ rows, columns, values: new Float32Array(rows * columns) },
});

/** How many numbers describe a word, and how many units each direction has. */
const INPUT = 64;
export const UNITS = 64;
const GATES = 3 * UNITS;
/** The rows and columns of each matrix of weights. There is a row of `features` for each feature that is known. */
export const SHAPES = {
  features: [0, INPUT],
  meaning: [INPUT, DIMENSIONS],
  rightInput: [GATES, INPUT],
  rightState: [GATES, UNITS],
  rightBias: [2, GATES],
  leftInput: [GATES, INPUT],
  leftState: [GATES, UNITS],
  leftBias: [2, GATES],
  output: [WIDTH, 2 * UNITS],
  direct: [WIDTH, INPUT],
  bias: [1, WIDTH],
  steps: [WIDTH, WIDTH],
} as const;
export type Part = keyof typeof SHAPES;
export const PARTS = Object.keys(SHAPES) as Part[];
export type Net = Record<Part, Matrix>;

export const emptyNet = (features: number): Net =>
  Object.fromEntries(PARTS.map((part) => [part, matrixOf(SHAPES[part][0] || features, SHAPES[part][1])])) as Net;

/** What the net sees of a word: the rows of its features, and its vector where the table has one. */
export type Seen = { features: number[]; vector: Float32Array | null };

/** Adds to a row of `y` the products of four rows of weights, from `r` on, and of a row of `x`. */
const addFour = (
  { rows, columns, values: w }: Matrix,
  r: number,
  x: Float32Array,
  y: Float32Array,
  row: number,
): void => {
  const w0 = r * columns;
  const w1 = w0 + columns;
  const w2 = w1 + columns;
  const w3 = w2 + columns;
  const p = row * columns;
  let [a, b, c, d] = [0, 0, 0, 0];
  for (let k = 0; k < columns; k++) {
    const u = x[p + k]!;
    a += w[w0 + k]! * u;
    b += w[w1 + k]! * u;
    c += w[w2 + k]! * u;
    d += w[w3 + k]! * u;
  }
  const at = row * rows + r;
  y[at]! += a;
  y[at + 1]! += b;
  y[at + 2]! += c;
  y[at + 3]! += d;
};

/** Adds to rows of `y` the products of the weights and the same rows of `x`. The order keeps four rows of weights in the cache. */
export const multiply = (weights: Matrix, x: Matrix, y: Matrix, from = 0, to = y.rows): void => {
  for (let r = 0; r < weights.rows; r += 4)
    for (let row = from; row < to; row++) addFour(weights, r, x.values, y.values, row);
};

const sigmoid = (x: number): number => 1 / (1 + Math.exp(-x));
const fillRows = (into: Matrix, row: Float32Array): void => {
  for (let i = 0; i < into.rows; i++) into.values.set(row, i * into.columns);
};
export const reversed = ({ rows, columns, values }: Matrix): Matrix => {
  const turned = matrixOf(rows, columns);
  for (let i = 0; i < rows; i++)
    turned.values.set(values.subarray(i * columns, (i + 1) * columns), (rows - 1 - i) * columns);
  return turned;
};

/** One direction: the state before each word and behind the last, the values of the gates, and what the states gave to them. */
export type Run = { states: Matrix; gates: Matrix; recurrent: Matrix };

/** The gates are reset, update and candidate; the reset acts on what the state gives to the candidate. */
const runOver = (x: Matrix, input: Matrix, state: Matrix, bias: Matrix): Run => {
  const [states, gates, recurrent] = [
    matrixOf(x.rows + 1, UNITS),
    matrixOf(x.rows, GATES),
    matrixOf(x.rows, GATES),
  ] as const;
  fillRows(gates, bias.values.subarray(0, GATES));
  fillRows(recurrent, bias.values.subarray(GATES));
  multiply(input, x, gates);
  const [h, g, s] = [states.values, gates.values, recurrent.values];
  for (let i = 0; i < x.rows; i++) {
    multiply(state, states, recurrent, i, i + 1);
    for (let k = 0, at = i * GATES, here = i * UNITS; k < UNITS; k++, at++, here++) {
      const reset = (g[at] = sigmoid(g[at]! + s[at]!));
      const keep = (g[at + UNITS] = sigmoid(g[at + UNITS]! + s[at + UNITS]!));
      const candidate = (g[at + 2 * UNITS] = Math.tanh(g[at + 2 * UNITS]! + reset * s[at + 2 * UNITS]!));
      h[here + UNITS] = (1 - keep) * candidate + keep * h[here]!;
    }
  }
  return { states, gates, recurrent };
};

/** All that was computed for a text; training needs more of it than the scores. */
export type Trace = { vectors: Matrix; input: Matrix; right: Run; left: Run; states: Matrix; scores: Matrix };

/** Computes the scores of each word's tags. In training, `thin` drops some of the values. */
export const scoresOf = (net: Net, words: readonly Seen[], thin: (values: Float32Array) => void = () => {}): Trace => {
  const vectors = matrixOf(words.length, DIMENSIONS);
  const input = matrixOf(words.length, INPUT);
  for (const [i, { features, vector }] of words.entries()) {
    if (vector) vectors.values.set(vector, i * DIMENSIONS);
    for (const row of features)
      for (let k = 0; k < INPUT; k++) input.values[i * INPUT + k]! += net.features.values[row * INPUT + k]!;
  }
  multiply(net.meaning, vectors, input);
  thin(input.values);
  const right = runOver(input, net.rightInput, net.rightState, net.rightBias);
  const left = runOver(reversed(input), net.leftInput, net.leftState, net.leftBias);
  const states = matrixOf(words.length, 2 * UNITS);
  for (let i = 0; i < words.length; i++) {
    const behind = words.length - i;
    states.values.set(right.states.values.subarray((i + 1) * UNITS, (i + 2) * UNITS), 2 * i * UNITS);
    states.values.set(left.states.values.subarray(behind * UNITS, (behind + 1) * UNITS), (2 * i + 1) * UNITS);
  }
  thin(states.values);
  const scores = matrixOf(words.length, WIDTH);
  fillRows(scores, net.bias.values);
  multiply(net.output, states, scores);
  multiply(net.direct, input, scores);
  return { vectors, input, right, left, states, scores };
};
