/** Answers questions about proposals and about the limits of agents. */
import type { AgentService } from '../agent/service.ts';
import { QueueQuery } from '../agent/schemas.ts';
import type { PlanDoc } from '../domain/record/trace.ts';
import { terms } from '../domain/text/search-words.ts';
import { millis } from '../domain/time/time.ts';
import { presentEach, type Sensitive } from '../ledger/sensitive-values.ts';
import { count, MOST, named, only, type Answer, type Asking } from './answer.ts';
import { limitText, planText, timeText } from './answer-text.ts';

const PLANS_READ = 200;
const CONTENT_READ = 2_000;

/** Whether a plan, as the caller is shown it, is what the question asks for. A decided plan belongs to the time of its decision. */
const isAskedFor = ({ question: { about, time, status, byAgents } }: Asking, plan: PlanDoc): boolean => {
  const at = millis((status ? plan.decision?.at : plan.scheduled_for) ?? plan.recorded_at);
  const own = terms(`${plan.title} ${plan.content.slice(0, CONTENT_READ)}`);
  return (
    (!time || (at >= millis(time.start) && at < millis(time.end))) &&
    (!byAgents || plan.origin === 'agent') &&
    terms(about).every((term) => own.includes(term))
  );
};

export const createQueueAnswers = ({ agent, sensitive }: { agent: AgentService; sensitive: Sensitive }) => {
  const queue = async (asking: Asking): Promise<Answer> => {
    const { caller, question, now, zone, show } = asking;
    const { status = 'pending', time, byAgents } = question;
    const { items, more } = await agent.queue(
      caller.user_id,
      QueueQuery.parse({ status, limit: PLANS_READ }),
      undefined,
    );
    const plans = (await presentEach(sensitive, caller, items))
      .filter((plan) => isAskedFor(asking, plan))
      .map(({ conflicts: _c, conflicts_count: _n, ...plan }) => plan);
    const of = `${byAgents ? ' of agents' : ''}${named('for', asking)}`;
    const state = status === 'pending' ? 'waiting for a decision' : status;
    const when = time ? ` ${timeText(time, zone, now)}` : '';
    const read = more ? ` I looked at the first ${items.length}.` : '';
    if (plans.length === 0) return only(`There is no proposal${of} ${state}${when}.${read}`);
    const shown = plans.slice(0, MOST);
    return {
      ...only(
        `There ${plans.length === 1 ? 'is' : 'are'} ${count(plans.length, 'proposal')}${of} ${state}${when}:${read}`,
      ),
      lines: shown.map((plan) => planText(show(plan), zone, now)),
      more: plans.length - shown.length,
      traces: shown,
    };
  };

  const limits = async ({ caller }: Asking): Promise<Answer> => {
    const { limits: rules } = await agent.status(caller.user_id);
    if (rules.length === 0) return only('No limit is set for the plans of agents, so they may propose any number.');
    const lines = rules.slice(0, MOST).map(limitText);
    return { ...only('The limits of agents’ plans:'), lines, more: rules.length - lines.length };
  };

  return { queue, limits };
};
