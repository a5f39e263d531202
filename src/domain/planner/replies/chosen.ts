/** What a prompt chooses of the readings, or the times, that the reply before it offered. */
import type { Choice, Intent } from '../intents/types.ts';
import { setOf } from '../words/tables.ts';
import { ORDINALS as NTH } from '../words/time-words.ts';

const SMALL = setOf(
  "the a an one ones please ok okay yes yeah take make it that this is i i'd i'll want mean meant prefer like rather choose pick go with let's do s at on in of for to then thanks thank you option choice number sorry better would be , . ! ? “ ” proposal proposals event",
);
const BOTH = setOf('both all them every everything');
/** What is said after these is not meant. */
const NOT = setOf("not no don't don’t dont neither nor isn't isn’t");
const LAST = setOf('last latter second-one');
const EVENING = setOf('pm evening afternoon tonight night');
const MORNING = setOf('am morning');

const wordsOf = (text: string): string[] =>
  text
    .toLowerCase()
    .replaceAll(/(\d)(am|pm)\b/g, '$1 $2')
    .match(/[\p{L}\p{N}'’]+/gu) ?? [];

/** The words by which a choice may be meant. */
const keysOf = ({ label }: Choice): Set<string> => {
  const words = wordsOf(label);
  const hour = Number(/(\d\d):\d\d/.exec(label)?.[1] ?? Number.NaN);
  const half = Number.isNaN(hour) ? [] : [String(hour), String(hour % 12 || 12), ...(hour < 12 ? MORNING : EVENING)];
  return new Set([...words, ...words.map((word) => word.slice(0, 3)), ...half]);
};

/** A number alone is the one in front of a choice: '2', 'option 2'. 'at 2' is an hour. */
const NUMBER = /^\W*(?:(?:option|number|choice) )?(\d{1,2})\W*$/i;

/** Which one a word alone counts to, from 1; 0 where it counts to none. */
const nthOf = (word: string, count: number): number => {
  if (LAST.has(word)) return count;
  if (word === 'other') return 2;
  return word === 'former' ? 1 : (NTH.get(word) ?? 0);
};

const folded = (text: string): string => text.trim().toLowerCase();

/** The choice whose whole label is the prompt, such as 'No'; null where there is none. */
export const labelled = (prompt: string, choices: readonly Choice[]): Intent[] | null => {
  const found = choices.filter(({ label }) => folded(label) === folded(prompt));
  return found.length === 1 ? found[0]!.intents : null;
};

/** What the prompt chooses of what was offered before it; null where it says something else, or what is not meant. */
export const chosenFrom = (prompt: string, choices: readonly Choice[]): Intent[] | null => {
  const named = labelled(prompt, choices);
  if (named || wordsOf(prompt).some((word) => NOT.has(word))) return named;
  const said = wordsOf(prompt).filter((word) => !SMALL.has(word));
  if (choices.length === 0 || said.length === 0 || said.length > 12) return null;
  const numbered = choices[Number(NUMBER.exec(prompt)?.[1] ?? 0) - 1];
  if (numbered) return numbered.intents;
  if (said.every((word) => BOTH.has(word))) return choices.flatMap(({ intents }) => intents);
  const [only, ...more] = said;
  const nth = more.length === 0 ? nthOf(only!, choices.length) : 0;
  if (nth > 0) return choices[nth - 1]?.intents ?? null;
  const found = choices.filter((choice) => {
    const keys = keysOf(choice);
    return said.every((word) => keys.has(word));
  });
  return found.length === 1 ? found[0]!.intents : null;
};
