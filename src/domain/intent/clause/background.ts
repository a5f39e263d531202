/** Background: what a prompt that asks for something says beside its requests. It gives them days and times, and is no plan. */
import { facetsOf, type Frame } from '../frame.ts';
import { phraseAt, setOf, type Token, wordAt } from '../words.ts';
import { ADVERBS, FINITE, PERSONS, REFUSING, SHORT_SUBJECT, WEAK_FINITE } from '../words/speech.ts';
import { BESIDE, LETTER_LINES, OWN_OBJECTS } from '../words/letters.ts';
import { takesOf } from '../verbs.ts';
import { tells } from './kind.ts';

const WISH = /\b(?:want|need|like|love|use|need to)$/i;
const SETS = new Set(['clock', 'hours', 'instant', 'duration', 'every', 'count', 'whole', 'shift']);
const sets = (frame: Frame, kinds: ReadonlySet<string> = SETS): boolean =>
  facetsOf(frame.items).some(({ kind }) => kinds.has(kind));
const CLOCKS = new Set(['clock', 'hours', 'instant']);

/** Whether it opens with a verb that asks, and not behind what it is about. */
export const asks = ({ kind, act, lead, verb, items }: Frame): boolean =>
  verb !== null &&
  act !== null &&
  act !== 'have' &&
  act !== 'be' &&
  act !== 'refuse' &&
  (kind === 'request' || kind === 'question') &&
  !WISH.test(lead) &&
  !items.some(({ from, facets }) => facets.length === 0 && from < verb.from);

/** Whether somebody does something in these words, wherever the sentence begins: 'for the trip I want to be early'. */
const speaks = (tokens: readonly Token[], { from, to }: Frame['clause']): boolean => {
  for (let i = from; i < to; i++) {
    const word = wordAt(tokens, i);
    if (SHORT_SUBJECT.test(word)) return true;
    if (!PERSONS.has(word)) continue;
    let at = i + 1;
    while (ADVERBS.has(wordAt(tokens, at))) at++;
    if (FINITE.has(wordAt(tokens, at)) || WEAK_FINITE.has(wordAt(tokens, at))) return true;
  }
  return false;
};

/** 'We will need that': a wish for what was said, at no time. */
const wishesNothing = (tokens: readonly Token[], frame: Frame): boolean =>
  WISH.test(frame.lead) && !sets(frame) && OWN_OBJECTS.has(wordAt(tokens, frame.items[frame.before]?.from ?? -1));

const isSentence = (tokens: readonly Token[], frame: Frame): boolean => {
  const { clause, act } = frame;
  const says = tells(tokens, clause.items, clause.from, clause.to) || speaks(tokens, clause);
  if (act === null) return says;
  if (act === 'have' || act === 'be') return says && !sets(frame);
  return takesOf(act) === 'target' && frame.verb !== null && !asks(frame) && says && !WISH.test(frame.lead);
};

const EMPTY_OPENINGS = setOf('and or but so');
/** 'arrives at 9:05', 'for an hour': goes on from what was reported in the same sentence. */
const goesOn = (tokens: readonly Token[], { clause, act, items }: Frame): boolean =>
  clause.joined &&
  (act === null || act === 'be') &&
  (items.every(({ facets }) => facets.length > 0) ||
    FINITE.has(wordAt(tokens, clause.from)) ||
    EMPTY_OPENINGS.has(wordAt(tokens, clause.from)));

/** 'I have no objection', 'don't worry': denies something that is no planning. */
const deniesElse = (tokens: readonly Token[], { kind, act, clause, items }: Frame): boolean =>
  kind === 'refusal' &&
  (act === 'have' || act === 'refuse' || act === null) &&
  facetsOf(items).length === 0 &&
  !tokens.slice(clause.from, clause.to).some((_, i) => phraseAt(tokens, clause.from + i, REFUSING) !== null);

/** A line of a letter or of its head, which asks nothing of the planner. */
const isLetterLine = (tokens: readonly Token[], { from }: Frame['clause']): boolean =>
  (from === 0 || tokens[from - 1]?.kind === 'break' || wordAt(tokens, from - 1) === '-') &&
  (wordAt(tokens, from) === '>' || phraseAt(tokens, from, LETTER_LINES) !== null);

/** 'I would like half an hour with Tom. Please put in "Review" on Friday': the wish, and then what fulfils it. */
const isFulfilled = (tokens: readonly Token[], frame: Frame, next: Frame | undefined): boolean =>
  WISH.test(frame.lead) &&
  !sets(frame, CLOCKS) &&
  next !== undefined &&
  !next.clause.joined &&
  next.act === 'schedule' &&
  asks(next) &&
  facetsOf(next.items).some(({ kind }) => kind === 'days' || kind === 'every' || CLOCKS.has(kind)) &&
  next.items.some(({ from }) => tokens[from]?.kind === 'quote');

/** What a letter below a request says is not asked of the planner, and a request that names no time may mean any of its times. */
const withoutLetter = (tokens: readonly Token[], frames: readonly Frame[]): Frame[] => {
  const head = frames.findIndex(({ clause }) => isLetterLine(tokens, clause));
  if (head < 1 || !frames.slice(0, head).some(asks)) return [...frames];
  return frames.map((frame, i): Frame => {
    if (i >= head) return { ...frame, kind: 'aside', act: null };
    const isOpen =
      asks(frame) && frame.act === 'schedule' && facetsOf(frame.items).every(({ kind }) => kind === 'duration');
    return isOpen ? { ...frame, isUnsure: true } : frame;
  });
};

/** The frames with what only is beside the requests as asides. */
export const withBackground = (tokens: readonly Token[], frames: readonly Frame[]): Frame[] => {
  if (!frames.some(asks)) return [...frames];
  const made: Frame[] = [];
  for (const [i, frame] of frames.entries()) {
    const before = made.at(-1);
    const isCalled = frame.kind === 'request' && !asks(frame);
    const follows = before?.kind === 'aside' && before.act === null && goesOn(tokens, frame);
    const isBeside =
      isLetterLine(tokens, frame.clause) ||
      deniesElse(tokens, frame) ||
      (frame.kind === 'condition' && phraseAt(tokens, frame.clause.from, BESIDE) !== null) ||
      (isCalled &&
        (isFulfilled(tokens, frame, frames[i + 1]) ||
          follows ||
          wishesNothing(tokens, frame) ||
          (isSentence(tokens, frame) && !isNews(frame))));
    made.push(isBeside ? { ...frame, kind: 'aside', act: null } : frame);
  }
  return withoutLetter(tokens, made);
};

/** 'On Friday we meet at 3' may be something to plan: it names a day and an hour. */
const isNews = (frame: Frame): boolean => {
  const kinds = facetsOf(frame.items).map(({ kind }) => kind);
  return frame.act === null && kinds.includes('days') && kinds.some((kind) => CLOCKS.has(kind)) && !frame.clause.joined;
};
