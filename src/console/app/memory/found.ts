/** What the memory screen shows: what was found, and the history of the trace that is open. */
import { computed } from '@preact/signals';
import type { HistoryEntry, SearchHit } from '../../../client/almanac-client.ts';
import { asOf, parameter } from '../state/address.ts';
import { resource } from '../state/resource.ts';
import { client } from '../state/service.ts';

const SHOWN = 50;
const IN_TIMELINE = 300;
const past = computed(() => (asOf.value === undefined ? {} : { as_of: asOf.value }));

export type Found = Pick<SearchHit, 'uid' | 'type' | 'task_id' | 'timestamp' | 'snippet' | 'explain'> & {
  confidence?: number;
};

export const byTask = computed(() => parameter('view') === 'timeline');

export const found = resource<{ query: string | undefined; timeline: boolean; as_of?: string }, Found[]>(
  () => ({ query: parameter('find'), timeline: byTask.value, ...past.value }),
  ['traces', 'plans', 'events'],
  async ({ query, timeline, ...when }) => {
    const limit = timeline ? IN_TIMELINE : SHOWN;
    if (query)
      return (await client.memory.search({ query, limit: Math.min(limit, 100), explain: true, ...when }).page()).items;
    const { items } = await client.memory.pull({ limit, ...when }).page();
    return items.map(({ uid, type, task_id, timestamp, summary }) => ({
      ...{ uid, type, task_id, timestamp },
      snippet: summary.replaceAll('**', ''),
    }));
  },
);

export const history = resource<{ uid: string; as_of?: string }, HistoryEntry[]>(
  () => {
    const uid = parameter('trace');
    return uid === undefined ? null : { uid, ...past.value };
  },
  ['traces', 'plans', 'events'],
  async (question) => (await client.memory.history({ ...question, limit: SHOWN }).page()).items,
);
