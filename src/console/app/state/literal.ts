/** Words of a sentence that the person gave back to its name: they are not read. */
import { signal } from '@preact/signals';

export type Stretch = [from: number, to: number];

const kept = signal<{ of: string; all: readonly Stretch[] }>({ of: '', all: [] });

/** The words of this text that are not read. Another text has none. */
export const literalIn = (of: string): Stretch[] => (kept.value.of === of ? [...kept.value.all] : []);

export const leaveUnread = (of: string, [from, to]: Stretch): void => {
  const others = literalIn(of).filter(([start, end]) => end <= from || start >= to);
  kept.value = { of, all: [...others, [from, to] as Stretch].toSorted(([a], [b]) => a - b) };
};

export const readAgain = (of: string, at: number): void => {
  kept.value = { of, all: literalIn(of).filter(([from]) => from !== at) };
};

/** For a request, which has none where all words are read. */
export const asLiteral = (literal: readonly Stretch[]): { literal?: Stretch[] } =>
  literal.length ? { literal: [...literal] } : {};
