/** Interprets a prompt: the model does where there is one, else, and whenever the model fails, the built-in planner. */
import type { Occurrence } from '../calendar/schemas.ts';
import type { CalendarService } from '../calendar/service.ts';
import { terms } from '../domain/text/search-words.ts';
import type { Clock } from '../common/clock.ts';
import type { Db } from '../db/database.ts';
import type { Caller } from '../domain/access/caller.ts';
import type { Choice, Intent, IntentContext, PendingPlan, Question, Understanding } from '../domain/intent/types.ts';
import { readArguments } from '../domain/plan/plan-arguments.ts';
import { cancels } from '../domain/plan/plan.ts';
import { findSlots } from '../domain/plan/slots.ts';
import { tempoWindows } from '../domain/plan/tempo.ts';
import { addMinutes, millis } from '../domain/time/time.ts';
import type { Sensitive } from '../ledger/sensitive-values.ts';
import { SearchBody } from '../memory/schemas.ts';
import type { Search } from '../memory/search.ts';
import type { ModelPlanner, PlanningFacts } from '../llm/model-planner.ts';
import type { PlanDoc } from '../domain/record/trace.ts';
import { intentsOf, replyWithout } from './model-intents.ts';
import type { PromptReader } from './prompt-reader.ts';
import { lastPrompt, queuePage } from './queries.ts';
import type { PlanContext } from './schemas.ts';
import type { SituationOf } from './situation.ts';

export type InterpretDeps = {
  db: Db;
  clock: Clock;
  calendar: CalendarService;
  sensitive: Sensitive;
  model: ModelPlanner | null;
  situationOf: SituationOf;
  search: Search;
  reader: PromptReader;
};

export type PlanOptions = {
  context?: PlanContext | undefined;
  links?: string[];
  simulate?: boolean;
  /** Whether the reply explains what prevents the plans, as in a conversation. Otherwise it is thrown. */
  explained?: boolean;
  signal?: AbortSignal;
};
type Wishes = Pick<PlanOptions, 'context' | 'links' | 'signal'>;

export type Interpreted = {
  intents: Intent[];
  /** What is asked. The reply does not answer it. */
  questions: Question[];
  /** The readings between which the reply asks. */
  choices: Choice[];
  reply: string;
  warnings: string[];
  planner: { mode: 'built-in' | 'model'; model: string | null };
  /** The versions of the pending plans, which may change while the model works. */
  read: Map<string, number>;
};

const MATCH_DAYS_BACK = 1;
const MATCH_DAYS_AHEAD = 60;
/** “it” in a prompt refers to a proposal of the last hour. */
const CONVERSATION_MINUTES = 60;
const FREE_SHOWN = 12;
const EVENTS_SHOWN = 50;
const NAMED_SHOWN = 20;
/** The model gets the traces that a search for the first thousand characters of the prompt finds, at most ten. */
const SEARCHED_CHARACTERS = 1000;
const TRACES_SHOWN = 10;

export const createInterpret = (deps: InterpretDeps) => {
  const { db, clock, calendar, sensitive, model, situationOf, search, reader } = deps;

  /** The traces for a prompt that the credential may read. */
  const relevantTraces = async (caller: Caller, prompt: string): Promise<PlanningFacts['traces']> => {
    if (!caller.scopes.has('memory:read')) return [];
    const body = SearchBody.parse({ query: prompt.slice(0, SEARCHED_CHARACTERS), limit: TRACES_SHOWN });
    const { items } = await search.search(caller, body, undefined);
    return items.map(({ uid, type, task_id, timestamp, summary }) => ({ uid, type, task_id, timestamp, summary }));
  };

  type Around = Awaited<ReturnType<typeof surroundings>>;

  const surroundings = async (caller: Caller) => {
    const now = clock.now();
    const window = { start: addMinutes(now, -MATCH_DAYS_BACK * 1440), end: addMinutes(now, MATCH_DAYS_AHEAD * 1440) };
    const [events, proposed] = await Promise.all([
      // The planner must not reveal what the credential may not read.
      caller.scopes.has('calendar:read') ? calendar.inTransaction.overview(db, caller.user_id, window) : [],
      queuePage(db, caller.user_id, { statuses: ['proposed'], pending: true }, 100).then(({ items }) => items),
    ]);
    return { now, events, proposed };
  };

  const factsFor = async (
    caller: Caller,
    prompt: string,
    context: PlanContext | undefined,
    around: Around,
  ): Promise<PlanningFacts> => {
    const { now, events, proposed } = around;
    const { profile, settings } = await situationOf(db, caller.user_id);
    const window = { start: now, end: addMinutes(now, 7 * 1440) };
    const busy = await calendar.inTransaction.busy(db, caller.user_id, window, { apart: [] });
    const { slots } = findSlots({
      window,
      duration_minutes: 30,
      busy,
      windows: tempoWindows(profile, {}, window),
      now,
      zone: profile.timezone,
      limit: FREE_SHOWN,
    });
    // The model gets nothing that the credential may not see.
    return sensitive.present(caller, {
      now,
      zone: caller.zone,
      free: slots.map(({ start, end }) => ({ start, end })),
      events: relevantEvents(events, prompt).map((event) => ({
        ...{ uid: event.uid, recurrence_id: event.recurrence_id, title: event.title },
        ...{ start: event.scheduled_for, end: event.end },
      })),
      pending: proposed.slice(0, 20).map(({ uid, action_type, title, scheduled_for, rrule, proposed_by }) => ({
        ...{ uid, action_type, title, scheduled_for, rrule },
        yours: proposed_by === caller.actor || caller.scopes.has('plan:decide'),
      })),
      tempo: {
        time_ranges: profile.time_ranges,
        tag_mappings: profile.tag_mappings,
        duration_biases: profile.duration_biases,
      },
      limits: settings.limits,
      traces: await relevantTraces(caller, prompt),
      context: context ?? null,
    });
  };

  /** What the built-in planner knows: the events, and the caller's own proposals of this conversation. */
  const conversationOf = async (
    caller: Caller,
    { now, events, proposed }: Around,
    links: string[],
  ): Promise<IntentContext> => {
    const since = addMinutes(now, -CONVERSATION_MINUTES);
    const before = links.length > 0 ? await lastPrompt(db, caller.user_id, since) : null;
    const recent = proposed.filter((p) => p.proposed_by === caller.actor && millis(p.recorded_at) >= millis(since));
    return {
      ...(before && { before }),
      now,
      zone: caller.zone,
      events: events.map(
        ({ uid, title, scheduled_for, duration_minutes, task_id, plan_uid, recurrence_id, location, description }) => ({
          ...{ uid, title, scheduled_for, duration_minutes, recurrence_id, location, description },
          task_id: task_id ?? null,
          plan_uid: plan_uid ?? null,
        }),
      ),
      pending: recent.map(pendingOf),
    };
  };

  const byBuiltIn = (prompt: string, understood: Understanding): Omit<Interpreted, 'read'> => {
    const { intents, questions, question, choices = [], reply, unknown, unread } = understood;
    const warnings: string[] = [];
    if (unread)
      warnings.push(
        `The built-in planner read ${prompt.length - unread} of ${prompt.length} characters. Send the rest in further prompts.`,
      );
    if (unknown.length && intents.length)
      warnings.push(`The planner did not understand: ${unknown.map((u) => `“${u}”`).join(', ')}.`);
    return {
      intents,
      questions,
      choices,
      reply: question ?? reply,
      warnings,
      planner: { mode: 'built-in', model: null },
    };
  };

  const byModel = async (
    { plan, model: name }: ModelPlanner,
    caller: Caller,
    prompt: string,
    around: Around,
    { context, signal }: Wishes,
  ): Promise<Omit<Interpreted, 'read'>> => {
    const facts = await factsFor(caller, prompt, context, around);
    const { reply, actions, questions } = await plan(prompt, facts, signal);
    const known = { ...(await conversationOf(caller, around, [])), pending: around.proposed.map(pendingOf) };
    const planner = { mode: 'model' as const, model: name };
    if (actions.length === 0)
      return {
        intents: [],
        questions,
        choices: [],
        reply: questions.length ? '' : replyWithout(reply),
        warnings: [],
        planner,
      };
    const made = intentsOf(actions, known);
    const left = await reader.leftOver(prompt, known, made.intents, signal);
    return { ...made, questions, choices: [], reply: [made.reply, ...left].join(' '), warnings: left, planner };
  };

  /**
   * Interprets a prompt. Events and plans in the caller's context count as known, so that “move the dentist” works for what the
   * front end shows. The model is asked only about what the built-in planner does not recognise as a question or small talk.
   */
  const interpret = async (caller: Caller, prompt: string, wishes: Wishes): Promise<Interpreted> => {
    const around = await surroundings(caller);
    const read = new Map(around.proposed.map(({ uid, version }) => [uid, version]));
    const conversation = await conversationOf(caller, around, wishes.links ?? []);
    const understood = await reader.understand(prompt, conversation, wishes.signal);
    const builtIn = byBuiltIn(prompt, understood);
    if (!model || isSettled(understood)) return { ...builtIn, read };
    try {
      return { ...(await byModel(model, caller, prompt, around, wishes)), read };
    } catch (error) {
      wishes.signal?.throwIfAborted(); // The client has disconnected, so nothing must be recorded.
      const why = `The model gave no usable answer (${(error as Error).message}); the built-in planner answered.`;
      return { ...builtIn, warnings: [why, ...builtIn.warnings], read };
    }
  };

  return interpret;
};

/** The soonest events, and later ones that the prompt seems to name. */
const relevantEvents = (events: Occurrence[], prompt: string): Occurrence[] => {
  const asked = new Set(terms(prompt.slice(0, SEARCHED_CHARACTERS)));
  const later = events.slice(EVENTS_SHOWN).filter(({ title }) => terms(title).some((term) => asked.has(term)));
  return [...events.slice(0, EVENTS_SHOWN), ...later.slice(0, NAMED_SHOWN)];
};

const pendingOf = (plan: PlanDoc): PendingPlan => ({
  uid: plan.uid,
  title: plan.title,
  action_type: plan.action_type,
  scheduled_for: plan.scheduled_for,
  duration_minutes: plan.duration_minutes,
  task_id: plan.task_id,
  proposal_id: plan.proposal_id,
  rrule: plan.rrule,
  target_event_uid: plan.target_event_uid,
  recurrence_id: readArguments(plan).recurrence_id ?? null,
  cancel: cancels(plan),
});

/** Whether the whole prompt is questions that can be looked up, or small talk, so that there is nothing to plan. */
const isSettled = ({ intents, questions, question, unknown }: Understanding): boolean =>
  intents.length + unknown.length === 0 && question === undefined && questions.every(({ kind }) => kind !== 'other');
