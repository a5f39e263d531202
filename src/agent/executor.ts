/**
 * The executor: in every instance, carries out what is due and lets lapse what went undecided. The plan row is the job; the
 * user's lock and the plan's state make each effect happen once, whoever gets there first.
 */
import { sql } from 'kysely';
import type { Clock } from '../common/clock.ts';
import type { DatabaseHandle } from '../db/database.ts';
import { isDatabaseAway } from '../db/sqlstate.ts';
import { eachKey } from '../db/rows-by-key.ts';
import { isRecord } from '../domain/plan/plan-transitions.ts';
import { addMinutes, millis, type Instant } from '../domain/time/time.ts';
import type { PlanDoc } from '../domain/record/trace.ts';
import { Problem } from '../common/problem.ts';
import type { Author, Ledger, Writer } from '../ledger/ledger.ts';
import type { Logger } from '../observability/log.ts';
import type { Telemetry } from '../observability/telemetry.ts';
import type { PlanEffects } from './plan-effects.ts';
import type { Moves } from './record-transition.ts';
import { findPlans, workAt, type Work } from './queries.ts';

export type ExecutorDeps = {
  handle: DatabaseHandle;
  ledger: Ledger;
  clock: Clock;
  log: Logger;
  telemetry: Telemetry;
  moves: Moves;
  execution: PlanEffects;
};

/** From the start of one look to the start of the next; where the work takes longer, the next follows at once. */
const POLL_MS = 400;
const BATCH = 100;
/** Users worked for at the same time; one user's plans follow each other anyway. */
const PARALLEL = 4;
/** Plans of a user in one transaction: enough to save commits, few enough not to keep the user's own writes waiting. */
const TOGETHER = 20;
export const MAX_ATTEMPTS = 5;

/** Minutes until the next try: 0.1, 0.5, 2.5, 12.5. */
const backoff = (attempts: number): number => 0.1 * 5 ** (attempts - 1);

export const createExecutor = ({ handle, ledger, clock, log, telemetry, moves, execution }: ExecutorDeps) => {
  const { db } = handle;
  let timer: NodeJS.Timeout | undefined;
  let running: Promise<void> | undefined;
  let again = false;
  let stopped = true;
  let last_run: Instant | null = null;
  let lag_ms = 0;

  const author = (user_id: string): Author => ({ user_id, actor: 'system:executor', origin: 'system' });

  type Due = { plan: PlanDoc; due_at: Instant };

  /** Those of the plans that are still due, by uid: one look for all that are carried out in one write. */
  const stillDue = async (writer: Writer, uids: string[]): Promise<Map<string, Due>> => {
    if (!uids.length) return new Map();
    const { user_id } = writer.author;
    const due = sql`
      select uid, due_at from traces where user_id = ${user_id} and uid = key.uid and due_at <= ${clock.now()}`;
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

  const carryOut = async (writer: Writer, { plan, due_at }: Due): Promise<void> => {
    const facts = { 'almanac.action_type': plan.action_type };
    await telemetry.span('executor.execute', facts, () => execution.execute(writer, plan));
    lag_ms = clock.millis() - millis(due_at);
  };

  /** After a failed effect, in a write of its own: the next try, or the end. */
  const afterFailure = ({ user_id, uid }: Work, error: unknown): Promise<void> =>
    ledger.write(author(user_id), async (writer) => {
      const plan = (await stillDue(writer, [uid])).get(uid)?.plan;
      if (!plan) return;
      const told = error instanceof Problem ? error.message : 'the service failed';
      if (error instanceof Problem && error.code === 'slot_taken') {
        await moves.make(writer, plan, 'displace', { by: 'policy', code: 'slot_taken', note: told });
        return;
      }
      const attempts = plan.attempts + 1;
      const changes = { attempts, last_error: told };
      // What a rule refuses stays refused; only faults are worth another try.
      if (error instanceof Problem || attempts >= MAX_ATTEMPTS)
        await moves.make(writer, plan, 'fail', { by: 'policy', code: 'failed', note: told, changes });
      else await moves.change(writer, plan, 'retry', { changes, due_at: addMinutes(clock.now(), backoff(attempts)) });
    });

  const lapse = async (writer: Writer, uid: string): Promise<void> => {
    const [plan] = await findPlans(writer.tx, writer.author.user_id, [uid]);
    if (plan?.status !== 'proposed' || isRecord(plan) || !plan.expires_at || millis(plan.expires_at) > clock.millis())
      return;
    await moves.make(writer, plan, 'expire', {
      by: 'policy',
      code: 'expired',
      note: 'its time passed before a person decided',
    });
  };

  /**
   * Plans of one user, one after the other. What is not due any more was done by another instance or decided otherwise; one
   * that an earlier one of them has changed fails on its version, as any stale write does.
   */
  const carry = async (writer: Writer, works: Work[]): Promise<void> => {
    const due = await stillDue(
      writer,
      works.flatMap(({ uid, what }) => (what === 'due' ? [uid] : [])),
    );
    for (const { uid, what } of works) {
      const one = due.get(uid);
      if (what === 'lapsed') await lapse(writer, uid);
      else if (one) await carryOut(writer, one);
    }
  };

  /** One plan by itself; a failure is the plan's own and is recorded on it. */
  const alone = async (work: Work): Promise<void> => {
    try {
      await ledger.write(author(work.user_id), (writer) => carry(writer, [work]));
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
   * A user's plans in one write. Where another instance is at it, they are left to that one; where one plan fails, nothing
   * has happened, and they are taken one by one. @returns how many were dealt with here.
   */
  const together = async (user_id: string, works: Work[]): Promise<number> => {
    try {
      const done = await ledger.writeIfFree(author(user_id), (writer) => carry(writer, works));
      return done ? works.length : 0;
    } catch (error) {
      if (isDatabaseAway(error)) throw error;
      for (const work of works) if (!stopped) await alone(work);
      return works.length;
    }
  };

  /** A clock that may be ahead would be early; and where nothing can be written, nothing can be carried out. */
  const mustWait = (): boolean => !clock.state().sure || handle.isReadOnly();

  /** One round over what is due now. @returns how much was done: where others are at it there is nothing to hurry for. */
  const round = async (): Promise<number> => {
    if (stopped || mustWait()) return 0;
    const work = await workAt(db, clock.now(), BATCH);
    const users = [...Map.groupBy(work, (w) => w.user_id)];
    let done = 0;
    const worker = async (): Promise<void> => {
      for (let mine = users.shift(); mine; mine = users.shift()) {
        const [user_id, works] = mine;
        for (let i = 0; i < works.length; i += TOGETHER)
          if (!stopped) done += await together(user_id, works.slice(i, i + TOGETHER));
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

  /** Works now, or once more when a round is under way. */
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
      wake();
    },
    wake,
    /** Tests with a clock of their own run a round when they want one. */
    round: async (): Promise<void> => {
      const was = stopped;
      stopped = false;
      while ((await round()) >= BATCH);
      stopped = was;
    },
    /** Finishes the plan under way. */
    stop: async (): Promise<void> => {
      stopped = true;
      clearTimeout(timer);
      await running;
    },
    state: () => ({ is: stopped ? 'stopped' : mustWait() ? 'waiting' : 'running', last_run, lag_ms }) as const,
  };
};

export type Executor = ReturnType<typeof createExecutor>;
