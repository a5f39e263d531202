/** What the calendar asks of the planner queue, in its own write under the user's lock. The agent feature does it (src/agent/plan-hooks.ts). */
import type { Instant } from '../domain/time/time.ts';
import type { Writer } from '../ledger/ledger-writer.ts';
import type { EntryOfWrite } from '../ledger/read-ledger.ts';

export type CalendarPlanPort = {
  /** Calendar calls this when an agent's block was removed for an event of a person. It proposes the plan again, later. */
  blockDisplaced: (
    writer: Writer,
    block: { plan_uid: string; event: { scheduled_for: Instant; duration_minutes: number } },
    /** This event may not be in the calendar yet. */
    by: { title: string; end: Instant },
  ) => Promise<void>;
  /**
   * Calendar calls this when occurrences of an agent's series were left out for events of a person. It proposes the next ones
   * again. `isGone` says that the series has no occurrence left and was removed.
   */
  occurrencesDisplaced: (
    writer: Writer,
    displaced: {
      plan_uid: string;
      occurrences: {
        event: { scheduled_for: Instant; duration_minutes: number };
        by: { title: string; end: Instant };
      }[];
      isGone: boolean;
    },
  ) => Promise<void>;
  /**
   * Calendar calls this when a person takes a change back, with all entries of the write that made it. Plans that lost their time
   * have it again, and the proposals that were made instead are withdrawn.
   * @returns the plans that changed
   * @throws 409 changed_since, not_undoable
   */
  changeTakenBack: (writer: Writer, entries: readonly EntryOfWrite[]) => Promise<string[]>;
  /** Calendar calls this when a person changed or removed the event of a plan. It records that as a decision on the plan. */
  eventChanged: (
    writer: Writer,
    decision: { plan_uid: string; change: 'moved' | 'edited' | 'removed' },
  ) => Promise<void>;
};
