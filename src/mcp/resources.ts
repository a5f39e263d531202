/** Resources: views of the calendar, the queue and tasks. Each is the result of a tool whose arguments its URI decides. */
import { ProtocolError, ProtocolErrorCode, ResourceNotFoundError } from '@modelcontextprotocol/server';
import type { Resource, ResourceTemplateType, TextResourceContents } from '@modelcontextprotocol/server';
import type { Caller } from '../domain/access/caller.ts';
import { localDate, readTime } from '../domain/time/time.ts';
import type { Calling, ToolCalls } from './tool-calls.ts';

type Match = { value: string | undefined; caller: Caller; now: string };

type View = {
  name: string;
  title: string;
  description: string;
  tool: string;
  /** The URI without a value, where it has a meaning: today, this week. */
  uri?: string;
  /** The URI with a value. */
  template?: string;
  /** The changes after which it may be another, by the beginning of their type. */
  changes: string[];
  /** Returns the arguments of the tool, or null where there is no such resource. */
  args: (match: Match) => object | null;
};

const DATE = /^\d{4}-\d\d-\d\d$/;

/** Returns the local day that the URI names, or today; null where it is no day. */
const dayOf = ({ value, caller, now }: Match): Temporal.PlainDate | null => {
  const date = value ?? localDate(now, caller.zone);
  return DATE.test(date) && readTime(date, 'UTC') !== null ? Temporal.PlainDate.from(date) : null;
};

const ALL = 100;

const VIEWS: View[] = [
  {
    name: 'day',
    title: 'The day',
    description: 'The events of today, or of the local day in the URI, by time.',
    tool: 'list_events',
    uri: 'almanac://day',
    template: 'almanac://day/{date}',
    changes: ['event.'],
    args: (match) => {
      const day = dayOf(match);
      return day && { start: day.toString(), end: day.toString(), limit: ALL };
    },
  },
  {
    name: 'week',
    title: 'The week',
    description: 'The events of this ISO week, or of the week of the local day in the URI, by time.',
    tool: 'list_events',
    uri: 'almanac://week',
    template: 'almanac://week/{date}',
    changes: ['event.'],
    args: (match) => {
      const day = dayOf(match);
      if (!day) return null;
      const monday = day.subtract({ days: day.dayOfWeek - 1 });
      return { start: monday.toString(), end: monday.add({ days: 6 }).toString(), limit: ALL };
    },
  },
  {
    name: 'queue',
    title: 'The planner queue',
    description: 'The proposals that wait for the person’s decision, soonest first.',
    tool: 'list_proposals',
    uri: 'almanac://queue',
    changes: ['plan.', 'queue.'],
    args: () => ({ limit: ALL }),
  },
  {
    name: 'task',
    title: 'The context of a task',
    description: 'The most useful summaries of everything that belongs to a task.',
    tool: 'export_context',
    template: 'almanac://tasks/{task_id}',
    changes: ['trace.', 'plan.'],
    args: ({ value }) => (value ? { task_id: value } : null),
  },
];

type Found = { view: View; value: string | undefined };

const find = (uri: string): Found | null => {
  for (const view of VIEWS) {
    if (view.uri === uri) return { view, value: undefined };
    const base = view.template?.replace(/\{\w+\}$/, '');
    if (base && uri.startsWith(base) && uri.length > base.length)
      return { view, value: decoded(uri.slice(base.length)) };
  }
  return null;
};

const decoded = (text: string): string => {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
};

const described = ({ name, title, description }: View) => ({ name, title, description, mimeType: 'application/json' });

export type ResourcesDeps = { tools: ToolCalls; now: () => string };

export const createResources = ({ tools, now }: ResourcesDeps) => {
  const viewsOf = (caller: Caller): View[] => VIEWS.filter(({ tool }) => tools.mayCall(caller, tool));

  return {
    list: (caller: Caller): Resource[] =>
      viewsOf(caller).flatMap((view) => (view.uri ? [{ uri: view.uri, ...described(view) }] : [])),

    templates: (caller: Caller): ResourceTemplateType[] =>
      viewsOf(caller).flatMap((view) => (view.template ? [{ uriTemplate: view.template, ...described(view) }] : [])),

    /** @throws ProtocolError where there is no such resource, or where the caller may not read it */
    read: async (uri: string, calling: Calling): Promise<TextResourceContents> => {
      const { caller } = calling;
      const found = find(uri);
      const args = found?.view.args({ value: found.value, caller, now: now() });
      if (!found || !args) throw new ResourceNotFoundError(uri);
      const result = await tools.call(found.view.tool, args, calling);
      const [content] = result?.content ?? [];
      const text = content?.type === 'text' ? content.text : '';
      if (!result || result.isError) throw new ProtocolError(ProtocolErrorCode.InvalidParams, text);
      return { uri, mimeType: 'application/json', text };
    },

    /** Returns which of these URIs may be different after changes of these types. */
    touched: (uris: string[], types: ReadonlySet<string>): string[] =>
      uris.filter((uri) => find(uri)?.view.changes.some((start) => [...types].some((type) => type.startsWith(start)))),
  };
};

export type Resources = ReturnType<typeof createResources>;
