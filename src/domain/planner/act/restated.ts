/** What is said of something on the calendar as if it were new: 'team dinner at 8 rather than 7' moves it. */
import { readTime } from '../time/read-time.ts';
import { CHANGE_WORDS } from '../words/act-words.ts';
import { type Clause, clauseOf, type Piece } from './clause.ts';
import type { Found } from './known.ts';
import { hasWord, isNamed, nameWords } from './names.ts';

/** Whether words are the name of something on the calendar, and nothing more. */
const isNameOf = (words: string, { title }: Found): boolean => {
  const said = nameWords(words);
  return said.length > 0 && isNamed(said, title) && isNamed(nameWords(title), words);
};

/** 'Daily sync at 10' where something is called 'Daily sync' does not repeat. */
const asName = (clause: Clause, found: readonly Found[]): Clause => {
  const i = clause.pieces.findIndex(({ role }) => role === 'repeat');
  const [first, gap, name] = clause.pieces.slice(i, i + 3);
  if (i < 0 || !first || gap?.role !== 'glue' || gap.text.trim() !== '' || !name) return clause;
  if (name.role !== 'title' && name.role !== 'target') return clause;
  const text = first.text + gap.text + name.text;
  if (!found.some((one) => isNameOf(text, one))) return clause;
  const whole: Piece = { role: name.role, text, from: first.from, to: name.to };
  return clauseOf([...clause.pieces.slice(0, i), whole, ...clause.pieces.slice(i + 3)]);
};

const INSTEAD = /\b(?:instead of|rather than|not|no longer)\s*$/i;
const SAME = /\bsame (?:time|hour|slot)\b/i;
const isOther = ({ role, text }: Piece, before: Piece | undefined): boolean =>
  (role === 'limit' && /^\s*(?:rather than|instead of|not|no longer)\b/i.test(text)) ||
  ((role === 'when' || role === 'dur' || role === 'old') && before?.role === 'glue' && INSTEAD.test(before.text));

/** What it was until now: 'instead of Tuesday', 'rather than 7'. */
const withoutBefore = (pieces: readonly Piece[]): Piece[] =>
  pieces.map((piece, i) => (isOther(piece, pieces[i - 1]) ? { ...piece, role: 'glue' } : piece));

const CHANGING_ROLES = [
  'move',
  'cancel',
  'resize',
  'change',
  'create',
  'remind',
  'find',
  'ask',
  'note',
  'setting',
] as const;

/** A name with words that say that it is otherwise now. */
export const restated = (given: Clause, found: readonly Found[]): Clause => {
  const clause = asName(given, found);
  const name = clause.pieces.find(({ role }) => role === 'title' || role === 'target');
  if (!name || clause.has(...CHANGING_ROLES) || clause.all('title').length + clause.all('target').length !== 1)
    return clause;
  if (!found.some((one) => isNameOf(name.text, one))) return clause;
  const text = clause.pieces.map((piece) => piece.text).join('');
  const isTo = clause.pieces.some(({ role, text: own }) => role === 'glue' && /(?:^|\s)to\s*$/i.test(own));
  const isSaid =
    hasWord(clause.glue, CHANGE_WORDS) ||
    clause.pieces.some((piece, i) => isOther(piece, clause.pieces[i - 1])) ||
    SAME.test(text) ||
    isTo ||
    (clause.has('target') && clause.has('repeat', 'when'));
  if (!isSaid || !clause.has('when', 'repeat', 'dur', 'old')) return clause;
  const hasWhen = clause.has('when') || clause.has('repeat');
  const pieces = withoutBefore(clause.pieces).map((piece): Piece => {
    if (piece === name) return { ...piece, role: 'target' };
    return piece.role === 'old' && !hasWhen ? { ...piece, role: 'when' } : piece;
  });
  const own = dayOf(
    pieces,
    found.filter((one) => isNameOf(name.text, one)),
  );
  const isTimed = pieces.some(({ role, text: own }) => role === 'repeat' || (role === 'when' && !isLength(own)));
  const verb: Piece = { role: isTimed ? 'move' : 'resize', text: '', from: -1, to: -1 };
  return clauseOf([verb, ...pieces, ...own]);
};

/** 'Daily sync on Friday at 10 instead': of a series that is on that day, that occurrence is meant. */
const dayOf = (pieces: readonly Piece[], events: readonly Found[]): Piece[] => {
  const [first] = events;
  const when = pieces.find(({ role }) => role === 'when');
  if (!when || first?.target.recurrence_id === undefined) return [];
  const { items } = readTime(when.text);
  const day = items.find((item) => item.item === 'days');
  const weekday = day?.item === 'days' && day.days.of === 'weekday' ? day.days.weekday : undefined;
  const date = day?.item === 'days' && day.days.of === 'date' ? day.days.day : undefined;
  const isOn = events.some((one) => one.day.dayOfWeek === weekday || one.day.day === date);
  return isOn && items.some(({ item }) => item === 'clock') ? [{ ...when, role: 'old', from: -1, to: -1 }] : [];
};

const isLength = (text: string): boolean => readTime(text).items.every(({ item }) => item === 'length');
