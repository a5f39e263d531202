/** Imports traces of a full export. Each gets a new history, and traces that exist already stay unchanged. */
import { sql } from 'kysely';
import type { Db } from '../db/database.ts';
import { eachKey } from '../db/rows-by-key.ts';
import type { Caller } from '../domain/access/caller.ts';
import { canonicalJson } from '../domain/record/canonical-json.ts';
import { newTrace, type PlanDoc, type TraceDoc, type TraceSeed, type Unstamped } from '../domain/record/trace.ts';
import { LONGEST_TITLE, PLAN_DEFAULTS, PLAN_FIELDS, type PlanFields } from '../domain/plan/plan-fields.ts';
import { readTime, type Instant } from '../domain/time/time.ts';
import { MAX_FAULTS } from '../domain/record/bounded-collections.ts';
import { parse } from '../common/fault-text.ts';
import { faultsOf, invalid, problem, type Fault } from '../common/problem.ts';
import { titleFrom } from '../domain/record/cutting.ts';
import type { Find } from '../domain/record/redact.ts';
import type { Author, Writer } from '../ledger/ledger-writer.ts';
import type { Sensitive } from '../ledger/sensitive-values.ts';
import type { StagedImports } from '../ledger/staged-import.ts';
import type { Blanking } from '../domain/record/blanking.ts';
import { firstVersions, type NewTrace, type TraceStore } from '../ledger/trace-store.ts';
import { mapYielding, createYielder } from '../common/yielding.ts';
import { readDocuments } from '../ledger/document-batches.ts';
import { ANEW, ImportTrace, type ImportReport } from './import-schemas.ts';
import type { MemportPlanPort } from './plan-port.ts';

export type ImportDeps = {
  staged: StagedImports;
  traces: TraceStore;
  planHooks: MemportPlanPort;
  sensitive: Sensitive;
};

/** Traces that are not validated yet, and the member of the body that holds them. */
export type Sent = { items: readonly unknown[]; member: 'traces' | 'results' };

/** The limits of a part, in traces and in characters of their content. On the embedded database it takes some 60 ms; smaller ones cost more in all. */
const PART = 40;
const PART_CHARACTERS = 40_000;

/** Fields that an import sets itself, so they are no part of the comparison of two traces. */
const NOT_CONTENT: ReadonlySet<string> = new Set([...Object.keys(ANEW.shape), 'user_id', 'revision', 'subject']);

/** Fields that follow from whether a plan waits. */
const NOT_COMPARED: ReadonlySet<string> = new Set(['expires_at', 'origin']);

const PLAN_ONLY = Object.keys(PLAN_FIELDS);

type Content = Partial<TraceDoc & PlanFields> & Pick<TraceDoc, 'uid' | 'type' | 'content' | 'timestamp'>;

/** Who proposed a plan that waited where it was exported; null for every other trace. */
const waitedBy = ({ type, status, origin }: ImportTrace): 'user' | 'agent' | null =>
  type === 'agent_plan' && status === 'proposed' && (origin === 'user' || origin === 'agent') ? origin : null;

/** The fields that were sent, with times as instants. Only a plan that waited keeps its origin. */
const contentOf = (input: ImportTrace, zone: string): Content => {
  const instant = (text: string | null | undefined): Instant | null | undefined =>
    text == null ? text : readTime(text, zone);
  const content = {
    ...input,
    timestamp: instant(input.timestamp),
    scheduled_for: instant(input.scheduled_for),
    exdates: input.exdates?.map(instant),
  };
  const given = Object.entries(content).filter(([field, value]) => value !== undefined && !NOT_CONTENT.has(field));
  const origin = waitedBy(input);
  return Object.fromEntries(origin === null ? given : [...given, ['origin', origin]]) as Content;
};

const findNothing: Find = () => [];

/** Builds the trace to store. An imported plan is a record of the past, which never expires and is never executed, unless it waits (waitingOf). */
const draft = (user_id: string, content: Content, hidden: Find): Unstamped => {
  const seed = { ...content, user_id, origin: 'import' } as TraceSeed;
  if (content.type !== 'agent_plan') return newTrace(seed);
  const title = titleFrom(content.content, LONGEST_TITLE, hidden);
  return newTrace({ ...PLAN_DEFAULTS, title, ...seed, expires_at: null } as TraceSeed);
};

/** The plan that waits, where the content is one. */
const waitingOf = (content: Content, drafted: Unstamped): Unstamped<PlanDoc>[] =>
  content.origin === undefined
    ? []
    : [{ ...(drafted as Unstamped<PlanDoc>), origin: content.origin, expires_at: content.expires_at ?? null }];

/**
 * Whether a stored trace has the content that was sent. Fields that were not sent do not count, since exports leave out what a
 * credential may not see.
 */
const sameContent = (there: TraceDoc, content: Content): boolean => {
  if (there.removed) return false;
  const stored = there as unknown as Record<string, unknown>;
  return Object.entries(content).every(
    ([field, value]) =>
      NOT_COMPARED.has(field) || canonicalJson({ v: stored[field] ?? null }) === canonicalJson({ v: value }),
  );
};

/** Reports faults that concern several fields. @throws 403 */
const crossFieldFaults = (caller: Caller, input: ImportTrace, at: string): Fault[] => {
  const isPlan = input.type === 'agent_plan';
  if ((isPlan || input.transition) && !caller.scopes.has('plan:decide'))
    throw problem(
      'insufficient_scope',
      `${at.slice(1)} belongs to the trace log of plans. Its import needs plan:decide.`,
      { missing: ['plan:decide'] },
    );
  const needed = isPlan ? (['action_type', 'status'] as const).filter((field) => input[field] === undefined) : [];
  const foreign = isPlan ? [] : PLAN_ONLY.filter((field) => input[field as keyof ImportTrace] !== undefined);
  return [
    ...needed.map((field) => ({
      path: `${at}/${field}`,
      code: 'required',
      message: 'is required for a trace of type agent_plan',
    })),
    ...foreign.map((field) => ({
      path: `${at}/${field}`,
      code: 'unknown_field',
      message: 'is allowed for traces of type agent_plan only',
    })),
  ];
};

/**
 * Validates the traces one by one and yields to other requests between them. It stops after a hundred faults.
 * @throws 403, 422
 */
const readTraces = async (
  caller: Caller,
  { items, member }: Sent,
  { waitingPlan }: MemportPlanPort,
): Promise<Content[]> => {
  /** A plan that cannot wait here loses its origin, and is a record. One that can has the times that the planner queue gives it. */
  const settled = (content: Content): Content => {
    if (content.origin === undefined) return content;
    const [asked] = waitingOf(content, draft(caller.user_id, content, findNothing));
    if (!asked) return content;
    const { origin: _, ...record } = content;
    const plan = waitingPlan(asked);
    if (!plan) return record;
    const { expires_at, repeats_until, temporal_estimate } = plan;
    return { ...content, expires_at, repeats_until, temporal_estimate };
  };

  const faults: Fault[] = [];
  const contents: Content[] = [];
  const yieldToOthers = createYielder();
  for (const [i, item] of items.entries()) {
    await yieldToOthers();
    const parsed = parse(ImportTrace, item);
    if (parsed.success) {
      faults.push(...crossFieldFaults(caller, parsed.data, `/${member}/${i}`));
      // Only a whole trace can be settled. Beside a fault, no contents are needed.
      if (!faults.length) contents.push(settled(contentOf(parsed.data, caller.zone)));
    } else faults.push(...faultsOf(parsed.error, [member, i]));
    if (faults.length >= MAX_FAULTS) break;
  }
  if (faults.length) throw invalid(faults);
  return contents;
};

/** The seqs of the newest versions, of removed traces too. Uses the ledger's unique key. */
const lastVersions = async (db: Db, user_id: string, uids: string[]): Promise<number[]> => {
  const last = sql`
    select seq from ledger where user_id = ${user_id} and subject = 'trace' and subject_uid = key.uid order by version desc limit 1`;
  const { rows } = await sql<{ seq: number }>`select l.seq from ${eachKey(uids, last, 'l')}`.execute(db);
  return rows.map((row) => row.seq);
};

/**
 * For each trace whose uid exists: whether it has the same content. What is compared is what the sender may see, who could test
 * guesses otherwise: without memory:read that is what it made itself. Documents are read in batches, since they can be long.
 */
const compare = async (
  db: Db,
  { user_id, actor, scopes }: Author,
  list: readonly Content[],
  show: Blanking,
): Promise<Map<Content, boolean>> => {
  const byUid = Map.groupBy(list, (content) => content.uid);
  const isSame = new Map<Content, boolean>();
  const note = (uid: string, isThis: (content: Content) => boolean): void => {
    for (const content of byUid.get(uid) ?? []) isSame.set(content, isThis(content));
  };
  if (scopes && !scopes.has('memory:read')) {
    for await (const first of firstVersions(db, user_id, [...byUid.keys()]))
      note(first.doc.uid, (content) => first.actor === actor && sameContent(first.doc, content));
    return isSame;
  }
  const seqs = await lastVersions(db, user_id, [...byUid.keys()]);
  for await (const documents of readDocuments<TraceDoc>(db, user_id, seqs))
    for (const there of documents.filter((document) => document !== null))
      note(there.uid, (content) => sameContent(show(there), content));
  return isSame;
};

/** Groups two plans that wait and name each other: they are admitted together, so one part must hold both. */
const withPartners = (contents: readonly Content[]): Content[][] => {
  const firsts = new Map(contents.toReversed().map((content) => [content.uid, content]));
  const partnerOf = (content: Content): Content[] => {
    const other = content.swaps_with == null ? undefined : firsts.get(content.swaps_with);
    const isPair = other !== content && other?.swaps_with === content.uid && firsts.get(content.uid) === content;
    return isPair && content.origin !== undefined && other.origin !== undefined ? [other] : [];
  };
  const grouped = new Set<Content>();
  return contents.flatMap((content) => {
    if (grouped.has(content)) return [];
    const group = [content, ...partnerOf(content)];
    for (const one of group) grouped.add(one);
    return [group];
  });
};

const inParts = (contents: readonly Content[]): Content[][] => {
  const parts: Content[][] = [];
  let characters = Infinity;
  for (const group of withPartners(contents)) {
    const length = group.reduce((sum, { content }) => sum + content.length, 0);
    characters += length;
    const last = parts.at(-1);
    if (last && last.length + group.length <= PART && characters <= PART_CHARACTERS) last.push(...group);
    else {
      parts.push(group);
      characters = length;
    }
  }
  return parts;
};

export const createImport = ({ staged, traces, planHooks, sensitive }: ImportDeps) => {
  /** Writes the new traces of a part. */
  const importPart = async (writer: Writer, part: Content[]): Promise<ImportReport> => {
    const { user_id } = writer.author;
    const report: ImportReport = { created: 0, unchanged: 0, waiting: 0, conflicts: [] };
    const known = await compare(writer.tx, writer.author, part, await sensitive.viewInWrite(writer.tx, writer.author));
    const hidden = await sensitive.hiddenIn(writer.author, writer.tx);
    const fresh = new Map<string, Unstamped>();
    const waited: Unstamped<PlanDoc>[] = [];
    await mapYielding(part, (content) => {
      const twin = fresh.get(content.uid) as TraceDoc | undefined;
      const isSame = known.get(content) ?? (twin && sameContent(twin, content));
      if (isSame === undefined) {
        const drafted = draft(user_id, content, hidden);
        fresh.set(content.uid, drafted);
        waited.push(...waitingOf(content, drafted));
      } else if (isSame) report.unchanged++;
      else report.conflicts.push(content.uid);
    });
    const admitted = await planHooks.admitWaiting(writer, waited);
    const waiting = new Map(waited.filter(({ uid }) => admitted.has(uid)).map((plan) => [plan.uid, plan]));
    const entryOf = (trace: Unstamped): NewTrace => {
      const plan = waiting.get(trace.uid);
      return plan ? { trace: plan, kind: 'plan.proposed' } : { trace };
    };
    await traces.insert(writer, Array.from(fresh.values(), entryOf));
    return { ...report, created: fresh.size, waiting: waiting.size };
  };

  const importAll = staged.define('traces', importPart);

  /**
   * Imports all traces or none. A second import finds them all unchanged.
   * @throws 403 where the credential must not decide on plans and the traces include plans or transitions, 422 for invalid
   * traces
   */
  const importTraces = async (caller: Caller, sent: Sent): Promise<ImportReport> => {
    const report: ImportReport = { created: 0, unchanged: 0, waiting: 0, conflicts: [] };
    await importAll(
      caller,
      inParts(await readTraces(caller, sent, planHooks)),
      ({ created, unchanged, waiting, conflicts }) => {
        report.created += created;
        report.waiting += waiting;
        report.unchanged += unchanged;
        report.conflicts.push(...conflicts);
      },
    );
    return report;
  };

  return { importTraces };
};

export type Import = ReturnType<typeof createImport>;
