/** Answers questions about proposals and about the limits of agents. */
import type { AgentService } from '../agent/service.ts';
import { QueueQuery } from '../agent/schemas.ts';
import type { Occurrence } from '../calendar/schemas.ts';
import { readArguments } from '../domain/plan/plan-arguments.ts';
import type { PlanDoc } from '../domain/record/trace.ts';
import { terms } from '../domain/text/search-words.ts';
import { addMinutes, millis } from '../domain/time/time.ts';
import { presentEach, type Sensitive } from '../ledger/sensitive-values.ts';
import { count, MOST, named, only, type Answer, type Asking } from './answer.ts';
import { limitText, planText, timeText } from './answer-text.ts';
import { isWithinHours, timeOf } from './calendar-answers.ts';

const PLANS_READ = 200;
const CONTENT_READ = 2_000;

/** Whether a plan, as the caller is shown it, is what the question asks for. A decided plan belongs to the time of its decision. */
const isAskedFor = ({ question: { about, time, status, byAgents }, zone }: Asking, plan: PlanDoc): boolean => {
  const at = (status ? plan.decision?.at : plan.scheduled_for) ?? plan.recorded_at;
  const own = terms(`${plan.title} ${plan.content.slice(0, CONTENT_READ)}`);
  return (
    (!time || (millis(at) >= millis(time.start) && millis(at) < millis(time.end))) &&
    (!time || isWithinHours({ start: at, end: addMinutes(at, plan.duration_minutes ?? 0) }, time, zone)) &&
    (!byAgents || plan.origin === 'agent') &&
    terms(about).every((term) => own.includes(term))
  );
};

export const createQueueAnswers = ({ agent, sensitive }: { agent: AgentService; sensitive: Sensitive }) => {
  const found = async (
    asking: Asking,
    isMeant = (plan: PlanDoc): boolean => isAskedFor(asking, plan),
  ): Promise<{ plans: PlanDoc[]; read: number; more: boolean }> => {
    const { caller, question } = asking;
    const asked = QueueQuery.parse({ status: question.status ?? 'pending', limit: PLANS_READ });
    const { items, more } = await agent.queue(caller.user_id, asked, undefined);
    const plans = (await presentEach(sensitive, caller, items))
      .filter(isMeant)
      .map(({ conflicts: _c, conflicts_count: _n, ...plan }) => plan);
    return { plans, read: items.length, more };
  };

  const listed = ({ show, zone, now }: Asking, head: string, plans: PlanDoc[]): Answer => {
    const shown = plans.slice(0, MOST);
    const lines = shown.map((plan) => planText(show(plan), zone, now));
    return { ...only(head), lines, more: plans.length - shown.length, traces: shown };
  };

  const queue = async (asking: Asking): Promise<Answer> => {
    const { question, now, zone } = asking;
    const { status = 'pending', time, byAgents } = question;
    const { plans, ...all } = await found(asking);
    const of = `${byAgents ? ' of agents' : ''}${named('for', asking)}`;
    const state = status === 'pending' ? 'waiting for a decision' : status;
    const when = time ? ` ${timeText(time, zone, now)}` : '';
    const read = all.more ? ` I looked at the first ${all.read}.` : '';
    if (plans.length === 0) return only(`There is no proposal${of} ${state}${when}.${read}`);
    const verb = plans.length === 1 ? 'is' : 'are';
    return listed(asking, `There ${verb} ${count(plans.length, 'proposal')}${of} ${state}${when}:${read}`, plans);
  };

  /**
   * What an approval would put there or take away, beside the answer of the calendar: proposals with a time that the question names, and
   * those that move or cancel one of the events there.
   */
  const waiting = async (asking: Asking, events: readonly Occurrence[]): Promise<Answer | null> => {
    const timed: Asking = { ...asking, question: { ...asking.question, time: timeOf(asking).time } };
    const isOfEvent = (plan: PlanDoc): boolean => {
      const { recurrence_id } = readArguments(plan);
      return events.some(
        (event) =>
          event.uid === plan.target_event_uid && (recurrence_id === undefined || recurrence_id === event.recurrence_id),
      );
    };
    const isMeant = (plan: PlanDoc): boolean =>
      isOfEvent(plan) || (plan.scheduled_for !== null && isAskedFor(timed, plan));
    const { plans } = await found(timed, isMeant);
    const verb = plans.length === 1 ? 'waits' : 'wait';
    return plans.length ? listed(asking, `${count(plans.length, 'proposal')} ${verb} for a decision:`, plans) : null;
  };

  const limits = async ({ caller }: Asking): Promise<Answer> => {
    const { limits: rules } = await agent.status(caller.user_id);
    if (rules.length === 0) return only('No limit is set for the plans of agents, so they may propose any number.');
    const lines = rules.slice(0, MOST).map(limitText);
    return { ...only('The limits of agents’ plans:'), lines, more: rules.length - lines.length };
  };

  return { queue, waiting, limits };
};
