/** Names that are none: words of time, of change, of questions or of the speaker that no reader took, within a title. */
import { ARTICLES, NUMBERED } from '../words.ts';
import { DAY_PARTS, NAME_DOUBTS, OWNERS, SHORT_UNITS } from '../words/name-doubts.ts';

const { first, within, last, alone, timeLike, ordinalNouns, batch, beforeOwner, handles, handlesAlone, ways } =
  NAME_DOUBTS;

/** A number that may be a day, an hour or a length: '26th', '9.30', '6-2', "25'", '20 m'. */
const isLooseNumber = (words: readonly string[], i: number): boolean => {
  const word = words[i]!;
  const next = words[i + 1] ?? '';
  if (/^\d{1,2}$/.test(word) && /^(?:st|nd|rd|th)$/.test(next)) return !ordinalNouns.has(words[i + 2] ?? '');
  if (/^\d{1,2}[.:h]\d\d$/.test(word)) return true;
  if (!/^\d{1,2}$/.test(word)) return false;
  const isNumbered = NUMBERED.has(words[i - 1] ?? '') || words[i - 1] === '#';
  return (
    !isNumbered && (/^[.:–'’]$/.test(next) || (next === '-' && /^\d/.test(words[i + 2] ?? '')) || SHORT_UNITS.has(next))
  );
};

/** 'Traffic's dreadful', 'School's out': a sentence, and no owner. */
const isShortSentence = (words: readonly string[]): boolean =>
  words.some(
    (word, i) =>
      i < 3 &&
      /\p{L}['’]s$/u.test(word) &&
      !beforeOwner.has(words[i - 1] ?? '') &&
      (i === words.length - 1 || /^(?:at|on|in|out|off|away|here|there|over)$/.test(words[i + 1]!)),
  );

/** 'count all my shifts', 'take the evening off': they handle what is there, or ask. */
const handlesKnown = ([one = '', two = '', ...rest]: readonly string[]): boolean => {
  const owned = OWNERS.has(two.replace('’', "'"));
  const isWay = ways.has(rest.at(-1) ?? two);
  return (
    (batch.has(one) && two !== 'the' && (owned || two === 'me')) ||
    (handles.has(one) && owned && (handlesAlone.has(one) || isWay))
  );
};

/** A word of time, of change or of the speaker, at its place. */
const isDoubtfulWord = (words: readonly string[], i: number): boolean => {
  const word = words[i]!;
  const next = words[i + 1] ?? '';
  if (isLooseNumber(words, i) || (word === 'that' && DAY_PARTS.has(next))) return true;
  if (i === 0) return false;
  const isTime = timeLike.has(word) && next === '' && !/^\d+$|^(?:with|and)$/.test(words[i - 1]!);
  return isTime || within.has(word) || (word === 'all' && OWNERS.has(next));
};

/** Whether words cannot name something to plan. */
export const isDoubtfulName = (said: readonly string[]): boolean => {
  const words = ARTICLES.has(said[0] ?? '') ? said.slice(1) : said;
  const [one = ''] = words;
  if (first.has(one) || isShortSentence(words)) return true;
  if (words.length === 1) return alone.has(one);
  return last.has(words.at(-1)!) || words.some((_, i) => isDoubtfulWord(words, i)) || handlesKnown(words);
};
