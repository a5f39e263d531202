/**
 * Executes due plans and rejects expired proposals, in every instance. The row of the plan is the job. The user's lock and the
 * plan's status make each effect happen once, whichever instance is first.
 */
import { sql } from 'kysely';
import type { Clock } from '../../common/clock.ts';
import { isEnabled } from '../../db/enabled-users.ts';
import type { DatabaseHandle } from '../../db/database.ts';
import { isDatabaseAway } from '../../db/sqlstate.ts';
import { eachKey, onlyKey } from '../../db/rows-by-key.ts';
import { isRecord } from '../../domain/plan/plan-transitions.ts';
import { addMinutes, millis, type Instant } from '../../domain/time/time.ts';
import type { PlanDoc } from '../../domain/record/trace.ts';
import { Problem } from '../../common/problem.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import type { Author, Writer } from '../../ledger/ledger-writer.ts';
import type { Logger } from '../../observability/log.ts';
import type { Telemetry } from '../../observability/telemetry.ts';
import type { PlanEffects } from './plan-effects.ts';
import type { Moves } from './record-transition.ts';
import { findPlans, workAt, type Work } from '../queries.ts';
import { partnerOf } from './swap.ts';

export type ExecutorDeps = {
  handle: DatabaseHandle;
  ledger: Ledger;
  clock: Clock;
  log: Logger;
  telemetry: Telemetry;
  moves: Moves;
  execution: PlanEffects;
};

/** Polls begin this long after one another. Where a round takes longer, the next follows at once. */
const POLL_MS = 400;
const BATCH = 100;
/**
 * Once in this time a poll looks at everything that is due. Other polls look only at what became due in this time before the last
 * poll, or since, because they would read each overdue plan of a disabled account again.
 */
const WHOLE_MS = 60_000;
/** Plans of this many users are executed concurrently. Those of one user run one after the other. */
const PARALLEL = 4;
/** A transaction executes at most this many plans. More would save few commits and delay the user's own writes. */
const PLANS_PER_WRITE = 20;
export const MAX_ATTEMPTS = 5;

/** The minutes until the next attempt: 0.1, 0.5, 2.5, 12.5. */
const backoff = (attempts: number): number => 0.1 * 5 ** (attempts - 1);

const author = (user_id: string): Author => ({ user_id, actor: 'system:executor', origin: 'system' });

type Due = { plan: PlanDoc; due_at: Instant };

// oxlint-disable-next-line eslint/max-lines-per-function -- The rounds, their timer and their lag are one state.
export const createExecutor = ({ handle, ledger, clock, log, telemetry, moves, execution }: ExecutorDeps) => {
  const { db } = handle;
  let timer: NodeJS.Timeout | undefined;
  let running: Promise<void> | undefined;
  let again = false;
  let stopped = true;
  let last_run: Instant | null = null;
  let lag_ms = 0;
  /** All up to here was looked at. The next round that looks at everything is at `wholeAt`, in the time of performance.now(). */
  let seen = clock.now();
  let wholeAt = 0;

  /** Those of the plans that are still due, by uid. One query serves all plans of a write. */
  const stillDue = async (writer: Writer, uids: string[]): Promise<Map<string, Due>> => {
    if (!uids.length) return new Map();
    const { user_id } = writer.author;
    const due = sql`
      select uid, due_at from traces t
      where user_id = ${user_id} and due_at <= ${clock.now()} and ${isEnabled('t')} and ${onlyKey()}`;
    const { rows } = await sql<{ uid: string; due_at: Instant }>`select t.* from ${eachKey(uids, due, 't')}`.execute(
      writer.tx,
    );
    const at = new Map(rows.map(({ uid, due_at }) => [uid, due_at]));
    const plans = await findPlans(writer.tx, user_id, [...at.keys()]);
    return new Map(
      plans
        .filter((plan) => plan.status === 'approved' && !isRecord(plan))
        .map((plan) => [plan.uid, { plan, due_at: at.get(plan.uid) as Instant }]),
    );
  };

  /** Returns the uids of the executed plans: of a swap both. */
  const executeDue = async (writer: Writer, { plan, due_at }: Due): Promise<string[]> => {
    const facts = { 'almanac.action_type': plan.action_type };
    const done = await telemetry.span('executor.execute', facts, () => execution.execute(writer, plan));
    lag_ms = clock.millis() - millis(due_at);
    return done.map((outcome) => outcome.plan.uid);
  };

  /** Handles a failed effect in a write of its own: plans the next attempt, or ends the plan. */
  const afterFailure = ({ user_id, uid }: Work, error: unknown): Promise<void> =>
    ledger.write(author(user_id), async (writer) => {
      const plan = (await stillDue(writer, [uid])).get(uid)?.plan;
      if (!plan) return;
      const partner = await partnerOf(writer.tx, plan);
      const both = [plan, ...(partner?.status === 'approved' ? [partner] : [])];
      const reason = error instanceof Problem ? error.message : 'the service failed';
      if (error instanceof Problem && error.code === 'slot_taken') {
        for (const one of both)
          await moves.make(writer, one, 'displace', { by: 'policy', code: 'slot_taken', note: reason });
        return;
      }
      const attempts = plan.attempts + 1;
      const changes = { attempts, last_error: reason };
      // A refusal by a rule is final. Only errors are worth another attempt.
      if (error instanceof Problem || attempts >= MAX_ATTEMPTS)
        for (const one of both)
          await moves.make(writer, one, 'fail', { by: 'policy', code: 'failed', note: reason, changes });
      else await moves.change(writer, plan, 'retry', { changes, due_at: addMinutes(clock.now(), backoff(attempts)) });
    });

  const expire = async (writer: Writer, uid: string): Promise<void> => {
    const [plan] = await findPlans(writer.tx, writer.author.user_id, [uid]);
    if (plan?.status !== 'proposed' || isRecord(plan) || !plan.expires_at || millis(plan.expires_at) > clock.millis())
      return;
    const expired = { by: 'policy', code: 'expired' };
    await moves.make(writer, plan, 'expire', { ...expired, note: 'its time passed before a person decided' });
    const partner = await partnerOf(writer.tx, plan);
    if (partner?.status !== 'proposed') return;
    const note = 'the time of the plan with which it exchanges places passed before a person decided';
    await moves.make(writer, partner, 'expire', { ...expired, note });
    await writer.flush(); // The partner may be the next in the list.
  };

  /**
   * Executes plans of one user one after the other. A plan that is no longer due was handled by another instance or decided on.
   * One that an earlier plan in the list changed fails on its version, like any stale write.
   */
  const executeAll = async (writer: Writer, works: Work[]): Promise<void> => {
    const due = await stillDue(
      writer,
      works.flatMap(({ uid, what }) => (what === 'due' ? [uid] : [])),
    );
    for (const { uid, what } of works) {
      const one = due.get(uid);
      if (what === 'expired') await expire(writer, uid);
      else if (one) for (const done of await executeDue(writer, one)) due.delete(done);
    }
  };

  /** Executes one plan. Its failure is recorded on the plan. */
  const executeAlone = async (work: Work): Promise<void> => {
    try {
      await ledger.write(author(work.user_id), (writer) => executeAll(writer, [work]));
    } catch (error) {
      if (isDatabaseAway(error)) throw error;
      log[error instanceof Problem ? 'info' : 'error'](
        { err: error, user_id: work.user_id, uid: work.uid },
        'a plan could not be executed',
      );
      if (work.what === 'due') await afterFailure(work, error);
    }
  };

  /**
   * Executes plans of a user in one write. Where another instance holds the user's lock, it leaves them to that one. Where one
   * plan fails, nothing has happened, and each is executed in its own write.
   * @returns how many were handled
   */
  const executeTogether = async (user_id: string, works: Work[]): Promise<number> => {
    try {
      const done = await ledger.writeIfFree(author(user_id), (writer) => executeAll(writer, works));
      return done ? works.length : 0;
    } catch (error) {
      if (isDatabaseAway(error)) throw error;
      for (const work of works) if (!stopped) await executeAlone(work);
      return works.length;
    }
  };

  /** The executor waits while its clock may be ahead, since plans would be early, and while the database refuses writes. */
  const mustWait = (): boolean => !clock.state().sure || handle.isReadOnly();

  /** One round over what is due now. @returns how many plans were handled; 0 where other instances handle them */
  const round = async (): Promise<number> => {
    if (stopped || mustWait()) return 0;
    const now = clock.now();
    const isWhole = performance.now() >= wholeAt;
    // Where the clock was set back, its time counts.
    const from = isWhole ? '-infinity' : addMinutes(seen < now ? seen : now, -WHOLE_MS / 60_000);
    const work = await workAt(db, from, now, BATCH);
    if (work.length < BATCH) {
      seen = now;
      if (isWhole) wholeAt = performance.now() + WHOLE_MS;
    }
    const users = [...Map.groupBy(work, (w) => w.user_id)];
    let done = 0;
    const worker = async (): Promise<void> => {
      for (let mine = users.shift(); mine; mine = users.shift()) {
        const [user_id, works] = mine;
        for (let i = 0; i < works.length; i += PLANS_PER_WRITE)
          if (!stopped) done += await executeTogether(user_id, works.slice(i, i + PLANS_PER_WRITE));
      }
    };
    await Promise.all(Array.from({ length: PARALLEL }, worker));
    last_run = clock.now();
    return done;
  };

  const loop = async (): Promise<void> => {
    try {
      do again = false;
      while ((await round()) >= BATCH || again);
    } catch (error) {
      log.warn({ err: error }, 'the executor failed and will try again');
    }
  };

  const schedule = (ms: number): void => {
    clearTimeout(timer);
    if (!stopped) timer = setTimeout(wake, ms);
  };

  /** Starts a round now, or another one after the current round. */
  const wake = (): void => {
    if (stopped) return;
    again = true;
    const began = performance.now();
    running ??= loop().finally(() => {
      running = undefined;
      schedule(Math.max(0, POLL_MS - (performance.now() - began)));
    });
  };

  return {
    start: (): void => {
      stopped = false;
      wholeAt = 0;
      wake();
    },
    wake,
    /** Runs rounds over everything until nothing is due, for tests with a clock of their own. */
    round: async (): Promise<void> => {
      const was = stopped;
      stopped = false;
      wholeAt = 0;
      while ((await round()) >= BATCH);
      stopped = was;
    },
    /** Stops after the plan that is being executed. */
    stop: async (): Promise<void> => {
      stopped = true;
      clearTimeout(timer);
      await running;
    },
    state: () => ({ is: stopped ? 'stopped' : mustWait() ? 'waiting' : 'running', last_run, lag_ms }) as const,
  };
};

export type Executor = ReturnType<typeof createExecutor>;
