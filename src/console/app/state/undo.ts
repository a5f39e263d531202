/** How a person undoes a decision or a change of the calendar: the service takes it back, and the page says what is as before. */
import type { Plan } from '../../../client/almanac-client.ts';
import { touchAll } from './live.ts';
import { complain, say } from './messages.ts';
import { inOwnTime } from './sentence.ts';
import { client } from './service.ts';
import { startText } from './series.ts';

const named = (events: readonly { title: string }[], what: string): string[] => {
  const titles = [...new Set(events.map(({ title }) => `“${title}”`))];
  return titles.length ? [`${titles.join(', ')} ${titles.length === 1 ? 'is' : 'are'} ${what}.`] : [];
};

/** Takes a change of the calendar back, with all that followed from it, and says what is as it was. */
export const undoChange = async (seq: number): Promise<void> => {
  try {
    const { events, plan_uids } = await client.calendar.undo({ seq });
    const rest = events.filter(({ removed }) => !removed);
    // The later part of a series that was split is gone, and the series is as it was.
    const isStill = ({ title }: { title: string }): boolean => rest.some((one) => one.title === title);
    const gone = events.filter((one) => one.removed && !isStill(one));
    const isBlock = ({ plan_uid }: { plan_uid: string | null }): boolean => plan_uids.includes(plan_uid ?? '');
    const said = [
      ...named(gone, 'removed'),
      ...named(rest.filter(isBlock), 'on the calendar again'),
      ...named(
        rest.filter((event) => !isBlock(event)),
        'as before',
      ),
    ];
    say(`Taken back: ${said.join(' ')}`);
  } finally {
    touchAll();
  }
};

/** What a plan is after its decision was taken back: itself, or a proposal for another time where its own is over. */
const saidOf = (asked: string, plan: Plan): string =>
  plan.uid === asked
    ? `Taken back: ${plan.title} waits for you again.`
    : `Proposed again${plan.scheduled_for === null ? '' : ` for ${startText(plan)}`}: ${plan.title}`;

/** A plan at the version that the page shows. The page may not show the other plan of a swap, so that one is read. */
export const asShown = async ({ uid, version, swaps_with }: Plan) => {
  const partner = swaps_with === null ? undefined : await client.agent.getPlan({ uid: swaps_with });
  const expected_versions = partner && { [partner.uid]: partner.version };
  return { uid, expected_version: version, ...(expected_versions ? { expected_versions } : {}) };
};

/** Takes the decision on a plan back. The service says why where that is not possible. */
export const takeBack = async (plan: Plan): Promise<void> => {
  try {
    say(saidOf(plan.uid, await client.agent.undo(await asShown(plan))));
  } finally {
    touchAll();
  }
};

/** Takes the decisions on several plans back, the last one first. */
export const takeAllBack = async (plans: readonly Plan[]): Promise<void> => {
  try {
    const results = await client.agent.undo({ uids: plans.map(({ uid }) => uid).toReversed() });
    const refused = results.flatMap(({ problem }) => (problem ? [inOwnTime(problem.detail)] : []));
    const done = results.length - refused.length;
    if (done) say(`Taken back: ${done} of ${results.length} wait for you again.`);
    if (refused[0] !== undefined)
      complain(refused.length === 1 ? refused[0] : `${refused.length} could not: ${refused[0]}`);
  } finally {
    touchAll();
  }
};
