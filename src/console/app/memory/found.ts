/** What the memory screen shows: what was found, and the history of the trace that is open. */
import { computed } from '@preact/signals';
import type { HistoryEntry, SearchHit } from '../../../client/almanac-client.ts';
import { TRACE_KINDS, traceKind, type TraceKind } from '../../../domain/record/trace-kind.ts';
import { parameter, past, screen } from '../state/address.ts';
import { resource } from '../state/resource.ts';
import { pastClient } from '../state/service.ts';

const SHOWN = 50;
const IN_TIMELINE = 300;

export type Found = Pick<SearchHit, 'uid' | 'type' | 'kind' | 'task_id' | 'timestamp' | 'snippet' | 'explain'> & {
  confidence?: number;
};

export const byTask = computed(() => parameter('view') === 'timeline');

/** What is asked for; notes, where nothing else is chosen. */
type Filter = {
  kind?: TraceKind;
  origin?: 'user' | 'import';
  recorded_by?: string;
  task_id?: string;
  start_time?: string;
  end_time?: string;
  as_of?: string;
};

const KINDS = [...TRACE_KINDS, 'all'] as const;
export const shownKind = computed(() => KINDS.find((one) => one === parameter('kind')) ?? 'note');

/** A person, an import, or the agent with this key. */
const byWhom = (by: string): Filter => (by === 'user' || by === 'import' ? { origin: by } : { recorded_by: by });

const filter = computed((): Filter => {
  const [by, task, from, to] = ['by', 'task', 'from', 'to'].map(parameter);
  return {
    ...(shownKind.value === 'all' ? {} : { kind: shownKind.value }),
    ...(by ? byWhom(by) : {}),
    ...(task ? { task_id: task } : {}),
    ...(from ? { start_time: from } : {}),
    ...(to ? { end_time: to } : {}),
    ...past.value,
  };
});

export const found = resource<Filter & { query: string | undefined; timeline: boolean }, Found[]>(
  () => (screen.value === 'memory' ? { query: parameter('find'), timeline: byTask.value, ...filter.value } : null),
  ['traces', 'plans', 'events'],
  async ({ query, timeline, ...when }) => {
    const limit = timeline ? IN_TIMELINE : SHOWN;
    if (query)
      return (await pastClient.memory.search({ query, limit: Math.min(limit, 100), explain: true, ...when }).page())
        .items;
    const { items } = await pastClient.memory.pull({ limit, ...when }).page();
    return items.map((trace) => ({
      ...trace,
      kind: traceKind(trace),
      snippet: trace.summary.replaceAll('**', ''),
    }));
  },
);

export const history = resource<{ uid: string; as_of?: string }, HistoryEntry[]>(
  () => {
    const uid = parameter('trace');
    return uid === undefined ? null : { uid, ...past.value };
  },
  ['traces', 'plans', 'events'],
  async (question) => (await pastClient.memory.history({ ...question, limit: SHOWN }).page()).items,
);
