/** Whether a clause of a turn goes on about what was spoken of last. */
import { type Clause, clauseOf } from '../act/clause.ts';
import { hasWord, isPointing, wordsOf } from '../act/names.ts';
import { readTime } from '../time/read-time.ts';
import { ALL_WORDS, MEANING, RENAMING, STAYING } from '../words/act-words.ts';
import { ALTERING, had, isOtherTarget, type Item } from './item.ts';
import { isBeside } from './renamed.ts';

/** A name alone: the one that was missing, or a better one. */
const isName = (clause: Clause, last: Item): boolean => {
  if (clause.has('target', 'ask', 'note', 'setting', 'find', 'remind', 'when', 'repeat', 'rel')) return false;
  if (last.plans.length === 0) return !clause.has('create') || !had(last, 'title');
  return clause.has('change', 'void') || hasWord(clause.glue, RENAMING);
};

const LONGEST_MEANING = 10;
/** 'Sorry, I meant Saturday': a time within what is said beside. */
export const inAside = (clause: Clause): Clause => {
  const text = clause.text('aside');
  const isSo =
    text !== '' &&
    !clause.has('title', 'target', 'when', 'repeat', 'ask', 'create', 'note', ...ALTERING) &&
    wordsOf(text).length < LONGEST_MEANING &&
    hasWord(text, MEANING) &&
    !hasWord(text, STAYING) &&
    readTime(text).items.some(({ item }) => item === 'days' || item === 'clock' || item === 'hours');
  return isSo
    ? clauseOf(clause.pieces.map((piece) => (piece.role === 'aside' ? { ...piece, role: 'when' } : piece)))
    : clause;
};

/** Roles of words that say more of a thing, and name none. */
const MORE = [
  ...(['when', 'shift', 'rel', 'old', 'dur', 'limit', 'repeat', 'except'] as const),
  ...(['count', 'place', 'extra', 'undo', 'cancel'] as const),
];

/** 'Move everything on Wednesday' is about a day, and not about what was spoken of. */
const isOfDay = (clause: Clause): boolean =>
  clause.has('old') && clause.has('target', ...ALTERING) && hasWord(clause.text('target'), ALL_WORDS);

/** Behind a question, which is only spoken of. */
const goesOnAsked = (clause: Clause): boolean =>
  clause.has('when', 'old') && !clause.has('title', 'target', 'create', 'remind', 'find', ...ALTERING);

/** Whether the names in a clause are those of the last thing, or point to it. */
const isSameName = (clause: Clause, last: Item): boolean => {
  const isOpen = last.plans.length === 0;
  if (clause.has('title'))
    return isName(clause, last) || (isOpen && !had(last, 'title', 'target') && !clause.has('target'));
  return clause.all('target').every(isPointing) || (isOpen && had(last, 'target') && !clause.has(...ALTERING));
};

/** Whether a clause goes on about the last thing: it names nothing new and nothing else. */
export const goesOn = (clause: Clause, last: Item): boolean => {
  if (clause.has('ask', 'setting', 'note', 'reflect')) return false;
  if (had(last, 'ask')) return goesOnAsked(clause);
  if (isOtherTarget(clause, last) || (last.plans.length > 0 && isBeside(clause))) return true;
  if (isOfDay(clause)) return false;
  return clause.has('title', 'target') ? isSameName(clause, last) : clause.has(...MORE);
};
