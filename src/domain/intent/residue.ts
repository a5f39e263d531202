/** The residue rule: words about time, conditions and exclusions that no reader has read are asked about, never guessed at. */
import { rawOf, type Work } from './build.ts';
import { type Item, WHEN } from './facet.ts';
import { misspeltWeekday } from './plain-words.ts';
import type { Request } from './request.ts';
import { capitalise, phraseAt, setOf, type Token, WEEKDAY_PLURALS, WEEKDAYS, wordAt } from './words.ts';

const COURTEOUS_IF =
  'if possible|if i can|if you can|if we can|if there is time|if that works|if needed|if necessary|if at all possible|if free|if you want|if you like|if it fits|if i have time';
const WONDERS = setOf(
  'what as ask asks see check know decide wonder tell out sure clarify discuss determine test verify',
);

/** Where a condition begins in these tokens: 'if it rains', 'unless it snows'. */
export const conditionAt = (tokens: readonly Token[], from: number, to: number): number | null => {
  for (let i = from; i < to; i++) {
    const word = wordAt(tokens, i);
    const isCondition = word === 'unless' || word === 'provided' || (word === 'in' && wordAt(tokens, i + 1) === 'case');
    const isIf = word === 'if' && phraseAt(tokens, i, COURTEOUS_IF) === null && !WONDERS.has(wordAt(tokens, i - 1));
    if (tokens[i]!.kind === 'word' && (isCondition || isIf) && (word !== 'provided' || i === from)) return i;
  }
  return null;
};

const EXCLUDES = 'except|except for|except on|except in|excluding|avoid|avoiding|but|but not|not|other than|apart from';
const TIME_WORDS = setOf("weekday weekdays o'clock tomorrow tonight mornings afternoons evenings");
const isWhen = (item: Item | undefined): boolean => item?.facets.some(({ kind }) => WHEN.has(kind)) ?? false;

/** What is unread at an item, in the words of the prompt, with a weekday that may be meant. */
const unreadAt = (work: Work, items: readonly Item[], i: number): { text: string; meant?: string } | null => {
  const { tokens } = work;
  const item = items[i]!;
  const { word, kind, text } = tokens[item.from]!;
  if (item.facets.length > 0 || kind === 'quote' || kind === 'tag') return null;
  const excluded = phraseAt(tokens, item.from, EXCLUDES);
  if (excluded) {
    const from = ['the', 'any'].includes(wordAt(tokens, excluded)) ? excluded + 1 : excluded;
    const next = items.find((other) => other.from === excluded || other.from === from);
    return isWhen(next) ? { text: rawOf(work, item.from, next!.to) } : null;
  }
  const meant = kind === 'word' ? misspeltWeekday(word) : undefined;
  if (meant) return { text, meant };
  const isFullDay = (WEEKDAYS.has(word) && word.endsWith('day')) || WEEKDAY_PLURALS.has(word);
  if ((isFullDay && !item.kept && !tokens[item.from]!.possessive) || TIME_WORDS.has(word)) return { text };
  const isOrdinal = kind === 'number' && ['st', 'nd', 'rd', 'th'].includes(wordAt(tokens, item.from + 1));
  if (isOrdinal && wordAt(tokens, item.from - 1) === 'the' && !hasNoun(tokens, item.from + 2))
    return { text: rawOf(work, item.from - 1, item.from + 2) };
  const isPair = kind === 'number' && tokens[item.from + 1]?.kind === 'number' && items[i + 1]?.facets.length === 0;
  return isPair ? { text: rawOf(work, item.from, item.from + 2) } : null;
};

/** 'the 28th birthday' */
const hasNoun = (tokens: readonly Token[], i: number): boolean => tokens[i]?.kind === 'word';

/** The question about what a request for time leaves unread; null where everything is read. */
export const residueOf = (work: Work, { items }: Pick<Request, 'items'>): string | null => {
  for (const i of items.keys()) {
    const unread = unreadAt(work, items, i);
    if (unread?.meant) return `“${unread.text}”: did you mean ${capitalise(unread.meant)}?`;
    if (unread) return `I could not read “${unread.text}”. When should it be?`;
  }
  return null;
};
