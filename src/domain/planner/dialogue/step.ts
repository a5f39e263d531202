/** What a clause that goes on about the last thing adds to it, replaces, narrows or takes back. */
import { actOn } from '../act/act.ts';
import type { Action, Target } from '../act/actions.ts';
import { type Clause, clauseOf, type Piece, spansOf } from '../act/clause.ts';
import { change } from '../act/change.ts';
import { type Found, foundIn, type Known } from '../act/known.ts';
import { lengthOf } from '../act/length.ts';
import { keepsEnd, move } from '../act/move.ts';
import { hasWord, isPointing, wordsOf } from '../act/names.ts';
import { resize } from '../act/resize.ts';
import { baseOf, type Talk } from '../act/talk.ts';
import { readTime } from '../time/read-time.ts';
import { settle } from '../time/settle.ts';
import { compareDays } from '../time/settle-days.ts';
import { FURTHER, ORDINALS, STAYING } from '../words/act-words.ts';
import { had, isOtherTarget, type Item, spokenOf, type Step, waitingOf } from './item.ts';
import { layered } from './layered.ts';
import { renaming } from './renamed.ts';

const WHOLE_DAY = 1440;

/** What a clause changes about proposals that wait. */
const changesOf = (clause: Clause, found: readonly Found[], talk: Talk): Action[] => {
  const spans = spansOf(clause);
  const acts = [
    ...(clause.has('when', 'shift', 'rel', 'old') || isHour(clause.text('dur'))
      ? move(asGoal(clause), found, talk)
      : clause.has('dur')
        ? resize(clause, found, talk)
        : []),
    ...(clause.has('title', 'place', 'extra') ? change(clause, found) : []),
  ];
  return acts.map((act): Action => ({ ...act, spans }));
};

/** A small number alone is an hour: 'make it 5'. */
const isHour = (text: string): boolean => {
  const [item, ...more] = readTime(text, 'length').items;
  return item?.item === 'number' && more.length === 0 && item.n <= 12 && !item.way;
};

/** A time that would say which one says when, where there is no doubt which one is meant. */
const asGoal = (clause: Clause): Clause => {
  if (clause.has('when')) return clause;
  const isGoal = ({ role, text }: Piece): boolean => role === 'old' || (role === 'dur' && isHour(text));
  return clauseOf(clause.pieces.map((piece) => (isGoal(piece) ? { ...piece, role: 'when' } : piece)));
};

const cancelling = (targets: readonly Target[], clause: Clause): Action[] =>
  targets.map((target): Action => ({ do: 'cancel', target, spans: spansOf(clause) }));

const ALTERED = ['title', 'target', 'when', 'shift', 'dur', 'place'] as const;
/** Whether only what was said before is taken back. */
const isTakingBack = (clause: Clause): boolean =>
  clause.has('cancel', 'undo') && (!clause.has(...ALTERED) || clause.all('target').every(isPointing));

/** A new thing that is not proposed is made, however it is changed. */
const asNew = (clause: Clause, last: Item): Clause =>
  had(last, 'title') && !had(last, 'target') && clause.has('move', 'resize', 'change')
    ? clauseOf(clause.pieces.filter(({ role }) => role !== 'move' && role !== 'resize' && role !== 'change'))
    : clause;

/** Those of the last proposals that are meant: 'the second', 'Wednesday's'. */
const meantOf = (clause: Clause, found: readonly Found[], talk: Talk): Found[] => {
  const nth = clause
    .all('target')
    .flatMap(wordsOf)
    .map((word) => ORDINALS.get(word))
    .find((n) => n !== undefined);
  const one = nth === undefined ? undefined : found.at(nth);
  if (one && found.length > 1) return [one];
  const old = clause.has('when', 'shift') || clause.has('cancel', 'undo') ? clause.text('old') : '';
  if (!old) return [...found];
  const days = settle(readTime(old), baseOf(talk)).groups.flatMap((group) => group.days);
  const on = found.filter(({ day }) =>
    days.some(({ from, to }) => compareDays(day, from) >= 0 && compareDays(day, to) <= 0),
  );
  return on.length > 0 ? on : [...found];
};

/** The last thing stays as it is, and something is said about it. */
const staying = (clause: Clause, last: Item, about: string): Step => ({
  actions: [{ do: 'ask', about, spans: spansOf(clause) }],
  ...{ pieces: last.pieces, isSame: true, replaces: [] },
});

/** 'Keep it': what waits goes on waiting. 'Leave it' of an event that was to be changed takes the change back. */
const isKeeping = (clause: Clause, last: Item): boolean =>
  hasWord(clause.text('undo'), STAYING) &&
  !clause.has('cancel', 'title', 'when', 'shift', 'dur', 'place') &&
  !had(last, 'cancel', 'target');

/** A turn about what waits: the clause, the last thing, what there is of it, and what is said in all. */
type Going = {
  clause: Clause;
  last: Item;
  found: readonly Found[];
  /** The proposals that wait. */
  plans: readonly string[];
  talk: Talk;
  pieces: readonly Piece[];
  isFurther: boolean;
  /** Acts again on all that is said. */
  again: (replaces: readonly string[], isSame?: boolean) => Step;
};

const takenBack = ({ clause, last, found, plans, talk }: Going): Step => {
  const meant = meantOf(clause, found, talk).map(({ target }) => target);
  const waiting = plans.map((uid): Target => ({ uid, isPending: true }));
  const actions = cancelling(found.length > 0 ? meant : waiting, clause);
  return { actions, pieces: actions.length < last.plans.length ? last.pieces : [], isSame: true, replaces: [] };
};

/** Whether all that is said has to be acted on again: how often, which days, or whole days. */
const isRemade = ({ clause, last, found }: Going): boolean => {
  if (clause.has('limit') && keepsEnd(clause)) return false;
  if (clause.has('limit', 'repeat', 'except', 'count') || found.length < last.plans.length) return true;
  if (clause.has('dur') && lengthOf(clause.text('dur')).days !== undefined) return true;
  if (found.some(({ minutes }) => minutes % WHOLE_DAY === 0) && clause.has('when', 'dur')) return true;
  return had(last, 'repeat') && readTime(clause.text('when')).items.some(({ item }) => item === 'bound');
};

const changed = ({ clause, found, talk, pieces }: Going): Step => {
  const meant = meantOf(clause, found, talk);
  const clauses = clause.has('title') ? renaming(clause, meant) : [clause];
  const actions = clauses.flatMap((one, i) => changesOf(one, clause.has('title') ? [meant[i]!] : meant, talk));
  return { actions, pieces, isSame: true, replaces: [] };
};

/** A turn about proposals, or about the events that they became. */
const ofProposed = (going: Going): Step => {
  const { clause, last, found, plans, again, isFurther } = going;
  if (found.length > 0 && isKeeping(clause, last)) return staying(clause, last, `waits: ${found[0]!.title}`);
  if (isOtherTarget(clause, last)) return again(plans);
  const isTakenBack = clause.has('cancel') || (clause.has('undo') && !clause.has('when', 'shift', 'dur', 'place'));
  if (isTakenBack) return takenBack(going);
  const isTimed = clause.has('when', 'old');
  if (isFurther && isTimed) return again([], false);
  if (had(last, 'cancel') && isTimed) return again(plans);
  return isRemade(going) ? again(plans) : changed(going);
};

const talkAbout = (found: readonly Found[], known: Known): Talk => {
  const [thing] = found;
  return {
    ...{ known, found: foundIn(known), today: known.now.toPlainDate(), made: [], looked: found },
    ...(thing && { said: thing.day, slot: { at: thing.at, minutes: thing.minutes } }),
  };
};

export const stepOf = (said: Clause, last: Item, known: Known): Step => {
  const isOpen = last.plans.length === 0;
  const clause = isOpen ? asNew(said, last) : said;
  const plans = waitingOf(last, known);
  const isFurther = hasWord(`${clause.glue} ${clause.text('target')}`, FURTHER);
  // further days of a repetition
  const isMore = isFurther && had(last, 'repeat') && !clause.has('target');
  // what was to be cancelled is changed instead
  const isInstead = had(last, 'cancel') && clause.has('move', 'resize', 'change') && !clause.has('cancel');
  const before = isInstead ? last.pieces.filter(({ role }) => role !== 'cancel') : last.pieces;
  const goal = had(last, 'cancel') ? clause : asGoal(clause);
  const pieces = layered(before, goal.pieces, { isOpen, isMore });
  const found = spokenOf(last, known);
  const talk = talkAbout(found, known);
  const again = (replaces: readonly string[], isSame = true): Step => ({
    actions: actOn([clauseOf(pieces)], known, talk.said ? { said: talk.said, slot: talk.slot! } : {}),
    ...{ pieces, isSame, replaces },
  });
  const title = last.pieces.find(({ role }) => role === 'title')?.text;
  if (isOpen && title && isTakingBack(clause)) return staying(clause, last, `not proposed: ${title.trim()}`);
  return isOpen || isInstead || isMore
    ? again(plans)
    : ofProposed({ clause, last, found, plans, talk, pieces, isFurther, again });
};
