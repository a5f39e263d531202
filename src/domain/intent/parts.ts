/** Parts of the day: 'in the morning', 'late afternoon', 'at lunch', and the 'morning' of a 'morning run'. */
import type { Part, Reader } from './facet.ts';
import type { PartOfDay } from './types.ts';
import { dictionary, endsPhrase, phraseAt, setOf, type Token, WEEKDAYS, wordAt } from './words.ts';

type Tokens = readonly Token[];

const DAY_WORDS = setOf('today tomorrow tonight morning afternoon evening');
/** A bare number right after a day is a time: 'tomorrow 10'. */
export const afterDay = (t: Tokens, i: number): boolean => {
  const before = wordAt(t, i - 1) === ',' ? wordAt(t, i - 2) : wordAt(t, i - 1);
  return DAY_WORDS.has(before) || WEEKDAYS.has(before);
};

const part = (name: PartOfDay, from: number, to: number): Part => ({ name, from, to });
export const PARTS = dictionary<Part>({
  morning: part('morning', 6, 12),
  mornings: part('morning', 6, 12),
  afternoon: part('afternoon', 12, 18),
  afternoons: part('afternoon', 12, 18),
  evening: part('evening', 18, 22),
  evenings: part('evening', 18, 22),
  night: part('night', 18, 24),
  nights: part('night', 18, 24),
});
const EARLY: Record<PartOfDay, Part> = {
  morning: part('morning', 6, 9),
  afternoon: part('afternoon', 12, 15),
  evening: part('evening', 17, 20),
  night: part('night', 18, 21),
};
const LATE: Record<PartOfDay, Part> = {
  morning: part('morning', 10, 12),
  afternoon: part('afternoon', 15, 18),
  evening: part('evening', 20, 22),
  night: part('night', 21, 24),
};
const MID: Record<PartOfDay, Part> = {
  morning: part('morning', 9, 11),
  afternoon: part('afternoon', 13, 16),
  evening: part('evening', 19, 21),
  night: part('night', 20, 23),
};
const FIXED_PARTS: [string, Part][] = [
  ['first thing|first thing in the morning|first thing in morning', part('morning', 6, 10)],
  [
    '(at/over/during/around/by/) (lunchtime/lunch time)|(at/over/during/around) lunch|in (the/my) lunch break|around (noon/midday)',
    part('afternoon', 12, 14),
  ],
  ['(any time/anytime/sometime/some time/) after lunch', part('afternoon', 13, 18)],
  ['before lunch|before noon|before midday', part('morning', 6, 12)],
  ['after work|after office hours', part('evening', 17, 22)],
  ['after school', part('afternoon', 15, 19)],
  ['before school', part('morning', 6, 8)],
  ['before work', part('morning', 6, 9)],
  ['after dinner|before bed|before bedtime', part('evening', 20, 23)],
  ['in the early hours', part('night', 0, 6)],
];
const SHADES: [string, Record<PartOfDay, Part>][] = [
  ['early|early in the|early on in the|the early', EARLY],
  ['late|later|late in the|later in the|the late|the end of the', LATE],
  ['mid|mid -|the middle of the', MID],
];
const PART_LEADS =
  'in the|during the|in|for the|at|on the|by|some time in the|sometime in the|the|in my|to the|(on/) (one/any/some/an)|in any';

/** 'I meant pm' */
const HALVES = dictionary<Part>({ am: part('morning', 0, 12), pm: part('evening', 12, 24) });
const BEFORE_HALF = setOf('meant mean the in , no sorry');
const readHalfOfDay = (t: Tokens, i: number): Part | undefined =>
  (i === 0 || BEFORE_HALF.has(wordAt(t, i - 1))) && endsPhrase(t, i + 1) ? HALVES[wordAt(t, i)] : undefined;

/** 'in the morning', 'late afternoon', 'at lunch'; a bare 'morning' followed by its noun stays in the title. */
export const readPart: Reader = ({ tokens: t }, i) => {
  const half = readHalfOfDay(t, i);
  if (half) return { facets: [{ kind: 'part', part: half }], next: i + 1 };
  for (const [phrases, fixed] of FIXED_PARTS) {
    const next = phraseAt(t, i, phrases);
    if (next && !wordAt(t, next).startsWith('with')) return { facets: [{ kind: 'part', part: fixed }], next };
  }
  const lead = phraseAt(t, i, PART_LEADS) ?? i;
  const shade = SHADES.map(([phrases, parts]) => ({ next: phraseAt(t, lead, phrases), parts })).find(
    ({ next }) => next,
  );
  const at = shade?.next ?? lead;
  const plain = PARTS[wordAt(t, at)];
  if (!plain || t[at]?.possessive) return null;
  const bare = lead === i && !shade && !afterTime(t, i);
  const named = bare && !wordAt(t, at).endsWith('s') && isNoun(t, i - 1);
  const attributive = ['the', 'in my'].includes(wordAt(t, i)) && !endsPhrase(t, at + 1);
  return {
    facets: [
      {
        kind: 'part',
        part: shade ? shade.parts[plain.name] : plain,
        ...((bare && !endsPhrase(t, at + 1)) || named || attributive ? { loose: true as const } : {}),
        // ', afternoons,' restricts, as 'in an afternoon' does
        ...(wordAt(t, at).endsWith('s') && wordAt(t, i - 1) !== ',' && { plural: true as const }),
      },
    ],
    next: at + 1,
  };
};

/** 'film night': the word before makes it a name. */
const isNoun = (t: Tokens, i: number): boolean =>
  t[i]?.kind === 'word' && !endsPhrase(t, i) && !['a', 'an', 'one', 'this', 'whole'].includes(wordAt(t, i));

const afterTime = (t: Tokens, i: number): boolean =>
  afterDay(t, i) ||
  ['this', 'every', 'each', 'weekday', 'day'].includes(wordAt(t, i - 1)) ||
  t[i - 1]?.kind === 'iso' ||
  /^\d/.test(wordAt(t, i - 1));
