/** Plain words: speech fillers left out, chat spellings and misspelt verbs read as what they stand for, misspelt weekdays found. */
import { endsPhrase, phraseAt, setOf, type Token, UNITS, WEEKDAY_PLURALS, WEEKDAYS, wordAt } from './words.ts';

const FILLERS = setOf(
  'um umm ehm eh aeh uh uhm uhh er erm hmm ugh lol omg haha hahaha btw tbh imo ooh ohh aww yay meh argh whoops oops literally basically totally lmao rofl',
);
const MODALS = setOf('should must could can would will may');
const BEFORE_LIKE = setOf('i you we they would d looks look feel feels sounds something anything things');
/** 'u you|pls please' */
const spelt = (pairs: string): ReadonlyMap<string, string> =>
  new Map(pairs.split('|').map((pair) => pair.split(' ') as [string, string]));
const SPELLINGS = spelt(
  "u you|pls please|plz please|thx thanks|yea yeah|kinda maybe|cant can't|wont won't|dont don't|im i'm|ive i've|" +
    "whens when's|wheres where's|hows how's|thats that's|theres there's|doesnt doesn't|isnt isn't|wasnt wasn't|" +
    "couldnt couldn't|nite night|n and|whats what's|appt appointment|shes she's|hes he's|theyre they're|weve we've|" +
    "arent aren't|tonite tonight|tomorow tomorrow|tommorow tomorrow|tommorrow tomorrow|tmrw tomorrow|tmr tomorrow|" +
    '2moro tomorrow|2morrow tomorrow',
);
/** Without its apostrophe: 'tomorrows lunch'. */
const POSSESSIVES = spelt('todays today|tomorrows tomorrow|tonights tonight|yesterdays yesterday');
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
  wordAt(tokens, i) === 'w' && i > 0 && tokens[i - 1]!.kind === 'word' && tokens[i + 1] !== undefined;

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
  return said.map((token, i) => {
    if (isWith(said, i)) return { ...token, word: 'with', text: 'with' };
    if (isItIs(said, i)) return { ...token, word: "it's" };
    const verb =
      token.kind === 'word' && token.word.length > 4 && !INFLECTED.test(token.word) && opens(said, i)
        ? VERBS.find((name) => isNear(token.word, name))
        : undefined;
    const own = POSSESSIVES.get(token.word);
    if (own) return { ...token, word: own, possessive: true };
    const word = SPELLINGS.get(token.word) ?? verb;
    return word && token.kind === 'word' ? { ...token, word } : token;
  });
};
