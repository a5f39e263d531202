/** Two prompts as one list of tokens: the clauses of each stay apart, and their words can be put together. */
import type { Item } from '../facet.ts';
import type { Frame } from '../frame.ts';
import type { Reading } from '../read-prompt.ts';

const shiftItem = (item: Item, by: number): Item => ({ ...item, from: item.from + by, to: item.to + by });
const shiftFrame = (frame: Frame, by: number): Frame => {
  const shift = (items: readonly Item[]): Item[] => items.map((item) => shiftItem(item, by));
  const { clause, verb, items, whole, asides } = frame;
  return {
    ...frame,
    clause: { ...clause, items: shift(clause.items), from: clause.from + by, to: clause.to + by },
    verb: verb && { from: verb.from + by, to: verb.to + by },
    ...{ items: shift(items), whole: shift(whole), asides: shift(asides) },
  };
};

/** The later prompt behind the earlier one. */
export const joinReadings = (earlier: Reading, later: Reading): { reading: Reading; frames: Frame[] } => {
  const [size, length] = [earlier.tokens.length + 1, earlier.text.length + 1];
  const gap = {
    kind: 'break' as const,
    text: '\n',
    word: '\n',
    start: length - 1,
    end: length,
    glued: false,
    possessive: false,
  };
  const behind = later.tokens.map((token) => ({ ...token, start: token.start + length, end: token.end + length }));
  const frames = later.frames.map((frame) => shiftFrame(frame, size));
  return {
    reading: {
      ...later,
      text: `${earlier.text}\n${later.text}`,
      tokens: [...earlier.tokens, gap, ...behind],
      frames: [...earlier.frames, ...frames],
    },
    frames,
  };
};
