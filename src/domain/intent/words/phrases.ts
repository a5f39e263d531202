/** Looks up phrases and words of the lexicon in a list of tokens. */
import type { Token } from './tokens.ts';

/** Phrases by their first word, each the list of its words. */
type Phrases = ReadonlyMap<string, readonly (readonly string[])[]>;
const compiled = new Map<string, Phrases>();

/** Writes out the choices of a phrase: 'book (a/an/) slot' is 'book a slot', 'book an slot' and 'book slot'. */
const expand = (phrase: string): string[] => {
  const choice = /\(([^()]*)\)/.exec(phrase);
  return choice
    ? choice[1]!.split('/').flatMap((one) => expand(phrase.replace(choice[0], one)))
    : [phrase.replace(/ +/g, ' ').trim()];
};

const compile = (phrases: string): Phrases => {
  const byFirst = new Map<string, string[][]>();
  for (const phrase of phrases.split('|').flatMap(expand)) {
    const words = phrase.split(' ');
    const known = byFirst.get(words[0]!);
    if (known) known.push(words);
    else byFirst.set(words[0]!, [words]);
  }
  compiled.set(phrases, byFirst);
  return byFirst;
};

/** The words that `phrases` begin with. */
export const firstWords = (...lists: readonly string[]): ReadonlySet<string> =>
  new Set(lists.flatMap((phrases) => [...(compiled.get(phrases) ?? compile(phrases)).keys()]));

/** The index after the longest of `phrases` ('set up|book') that begins at `i`, else null. Only the code's own literals come here. */
export const phraseAt = (tokens: readonly Token[], i: number, phrases: string): number | null => {
  const first = tokens[i];
  const known = first && (compiled.get(phrases) ?? compile(phrases)).get(first.word);
  if (!known) return null;
  let best = i;
  for (const words of known) {
    let n = 1;
    while (n < words.length && tokens[i + n]?.word === words[n]) n++;
    if (n === words.length && i + n > best) best = i + n;
  }
  return best > i ? best : null;
};

/** A record looked up by any word at all: without the prototype, 'constructor' is no entry of it. */
export const dictionary = <T>(entries: Record<string, T>): Readonly<Record<string, T>> =>
  Object.assign(Object.create(null) as Record<string, T>, entries);

export const setOf = (words: string): ReadonlySet<string> => new Set(words.split(' '));
