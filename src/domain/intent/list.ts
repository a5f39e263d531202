/** Lists of short things to do, which share the times at their end. */
import { type Item, WHEN } from './facet.ts';
import { afterCourtesy } from './verbs.ts';
import { setOf, type Token, wordAt } from './words.ts';

const TO_DO =
  /^(?:buy|call|write|read|email|mail|send|pay|finish|prepare|clean|fix|get|ask|check|order|pick|visit|wash|cook|book|do|make|water|phone|ring|text|iron|mow|tidy|pack|collect|return|post)$/;
const OBJECT = setOf('the my our a an his her their some');
/** 'wash the windows, mow the lawn and clean the car on Saturday': where each thing to do but the first begins; none where it is no such list. */
export const listOf = (
  tokens: readonly Token[],
  items: readonly Item[],
  starts: readonly number[],
): ReadonlySet<number> => {
  const last = starts.at(-1)!;
  const isToDo = (at: number): boolean => {
    const from = items[at]?.from ?? -1;
    const opened = at === opening ? afterCourtesy(tokens, from) : from;
    return (
      TO_DO.test(wordAt(tokens, opened)) || (tokens[opened]?.kind === 'word' && OBJECT.has(wordAt(tokens, opened + 1)))
    );
  };
  const isWord = (item: Item | undefined): boolean => item?.facets.length === 0 && tokens[item.from]!.kind === 'word';
  // 'Tomorrow: post the parcel, ...' says its day first
  const opening = items.findIndex(isWord);
  // ', 15 minutes each'
  const named = starts.map((at) => (at === 0 ? opening : at)).filter((at) => items[at]?.facets.length === 0);
  const isTimeless = items.slice(opening, named.at(-1)).every(({ facets }) => facets.length === 0);
  const timed = opening > 0 ? items.slice(0, opening) : items.slice(named.at(-1));
  // 'clean the oven and defrost the freezer': of two things each says what it is done to
  const hasObject = (at: number): boolean =>
    isWord(items[at + 1]) && (OBJECT.has(wordAt(tokens, items[at + 1]!.from)) || TO_DO.test(wordAt(tokens, items[at]!.from)));
  const isOpen =
    timed.some(({ facets }) => facets.some(({ kind }) => WHEN.has(kind))) &&
    !timed.some(({ facets }) => facets.some(({ kind }) => kind === 'clock' || kind === 'hours'));
  const isLong = named.length > 2 || (named.length === 2 && named.every(hasObject));
  const isList = isLong && starts.indexOf(named.at(-1)!) === named.length - 1 && last - named.at(-1)! < 12;
  return new Set(isList && isTimeless && isOpen && named.every(isToDo) ? named.slice(1) : []);
};
