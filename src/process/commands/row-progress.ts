/** Reports the rows of a copy as progress, at most once a second. */
import type { OnRows, TableHeader } from '../../db/copy/snapshot.ts';

const EVERY_MS = 1_000;

const inWords = (count: number): string => count.toLocaleString('en');

const rowsOf = (tables: readonly TableHeader[]): number => tables.reduce((sum, { rows }) => sum + rows, 0);

/** @param doing what is done with the rows, such as `copied` */
export const rowProgress = (progress: (line: string) => void, doing: string): OnRows => {
  let reported = performance.now();
  return ({ name, rows }, done) => {
    const now = performance.now();
    if (now - reported < EVERY_MS) return;
    reported = now;
    progress(`${name}: ${inWords(done)} of ${inWords(rows)} rows ${doing}`);
  };
};

/** What is loaded, in words. */
export const sumOf = (tables: readonly TableHeader[]): string =>
  `${inWords(rowsOf(tables))} rows of ${tables.length} tables`;

export const NO_VECTORS =
  'The vectors were left out, because one of the two databases has no pgvector. Where it is there, the service computes them in the background.';
