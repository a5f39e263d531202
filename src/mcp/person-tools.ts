/** Tools on the person and the credential: who is calling, what limits leave, when the person likes to work. */
import { z } from 'zod';
import { AgentStatus } from '../agent/status-schemas.ts';
import { TempoProfile } from '../domain/plan/tempo.ts';
import { WhoAmI } from '../user/schemas.ts';
import { tool, type Result, type Tool } from './tool.ts';

/** The members of the profile, without the details of their shapes, which would take an eighth of all definitions. */
const Tempo = z.object({
  timezone: TempoProfile.shape.timezone,
  time_ranges: z.array(z.looseObject({})).describe('The hours in which work may be placed: name, days, start, end.'),
  tag_mappings: z.looseObject({}).describe('By tempo tag: its ranges and its length in minutes.'),
  duration_biases: z.looseObject({}).describe('By tempo tag or action type: the usual length, or a factor.'),
  task_overrides: z.looseObject({}).describe('By task_id: ranges, length or tag of its work.'),
  use_learned: z.boolean(),
});

export const personTools: Tool[] = [
  tool({
    name: 'who_am_i',
    title: 'Who am I',
    description:
      'Shows whose Almanac this is, what this key may do, and the time zone of the person. Use it first when you are unsure what is allowed.',
    effect: 'reads',
    routes: ['whoami'],
    input: {},
    output: { ...WhoAmI.shape, scopes: z.array(z.string()) },
    data: false,
    run: async (_args, { call }) => (await call('whoami', {})).body as Result,
  }),
  tool({
    name: 'get_limits',
    title: 'Read the limits',
    description:
      'Shows how many proposals the person’s limits still leave today and this week, and how many plans the queue has with each status. Use it before you propose several things, or after a refusal with a code that begins with limit:.',
    effect: 'reads',
    routes: ['getAgentStatus'],
    input: {},
    output: {
      limits: AgentStatus.shape.limits,
      queue: AgentStatus.shape.queue,
      next_due: AgentStatus.shape.next_due.describe('When the next approved plan takes effect.'),
      execution: AgentStatus.shape.executor.shape.mode.describe('Whether approved plans take effect by themselves.'),
    },
    list: 'limits',
    data: false,
    run: async (_args, { call }) => {
      const status = (await call('getAgentStatus', {})).body as z.infer<typeof AgentStatus>;
      const { limits, queue, next_due, executor } = status;
      return { limits, queue, next_due, execution: executor.mode };
    },
  }),
  tool({
    name: 'get_tempo',
    title: 'Read the tempo',
    description:
      'Shows when the person likes to work on what, and how long it takes: time ranges, tempo tags, usual lengths, exceptions of tasks. Use it to choose a good time, tag or length for a proposal.',
    effect: 'reads',
    routes: ['getTempoProfile'],
    input: {},
    output: { tempo: Tempo },
    data: true,
    run: async (_args, { call }) => {
      const {
        user_id: _user,
        learned: _learned,
        ...tempo
      } = (await call('getTempoProfile', {})).body as z.infer<typeof TempoProfile>;
      return { tempo };
    },
  }),
];
