/** How the loss of a line, which is minus the log probability of its right tags, changes with each weight of a net. */
import { sumsOf, WIDTH } from '../../src/domain/planner/roles/crf.ts';
import {
  matrixOf,
  reversed,
  scoresOf,
  UNITS,
  type Matrix,
  type Net,
  type Run,
  type Seen,
} from '../../src/domain/planner/roles/net.ts';

const GATES = 3 * UNITS;

/** Adds the outer products of rows of `dy` and of `x` to the gradient of weights, four rows at once where there are as many. */
const addOuter = (gradient: Matrix, { values: x }: Matrix, { rows, values: dy }: Matrix): void => {
  const { rows: out, columns, values } = gradient;
  for (let r = 0; r < out; r++)
    for (let i = 0; i < rows; i += 4) {
      const at = i * out + r;
      const a = dy[at]!;
      const b = i + 1 < rows ? dy[at + out]! : 0;
      const c = i + 2 < rows ? dy[at + 2 * out]! : 0;
      const d = i + 3 < rows ? dy[at + 3 * out]! : 0;
      const p = i * columns;
      const q = b === 0 ? p : p + columns;
      const s = c === 0 ? p : p + 2 * columns;
      const t = d === 0 ? p : p + 3 * columns;
      for (let k = 0, g = r * columns; k < columns; k++, g++)
        values[g]! += a * x[p + k]! + b * x[q + k]! + c * x[s + k]! + d * x[t + k]!;
    }
};

/** Adds to rows of `dx` what follows from the same rows of `dy`, the gradient of what the weights made of `x`. */
const addBack = (weights: Matrix, into: Matrix, from: Matrix, first = 0, end = from.rows): void => {
  const { rows, columns, values: w } = weights;
  const { values: dx } = into;
  const { values: dy } = from;
  for (let r = 0; r < rows; r += 4)
    for (let i = first; i < end; i++) {
      const at = i * rows + r;
      const a = dy[at]!;
      const b = dy[at + 1]!;
      const c = dy[at + 2]!;
      const d = dy[at + 3]!;
      const w0 = r * columns;
      const w1 = w0 + columns;
      const w2 = w1 + columns;
      const w3 = w2 + columns;
      for (let k = 0, x = i * columns; k < columns; k++, x++)
        dx[x]! += a * w[w0 + k]! + b * w[w1 + k]! + c * w[w2 + k]! + d * w[w3 + k]!;
    }
};

const addRows = (gradient: Float32Array, { rows, columns, values }: Matrix): void => {
  for (let i = 0; i < rows; i++) for (let k = 0; k < columns; k++) gradient[k]! += values[i * columns + k]!;
};

const partOf = ({ rows, columns, values }: Matrix, first: number, width: number): Matrix => {
  const part = matrixOf(rows, width);
  for (let i = 0; i < rows; i++)
    part.values.set(values.subarray(i * columns + first, i * columns + first + width), i * width);
  return part;
};

type Direction = { input: Matrix; state: Matrix; bias: Matrix };
const directionOf = (net: Net, side: 'right' | 'left'): Direction => ({
  input: net[`${side}Input`],
  state: net[`${side}State`],
  bias: net[`${side}Bias`],
});

/** Adds the gradient of one direction, and returns that of its input. `dOut` is the gradient of the state behind each word. */
const backOver = (weights: Direction, gradient: Direction, x: Matrix, run: Run, dOut: Matrix): Matrix => {
  const dGates = matrixOf(x.rows, GATES);
  const dRecurrent = matrixOf(x.rows, GATES);
  const dStates = matrixOf(x.rows + 1, UNITS);
  const [h, g, s] = [run.states.values, run.gates.values, run.recurrent.values];
  for (let i = x.rows - 1; i >= 0; i--) {
    for (let k = 0, at = i * GATES, here = i * UNITS; k < UNITS; k++, at++, here++) {
      const d = dStates.values[here + UNITS]! + dOut.values[here]!;
      const [reset, keep, candidate] = [g[at]!, g[at + UNITS]!, g[at + 2 * UNITS]!];
      const dCandidate = d * (1 - keep) * (1 - candidate * candidate);
      dStates.values[here]! += d * keep;
      dGates.values[at] = dCandidate * s[at + 2 * UNITS]! * reset * (1 - reset);
      dGates.values[at + UNITS] = d * (h[here]! - candidate) * keep * (1 - keep);
      dGates.values[at + 2 * UNITS] = dCandidate;
      dRecurrent.values[at] = dGates.values[at]!;
      dRecurrent.values[at + UNITS] = dGates.values[at + UNITS]!;
      dRecurrent.values[at + 2 * UNITS] = dCandidate * reset;
    }
    addBack(weights.state, dStates, dRecurrent, i, i + 1);
  }
  addRows(gradient.bias.values.subarray(0, GATES), dGates);
  addRows(gradient.bias.values.subarray(GATES), dRecurrent);
  addOuter(gradient.input, x, dGates);
  addOuter(gradient.state, run.states, dRecurrent);
  const dx = matrixOf(x.rows, x.columns);
  addBack(weights.input, dx, dGates);
  return dx;
};

/** The gradient of the scores; that of the steps is added. */
const backOverTags = (
  scores: Matrix,
  net: Net,
  gradient: Net,
  tags: readonly number[],
): { loss: number; dScores: Matrix } => {
  const chain = { length: tags.length, scores: scores.values, steps: net.steps.values };
  const { logTotal, before, behind, tagWeights, stepWeights, scales } = sumsOf(chain);
  const dScores = matrixOf(scores.rows, WIDTH);
  const dSteps = gradient.steps.values;
  let loss = logTotal;
  for (const [i, tag] of tags.entries()) {
    const at = i * WIDTH;
    const step = (tags[i - 1] ?? 0) * WIDTH + tag;
    for (let b = 0; b < WIDTH; b++) dScores.values[at + b] = before[at + b]! * behind[at + b]!;
    for (let a = 0; a < WIDTH; a++) {
      const weight = (i > 0 ? before[at - WIDTH + a]! : a === 0 ? 1 : 0) / scales[i]!;
      if (weight > 1e-9)
        for (let b = 0; b < WIDTH; b++)
          dSteps[a * WIDTH + b]! += weight * stepWeights[a * WIDTH + b]! * tagWeights[at + b]! * behind[at + b]!;
    }
    dScores.values[at + tag]! -= 1;
    dSteps[step]! -= 1;
    loss -= scores.values[at + tag]! + net.steps.values[step]!;
  }
  return { loss, dScores };
};

const times = (values: Float32Array, mask: Float32Array): void => {
  for (let i = 0; i < values.length; i++) values[i]! *= mask[i]!;
};

/** Adds the gradient of a line, and returns its loss. `masks` gives what is dropped of the input and then of the states. */
export const addGradient = (
  net: Net,
  gradient: Net,
  words: readonly Seen[],
  tags: readonly number[],
  maskOf: (length: number) => Float32Array,
): number => {
  const masks: Float32Array[] = [];
  const { vectors, input, right, left, states, scores } = scoresOf(net, words, (values) => {
    masks.push(maskOf(values.length));
    times(values, masks.at(-1)!);
  });
  const { loss, dScores } = backOverTags(scores, net, gradient, tags);
  addRows(gradient.bias.values, dScores);
  const dStates = matrixOf(states.rows, states.columns);
  const dInput = matrixOf(input.rows, input.columns);
  for (const [part, x, dx] of [
    ['output', states, dStates],
    ['direct', input, dInput],
  ] as const) {
    addOuter(gradient[part], x, dScores);
    addBack(net[part], dx, dScores);
  }
  times(dStates.values, masks[1]!);
  const back = (side: 'right' | 'left', x: Matrix, run: Run, dOut: Matrix) =>
    backOver(directionOf(net, side), directionOf(gradient, side), x, run, dOut);
  const fromRight = back('right', input, right, partOf(dStates, 0, UNITS));
  const fromLeft = reversed(back('left', reversed(input), left, reversed(partOf(dStates, UNITS, UNITS))));
  for (let i = 0; i < dInput.values.length; i++)
    dInput.values[i] = (dInput.values[i]! + fromRight.values[i]! + fromLeft.values[i]!) * masks[0]![i]!;
  addOuter(gradient.meaning, vectors, dInput);
  const { values, columns } = gradient.features;
  for (const [i, { features }] of words.entries())
    for (const row of features)
      for (let k = 0; k < columns; k++) values[row * columns + k]! += dInput.values[i * columns + k]!;
  return loss;
};
