/** Words a problem as the error of a tool: its code, what is wrong, and what a model should do now. */
import { CODES, type ProblemKind } from '../common/problem-codes.ts';
import type { Problem } from '../common/problem.ts';
import { dataJson } from '../domain/text/data-json.ts';
import { fitsTokens } from '../domain/text/tokens.ts';

const WHAT_TO_DO: Record<ProblemKind, string> = {
  malformed: 'Correct the call as the detail says.',
  unauthenticated: 'Stop. Tell the person that the API key is not valid any more and that they can make another one.',
  forbidden:
    'Do not try again with this key. Tell the person what you could not do; they can give the key more rights.',
  not_found: 'Look the uid up with a list or a search, and call again with the right one.',
  method_not_allowed: 'Use another tool.',
  too_slow: 'Call again.',
  conflict: 'Read the current state first, then decide whether your call is still needed; the same call fails again.',
  gone: 'Begin again with the first page or the current state.',
  stale: 'Read the plan again, and repeat the call with its new version if you still want it.',
  precondition_required: 'Read the plan, and name its version as expected_version.',
  too_large: 'Ask for less, or allow more with max_tokens.',
  headers_too_large: 'Send shorter headers.',
  unsupported_media: 'Send UTF-8 text.',
  invalid: 'Correct the arguments that `errors` or the detail names, and call again.',
  throttled: 'Wait as long as the detail says, then call again. Call less often.',
  internal: 'Call again once. If it fails again, tell the person and quote the request_id.',
  not_implemented: 'Use another mode.',
  unavailable: 'Wait some seconds, then repeat the call with the same request_key.',
};

/** An error has at most this many tokens, which is less than any bound that a caller can set. */
const MAX_TOKENS = 450;
const SHOWN_FAULTS = 10;

/** Writes the error as JSON. What does not fit is left out: first the members that some codes add, then all but the beginning. */
export const faultText = (thrown: Problem, request_id: string): string => {
  const [kind] = CODES[thrown.code];
  const { errors, extra } = thrown.options;
  const frame = { code: thrown.code, what_to_do: WHAT_TO_DO[kind], request_id };
  const detail = thrown.message;
  const some = errors ? { errors: errors.slice(0, SHOWN_FAULTS) } : {};
  const forms = [
    { ...frame, detail, ...some, ...extra },
    { ...frame, detail, ...some },
    { ...frame, detail },
    { ...frame, detail: `${detail.slice(0, 200).toWellFormed()}…` },
  ].map(dataJson);
  return forms.find((text) => fitsTokens(text, MAX_TOKENS)) ?? dataJson({ code: thrown.code, request_id });
};
