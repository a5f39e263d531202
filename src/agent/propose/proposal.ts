/** A proposal before it is placed and checked, and the shapes by which it is placed. */
import { cancels, takesTime, type ActionType } from '../../domain/plan/plan.ts';
import type { PlanArguments } from '../../domain/plan/plan-arguments.ts';
import type { SlotAnswer, SlotWeight } from '../../domain/plan/slots.ts';
import type { TempoProfile } from '../../domain/plan/tempo.ts';
import type { Span } from '../../domain/time/spans.ts';
import { addMinutes, type Instant, type Interval } from '../../domain/time/time.ts';
import type { PlanDoc, TraceDoc } from '../../domain/record/trace.ts';
import type { Settings } from '../../user/schemas.ts';

/** An action that somebody wants, before it is placed and checked. */
export type Proposal = {
  uid?: string | undefined;
  action_type: ActionType;
  title: string;
  content: string;
  scheduled_for: Instant | null;
  duration_minutes: number | null;
  /** For reschedule: by how much the length of the target changes. */
  duration_delta_minutes?: number | undefined;
  target_event_uid: string | null;
  arguments: PlanArguments;
  reasoning: string;
  /** Of a plan that repeats: its rule, the starts that are left out, what to do where time is taken, and its zone. */
  rrule?: string | null | undefined;
  exdates?: readonly Instant[] | undefined;
  on_conflict?: 'skip' | 'refuse' | undefined;
  timezone?: string | null | undefined;
  /** Where the event of a reschedule is now. */
  from?: Interval | undefined;
  /**
   * For a reschedule of an occurrence and all later ones: when they are then, by the start and the length of the first, and why the
   * rule of the series cannot follow there.
   */
  following?:
    | ((
        start: Instant,
        minutes: number,
        within: { days: number; most: number },
      ) => { times: Span[]; fault: string | null })
    | undefined;
  /** Where to search for a free slot. The default is the next two weeks. */
  between?: Interval | undefined;
  /** Times within it that are left out. */
  avoid?: Interval[] | undefined;
  part_of_day?: 'morning' | 'afternoon' | 'evening' | 'night' | undefined;
  /** When it expires without a decision, if it has no time of its own: a cancellation expires at the end of the event that it cancels. */
  lapses_at?: Instant | null | undefined;
  /** The other fields of its trace. */
  trace?: Partial<TraceDoc>;
  /** Of several in one request, the one with the higher priority is placed and counted first. The default is 0. */
  priority?: number | undefined;
  /** Its place in the request, as a JSON Pointer for faults. */
  at?: string | undefined;
  /** The proposer, where the service proposes a plan again. The default is the writer. */
  of?: Pick<PlanDoc, 'origin' | 'proposed_by'>;
};

export type Situation = {
  profile: TempoProfile;
  settings: Settings;
  weight?: (proposal: Proposal) => SlotWeight | undefined;
};

export type Verdict = { code: string; detail: string; alternatives?: { start: Instant; end: Instant }[] };

/** A plan's reasoning, and after it the reasons for its time, each as a sentence. */
export const reasoningWith = (reasoning: string, reasons: string[]): string =>
  [reasoning, ...reasons.map((reason) => `${reason.charAt(0).toUpperCase()}${reason.slice(1)}.`)]
    .filter(Boolean)
    .join(' ');

export type Placed = {
  start: Instant | null;
  minutes: number | null;
  reasons: string[];
  verdict: Verdict | null;
  /** Of a series: the starts that are left out. */
  exdates?: Instant[];
};

/** Without a window, a slot is searched in this time. */
export const HORIZON_MINUTES = 14 * 24 * 60;

/** The time in which a slot is searched. */
export const windowOf = ({ between }: Pick<Proposal, 'between'>, now: Instant): Interval =>
  between ?? { start: now, end: addMinutes(now, HORIZON_MINUTES) };

/** Only a proposal with a time can last the whole day. One without a time is placed like any other. */
export const settleDay = (p: Proposal): Proposal => {
  const { all_day, ...rest } = p.arguments;
  return all_day && p.scheduled_for === null ? { ...p, arguments: rest } : p;
};

/** Whether a proposal needs a slot. One that gives its event new texts needs it only where it names times too. */
export const needsSlot = (p: Proposal): boolean =>
  takesTime(p) ||
  (p.action_type === 'reschedule' && !cancels(p) && (p.between !== undefined || p.part_of_day !== undefined));

/** Whether the plan must be in the tempo hours: the limit `only_in_tempo` applies to agents' plans only. */
export const isKeptInTempo = ({ settings }: Situation, origin: string): boolean =>
  settings.limits.only_in_tempo && origin === 'agent';

export type Subject = { tempo_tag?: string | null | undefined; task_id?: string | null | undefined };

export const subjectOf = ({ trace }: Proposal): Subject => ({ tempo_tag: trace?.tempo_tag, task_id: trace?.task_id });

/**
 * `claimed` are the slots of other proposals in the request: a search avoids them, a named time competes for them. `wanted` are those
 * of proposals that wait: a search avoids them as long as there are others.
 * `keptInTempo`: see isKeptInTempo.
 */
export type PlaceOptions = { keptInTempo: boolean; claimed?: readonly Span[]; wanted?: readonly Span[] };

/** Searches free slots for a proposal; see createPlacement. */
export type FreeSlots = (
  p: Proposal,
  minutes: number,
  window: Interval,
  busy: readonly Span[],
  situation: Situation,
  keptInTempo: boolean,
  limit: number,
  at?: Instant,
) => SlotAnswer;
