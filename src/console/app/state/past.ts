/** Where the time machine is on the ledger, and what has changed since. */
import { signal } from '@preact/signals';
import type { Change, DiffResult } from '../../../client/almanac-client.ts';
import { asOf } from './address.ts';
import { resource } from './resource.ts';
import { client } from './service.ts';

export const isSeq = (moment: string): boolean => /^\d+$/.test(moment);

export type Position = {
  /** The newest entry of the ledger that was known then. */
  seq: number;
  /** The newest entry of all. */
  head: number;
  /** What that entry recorded; nothing for entries that readers do not get, such as those of keys. */
  entry: Change | undefined;
};

export const position = resource<{ as_of: string }, Position>(
  () => (asOf.value === undefined ? null : { as_of: asOf.value }),
  ['plans', 'events', 'traces'],
  async ({ as_of }) => {
    const [{ as_of_seq: seq }, { seq: head }] = await Promise.all([
      client.memport.export({ export_format: 'full', as_of, limit: 1 }),
      client.agent.changes({}),
    ]);
    const { changes } = seq ? await client.agent.changes({ after: String(seq - 1), limit: 1 }) : { changes: [] };
    return { seq, head, entry: changes.find(({ sequence }) => sequence === seq) };
  },
);

/** Whether the list of changes is open. */
export const comparing = signal(false);

export type Difference = DiffResult & { name: string };
export type Since = { differences: Difference[]; more: boolean };
const MOST_SHOWN = 300;
const MOST_NAMED = 1000;

type Named = { title?: unknown; content?: unknown; display_name?: unknown; uid?: unknown };

export const nameOf = ({ title, content, display_name, uid }: Named): string => {
  for (const name of [title, content, display_name, uid]) if (typeof name === 'string' && name) return name;
  return '';
};

/** The service's own records of a change of a plan or an event, whose change is listed itself. */
const isBookkeeping = (difference: DiffResult): boolean =>
  difference.op === 'added' &&
  difference.trace !== undefined &&
  (difference.trace.type === 'calendar_event' || Boolean((difference.trace as { transition?: unknown }).transition));

export const since = resource<{ from: string }, Since>(
  () => {
    const seq = position.data.value?.seq;
    return !comparing.value || seq === undefined || position.stale.value ? null : { from: String(seq) };
  },
  ['plans', 'events', 'traces', 'profile'],
  async ({ from }) => {
    const [{ results, next_cursor }, { changes }] = await Promise.all([
      client.memport.export({ export_format: 'diff', from, include: 'traces,events,profile', limit: MOST_SHOWN }),
      client.agent.changes({ after: from, limit: MOST_NAMED }),
    ]);
    // The patch of a difference does not say what it changes; the newest change does.
    const names = new Map(changes.map(({ subject, data }) => [subject, nameOf(data)]));
    const differences = results
      .filter((one) => !isBookkeeping(one))
      .map((one) => {
        const document = one.op === 'added' ? (one.trace ?? one.event ?? one.profile) : undefined;
        return { ...one, name: (document && nameOf(document)) || (names.get(one.uid) ?? one.uid) };
      });
    return { differences, more: next_cursor !== null };
  },
);
