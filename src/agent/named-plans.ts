/** The plans that a request decides on, and the versions of them that the caller has read. */
import { invalid, pointer, type SeenVersions } from '../common/problem.ts';
import { ifMatch } from '../http/preconditions.ts';
import type { RequestFacts } from '../http/route.ts';

export type Bound = { expected_version?: number | undefined; expected_versions?: Record<string, number> | undefined };

export const NOT_IN_IT = 'must be a plan of the proposal';
export const NOT_ITS_PARTNER =
  'must be the plan with which the plan exchanges places (swaps_with); send the version of the plan itself in expected_version';

/** Refuses versions of plans that the request does not decide on, because they would have no effect. @throws 422 */
export const refuseOtherVersions = (
  { expected_versions = {} }: Bound,
  message: string,
  isKnown: (uid: string) => boolean,
): void => {
  const strange = Object.keys(expected_versions).filter((uid) => !isKnown(uid));
  if (strange.length)
    throw invalid(strange.map((uid) => ({ path: pointer(['expected_versions', uid]), code: 'custom', message })));
};

/**
 * The version of a plan that the caller has read. A version without a uid belongs to the plans that the request names, and not to
 * one that is decided on with them.
 */
export const seen = (
  body: Bound,
  uid: string,
  named: readonly string[],
  request: RequestFacts,
): SeenVersions | undefined =>
  Object.entries(body.expected_versions ?? {}).find(([key]) => key === uid)?.[1] ??
  (named.includes(uid) ? (body.expected_version ?? ifMatch(request)) : undefined);

export type Target = { uid?: string | undefined; uids?: string[] | undefined; proposal_id?: string | undefined };
