/** What is exported: the parameters in the address, as a query, and as a call that others can make. */
import { computed } from '@preact/signals';
import { asOf, parameter, past } from '../state/address.ts';
import { address } from '../state/service.ts';

export const FORMATS = {
  summary: 'Summary: short lines for a model, the most useful first',
  full: 'Full: the raw traces',
  linked: 'Linked: what matches, and all that it is linked to',
  diff: 'Difference: what changed between two points',
} as const;
export type Format = keyof typeof FORMATS;

export const format = computed<Format>(() => {
  const asked = parameter('mode') ?? 'summary';
  return asked in FORMATS ? (asked as Format) : 'summary';
});

export const DEFAULT_TOKENS = '4000';
/** The filters of the form, by the names of the API. */
const FILTERS = ['task_id', 'tempo_tag', 'tag', 'type', 'start_time', 'end_time', 'group_by'] as const;
const POINTS = ['from', 'to'] as const;
export const FIELDS = [...FILTERS, ...POINTS, 'max_token_count', 'include_feedback'] as const;
export type Field = (typeof FIELDS)[number];

type GroupBy = 'day' | 'task' | 'trace_type';
export type Query = { export_format: Format; group_by?: GroupBy } & {
  [N in Exclude<Field, 'group_by' | 'include_feedback'> | 'as_of']?: string;
} & { include_feedback?: 'true' };

export const query = computed<Query>(() => {
  const summary = format.value === 'summary';
  const names =
    format.value === 'diff'
      ? FIELDS.filter((name) => !name.endsWith('_time'))
      : [...FILTERS, 'include_feedback' as const];
  const given = names.flatMap((name) => {
    const value = parameter(name);
    return value && !(name === 'max_token_count' && !summary) ? [[name, value] as const] : [];
  });
  return {
    export_format: format.value,
    ...Object.fromEntries(given),
    ...(summary ? { max_token_count: parameter('max_token_count') ?? DEFAULT_TOKENS } : {}),
    ...(format.value === 'diff' ? {} : past.value),
    ...(format.value === 'diff' && !parameter('from') ? { from: '1' } : {}),
    // The moment of the time machine is the later point of a difference.
    ...(format.value === 'diff' && asOf.value !== undefined && /^\d+$/.test(asOf.value) ? { to: asOf.value } : {}),
  };
});

/** The values as the client takes them. */
export const asQuery = ({ max_token_count, ...rest }: Query) => ({
  ...rest,
  ...(max_token_count === undefined ? {} : { max_token_count: Number(max_token_count) }),
});

/** The values as JSON has them. */
export const asJson = (asked: Query) => {
  const { include_feedback, ...rest } = asQuery(asked);
  return { ...rest, ...(include_feedback === undefined ? {} : { include_feedback: true }) };
};

const MCP_NAMES = new Set(['task_id', 'tempo_tag', 'tag', 'type', 'start_time', 'end_time']);

/** The same export as others ask for it. */
export const callsOf = (asked: Query): { name: string; text: string }[] => {
  const parameters = new URLSearchParams(asked).toString();
  const mcp = Object.fromEntries(Object.entries(asked).filter(([name]) => MCP_NAMES.has(name)));
  const tool = { name: 'export_context', arguments: { ...mcp, max_tokens: Number(asked.max_token_count) } };
  const calls = [
    {
      name: 'curl',
      text: `curl -s -H "Authorization: Bearer $ALMANAC_KEY" \\\n  '${address}/memport/export?${parameters}'`,
    },
    { name: 'TypeScript', text: `await client.memport.export(${JSON.stringify(asQuery(asked), null, 2)});` },
  ];
  if (asked.export_format !== 'summary' || asked.as_of !== undefined) return calls;
  return [...calls, { name: 'MCP call', text: JSON.stringify({ method: 'tools/call', params: tool }, null, 2) }];
};
