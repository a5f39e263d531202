/** A LangGraph.js store on Almanac: items are traces, so they have history, search and export like everything else. */
import {
  BaseStore,
  type GetOperation,
  type Item,
  type ListNamespacesOperation,
  type MatchCondition,
  type Operation,
  type OperationResults,
  type PutOperation,
  type SearchItem,
  type SearchOperation,
} from '@langchain/langgraph-checkpoint';
import { AlmanacProblem, type Client, type Trace } from 'almanac-client';

const TYPE = 'langgraph_item';
type Stored = { namespace: string[]; key: string; value: Record<string, unknown> | null; created_at: string };

const digest = async (parts: unknown): Promise<string> => {
  const bytes = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(JSON.stringify(parts)));
  return Buffer.from(bytes).toString('hex').slice(0, 40);
};
/** Each prefix of the namespace is a tag, so that Almanac finds what is under it by an index. */
const tagOf = async (prefix: string[]): Promise<string> => `langgraph:${await digest(prefix)}`;
const uidOf = async ({ namespace, key }: { namespace: string[]; key: string }): Promise<string> =>
  `langgraph:${await digest([namespace, key])}`;

/** The texts that search reads: those at the paths of `index`, or all. */
const textsIn = (value: unknown): string[] => {
  if (typeof value === 'string') return [value];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(textsIn) : [];
};
const textOf = ({ key, value, index }: PutOperation): string => {
  const parts = Array.isArray(index) ? index.map((path) => path.split('.').reduce<unknown>(member, value)) : [value];
  return (index === false ? '' : parts.flatMap(textsIn).join('\n')) || key;
};
const member = (value: unknown, name: string): unknown => (value as Record<string, unknown> | undefined)?.[name];

const itemOf = ({ metadata, updated_at }: Trace): Item | null => {
  const { namespace, key, value, created_at } = metadata as Stored;
  return value && { namespace, key, value, createdAt: new Date(created_at), updatedAt: new Date(updated_at) };
};

const OPERATORS: Record<string, (is: never, wanted: never) => boolean> = {
  $eq: (is, wanted) => is === wanted,
  $ne: (is, wanted) => is !== wanted,
  $gt: (is, wanted) => Number(is) > Number(wanted),
  $gte: (is, wanted) => Number(is) >= Number(wanted),
  $lt: (is, wanted) => Number(is) < Number(wanted),
  $lte: (is, wanted) => Number(is) <= Number(wanted),
  $in: (is, wanted: unknown[]) => wanted.includes(is),
  $nin: (is, wanted: unknown[]) => !wanted.includes(is),
};
const fits = (value: unknown, wanted: unknown): boolean => {
  const names = typeof wanted === 'object' && wanted !== null ? Object.keys(wanted) : [];
  if (!names.some((name) => name.startsWith('$'))) return value === wanted;
  return names.every((name) => OPERATORS[name]?.(value as never, member(wanted, name) as never) ?? false);
};

const matches = (namespace: string[], { matchType, path }: MatchCondition): boolean => {
  if (path.length > namespace.length) return false;
  const from = matchType === 'suffix' ? namespace.length - path.length : 0;
  return path.every((label, i) => label === '*' || label === namespace[from + i]);
};

const isMissing = (error: unknown): boolean => error instanceof AlmanacProblem && error.code === 'trace_not_found';

export class AlmanacStore extends BaseStore {
  private readonly client: Client;
  constructor(client: Client) {
    super();
    this.client = client;
  }

  /** Reads see the state before the batch, and the last of several writes of one item wins, as in LangGraph's own stores. */
  async batch<Op extends Operation[]>(operations: Op): Promise<OperationResults<Op>> {
    const puts = new Map<string, PutOperation>();
    const results = await Promise.all(
      operations.map((operation) => {
        if ('namespacePrefix' in operation) return this.find(operation);
        if ('matchConditions' in operation || !('namespace' in operation)) return this.namespaces(operation);
        if (!('value' in operation)) return this.read(operation);
        puts.set(JSON.stringify([operation.namespace, operation.key]), operation);
        return undefined;
      }),
    );
    await Promise.all([...puts.values()].map((put) => this.write(put)));
    return results as OperationResults<Op>;
  }

  private async read(operation: GetOperation): Promise<Item | null> {
    try {
      const { items } = await this.client.memory.history({ uid: await uidOf(operation), limit: 1 }).page();
      return items[0] ? itemOf(items[0].trace) : null;
    } catch (error) {
      if (isMissing(error)) return null;
      throw error;
    }
  }

  /** A deleted item stays as an empty trace, since a uid cannot be used for a second trace. */
  private async write(put: PutOperation): Promise<void> {
    const { namespace, key, value } = put;
    const before = await this.read(put);
    if (!before && value === null) return;
    const prefixes = value === null ? [] : namespace.map((_, i) => namespace.slice(0, i + 1));
    const updates = {
      content: value === null ? 'Deleted.' : textOf(put),
      tags: value === null ? [] : ['langgraph', ...(await Promise.all(prefixes.map(tagOf)))],
      metadata: { namespace, key, value, created_at: (before?.createdAt ?? new Date()).toISOString() },
    };
    const uid = await uidOf(put);
    try {
      await this.client.memory.edit({ uid, updates });
    } catch (error) {
      if (!isMissing(error)) throw error;
      await this.client.memory.push({ traces: [{ uid, type: TYPE, ...updates }] });
    }
  }

  private async under(prefix: string[]): Promise<Map<string, Item>> {
    const items = new Map<string, Item>();
    const tag = prefix.length ? await tagOf(prefix) : 'langgraph';
    for await (const trace of this.client.memory.pull({ type: TYPE, tag, order: 'asc', limit: 1000 })) {
      const item = itemOf(trace);
      if (item) items.set(trace.uid, item);
    }
    return items;
  }

  private async find(operation: SearchOperation): Promise<SearchItem[]> {
    const { namespacePrefix, filter = {}, limit = 10, offset = 0, query } = operation;
    const items = await this.under(namespacePrefix);
    const found: SearchItem[] = [];
    if (query) {
      const tag = namespacePrefix.length ? await tagOf(namespacePrefix) : 'langgraph';
      for await (const { uid, confidence } of this.client.memory.search({ query, type: TYPE, tags: [tag] })) {
        const item = items.get(uid);
        if (item) found.push({ ...item, score: confidence });
        items.delete(uid);
      }
    }
    return [...found, ...items.values()]
      .filter(({ value }) => Object.entries(filter).every(([name, wanted]) => fits(value[name], wanted)))
      .slice(offset, offset + limit);
  }

  private async namespaces(operation: ListNamespacesOperation): Promise<string[][]> {
    const { matchConditions = [], maxDepth, limit = 100, offset = 0 } = operation;
    const found = [...(await this.under([])).values()]
      .filter(({ namespace }) => matchConditions.every((condition) => matches(namespace, condition)))
      .map(({ namespace }) => JSON.stringify(namespace.slice(0, maxDepth)));
    return [...new Set(found)]
      .map((text) => JSON.parse(text) as string[])
      .sort((a, b) => a.join(':').localeCompare(b.join(':')))
      .slice(offset, offset + limit);
  }
}
