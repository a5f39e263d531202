/**
 * Entries of one act: a decision writes the plan, a record of the decision, the event, and a record of the event. The list says once what
 * was done, and has the documents of all of them behind it.
 */
import type { LedgerEntry } from '../../../client/almanac-client.ts';
import { asDoc, type Doc } from '../state/field-names.ts';
import { isRecord } from '../ui/deed.tsx';

/** Newest entry first, as the list is. `head` is the entry that says what was done. */
export type Act = { head: LedgerEntry; entries: LedgerEntry[] };

/** What one write says of the same plan and the same event is recorded at about the same moment. */
const WRITE_MS = 2_000;

const payloadOf = ({ payload }: LedgerEntry): Doc => payload ?? {};
const text = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined);
const isOfPlan = (entry: LedgerEntry): boolean => payloadOf(entry)['type'] === 'agent_plan';

/** The thing that a record of the service is about; undefined for any other entry. */
const recorded = (entry: LedgerEntry): string | undefined => {
  if (!isRecord(entry)) return undefined;
  const { transition, linked_event_uid } = payloadOf(entry);
  const plan = text(asDoc(transition ?? {})['plan_uid']);
  if (plan !== undefined) return `trace ${plan}`;
  const event = text(linked_event_uid);
  return event === undefined ? undefined : `event ${event}`;
};

const thingOf = ({ subject, subject_uid, seq }: LedgerEntry): string => `${subject} ${subject_uid ?? seq}`;

/** A plan that only follows a change of its event, or was carried out with its approval. */
const follows = (entry: LedgerEntry): boolean => {
  const { code } = asDoc(payloadOf(entry)['decision'] ?? {});
  return entry.kind === 'plan.executed' || (entry.kind === 'plan.edited' && text(code)?.startsWith('event_') === true);
};

const isOfOneWrite = (a: LedgerEntry, b: LedgerEntry): boolean =>
  a.actor === b.actor && Math.abs(Date.parse(a.recorded_at) - Date.parse(b.recorded_at)) <= WRITE_MS;

/** A decision says more than what it did to the calendar. */
const headOf = (entries: readonly LedgerEntry[]): LedgerEntry => {
  const deeds = entries.filter((entry) => !isRecord(entry));
  return deeds.find((entry) => isOfPlan(entry) && !follows(entry)) ?? deeds[0] ?? (entries[0] as LedgerEntry);
};

/** @param list newest first */
export const actsOf = (list: readonly LedgerEntry[]): Act[] => {
  /** The entries of each act, oldest first; an act that joined another one is empty. */
  const acts: LedgerEntry[][] = [];
  /** The newest act about each thing. */
  const newest = new Map<string, LedgerEntry[]>();
  for (const entry of list.toReversed()) {
    const recordOf = recorded(entry);
    const own = thingOf(entry);
    const of = recordOf === undefined ? undefined : newest.get(recordOf);
    if (of) {
      of.push(entry);
      continue;
    }
    const act = [entry];
    if (isOfPlan(entry)) {
      const event = text(payloadOf(entry)['linked_event_uid']);
      const earlier = [
        ...(entry.kind === 'plan.executed' ? [own] : []),
        ...(event === undefined ? [] : [`event ${event}`]),
      ];
      for (const thing of earlier) {
        const other = newest.get(thing);
        if (!other?.length || other === act || !isOfOneWrite(other.at(-1) as LedgerEntry, entry)) continue;
        act.unshift(...other.splice(0));
        newest.set(thing, act);
      }
    }
    newest.set(own, act);
    acts.push(act);
  }
  return acts
    .filter((entries) => entries.length > 0)
    .map((entries) => entries.toSorted((a, b) => b.seq - a.seq))
    .map((entries) => ({ head: headOf(entries.toReversed()), entries }))
    .toSorted((a, b) => b.head.seq - a.head.seq);
};
