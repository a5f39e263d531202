/** What a clause is read with: the calendar, and what the clauses before it said. */
import type { Time } from '../time/types.ts';
import type { DayRange } from '../time/settle-days.ts';
import type { Base, Slot } from '../time/settle.ts';
import type { Hint } from '../time/settle-clock.ts';
import { EVENING_NOUNS, MORNING_NOUNS } from '../words/act-words.ts';
import { type Kind, readTime } from '../time/read-time.ts';
import type { Found, Known } from './known.ts';
import { hasWord } from './names.ts';

/** A new thing of this request, to which others may relate. Without `at` only its day is known. */
export type Thing = { title: string; day: Temporal.PlainDate; at?: number; minutes: number };

export const VERBS = [
  ...(['setting', 'note', 'reflect', 'ask', 'cancel', 'resize', 'move', 'change', 'find', 'remind', 'create'] as const),
];
export type Verb = (typeof VERBS)[number];

export type Talk = {
  known: Known;
  /** What is on the calendar and not over, in order of time. */
  found: readonly Found[];
  today: Temporal.PlainDate;
  /** The day and the time last spoken of, and a stretch of days that holds for all that follows. */
  said?: Temporal.PlainDate;
  slot?: Slot;
  window?: DayRange;
  verb?: Verb;
  title?: string;
  /** What has to be so before anything is planned. */
  condition?: string;
  /** The days last spoken of: 'on those days'. */
  stretch?: readonly DayRange[];
  made: readonly Thing[];
  /** The events last spoken of: what 'it' means. */
  looked?: readonly Found[];
  /** The deadline last spoken of: what 'two days before it is due' counts from. */
  due?: Temporal.PlainDate;
  /** In a list of things one behind the other: how long each, and the pause between them. */
  minutes?: number;
  gap?: number;
};

/** What settles a time of this talk. */
export const baseOf = ({ known, today, said, window, stretch }: Talk, hint?: Hint): Base => ({
  now: known.now,
  zone: known.zone,
  today,
  said,
  window,
  stretch,
  hint,
});

/** Which half of the day a thing is likely to be in, by what it is called. */
export const likelyHalf = (title: string): 'am' | 'pm' | undefined => {
  if (hasWord(title, EVENING_NOUNS)) return 'pm';
  return hasWord(title, MORNING_NOUNS) ? 'am' : undefined;
};

/** The part of the day that a text says, where it does not forbid it. */
export const partSaid = (text: string, kind: Kind = 'time'): Hint | undefined => {
  const { items }: Time = readTime(text, kind);
  const end = items.findIndex(({ item }) => item === 'not');
  for (const item of items.slice(0, end < 0 ? undefined : end))
    if ((item.item === 'part' || item.item === 'relation') && item.part) return item.part;
  return undefined;
};
