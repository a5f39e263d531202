/**
 * Takes back changes that plans and persons made: a created event is removed, and a changed or removed one is again as it was before. An
 * event that was changed since is left as it is (docs/decisions.md, A decision can be taken back).
 */
import { quoting } from '../../domain/record/quoting.ts';
import { problem, type Problem } from '../../common/problem.ts';
import { canonicalJson } from '../../domain/record/canonical-json.ts';
import type { Author, Writer } from '../../ledger/ledger-writer.ts';
import type { Conflicts } from '../conflicts.ts';
import { outlineOf } from '../displacing.ts';
import type { EventDraft } from './document.ts';
import type { ChangeOptions } from './targets.ts';
import type { EventChange, Written } from './store.ts';
import { changedSince, findEvents, versionsAround, type Around, type Made } from '../queries.ts';
import type { EventResource } from '../schemas.ts';
import { nameFor } from '../slot-taken.ts';

const wasChanged = (author: Author, event: EventResource): Problem => {
  const { uid, version, updated_at } = event;
  const said = `was changed again since (version ${version}, ${updated_at}), so it stays as it is. Change or remove the event itself.`;
  return problem('changed_since', quoting(['The event ', ` ${said}`], nameFor(author, event)), { uid });
};

/**
 * What an event is, without what every write renews. Where it is again what a plan made of it, all later changes were taken back, and
 * none is lost.
 */
const stateOf = ({ version: _v, seq: _s, sequence: _n, updated_at: _u, ...state }: EventResource): string =>
  canonicalJson(state);

/**
 * What has changed since and is again as it was then, as after other changes were taken back. With what has not changed, it was beside
 * these events before.
 */
const againAsAt = async ({ tx, author }: Writer, events: readonly EventDraft[], seq: number): Promise<string[]> => {
  if (!events.length) return [];
  const then = await changedSince(tx, author.user_id, outlineOf(events), seq);
  const now = await findEvents(
    tx,
    author.user_id,
    then.map(({ uid }) => uid),
  );
  const states = new Map(now.map((event) => [event.uid, stateOf(event)]));
  return then.filter((event) => states.get(event.uid) === stateOf(event)).map(({ uid }) => uid);
};

/** The change that leads from an event as it is to what was before. @throws 409 changed_since */
const backTo = (author: Author, around: Partial<Around> | undefined, links: string[]): EventChange => {
  const { made, before, now } = around ?? {};
  if (!made || !now) throw new Error('an event that was changed has no version');
  if (stateOf(now) !== stateOf(made)) throw wasChanged(author, now);
  if (!before || before.removed) return { what: 'removed', from: now, to: now, links };
  const sequence = now.sequence + 1;
  return { what: now.removed ? 'created' : 'updated', from: now, to: { ...before, sequence }, links };
};

export const createTakeBack = ({
  write,
  requireFreeTogether,
  displaceBlocks,
}: Pick<Conflicts, 'requireFreeTogether' | 'displaceBlocks'> & {
  write: (writer: Writer, changes: EventChange[]) => Promise<Written[]>;
}) => {
  /**
   * Takes back what a plan or a person made, in one write. Blocks of agents return to free time only; events of the person displace
   * them, unless `on_conflict` says otherwise. What was beside them before, and has not been changed since, takes no time from them.
   * @throws 409 changed_since, slot_taken, series_limit
   */
  return async (
    writer: Writer,
    made: readonly Made[],
    { links = [], on_conflict: how }: Pick<ChangeOptions, 'links' | 'on_conflict'>,
  ): Promise<Written[]> => {
    const { tx, author } = writer;
    const around = await versionsAround(tx, author.user_id, made);
    const changes = made.map(({ uid }) => backTo(author, around.get(uid), links));
    const restored = changes.flatMap(({ what, to }) => (what === 'removed' ? [] : [to]));
    const blocks = restored.filter(({ yields }) => yields);
    const since = Math.min(...made.map(({ executedAt }) => executedAt));
    const beside = { since, except: await againAsAt(writer, restored, since) };
    await requireFreeTogether(writer, { changes, affected: blocks }, beside);
    const persons = restored.filter(({ yields }) => !yields);
    await displaceBlocks(writer, persons, {
      how,
      since,
      except: new Set([...beside.except, ...changes.map(({ to }) => to.uid)]),
    });
    return write(writer, changes);
  };
};
