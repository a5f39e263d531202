/** What was said of a thing, and what a later turn says of it: which of the earlier words still hold. */
import type { Piece } from '../act/clause.ts';
import { isPointing } from '../act/names.ts';
import { weekdaysOf } from '../act/repeat.ts';
import { readTime } from '../time/read-time.ts';
import type { Item } from '../time/types.ts';

type Kind = 'day' | 'hour';
const DAYS: ReadonlySet<Item['item']> = new Set<Item['item']>(['days', 'ahead', 'every', 'bound', 'stretch']);
const HOURS: ReadonlySet<Item['item']> = new Set<Item['item']>(['clock', 'hours', 'part']);

/** Whether words of time say a day, an hour, or both. */
const kindsOf = (text: string): Set<Kind> => {
  const kinds = new Set<Kind>();
  for (const { item } of readTime(text).items) {
    if (DAYS.has(item)) kinds.add('day');
    if (HOURS.has(item)) kinds.add('hour');
  }
  return kinds;
};

const isOnly = (text: string, kind: Kind): boolean => {
  const kinds = kindsOf(text);
  return kinds.size === 1 && kinds.has(kind) && readTime(text).unread.length === 0;
};

/** The part of a time that says its day, or its hour: 'tomorrow at 3' has both. Empty where it cannot be cut. */
const partOf = (text: string, kind: Kind): string => {
  if (!kindsOf(text).has(kind)) return '';
  if (isOnly(text, kind)) return text;
  const other: Kind = kind === 'day' ? 'hour' : 'day';
  for (const { index } of text.matchAll(/\s+/g)) {
    const [first, second] = [text.slice(0, index), text.slice(index)];
    if (isOnly(first, kind) && isOnly(second, other)) return first;
    if (isOnly(second, kind) && isOnly(first, other)) return second;
  }
  return '';
};

/** A time of before without what the new one says. */
const keptTime = (piece: Piece, said: ReadonlySet<Kind>): Piece[] => {
  if (said.size === 0) return [piece];
  if (said.size === 2) return [];
  const text = partOf(piece.text, said.has('day') ? 'hour' : 'day');
  return text ? [{ ...piece, text }] : [];
};

/** A later one replaces an earlier one of these. */
const SINGLE: ReadonlySet<Piece['role']> = new Set<Piece['role']>(['dur', 'count', 'place', 'rel']);
const GONE: ReadonlySet<Piece['role']> = new Set<Piece['role']>(['void', 'aside', 'polite', 'join', 'agree', 'undo']);

const isRule = (text: string): boolean =>
  readTime(text, 'repeat').items.some(
    (item) => item.item === 'every' || (item.item === 'days' && weekdaysOf(item.days) !== null),
  );

/**
 * The pieces of a thing after a further turn. Those of before have no place in the text of the turn. `isMore`: the turn adds days to
 * those of before.
 */
export const layered = (
  before: readonly Piece[],
  said: readonly Piece[],
  { isOpen = false, isMore = false } = {},
): Piece[] => {
  const now = said.filter(({ role, text }) => role !== 'target' || !isPointing(text));
  const has = (role: Piece['role']): boolean => now.some((one) => one.role === role);
  const times = now.filter(({ role }) => role === 'when').map(({ text }) => text);
  const kinds = isMore ? new Set<Kind>() : kindsOf(times.join(' ; '));
  const isNewRule = now.some(({ role, text }) => role === 'repeat' && isRule(text));
  const isReplaced = ({ role, text }: Piece): boolean => {
    if (role === 'title' || role === 'target') return has(role) && !isOpen;
    if (role === 'repeat') return isNewRule && !isMore && isRule(text);
    return SINGLE.has(role) && has(role);
  };
  const kept = before
    .filter((piece) => piece.role !== 'glue' && !GONE.has(piece.role) && !isReplaced(piece))
    .flatMap((piece) => (piece.role === 'when' ? keptTime(piece, kinds) : [piece]));
  const gap: Piece = { role: 'glue', text: ' ; ', from: -1, to: -1 };
  return [
    ...kept.flatMap((piece) => [{ ...piece, from: -1, to: -1 }, gap]),
    ...now.filter(({ role }) => !GONE.has(role)),
  ];
};
