/** Prompts: beginnings of conversations that people choose in their host. Each brings the resources that it speaks of. */
import type { GetPromptResult, Prompt } from '@modelcontextprotocol/server';
import { ProtocolError, ProtocolErrorCode } from '@modelcontextprotocol/server';
import type { Caller } from '../domain/access/caller.ts';
import type { Resources } from './resources.ts';
import type { Calling, ToolCalls } from './tool-calls.ts';

type Arguments = Record<string, string>;

type Script = {
  name: string;
  title: string;
  description: string;
  arguments: NonNullable<Prompt['arguments']>;
  /** The tools without which the prompt has no meaning. */
  tools: string[];
  /** The resources that are read into the conversation. */
  uris: (given: Arguments) => string[];
  text: (given: Arguments) => string;
};

const DATE = {
  name: 'date',
  description: 'A local day, such as 2026-11-21; by default today.',
  required: false,
};

const at = (uri: string, date: string | undefined): string => (date ? `${uri}/${encodeURIComponent(date)}` : uri);

const SCRIPTS: Script[] = [
  {
    name: 'plan_my_day',
    title: 'Plan my day',
    description: 'Looks at the day and the open proposals, and proposes what fits in.',
    arguments: [DATE],
    tools: ['list_events', 'list_proposals', 'propose'],
    uris: ({ date }) => [at('almanac://day', date), 'almanac://queue'],
    text: ({ date }) =>
      `Help me plan ${date ?? 'today'}. The resources below show my events and the proposals that I have not decided yet. Search my memory for what is due or was promised. Then suggest a short plan: what matters most, when, and what can wait. When I agree, propose the actions with one call of propose, after a dry_run. I decide about the proposals myself; do not say that anything is booked.`,
  },
  {
    name: 'weekly_review',
    title: 'Weekly review',
    description: 'Looks back at a week, and draws together what was done, decided and left open.',
    arguments: [{ ...DATE, description: 'A local day of the week, such as 2026-11-21; by default this week.' }],
    tools: ['list_events', 'list_memory', 'list_proposals'],
    uris: ({ date }) => [at('almanac://week', date), 'almanac://queue'],
    text: ({ date }) =>
      `Review ${date ? `the week of ${date}` : 'this week'} with me. The resources below show the events of the week and the proposals that wait for me. Read with list_memory what was noted in these days, and with list_proposals how proposals were decided (status all). Then tell me in a few paragraphs what was done, what was decided, what is open, and one thing to do differently. Name the uids that you rely on. If I agree, store the review with append_memory as type reflection.`,
  },
  {
    name: 'hand_over_task',
    title: 'Hand over a task',
    description: 'Writes what somebody needs who takes over a task: state, decisions, open points, next step.',
    arguments: [{ name: 'task_id', description: 'The task_id of the task.', required: true }],
    tools: ['export_context', 'search_memory'],
    uris: ({ task_id = '' }) => [`almanac://tasks/${encodeURIComponent(task_id)}`],
    text: ({ task_id }) =>
      `Write a handover of the task ${JSON.stringify(task_id)}. The resource below has its context; look up what is missing with search_memory and memory_history. Say what the goal is, what was done, which decisions were made and why, what is open, what was rejected (do not present a rejected plan as planned), and what the next step is. Name the uids that you rely on. Where something is not known, say so.`,
  },
];

export const createPrompts = ({ tools, resources }: { tools: ToolCalls; resources: Resources }) => {
  const scriptsOf = (caller: Caller): Script[] =>
    SCRIPTS.filter((script) => script.tools.every((tool) => tools.mayCall(caller, tool)));

  return {
    list: (caller: Caller): Prompt[] =>
      scriptsOf(caller).map(({ name, title, description, arguments: given }) => ({
        name,
        title,
        description,
        arguments: given,
      })),

    /** @throws ProtocolError for an unknown prompt or wrong arguments */
    get: async (name: string, given: Arguments, calling: Calling): Promise<GetPromptResult> => {
      const script = scriptsOf(calling.caller).find((one) => one.name === name);
      if (!script)
        throw new ProtocolError(ProtocolErrorCode.InvalidParams, `There is no prompt ${name.slice(0, 100)}.`);
      const names = new Set(script.arguments.map((argument) => argument.name));
      const unknown = Object.keys(given).find((argument) => !names.has(argument));
      const missing = script.arguments.find((argument) => argument.required && !given[argument.name]);
      if (unknown || missing)
        throw new ProtocolError(
          ProtocolErrorCode.InvalidParams,
          missing ? `The prompt needs ${missing.name}.` : `The prompt has no argument ${unknown?.slice(0, 100)}.`,
        );
      const read = await Promise.all(script.uris(given).map((uri) => resources.read(uri, calling)));
      return {
        description: script.description,
        messages: [
          { role: 'user', content: { type: 'text', text: script.text(given) } },
          ...read.map((resource) => ({ role: 'user' as const, content: { type: 'resource' as const, resource } })),
        ],
      };
    },
  };
};
