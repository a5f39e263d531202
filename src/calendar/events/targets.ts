/** Finds what a plan that names an event changes. */
import type { Clock } from '../../common/clock.ts';
import type { Db } from '../../db/database.ts';
import { millis, type Instant } from '../../domain/time/time.ts';
import { invalidAt, type SeenVersions } from '../../common/problem.ts';
import { isSeries } from './document.ts';
import type { Target } from './edits.ts';
import { eventText } from './sentence.ts';
import { findEvents } from '../queries.ts';
import type { Scope } from '../../domain/record/field-shapes.ts';
import type { EventResource, OnConflict } from '../schemas.ts';
import { hasOccurrence, nextOccurrence } from './series-edits.ts';
import { occurrenceAt } from '../timeline.ts';

export type TargetsDeps = { clock: Clock };

export type ChangeOptions = {
  /** uids of the traces that the change follows from. The calendar_event trace links to them. */
  links?: string[];
  /** The plan that this change executes. Such a change may not overlap busy time, whoever approved the plan. */
  byPlan?: string;
  scope?: Scope | undefined;
  recurrence_id?: Instant | undefined;
  /** What happens to agents' blocks whose time it takes. */
  on_conflict?: OnConflict | undefined;
  /** The version that the caller has read (If-Match). */
  expected?: SeenVersions | undefined;
};

export const createTargets = ({ clock }: TargetsDeps) => {
  /**
   * What a plan that names an event changes: of a series one occurrence, the next where it names none, never all that has been.
   * Null where the series does not occur then, and where an occurrence that has ended would change with all later ones.
   */
  const occurrenceOf = (event: EventResource, recurrence_id?: Instant, scope?: Scope): EventResource | null => {
    if (!isSeries(event))
      return recurrence_id === undefined || recurrence_id === (event.recurrence_id ?? event.scheduled_for)
        ? event
        : null;
    const id = recurrence_id ?? nextOccurrence(event, clock.now());
    const meant = id !== null && hasOccurrence(event, id) ? occurrenceAt(event, id) : null;
    return meant && scope === 'following' && millis(meant.end) <= clock.millis() ? null : meant;
  };

  const targetOf = (event: EventResource, { scope, recurrence_id, byPlan }: ChangeOptions): Target => {
    if (byPlan === undefined || !isSeries(event) || (recurrence_id !== undefined && scope !== 'following'))
      return { scope, recurrence_id };
    // Plans of earlier releases name no occurrence, nor do those whose arguments were edited.
    const next = occurrenceOf(event, recurrence_id, scope)?.recurrence_id;
    if (next == null)
      throw recurrence_id === undefined
        ? invalidAt('/target_event_uid', 'no_occurrence', 'must be a series that still has an occurrence')
        : invalidAt('/recurrence_id', 'no_occurrence', 'must be an occurrence of this series that has not ended');
    return { scope: scope ?? 'this', recurrence_id: next };
  };

  /** What plans would change, as people read it, by the uid of the plan; see occurrenceOf. */
  const targetTexts = async (
    tx: Db,
    user_id: string,
    plans: { uid: string; event_uid: string; recurrence_id: Instant | undefined; scope: Scope | undefined }[],
  ): Promise<Map<string, string>> => {
    const uids = plans.map(({ event_uid }) => event_uid);
    const events = new Map((await findEvents(tx, user_id, uids)).map((event) => [event.uid, event]));
    return new Map(
      plans.flatMap(({ uid, event_uid, recurrence_id, scope }) => {
        const event = events.get(event_uid);
        const meant = event && occurrenceOf(event, recurrence_id);
        if (!meant) return [];
        return [[uid, `${eventText(meant)}${scope === 'following' ? ' and all later ones' : ''}`] as const];
      }),
    );
  };

  return { occurrenceOf, targetOf, targetTexts };
};

export type Targets = ReturnType<typeof createTargets>;
