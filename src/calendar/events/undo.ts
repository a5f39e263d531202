/**
 * Takes back what a person changed on the calendar, by the ledger number of the change: all that the same write did, in one write
 * (docs/decisions.md, A decision can be taken back).
 */
import { problem } from '../../common/problem.ts';
import type { Caller } from '../../domain/access/caller.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import { entriesOfWrite, type EntryOfWrite } from '../../ledger/read-ledger.ts';
import type { CalendarPlanPort } from '../plan-port.ts';
import type { InTransaction } from '../in-transaction.ts';
import type { EventResource } from '../schemas.ts';
import type { Made } from '../queries.ts';

export type UndoDeps = { ledger: Ledger; inTransaction: InTransaction; planHooks: CalendarPlanPort };

export type Undone = { events: EventResource[]; plan_uids: string[] };

/** @throws 409 not_undoable where no person changed the calendar in this write, 410 */
const changedEvents = (entries: readonly EntryOfWrite[], seq: number): Made[] => {
  if (!entries.length) throw problem('seq_gone', `The ledger has no entry ${seq}.`);
  const changed = entries.filter(({ subject }) => subject === 'event');
  if (!changed.length || !changed.every(({ actor }) => actor.startsWith('user:')))
    throw problem(
      'not_undoable',
      `Entry ${seq} is no change that a person made of the calendar. Send the seq of an event that a person created, changed or removed.`,
    );
  return [...new Map(changed.map(({ subject_uid: uid, seq: executedAt }) => [uid, { uid, executedAt }])).values()];
};

export const createUndo =
  ({ ledger, inTransaction, planHooks }: UndoDeps) =>
  /** @throws 409 changed_since, not_undoable, series_limit, slot_taken, 410 */
  (caller: Caller, seq: number, { simulate = false }: { simulate?: boolean | undefined } = {}): Promise<Undone> =>
    ledger.write(
      caller,
      async (writer): Promise<Undone> => {
        const entries = await entriesOfWrite(writer.tx, caller.user_id, seq);
        const made = changedEvents(entries, seq);
        const plan_uids = await planHooks.changeTakenBack(writer, entries);
        const written = await inTransaction.takeBack(writer, made, { links: plan_uids });
        return { events: written.map(({ event }) => event), plan_uids };
      },
      { simulate },
    );
