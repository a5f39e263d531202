/** Tags in a request: '#thesis' is its task, '@deep_work' its tempo. They are no words of it. */
import type { Ranges } from './types.ts';

const TEMPO: ReadonlySet<string> = new Set(
  ['morning', 'afternoon', 'evening', 'deep_work', 'shallow', 'meeting', 'recovery'].map((name) => `@${name}`),
);
const TAG = /(?<![\p{L}\p{N}_])[#@][\p{L}\p{N}_][\p{L}\p{N}_-]*/gu;
/** '@anna' behind these is a person, and stays. */
const WITH_PERSON = /\b(?:with|for|and|to|from|meet|call|ask)\s+$/i;

/** '#thesis' behind these is also a word of the name: 'deep work on #thesis'. */
const OF_NAME = /\b(?:on|of|for|about|in|with|to)\s+$/i;

export type Tags = { task_id?: string; tempo_tag?: string; tags: string[] };

/** The tempo that a name says: 'deep work on the thesis'. */
export const tempoIn = (title: string): Pick<Tags, 'tempo_tag'> =>
  /\bdeep work\b/i.test(title) ? { tempo_tag: '@deep_work' } : {};

/** The tags, and the text with blanks in their place, so that offsets stay; what is also a word only loses its sign. */
export const tagsOf = (text: string, literal: Ranges = []): { text: string; tags: Tags } => {
  const found = [...text.matchAll(TAG)].filter(
    ({ 0: tag, index }) =>
      !literal.some(([from, to]) => index >= from && index < to) &&
      (TEMPO.has(tag.toLowerCase()) || !WITH_PERSON.test(text.slice(0, index))),
  );
  const names = found.map(([tag]) => tag);
  const task = names.find((tag) => tag.startsWith('#'));
  const tempo =
    names.find((tag) => TEMPO.has(tag.toLowerCase())) ?? names.find((tag) => tag.startsWith('@')) ?? undefined;
  const others = names.filter((tag) => tag !== task && tag !== tempo).map((tag) => tag.replace(/^#/, ''));
  const bare = found.reduce((all, { 0: tag, index }) => {
    const isWord = tag.startsWith('#') && OF_NAME.test(text.slice(0, index));
    return all.slice(0, index) + (isWord ? ` ${tag.slice(1)}` : ' '.repeat(tag.length)) + all.slice(index + tag.length);
  }, text);
  return {
    text: bare,
    tags: { ...(task && { task_id: task.slice(1) }), ...(tempo && { tempo_tag: tempo }), tags: [...new Set(others)] },
  };
};
