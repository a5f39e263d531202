/** Counts: 'three times a week', 'two 30-minute calls', and how far they are apart. */
import { MOST_OF_A_DAY, readAmount, readNumber, readPer } from './amount.ts';
import type { Reader } from './facet.ts';
import { dictionary, phraseAt, setOf, TENS, type Token, UNITS, wordAt } from './words.ts';

type Tokens = readonly Token[];

/** 'with at least a day between them': how many days apart. */
export const readApart: Reader = ({ tokens: t }, i) => {
  const lead = phraseAt(
    t,
    i,
    '(with/and/) (at least/) (a day/one day/1 day/a day off/a rest day/one rest day/a free day) (between/in between/off between)|(with/) (two days/2 days) between|(not on/never on) consecutive days|(on/) non - consecutive days|(but/and/) (not/no/never/not on/never on) two (consecutive days/days in a row/days running/days in succession)|(but/and/) (not/never) (on/) (consecutive/successive/adjacent) days|(but/and/) not (back to back/back - to - back)',
  );
  if (!lead) return null;
  const two = t.slice(i, lead).some(({ word }) => word === 'two' || word === '2') && wordAt(t, lead - 1) === 'between';
  const next =
    phraseAt(t, lead, '(each of/) (them/each/sessions/the sessions/each one/each session/each two/two)') ?? lead;
  return { facets: [{ kind: 'apart', days: two ? 3 : 2 }], next };
};

const REPEATS = dictionary<number>({ once: 1, twice: 2, thrice: 3 });
const TIMES = setOf('times time x ×');
const ROUNDS = setOf('sessions blocks slots rounds chunks sittings occurrences');
const PART_PLURALS = setOf('mornings afternoons evenings nights');
/** 'three times this week', 'twice a day', '3x', 'two sessions of', 'two 30-minute calls' (the noun stays in the title). */
export const readCount: Reader = ({ tokens: t }, i) => {
  const named = REPEATS[wordAt(t, i)];
  const number = named ? { n: named, next: i + 1 } : readNumber(t, i);
  if (!number || !Number.isInteger(number.n) || number.n < 1) return null;
  const word = wordAt(t, number.next);
  const said = named || TIMES.has(word) ? (named ? number.next : number.next + 1) : null;
  const per = said ? readPer(t, said) : null;
  if (named === 1 && !per?.per) return null;
  const times = Math.min(number.n, 1000);
  if (said && per) return { facets: [{ kind: 'count', times, ...(per.per && { per: per.per }) }], next: per.next };
  if (PART_PLURALS.has(word)) return { facets: [{ kind: 'count', times }], next: number.next };
  if (ROUNDS.has(word)) return { facets: [{ kind: 'count', times }], next: number.next + 1 };
  const each =
    t[number.next]?.kind === 'number' || UNITS.has(word) || TENS.has(word) || word === 'half'
      ? readAmount(t, number.next)
      : null;
  if (!each || each.calendar || wordAt(t, i) === 'a' || !isDashless(t, i, number.next)) return null;
  const minutes = Math.round(each.minutes);
  if (minutes < 1 || minutes > MOST_OF_A_DAY) return null;
  const next = ROUNDS.has(wordAt(t, each.next)) ? each.next + 1 : each.next;
  return {
    facets: [
      { kind: 'count', times },
      { kind: 'duration', minutes },
    ],
    next,
  };
};

/** 'two 30-minute', not the mixed number 'two 1/2'. */
const isDashless = (t: Tokens, from: number, to: number): boolean => to - from === 1 && t[to]?.glued !== true;
