/** Interprets a prompt: the model does where there is one, else, and whenever the model fails, the built-in planner. */
import type { CalendarService } from '../calendar/service.ts';
import type { Clock } from '../common/clock.ts';
import type { Db } from '../db/database.ts';
import type { Caller } from '../domain/access/caller.ts';
import { understand } from '../domain/intent/intent.ts';
import type { Intent } from '../domain/intent/types.ts';
import { findSlots } from '../domain/plan/slots.ts';
import { tempoWindows } from '../domain/plan/tempo.ts';
import { addMinutes, millis } from '../domain/time/time.ts';
import type { Sensitive } from '../ledger/sensitive-values.ts';
import { SearchBody } from '../memory/schemas.ts';
import type { Search } from '../memory/search.ts';
import type { ModelAction, ModelPlanner, PlanningFacts } from '../llm/model-planner.ts';
import { queuePage } from './queries.ts';
import { runFairly } from '../common/yielding.ts';
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
};

export type PlanOptions = {
  context?: PlanContext | undefined;
  links?: string[];
  simulate?: boolean;
  /** Whether the reply explains what prevents the plans, as in a conversation. Otherwise it is thrown. */
  explained?: boolean;
  signal?: AbortSignal;
  /** Receives the reply while the model writes it. */
  onText?: ((text: string) => void) | undefined;
};
const MATCH_DAYS_BACK = 1;
const MATCH_DAYS_AHEAD = 60;
/** “it” in a prompt refers to a proposal of the last hour. */
const CONVERSATION_MINUTES = 60;
const FREE_SHOWN = 12;
/** The model gets the traces that a search for the first thousand characters of the prompt finds, at most ten. */
const SEARCHED_CHARACTERS = 1000;
const TRACES_SHOWN = 10;

export const createInterpret = ({ db, clock, calendar, sensitive, model, situationOf, search }: InterpretDeps) => {
  /** The traces for a prompt that the credential may read. */
  const relevantTraces = async (caller: Caller, prompt: string): Promise<PlanningFacts['traces']> => {
    if (!caller.scopes.has('memory:read')) return [];
    const body = SearchBody.parse({ query: prompt.slice(0, SEARCHED_CHARACTERS), limit: TRACES_SHOWN });
    const { items } = await search.search(caller, body, undefined);
    return items.map(({ uid, type, task_id, timestamp, summary }) => ({ uid, type, task_id, timestamp, summary }));
  };

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
    around: Awaited<ReturnType<typeof surroundings>>,
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
      events: events.slice(0, 50).map((e) => ({ uid: e.uid, title: e.title, start: e.scheduled_for, end: e.end })),
      pending: proposed.slice(0, 20).map(({ uid, action_type, title, scheduled_for, proposed_by }) => ({
        ...{ uid, action_type, title, scheduled_for },
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

  const fromModel = (action: ModelAction): Intent => ({
    action_type: action.action_type,
    title: action.title,
    content: action.content,
    ...(action.task_id ? { task_id: action.task_id } : {}),
    ...(action.tempo_tag ? { tempo_tag: action.tempo_tag } : {}),
    tags: action.tags,
    ...(action.scheduled_for ? { scheduled_for: action.scheduled_for } : {}),
    ...(action.between ? { between: action.between } : {}),
    ...(action.duration_minutes ? { duration_minutes: action.duration_minutes } : {}),
    ...(action.target_event_uid ? { target_event_uid: action.target_event_uid } : {}),
    ...(action.target_plan_uid ? { target_plan_uid: action.target_plan_uid } : {}),
    arguments: action.cancel ? { cancel: true } : {},
    reasoning: action.reasoning,
  });

  /**
   * Interprets a prompt. Events and plans in the caller's context count as known, so that “move the dentist” works for what the
   * front end shows.
   * @returns the intents, and in `read` the versions of the pending plans, which may change while the model works
   */
  const interpret = async (
    caller: Caller,
    prompt: string,
    { context, signal, onText }: Pick<PlanOptions, 'context' | 'signal' | 'onText'>,
  ) => {
    const around = await surroundings(caller);
    const read = new Map(around.proposed.map(({ uid, version }) => [uid, version]));
    const warnings: string[] = [];
    if (model) {
      try {
        const facts = await factsFor(caller, prompt, context, around);
        const { reply, actions } = await (onText && model.planStreaming
          ? model.planStreaming(prompt, facts, onText, signal)
          : model.plan(prompt, facts, signal));
        const known = new Set(around.events.map((e) => e.uid));
        const strange = actions.filter((a) => a.target_event_uid !== null && !known.has(a.target_event_uid));
        if (strange.length) throw new Error('it named events that do not exist');
        return {
          intents: actions.map(fromModel),
          read,
          reply,
          warnings,
          planner: { mode: 'model' as const, model: model.model },
        };
      } catch (error) {
        signal?.throwIfAborted(); // The client has disconnected, so nothing must be recorded.
        warnings.push(`The model gave no usable answer (${(error as Error).message}); the built-in planner answered.`);
      }
    }
    const since = addMinutes(around.now, -CONVERSATION_MINUTES);
    const recent = around.proposed.filter(
      (p) => p.proposed_by === caller.actor && millis(p.recorded_at) >= millis(since),
    );
    const conversation = {
      now: around.now,
      zone: caller.zone,
      events: around.events.map(
        ({ uid, title, scheduled_for, duration_minutes, task_id, plan_uid, recurrence_id }) => ({
          uid,
          title,
          scheduled_for,
          duration_minutes,
          task_id: task_id ?? null,
          plan_uid: plan_uid ?? null,
          recurrence_id,
        }),
      ),
      pending: recent.map(({ uid, title, action_type, scheduled_for, duration_minutes, task_id }) => ({
        uid,
        title,
        action_type,
        scheduled_for,
        duration_minutes,
        task_id,
      })),
    };
    const { intents, question, reply, unknown, unread } = await runFairly(() => understand(prompt, conversation));
    if (unread)
      warnings.push(
        `The built-in planner read ${prompt.length - unread} of ${prompt.length} characters. Send the rest in further prompts.`,
      );
    if (unknown.length && intents.length)
      warnings.push(`The planner did not understand: ${unknown.map((u) => `“${u}”`).join(', ')}.`);
    return { intents, read, reply: question ?? reply, warnings, planner: { mode: 'built-in' as const, model: null } };
  };

  return interpret;
};
