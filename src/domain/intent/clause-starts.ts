/** What begins a further clause within a sentence, leads to a list, or corrects what was said before in the sentence. */
import { type Item, WHEN } from './facet.ts';
import { saysFinite } from './reason.ts';
import { afterCourtesy, verbAt } from './verbs.ts';
import { phraseAt, setOf, type Token, WEEKDAYS, wordAt } from './words.ts';

/** Whether an item says when or how long. */
export const hasWhen = (item: Item): boolean =>
  !item.kept && item.facets.some(({ kind }) => WHEN.has(kind) || kind === 'duration');

/** Words that only glue: no subject of their own. */
export const GLUE = setOf('not no actually and , & then plus also but please : — – - at on in for to the a an of');

/** Who corrects themselves within a sentence: 'on Tuesday, no wait, on Wednesday'. */
const SELF =
  '(oh/ah/) no (,/) (wait/sorry/i mean/make that/actually)|wait (,/) no|or rather|i mean|i meant|scratch that|no (,/) rather';
/** 'at 2, sorry 2:15' */
const SORRY = '(no/) sorry (,/) (at/on/)';
const sorryAt = (tokens: readonly Token[], i: number): number | null => {
  const next = phraseAt(tokens, i, SORRY);
  const isTime =
    next !== null &&
    (['number', 'clock', 'date'].includes(tokens[next]?.kind ?? '') || WEEKDAYS.has(wordAt(tokens, next)));
  return isTime ? next : null;
};
/** Where words begin that correct what is said before them in the sentence, and where they end. */
export const correctionAt = (tokens: readonly Token[], i: number): number | null => {
  const said = phraseAt(tokens, i, SELF);
  if (said !== null || wordAt(tokens, i - 1) !== ',') return said;
  return wordAt(tokens, i) === 'no' && wordAt(tokens, i + 1) === ',' ? i + 2 : sorryAt(tokens, i);
};
/** What may lead to 'two things', in this order. Written out as one phrase they would be 90,000. */
const TO_THINGS = [
  '(please/can you/could you)',
  '(add/put/put in/plan/schedule/book/enter/note)',
  "(i have/i've got/we have/there are)",
  '(the/these)',
];
const THINGS =
  'both|all|all of (this/these)|(two/three/four/five/2/3/4/5/several/a few/a couple of/following/these) (things/appointments/events/items/tasks/entries/dates/meetings/bookings/errands/jobs)|the following|a few things|the rest of (today/the day/the week)';
/** 'Both on Sunday: ...', 'Add two things for Monday: ...' */
export const isLeadIn = (tokens: readonly Token[], left: readonly Item[]): boolean => {
  const [first] = left;
  if (!first) return false;
  const led = TO_THINGS.reduce((at, phrases) => phraseAt(tokens, at, phrases) ?? at, first.from);
  const things = phraseAt(tokens, first.from, THINGS) ?? phraseAt(tokens, led, THINGS);
  return (
    things !== null && left.every((item) => item.to <= things || hasWhen(item) || GLUE.has(wordAt(tokens, item.from)))
  );
};

/** 'I have to see Tom at 4 can you put that in' */
export const putsIt = (tokens: readonly Token[], { from, facets }: Item): boolean => {
  const lead = facets.length === 0 ? phraseAt(tokens, from, '(can/could/would/will) you|please') : null;
  return lead !== null && phraseAt(tokens, afterCourtesy(tokens, lead), PUTS) !== null;
};
const PUTS = '(put/add/note/write/book/schedule/enter/save/pencil) (that/this/it) (in/down/on/to/)';

/** 'Hey, my neighbour ...' */
export const afterGreeting = (tokens: readonly Token[], i: number): number => {
  const at = afterCourtesy(tokens, i);
  return wordAt(tokens, at) === ',' ? at + 1 : at;
};

const TELLS = "(it/) (now/) (leaves/departs/starts/begins) (now/) (at/)|(it's/it is) now";
const TELLS_OF_IT = 'is now|now (is/starts)|has moved to';
/** 'Dr. Weber rang, the dentist is now on Monday' */
const tellsAnew = (tokens: readonly Token[], rest: readonly Item[]): boolean => {
  const [first] = rest;
  if (!first) return false;
  if (phraseAt(tokens, first.from, TELLS) !== null) return true;
  const isNoun = /^(?:the|my|our)$/.test(wordAt(tokens, first.from));
  return isNoun && rest.slice(2, 6).some(({ from }) => phraseAt(tokens, from, TELLS_OF_IT) !== null);
};

/** Whether `rest` is a clause of its own, given what the joint leads from. */
export const opensFurther = (
  tokens: readonly Token[],
  left: readonly Item[],
  joint: readonly Item[],
  rest: readonly Item[],
): boolean => {
  const [first] = rest;
  const opening = left[0];
  if (!first || !opening) return false;
  // 'cancel yoga and put dinner there'
  const replaces =
    verbAt(tokens, afterCourtesy(tokens, opening.from))?.act === 'cancel' &&
    verbAt(tokens, afterCourtesy(tokens, first.from))?.act === 'schedule';
  // 'the car is away, so I have to walk on Friday'
  const isSo =
    joint.some(({ from }) => wordAt(tokens, from) === 'so') && saysFinite(tokens, opening.from, joint[0]!.from);
  const isTimed = left.some(hasWhen);
  const isOneMore = isTimed && phraseAt(tokens, first.from, '(one/another/another one) (with/for/about)') !== null;
  return replaces || isSo || isOneMore || (!isTimed && tellsAnew(tokens, rest));
};
