/** Words of a sentence that the person gave back to its name: they are not read. */
import { signal } from '@preact/signals';

export type Stretch = [from: number, to: number];

/** With these words too; what they have a part of is a part of them. */
export const withWords = (all: readonly Stretch[], [from, to]: Stretch): Stretch[] =>
  [...all.filter(([start, end]) => end <= from || start >= to), [from, to] as Stretch].toSorted(([a], [b]) => a - b);

export const withoutWords = (all: readonly Stretch[], at: number): Stretch[] => all.filter(([from]) => from !== at);

const kept = signal<{ of: string; all: readonly Stretch[] }>({ of: '', all: [] });

/** The words of a text of the palette that are not read. Another text has none. */
export const literalIn = (of: string): readonly Stretch[] => (kept.value.of === of ? kept.value.all : []);
export const keepLiteral = (of: string, all: readonly Stretch[]): void => {
  kept.value = { of, all };
};

export const areSame = (some: readonly Stretch[], others: readonly Stretch[]): boolean =>
  JSON.stringify(some) === JSON.stringify(others);

/** For a request, which has none where all words are read. */
export const asLiteral = (literal: readonly Stretch[]): { literal?: Stretch[] } =>
  literal.length ? { literal: [...literal] } : {};
