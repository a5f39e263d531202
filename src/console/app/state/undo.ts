/** How a person undoes a decision or a change of the calendar: the service takes it back, and the page says what is as before. */
import { signal } from '@preact/signals';
import type { Plan } from '../../../client/almanac-client.ts';
import { inRequests } from './in-requests.ts';
import { touchAll } from './live.ts';
import { complain, say, sayUndone } from './messages.ts';
import { refusalsText, sentence } from './sentence.ts';
import { quoted } from './quoted.ts';
import { startText } from './series.ts';
import { client } from './service.ts';
import { madeHere } from './shown.ts';
import { shortDate, spanText } from './wall-time.ts';

type Named = { title: string };
type Placed = Named & {
  scheduled_for: string;
  end: string;
  local_start: string;
  all_day: boolean;
  rrule: string | null;
};

const named = (events: readonly Named[], what: string): string[] => {
  const titles = [...new Set(events.map(({ title }) => `“${title}”`))];
  return titles.length ? [`${titles.join(', ')} ${titles.length === 1 ? 'is' : 'are'} ${what}.`] : [];
};

/** Where an event is now. A series is at more places than a sentence can name. */
const placeText = ({ scheduled_for: start, end, local_start, all_day }: Placed): string =>
  all_day ? shortDate(local_start.slice(0, 10)) : spanText({ start, end });
const nowText = (events: readonly Placed[], how: string): string[] => {
  const [one, ...others] = events;
  if (!one || others.length || one.rrule !== null) return named(events, how);
  return [`“${one.title}” is ${how}: ${placeText(one)}.`];
};

/**
 * Takes a change of the calendar back, with all that followed from it, and says what is so now. That it was taken back is a change of
 * the calendar too, so doing it again takes that back.
 * @param isAgain whether it does again what was undone
 */
export const undoChange = async (seq: number, isAgain = false): Promise<void> => {
  try {
    const { events, plan_uids } = await client.calendar.undo({ seq });
    const rest = events.filter(({ removed }) => !removed);
    // The later part of a series that was split is gone, and the series is as it was.
    const isStill = ({ title }: Named): boolean => rest.some((one) => one.title === title);
    const gone = events.filter((one) => one.removed && !isStill(one));
    const isBlock = ({ plan_uid }: { plan_uid: string | null }): boolean => plan_uids.includes(plan_uid ?? '');
    const said = [
      ...named(gone, isAgain ? 'removed again' : 'removed'),
      ...named(rest.filter(isBlock), 'on the calendar again'),
      ...nowText(
        rest.filter((event) => !isBlock(event)),
        isAgain ? 'as you made it' : 'as before',
      ),
    ];
    const text = `${isAgain ? 'Done again' : 'Taken back'}: ${said.join(' ')}`;
    const made = events[0]?.seq;
    if (made === undefined) say(text);
    else if (isAgain) say(text, () => undoChange(made));
    // What agents had there would lose its time to it, about which the person is asked on the calendar.
    else if (plan_uids.length) say(text);
    else sayUndone(text, () => undoChange(made, true));
  } finally {
    touchAll();
  }
};

/** What a plan is after its decision was taken back: itself, or a proposal for another time where its own is over. */
const saidOf = (asked: string, plan: Plan): string =>
  plan.uid === asked
    ? `Taken back: ${plan.title} waits for you again.`
    : `Taken back: the time of ${plan.title} is over, so it waits for you with another time${plan.scheduled_for === null ? '' : `, ${startText(plan)}`}.`;

/** A plan at the version that the page shows. The page may not show the other plan of a swap, so that one is read. */
export const asShown = async ({ uid, version, swaps_with }: Plan) => {
  const partner = swaps_with === null ? undefined : await client.agent.getPlan({ uid: swaps_with });
  const expected_versions = partner && { [partner.uid]: partner.version };
  return { uid, expected_version: version, ...(expected_versions ? { expected_versions } : {}) };
};

/** What came back last, which the queue then shows: the next key is for that one. */
export const cameBack = signal<Plan | undefined>(undefined);

/**
 * Takes the decision on a plan back. The service says why where that is not possible.
 * @param again makes the same decision on the plan, at the version at which it waits again
 */
export const takeBack = async (plan: Plan, again?: (back: Plan) => Promise<unknown>): Promise<void> => {
  try {
    const back = await client.agent.undo(await asShown(plan));
    cameBack.value = back;
    madeHere([back]);
    const text = saidOf(plan.uid, back);
    if (again && back.uid === plan.uid) sayUndone(text, () => again(back));
    else say(text);
  } finally {
    touchAll();
  }
};

/**
 * Takes the decisions on several plans back, the last one first.
 * @param again makes the same decision on them, at the versions at which they wait again
 */
export const takeAllBack = async (
  plans: readonly Plan[],
  again?: (back: readonly Plan[]) => Promise<unknown>,
): Promise<void> => {
  try {
    const uids = plans.map(({ uid }) => uid).toReversed();
    const { answers, failure } = await inRequests(uids, (some) => client.agent.undo({ uids: some }));
    const refused = refusalsText(answers);
    const back = answers.flatMap((one) => one.plan ?? []).toReversed();
    if (back.length) {
      cameBack.value = back[0];
      madeHere(back);
      const text = `Taken back: ${quoted(back.map(({ title }) => title))} ${back.length === 1 ? 'waits' : 'wait'} for you again.`;
      const areSame = back.every(({ uid }) => plans.some((plan) => plan.uid === uid));
      if (again && areSame) sayUndone(text, () => again(back));
      else say(text);
    }
    if (refused !== undefined) complain(refused);
    if (failure !== undefined) complain(`The rest is not taken back. ${sentence(failure)}`);
  } finally {
    touchAll();
  }
};
