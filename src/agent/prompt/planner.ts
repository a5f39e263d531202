/** Plans a prompt: makes proposals, or corrections of pending proposals, of what was understood. */
import type { Caller } from '../../domain/access/caller.ts';
import type { Intent, Question, TalkItem } from '../../domain/planner/intents/types.ts';
import { isRefused } from '../../domain/plan/refusal.ts';
import { addMinutes, isInYears, millis, readTime, type Instant, type Interval } from '../../domain/time/time.ts';
import type { PlanDoc } from '../../domain/record/trace.ts';
import type { Problem } from '../../common/problem.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import { findTraces } from '../../ledger/trace-store.ts';
import { createCorrection, takenIn, toProposal } from './correct.ts';
import { createInterpret, type Interpreted, type InterpretDeps, type PlanOptions } from './interpret.ts';
import type { Moves } from '../decide/record-transition.ts';
import type { ProposalAdmission } from '../propose/admit.ts';
import type { ApprovalRules } from '../decide/approval-rules.ts';
import { alternativesOf, explainable, freeTimes, inWords, listPlans, nothingMade, type OnlyRefusal } from './reply.ts';
import type { PlanContext } from '../schemas.ts';
import type { AgentService } from '../service.ts';

export { CONVERSATION_MINUTES } from './facts.ts';
export type { Before } from './interpret.ts';

export type PlannerDeps = InterpretDeps & {
  ledger: Ledger;
  agent: AgentService;
  admission: ProposalAdmission;
  rules: ApprovalRules;
  moves: Moves;
};

export type Planned = {
  reply: string;
  /** How the prompt was understood, for the front end to show. */
  commands: Intent[];
  plans: PlanDoc[];
  /** What is asked beside. The reply does not answer it. */
  questions: Question[];
  /** The readings, or the free times, between which the reply asks; the label, sent as the next prompt, chooses. */
  choices: { label: string; commands: Intent[] }[];
  planner: { mode: 'built-in' | 'model'; model: string | null };
  warnings: string[];
  /** The words that the next prompt goes on from. */
  talk?: readonly TalkItem[] | undefined;
};

/** The plans that were made of intents, with the occurrences whose time is taken, and the corrections that are not possible. */
type Recorded = {
  plans: PlanDoc[];
  taken: Map<PlanDoc, Instant[]>;
  made: Intent[];
  refused: { intent?: Intent; problem: Problem }[];
};

const NOTHING_RECORDED: Recorded = { plans: [], taken: new Map(), made: [], refused: [] };

/** The plans of an answer, each with how the prompt was read for it. */
export const asRead = ({ plans, commands }: Planned): (PlanDoc & Pick<Intent, 'reading'>)[] =>
  plans.map((plan, i) => {
    const reading = commands[i]?.reading;
    return reading ? { ...plan, reading } : plan;
  });

export const createPlanner = (deps: PlannerDeps) => {
  const { clock, db, ledger, agent, model, situationOf } = deps;
  const correct = createCorrection(deps);
  const interpret = createInterpret(deps);
  const mode = { mode: model ? ('model' as const) : ('built-in' as const), model: model?.model ?? null };

  /** Traces of the caller's context that exist, to which the proposals link; none where the caller may not know that they exist. */
  const knownTraces = async (caller: Caller, context: PlanContext | undefined): Promise<string[]> => {
    if (!caller.scopes.has('memory:read')) return [];
    const named = (context?.memory ?? []).flatMap((m) =>
      typeof m === 'string' ? m : typeof m['uid'] === 'string' ? m['uid'] : [],
    );
    return (await findTraces(db, caller.user_id, named)).map((t) => t.uid);
  };

  /**
   * Records what was understood in one transaction, in the order of the prompt, or only simulates it. Where refusals are
   * explained, a correction that is not possible does not keep the others from being made.
   */
  const record = async (
    caller: Caller,
    { intents, read }: { intents: Intent[]; read: Map<string, number> },
    { links, busy, simulate, explained }: { links: string[]; busy: Interval[]; simulate: boolean; explained: boolean },
  ): Promise<Recorded> => {
    const fresh = intents.filter((i) => i.target_plan_uid === undefined);
    const wishes = fresh.map((intent) => toProposal(caller, intent, links));
    const propose = await agent.proposing(caller, wishes, { alsoBusy: busy });
    return ledger.write(
      caller,
      async (writer) => {
        const situation = await situationOf(writer.tx, caller.user_id);
        const plans = await propose(writer);
        const answer: Recorded = { plans: [], taken: new Map(), made: [], refused: [] };
        const add = (intent: Intent, plan: PlanDoc, taken: Instant[]): void => {
          answer.plans.push(plan);
          answer.taken.set(plan, taken);
          answer.made.push(intent);
        };
        for (const intent of intents) {
          if (intent.target_plan_uid === undefined) {
            const plan = plans.shift() as PlanDoc;
            add(intent, plan, takenIn(plan.exdates, intent));
            continue;
          }
          try {
            const { plan: next, taken } = await writer.attempt(() => correct(writer, caller, intent, read, situation));
            await writer.flush(); // Another correction of the same plan in this prompt continues from here.
            read.set(next.uid, next.version);
            add(intent, next, taken);
          } catch (error) {
            if (!explained) throw error;
            answer.refused.push({ intent, problem: explainable(error) });
          }
        }
        return answer;
      },
      { simulate },
    );
  };

  /**
   * Plans a prompt. With `simulate` nothing is stored.
   * @param links traces that the proposals should link to, such as the recorded prompt
   */
  const plan = async (caller: Caller, prompt: string, options: PlanOptions): Promise<Planned> => {
    const { explained = false } = options;
    if (!explained) return planOrThrow(caller, prompt, options);
    try {
      return await planOrThrow(caller, prompt, options);
    } catch (error) {
      const reply = nothingMade([inWords(explainable(error), caller.zone)]);
      return { reply, commands: [], plans: [], questions: [], choices: [], planner: mode, warnings: [] };
    }
  };

  const planOrThrow = async (caller: Caller, prompt: string, options: PlanOptions): Promise<Planned> => {
    const { context, links: own = [], simulate = false, explained = false } = options;
    const found = await interpret(caller, prompt, options);
    const { intents, questions, choices, read, warnings, planner } = found;
    const links = [...own, ...(await knownTraces(caller, context))];
    const busy = busyIn(context, caller.zone);
    const recorded = intents.length
      ? await record(caller, { intents, read }, { links, busy, simulate, explained }).catch((error): Recorded => {
          if (!explained) throw error;
          return { ...NOTHING_RECORDED, refused: [{ problem: explainable(error) }] };
        })
      : NOTHING_RECORDED;
    const { plans, taken, made, refused } = recorded;
    const asked = choices.map(({ label, intents: commands }) => ({ label, commands }));
    const free = asked.length ? [] : freeTimes(onlyRefusal(recorded, found), caller.zone, clock.now());
    const reasons = refused.map(({ intent, problem }) => inWords(problem, caller.zone, intent?.title, free));
    const whole =
      plans.length || !refused.length
        ? listPlans(refused.length ? '' : saidOfMade(found, made, plans), plans, caller.zone, taken, free)
        : nothingMade(besideOpening(found));
    const offered = [...asked, ...free];
    const lines = offered.map(({ label }, n) => `${n + 1}. ${label}`);
    return {
      reply: [whole, ...reasons, ...lines].join('\n').trim(),
      ...{ commands: made, plans, questions, choices: offered, planner, warnings, talk: found.talk },
    };
  };

  return { plan, mode };
};

/** What the reply says behind how it says the intents, such as what is at their time. */
const besideOpening = ({ reply, opening }: Interpreted): string[] =>
  opening !== '' && reply.startsWith(opening) ? [reply.slice(opening.length).trim()].filter(Boolean) : [];

/** The reply without what the calendar or the limits refused. */
const saidOfMade = (found: Interpreted, made: readonly Intent[], plans: readonly PlanDoc[]): string => {
  if (!plans.some(isRefused) || !found.reply.startsWith(found.opening)) return found.reply;
  const stood = made.filter((_, i) => !isRefused(plans[i]!));
  return [stood.length > 0 ? found.say(stood) : 'I propose nothing.', ...besideOpening(found)].join(' ');
};

/** Where a prompt asked for one thing that happens once, and its time was refused. */
const onlyRefusal = ({ plans, made, refused }: Recorded, { series }: Interpreted): OnlyRefusal | undefined => {
  const [first, ...others] = [
    ...refused.map(({ intent, problem }) => ({ intent, times: alternativesOf(problem) })),
    ...plans.map((plan, i) => ({
      intent: isRefused(plan) && plan.rrule === null ? made[i] : undefined,
      times: plan.decision?.alternatives ?? [],
    })),
  ];
  const { intent, times = [] } = first ?? {};
  if (!intent || others.length || series.has(intent.target_plan_uid ?? '')) return undefined;
  return { intent, times };
};

/** Busy time that the caller knows, such as another calendar in the front end: objects with a start and an end or a length. */
const busyIn = (context: PlanContext | undefined, zone: string): Interval[] =>
  [...(context?.calendar ?? []), ...(context?.schedule ?? [])].flatMap((entry) => {
    if (typeof entry === 'string' || entry['busy'] === false) return [];
    const read = (value: unknown): Instant | null => {
      const at = typeof value === 'string' ? readTime(value, zone) : null;
      return at !== null && isInYears(at) ? at : null;
    };
    const start = read(entry['scheduled_for'] ?? entry['start']);
    const minutes = entry['duration_minutes'];
    const end =
      read(entry['end']) ??
      (start && typeof minutes === 'number' && minutes > 0 && minutes < 1e6 ? addMinutes(start, minutes) : null);
    return start && end && millis(end) > millis(start) ? [{ start, end }] : [];
  });

export type Planner = ReturnType<typeof createPlanner>;
