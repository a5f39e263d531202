/** Plain words: speech fillers left out, chat spellings and misspelt verbs read as what they stand for, misspelt weekdays found. */
import { BEHIND_TIMES, CLOCK_MARKS } from './words/name-doubts.ts';
import { OFTEN_MISSPELT, OWN_WORDS, POSSESSIVES, SPELLINGS } from './words/spellings.ts';
import { endsPhrase, phraseAt, setOf, type Token, UNITS, WEEKDAY_PLURALS, WEEKDAYS, wordAt } from './words.ts';

/** A prompt without the marks at its end. */
export const withoutMarks = (prompt: string): string => prompt.replace(/(?<![.!?,\s])[.!?,\s]+$/, '');

const FILLERS = setOf(
  'um umm ehm eh aeh uh uhm uhh er erm hmm ugh lol omg haha hahaha btw tbh imo ooh ohh aww yay meh argh whoops oops literally basically totally lmao rofl',
);
const MODALS = setOf('should must could can would will may');
const BEFORE_LIKE = setOf('i you we they would d looks look feel feels sounds something anything things');
const VERBS = [
  'schedule',
  'reschedule',
  'cancel',
  'remind',
  'postpone',
  'shorten',
  'extend',
  'arrange',
  'please',
  'remember',
  'shift',
  'delete',
  'remove',
];
/** 'shorter' is no misspelt 'shorten'. */
const INFLECTED = /(?:ed|er|s|ing|t)$/;
const FULL_WEEKDAYS = [...WEEKDAYS.keys()].filter((name) => name.endsWith('day'));

/** Whether one letter more, less or other, or two exchanged neighbours, make one word of the other. */
export const isNear = (a: string, b: string): boolean => {
  if (a === b || Math.abs(a.length - b.length) > 1) return false;
  let from = 0;
  while (from < a.length && a[from] === b[from]) from++;
  let [endA, endB] = [a.length, b.length];
  while (endA > from && endB > from && a[endA - 1] === b[endB - 1]) [endA, endB] = [endA - 1, endB - 1];
  const [left, right] = [a.slice(from, endA), b.slice(from, endB)];
  const exchanged = left.length === 2 && left === `${right[1]}${right[0]}`;
  return exchanged || (left.length <= 1 && right.length <= 1);
};

const sorted = (word: string): string => word.split('').toSorted().join('');
/** The weekday that a word seems to be meant for: 'thrusday', 'wendsday'. */
export const misspeltWeekday = (word: string): string | undefined =>
  /d.?a.?y|dya|ady/.test(word) && !WEEKDAYS.has(word) && !WEEKDAY_PLURALS.has(word) && word.length > 4
    ? FULL_WEEKDAYS.find(
        (day) =>
          day[0] === word[0] &&
          (isNear(word, day) ||
            sorted(word) === sorted(day) ||
            isNear(sorted(word), sorted(day)) ||
            // 'wensday' lacks two letters
            Array.from(day, (_, i) => day.slice(0, i) + day.slice(i + 1)).some((less) => isNear(word, less))),
      )
    : undefined;

/** 'like an hour', 'for like two thirty'. */
const isFiller = (tokens: readonly Token[], i: number): boolean => {
  const { word, kind } = tokens[i]!;
  if (kind !== 'word') return false;
  if (FILLERS.has(word)) return true;
  const isBehindTime =
    /^(?:number|clock|date)$/.test(tokens[i - 1]?.kind ?? '') || BEHIND_TIMES.has(wordAt(tokens, i - 1));
  if (word === 'only' && isBehindTime && endsPhrase(tokens, i)) return true;
  if (CLOCK_MARKS.has(word) && tokens[i - 1]?.kind === 'clock') return true;
  if (word === 'hour' && tokens[i + 1]?.kind === 'clock' && !/^(?:an?|one|same|half|per)$/.test(wordAt(tokens, i - 1)))
    return true;
  // 'they should please begin at 3'
  if (
    word === 'please' &&
    tokens[i - 1]?.kind === 'word' &&
    tokens[i + 1]?.kind === 'word' &&
    MODALS.has(wordAt(tokens, i - 1))
  )
    return true;
  const before = wordAt(tokens, i - 1);
  if (word !== 'like' || BEFORE_LIKE.has(before) || before.endsWith("'d") || wordAt(tokens, i + 1) === 'to')
    return false;
  const next = tokens[i + 1];
  return (
    next !== undefined &&
    (['number', 'clock'].includes(next.kind) ||
      ['can', 'could', 'would', 'please', 'maybe'].includes(next.word) ||
      ['a', 'an', 'half', 'around', 'about', 'at', 'on', 'maybe'].includes(next.word) ||
      UNITS.has(next.word) ||
      WEEKDAYS.has(next.word) ||
      (endsPhrase(tokens, i + 1) && next.kind === 'word'))
  );
};

const opens = (tokens: readonly Token[], i: number): boolean => {
  const before = tokens[i - 1];
  return !before || before.kind === 'break' || ['.', '!', '?', ';', ',', 'and', 'please', 'you'].includes(before.word);
};

/** 'its too dark' */
const isItIs = (tokens: readonly Token[], i: number): boolean =>
  wordAt(tokens, i) === 'its' && BEHIND_IT_IS.has(wordAt(tokens, i + 1));
const BEHIND_IT_IS = setOf('too so not very getting going already just only all a an the quite really ok fine');

/** 'lunch w/ Kate', 'lunch w Kate' */
const isWith = (tokens: readonly Token[], i: number): boolean =>
  wordAt(tokens, i) === 'w' &&
  tokens[i + 1] !== undefined &&
  (i === 0 || tokens[i + 1]!.glued || tokens[i - 1]!.kind === 'word');

/** Said while thinking: ', let me think,'. */
const THINKING = ', (let me (think/see/check)/you know/how do you say/i guess/what was it) ,';

const withoutThinking = (all: readonly Token[]): Token[] => {
  let over = 0;
  return all.filter((_, i) => {
    over = Math.max(over, phraseAt(all, i, THINKING) ?? 0);
    return i >= over;
  });
};

export const plainTokens = (all: readonly Token[]): Token[] => {
  const tokens = withoutThinking(all);
  const said = tokens.filter(
    (_, i) =>
      !(wordAt(tokens, i) === '/' && tokens[i]!.glued && isWith(tokens, i - 1)) &&
      !isFiller(tokens, i) &&
      !(wordAt(tokens, i) === ',' && i > 0 && isFiller(tokens, i - 1)),
  );
  return said.flatMap((token, i) => spelled(said, i) ?? token);
};

/** The words that a token stands for; null where it is as it is written. */
const spelled = (said: readonly Token[], i: number): Token | Token[] | null => {
  const token = said[i]!;
  if (isWith(said, i)) return { ...token, word: 'with', text: 'with' };
  if (isItIs(said, i)) return { ...token, word: "it's" };
  if (token.kind !== 'word') return null;
  const own = POSSESSIVES.get(token.word);
  if (own) return { ...token, word: own, possessive: true };
  const [word = misspelt(said, i), ...more] = SPELLINGS.get(token.word) ?? [];
  if (word === undefined) return null;
  const { end } = token;
  const behind = more.map((each) => ({ ...token, word: each, text: each, start: end, end, glued: false }));
  return [{ ...token, word, ...(more.length > 0 && { text: word }) }, ...behind];
};

/** The verb or the word of time that one wrong letter has made another word. */
const misspelt = (said: readonly Token[], i: number): string | undefined => {
  const { word, text } = said[i]!;
  if (word.length > 4 && !INFLECTED.test(word) && opens(said, i)) {
    const verb = VERBS.find((name) => isNear(word, name));
    if (verb) return verb;
  }
  if (word.length < 6 || OWN_WORDS.has(word)) return undefined;
  const day = misspeltWeekday(word);
  // A name may be like a weekday
  const isOne = FULL_WEEKDAYS.filter((name) => isNear(word, name)).length === 1;
  if (day) return isOne && isNear(word, day) && (i === 0 || text === word) ? day : undefined;
  return OFTEN_MISSPELT.find((name) => name[0] === word[0] && isNear(word, name));
};
