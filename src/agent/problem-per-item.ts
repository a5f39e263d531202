/** Makes the problem of one item of several, so that its failure does not affect the others. */
import type { Caller } from '../domain/access/caller.ts';
import { problem, Problem } from '../common/problem.ts';
import type { Logger } from '../observability/log.ts';

export type ProblemOf = (error: unknown, caller: Caller) => Problem;

export const createProblemOf =
  (log: Logger): ProblemOf =>
  (error, { request_id }) => {
    if (error instanceof Problem) return error;
    log.error({ err: error, request_id }, 'one of several plans failed');
    return problem(
      'internal_error',
      'The service failed on this plan and logged the error. Quote the request_id when you report it.',
    );
  };
