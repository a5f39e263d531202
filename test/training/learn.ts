/** Trains a net on annotated lines. */
import type { Request } from '../../src/domain/planner/request.ts';
import { firstOf, furtherOf, GLUE } from '../../src/domain/planner/roles/crf.ts';
import { featuresOf } from '../../src/domain/planner/roles/features.ts';
import { emptyNet, PARTS, type Net, type Part, type Seen } from '../../src/domain/planner/roles/net.ts';
import { seenOf } from '../../src/domain/planner/roles/reader.ts';
import { ROLES } from '../../src/domain/planner/request.ts';
import { wordsOf, type Word } from '../../src/domain/planner/roles/words.ts';
import { addGradient } from './gradient.ts';
import { randomFrom, type Random } from './random.ts';
import { variantsOf } from './variants.ts';

export const EPOCHS = 5;
/** Lines whose gradients are added before the weights change. */
const BATCH = 4;
/** The largest rate; it rises to it in WARM batches and falls evenly to zero. */
const RATE = 2e-3;
const WARM = 300;
/** What is left out at random: a feature, a whole word, a number of the input, a number of the states. */
const DROPPED = { feature: 0.15, word: 0.05, input: 0.2, state: 0.4 };
/** Features of fewer lines than this are left out. */
const LEAST = 3;
/** The decay of the means of the gradient and of its square (Adam; Kingma and Ba 2015). */
const [FIRST, SECOND] = [0.9, 0.999];

/** The rows of the features that enough lines have, in the order of their hashes. */
export const rowsOf = (lines: readonly Request[]): Map<number, number> => {
  const counts = new Map<number, number>();
  for (const { text } of lines)
    for (const feature of new Set(featuresOf(wordsOf(text)).flat()))
      counts.set(feature, (counts.get(feature) ?? 0) + 1);
  const kept = [...counts.keys()].filter((feature) => counts.get(feature)! >= LEAST);
  return new Map(kept.toSorted((a, b) => a - b).map((feature, row) => [feature, row]));
};

/** The tags of words: a word belongs to the span in which it begins. */
export const tagsOf = (words: readonly Word[], { spans }: Request): number[] => {
  let last = -1;
  return words.map(({ from: start }) => {
    const at = spans.findIndex(({ from, to }) => from <= start && start < to);
    const before = last;
    last = at;
    if (at < 0) return GLUE;
    const role = ROLES.indexOf(spans[at]!.role);
    return at === before ? furtherOf(role) : firstOf(role);
  });
};

/** Biases and steps begin at zero, other weights at random, the smaller the more of them are added up. */
const startOf = (features: number, random: Random): Net => {
  const net = emptyNet(features);
  for (const part of PARTS) {
    const { values, columns } = net[part];
    const spread = /bias|steps/i.test(part) ? 0 : 1 / Math.sqrt(columns);
    for (let i = 0; i < values.length; i++) values[i] = (2 * random.next() - 1) * spread;
  }
  return net;
};

/** Changes weights against their gradient (Adam), and clears it. Rows of features change only where the batch has them. */
const createSteps = (net: Net, gradient: Net): ((rate: number, features: ReadonlySet<number>) => void) => {
  const [means, squares] = [emptyNet(net.features.rows), emptyNet(net.features.rows)];
  let steps = 0;
  const change = (part: Part, rate: number, from: number, to: number): void => {
    const [w, g, m, v] = [net, gradient, means, squares].map((one) => one[part].values) as [
      Float32Array,
      Float32Array,
      Float32Array,
      Float32Array,
    ];
    const [unbiased, unbiasedSquare] = [1 - FIRST ** steps, 1 - SECOND ** steps];
    for (let i = from; i < to; i++) {
      m[i] = FIRST * m[i]! + (1 - FIRST) * g[i]!;
      v[i] = SECOND * v[i]! + (1 - SECOND) * g[i]! * g[i]!;
      w[i]! -= (rate * m[i]!) / unbiased / (Math.sqrt(v[i]! / unbiasedSquare) + 1e-8);
      g[i] = 0;
    }
  };
  return (rate, features) => {
    steps += 1;
    const { columns } = net.features;
    for (const row of features) change('features', rate, row * columns, (row + 1) * columns);
    for (const part of PARTS) if (part !== 'features') change(part, rate, 0, net[part].values.length);
  };
};

/** What a training begins with. */
export type Task = { lines: Request[]; rows: Map<number, number>; seed: number; epochs: number };

/** Trains a net. `report` is called after each epoch with the mean loss of a line. */
export const trainNet = ({ lines, rows, seed, epochs }: Task, report: (epoch: number, loss: number) => void): Net => {
  const random = randomFrom(seed);
  const net = startOf(rows.size, random);
  const gradient = emptyNet(rows.size);
  const step = createSteps(net, gradient);
  const vary = variantsOf(lines, random);
  const thinned = ({ features, vector }: Seen): Seen => {
    if (random.next() < DROPPED.word) return { features: [], vector: null };
    return { features: features.filter(() => random.next() >= DROPPED.feature), vector };
  };
  const batches = Math.ceil(lines.length / BATCH);
  for (let epoch = 0; epoch < epochs; epoch++) {
    const order = random.shuffled(lines);
    let loss = 0;
    for (let batch = 0; batch < batches; batch++) {
      const features = new Set<number>();
      for (const line of order.slice(batch * BATCH, (batch + 1) * BATCH)) {
        const variant = vary(line);
        const words = wordsOf(variant.text);
        const seen = seenOf(words, rows).map(thinned);
        for (const { features: known } of seen) for (const row of known) features.add(row);
        const drops = [DROPPED.input, DROPPED.state];
        loss += addGradient(net, gradient, seen, tagsOf(words, variant), (length) => {
          const share = drops.shift()!;
          return new Float32Array(length).map(() => (random.next() < share ? 0 : 1 / (1 - share)));
        });
      }
      const done = (epoch * batches + batch) / (epochs * batches);
      step(RATE * Math.min(1, (epoch * batches + batch + 1) / WARM) * (1 - done), features);
    }
    report(epoch + 1, loss / lines.length);
  }
  return net;
};
