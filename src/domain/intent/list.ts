/** Lists of short things to do, which share the times at their end. */
import { type Item, WHEN } from './facet.ts';
import { afterCourtesy } from './verbs.ts';
import { setOf, type Token, wordAt } from './words.ts';

const TO_DO =
  /^(?:buy|call|write|read|email|mail|send|pay|finish|prepare|clean|fix|get|ask|check|order|pick|visit|wash|cook|book|do|make|water|phone|ring|text|iron|mow|tidy|pack|collect|return|post)$/;
const OBJECT = setOf('the my our a an his her their some');
/**
 * 'wash the windows, mow the lawn and clean the car on Saturday': where each thing to do but the first begins; none where it is no
 * such list. `from` is behind a lead-in: 'Three things for Friday: ...'.
 */
export const listOf = (
  tokens: readonly Token[],
  items: readonly Item[],
  starts: readonly number[],
  from: number,
): ReadonlySet<number> => {
  const last = starts.at(-1)!;
  const isWord = (item: Item | undefined): boolean => item?.facets.length === 0 && tokens[item.from]!.kind === 'word';
  // 'Tomorrow: post the parcel, ...' says its day first
  const opening = items.findIndex((item, i) => i >= from && isWord(item));
  const isWhen = ({ facets }: Item): boolean => facets.some(({ kind }) => WHEN.has(kind));
  const isOpening = items.slice(0, Math.max(0, opening)).some(isWhen);
  const verbAt = (at: number): number => {
    const token = items[at]?.from ?? -1;
    return at === opening ? afterCourtesy(tokens, token) : token;
  };
  const hasObject = (verb: number): boolean => tokens[verb]?.kind === 'word' && OBJECT.has(wordAt(tokens, verb + 1));
  const isToDo = (at: number): boolean => TO_DO.test(wordAt(tokens, verbAt(at))) || hasObject(verbAt(at));
  // 'clean the oven and defrost the freezer': of two things each says what it is done to
  const isWhole = (at: number): boolean => hasObject(verbAt(at)) || tokens[verbAt(at) + 1]?.kind === 'word';
  // ', 15 minutes each'
  const own = [opening, ...starts.filter((at) => at > opening)];
  const named = own.filter((at) => items[at]?.facets.length === 0);
  const isTimeless = items.slice(opening, named.at(-1)).every(({ facets }) => facets.length === 0);
  const timed = isOpening ? items.slice(0, opening) : items.slice(named.at(-1));
  const isOpen =
    timed.some(isWhen) && !timed.some(({ facets }) => facets.some(({ kind }) => kind === 'clock' || kind === 'hours'));
  const isLong = named.length > 2 || (named.length === 2 && named.every(isWhole));
  const isList = isLong && own.indexOf(named.at(-1)!) === named.length - 1 && last - named.at(-1)! < 12;
  return new Set(isList && isTimeless && isOpen && named.every(isToDo) ? named.slice(1) : []);
};
