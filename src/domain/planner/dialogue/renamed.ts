/** A better name, or more of the name, of what was spoken of. */
import { type Clause, clauseOf } from '../act/clause.ts';
import type { Found } from '../act/known.ts';
import { fitting, nameWords } from '../act/names.ts';
import { ALTERING } from './item.ts';

/** 'With Inga too': more of the name. */
const BESIDE = /^\s*(?:and\s+)?(with|for)\s+/i;
export const isBeside = (clause: Clause): boolean =>
  BESIDE.test(clause.text('title')) && !clause.has('when', 'repeat', 'rel', 'target', 'create', ...ALTERING);

/** 'Carla, not Clara': a name that stands for one like it in the title. */
const betterName = (title: string, clause: Clause): string => {
  const said = clause.text('title');
  const [, joint] = BESIDE.exec(said) ?? [];
  if (joint)
    return new RegExp(`\\b${joint}\\s`, 'i').test(title)
      ? `${title} and ${said.replace(BESIDE, '')}`
      : `${title} ${said}`;
  const words = title.split(/(\s+)/);
  const denied = new Set(nameWords(/\bnot\b(.*)$/is.exec(clause.glue)?.[1] ?? ''));
  const isLike = (word: string): boolean =>
    nameWords(word).some((one) => denied.has(one)) || fitting(nameWords(said), word) > 0;
  const at = words.findIndex((word) => /\w/.test(word) && isLike(word));
  const isPart = at >= 0 && words.filter((word) => /\w/.test(word)).length > 1 && nameWords(said).length < words.length;
  return isPart ? words.map((word, i) => (i === at ? said : word)).join('') : said;
};

export const renaming = (clause: Clause, found: readonly Found[]): Clause[] =>
  found.map(({ title }) =>
    clauseOf([
      ...clause.pieces.filter(({ role }) => role !== 'title'),
      { role: 'title', text: betterName(title, clause), from: -1, to: -1 },
    ]),
  );
