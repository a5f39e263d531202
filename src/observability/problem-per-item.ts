/** Makes the problem of one item of several, so that its failure does not affect the others. */
import type { Caller } from '../domain/access/caller.ts';
import { problem, Problem } from '../common/problem.ts';
import { isDatabaseAway } from '../db/sqlstate.ts';
import type { Logger } from './log.ts';

export type ProblemOf = (error: unknown, caller: Caller) => Problem;

export const createProblemOf =
  (log: Logger): ProblemOf =>
  (error, { request_id }) => {
    if (error instanceof Problem) return error;
    log.error({ err: error, request_id }, 'one of several items failed');
    return problem(
      'internal_error',
      'The service failed on this item and logged the error. Quote the request_id when you report it.',
    );
  };

export type ItemOutcome<I, T> = { item: I; value?: T; problem?: Problem };

/** Does the work for each item by itself. One that fails neither undoes the others nor hides their answers. */
export const eachItem = async <I, T>(
  caller: Caller,
  items: readonly I[],
  work: (item: I) => Promise<T>,
  problemOf: ProblemOf,
): Promise<ItemOutcome<I, T>[]> => {
  const results: ItemOutcome<I, T>[] = [];
  for (const item of items) {
    try {
      results.push({ item, value: await work(item) });
    } catch (error) {
      if (isDatabaseAway(error)) throw error;
      results.push({ item, problem: problemOf(error, caller) });
    }
  }
  return results;
};
