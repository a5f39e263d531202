/** What is kept or said without a time: notes, reflections, settings. */
import { daysFrom, daysIn } from '../time/settle-days.ts';
import type { Act, Creation } from './actions.ts';
import { RESTRICTING } from '../words/rule-words.ts';
import type { Clause } from './clause.ts';
import { hasWord } from './names.ts';

const NOT_KEPT = new Set(['note', 'reflect', 'aside', 'polite', 'void', 'join']);

/** The fact, as it is written. */
const kept = ({ pieces }: Clause): string =>
  pieces
    .filter(({ role }) => !NOT_KEPT.has(role))
    .map(({ text }) => text)
    .join('')
    .replace(/^[\s:,.–-]+/, '')
    .trim();

export const note = (clause: Clause): Act => ({ do: 'note', text: kept(clause) || clause.text('aside') });
type Reflection = Extract<Act, { do: 'reflect' }>;
export const reflect = (clause: Clause): Reflection => ({
  do: 'reflect',
  text: (clause.text('reflect', 'title', 'target') || kept(clause)).replace(/^\s*to\s+/i, ''),
});
/** Roles beside a rule that say no more of it, and those of its times. */
const BESIDE_RULE = new Set(['aside', 'polite', 'void', 'join', 'agree']);
const OF_RULE = new Set(['setting', 'glue', 'when', 'repeat', 'limit', 'except', 'count', 'dur']);
/** A rule with its times; where more is said of it beside, as 'for the patients', the text is only a part of it. */
export const setting = (clause: Clause): Act => {
  const isOwn = ({ role }: Clause['pieces'][number]): boolean => OF_RULE.has(role);
  const isMore = clause.pieces.some(
    (piece) => !isOwn(piece) && (!BESIDE_RULE.has(piece.role) || hasWord(piece.text, RESTRICTING)),
  );
  const isWhole = clause.pieces.every(({ role }) => role === 'setting' || role === 'glue' || !OF_RULE.has(role));
  const isSplit = isWhole && hasWord(clause.glue, RESTRICTING);
  const all = clause.pieces.filter(isOwn).map(({ text }) => text);
  return {
    do: 'setting',
    text: isWhole ? clause.text('setting') : all.join('').trim(),
    ...((isMore || isSplit) && { isPart: true as const }),
  };
};
/** A question is answered from the calendar by another part; here it is only that it was asked. */
export const answer = ({ pieces }: Clause): Act => ({
  do: 'answer',
  text: pieces
    .map(({ text }) => text)
    .join('')
    .trim(),
});

const MOST_REFLECTIONS = 60;
/** The days of a weekly series that ends; null of another one. */
const weeksIn = ({ date, series }: Creation): Temporal.PlainDate[] | null => {
  if (!series?.until || 'from' in date || !/^FREQ=WEEKLY;BYDAY=\w\w$/.test(series.rule)) return null;
  const { until: to, except = [] } = series;
  return daysIn({ from: date, to }).filter(
    (day) => daysFrom(date, day) % 7 === 0 && !except.some((one) => one.equals(day)),
  );
};

/** A reflection does not repeat: each has its day, and one without an end is a series of events. */
export const reflectionsAt = (act: Reflection, one: Act): Act[] => {
  if (one.do !== 'create') return [one];
  const { series, ...once } = one;
  const days = series ? weeksIn(one) : ['from' in one.date ? null : one.date];
  return days
    ? days.slice(0, MOST_REFLECTIONS).map((date) => ({ ...act, at: date ? { ...once, date } : once }))
    : [one];
};
