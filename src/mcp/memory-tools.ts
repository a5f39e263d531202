/** Tools on memory: search, list, append, history, feedback, and the export of context. */
import { z } from 'zod';
import { list } from '../domain/record/bounded-collections.ts';
import { TimeIn } from '../domain/record/field-shapes.ts';
import { PatchOperation } from '../domain/record/json-patch.ts';
import { HistoryEntry, PullQuery, Saved, SearchBody, SearchHit, Trace, TraceIn } from '../memory/schemas.ts';
import { ExportQuery, SummaryResult } from '../memport/schemas.ts';
import { lean, leanList, leanOf, page, pageOutput, tool, window, type Tool } from './tool.ts';

const TraceItem = lean(Trace, [
  ...['uid', 'type', 'timestamp', 'content', 'task_id', 'tempo_tag', 'tags', 'title', 'status', 'scheduled_for'],
  ...['origin', 'feedback_rating', 'notes', 'linked_trace_ids', 'linked_event_uid', 'version'],
]);
const Rated = TraceItem.pick({
  uid: true,
  type: true,
  content: true,
  feedback_rating: true,
  notes: true,
  version: true,
});
const Hit = lean(SearchHit, ['uid', 'type', 'timestamp', 'task_id', 'tempo_tag', 'snippet', 'confidence']);
const Version = lean(HistoryEntry, ['version', 'recorded_at', 'actor', 'action']).extend({
  changes: z.array(PatchOperation).optional().describe('The JSON Patch (RFC 6902) from the version before.'),
  trace: TraceItem.optional().describe('The trace at this version; only for the newest of this page.'),
});
const Line = lean(SummaryResult, ['type', 'task_id', 'timestamp', 'summary']);

const newTrace = TraceIn.pick({
  uid: true,
  type: true,
  content: true,
  task_id: true,
  tempo_tag: true,
  tags: true,
  linked_trace_ids: true,
  linked_event_uid: true,
}).extend({
  timestamp: TimeIn.optional().describe('When it happened, as ISO 8601; by default now.'),
});

const { task_id, tempo_tag, tag, type } = ExportQuery.shape;

/** What the envelope of an exported context takes of max_tokens. */
const ENVELOPE_TOKENS = 200;

export const memoryTools: Tool[] = [
  tool({
    name: 'search_memory',
    title: 'Search memory',
    description:
      'Finds what is remembered about something, best match first. Use it before you propose, answer or write: it shows what the person and other agents have noted. Read a hit in full with memory_history.',
    effect: 'reads',
    routes: ['searchMemory'],
    input: {
      ...SearchBody.pick({ query: true, mode: true, task_id: true, tags: true, type: true, kind: true }).shape,
      ...window,
      limit: page.limit.default(10).describe('The largest number of hits; by default 10.'),
      cursor: page.cursor,
    },
    output: { traces: z.array(Hit), ...pageOutput },
    list: 'traces',
    data: true,
    run: async ({ cursor, ...body }, { call }) => {
      const { body: hits, next } = await call('searchMemory', { query: { cursor }, body });
      return { traces: leanList(Hit, hits), next_cursor: next };
    },
  }),
  tool({
    name: 'list_memory',
    title: 'List memory by time',
    description:
      'Lists traces by time, newest first: everything of one task, of one type or of a period. Use it to catch up with a task; use search_memory to look for words.',
    effect: 'reads',
    routes: ['pullMemory'],
    input: {
      ...PullQuery.pick({ task_id: true, tempo_tag: true, tag: true, type: true, kind: true }).shape,
      status: PullQuery.shape.status.describe('Only plans with this status.'),
      origin: PullQuery.shape.origin.describe('Only what the person, an agent, the service or an import wrote.'),
      ...window,
      order: PullQuery.shape.order,
      ...page,
    },
    output: { traces: z.array(TraceItem), ...pageOutput },
    list: 'traces',
    data: true,
    run: async (query, { call }) => {
      const { body, next } = await call('pullMemory', { query });
      return { traces: leanList(TraceItem, body), next_cursor: next };
    },
  }),
  tool({
    name: 'append_memory',
    title: 'Append to memory',
    description:
      'Stores traces: what you observed, concluded or did. Use it whenever later work should know something. All traces of a call are stored, or none. To plan something for the person, use propose instead.',
    effect: 'adds',
    routes: ['pushMemory'],
    input: { traces: list(newTrace, 50).min(1).describe('The traces to store, 1 to 50, in order.') },
    output: { saved: z.array(Saved) },
    list: 'saved',
    data: false,
    run: async ({ traces }, { call, request_key }) => {
      const { body } = await call('pushMemory', { body: { traces }, key: request_key });
      return { saved: body };
    },
  }),
  tool({
    name: 'memory_history',
    title: 'Read a trace and its history',
    description:
      'Shows one trace or plan in full, and how it came to be: its versions, newest first, with who changed what and when. Use it to read a search hit whole, or to find out why something is as it is.',
    effect: 'reads',
    routes: ['getMemoryHistory'],
    input: { uid: z.string().min(1).max(255).describe('The uid of the trace or plan.'), ...page },
    output: { versions: z.array(Version), ...pageOutput },
    list: 'versions',
    data: true,
    run: async (query, { call }) => {
      const { body, next } = await call('getMemoryHistory', { query });
      const versions = (body as z.infer<typeof HistoryEntry>[]).map((entry, i) => ({
        ...leanOf(Version.omit({ trace: true }), entry),
        ...(i === 0 ? { trace: leanOf(TraceItem, entry.trace) } : {}),
      }));
      return { versions, next_cursor: next };
    },
  }),
  tool({
    name: 'give_feedback',
    title: 'Give feedback',
    description:
      'Rates a trace or plan, or adds a note to it. Use it when the person says how useful something was, or to record how a plan went. It decides nothing.',
    effect: 'adds',
    routes: ['giveFeedback'],
    input: {
      uid: z.string().min(1).max(255).describe('The uid of the trace or plan.'),
      feedback_rating: z.number().min(1).max(5).optional().describe('From 1 (bad) to 5 (good).'),
      notes: z.string().max(10_000).optional().describe('What was good or bad about it.'),
    },
    output: { trace: Rated },
    data: true,
    run: async (body, { call, request_key }) => {
      const { body: trace } = await call('giveFeedback', { body, key: request_key });
      return { trace: leanOf(Rated, trace) };
    },
  }),
  tool({
    name: 'export_context',
    title: 'Export context',
    description:
      'Gives the most useful summaries of a task, a tag or a period that fit into max_tokens. Use it at the start of work, or to hand work over. `omitted` says what was left out.',
    effect: 'reads',
    routes: ['exportMemory'],
    input: {
      ...{ task_id, tempo_tag, tag, type },
      ...window,
    },
    output: {
      results: z.array(Line).describe('Oldest first.'),
      omitted: z
        .object({ count: z.int(), oldest: z.string(), newest: z.string() })
        .optional()
        .describe('The traces that did not fit.'),
      as_of_seq: z.int().describe('The ledger seq for which this is true.'),
    },
    list: 'results',
    data: true,
    run: async (filters, { call, user_id, max_tokens }) => {
      const query = { user_id, export_format: 'summary', max_token_count: max_tokens - ENVELOPE_TOKENS, ...filters };
      const { body } = await call('exportMemory', { query });
      const { results, omitted, as_of_seq } = body as { results: unknown; omitted: object | null; as_of_seq: number };
      return { results: leanList(Line, results), ...(omitted ? { omitted } : {}), as_of_seq };
    },
  }),
];
