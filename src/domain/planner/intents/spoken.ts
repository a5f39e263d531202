/** Compares the words of a prompt with the name of a thing. */
import { nameWords } from '../act/names.ts';
import { GENERIC_NOUNS } from '../words/act-words.ts';

/** Words that have this many letters in common at their beginning are forms of one word: 'tutor' and 'tutorials'. */
const SAME_LETTERS = 4;
/** The shortest word that is found in another one: 'run' and 'running'. */
const SHORTEST = 3;

const isSame = (a: string, b: string): boolean => {
  const [short, long] = a.length <= b.length ? [a, b] : [b, a];
  return a === b || (short.length >= SHORTEST && long.startsWith(short.slice(0, SAME_LETTERS)));
};

/** Whether the words have one of the name that not any event has. A name of small words only is not looked for. */
export const hasName = (said: readonly string[], name: string): boolean => {
  const all = nameWords(name);
  const special = all.filter((word) => !GENERIC_NOUNS.has(word));
  const own = special.length > 0 ? special : all;
  return own.length === 0 || own.some((word) => said.some((one) => isSame(one, word)));
};
