/** Cancelling what is on the calendar without saying so, and what was asked for just before. */
import { type Outcome, rawOf, sentence } from '../build.ts';
import { cancel } from '../change.ts';
import type { Frame } from '../frame.ts';
import { hasLast, lastIntents, type State } from '../reference.ts';
import { wordAt } from '../words.ts';

/** 'no daily sync on Friday': of something that is on the calendar it means to cancel it. */
export const cancelsKnown = (state: State, frame: Frame): Outcome | null => {
  const stops = /^stop$/i.test(frame.lead);
  const first = stops ? -1 : frame.items.findIndex(({ from }) => wordAt(state.tokens, from) === 'no');
  if (
    (first < 0 && !stops) ||
    frame.act === 'have' ||
    /\b(?:meetings?|calls?|appointments?|events?|plans?)\b/i.test(rawOf(state, frame.clause.from, frame.clause.to))
  )
    return null;
  const times = frame.items.slice(0, Math.max(0, first)).filter(({ facets }) => facets.length > 0);
  const made = cancel(state, { ...frame, act: 'cancel', items: [...times, ...frame.items.slice(first + 1)] });
  return made.intents.length > 0 ? { ...made, as: { ...frame, act: 'cancel' } } : null;
};

/** 'cancel it' about what this prompt asked for: nothing is left of it, or the event is cancelled instead of changed. */
export const cancelLast = (state: State): Outcome => {
  const known = (hasLast(state) || !state.about ? lastIntents(state) : [state.about]).filter(
    ({ target_event_uid: uid, arguments: own }) => uid !== undefined || own.cancel === true,
  );
  if (state.last) state.intents.length = state.last.from;
  return {
    intents: known.map((intent) =>
      intent.arguments.cancel
        ? intent
        : {
            ...intent,
            content: sentence(`Cancel “${intent.title}”`),
            arguments: {
              ...(intent.arguments.recurrence_id && { recurrence_id: intent.arguments.recurrence_id }),
              cancel: true,
            },
            reasoning: 'You asked to cancel it.',
          },
    ),
  };
};
