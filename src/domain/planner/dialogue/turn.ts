/** A turn of a conversation: what it says about the thing that was spoken of last, and what is new. */
import { actOn, asked, clausesFor } from '../act/act.ts';
import { type Clause, clauseOf } from '../act/clause.ts';
import { foundIn, type Known } from '../act/known.ts';
import { isNamed, isPointing, nameWords } from '../act/names.ts';
import { type Talk, VERBS } from '../act/talk.ts';
import type { Request } from '../request.ts';
import { goesOn, inAside } from './goes-on.ts';
import { ALTERING, had, type Item, spokenOf, type Step } from './item.ts';
import { stepOf } from './step.ts';

/** 'Never mind the massage' takes a proposal of that name back. */
const takenBack = (clause: Clause, { pending }: Known): Clause => {
  const names = clause.all('target');
  const isNamedThere = names.some(
    (name) => !isPointing(name) && pending.some(({ title }) => isNamed(nameWords(name), title)),
  );
  return clause.has('undo') && isNamedThere && !clause.has('when', ...ALTERING)
    ? clauseOf(clause.pieces.map((piece) => (piece.role === 'undo' ? { ...piece, role: 'cancel' } : piece)))
    : clause;
};

/** What a turn that names something new can refer to. */
const spokenBefore = (last: Item, known: Known): Partial<Talk> => {
  const talk: Talk = { known, found: foundIn(known), today: known.now.toPlainDate(), made: [] };
  if (had(last, 'ask')) return asked(clauseOf(last.pieces), talk);
  const verb = VERBS.find((one) => had(last, one)) ?? 'create';
  const found = spokenOf(last, known);
  const [thing] = found;
  if (!thing) return { verb };
  return {
    ...{ looked: found, verb, said: thing.day, slot: { at: thing.at, minutes: thing.minutes }, title: thing.title },
    made: found.map(({ title, day, at, minutes }) => ({ title, day, at, minutes })),
  };
};

/** Behind a proposal, 'what about 9:30 pm?' is a wish. */
const asWish = (clause: Clause): Clause =>
  /^\s*(?:what|how) about\s*$/i.test(clause.text('ask')) && clause.has('when') && !clause.has('title', 'target')
    ? clauseOf(clause.pieces.filter(({ role }) => role !== 'ask'))
    : clause;

/** After 'when is the dentist?', 'move it to 12' is about the dentist. */
const isAboutAsked = (clause: Clause, question: Item | undefined, last: Item, known: Known): boolean =>
  question !== undefined &&
  question !== last &&
  had(question, 'target', 'title') &&
  clause.has('target') &&
  clause.all('target').every(isPointing) &&
  spokenBefore(question, known).looked !== undefined;

/** What a turn asks for, beside what was spoken of before it. */
export const turn = (request: Request, items: readonly Item[], known: Known): Step[] => {
  const end = items.at(-1);
  const question = end && had(end, 'ask') ? end : undefined;
  const last = items.findLast((item) => !had(item, 'ask')) ?? question;
  const clauses = clausesFor(request, known, !last).map((clause) =>
    last ? takenBack(inAside(question ? clause : asWish(clause)), known) : clause,
  );
  const plain: Clause[] = [];
  const steps: Step[] = [];
  for (const clause of clauses)
    if (last && plain.length === 0 && !isAboutAsked(clause, question, last, known) && goesOn(clause, last))
      steps.push(stepOf(clause, last, known));
    else plain.push(clause);
  if (plain.length > 0 || steps.length === 0) {
    steps.push({
      actions: actOn(plain, known, end ? spokenBefore(end, known) : {}),
      pieces: plain.findLast((clause) => !clause.has('note', 'setting', 'reflect'))?.pieces ?? [],
      isSame: false,
      replaces: [],
    });
  }
  return steps;
};
