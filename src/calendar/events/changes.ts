/** Creates, edits and removes events as clients ask for it, each in one write. */
import { mayRepeat, type Caller } from '../../domain/access/caller.ts';
import { canonicalJson } from '../../domain/record/canonical-json.ts';
import { durationFor } from '../../domain/plan/tempo.ts';
import { instantOf, millis, timeFault, zoneNamed } from '../../domain/time/time.ts';
import { checkSeenVersion, invalidAt, problem, type SeenVersions } from '../../common/problem.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import type { Writer } from '../../ledger/ledger-writer.ts';
import { versionsOf } from '../../ledger/read-ledger.ts';
import type { Sensitive } from '../../ledger/sensitive-values.ts';
import type { Logger } from '../../observability/log.ts';
import { createProblemOf, eachItem } from '../../observability/problem-per-item.ts';
import { newEvent, notWholeDays, readDates, readStart, type EventChanges, type NewEvent } from './document.ts';
import { findEvents } from '../queries.ts';
import type { EventEdit, EventRemoval, EventResource, EventUpdates, NewEventIn } from '../schemas.ts';
import { present, type InTransactionDeps } from '../in-transaction.ts';
import { readMoment } from '../asked-window.ts';
import type { InTransaction } from '../in-transaction.ts';

export type EventChangesDeps = {
  tempo: InTransactionDeps['tempo'];
  ledger: Ledger;
  inTransaction: InTransaction;
  sensitive: Sensitive;
  log: Logger;
};

const DAY_MINUTES = 24 * 60;

/** The members that have a value. */
const given = <T extends object>(input: T): Partial<T> =>
  Object.fromEntries(Object.entries(input).filter(([, value]) => value !== undefined)) as Partial<T>;

/** Reads the times of new values in their zone. @throws 422 */
const readTimes = (
  input: EventUpdates,
  zone: string,
  path: string,
): Pick<EventChanges, 'scheduled_for' | 'local_start' | 'rdates' | 'exdates'> => {
  const start = input.scheduled_for === undefined ? undefined : readStart(input.scheduled_for, zone);
  if (start === null)
    throw invalidAt(`${path}/scheduled_for`, 'invalid_time', timeFault(input.scheduled_for ?? '') ?? 'must be a time');
  return {
    ...start,
    ...(input.rdates ? { rdates: readDates(input.rdates, zone, `${path}/rdates`) } : {}),
    ...(input.exdates ? { exdates: readDates(input.exdates, zone, `${path}/exdates`) } : {}),
  };
};

/**
 * Returns the event that already has a client's uid, where a request is repeated.
 * @throws 409 where the content differs or it was removed
 */
const repeated = async (
  writer: Writer,
  caller: Caller,
  seed: NewEvent & { timezone: string },
): Promise<EventResource | null> => {
  const { uid } = seed;
  if (uid === undefined) return null;
  const created = await versionsOf<EventResource>(writer.tx, caller.user_id, 'event', uid, { below: 2, limit: 1 });
  const [version] = created.items;
  if (!version) return null;
  const first = version.payload;
  const { version: _v, created_at: _c, updated_at: _u, seq: _s, ...stored } = first;
  const draft = newEvent({ ...seed, uid, origin: first.origin }, caller.user_id);
  const isThere = (await findEvents(writer.tx, caller.user_id, [uid])).length > 0;
  const isSame = canonicalJson(stored) === canonicalJson(draft);
  if (isThere && isSame && mayRepeat(caller, version.actor)) return present(first);
  throw problem(
    'uid_taken',
    `The uid ${uid} already exists with other content or from another credential, or its event was removed. Use PATCH /calendar/edit to change an event, or choose another uid.`,
    { uids: [uid] },
  );
};

type Bound = { expected_version?: number | undefined };

export const createEventChanges = ({ tempo, ledger, inTransaction, sensitive, log }: EventChangesDeps) => {
  /** Completes what a client sent. The default duration is that of the tempo profile. */
  const seedOf = async (
    writer: Writer,
    caller: Caller,
    input: NewEventIn,
  ): Promise<NewEvent & { timezone: string }> => {
    const { user_id: _, scheduled_for, duration_minutes, timezone: zone, on_conflict: __, ...rest } = input;
    // A time that names a zone belongs to that zone, also where a series repeats it.
    const timezone = zone ?? zoneNamed(scheduled_for) ?? caller.zone;
    // A bare date without a duration means the whole day.
    const all_day = input.all_day ?? (scheduled_for.length === 10 && duration_minutes === undefined);
    const minutes = async (): Promise<number> => {
      const subject = { tempo_tag: input.tempo_tag, task_id: input.task_id, action_type: 'schedule' };
      return all_day ? DAY_MINUTES : durationFor(await tempo.profileOf(caller.user_id, writer.tx), subject).minutes;
    };
    if (all_day && duration_minutes !== undefined && duration_minutes % DAY_MINUTES !== 0)
      throw notWholeDays('/duration_minutes');
    const times = readTimes(input, timezone, '') as Pick<NewEvent, 'scheduled_for'>;
    return {
      ...(given(rest) as { title: string }),
      ...times,
      timezone,
      all_day,
      duration_minutes: duration_minutes ?? (await minutes()),
    };
  };

  const create = (caller: Caller, input: NewEventIn): Promise<EventResource> =>
    ledger.write(caller, async (writer) => {
      const seed = await seedOf(writer, caller, input);
      const { on_conflict } = input;
      return (
        (await repeated(writer, caller, seed)) ?? (await inTransaction.insert(writer, seed, { on_conflict })).event
      );
    });

  const edit = (
    caller: Caller,
    { uid, updates, scope, recurrence_id, timezone, on_conflict }: EventEdit,
    expected?: SeenVersions,
  ): Promise<EventResource> =>
    ledger.write(caller, async (writer) => {
      const zone = updates.timezone ?? timezone ?? caller.zone;
      const { scheduled_for: _s, rdates: _r, exdates: _e, ...rest } = updates;
      const changes = { ...(given(rest) as EventChanges), ...readTimes(updates, zone, '/updates') };
      const at = readMoment(recurrence_id, zone, 'start', '/recurrence_id');
      const [from] = await inTransaction.find(writer.tx, caller.user_id, [uid]);
      if (from && !Object.keys(given(updates)).length) {
        checkSeenVersion('event', uid, expected, from.version);
        return from; // Nothing changes, so there is no new version.
      }
      if (from) await sensitive.refuseHiddenChanges(writer.tx, caller, from, rest);
      const { event } = await inTransaction.change(writer, uid, changes, {
        scope,
        recurrence_id: at && instantOf(millis(at)),
        on_conflict,
        expected,
      });
      return event;
    });

  const remove = (
    caller: Caller,
    { uid, scope, recurrence_id }: EventRemoval,
    expected?: SeenVersions,
  ): Promise<EventResource> =>
    ledger.write(caller, async (writer) => {
      const at = readMoment(recurrence_id, caller.zone, 'start', '/recurrence_id');
      const { event } = await inTransaction.remove(writer, uid, {
        scope,
        recurrence_id: at && instantOf(millis(at)),
        expected,
      });
      return event;
    });

  const problemOf = createProblemOf(log);

  const editEach = (caller: Caller, edits: readonly (EventEdit & Bound)[]) =>
    eachItem(caller, edits, (one) => edit(caller, one, one.expected_version), problemOf);

  const removeEach = (caller: Caller, removals: readonly (EventRemoval & Bound)[]) =>
    eachItem(caller, removals, (one) => remove(caller, one, one.expected_version), problemOf);

  return { create, edit, remove, editEach, removeEach };
};
