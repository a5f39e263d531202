/** Compares readings with annotated lines, and makes tables of it. */
import type { Request } from '../../src/domain/planner/request.ts';
import { ROLES, type Role, type Span } from '../../src/domain/planner/request.ts';
import type { Reading } from '../../src/domain/planner/roles/reader.ts';

const WORDS = /[\p{L}\p{M}]+(?:['’]\p{L}+)?|\d+/gu;
/** Words that carry nothing by themselves: where a span begins or ends with one of them, writers differ. */
const SMALL = new Set(
  'the a an of to for on at in with my and or is it be i we me you our your this that from by as so'.split(' '),
);
/** Roles that come to the same: what is only polite or an aside has no effect, nor has the verb of what is new. */
const SAME: Partial<Record<Role, Role | null>> = {
  ...{ polite: null, aside: null, create: null, remind: null },
  ...{ place: 'extra', rel: 'when' },
};

const meaningAt = (spans: readonly Span[], at: number): Role | null => {
  const role = spans.find(({ from, to }) => from <= at && at < to)?.role ?? null;
  return role && role in SAME ? SAME[role]! : role;
};

/** A reading of a line: how many of its words are right, and whether all are. */
export type Judged = { line: Request; reading: Reading; words: number; rightWords: number; right: boolean };

export const judge = (line: Request, reading: Reading): Judged => {
  const places = [...line.text.matchAll(WORDS)]
    .filter(([word]) => !SMALL.has(word.toLowerCase()))
    .map(({ index }) => index);
  const right = places.filter((at) => meaningAt(line.spans, at) === meaningAt(reading.spans, at));
  return { line, reading, words: places.length, rightWords: right.length, right: right.length === places.length };
};

const percent = (part: number, of: number): string => (of === 0 ? '-' : ((100 * part) / of).toFixed(1));
const sum = <T>(list: readonly T[], of: (one: T) => number): number => list.reduce((all, one) => all + of(one), 0);

const table = (head: string[], rows: (string | number)[][]): string =>
  [head, head.map(() => '---'), ...rows].map((row) => `| ${row.join(' | ')} |`).join('\n');

/** The share of requests and of words that are right, by name. */
export const sharesOf = (sets: readonly (readonly [string, readonly Judged[]])[]): string =>
  table(
    ['Lines', 'Requests', 'Every role right, %', 'Words right, %'],
    sets.map(([name, all]) => [
      name,
      all.length,
      percent(all.filter(({ right }) => right).length, all.length),
      percent(
        sum(all, ({ rightWords }) => rightWords),
        sum(all, ({ words }) => words),
      ),
    ]),
  );

/** Whether probabilities are honest: of the readings that are at least so probable, how many are right. */
export const honestyOf = (all: readonly Judged[]): string =>
  table(
    ['Probability at least', 'Readings', 'Right, %'],
    [0.9, 0.8, 0.7, 0.6, 0.5, 0.3, 0].map((least) => {
      const taken = all.filter(({ reading }) => reading.probability >= least);
      return [least, taken.length, percent(taken.filter(({ right }) => right).length, taken.length)];
    }),
  );

/** For each role, which of its spans are found exactly, and which of those that are read are so. */
export const rolesOf = (all: readonly Judged[]): string =>
  table(
    ['Role', 'Spans', 'Found, %', 'Read', 'Right, %'],
    ROLES.map((role) => {
      const of = (spans: readonly Span[]) => spans.filter((span) => span.role === role);
      const found = sum(all, ({ line, reading }) => {
        const known = new Set(of(line.spans).map(({ from, to }) => `${from} ${to}`));
        return of(reading.spans).filter(({ from, to }) => known.has(`${from} ${to}`)).length;
      });
      const spans = sum(all, ({ line }) => of(line.spans).length);
      const read = sum(all, ({ reading }) => of(reading.spans).length);
      return [role, spans, percent(found, spans), read, percent(found, read)];
    }),
  );
