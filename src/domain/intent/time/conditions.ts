/** Conditions of the grammar of time: what is before and behind a pattern. */
import type { Scan } from '../facet.ts';
import {
  ADVERBIAL_OWNERS,
  BEHIND_DOUBTFUL,
  ARTICLES,
  DAY_NOUNS,
  DOUBTFUL,
  endsPhrase,
  FITTING,
  HALF_OPENERS,
  NEAR_DOUBTFUL,
  NEAR_TIME,
  ordinalEnd,
  PART_WORDS,
  PREPOSITIONS,
  TEMPORAL,
  TENS,
  WEEKDAYS,
} from '../words/time-words.ts';
import { phraseAt, setOf } from '../words/phrases.ts';
import { wordAt } from '../words/tokens.ts';
import { verbBehind } from '../verbs.ts';
import type { Conditions } from './chart.ts';
import { afterDay } from './make-clocks.ts';
import { SITTING } from '../words/speech.ts';

/** 'sat', 'may' and the like are dates only beside a word or number that makes them so. */
export const isClear = ({ tokens }: Pick<Scan, 'tokens'>, i: number): boolean => {
  const [before, word, behind] = [wordAt(tokens, i - 1), wordAt(tokens, i), wordAt(tokens, i + 1)];
  return (
    !DOUBTFUL.has(word) ||
    NEAR_DOUBTFUL.has(before) ||
    (BEHIND_DOUBTFUL.has(behind) && !ARTICLES.has(before)) ||
    (behind === '' && i > 0 && WEEKDAYS.has(word) && tokens[i - 1]!.kind === 'word' && !SITTING.has(before)) ||
    PART_WORDS.has(behind) ||
    (JOINS.has(behind) && WEEKDAYS.has(wordAt(tokens, i + 2))) ||
    (behind === 'the' && tokens[i + 2]?.kind === 'number') ||
    [tokens[i - 1], tokens[i + 1]].some((token) => token?.kind === 'number' || token?.kind === 'clock') ||
    (/^[A-Z]/.test(tokens[i]?.text ?? '') && WEEKDAYS.has(word))
  );
};
const JOINS = setOf('and & / -');
const isHalf = (word: string): boolean => word === 'am' || word === 'pm';
const OF_DAY = 'in the (morning/afternoon/evening)|at night';

/** 'on Christmas' is a day, 'Christmas shopping' is not. */
const isHoliday = ({ tokens }: Scan, at: number, from: number): boolean =>
  PREPOSITIONS.has(wordAt(tokens, from - 1)) || endsPhrase(tokens, at) || DAY_NOUNS.has(wordAt(tokens, at));

/** 'the 15th' is a day where no noun follows that it counts. */
const isMonthless = (scan: Scan, at: number, from: number): boolean => {
  const { tokens } = scan;
  const the = wordAt(tokens, from) === 'the';
  const ordinal = ordinalEnd(tokens, the ? from + 1 : from);
  if (!ordinal) return false;
  const before = wordAt(tokens, from - 1);
  const isSpelt = tokens[the ? from + 1 : from]!.kind === 'word';
  const isDay = ARTICLES.has(before) || phraseAt(tokens, at, 'all (- day/day)') === null;
  if (!isSpelt && !isDay) return true;
  if (isSpelt && !(the && (SPELT_LEADS.has(before) || WEEKDAYS.has(before)))) return false;
  const inList = JOINTS.has(before) && ordinalEnd(tokens, from - 3) === from - 1;
  const isNamed = inList || WEEKDAYS.has(wordAt(tokens, before === ',' ? from - 2 : from - 1));
  if (!the && !PREPOSITIONS.has(before) && !isNamed) return false;
  return endsPhrase(tokens, at) || verbBehind(tokens, at) !== null || (isNamed && tokens[at]?.kind === 'number');
};
const DATE_LEADS = setOf('on until till since');
const MOST_HOURS = 24;
const UNIT_WORDS = setOf('h hr hrs hour hours min mins minute minutes day days week weeks % km kg');
const SPELT_LEADS = setOf('on from to until till through between');
const JOINTS = setOf('and & or ,');

const fixed = (words: string): ReadonlySet<string> => setOf(words);
const [WAYS, SIDES, EACH_HEADS, PLURALS] = [
  fixed('later earlier sooner longer more extra shorter less'),
  fixed('before after ago'),
  fixed('time session one'),
  fixed('mornings afternoons evenings nights'),
];

/** Whether `name` of the grammar holds at a place; `from` is where the pattern begins. */
export const CONDITIONS: Conditions = {
  end: ({ tokens }, at) => endsPhrase(tokens, at),
  glued: ({ tokens }, at) => tokens[at - 1]!.glued,
  gluedbefore: ({ tokens }, at, from) => tokens[at - 1]!.glued && wordAt(tokens, from - 1) !== 'at',
  signed: ({ tokens }, _, from) => !tokens[from]!.glued && tokens[from + 1]!.glued,
  '!slashed': ({ tokens }, at) => tokens[at - 1]?.kind !== 'date',
  '!spelt': ({ tokens }, at, from) => tokens[from]!.text.length === 2 || tokens[at - 1]!.text.length === 2,
  halfday: ({ tokens }, at, from) =>
    from > 0 && afterDay(tokens, from) && (endsPhrase(tokens, at) || tokens[at]!.kind === 'number'),
  gluedh: ({ tokens }, at, from) => tokens[from + 1]!.glued && tokens[at - 1]!.glued,
  beforeday: ({ tokens }, at) => /^(?:day|week|hour)/.test(wordAt(tokens, at)),
  nohalf: ({ tokens }, at) => !isHalf(wordAt(tokens, at)) || tokens[at - 1]?.kind !== 'number',
  noweekday: ({ tokens }, at) => !WEEKDAYS.has(wordAt(tokens, at)),
  eachend: ({ tokens }, at) =>
    endsPhrase(tokens, at) && !WEEKDAYS.has(wordAt(tokens, at)) && !EACH_HEADS.has(wordAt(tokens, at)),
  noside: ({ tokens }, at) => !SIDES.has(wordAt(tokens, at)) || phraseAt(tokens, at, MEALS) !== null,
  noway: ({ tokens }, at) => !WAYS.has(wordAt(tokens, at)),
  nomeal: ({ tokens }, at) => phraseAt(tokens, at - 1, MEALS) === null || wordAt(tokens, at + 1) === 'with',
  calendar: ({ tokens }, at) => /^(?:day|week|fortnight|month|year)s?$/.test(wordAt(tokens, at - 1)),
  fromnow: ({ tokens }, at, from) =>
    !FITTING.has(wordAt(tokens, from - 1)) && !/^(?:block|chunk)s$/.test(wordAt(tokens, at)),
  partplural: ({ tokens }, at) => PLURALS.has(wordAt(tokens, at)),
  partpluralhere: ({ tokens }, at, from) => PLURALS.has(wordAt(tokens, at)) && !JOINTS.has(wordAt(tokens, from - 1)),
  counted: ({ tokens }, _, from) =>
    tokens[from + 1]!.kind !== 'date' &&
    wordAt(tokens, from) !== 'a' &&
    !TENS.has(wordAt(tokens, from)) &&
    !tokens[from + 1]!.glued &&
    wordAt(tokens, from + 1) !== 'a',
  monthless: isMonthless,
  holiday: isHoliday,
  abbreviated: ({ tokens }, at) => tokens[at - 1]!.text.length <= 4,
  number: ({ tokens }, at) => tokens[at]?.kind === 'number',
  neartoday: ({ tokens }, at) => /^(?:today|tomorrow)$/.test(wordAt(tokens, at)),
  weekdaynext: ({ tokens }, at) => WEEKDAYS.has(wordAt(tokens, at)),
  month: (scan, at, from) => isClear(scan, at) || from < at,
  '!thecycle': ({ tokens }, at, from) =>
    wordAt(tokens, from) !== 'the' || at > from + 2 || wordAt(tokens, from + 1) === 'weekend',
  weekendlead: ({ tokens }, _, from) => /^(?:at|on|over|for|during|this)$/.test(wordAt(tokens, from - 1)),
  dateplace: ({ tokens }, at, from) =>
    (DATE_LEADS.has(wordAt(tokens, from - 1)) ||
      (wordAt(tokens, from - 1) === 'from' && Number.parseInt(tokens[from]!.text, 10) > MOST_HOURS)) &&
    !UNIT_WORDS.has(wordAt(tokens, at)) &&
    !isHalf(wordAt(tokens, at)),
  apart: ({ tokens }, at) => !tokens[at - 1]!.glued,
  notbeside: ({ tokens }, _, from) => !SIDES.has(wordAt(tokens, from)),
  '!range': ({ tokens }, at) => phraseAt(tokens, at, 'to|-|–|until|till|through|at|on') === null,
  halfahead: ({ tokens }, at) => isHalf(wordAt(tokens, at)) || phraseAt(tokens, at, OF_DAY) !== null,
  hourh: ({ tokens }, at, from) =>
    Number(tokens[from]!.text) > 12 ||
    (tokens[from + 1]!.glued && tokens[at - 1]!.glued && wordAt(tokens, from - 1) === 'at'),
  hourh0: ({ tokens }, at, from) =>
    tokens[at - 1]!.glued && (Number(tokens[from]!.text) > 12 || wordAt(tokens, from - 1) === 'at'),
  '!bareh': ({ tokens }, at, from) => Number(tokens[from]!.text) > 12 && tokens[at - 1]!.glued,
  nolength: ({ tokens }, at) => !/^(?:-|min|hour|h$)/.test(wordAt(tokens, at)),
  '!amount': (_, at, __, chart) => chart[at]?.['amount'] === undefined,
  '!takenlist': ({ tokens }, at, from) =>
    from > 0 || wordAt(tokens, 0) !== 'not' || !tokens.slice(0, at).some(({ word }) => word === ','),
  nowith: ({ tokens }, at) => !wordAt(tokens, at).startsWith('with'),
  '!night': ({ tokens }, at) => wordAt(tokens, at) !== 'of',
  halfalone: ({ tokens }, at, from) =>
    (from === 0 || HALF_OPENERS.has(wordAt(tokens, from - 1))) && endsPhrase(tokens, at),
  unowned: ({ tokens }, at) => !tokens[at - 1]!.possessive,
  unownedbefore: ({ tokens }, at) => !tokens[at - 1]!.possessive,
  neartime: ({ tokens }, at) => phraseAt(tokens, at, NEAR_TIME) !== null || WEEKDAYS.has(wordAt(tokens, at)),
  never: () => false,
  determined: ({ tokens }, at) => /^(?:the|these|those)$/.test(wordAt(tokens, at)),
  partword: ({ tokens }, at) => PART_WORDS.has(wordAt(tokens, at)) && wordAt(tokens, at) !== 'lunchtime',
  each: ({ tokens }, at) => TEMPORAL.has(wordAt(tokens, at)) || WEEKDAYS.has(wordAt(tokens, at)),
  adverbial: ({ tokens }, at, from) =>
    !(at === from + 1 && !endsPhrase(tokens, at) && ADVERBIAL_OWNERS.has(wordAt(tokens, from - 1))),
  afterany: ({ tokens }, _, from) =>
    tokens.slice(Math.max(0, from - 6), from).some(({ word }) => /^(?:any|anytime|every|each)$/.test(word)),
  taken: ({ tokens }, at, from) => from === 0 && wordAt(tokens, at) === ',',
};
const MEALS = '(before/after) (lunch/noon/midday/work/breakfast/dinner/bed/bedtime/school)';
