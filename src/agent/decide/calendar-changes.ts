/** What changes of the calendar mean for plans: a block that is displaced is proposed again, and a changed event is recorded. */
import { randomUUIDv7 } from 'node:crypto';
import type { Clock } from '../../common/clock.ts';
import { DISPLACED } from '../../domain/plan/plan.ts';
import { readArguments } from '../../domain/plan/plan-arguments.ts';
import type { PlanDoc } from '../../domain/record/trace.ts';
import { addMinutes, millis, type Instant } from '../../domain/time/time.ts';
import type { Writer } from '../../ledger/ledger-writer.ts';
import { listTimes } from '../place/series-placement.ts';
import type { PlanHooks } from '../plan-hooks.ts';
import type { SituationOf } from '../prompt/situation.ts';
import type { ProposalAdmission } from '../propose/admit.ts';
import type { Proposal } from '../propose/proposal.ts';
import { findPlans } from '../queries.ts';
import { createChangeTakenBack } from '../undo/change.ts';
import type { Moves } from './record-transition.ts';

export type CalendarChangesDeps = {
  clock: Clock;
  moves: Moves;
  admission: ProposalAdmission;
  situationOf: SituationOf;
};

/** A displaced plan is placed again in this time. */
const DISPLACED_SEARCH_MINUTES = 14 * 24 * 60;
/** Of the displaced occurrences of a series only the next ones are proposed again, so that the queue stays readable. */
const MOST_AGAIN = 5;
const MOST_TITLES = 3;

/** A proposal that takes the place of a plan, which names it. */
type Again = Proposal & { uid: string };

export const createCalendarChanges = ({ clock, moves, admission, situationOf }: CalendarChangesDeps) => {
  /** The proposal of something that a plan had put on the calendar, for the next free slot after an event of the person. */
  const again = (
    plan: PlanDoc,
    { scheduled_for, duration_minutes }: { scheduled_for: Instant; duration_minutes: number },
    by: { title: string; end: Instant },
  ): Again => {
    const start = millis(by.end) > clock.millis() ? by.end : clock.now();
    return {
      uid: randomUUIDv7(),
      action_type: 'schedule',
      title: plan.title,
      content: plan.content,
      scheduled_for: null,
      duration_minutes,
      target_event_uid: null,
      arguments: readArguments({ ...plan, action_type: 'schedule' }),
      reasoning: `Its time ${scheduled_for} is now taken by “${by.title}”, so it needs another time.`,
      between: { start, end: addMinutes(start, DISPLACED_SEARCH_MINUTES) },
      trace: { task_id: plan.task_id, tempo_tag: plan.tempo_tag, tags: plan.tags, linked_trace_ids: [plan.uid] },
      of: plan,
    };
  };

  /** Proposes a plan again in the next free slot after a person's event displaced its block, and says why. */
  const blockDisplaced: PlanHooks['blockDisplaced'] = async (writer, block, by) => {
    const [plan] = await findPlans(writer.tx, writer.author.user_id, [block.plan_uid]);
    if (!plan) return;
    const next = again(plan, block.event, by);
    const note = `its time is now taken by “${by.title}”`;
    await moves.make(writer, plan, 'lose_time', { code: DISPLACED, note, successor_uids: [next.uid] });
    await admission.propose(writer, [next], await situationOf(writer.tx, writer.author.user_id));
  };

  /** Proposes the next displaced occurrences of a series again, each by itself, and says why. The others are left out. */
  const occurrencesDisplaced: PlanHooks['occurrencesDisplaced'] = async (writer, { plan_uid, occurrences, isGone }) => {
    const [plan] = await findPlans(writer.tx, writer.author.user_id, [plan_uid]);
    if (!plan) return;
    const zone = plan.timezone ?? 'UTC';
    const times = occurrences.map(({ event }) => event.scheduled_for);
    const titles = [...new Set(occurrences.map(({ by }) => `“${by.title}”`))].slice(0, MOST_TITLES);
    const next = occurrences.slice(0, MOST_AGAIN).map(({ event, by }) => again(plan, event, by));
    await moves.make(writer, plan, 'lose_time', {
      code: isGone ? DISPLACED : 'occurrence_displaced',
      note: `its time is now taken by ${titles.join(', ')} at ${listTimes(times, zone)} (${zone})`,
      successor_uids: next.map(({ uid }) => uid),
    });
    await admission.propose(writer, next, await situationOf(writer.tx, writer.author.user_id));
  };

  /** Records it as a decision on a plan that a person changed its event. */
  const eventChanged = async (
    writer: Writer,
    { plan_uid, change }: { plan_uid: string; change: string },
  ): Promise<void> => {
    const [plan] = await findPlans(writer.tx, writer.author.user_id, [plan_uid]);
    if (plan?.status === 'executed')
      await moves.make(writer, plan, 'follow', {
        code: `event_${change}`,
        note: `it was ${change} on the calendar`,
      });
  };

  return { blockDisplaced, occurrencesDisplaced, eventChanged, changeTakenBack: createChangeTakenBack({ moves }) };
};
