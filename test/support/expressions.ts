/**
 * The regular expressions of the service, and whether each takes linear time: a text of 100 kB holds everybody up for many seconds
 * where one does not. `npm run expressions` asks recheck about new ones, which takes a minute, and notes those that do.
 */
import { globSync, readFileSync, writeFileSync } from 'node:fs';
import { parseAst } from 'rolldown/parseAst';

const ROOT = new URL('../..', import.meta.url).pathname;
const KNOWN_FILE = `${ROOT}test/support/linear-expressions.json`;

export type Expression = { place: string; source: string; flags: string };

/** Expressions that recheck complains about, although they read no text of others, or take few steps at each place. */
const ACCEPTED = new Map([
  [String.raw`\p{M}{30}`, 'At most thirty steps at each place.'],
  [String.raw`^\s*--.*$`, 'It reads our migrations.'],
  [String.raw`[+-]\d.*$`, 'It reads what the database driver answers.'],
  [String.raw`^(?:INSERT|UPDATE|DELETE|MERGE|COPY) .*?(\d+)$`, 'It reads what the database driver answers.'],
  [
    String.raw`\b(?:agents?|you|almanac|planner|assistant)\b.{0,200}\b(?:propos|suggest)`,
    'At most 200 steps at each place.',
  ],
  [String.raw`\b(?:propos|suggest)\w*\b.{0,200}\bagents?\b`, 'At most 200 steps at each place.'],
]);

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

const noted = (): Set<string> => new Set(JSON.parse(readFileSync(KNOWN_FILE, 'utf8')) as string[]);

/** Those of which nobody knows yet whether they take linear time. */
export const unknownOf = (all: readonly Expression[]): Expression[] => {
  const linear = noted();
  return all.filter((one) => !linear.has(keyOf(one)) && !ACCEPTED.has(one.source));
};

/** Notes the expressions that take linear time. */
export const note = (linear: readonly Expression[]): void => {
  const keys = linear.filter(({ source }) => !ACCEPTED.has(source)).map(keyOf);
  writeFileSync(KNOWN_FILE, `${JSON.stringify(keys.toSorted(), null, 2)}\n`);
};
