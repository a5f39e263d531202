/**
 * A linear-chain conditional random field (Lafferty, McCallum and Pereira 2001) over the words of a text: which row of tags is the
 * most probable, which is the second, how probable they are, and how probable each tag is at each word.
 */
import { ROLES } from '../request.ts';

/** The tag of glue is 0. Each role has two more: its first word, and its further words. */
export const TAGS = 1 + 2 * ROLES.length;
/** The tags are stored in rows of this length, a multiple of four. */
export const WIDTH = 64;
export const GLUE = 0;
export const firstOf = (role: number): number => 1 + 2 * role;
export const furtherOf = (role: number): number => 2 + 2 * role;
/** The number of the role of a tag; -1 for glue. */
export const roleOf = (tag: number): number => (tag - 1) >> 1;
export const isFirst = (tag: number): boolean => tag % 2 === 1;

/** A further word of a role follows only a word of the same role. */
const follows = (before: number, tag: number): boolean =>
  tag === GLUE || isFirst(tag) || before === tag || before === tag - 1;

/** The scores of each word's tags, and of each step from a tag to the next. A text begins as if behind glue. */
export type Chain = { length: number; scores: Float32Array; steps: Float32Array };

/** Sums over all rows of tags, as probabilities that are rescaled at each word, so that they stay in range. */
export type Sums = {
  logTotal: number;
  /** How much each step and each word's tag weighs. */
  stepWeights: Float64Array;
  tagWeights: Float64Array;
  before: Float64Array;
  behind: Float64Array;
  scales: Float64Array;
};

const weightsOfSteps = (steps: Float32Array): Float64Array => {
  const weights = new Float64Array(WIDTH * WIDTH);
  for (let a = 0; a < TAGS; a++)
    for (let b = 0; b < TAGS; b++) if (follows(a, b)) weights[a * WIDTH + b] = Math.exp(steps[a * WIDTH + b]!);
  return weights;
};

/** Weighs the tags of each word by its largest score, and returns the sum of these. */
const weighTags = ({ length, scores }: Chain, into: Float64Array): number => {
  let sum = 0;
  for (let at = 0; at < length * WIDTH; at += WIDTH) {
    let most = -Infinity;
    for (let tag = 0; tag < TAGS; tag++) most = Math.max(most, scores[at + tag]!);
    for (let tag = 0; tag < TAGS; tag++) into[at + tag] = Math.exp(scores[at + tag]! - most);
    sum += most;
  }
  return sum;
};

/** The forward and backward sums of a chain. */
export const sumsOf = (chain: Chain): Sums => {
  const { length } = chain;
  const stepWeights = weightsOfSteps(chain.steps);
  const [tagWeights, before, behind] = [0, 1, 2].map(() => new Float64Array(length * WIDTH)) as [
    Float64Array,
    Float64Array,
    Float64Array,
  ];
  const scales = new Float64Array(length);
  let logTotal = weighTags(chain, tagWeights);
  for (let i = 0; i < length; i++) {
    const at = i * WIDTH;
    for (let a = 0; a < TAGS; a++) {
      const weight = i > 0 ? before[at - WIDTH + a]! : a === GLUE ? 1 : 0;
      if (weight > 0) for (let b = 0; b < TAGS; b++) before[at + b]! += weight * stepWeights[a * WIDTH + b]!;
    }
    let sum = 0;
    for (let tag = 0; tag < TAGS; tag++) sum += before[at + tag]! *= tagWeights[at + tag]!;
    scales[i] = Math.max(sum, Number.MIN_VALUE * 2 ** 52);
    for (let tag = 0; tag < TAGS; tag++) before[at + tag]! /= scales[i]!;
    logTotal += Math.log(scales[i]!);
  }
  behind.fill(1, (length - 1) * WIDTH);
  for (let at = (length - 2) * WIDTH; at >= 0; at -= WIDTH)
    for (let a = 0; a < TAGS; a++) {
      let sum = 0;
      for (let b = 0, next = at + WIDTH; b < TAGS; b++, next++)
        sum += stepWeights[a * WIDTH + b]! * tagWeights[next]! * behind[next]!;
      behind[at + a] = sum / scales[at / WIDTH + 1]!;
    }
  return { logTotal, stepWeights, tagWeights, before, behind, scales };
};

/** How probable each tag is at each word. */
export const marginalsOf = ({ before, behind }: Sums): Float64Array => before.map((sum, i) => sum * behind[i]!);

export type Path = { tags: number[]; score: number };

/** Follows the links back from a place: twice the tag, plus 1 for the second best row that ends with it. */
const pathFrom = (place: number, score: number, links: Int16Array, length: number): Path => {
  const tags: number[] = [];
  for (let i = length - 1, here = place; i >= 0; i--) {
    tags.push(here >> 1);
    here = links[i * 2 * WIDTH + here]!;
  }
  return { tags: tags.reverse(), score };
};

/** The best and the second best row of tags (Viterbi, keeping two rows for each tag). The second is null where there is one only. */
export const bestTwo = ({ length, scores, steps }: Chain): [Path, Path | null] => {
  const links = new Int16Array(length * 2 * WIDTH);
  let ends = new Float64Array(2 * WIDTH).fill(-Infinity);
  ends[2 * GLUE] = 0;
  for (let i = 0; i < length; i++) {
    const next = new Float64Array(2 * WIDTH).fill(-Infinity);
    for (let tag = 0; tag < TAGS; tag++)
      for (let place = 0; place < 2 * TAGS; place++) {
        if (ends[place] === -Infinity || !follows(place >> 1, tag)) continue;
        const score = ends[place]! + steps[(place >> 1) * WIDTH + tag]! + scores[i * WIDTH + tag]!;
        const rank = score > next[2 * tag]! ? 0 : score > next[2 * tag + 1]! ? 1 : 2;
        if (rank === 0) {
          next[2 * tag + 1] = next[2 * tag]!;
          links[(i * WIDTH + tag) * 2 + 1] = links[(i * WIDTH + tag) * 2]!;
        }
        if (rank < 2) {
          next[2 * tag + rank] = score;
          links[(i * WIDTH + tag) * 2 + rank] = place;
        }
      }
    ends = next;
  }
  const [first = 0, second = 0] = [...ends.keys()].sort((a, b) => ends[b]! - ends[a]!);
  const runnerUp = ends[second]! > -Infinity ? pathFrom(second, ends[second]!, links, length) : null;
  return [pathFrom(first, ends[first]!, links, length), runnerUp];
};
