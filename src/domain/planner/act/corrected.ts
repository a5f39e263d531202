/** Roles that what is on the calendar contradicts: a name that nothing has is that of something new. */
import {
  ABSENT,
  CHANGING,
  DOING,
  PAIRING,
  PARTICLES,
  PLACING,
  PLANNING,
  REPORTING,
  POINTING,
  SWAP_WORDS,
  TO_DO,
  WISHING,
} from '../words/act-words.ts';
import { anew } from './anew.ts';
import { type Clause, clauseOf, type Piece } from './clause.ts';
import { cutAt, recut } from './recut.ts';
import { restated } from './restated.ts';
import { asOneName } from './stretches.ts';
import type { Found } from './known.ts';
import { timesSaid } from './length.ts';
import { fitting, hasWord, isNearly, isPointing, nameWords, wordsOf } from './names.ts';

type Role = Piece['role'];

const as = (role: Role, piece: Piece): Piece => ({ ...piece, role });

/** Whether something on the calendar has any word of a name. */
const isOnCalendar = (text: string, found: readonly Found[]): boolean => {
  const words = nameWords(text).filter((word) => !POINTING.has(word));
  return words.length === 0 || found.some(({ title, about = '' }) => fitting(words, `${title} ${about}`) > 0);
};

const ALTERING = ['move', 'cancel', 'resize', 'change'] as const;

/** 'There' is when was spoken of. */
const THERE = /(?<!\s)\s*\b(?:there|then)\s*$/i;
const thereOf = (clause: Clause): Clause => {
  if (clause.has('when', 'old', 'rel', 'repeat')) return clause;
  const i = clause.pieces.findIndex(({ role, text }) => (role === 'target' || role === 'title') && THERE.test(text));
  const last = clause.pieces.at(-1);
  const same: Piece = { role: 'when', text: 'same time', from: -1, to: -1 };
  if (i >= 0) {
    const piece = clause.pieces[i]!;
    const [name] = cutAt(piece, [piece.role, 'when'], THERE.exec(piece.text)!.index);
    return clauseOf([...clause.pieces.slice(0, i), name, same, ...clause.pieces.slice(i + 1)]);
  }
  return last?.role === 'glue' && /^\s*(?:there|then)\W*$/i.test(last.text)
    ? clauseOf([...clause.pieces.slice(0, -1), same])
    : clause;
};

/** Whether a change is said that only something on the calendar can have: a verb of calendars, or where it goes. */
const isChange = (clause: Clause): boolean => {
  const verb = clause.text(...ALTERING);
  if (verb === '' || !hasWord(verb, CHANGING)) return false;
  const isTo = clause.pieces.some(
    ({ role, text }, i) =>
      (role === 'glue' && /(?:^|\s)(?:to|until|till|by)\s*$/i.test(text) && clause.pieces[i + 1]?.role === 'when') ||
      (role === 'when' && /^\s*(?:to|until)\s/i.test(text)),
  );
  return isTo || clause.has('shift') || !wordsOf(verb).every((word) => !CHANGING.has(word) || DOING.has(word));
};

/**
 * 'The coach goes at six' says when something new is; 'clean out the fridge' and 'change the bed sheets' are things to do, whose verb is
 * ahead of what they are done to.
 */
const newThing = (given: Clause, found: readonly Found[]): Clause => {
  const clause = given.has('target') ? thereOf(given) : given;
  const names = clause.all('target');
  const isTimed = clause.has('when', 'repeat', 'old', 'limit', 'rel');
  const isToDo = hasWord(clause.text(...ALTERING), TO_DO) && !clause.has('title', 'dur', 'shift', 'extra', 'place');
  if (names.length === 0 || !(isTimed || isToDo) || clause.has('ask') || isChange(clause)) return given;
  if (names.some((name) => isPointing(name) || isOnCalendar(name, found))) return given;
  const first = clause.pieces.findIndex(({ role }) => role === 'target');
  const pieces = clause.pieces.map((piece, i): Piece => {
    if (piece.role === 'target') return as('title', piece);
    if (piece.role === 'old') return as('when', piece);
    const isVerb = (ALTERING as readonly string[]).includes(piece.role);
    if (!isVerb) return piece;
    const isName = i < first && !wordsOf(piece.text).every((word) => PLACING.has(word));
    return as(isName ? 'title' : 'glue', piece);
  });
  return clauseOf(asOneName(pieces));
};

/** 'It should take 50 minutes' says how long the new thing is. */
const lengthOfNew = (clause: Clause): Clause => {
  const isNew = clause.has('title', 'create', 'remind') && clause.has('resize') && clause.has('dur');
  return isNew && !clause.has('target')
    ? clauseOf(clause.pieces.map((piece) => (piece.role === 'resize' ? as('glue', piece) : piece)))
    : clause;
};

/** 'Call it birthday lunch': what is behind 'it' is the name. */
const IT = /^\s*(?:it|this|that)\s+(?=\S)/i;
const nameBehindIt = (clause: Clause): Clause => {
  const piece = clause.pieces.find(({ role, text }) => role === 'target' && IT.test(text));
  if (!piece || !clause.has('change') || clause.has('title')) return clause;
  const at = IT.exec(piece.text)![0].length;
  return clauseOf(clause.pieces.flatMap((one) => (one === piece ? cutAt(one, ['target', 'title'], at) : [one])));
};

/** 'Rename the kickoff to Apollo': the second name is the new one. */
const newName = (clause: Clause, found: readonly Found[]): Clause => {
  const targets = clause.pieces.filter(({ role }) => role === 'target');
  const [first, second] = targets;
  const isRenamed = clause.has('change') && !clause.has('title') && targets.length === 2;
  if (!isRenamed || !first || !second || hasWord(clause.text('change'), SWAP_WORDS)) return clause;
  if (!isOnCalendar(first.text, found) || nameWords(first.text).length === 0) return clause;
  return clauseOf(clause.pieces.map((piece) => (piece === second ? as('title', piece) : piece)));
};

/** 'Three runs' says how often, and what. */
const counted = (clause: Clause): Clause => {
  if (clause.has('title', 'target', 'ask', 'find')) return clause;
  const piece = clause.pieces.find(({ role }) => role === 'count');
  const first = piece && /^\s*\S+\s+(?=\S)/.exec(piece.text)?.[0];
  const isNamed =
    first !== undefined && timesSaid(first) !== undefined && timesSaid(piece!.text.slice(first.length)) === undefined;
  return isNamed && !/^times\b/i.test(piece!.text.slice(first.length))
    ? clauseOf(clause.pieces.flatMap((one) => (one === piece ? cutAt(one, ['count', 'title'], first.length) : [one])))
    : clause;
};

/** The name in 'I must go to the office', 'there is the meeting': what is behind the words of a wish. */
const behindWish = (piece: Piece): Piece[] => {
  const words = [...piece.text.matchAll(/[\p{L}\p{N}'’]+/gu)];
  const first = words.find(({ 0: word }) => !WISHING.has(word.toLowerCase().replace('’', "'")));
  if (!first) return [piece];
  const at = piece.from + first.index;
  return [
    { role: 'glue', text: piece.text.slice(0, first.index), from: piece.from, to: at },
    { role: 'title', text: piece.text.slice(first.index), from: at, to: piece.to },
  ];
};

/** 'Put the bins out'. */
const isWithParticle = (words: readonly string[], name: string): boolean =>
  words.length === 1 && PLANNING.has(words[0]!) && PARTICLES.has(wordsOf(name).at(-1) ?? '');

const verbIn = (verb: Piece, name: string): Piece[] => {
  const last = /(?<!\S)\S+\s*$/.exec(verb.text);
  return last && isWithParticle(wordsOf(last[0]), name) ? cutAt(verb, ['glue', 'title'], last.index) : behindWish(verb);
};

/** 'Fix the bike light': a verb that says more than that it is planned is part of the name. */
const doing = (clause: Clause): Clause => {
  const i = clause.pieces.findIndex(({ role }) => role === 'create');
  const verb = clause.pieces[i];
  const next = clause.pieces.slice(i + 1).find(({ role, text }) => role !== 'glue' || text.trim() !== '');
  if (!verb || next?.role !== 'title' || clause.has('target', 'move', 'change')) return clause;
  const [glue, own] = verbIn(verb, next.text);
  if (!own) return clause;
  const words = wordsOf(own.text);
  const isDone = words.every((word) => DOING.has(word)) || isWithParticle(words, next.text);
  if (!isDone && words.some((word) => isNearly(word, PLANNING))) return clause;
  const before = clause.pieces.slice(0, i);
  const to = clause.pieces.indexOf(next);
  const name: Piece = {
    role: 'title',
    text: clause.pieces
      .slice(i, to + 1)
      .map(({ text }) => text)
      .join('')
      .slice(own.from - verb.from),
    from: own.from,
    to: next.to,
  };
  return clauseOf([...before, { ...glue!, role: 'create' }, name, ...clause.pieces.slice(to + 1)]);
};

/** 'Stretch for 10 minutes every weekday': a verb without anything that it changes is what is done. */
const verbAsName = (clause: Clause): Clause => {
  if (clause.has('title', 'target', 'ask', 'shift', 'create', 'remind') || !clause.has('repeat')) return clause;
  const verb = clause.pieces.find(({ role }) => (ALTERING as readonly string[]).includes(role));
  const isName = verb && wordsOf(verb.text).every((word) => DOING.has(word));
  return isName ? clauseOf(clause.pieces.map((piece) => (piece === verb ? as('title', piece) : piece))) : clause;
};

/** A time with words that have no better role: they are the name. */
const named = (clause: Clause, isFirst: boolean): Clause => {
  const others = ['title', 'target', 'ask', 'find', 'setting', 'note', 'reflect', 'undo', 'refuse', 'agree'] as const;
  if (clause.has(...others, ...ALTERING) || !clause.has('when', 'repeat')) return clause;
  const role = clause.has('create', 'remind') ? 'create' : isFirst ? 'aside' : undefined;
  const piece = clause.pieces.find((one) => one.role === role || (role === 'create' && one.role === 'remind'));
  return piece ? clauseOf(clause.pieces.flatMap((one) => (one === piece ? behindWish(one) : [one]))) : clause;
};

/** 'Swap the haircut and the lesson': both are of one clause, whatever joins them. */
const swapping = (clauses: readonly Clause[]): Clause[] =>
  clauses.reduce<Clause[]>((all, clause) => {
    const before = all.at(-1);
    const isPartner =
      before !== undefined &&
      hasWord(before.text('move', 'change'), SWAP_WORDS) &&
      before.all('target').length === 1 &&
      !before.has('when') &&
      !clause.has('when') &&
      clause.has('target') &&
      !clause.has('title', ...ALTERING);
    if (isPartner) all.splice(-1, 1, clauseOf([...before.pieces, ...clause.pieces]));
    else all.push(clause);
    return all;
  }, []);

/** A verb that swaps is a move. */
const asMove = (clause: Clause): Clause =>
  clause.has('change') && hasWord(clause.text('change'), SWAP_WORDS) && !clause.has('title', 'place', 'extra')
    ? clauseOf(clause.pieces.map((piece) => (piece.role === 'change' ? as('move', piece) : piece)))
    : clause;

/** 'I can't make it to yoga' cancels it, where it is on the calendar. */
const absent = (clause: Clause, found: readonly Found[]): Clause => {
  const i = clause.pieces.findIndex(
    ({ role, text }) => (role === 'move' || role === 'refuse' || role === 'aside') && ABSENT.test(text),
  );
  const piece = clause.pieces[i];
  if (!piece || clause.has('when', 'title', 'create', 'shift')) return clause;
  const { 0: verb, index } = ABSENT.exec(piece.text)!;
  const rest = piece.text.slice(index + verb.length);
  const name = rest || clause.text('target');
  if (nameWords(name).length === 0 || !isOnCalendar(name, found)) return clause;
  const own = rest ? cutAt(piece, ['cancel', 'target'], index + verb.length) : [as('cancel', piece)];
  return clauseOf(clause.pieces.flatMap((one) => (one === piece ? own : [one])));
};

/** 'Swap the haircut with the dentist', read as one name. */
const pair = (clause: Clause): Clause => {
  const targets = clause.pieces.filter(({ role }) => role === 'target');
  const [only] = targets;
  const joint =
    only && targets.length === 1 && hasWord(clause.text('move'), SWAP_WORDS) ? PAIRING.exec(only.text) : null;
  if (!only || !joint) return clause;
  const [first, rest] = cutAt(only, ['target', 'target'], joint.index);
  const second = { ...rest, text: rest.text.slice(joint[0].length), from: rest.from + joint[0].length };
  return clauseOf(clause.pieces.flatMap((one) => (one === only ? [first, second] : [one])));
};

const QUESTION = /^\W*(?:so |and |but |now )?(?:what|when|where|who|whom|whose|which|why|how)\b/i;
const TOLD: readonly string[] = ['aside', 'polite', 'glue', 'agree'];
/** 'What do you know about Lena', where nothing is read as a question. */
const asQuestion = (clauses: readonly Clause[]): Clause[] => {
  const pieces = clauses.flatMap((clause) => clause.pieces);
  const isTold = pieces.every(({ role }) => TOLD.includes(role) || role === 'target');
  const first = pieces.findIndex(({ role, text }) => (role === 'aside' || role === 'polite') && QUESTION.test(text));
  if (!isTold || first < 0) return [...clauses];
  return [clauseOf(pieces.slice(first).map((piece, i) => (i === 0 ? as('ask', piece) : piece)))];
};

/** 'Remind me what the landlord said' asks, where no time is named. */
const remindedOf = (clause: Clause): Clause =>
  clause.has('remind') && QUESTION.test(clause.text('title')) && !clause.has('when', 'repeat', 'rel', 'create')
    ? clauseOf(clause.pieces.map((piece) => (piece.role === 'remind' ? as('ask', piece) : piece)))
    : clause;

const ALREADY = /^\s*(?:earlier )?(?:today|this (?:morning|afternoon|week)|just now)\s*$/i;
/** 'I paid the window cleaner today' says what is done; nothing is planned for it. */
const reported = (clause: Clause): Clause => {
  if (clause.has('remind', 'target', 'ask', 'note', 'reflect', ...ALTERING)) return clause;
  const text = clause.pieces.map((piece) => piece.text).join('');
  const [first] = clause.pieces;
  const isOver = !clause.has('when', 'repeat') || ALREADY.test(clause.text('when'));
  return first && clause.has('title') && isOver && REPORTING.test(text)
    ? clauseOf([{ role: 'aside', text, from: first.from, to: clause.pieces.at(-1)!.to }])
    : clause;
};

const REFLECTING = /^\s*(?:to\s+)?reflect(?=\s|$)/i;
/** 'Remind me to reflect on the sprint' is a reflection. */
const reflected = (clause: Clause): Clause => {
  const i = clause.pieces.findIndex(({ role, text }) => role === 'title' && REFLECTING.test(text));
  if (i < 0 || clause.has('target', 'reflect')) return clause;
  return clauseOf(
    clause.pieces.map((piece, n) => {
      if (n === i) return as('reflect', piece);
      return piece.role === 'remind' || piece.role === 'create' ? as('glue', piece) : piece;
    }),
  );
};

const NOT = /\bnot\s*$/i;
/** 'Stretching not on 18 December' leaves that day out. */
const leftOut = (clause: Clause): Clause => {
  if (clause.has(...ALTERING, 'create', 'when', 'ask')) return clause;
  const i = clause.pieces.findIndex(
    ({ role }, n) => role === 'old' && clause.pieces[n - 1]?.role === 'glue' && NOT.test(clause.pieces[n - 1]!.text),
  );
  return i < 0 ? clause : clauseOf(clause.pieces.map((piece, n) => (n === i ? as('except', piece) : piece)));
};

/** `isFirst`: nothing was spoken of before, so that words beside a time can only be its name. */
export const corrected = (clauses: readonly Clause[], found: readonly Found[], isFirst = true): Clause[] =>
  asQuestion(swapping(clauses)).map((given) => {
    const recutAnew = anew(recut(given), found);
    const clause = restated(doing(nameBehindIt(leftOut(reflected(remindedOf(reported(recutAnew)))))), found);
    const own = newThing(pair(asMove(absent(clause, found))), found);
    return named(verbAsName(counted(lengthOfNew(newName(own, found)))), isFirst);
  });
