/** New things: create, remind, find. */
import { mondayOf } from '../../time/words-of-time.ts';
import { type DayRange, isOneDay } from '../time/settle-days.ts';
import { BLOCKING } from '../words/act-words.ts';
import type { Act, Creation } from './actions.ts';
import type { Clause } from './clause.ts';
import { compact } from './compact.ts';
import { hasWord } from './names.ts';
import { behindLast, type Making, onDays, type Thing, withDays } from './place.ts';
import { repeated, repeatTexts, seriesOfEvent } from './repeated.ts';
import type { Talk } from './talk.ts';
import type { Wish } from './wish.ts';
import { wishesOf } from './wishes.ts';

type Verb = Creation['do'];
export type Creating = { acts: Act[]; talk: Partial<Talk> };

const thingOf = (verb: Verb, title: string, clause: Clause, wishes: readonly string[]): Thing =>
  compact({
    do: verb,
    title,
    place: clause.text('place') || undefined,
    notes: [...clause.all('extra'), ...wishes].join('; ') || undefined,
    isBlocking: hasWord(clause.text('create'), BLOCKING),
  });

const creationsOf = (making: Making): Creation[] => {
  const { clause, wish, talk } = making;
  const texts = repeatTexts(clause);
  const series = texts.length > 0 ? repeated(making, texts) : null;
  const own = series ?? seriesOfEvent(making);
  if (own) return own;
  const behind = clause.has('when', 'old', 'rel') ? null : behindLast(wish, talk);
  return onDays({ ...making, wish: behind ?? withDays(wish, talk, clause.has('when', 'old', 'rel', 'limit')) });
};

const rangeOf = ({ date, days = 1 }: Creation): DayRange =>
  'from' in date ? { from: date.from, to: date.to } : { from: date, to: date.add({ days: days - 1 }) };

/** Shifts of a week: those behind them are of the same week. */
const weekOf = (creations: readonly Creation[]): DayRange | undefined => {
  const [first] = creations;
  const isWeek = creations.length > 1 && creations.every(({ series }) => !series);
  if (!first || !isWeek || 'from' in first.date) return undefined;
  const monday = mondayOf(first.date);
  return { from: monday, to: monday.add({ days: 6 }) };
};

/** What the clauses behind this one need to know of it. */
const learnt = (
  creations: readonly Creation[],
  { length, limits }: Wish,
  clause: Clause,
  talk: Talk,
): Partial<Talk> => {
  const last = creations.at(-1);
  if (!last) return {};
  const at = typeof last.at === 'number' ? last.at : undefined;
  const day = rangeOf(last).from;
  return compact({
    stretch: creations.map(rangeOf),
    window: clause.has('repeat') ? weekOf(creations) : undefined,
    said: 'from' in last.date ? undefined : day,
    slot: at === undefined ? undefined : compact({ at, minutes: last.minutes }),
    minutes: length.minutes,
    gap: limits.gap,
    due: limits.to,
    made: [...talk.made, compact({ title: last.title, day, at, minutes: last.minutes ?? 60 })],
  });
};

/** A stretch of days ahead of several things holds for all of them: 'Week of 14 December: ...'. */
const headingOf = ({ pieces: [first, second] }: Clause, wishes: readonly Wish[]): DayRange | undefined => {
  const day = wishes[0]?.days[0];
  const isHeading = first?.role === 'when' && second?.role === 'glue' && second.text.trimStart().startsWith(':');
  return isHeading && day && !isOneDay(day) ? day : undefined;
};

const ask = (about: string): Creating => ({ acts: [{ do: 'ask', about }], talk: {} });

export const create = (verb: Verb, title: string, clause: Clause, talk: Talk): Creating => {
  if (!title && verb !== 'find') return ask('what');
  const hasTime = clause.has('when', 'old', 'rel', 'limit', 'repeat', 'dur', 'count') || verb === 'find';
  if (!hasTime && talk.made.length === 0) return ask('when');
  const wishes = wishesOf(clause, title, talk);
  if ('about' in wishes) return ask(wishes.about);
  const window = headingOf(clause, wishes);
  const heading = window ? { window } : {};
  const creations = wishes.flatMap((wish) =>
    creationsOf({
      thing: thingOf(verb, title, clause, wish.limits.wishes),
      wish,
      clause,
      talk: { ...talk, ...heading },
    }),
  );
  return { acts: creations, talk: { ...heading, ...learnt(creations, wishes.at(-1)!, clause, talk) } };
};
