/** The OpenAI Agents SDK with a scripted model: it recalls, proposes, and reads the decision. */
import {
  Agent,
  run,
  setTracingDisabled,
  Usage,
  type Model,
  type ModelRequest,
  type ModelResponse,
} from '@openai/agents';
import { createClient } from 'almanac-client';
import { almanacTools } from './openai-agents-tools.ts';

setTracingDisabled(true);
const client = createClient({ url: process.env['ALMANAC_URL'] ?? '', credential: process.env['ALMANAC_KEY'] ?? '' });

const call = (name: string, input: object): ModelResponse => ({
  usage: new Usage(),
  output: [{ type: 'function_call', callId: name, name, arguments: JSON.stringify(input), status: 'completed' }],
});
const script: ModelResponse[] = [
  call('recall', { query: 'hard chapter' }),
  call('propose_event', {
    title: 'Write chapter three',
    duration_minutes: 90,
    scheduled_for: null,
    reasoning: 'It is hard.',
  }),
  {
    usage: new Usage(),
    output: [
      { type: 'message', role: 'assistant', status: 'completed', content: [{ type: 'output_text', text: 'Done.' }] },
    ],
  },
];
const asked: ModelRequest[] = [];
const model: Model = {
  getResponse: async (request) => {
    asked.push(request);
    return script.shift() as ModelResponse;
  },
  getStreamedResponse: () => {
    throw new Error('not used');
  },
};

const agent = new Agent({ name: 'Writer', instructions: 'Plan the work.', tools: almanacTools(client), model });
const { finalOutput } = await run(agent, 'Plan work on the hard chapter.');
const last = asked.at(-1) as ModelRequest;
const results = (last.input as { type: string; output?: unknown }[])
  .filter(({ type }) => type === 'function_call_result')
  .map(({ output }) => JSON.parse(typeof output === 'string' ? output : (output as { text: string }).text) as unknown);
process.stdout.write(JSON.stringify({ text: finalOutput, results }));
