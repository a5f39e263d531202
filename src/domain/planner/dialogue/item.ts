/** What was spoken of, and what follows from a turn about it. */
import type { Action } from '../act/actions.ts';
import type { Clause, Piece } from '../act/clause.ts';
import { type Found, foundIn, type Known } from '../act/known.ts';
import { hasWord } from '../act/names.ts';
import { RENAMING } from '../words/act-words.ts';

/** A thing of the conversation: the words that were said of it, and the proposals made of them, or the events that those became. */
export type Item = { pieces: readonly Piece[]; plans: readonly string[] };
/**
 * What follows from a turn. `isSame`: it is about the last thing, of which `pieces` are the words that hold now; its new things
 * replace the proposals `replaces`. What is taken back has no pieces.
 */
export type Step = { actions: Action[]; pieces: readonly Piece[]; isSame: boolean; replaces: readonly string[] };

export const ALTERING = ['move', 'cancel', 'resize', 'change'] as const;
export const had = ({ pieces }: Item, ...roles: Piece['role'][]): boolean =>
  pieces.some(({ role }) => roles.includes(role));

export const spokenOf = ({ plans }: Item, known: Known): Found[] =>
  foundIn(known).filter(({ target }) => plans.includes(target.uid));

/** Those of the last proposals that wait: only they can be replaced. */
export const waitingOf = ({ plans }: Item, { pending }: Known): string[] =>
  plans.filter((uid) => pending.some((one) => one.uid === uid));

/** 'No, I meant the haircut': another one than the one that was changed. */
export const isOtherTarget = (clause: Clause, last: Item): boolean =>
  had(last, 'target') &&
  last.plans.length > 0 &&
  clause.has('target') &&
  !clause.has('title', 'when', ...ALTERING) &&
  hasWord(`${clause.text('undo', 'void')} ${clause.glue}`, RENAMING);
