/**
 * The regular expressions of the service, and whether each takes linear time: a text of 100 kB holds everybody up for many seconds
 * where one does not. `npm run expressions` asks recheck about new ones, which takes a minute, and notes those that do.
 */
import { globSync, readFileSync } from 'node:fs';
import { parseAst } from 'rolldown/parseAst';

const ROOT = new URL('../..', import.meta.url).pathname;
const KNOWN_FILE = `${ROOT}test/support/linear-expressions.json`;

export type Expression = { place: string; source: string; flags: string };

/** The beginnings of what recheck complains about, although it reads no text of others, or takes few steps at each place. */
const ACCEPTED: [source: string, why: string][] = [
  [String.raw`\b(?:waiting|waits?|pending|undecided|queued?)\b|`, 'At most 200 steps at each place.'],
  [String.raw`\p{M}{30}`, 'At most thirty steps at each place.'],
  [String.raw`^\s*--.*$`, 'It reads our migrations.'],
  [String.raw`[+-]\d.*$`, 'It reads what the database driver answers.'],
  [String.raw`^(?:INSERT|UPDATE|DELETE|MERGE|COPY) .*?(\d+)$`, 'It reads what the database driver answers.'],
];

const keyOf = ({ source, flags }: Pick<Expression, 'source' | 'flags'>): string => `/${source}/${flags}`;

/** The literals of a file. */
export const expressionsOf = (file: string, text: string): Expression[] => {
  const found: Expression[] = [];
  const visit = (node: unknown): void => {
    if (typeof node !== 'object' || node === null) return;
    if (Array.isArray(node)) return node.forEach(visit);
    const { type, regex, start } = node as {
      type?: string;
      regex?: { pattern: string; flags: string };
      start?: number;
    };
    if (type === 'Literal' && regex)
      found.push({
        place: `${file}:${text.slice(0, start).split('\n').length}`,
        source: regex.pattern,
        flags: regex.flags,
      });
    else Object.values(node).forEach(visit);
  };
  visit(parseAst(text, { lang: file.endsWith('x') ? 'tsx' : 'ts' }, file));
  return found;
};

/** Those of src, each once. Files that only generate others run on our own texts. */
export const allExpressions = (): Expression[] => {
  const files = globSync('src/**/*.{ts,tsx}', { cwd: ROOT }).filter((file) => !file.includes('/generated/'));
  const all = files.toSorted().flatMap((file) => expressionsOf(file, readFileSync(ROOT + file, 'utf8')));
  return [...new Map(all.toReversed().map((one) => [keyOf(one), one])).values()];
};

const known = (): Set<string> => new Set(JSON.parse(readFileSync(KNOWN_FILE, 'utf8')) as string[]);

/** Those of which nobody knows yet that they take linear time. */
export const unknownOf = (all: readonly Expression[], linear = known()): Expression[] =>
  all.filter((one) => !linear.has(keyOf(one)) && !ACCEPTED.some(([source]) => one.source.startsWith(source)));

/** The text of the file that notes those that take linear time. */
export const noted = (linear: readonly Expression[]): { file: string; text: string } => ({
  file: KNOWN_FILE,
  text: `${JSON.stringify(linear.map(keyOf).toSorted(), null, 2)}\n`,
});
