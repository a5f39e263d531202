/** Shows a proposal as an event, for the feed and for calendar programs. */
import type { CalendarService } from '../../calendar/service.ts';
import type { Db } from '../../db/database.ts';
import type { Caller } from '../../domain/access/caller.ts';
import type { EventDoc } from '../../domain/calendar/event-doc.ts';
import { isOnlyTitle } from '../../domain/plan/own-text.ts';
import { cancels, keepsTime } from '../../domain/plan/plan.ts';
import { readArguments } from '../../domain/plan/plan-arguments.ts';
import { saidReminders } from '../../domain/plan/reminders-said.ts';
import type { Actor } from '../../domain/record/field-shapes.ts';
import type { PlanDoc } from '../../domain/record/trace.ts';
import { localStart, type Instant } from '../../domain/time/time.ts';
import { withoutAddresses } from './without-addresses.ts';

/**
 * A plan with the event that it moves or cancels, since the agent's own text might describe another event; the event with which
 * it exchanges places; who proposed it; and how many other proposals want its time.
 */
export type ShownPlan = PlanDoc & {
  target?: string | undefined;
  partner?: string | undefined;
  proposer?: Actor | undefined;
  conflicts_count?: number;
};

/** A reason may have 10,000 characters, and a person would not find the links below all of them. */
const MOST_ABOVE = 500;

/** The first characters of a text, without half of a surrogate pair at the end. */
const beginning = (text: string): string =>
  text.length <= MOST_ABOVE ? text : `${text.slice(0, MOST_ABOVE).replace(/[\ud800-\udbff]$/, '')}…`;

/** The line of the reminders. They are no alarms of the proposal itself, which must not ring before it is approved. */
const remindersOf = (plan: PlanDoc): string[] => {
  const { reminders } = readArguments(plan);
  return reminders && !cancels(plan) ? [`Reminders: ${saidReminders(reminders)}.`] : [];
};

/** What the plan changes, and who proposed it. The titles in it may be an agent's too. */
const changesOf = (plan: ShownPlan): string[] => [
  ...(plan.target === undefined
    ? []
    : [`${cancels(plan) ? 'Cancels' : keepsTime(plan) ? 'Changes' : 'Moves'} ${plan.target}.`]),
  ...(plan.partner === undefined ? [] : [`Exchanges places with ${plan.partner}; both are decided together.`]),
  ...remindersOf(plan),
  ...(plan.origin === 'agent' && plan.proposer ? [`Proposed by ${plan.proposer.label}.`] : []),
];

/**
 * Writes the description. Programs show its beginning only, so the reason comes first. What is above the links is an agent's in part
 * and must not offer other links, so it has no addresses; what lost some, or its end, is below as a whole.
 */
const descriptionOf = (plan: ShownPlan, link: string | null): string => {
  const reason = plan.reasoning ? [`Why: ${plan.reasoning}`] : [];
  const changes = changesOf(plan);
  const content = [
    ...(isOnlyTitle(plan) ? [] : [plan.content]),
    ...(plan.conflicts_count ? [`Number of other proposals for this time: ${plan.conflicts_count}.`] : []),
  ];
  if (link === null) return [...reason, ...changes, ...content].join('\n');
  const above = [...reason.map((text) => beginning(withoutAddresses(text))), ...changes.map(withoutAddresses)];
  const links = [`Approve: ${link}&decision=approve`, `Reject: ${link}&decision=reject`];
  const whole = [...reason, ...changes].filter((text, i) => text.replaceAll(/\s+/g, ' ').trim() !== above[i]);
  return [...above, ...(above.length ? [''] : []), ...links, '', ...whole, ...content].join('\n');
};

/** The UID of a proposal. Its event on the calendar has another one. */
export const proposalUid = (uid: string): string => `proposal-${uid}`;

/** A proposal as a tentative event. `zone` is for plans without one; `link` opens a page on which a person decides. */
export const proposalEvent = (
  plan: ShownPlan,
  { zone: own, link }: { zone: string; link: string | null },
): EventDoc => {
  const at = plan.scheduled_for as Instant;
  const zone = plan.timezone ?? own;
  return {
    uid: proposalUid(plan.uid),
    title: plan.title,
    description: descriptionOf(plan, link) || null,
    location: null,
    url: link,
    scheduled_for: at,
    duration_minutes: plan.duration_minutes ?? 0,
    timezone: zone,
    local_start: localStart(at, zone),
    all_day: false,
    task_id: plan.task_id,
    tempo_tag: plan.tempo_tag,
    tags: plan.tags,
    status: 'tentative',
    busy: false,
    rrule: plan.rrule,
    rdates: [],
    exdates: plan.exdates,
    reminders: [],
    sequence: plan.version - 1,
    created_at: plan.recorded_at,
    updated_at: plan.updated_at,
  };
};

export type TargetDeps = {
  /** Reads what the plans would change. */
  reads: Db;
  calendar: CalendarService;
};

/**
 * The events that plans move or cancel, as sentences. Whoever can decide sees them; whoever only reads plans needs calendar:read.
 */
export const targetTexts = async (
  { reads, calendar }: TargetDeps,
  by: Pick<Caller, 'user_id' | 'scopes'>,
  plans: readonly PlanDoc[],
): Promise<Map<string, string>> =>
  by.scopes.has('plan:decide') || by.scopes.has('calendar:read')
    ? calendar.inTransaction.targetTexts(
        reads,
        by.user_id,
        plans.flatMap((plan) => {
          const { recurrence_id, scope } = readArguments(plan);
          return plan.target_event_uid ? { uid: plan.uid, event_uid: plan.target_event_uid, recurrence_id, scope } : [];
        }),
      )
    : new Map();

/** The reminders that the event of a plan has now, where the plan gives it others. */
export const remindersNow = async (
  { reads, calendar }: TargetDeps,
  user_id: string,
  plan: PlanDoc,
): Promise<number[] | undefined> => {
  const { reminders, recurrence_id } = readArguments(plan);
  if (!reminders || plan.target_event_uid === null) return undefined;
  const [event] = await calendar.inTransaction.find(reads, user_id, [plan.target_event_uid]);
  return event && calendar.inTransaction.occurrenceOf(event, recurrence_id)?.reminders;
};
