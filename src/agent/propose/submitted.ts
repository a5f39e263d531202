/** Adds proposals of clients to the queue: structured actions and pushed traces. The same uid again gives the same answer. */
import type { CalendarService } from '../../calendar/service.ts';
import type { Clock } from '../../common/clock.ts';
import { mayRepeat, type Caller } from '../../domain/access/caller.ts';
import { canonicalJson } from '../../domain/record/canonical-json.ts';
import { readArguments } from '../../domain/plan/plan-arguments.ts';
import { PLAN_DEFAULTS } from '../../domain/plan/plan-fields.ts';
import { zoneNamed, type Instant } from '../../domain/time/time.ts';
import { titleFrom } from '../../domain/record/cutting.ts';
import type { Find } from '../../domain/record/redact.ts';
import { isPlan, type PlanDoc, type TraceDoc } from '../../domain/record/trace.ts';
import { invalid, problem, type Fault } from '../../common/problem.ts';
import { createYielder } from '../../common/yielding.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import type { Author, Reading, Writer } from '../../ledger/ledger-writer.ts';
import type { Sensitive } from '../../ledger/sensitive-values.ts';
import { headSeq } from '../../ledger/read-ledger.ts';
import { firstVersions } from '../../ledger/trace-store.ts';
import type { MemoryPlanPort } from '../../memory/plan-port.ts';
import type { TraceIn } from '../../memory/schemas.ts';
import type { Db } from '../../db/database.ts';
import type { Judged, ProposalAdmission, RequestOptions } from './admit.ts';
import { readInstants, repetitionFaults, type RepetitionIn } from '../place/plan-repetition.ts';
import { settleDay, type Proposal } from './proposal.ts';
import { asPlan, findPlans, pendingOf, refusedAtOnce } from '../queries.ts';
import { createCompletion } from '../place/reschedule-targets.ts';
import { timeOf } from '../decide/approval-rules.ts';
import { checkProposedSettings } from '../decide/settings.ts';
import type { ActionIn } from '../schemas.ts';
import type { SituationOf } from '../prompt/situation.ts';

/** Gives the judgements in the write that records them. */
type JudgedIn = (writer: Writer) => Promise<Judged[]>;

export type SubmittedProposalsDeps = {
  db: Db;
  ledger: Ledger;
  clock: Clock;
  calendar: CalendarService;
  admission: ProposalAdmission;
  situationOf: SituationOf;
  sensitive: Sensitive;
};

/** The fields of a pushed agent_plan that belong to its trace and not to the plan. */
const traceFields = (caller: Caller, input: TraceIn): Partial<TraceDoc> => {
  const {
    uid: _u,
    user_id: _i,
    type: _t,
    content: _c,
    timezone,
    status: _s,
    title: _ti,
    action_type: _a,
    scheduled_for: _f,
    duration_minutes: _d,
    rrule: _rr,
    exdates: _x,
    on_conflict: _o,
    target_event_uid: _e,
    arguments: _g,
    reasoning: _r,
    timestamp,
    ...rest
  } = input;
  const set = Object.fromEntries(Object.entries(rest).filter(([, v]) => v !== undefined));
  return { ...set, ...(timestamp === undefined ? {} : { timestamp: timeOf(timestamp, caller, timezone) as Instant }) };
};

/**
 * Whether a proposal repeats the one that made this plan. The planner adds what was left out (time, length, reasons, fields of
 * the target event), so only fields that were sent are compared.
 */
const sameProposal = (first: TraceDoc, again: Proposal): boolean => {
  if (!isPlan(first)) return false;
  const { title, content, action_type, target_event_uid, trace = {}, ...rest } = settleDay(again);
  const { recurrence_id } = readArguments(first);
  const args = recurrence_id === undefined ? rest.arguments : { recurrence_id, ...rest.arguments };
  const said = Object.entries({
    ...trace,
    scheduled_for: again.scheduled_for,
    duration_minutes: again.duration_minutes,
  }).filter(([, value]) => value !== null && value !== undefined);
  const stored = first as unknown as Record<string, unknown>;
  const { rrule = null, on_conflict = 'skip', exdates = [] } = again;
  const timezone = rrule === null ? null : again.timezone;
  const must = Object.entries({
    ...{ title, content, action_type, target_event_uid, arguments: args },
    ...{ rrule, on_conflict, timezone },
  });
  const valueOf = (key: string): unknown => stored[key] ?? DEFAULTS[key];
  const alike = ([key, value]: [string, unknown]): boolean => canonicalJson([valueOf(key)]) === canonicalJson([value]);
  return (
    first.reasoning.startsWith(again.reasoning) &&
    exdates.every((at) => first.exdates.includes(at)) &&
    [...must, ...said].every(alike)
  );
};

/** The longest title that is made of a content. */
const MADE_TITLE = 120;

type Titled = TraceIn & { title: string };

const DEFAULTS: Record<string, unknown> = PLAN_DEFAULTS;

/** The limits on pending proposals: of one agent key, and of all agents together or of the person. */
const MAX_PENDING_PER_AGENT = 1_000;
export const MAX_PENDING = 5_000;

/**
 * Refuses proposals beyond the limits, so that a queue on which nobody decides cannot grow without end. Agents and the person
 * are counted separately, so that agents cannot use up the person's limit. Plans that the service proposes again by itself, such
 * as displaced ones, are not counted here.
 * @throws 409 too_many_pending
 */
export const refuseTooMany = async (
  tx: Db,
  author: Pick<Author, 'user_id' | 'origin' | 'actor'>,
  more: number,
): Promise<void> => {
  if (!more) return;
  const { own, all } = await pendingOf(tx, author, MAX_PENDING);
  const isFull = all + more > MAX_PENDING;
  if (!isFull && (author.origin !== 'agent' || own + more <= MAX_PENDING_PER_AGENT)) return;
  const [max, whose] = isFull
    ? [MAX_PENDING, author.origin === 'agent' ? 'all agents together' : 'the person']
    : [MAX_PENDING_PER_AGENT, 'one agent key'];
  throw problem(
    'too_many_pending',
    `At most ${max} proposals of ${whose} may wait for a decision, and these ${more} would exceed that. Wait for decisions, or withdraw some proposals with POST /agent/withdraw.`,
    { max, pending: isFull ? all : own },
  );
};

/** The repetition that a request asks for. A series repeats in the zone that its start names, else in that of the user. */
const repetitionOf = (
  caller: Caller,
  asked: RepetitionIn & { scheduled_for?: string | null | undefined; timezone?: string | undefined },
): Pick<Proposal, 'rrule' | 'exdates' | 'on_conflict' | 'timezone'> => {
  const named = asked.scheduled_for == null ? undefined : zoneNamed(asked.scheduled_for);
  const timezone = asked.timezone ?? named ?? caller.zone;
  const { rrule = null, on_conflict } = asked;
  return { rrule, on_conflict, timezone, exdates: readInstants(asked.exdates ?? [], timezone) };
};

const fromAction = (caller: Caller, action: ActionIn): Proposal => ({
  ...repetitionOf(caller, action),
  uid: action.uid,
  action_type: action.action_type,
  title: action.title,
  content: action.content ?? action.title,
  scheduled_for: timeOf(action.scheduled_for, caller, action.timezone),
  duration_minutes: action.duration_minutes ?? null,
  target_event_uid: action.target_event_uid ?? null,
  arguments: action.arguments ?? {},
  reasoning: action.reasoning ?? '',
  priority: action.priority,
  trace: {
    task_id: action.task_id ?? null,
    tempo_tag: action.tempo_tag ?? null,
    tags: action.tags ?? [],
    linked_trace_ids: action.linked_trace_ids ?? [],
    metadata: action.metadata ?? {},
  },
});

/**
 * The plans that already have these uids, where a request is repeated.
 * @throws 409 where a uid belongs to something else, or occurs twice in the request
 */
const findRepeated = async (writer: Writer, caller: Caller, proposals: Proposal[]): Promise<Map<string, PlanDoc>> => {
  const { user_id } = caller;
  const asked = Map.groupBy(proposals, ({ uid }) => uid);
  const uids = [...asked.keys()].filter((uid) => uid !== undefined);
  const same: TraceDoc[] = [];
  const taken = new Set(uids.filter((uid) => asked.get(uid)?.length !== 1));
  for await (const { doc, actor } of firstVersions(writer.tx, user_id, uids)) {
    const [proposal] = asked.get(doc.uid) as [Proposal];
    if (mayRepeat(caller, actor) && sameProposal(doc, proposal)) same.push(doc);
    else taken.add(doc.uid);
  }
  if (taken.size) {
    const list = uids.filter((uid) => taken.has(uid));
    throw problem(
      'uid_taken',
      `These uids already exist with other content or from another credential, or occur twice in the request: ${list.join(', ')}. Leave them out, or choose others.`,
      { uids: list },
    );
  }
  const made = same.map(({ uid }) => uid);
  // Who may not read plans gets what the first answer was, without what others have made of it since.
  if (!caller.scopes.has('plan:read')) {
    const refused = await refusedAtOnce(writer.tx, user_id, made);
    return new Map([...same.filter(isPlan).map(asPlan), ...refused].map((plan) => [plan.uid, plan]));
  }
  return new Map((await findPlans(writer.tx, user_id, made)).map((plan) => [plan.uid, plan]));
};

/** What a plan took over from the event that it changes is shown to who may read the plan or the event. */
const shownTo = ({ scopes }: Caller, plan: PlanDoc, { trace }: Proposal): PlanDoc =>
  scopes.has('plan:read') || scopes.has('calendar:read')
    ? plan
    : { ...plan, task_id: trace?.task_id ?? null, tempo_tag: trace?.tempo_tag ?? null };

export const createSubmittedProposals = ({
  db,
  ledger,
  clock,
  calendar,
  admission,
  situationOf,
  sensitive,
}: SubmittedProposalsDeps) => {
  const completed = createCompletion({ calendar, clock });

  /** @throws 404 for unknown targets, 409 too_many_pending, 422 */
  const judge = async (reading: Reading, wishes: Proposal[], more?: RequestOptions): Promise<Judged[]> => {
    const proposals = wishes.map((p, i) => ({ ...p, at: p.at ?? `/actions/${i}` }));
    await refuseTooMany(reading.tx, reading.author, proposals.length);
    const situation = await situationOf(reading.tx, reading.author.user_id);
    const zone = situation.profile.timezone;
    const faults: Fault[] = [];
    const yieldToOthers = createYielder();
    for (const p of proposals) {
      await yieldToOthers();
      faults.push(...repetitionFaults(p, zone, clock.now(), p.at));
    }
    if (faults.length) throw invalid(faults);
    await checkProposedSettings(reading, proposals);
    return admission.judgeAll(reading, await completed(reading, proposals), situation, more);
  };

  /**
   * Judges the proposals of one request before its write, because others wait for the lock of a write and, on the embedded database,
   * for its connection. In the write they are judged again if something was written meanwhile.
   * @throws as judge(), unless a uid exists already: the request may be a repetition, which is found in the write
   */
  const judging = async (author: Author, wishes: Proposal[], more?: RequestOptions): Promise<JudgedIn> => {
    const seq = await headSeq(db, author.user_id);
    const early = await judge({ tx: db, author }, wishes, more).catch(async (error: unknown) => {
      const uids = wishes.flatMap(({ uid }) => uid ?? []);
      if ((await firstVersions(db, author.user_id, uids).next()).done) throw error;
      return null;
    });
    return async (writer) => (early && writer.before === seq ? early : judge(writer, wishes, more));
  };

  /** Proposes the plans of one request. @returns what does so in its write @throws as judging() */
  const proposing = async (author: Author, wishes: Proposal[], more?: RequestOptions) => {
    const judged = await judging(author, wishes, more);
    return async (writer: Writer): Promise<PlanDoc[]> => admission.record(writer, await judged(writer));
  };

  /**
   * Submits proposals and returns the plans in the same order, refused ones included. With `simulate` nothing is stored
   * (plan-preview).
   */
  const submit = async (caller: Caller, proposals: Proposal[], { simulate = false } = {}): Promise<PlanDoc[]> => {
    const wishes = proposals.map((p, i) => ({ ...p, at: `/actions/${i}` }));
    const judged = await judging(caller, wishes);
    return ledger.write(
      caller,
      async (writer) => {
        const known = await findRepeated(writer, caller, proposals);
        const others = wishes.filter((p) => !p.uid || !known.has(p.uid));
        const fresh = await admission.record(writer, known.size ? await judge(writer, others) : await judged(writer));
        return proposals.map((p) => shownTo(caller, (p.uid && known.get(p.uid)) || (fresh.shift() as PlanDoc), p));
      },
      { simulate },
    );
  };

  const fromTrace = (caller: Caller, uid: string, input: Titled, at?: string): Proposal => ({
    ...repetitionOf(caller, input),
    at,
    uid,
    action_type: input.action_type as Proposal['action_type'],
    title: input.title,
    content: input.content,
    scheduled_for: timeOf(input.scheduled_for, caller, input.timezone),
    duration_minutes: input.duration_minutes ?? null,
    target_event_uid: input.target_event_uid ?? null,
    arguments: input.arguments ?? {},
    reasoning: input.reasoning ?? '',
    trace: traceFields(caller, input),
  });

  /** Proposes pushed traces of type agent_plan (MemoryPlanPort). */
  const proposingTraces: MemoryPlanPort['proposingTraces'] = async (caller, list, proposal_id) => {
    const isMade = list.some(({ input }) => input.title === undefined);
    const hidden: Find = isMade ? await sensitive.hiddenIn(caller) : () => [];
    const titleOf = ({ title, content }: TraceIn): string => title ?? titleFrom(content, MADE_TITLE, hidden);
    const wishes = list.map(({ uid, input, at }) => fromTrace(caller, uid, { ...input, title: titleOf(input) }, at));
    const judged = await judging(caller, wishes, { proposal_id });
    return async (writer, known) => {
      const fresh = wishes.filter(({ uid }) => !known.has(uid as string));
      const all = known.size ? await judge(writer, fresh, { proposal_id }) : await judged(writer);
      const byUid = new Map(all.map((one) => [one.doc.uid, one]));
      return (uids) =>
        admission.record(
          writer,
          uids.map((uid) => byUid.get(uid) as Judged),
        );
    };
  };

  const isSameProposal = (caller: Caller, first: PlanDoc, input: TraceIn): boolean =>
    sameProposal(first, fromTrace(caller, first.uid, { ...input, title: input.title ?? first.title }));

  return { proposing, fromAction, submit, proposingTraces, isSameProposal };
};
