/** From a request whose words have roles to what is to be done. Pure. */
import type { Request } from '../request.ts';
import { ALL_WORDS, OF_EACH } from '../words/act-words.ts';
import { readTime } from '../time/read-time.ts';
import { settle } from '../time/settle.ts';
import type { Act, Action } from './actions.ts';
import { cancel } from './cancel.ts';
import { change } from './change.ts';
import { type Clause, clauseOf, clausesOf } from './clauses.ts';
import { create } from './create.ts';
import { answer, note, reflect, setting } from './keep.ts';
import { type Found, foundIn, type Known } from './known.ts';
import { type Lookup, targetsOf } from './lookup.ts';
import { move } from './move.ts';
import { hasWord } from './names.ts';
import { resize } from './resize.ts';
import { baseOf, type Talk, type Verb, VERBS } from './talk.ts';

const ALTERING = ['cancel', 'move', 'resize', 'change'] as const;
type Altering = (typeof ALTERING)[number];
const isAltering = (verb: Verb): verb is Altering => (ALTERING as readonly Verb[]).includes(verb);

/** What is to be done, and what is known from then on. */
type Learnt = { acts: Act[]; talk: Partial<Talk> };

/** The verb that the clause says. */
const verbSaid = (clause: Clause): Verb | undefined => {
  const said = VERBS.find((verb) => clause.has(verb));
  const isMoved = clause.has('target') && clause.has('shift', 'when') && !clause.has('title');
  if (isMoved && (!said || said === 'create')) return 'move';
  const isWish = said === 'ask' && clause.has('title') && clause.has('create', 'remind');
  return isWish ? (clause.has('remind') ? 'remind' : 'create') : said;
};

const isMaking = (verb: Verb | undefined): boolean => verb === 'create' || verb === 'remind' || verb === 'find';

/** What the clause wants: its own verb, what its parts imply, or that of the clause before. */
const verbOf = (clause: Clause, { verb: before }: Talk): Verb | undefined => {
  const said = verbSaid(clause);
  if (said) return said;
  if (clause.has('target') && before && isAltering(before)) return before;
  if (!clause.has('title')) return clause.has('when', 'repeat') && isMaking(before) ? before : undefined;
  return isMaking(before) && !clause.has('place') ? before : 'create';
};

/** The day that an aside names: 'the last lesson is 17 December, stop it after that'. */
const dayInAside = (clause: Clause, talk: Talk): Partial<Talk> => {
  if (!clause.has('aside') || !clause.has('old')) return {};
  const stretch = settle(readTime(clause.text('aside')), baseOf(talk)).groups.flatMap(({ days }) => days);
  const said = stretch.at(-1)?.to;
  return said ? { said, stretch } : {};
};

const altered = (verb: Altering, clause: Clause, look: Lookup, talk: Talk): Act[] => {
  if (verb === 'cancel') return cancel(look);
  if (verb === 'move') return move(clause, look.found, talk);
  return verb === 'resize' ? resize(clause, look.found, talk) : change(clause, look.found);
};

/** What was changed is spoken of: 'move choir to Thursday and plan tea right after it'. */
const spokenOf = (verb: Altering, acts: readonly Act[], found: readonly Found[], talk: Talk): Partial<Talk> => {
  const event = found[0]!;
  const moved = acts.findLast((act) => act.do === 'move');
  const resized = acts.findLast((act) => act.do === 'resize');
  const day = moved && !('from' in moved.date) ? moved.date : event.day;
  const at = typeof moved?.at === 'number' ? moved.at : event.at;
  const thing = { title: event.title, day, at, minutes: resized?.minutes ?? moved?.minutes ?? event.minutes };
  return {
    looked: found,
    said: day,
    slot: { at, ...(verb === 'cancel' && { minutes: event.minutes }) },
    made: [...talk.made, thing],
  };
};

const alter = (verb: Altering, clause: Clause, talk: Talk): Learnt => {
  const old = verb === 'cancel' ? clause.text('old', 'when', 'repeat') : clause.text('old');
  const look = targetsOf(clause, old, { ...talk, ...dayInAside(clause, talk) });
  if ('about' in look) return { acts: [{ do: 'ask', about: look.about, options: look.options }], talk: {} };
  const acts = altered(verb, clause, look, talk);
  return { acts, talk: spokenOf(verb, acts, look.found, talk) };
};

const creating = (verb: 'create' | 'remind' | 'find', clause: Clause, talk: Talk): Learnt => {
  const own = clause.all('title').join(' ');
  const title = own || (talk.title ?? '');
  const { acts, talk: learnt } = create(verb, title, clause, talk);
  return { acts, talk: { ...learnt, ...(own && { title: own }) } };
};

/** What is asked about is spoken of: 'when is the flight? and remind me the day before'. */
const asked = (clause: Clause, talk: Talk): Partial<Talk> => {
  const look = clause.has('target') ? targetsOf(clause, clause.text('old'), talk) : null;
  if (look && 'found' in look) return { looked: look.found, said: look.found[0]!.day };
  const said = settle(readTime(clause.text('when', 'old')), baseOf(talk)).groups.flatMap(({ days }) => days)[0];
  return said ? { said: said.from } : {};
};

const actsOf = (verb: Verb, clause: Clause, talk: Talk): Learnt => {
  if (verb === 'ask') return { acts: [answer(clause)], talk: asked(clause, talk) };
  if (verb === 'setting') return { acts: [setting(clause)], talk: {} };
  if (verb === 'note') return { acts: [note(clause)], talk: {} };
  if (verb === 'reflect') return { acts: [reflect(clause)], talk: {} };
  return isAltering(verb) ? alter(verb, clause, talk) : creating(verb, clause, talk);
};

/** A day that is said last, of everything, holds for what has no day of its own: 'ferry 8:15, coach 15:00, everything on the 3rd'. */
const sharedDay = (clauses: readonly Clause[]): Clause[] => {
  const last = clauses.at(-1);
  const piece = last?.pieces.findLast(({ role }) => role === 'when');
  if (!last || !piece || clauses.length < 2 || !hasWord(last.glue, ALL_WORDS)) return [...clauses];
  const hasDay = (text: string): boolean =>
    readTime(text).items.some(({ item }) => item === 'days' || item === 'stretch');
  const isDay = readTime(piece.text).items.every(({ item }) => item === 'days');
  return clauses.map((clause) =>
    clause !== last && isDay && clause.has('title') && !hasDay(clause.text('when'))
      ? clauseOf([...clause.pieces, piece])
      : clause,
  );
};

/** A length that is said last, of each, holds for those before it: 'Tuesday at 4 and Thursday at 2, 90 minutes each'. */
const sharedLength = (clauses: readonly Clause[]): Clause[] => {
  const last = clauses.at(-1);
  const piece = last?.pieces.findLast(({ role }) => role === 'dur');
  const isEach = piece !== undefined && hasWord(piece.text, OF_EACH);
  if (!last || !piece || !last.has('when') || (last.has('title') && !isEach)) return [...clauses];
  return clauses.map((clause) =>
    clause !== last && clause.has('title', 'when') && !clause.has('dur') ? clauseOf([...clause.pieces, piece]) : clause,
  );
};

/** 'Till 15 December': only when a repetition ends. */
const isEnd = (text: string): boolean => readTime(text, 'repeat').items.every(({ item }) => item === 'bound');

/** A repetition that is said last, of both or all, holds for every thing of the request. */
const sharedRepeat = (clauses: readonly Clause[]): Clause[] => {
  const last = clauses.at(-1);
  const piece = last?.pieces.findLast(({ role }) => role === 'repeat');
  if (!last || !piece || clauses.length < 2) return [...clauses];
  const isOfAll = clauses.some(({ glue }) => hasWord(glue, OF_EACH));
  const others = clauses.slice(0, -1);
  const isTimed = last.has('when') && others.every((clause) => clause.has('title') && clause.has('when'));
  const isBehindList = isTimed && (isEnd(piece.text) || others.every((clause) => !clause.has('repeat')));
  return isOfAll || isBehindList ? [...others.map(({ pieces }) => clauseOf([...pieces, piece])), last] : [...clauses];
};

const withSpans = (act: Act, clause: Clause): Action => ({
  ...act,
  spans: clause.pieces.filter(({ role }) => role !== 'glue').map(({ from, to }) => ({ from, to })),
});

const isRefused = (clause: Clause): boolean => clause.has('undo', 'refuse');

/** Whether nothing is wished for but that something is not done. */
const isRefusal = (clauses: readonly Clause[]): boolean =>
  clauses.every(
    (clause) => isRefused(clause) || (!clause.has('title', 'target', ...VERBS) && !clause.has('when', 'shift')),
  );

/** The actions of a request, in its order; at least one. */
export const act = (request: Request, known: Known): Action[] => {
  const clauses = sharedLength(sharedDay(sharedRepeat(clausesOf(request))));
  let talk: Talk = { known, found: foundIn(known), today: known.now.toPlainDate(), made: [] };
  const actions: Action[] = [];
  let before = 0;
  for (const clause of isRefusal(clauses) ? [] : clauses) {
    // what the clause before wished for is taken back
    if (clause.has('undo') && !clause.has('target')) actions.length = before;
    if (isRefused(clause)) continue;
    const verb = verbOf(clause, talk);
    before = actions.length;
    if (verb) {
      const { acts, talk: learnt } = actsOf(verb, clause, talk);
      talk = Object.assign(talk, learnt, { verb });
      const isAnswered = verb === 'ask' && actions.some((one) => one.do === 'answer');
      if (!isAnswered) actions.push(...acts.map((one) => withSpans(one, clause)));
    } else if (clause.has('when', 'shift') && clauses.length === 1)
      actions.push(withSpans({ do: 'ask', about: 'what' }, clause));
  }
  return actions.length > 0 ? actions : [{ do: 'nothing', spans: [] }];
};
