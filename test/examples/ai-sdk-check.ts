/** The AI SDK with a scripted model: it recalls, proposes, and reads the decision. */
import { createClient } from 'almanac-client';
import { generateText, stepCountIs } from 'ai';
import { MockLanguageModelV4 } from 'ai/test';
import { almanacTools } from './ai-sdk-tools.ts';

const client = createClient({ url: process.env['ALMANAC_URL'] ?? '', credential: process.env['ALMANAC_KEY'] ?? '' });

const usage = {
  inputTokens: { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0 },
  outputTokens: { total: 1, text: 1, reasoning: 0 },
};
const call = (toolName: string, input: object) => ({
  content: [{ type: 'tool-call' as const, toolCallId: toolName, toolName, input: JSON.stringify(input) }],
  finishReason: { unified: 'tool-calls' as const, raw: 'tool_calls' },
  ...{ usage, warnings: [] },
});
const model = new MockLanguageModelV4({
  doGenerate: [
    call('recall', { query: 'hard chapter' }),
    call('propose_event', {
      title: 'Write chapter three',
      duration_minutes: 90,
      scheduled_for: null,
      reasoning: 'It is hard.',
    }),
    {
      content: [{ type: 'text', text: 'Done.' }],
      finishReason: { unified: 'stop', raw: 'stop' },
      ...{ usage, warnings: [] },
    },
  ],
});

const { text, steps } = await generateText({
  model,
  tools: almanacTools(client),
  stopWhen: stepCountIs(5),
  prompt: 'Plan work on the hard chapter.',
});
process.stdout.write(
  JSON.stringify({ text, results: steps.flatMap((step) => step.toolResults.map(({ output }) => output)) }),
);
