/** How a person undoes a decision or a change: the service takes decisions back, and an event is set back to what it was. */
import type { Event, Plan } from '../../../client/almanac-client.ts';
import { touchAll } from './live.ts';
import { complain, say } from './messages.ts';
import { client } from './service.ts';
import { momentOf } from './wall-time.ts';

type Place = Pick<Event, 'scheduled_for' | 'duration_minutes' | 'title' | 'location' | 'description'>;

const placeOf = (event: Event, recurrence_id: string | undefined): Place => {
  const { scheduled_for, duration_minutes, title, location, description } = event;
  const series = { duration_minutes, title, location, description };
  if (recurrence_id === undefined)
    return { ...series, scheduled_for: event.all_day ? event.local_start.slice(0, 10) : scheduled_for };
  const { timezone: _, local_start: __, ...own } = event.overrides[recurrence_id] ?? {};
  return { ...series, scheduled_for: recurrence_id, ...own };
};

/**
 * Sets an event, or one occurrence, back to what it was before its last change, which the ledger has.
 * @param seq the ledger number of that change or a later one: where the event was changed since, it is left as it is
 */
export const setBack = async (uid: string, recurrence_id: string | undefined, seq: number): Promise<void> => {
  const now = await client.calendar.event({ uid });
  if (now.seq > seq) return complain('It was changed since, so it is left as it is now.');
  const before = await client.calendar.event({ uid, as_of: String(now.seq - 1) });
  const { scheduled_for, duration_minutes, title, location, description } = placeOf(before, recurrence_id);
  const isMissing = now.exdates.length > before.exdates.length;
  await client.calendar.edit(
    isMissing
      ? { uid, updates: { exdates: before.exdates } }
      : {
          uid,
          updates: { scheduled_for, duration_minutes, title, location, description },
          ...(recurrence_id === undefined ? {} : { recurrence_id }),
        },
    { ifMatch: now.version },
  );
  touchAll();
};

/** What a plan is after its decision was taken back: itself, or a proposal for another time where its own is over. */
const saidOf = (asked: string, { uid, title, scheduled_for }: Plan): string =>
  uid === asked
    ? `Taken back: ${title} waits for you again.`
    : `Proposed again${scheduled_for === null ? '' : ` for ${momentOf(scheduled_for)}`}: ${title}`;

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
    const refused = results.flatMap(({ problem }) => (problem ? [problem.detail] : []));
    const done = results.length - refused.length;
    if (done) say(`Taken back: ${done} of ${results.length} wait for you again.`);
    if (refused[0] !== undefined)
      complain(refused.length === 1 ? refused[0] : `${refused.length} could not: ${refused[0]}`);
  } finally {
    touchAll();
  }
};
