/** An answer as it was looked up, before it is written as a list or as prose. */
import type { Occurrence } from '../calendar/schemas.ts';
import type { Caller } from '../domain/access/caller.ts';
import type { Question } from '../domain/planner/intents/types.ts';
import type { Blanking } from '../domain/record/blanking.ts';
import type { TraceDoc } from '../domain/record/trace.ts';
import type { Instant } from '../domain/time/time.ts';

/** A sentence, a line for each thing that was found, and what they rest on. */
export type Answer = {
  head: string;
  lines: string[];
  /** The number of further things that were found. */
  more: number;
  events: Occurrence[];
  traces: TraceDoc[];
};

/**
 * One question of a caller. `show` blanks sensitive values in every text, since texts are cut, and the reply is stored. `quotable` is
 * what the question is about. Where the prompt has a sensitive value, these words may be a part of it, and are blanked.
 */
export type Asking = {
  caller: Caller;
  question: Question;
  /** The words of the prompt, which is in memory itself. */
  prompt: string;
  quotable: string;
  now: Instant;
  zone: string;
  show: Blanking;
};

/** The lines of one answer. */
export const MOST = 12;
const LONGEST_NAME = 80;

export const only = (head: string): Answer => ({ head, lines: [], more: 0, events: [], traces: [] });

export const count = (n: number, one: string): string => `${n} ${one}${n === 1 ? '' : 's'}`;

/** ' for “piano lesson”', '' where nothing is named. */
export const named = (word: 'for' | 'about', { quotable }: Pick<Asking, 'quotable'>): string =>
  quotable === '' ? '' : ` ${word} “${quotable.slice(0, LONGEST_NAME)}”`;
