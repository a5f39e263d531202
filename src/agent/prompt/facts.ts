/** Reads what a prompt is understood by: the calendar and the queue around it, the settings, and the conversation. */
import type { Occurrence } from '../../calendar/schemas.ts';
import type { CalendarService } from '../../calendar/service.ts';
import type { Clock } from '../../common/clock.ts';
import type { Db } from '../../db/database.ts';
import type { Caller } from '../../domain/access/caller.ts';
import type { Intent, IntentContext, KnownSettings, PendingPlan } from '../../domain/planner/intents/types.ts';
import { readArguments } from '../../domain/plan/plan-arguments.ts';
import type { Limits } from '../../domain/plan/limits.ts';
import { isRefused } from '../../domain/plan/refusal.ts';
import { cancels } from '../../domain/plan/plan.ts';
import { freeStretches } from '../../domain/plan/slots.ts';
import { tempoWindows } from '../../domain/plan/tempo.ts';
import { toInterval } from '../../domain/time/spans.ts';
import { addMinutes, dayBounds, localDate, millis, type Instant, type Interval } from '../../domain/time/time.ts';
import { presentEach, type Sensitive } from '../../ledger/sensitive-values.ts';
import { SearchBody } from '../../memory/schemas.ts';
import type { Search } from '../../memory/search/search.ts';
import type { FactEvent, PlanningFacts } from '../../llm/model-planner.ts';
import { isPlan, type PlanDoc } from '../../domain/record/trace.ts';
import { findTraces } from '../../ledger/trace-store.ts';
import { loadProfile } from '../../user/profile.ts';
import type { Situation } from '../propose/proposal.ts';
import { newestPendingOf, queuePage } from '../queries.ts';
import type { PlanContext } from '../schemas.ts';
import type { SituationOf } from './situation.ts';

export type FactsDeps = {
  search: Search;
  clock: Clock;
  calendar: CalendarService;
  db: Db;
  situationOf: SituationOf;
  sensitive: Sensitive;
};

const MATCH_DAYS_BACK = 1;

const MATCH_DAYS_AHEAD = 60;

/** “it” in a prompt refers to a proposal of the last hour. */
export const CONVERSATION_MINUTES = 60;

const FREE_DAYS = 14;

/** Shorter free time is of no use for most plans. */
const FREE_MINUTES = 30;

const PENDING_SHOWN = 20;

/** The model gets the traces that a search for the first thousand characters of the prompt finds, at most ten. */
const SEARCHED_CHARACTERS = 1000;

const TRACES_SHOWN = 10;

/** The tasks that use hours by their names, with these names. */
const usersOf = (tasks: Situation['profile']['task_overrides']): Record<string, { ranges: string[] }> =>
  Object.fromEntries(
    Object.entries(tasks).flatMap(([task, { ranges = [] }]) => {
      const names = ranges.filter((range) => typeof range === 'string');
      return names.length > 0 ? [[task, { ranges: names }]] : [];
    }),
  );

const factOf = (event: Occurrence): FactEvent => ({
  ...{ uid: event.uid, recurrence_id: event.recurrence_id, rrule: event.rrule, title: event.title },
  ...{ start: event.scheduled_for, end: event.end },
  whole_days: event.all_day ? datesOf(event) : null,
});

/** The dates of an event without hours, in its own zone. */
const datesOf = ({ local_start, duration_minutes }: Occurrence): { from: string; to: string } => {
  const from = Temporal.PlainDate.from(local_start);
  const days = Math.max(1, Math.round(duration_minutes / 1440));
  return { from: from.toString(), to: from.add({ days: days - 1 }).toString() };
};

/** The limits; without the rules for a tag where the credential may not know which tags there are. */
const limitsFor = ({ scopes }: Caller, limits: Limits): Limits => {
  if (scopes.has('tempo:read') || scopes.has('user:read')) return limits;
  return { ...limits, cadence: limits.cadence.filter(({ tag }) => !tag) };
};

export const pendingOf = (plan: PlanDoc): PendingPlan => ({
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

/** What a plan asks for, as a request that can be made again otherwise. */
const wishOf = (plan: PlanDoc): Intent => ({
  ...{ action_type: plan.action_type, title: plan.title, content: plan.content, tags: plan.tags },
  ...(plan.scheduled_for !== null && { scheduled_for: plan.scheduled_for }),
  ...(plan.duration_minutes !== null && { duration_minutes: plan.duration_minutes }),
  ...(plan.rrule !== null && { rrule: plan.rrule, exdates: plan.exdates }),
  ...(plan.task_id !== null && { task_id: plan.task_id }),
  ...(plan.tempo_tag !== null && { tempo_tag: plan.tempo_tag }),
  ...(plan.target_event_uid !== null && { target_event_uid: plan.target_event_uid }),
  arguments: readArguments(plan),
  reasoning: 'You asked for it before, and it was not possible then.',
});

const isOfConversation = ({ proposed_by, recorded_at }: PlanDoc, { actor }: Caller, now: Instant): boolean =>
  proposed_by === actor && millis(recorded_at) >= millis(addMinutes(now, -CONVERSATION_MINUTES));

/** As many as one prompt proposes at most, and some before it. */
const OWN_READ = 100;
const QUEUE_READ = 100;

/**
 * The proposals that a prompt may be about: the caller's own ones of this conversation, however many others wait, then those of the
 * queue, both soonest first.
 */
const pendingAround = async (db: Db, caller: Caller, now: Instant): Promise<PlanDoc[]> => {
  if (!caller.scopes.has('plan:read')) return [];
  const [newest, { items }] = await Promise.all([
    newestPendingOf(db, caller, OWN_READ),
    queuePage(db, caller.user_id, { statuses: ['proposed'], pending: true }, QUEUE_READ),
  ]);
  const own = newest.filter((plan) => isOfConversation(plan, caller, now));
  const uids = new Set(own.map(({ uid }) => uid));
  return [...own, ...items.filter(({ uid }) => !uids.has(uid))];
};

/** Reads the calendar and the queue around a prompt. */
const createSurroundings = ({
  clock,
  calendar,
  db,
  sensitive,
}: Pick<FactsDeps, 'clock' | 'calendar' | 'db' | 'sensitive'>) => {
  return async (caller: Caller) => {
    const now = clock.now();
    const window = { start: addMinutes(now, -MATCH_DAYS_BACK * 1440), end: addMinutes(now, MATCH_DAYS_AHEAD * 1440) };
    const [events, proposed] = await Promise.all([
      // The planner must not reveal what the credential may not read.
      caller.scopes.has('calendar:read') ? calendar.inTransaction.overview(db, caller.user_id, window) : [],
      pendingAround(db, caller, now),
    ]);
    // An event or a plan that is found by a word which is hidden from the caller would confirm that word.
    const [shown, shownPlans] = await Promise.all([
      presentEach(sensitive, caller, events),
      presentEach(sensitive, caller, proposed),
    ]);
    return { now, events, shown, proposed, shownPlans };
  };
};

export type Around = Awaited<ReturnType<ReturnType<typeof createSurroundings>>>;

export const createFacts = ({ search, clock, calendar, db, situationOf, sensitive }: FactsDeps) => {
  /** The traces for a prompt that the credential may read. */
  const relevantTraces = async (caller: Caller, prompt: string): Promise<PlanningFacts['traces']> => {
    if (!caller.scopes.has('memory:read')) return [];
    const body = SearchBody.parse({ query: prompt.slice(0, SEARCHED_CHARACTERS), limit: TRACES_SHOWN });
    const { items } = await search.search(caller, body, undefined);
    return items.map(({ uid, type, task_id, timestamp, summary }) => ({ uid, type, task_id, timestamp, summary }));
  };

  const surroundings = createSurroundings({ clock, calendar, db, sensitive });

  /** Free time says when the calendar is busy. */
  const freeTimes = async (caller: Caller, now: Instant, { profile }: Situation): Promise<Interval[] | null> => {
    if (!caller.scopes.has('calendar:read')) return null;
    const last = localDate(addMinutes(now, (FREE_DAYS - 1) * 1440), profile.timezone);
    const window = { start: now, end: dayBounds(last, profile.timezone).end };
    const busy = await calendar.inTransaction.busy(db, caller.user_id, window, { apart: [] });
    const free = freeStretches({ window, busy, now, zone: profile.timezone }, tempoWindows(profile, {}, window));
    return free.filter(([from, to]) => to - from >= FREE_MINUTES * 60_000).map(toInterval);
  };

  /** The facts that the credential may read, because the model's answer may tell any of them. */
  const factsFor = async (
    caller: Caller,
    prompt: string,
    { context, turns = [] }: { context?: PlanContext | undefined; turns?: PlanningFacts['turns'] | undefined },
    { now, shown: events, shownPlans }: Around,
  ): Promise<PlanningFacts> => {
    const situation = await situationOf(db, caller.user_id);
    const [free, traces] = await Promise.all([freeTimes(caller, now, situation), relevantTraces(caller, prompt)]);
    const { time_ranges, tag_mappings, duration_biases } = situation.profile;
    const task_overrides = usersOf(situation.profile.task_overrides);
    return sensitive.present(caller, {
      now,
      zone: caller.zone,
      free,
      events: events.map(factOf),
      pending: shownPlans
        .slice(0, PENDING_SHOWN)
        .map(({ uid, action_type, title, scheduled_for, rrule, proposed_by }) => ({
          ...{ uid, action_type, title, scheduled_for, rrule },
          yours: proposed_by === caller.actor || caller.scopes.has('plan:decide'),
        })),
      tempo: caller.scopes.has('tempo:read') ? { time_ranges, tag_mappings, duration_biases, task_overrides } : null,
      limits: caller.scopes.has('plan:read') ? limitsFor(caller, situation.settings.limits) : null,
      traces,
      turns,
      context: context ?? null,
    });
  };

  /** What a rule for all plans changes, where the caller may read it. */
  const settingsOf = async ({ user_id, scopes }: Caller): Promise<KnownSettings | undefined> => {
    if (!scopes.has('tempo:read') || !scopes.has('plan:read')) return undefined;
    const { settings, tempo } = (await loadProfile(db, user_id)).profile;
    const { time_ranges, tag_mappings, task_overrides, duration_biases } = tempo;
    return { limits: settings.limits, tempo: { time_ranges, tag_mappings, task_overrides, duration_biases } };
  };

  /** What the built-in planner knows: the events, and the caller's own proposals of this conversation. */
  const conversationOf = (
    caller: Caller,
    { now, shown: events, shownPlans }: Around,
    before: IntentContext['before'],
  ): IntentContext => {
    const own = shownPlans.filter((plan) => isOfConversation(plan, caller, now));
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
      pending: own.map(pendingOf),
    };
  };

  /**
   * The one request of the reply before, where the limits or the calendar refused it. It is as the caller asked for it: if a hidden value
   * in it counted, a guess of that value would be answered otherwise than another word. The answer is blanked like all.
   */
  const refusedOf = async (caller: Caller, plan_uids: readonly string[]): Promise<Intent | undefined> => {
    const [uid, ...more] = plan_uids;
    if (uid === undefined || more.length || !caller.scopes.has('plan:read')) return undefined;
    const plan = (await findTraces(db, caller.user_id, [uid])).find(isPlan);
    return plan && isRefused(plan) && plan.proposed_by === caller.actor ? wishOf(plan) : undefined;
  };

  return { surroundings, factsFor, settingsOf, conversationOf, refusedOf };
};
