/**
 * What R5 compares the service with: copies of everything after every entry, taken from the stream of changes as it came, and
 * filters, order, views and differences said once more in a few lines, without a database.
 */
import type { PatchOperation } from '../../src/domain/record/json-patch.ts';
import { patched } from '../support/patched.ts';

export type Doc = Record<string, unknown> & { uid: string };

/** All there was after an entry. */
export type State = {
  seq: number;
  at: string;
  traces: Map<string, Doc>;
  events: Map<string, Doc>;
  profile: Doc | null;
};

export type Version = { seq: number; version: number; recorded_at: string; action: string; doc: Doc };

export type Change = { sequence: number; time: string; type: string; subject: string; data: Doc };

export type Filter = {
  task_id?: string;
  tempo_tag?: string;
  type?: string;
  tag?: string;
  status?: string;
  origin?: string;
  start_time?: string;
  end_time?: string;
};

/** Includes events where events are meant. */
const matches = (doc: Doc, f: Filter): boolean =>
  (f.task_id === undefined || doc['task_id'] === f.task_id) &&
  (f.tempo_tag === undefined || doc['tempo_tag'] === f.tempo_tag) &&
  (f.type === undefined || doc['type'] === f.type) &&
  (f.tag === undefined || (doc['tags'] as string[]).includes(f.tag)) &&
  (f.status === undefined || (doc['type'] === 'agent_plan' && doc['status'] === f.status)) &&
  (f.origin === undefined || doc['origin'] === f.origin) &&
  (f.start_time === undefined || (doc['timestamp'] as string) >= f.start_time) &&
  (f.end_time === undefined || (doc['timestamp'] as string) <= f.end_time);

const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

/** By time, then uid. All uids of these histories have one form, so that every collation agrees. */
const sorted = (docs: Doc[], time: 'timestamp' | 'scheduled_for'): Doc[] =>
  docs.toSorted((a, b) => compare(a[time] as string, b[time] as string) || compare(a.uid, b.uid));

export const tracesOf = (state: State, filter: Filter): Doc[] =>
  sorted(
    [...state.traces.values()].filter((doc) => matches(doc, filter)),
    'timestamp',
  );

export const eventsOf = (state: State, filter: Filter): Doc[] =>
  sorted(
    [...state.events.values()].filter((doc) => matches(doc, filter)),
    'scheduled_for',
  );

const FREE_TEXT = ['content', 'notes', 'title', 'reasoning', 'metadata', 'arguments', 'last_error', 'tags'];

/**
 * A trace as somebody without export:sensitive sees it. Summaries are made anew where the content was blanked: they are not
 * compared there.
 */
export const blanked = (doc: Doc, values: ReadonlySet<string>): Doc => {
  const blank = (value: unknown): unknown => {
    if (typeof value === 'string') {
      let text = value;
      for (const secret of values)
        text = text.replaceAll(
          new RegExp(`(?<![\\p{L}\\p{N}])${RegExp.escape(secret)}(?![\\p{L}\\p{N}])`, 'giu'),
          '[redacted]',
        );
      return text;
    }
    if (Array.isArray(value)) return value.map(blank);
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, blank(inner)]));
  };
  const { authored_by: _a, chat_url: _c, sensitive: _s, ...rest } = doc;
  const out: Doc = { ...rest };
  for (const field of FREE_TEXT) if (field in out) out[field] = blank(out[field]);
  for (const field of ['decision', 'transition'])
    if (out[field]) out[field] = { ...out[field], note: blank((out[field] as { note: unknown }).note) };
  return out;
};

/** Applies what a diff says to an export, in any order. */
export const applied = (
  before: Doc[],
  differences: { op: string; uid: string; trace?: Doc; event?: Doc; profile?: Doc; patch?: PatchOperation[] }[],
): Doc[] => {
  const docs = new Map(before.map((doc) => [doc.uid, doc]));
  for (const { op, uid, trace, event, profile, patch } of differences) {
    if (op === 'removed') docs.delete(uid);
    else if (op === 'added') docs.set(uid, (trace ?? event ?? profile) as Doc);
    else {
      const doc = docs.get(uid);
      if (!doc) throw new Error(`${uid} is changed, but was not there`);
      docs.set(uid, patched(doc, patch ?? []));
    }
  }
  return [...docs.values()];
};

export const byUid = (docs: Doc[]): Doc[] => docs.toSorted((a, b) => compare(a.uid, b.uid));

/** The newest moment that a time with milliseconds means. */
const endOf = (time: string): string => (time.length === 24 ? `${time.slice(0, -1)}999Z` : time);

export const createModel = () => {
  const states: State[] = [{ seq: 0, at: '', traces: new Map(), events: new Map(), profile: null }];
  const versions = new Map<string, Version[]>();
  const now = (): State => states.at(-1) as State;

  const note = (seq: number, at: string, change: Partial<State>): void => {
    states.push({ ...now(), ...change, seq, at });
  };

  return {
    now,
    states,
    versions,

    /** Takes a change as it was heard; those of a person's profile are not told there. */
    hear: ({ sequence, time, type, subject, data }: Change): void => {
      const isEvent = type.startsWith('event.');
      const kept = isEvent ? 'events' : 'traces';
      const docs = new Map(now()[kept]);
      const { ics: _, ...doc } = data as Doc & { ics?: unknown };
      if (data['removed']) docs.delete(subject);
      else docs.set(subject, doc);
      note(sequence, time, { [kept]: docs });
      if (isEvent) return;
      const action = type.slice(type.indexOf('.') + 1);
      const version = { seq: sequence, version: data['version'] as number, recorded_at: time, action, doc };
      versions.set(subject, [...(versions.get(subject) ?? []), version]);
    },

    /** The head moved on without a change that is told; `profile` is what it is now. */
    hearNothing: (seq: number, profile: Doc): void => {
      if (seq > now().seq) note(seq, '', { profile });
      else states[states.length - 1] = { ...now(), profile };
    },

    stateAt: (seq: number): State => states.findLast((state) => state.seq <= seq) as State,

    /** As of a recorded time. */
    stateAtTime: (time: string): State =>
      states.findLast((state) => state.at !== '' && state.at <= endOf(time)) ?? (states[0] as State),

    /** What a reader of a moment is not shown: the values that are set then, and those that are set now. */
    sensitiveAt: (seq: number): Set<string> =>
      new Set(
        [states.findLast((state) => state.seq <= seq) as State, now()]
          .flatMap(({ traces }) => [...traces.values()])
          .flatMap((doc) => [doc['authored_by'], doc['chat_url']])
          .filter((value) => typeof value === 'string'),
      ),
  };
};

export type Model = ReturnType<typeof createModel>;
