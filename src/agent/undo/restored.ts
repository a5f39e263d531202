/** Takes back that all that an agent caused was taken back: all is as it was before, in one write, or nothing. */
import type { CalendarService } from '../../calendar/service.ts';
import { problem } from '../../common/problem.ts';
import type { Caller } from '../../domain/access/caller.ts';
import { UNDONE } from '../../domain/plan/plan.ts';
import type { PlanDoc, TraceDoc } from '../../domain/record/trace.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import type { Writer } from '../../ledger/ledger-writer.ts';
import { documentsAt, entriesOfWrite, type EntryOfWrite } from '../../ledger/read-ledger.ts';
import { lastTraces, type TraceStore } from '../../ledger/trace-store.ts';
import type { Moves } from '../decide/record-transition.ts';
import type { ProfileDoc } from '../../user/schemas.ts';
import { SETTINGS_CHANGED, takeSettingsBack } from '../decide/settings.ts';
import { findPlans } from '../queries.ts';
import { answerOf, type AgentTakenBack } from './agent.ts';
import { changedSince, isSameDecision } from './change.ts';
import { reopening } from './decisions.ts';
import { changedByOthers, createTracesTakenBack, isAsMade, type AroundChange } from './traces.ts';

export type RestoredDeps = { ledger: Ledger; traces: TraceStore; calendar: CalendarService; moves: Moves };

const isEvent = ({ subject }: EntryOfWrite): boolean => subject === 'event';
const isOfPlan = ({ kind }: EntryOfWrite): boolean => kind.startsWith('plan.');
const isOfTrace = ({ kind }: EntryOfWrite): boolean => kind === 'trace.updated' || kind === 'trace.removed';
/** What a write creates are records of what it did. */
const isRecord = ({ kind }: EntryOfWrite): boolean => kind === 'trace.created';
const isOfProfile = ({ kind }: EntryOfWrite): boolean => kind === SETTINGS_CHANGED;
const isUndone = (entry: EntryOfWrite): boolean => isOfPlan(entry) && entry.decision?.code === UNDONE;

const notTakenBack = (seq: number): Error =>
  problem('not_undoable', `Entry ${seq} is no change that POST /agent/take-back made. Send the seq that it answered.`);

/** @throws 409 not_undoable, 410 */
const requireTakenBack = (entries: readonly EntryOfWrite[], seq: number): void => {
  if (!entries.length) throw problem('seq_gone', `The ledger has no entry ${seq}.`);
  const isPart = (entry: EntryOfWrite): boolean =>
    entry.actor.startsWith('user:') && [isEvent, isUndone, isRecord, isOfTrace, isOfProfile].some((is) => is(entry));
  if (!entries.every(isPart) || !(entries.some(isUndone) || entries.every(isOfTrace))) throw notTakenBack(seq);
};

/** The entries of each thing, in order. */
const byUid = (entries: readonly EntryOfWrite[]): [string, [EntryOfWrite, ...EntryOfWrite[]]][] =>
  [...Map.groupBy(entries, ({ subject_uid }) => subject_uid)] as [string, [EntryOfWrite, ...EntryOfWrite[]]][];

export const createRestored = ({ ledger, traces, calendar, moves }: RestoredDeps) => {
  const takeTracesBack = createTracesTakenBack({ traces });

  /** The moves by which plans are again as they were before. @throws 409 changed_since */
  const plansAgain = async (writer: Writer, entries: readonly EntryOfWrite[]) => {
    const { tx, author } = writer;
    const own = new Map(byUid(entries));
    const firsts = [...own].map(([uid, [{ version }]]) => ({ uid, version: version - 1 }));
    const [plans, before] = await Promise.all([
      findPlans(tx, author.user_id, [...own.keys()]),
      documentsAt<PlanDoc>(tx, author.user_id, 'trace', firsts),
    ]);
    return plans.map((plan) => {
      const was = before.get(plan.uid);
      if (!was || !isSameDecision(plan, own.get(plan.uid)?.at(-1))) throw changedSince(plan);
      if (plan.status === 'rejected') return reopening(plan);
      return { plan, name: 'regain', details: { code: UNDONE, again: was.decision } } as const;
    });
  };

  /** Makes the settings again what the taken-back plans had made of them. @throws 409 changed_since */
  const settingsAgain = async (writer: Writer, entries: readonly EntryOfWrite[]): Promise<void> => {
    const [first, last] = [entries[0], entries.at(-1)];
    if (!first || !last) return;
    const uid = first.subject_uid;
    const at = async (version: number): Promise<ProfileDoc> => {
      const found = await documentsAt<ProfileDoc>(writer.tx, uid, 'profile', [{ uid, version }]);
      return found.get(uid) as ProfileDoc;
    };
    await takeSettingsBack(writer, { before: await at(first.version - 1), made: await at(last.version) });
  };

  const tracesAround = async ({ tx, author }: Writer, entries: readonly EntryOfWrite[]): Promise<AroundChange[]> => {
    const own = byUid(entries);
    const at = (which: (list: [EntryOfWrite, ...EntryOfWrite[]]) => number) =>
      documentsAt<TraceDoc>(
        tx,
        author.user_id,
        'trace',
        own.map(([uid, list]) => ({ uid, version: which(list) })),
      );
    const [before, made, now] = await Promise.all([
      at(([first]) => first.version - 1),
      at((list) => (list.at(-1) as EntryOfWrite).version),
      lastTraces(
        tx,
        author.user_id,
        own.map(([uid]) => uid),
      ),
    ]);
    return own.map(([uid]) => ({
      ...{ uid, before: before.get(uid) ?? null, made: made.get(uid) as TraceDoc, now: now.get(uid) as TraceDoc },
    }));
  };

  /** Makes all of one take-back as it was before, or nothing. @throws 409 changed_since, not_undoable, slot_taken, 410 */
  const restore = (
    caller: Caller,
    seq: number,
    { simulate = false }: { simulate?: boolean },
  ): Promise<AgentTakenBack> =>
    ledger.write(
      caller,
      async (writer): Promise<AgentTakenBack> => {
        const { tx } = writer;
        const entries = await entriesOfWrite(tx, caller.user_id, seq);
        requireTakenBack(entries, seq);
        const plans = await moves.makeAll(writer, await plansAgain(writer, entries.filter(isOfPlan)));
        const made = byUid(entries.filter(isEvent)).map(([uid, list]) => ({
          ...{ uid, executedAt: (list.at(-1) as EntryOfWrite).seq, after: list[0].seq - 1 },
        }));
        await settingsAgain(writer, entries.filter(isOfProfile));
        const links = plans.map(({ uid }) => uid);
        const events = made.length
          ? await calendar.inTransaction.takeBack(writer, made, { links, on_conflict: 'keep' })
          : [];
        const around = await tracesAround(writer, entries.filter(isOfTrace));
        // Feedback on a plan is a new version of it too.
        if (around.some(({ now }) => now.type === 'agent_plan')) throw notTakenBack(seq);
        const touched = around.find((one) => !isAsMade(one));
        if (touched) throw changedByOthers(touched);
        const restored = await takeTracesBack(writer, around);
        return answerOf(writer, simulate, {
          taken_back: [...plans, ...restored],
          events: events.map(({ event }) => event),
        });
      },
      { simulate },
    );

  return { restoreTakenBack: restore };
};
