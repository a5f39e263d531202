/** Taking a full export back: the same traces with a history starting anew. What is there already is left as it is. */
import type { Db } from '../db/client.ts';
import type { Caller } from '../domain/caller.ts';
import { canonicalJson } from '../domain/jcs.ts';
import { newTrace, type PlanFields, type TraceDoc, type TraceSeed, type Unstamped } from '../domain/trace.ts';
import { readTime, type Instant } from '../domain/time.ts';
import { invalid, problem, type Fault } from '../errors.ts';
import type { Ledger } from '../ledger/ledger.ts';
import type { TraceStore } from '../ledger/traces.ts';
import type { ImportReport, ImportTrace } from './schema.ts';

export type ImportDeps = { ledger: Ledger; traces: TraceStore };

/** Traces made and written at a time: other requests get their turn in between. */
const BATCH = 500;

/** Given anew here, and not part of what two traces are compared by. */
const NOT_CONTENT: ReadonlySet<string> = new Set([
  'user_id',
  'version',
  'seq',
  'recorded_at',
  'updated_at',
  'summary',
  'origin',
  'group',
  'depth',
]);

const PLAN_DEFAULTS: Omit<PlanFields, 'action_type' | 'status' | 'title'> = {
  scheduled_for: null,
  duration_minutes: null,
  target_event_uid: null,
  arguments: {},
  reasoning: '',
  temporal_estimate: { start: null, end: null, duration_minutes: null },
  decision: null,
  expires_at: null,
  executed_at: null,
  proposed_by: 'unknown',
  attempts: 0,
  last_error: null,
};

const PLAN_FIELDS = ['title', 'action_type', 'status', ...Object.keys(PLAN_DEFAULTS)] as (keyof PlanFields)[];

/** The fields that came, times as instants. */
const contentOf = (
  input: ImportTrace,
  zone: string,
): Partial<TraceDoc & PlanFields> & Pick<TraceDoc, 'uid' | 'type' | 'content' | 'timestamp'> => {
  const instant = (text: string | null | undefined): Instant | null | undefined =>
    text == null ? text : readTime(text, zone);
  const content = { ...input, timestamp: instant(input.timestamp), scheduled_for: instant(input.scheduled_for) };
  const given = Object.entries(content).filter(([field, value]) => value !== undefined && !NOT_CONTENT.has(field));
  return Object.fromEntries(given) as ReturnType<typeof contentOf>;
};

/** A plan comes as a record of what was: nothing lapses, nothing falls due. */
const draft = (user_id: string, content: ReturnType<typeof contentOf>): Unstamped => {
  const seed = { ...content, user_id, origin: 'import' } as TraceSeed;
  if (content.type !== 'agent_plan') return newTrace(seed);
  return newTrace({ ...PLAN_DEFAULTS, title: content.content.slice(0, 500), ...seed, expires_at: null } as TraceSeed);
};

/** Whether a trace holds what came, as far as it came: exports leave out what a credential may not see. */
const sameContent = (there: TraceDoc, content: ReturnType<typeof contentOf>): boolean => {
  if (there.removed) return false;
  const stored = there as unknown as Record<string, unknown>;
  return Object.entries(content).every(
    ([field, value]) =>
      field === 'expires_at' || canonicalJson({ v: stored[field] ?? null }) === canonicalJson({ v: value }),
  );
};

const check = (caller: Caller, list: readonly ImportTrace[]): void => {
  const faults: Fault[] = [];
  list.forEach((input, i) => {
    const isPlan = input.type === 'agent_plan';
    if ((isPlan || input.transition) && !caller.scopes.has('plan:decide'))
      throw problem(
        'insufficient_scope',
        `traces/${i} belongs to the trace log of plans: importing it needs plan:decide.`,
        { missing: ['plan:decide'] },
      );
    const needed = isPlan ? (['action_type', 'status'] as const).filter((field) => input[field] === undefined) : [];
    const foreign = isPlan ? [] : PLAN_FIELDS.filter((field) => input[field as keyof ImportTrace] !== undefined);
    for (const field of needed)
      faults.push({ path: `/traces/${i}/${field}`, code: 'required', message: 'is required for an agent_plan' });
    for (const field of foreign)
      faults.push({
        path: `/traces/${i}/${field}`,
        code: 'unknown_field',
        message: 'belongs to traces of type agent_plan only',
      });
  });
  if (faults.length) throw invalid(faults);
};

/** Newest version of each uid, removed ones included. Rides on ledger's unique key. */
const lastVersions = async (db: Db, user_id: string, uids: string[]): Promise<Map<string, TraceDoc>> => {
  const rows = await db
    .selectFrom('ledger')
    .distinctOn('subject_uid')
    .select(['subject_uid', 'payload'])
    .where('user_id', '=', user_id)
    .where('subject', '=', 'trace')
    .where('subject_uid', 'in', uids)
    .orderBy('subject_uid')
    .orderBy('version', 'desc')
    .execute();
  return new Map(rows.map((r) => [r.subject_uid, r.payload as unknown as TraceDoc]));
};

export const createImport = ({ ledger, traces }: ImportDeps) => {
  /**
   * All or nothing; a second run finds everything unchanged.
   * @throws 403 where plans or their transitions come with a credential that can't decide on plans.
   */
  const importTraces = async (caller: Caller, list: readonly ImportTrace[]): Promise<ImportReport> => {
    check(caller, list);
    return ledger.write(caller, async (writer) => {
      const report: ImportReport = { created: 0, unchanged: 0, conflicts: [] };
      for (let start = 0; start < list.length; start += BATCH) {
        const part = list.slice(start, start + BATCH);
        await writer.flush(); // so that a uid that comes twice is found
        const there = await lastVersions(
          writer.tx,
          caller.user_id,
          part.map((t) => t.uid),
        );
        const fresh = new Map<string, Unstamped>();
        for (const input of part) {
          const content = contentOf(input, caller.zone);
          const known = there.get(input.uid) ?? (fresh.get(input.uid) as TraceDoc | undefined);
          if (!known) fresh.set(input.uid, draft(caller.user_id, content));
          else if (sameContent(known, content)) report.unchanged++;
          else report.conflicts.push(input.uid);
        }
        await traces.insert(
          writer,
          [...fresh.values()].map((trace) => ({ trace })),
        );
        report.created += fresh.size;
      }
      return report;
    });
  };

  return { importTraces };
};

export type Import = ReturnType<typeof createImport>;
