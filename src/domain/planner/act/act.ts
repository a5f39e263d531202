/** From a request whose words have roles to what is to be done. Pure. */
import type { Request } from '../request.ts';
import { ALL_WORDS, CONDITION, FOR_GOOD, OF_EACH } from '../words/act-words.ts';
import { readTime } from '../time/read-time.ts';
import { settle } from '../time/settle.ts';
import type { Act, Action } from './actions.ts';
import { cancel } from './cancel.ts';
import { change } from './change.ts';
import { type Clause, clauseOf, isForGood, spansOf } from './clause.ts';
import { clausesOf } from './clauses.ts';
import { create } from './create.ts';
import { answer, note, reflect, reflectionsAt, setting } from './keep.ts';
import { type Found, foundIn, type Known } from './known.ts';
import { type Lookup, targetsOf } from './lookup.ts';
import { corrected } from './corrected.ts';
import { move } from './move.ts';
import { hasWord } from './names.ts';
import { resize } from './resize.ts';
import { baseOf, type Talk, type Verb, VERBS } from './talk.ts';

const ALTERING = ['cancel', 'move', 'resize', 'change'] as const;
type Altering = (typeof ALTERING)[number];
const isAltering = (verb: Verb): verb is Altering => (ALTERING as readonly Verb[]).includes(verb);

/** What is to be done, and what is known from then on. */
type Learnt = { acts: Act[]; talk: Partial<Talk> };

/** What is done to a target by what is said of it beside, whatever its verb is. */
const verbOfTarget = (clause: Clause, said: Verb | undefined): Verb | undefined => {
  if (!clause.has('target') || clause.has('title')) return undefined;
  const isNew = !said || said === 'create';
  if (isNew && clause.has('shift', 'when')) return 'move';
  if (clause.has('dur') && (!said || (said === 'change' && !clause.has('place', 'extra')))) return 'resize';
  return !said && clause.has('place', 'extra') ? 'change' : undefined;
};

/** The verb that the clause says. */
const verbSaid = (clause: Clause): Verb | undefined => {
  const said = VERBS.find((verb) => clause.has(verb));
  const implied = verbOfTarget(clause, said);
  if (implied) return implied;
  // 'make the dinner start at eight'
  if (said === 'resize' && clause.has('move') && clause.has('when') && !clause.has('dur')) return 'move';
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

/** 'All but the last one', where it is read as a time, leaves that one out. */
const withExceptions = ({ pieces }: Clause): Clause =>
  clauseOf(
    pieces.map((piece) =>
      piece.role === 'old' && readTime(piece.text).items[0]?.item === 'not' ? { ...piece, role: 'except' } : piece,
    ),
  );

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

const alter = (verb: Altering, given: Clause, talk: Talk): Learnt => {
  const clause = verb === 'cancel' ? withExceptions(given) : given;
  // 'from now on' is no day on which what is cancelled would be
  const old =
    verb === 'cancel' ? clause.text('old', 'when', 'repeat').replace(FOR_GOOD, '').trim() : clause.text('old');
  const look = targetsOf(clause, old, { ...talk, ...dayInAside(clause, talk) }, verb === 'cancel' && isForGood(clause));
  if ('about' in look) return { acts: [{ do: 'ask', about: look.about, options: look.options }], talk: {} };
  const acts = altered(verb, clause, look, talk);
  return { acts, talk: spokenOf(verb, acts, look.found, talk) };
};

/** Words that join the parts of a name: 'meeting [on Tuesday] about the roof'. */
const JOINING = /(?:^|[\s,])(about|for|with|to|of|re|and|regarding|concerning)\s*$/i;
const nameOf = (clause: Clause): string =>
  clause.pieces.reduce((name, { role, text }, i) => {
    if (role !== 'title') return name;
    const before = clause.pieces[i - 1];
    const [, joint] = (name && before?.role === 'glue' && JOINING.exec(before.text)) || [];
    return [name, joint, text.trim()].filter(Boolean).join(' ');
  }, '');

/** 'Lunch with Sofia on Wednesday and with Jakob on Friday'. */
const besideBefore = (name: string, { title = '' }: Talk): string => {
  const [, one, joint] = /^(?:(?:and )?(?:another |a further )?(one) )?(with|for)\s/i.exec(name) ?? [];
  if (!joint) return name;
  const at = title.toLowerCase().indexOf(` ${joint.toLowerCase()} `);
  const own = name.slice(name.toLowerCase().indexOf(joint.toLowerCase()));
  if (at > 0) return `${title.slice(0, at)} ${own}`;
  return one && title ? `${title} ${own}` : name;
};

const creating = (verb: 'create' | 'remind' | 'find', clause: Clause, talk: Talk): Learnt => {
  const own = besideBefore(nameOf(clause), talk);
  const title = own || (talk.title ?? '');
  const { acts, talk: learnt } = create(verb, title, clause, talk);
  return { acts, talk: { ...learnt, ...(own && { title: own }) } };
};

/** A reflection at a time is placed like a new thing. */
const reflecting = (clause: Clause, talk: Talk): Learnt => {
  const act = reflect(clause);
  if (!clause.has('when', 'repeat')) return { acts: [act], talk: {} };
  const { acts, talk: learnt } = create('create', act.text, clause, talk);
  return { acts: acts.flatMap((one) => reflectionsAt(act, one)), talk: learnt };
};

/** What is asked about is spoken of: 'when is the flight? and remind me the day before'. */
export const asked = (clause: Clause, talk: Talk): Partial<Talk> => {
  const look = clause.has('target', 'title') ? targetsOf(clause, clause.text('old'), talk) : null;
  if (look && 'found' in look) return { looked: look.found, said: look.found[0]!.day };
  const [group] = settle(readTime(clause.text('when', 'old')), baseOf(talk)).groups;
  const [day] = group?.days ?? [];
  if (!group || !day) return {};
  const [slot] = group.slots;
  const { after = 0, before = 1440 } = group.hours ?? {};
  const then = talk.found.filter((one) => one.day.equals(day.from) && one.at >= after && one.at < before);
  return { said: day.from, ...(slot && { slot }), ...(then.length === 1 && { looked: then }) };
};

/** A condition is not waited for. */
const conditionOf = (clause: Clause): string | undefined =>
  [...clause.all('limit'), ...clause.all('aside'), ...clause.all('title')].find((text) => CONDITION.test(text.trim()));

const actsOf = (verb: Verb, clause: Clause, talk: Talk): Learnt => {
  const condition = verb === 'ask' || verb === 'note' ? undefined : (conditionOf(clause) ?? talk.condition);
  if (condition !== undefined) return { acts: [{ do: 'ask', about: `if: ${condition}` }], talk: {} };
  if (verb === 'ask') return { acts: [answer(clause)], talk: asked(clause, talk) };
  if (verb === 'setting') return { acts: [setting(clause)], talk: {} };
  if (verb === 'note') return { acts: [note(clause)], talk: {} };
  if (verb === 'reflect') return reflecting(clause, talk);
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

/** 'From now on', which is said last, holds for every thing of one list: 'cancel guitar and choir from now on'. */
const sharedForGood = (clauses: readonly Clause[]): Clause[] => {
  const last = clauses.at(-1);
  const piece = last?.pieces.findLast(({ text }) => FOR_GOOD.test(text));
  const first = clauses.findLastIndex((clause) => clause.has('cancel'));
  if (!last || !piece || first < 0 || last.has(...VERBS)) return [...clauses];
  const isListed = (clause: Clause): boolean => clause.has('target') && !clause.has('old', 'when', 'repeat');
  return clauses.map((clause, i) =>
    i >= first && clause !== last && isListed(clause) ? clauseOf([...clause.pieces, piece]) : clause,
  );
};

const isRefused = (clause: Clause): boolean => clause.has('undo', 'refuse');

/** Whether nothing is wished for but that something is not done. */
const isRefusal = (clauses: readonly Clause[]): boolean =>
  clauses.every(
    (clause) => isRefused(clause) || (!clause.has('title', 'target', ...VERBS) && !clause.has('when', 'shift')),
  );

/** The clauses of a request, with what holds for several of them. */
export const clausesFor = (request: Request, known: Known, isFirst = true): Clause[] =>
  sharedForGood(sharedLength(sharedDay(sharedRepeat(corrected(clausesOf(request), foundIn(known), isFirst)))));

/** A clause that wants nothing: a condition, or a time that was spoken of; alone, it lacks what it is the time of. */
const withoutVerb = (clause: Clause, talk: Talk, isOnly: boolean): Learnt => {
  const condition = conditionOf(clause);
  const acts: Act[] = isOnly && clause.has('when', 'shift') ? [{ do: 'ask', about: 'what' }] : [];
  const spoken = !isOnly && clause.has('when') ? asked(clause, { ...talk, looked: [] }) : {};
  return { acts, talk: { ...spoken, ...(condition !== undefined && { condition }) } };
};

/** What clauses ask for, in their order; at least one action. `spoken` is what was spoken of before them. */
export const actOn = (clauses: readonly Clause[], known: Known, spoken: Partial<Talk> = {}): Action[] => {
  const talk: Talk = { known, found: foundIn(known), today: known.now.toPlainDate(), made: [], ...spoken };
  const actions: Action[] = [];
  let before = 0;
  let isAsked = false;
  for (const clause of isRefusal(clauses) ? [] : clauses) {
    // what the clause before wished for is taken back
    if (clause.has('undo') && !clause.has('target')) actions.length = before;
    if (isRefused(clause)) continue;
    const verb = verbOf(clause, talk);
    const isNextQuestion = isAsked;
    isAsked = clause.has('ask') && clause.pieces.at(-1)!.text.includes('?');
    before = actions.length;
    const { acts, talk: learnt } = verb ? actsOf(verb, clause, talk) : withoutVerb(clause, talk, clauses.length === 1);
    Object.assign(talk, learnt, verb && { verb });
    const isAnswered = verb === 'ask' && actions.some((one) => one.do === 'answer') && !isNextQuestion;
    if (!isAnswered) actions.push(...acts.map((one): Action => ({ ...one, spans: spansOf(clause) })));
  }
  return actions.length > 0 ? actions : [{ do: 'nothing', spans: [] }];
};

/** The actions of a request, in its order; at least one. */
export const act = (request: Request, known: Known): Action[] => actOn(clausesFor(request, known), known);
