/** Clauses that only tell something: reasons, reports, where somebody is. Nothing is planned from them. */
import { mayCome } from '../clause/kind.ts';
import { subjectOf } from '../correct.ts';
import { facetsOf, type Frame } from '../frame.ts';
import type { State } from '../reference.ts';
import { localDate } from '../../time/time.ts';

const FUTURE = new Set(['days', 'period', 'edge', 'every', 'clock', 'instant', 'hours', 'count']);
/** Whether a time is named that is not over, today aside. */
export const isAhead = ({ context }: State, { items }: Frame): boolean => {
  const today = localDate(context.now, context.zone);
  return facetsOf(items).some(
    (facet) =>
      FUTURE.has(facet.kind) && !(facet.kind === 'days' && facet.days.every(({ date }) => date.toString() === today)),
  );
};

/** 'push it to 8, I'm at the office till seven': where somebody is, beside a request. */
const AT_PLACE = /^(?:i am|i'm|we are|we're|i will be|i'll be) (?:at|in)$/i;
const SETTING_A_TIME = new Set([
  'clock',
  'hours',
  'instant',
  'duration',
  'count',
  'every',
  'part',
  'whole',
  'gap',
  'shift',
]);

/** 'On Thursday I rush to the hairdresser. Move it.': a sentence without a verb that asks, and without an hour. */
const isLoose = (state: State, { kind, clause, act, items }: Frame): boolean =>
  state.hasVerb === true &&
  kind === 'request' &&
  !clause.joined &&
  (act === null || act === 'have') &&
  subjectOf(state, items).length > 0 &&
  !facetsOf(items).some((facet) => SETTING_A_TIME.has(facet.kind));

export const tellsOnly = (state: State, frame: Frame, text: string): boolean => {
  const isReport = frame.kind === 'report' && state.hasRequest === true && !(mayCome(text) && isAhead(state, frame));
  const isAt = AT_PLACE.test(frame.lead) && state.hasRequest === true && frame.clause.joined;
  return frame.kind === 'aside' || isReport || isAt || isLoose(state, frame);
};
