/** Reads which role each word of a request has. */
import { bestTwo, GLUE, isFirst, marginalsOf, roleOf, sumsOf, WIDTH, type Chain, type Path } from './crf.ts';
import { featuresOf, vectorOf } from './features.ts';
import { scoresOf, type Seen } from './net.ts';
import { ROLES, type Role, type Span } from '../request.ts';
import { weights, type Weights } from './weights.ts';
import { wordsOf, type Word } from './words.ts';

/** The best spans for a text, and how probable it is that all of them are right. */
export type Reading = { spans: Span[]; probability: number };

/** A stretch whose role is doubtful: how probable what the best reading says is, and the next best. Null means glue. */
export type Doubt = { from: number; to: number; probability: number; instead: Role | null };

/** A word is doubtful where its role is less probable than this. */
const SURE = 0.7;

export const seenOf = (words: readonly Word[], rows: Weights['rows']): Seen[] =>
  featuresOf(words).map((features, i) => ({
    features: features.map((feature) => rows.get(feature)).filter((row) => row !== undefined),
    vector: vectorOf(words[i]!),
  }));

/** The mean of the nets' scores. */
const chainOf = (words: readonly Word[], { rows, nets, sharpness }: Weights): Chain => {
  const seen = seenOf(words, rows);
  const share = sharpness / nets.length;
  const sum = (lists: Float32Array[]) =>
    lists[0]!.map((_, i) => lists.reduce((all, list) => all + list[i]! * share, 0));
  return {
    length: words.length,
    scores: sum(nets.map((net) => scoresOf(net, seen).scores.values)),
    steps: sum(nets.map(({ steps }) => steps.values)),
  };
};

const roleAt = (tag: number): Role | null => ROLES[roleOf(tag)] ?? null;

export const spansOf = (words: readonly Word[], tags: readonly number[]): Span[] => {
  const spans: Span[] = [];
  for (const [i, { from, to }] of words.entries()) {
    const role = roleAt(tags[i]!);
    if (role && isFirst(tags[i]!)) spans.push({ role, from, to });
    else if (role) spans.at(-1)!.to = to;
  }
  return spans;
};

/** How probable each role is at a word, glue at the index behind the last role. */
const rolesAt = (marginals: Float64Array, word: number): number[] => {
  const at = word * WIDTH;
  return [
    ...ROLES.keys().map((role) => marginals[at + 2 * role + 1]! + marginals[at + 2 * role + 2]!),
    marginals[at + GLUE]!,
  ];
};

/** The stretches of neighbouring words that are doubtful, each with what is said of its least sure word. */
const doubtsOf = (words: readonly Word[], tags: readonly number[], marginals: Float64Array): Doubt[] => {
  const doubts: Doubt[] = [];
  let last = -Infinity;
  for (const [i, { from, to }] of words.entries()) {
    const shares = rolesAt(marginals, i);
    const chosen = tags[i] === GLUE ? ROLES.length : roleOf(tags[i]!);
    const probability = shares[chosen]!;
    if (probability >= SURE) continue;
    const others = [...shares.keys()].filter((role) => role !== chosen);
    const instead = ROLES[others.reduce((best, role) => (shares[role]! > shares[best]! ? role : best))] ?? null;
    const open = last === i - 1 ? doubts.pop() : undefined;
    const surer = open && open.probability <= probability ? open : { probability, instead };
    doubts.push({ ...surer, from: open?.from ?? from, to });
    last = i;
  }
  return doubts;
};

export type RolesRead = { best: Reading; second: Reading | null; doubts: Doubt[] };

/** Reads a text with given weights. */
export const readWith = (text: string, given: Weights): RolesRead => {
  const words = wordsOf(text);
  if (words.length === 0) return { best: { spans: [], probability: 1 }, second: null, doubts: [] };
  const chain = chainOf(words, given);
  const sums = sumsOf(chain);
  const [best, second] = bestTwo(chain);
  const reading = ({ tags, score }: Path): Reading => ({
    spans: spansOf(words, tags),
    probability: Math.min(1, Math.exp(score - sums.logTotal)),
  });
  return {
    best: reading(best),
    second: second && reading(second),
    doubts: doubtsOf(words, best.tags, marginalsOf(sums)),
  };
};

/** What a model makes of a prompt is compared with the prompt several times, so the last readings are kept. */
const MOST_KEPT = 8;
const kept = new Map<string, RolesRead>();

/**
 * Reads the roles of a text's words, at most MOST_WORDS of them: the best reading, the second best, and what of the best is
 * doubtful. A word takes about 0.1 ms.
 */
export const readRoles = (text: string): RolesRead => {
  const known = kept.get(text);
  if (known) return known;
  const read = readWith(text, weights());
  if (kept.size >= MOST_KEPT) kept.clear();
  kept.set(text, read);
  return read;
};
