/** An agent with few scopes asks in words, and no request that reaches the model holds a text that the agent may not be shown. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { defaultScopes, possibleScopes, type Scope } from '../../src/domain/access/caller.ts';
import { QUESTION_KINDS } from '../../src/domain/planner/intents/types.ts';
import { type Client, type TestApp } from '../support/app.ts';
import { answers, type Behaviour, type StubModel } from '../support/model.ts';
import { aModelApp } from '../support/model-app.ts';
import { markedPerson, type World } from '../support/scopes/person.ts';
import { mayShow } from '../support/scopes/shown.ts';
import { markedWords } from '../support/scopes/words.ts';

let stub: StubModel;
let app: TestApp;
let close: () => Promise<void>;
const words = markedWords();

beforeAll(async () => {
  ({ stub, app, close } = await aModelApp());
  app.clock.set('2026-11-23T07:00:00.000Z');
});
afterAll(() => close());

const MOST_QUESTIONS = 4;
/** Every kind of question, a few at a time, about a word that most texts have and of the week that they are in. */
const QUESTIONS = Array.from({ length: Math.ceil(QUESTION_KINDS.length / MOST_QUESTIONS) }, (_, n) =>
  QUESTION_KINDS.slice(n * MOST_QUESTIONS, (n + 1) * MOST_QUESTIONS).map((kind) => ({
    ...{ kind, about: ['memory', 'when', 'where', 'how_long', 'other'].includes(kind) ? 'talk' : '' },
    ...(['agenda', 'free', 'done'].includes(kind) && { start: '2026-11-22', end: '2026-11-28' }),
  })),
);

/** Asks, so that Almanac looks up what a person asks, and then writes the answer. */
const asks =
  (questions: object[]): Behaviour =>
  (request, response) => {
    const isPlanner = request.body.response_format.json_schema.schema['properties'] as Record<string, unknown>;
    const answer = 'actions' in isPlanner ? { reply: '', actions: [], questions } : { answer: 'It is so [1].' };
    answers(answer)(request, response);
  };
const CANCEL = { action_type: 'reschedule', title: '', target_event_uid: 'target', cancel: true };
const KEEPS_ASKING: Behaviour[] = [
  ...QUESTIONS.map(asks),
  // What is wrong is said to the model too.
  answers({ reply: '', actions: [{ ...CANCEL, target_plan_uid: 'none' }] }),
  answers({ reply: 'When is the talk?', actions: [] }),
];

type Said = { in_reply_to?: string; context?: object };
const replyOf = (body: { traces: { uid: string; metadata: { role?: string } }[] }): string =>
  body.traces.find(({ metadata }) => metadata.role === 'reply')?.uid ?? 'none';

/** Talks as the person does, so that there is a conversation with words of every kind in it. */
const talk = async ({ me, word }: World): Promise<string> => {
  stub.script(answers({ reply: 'Which one?', actions: [] }));
  const prompt = `What about ${word('event.title')}, ${word('theirs.title')} and ${word('note.content')}?`;
  return replyOf((await me.post('/chat/respond', { prompt }).expect(200)).body);
};

/** What the model is sent while this credential talks. */
const heardOf = async ({ who, word, read }: World, about: string): Promise<string[]> => {
  const heard: string[] = [];
  const context = {
    ...{ memory: ['note', 'thought', 'gone'].map((kind) => word(`${kind}.uid`)) },
    ...{ calendar: [word('event.uid'), 'target', read], schedule: [word('mine.uid'), word('theirs.uid')] },
  };
  const known = JSON.stringify(context);
  const say = async (client: Client, prompt: string, more: Said = {}): Promise<string> => {
    let last = 'none';
    for (const behaviour of KEEPS_ASKING) {
      stub.script(behaviour);
      const { status, body } = await client.post('/chat/respond', { prompt, ...more });
      // Who may not read a reply can't continue it.
      if (more.in_reply_to === undefined) expect(status).toBe(200);
      if (status === 200) last = replyOf(body);
      // What the caller says itself it may know.
      heard.push(...stub.requests.map((one) => textOf(one.body).replaceAll(known, '')));
    }
    return last;
  };
  const first = await say(who, 'What about the talk on Tuesday?');
  await say(who, 'And before it?', { in_reply_to: first });
  await say(who, 'The first', { in_reply_to: about });
  await say(who, 'Move it to Friday', { context });
  for (const route of ['/agent/plan', '/chat/plan-preview'])
    for (const behaviour of KEEPS_ASKING) {
      stub.script(behaviour);
      await who.post(route, { prompt: 'Move the talk to Friday' });
      heard.push(...stub.requests.map((one) => textOf(one.body)));
    }
  return heard;
};
const textOf = ({ messages }: StubModel['requests'][0]['body']): string =>
  messages.map(({ content }) => content).join('\n');

type Case = { name: string; scopes: Scope[] };
const CASES: Case[] = [
  ...possibleScopes('agent', false).map((scope): Case => ({ name: scope, scopes: [scope, 'plan:propose'] })),
  { name: 'the scopes of agents', scopes: [...defaultScopes('agent', false)] },
];

/** The fields that a world marks and the model is sent. */
const sentFor = async (scopes: Scope[]): Promise<string[]> => {
  const world = await markedPerson(app, words, [...new Set(scopes)]);
  const heard = await heardOf(world, await talk(world));
  const text = world.random.reduce((rest, id) => rest.replaceAll(id, ''), heard.join('\n'));
  return words.findIn(text).map(({ field }) => field);
};

test.each(CASES)('$name: the model is sent nothing else than what it shows', async ({ scopes }) => {
  const sent = await sentFor(scopes);
  expect(sent.filter((field) => !mayShow(field, scopes))).toEqual([]);
  // Who may read it has it sent.
  const needed: Partial<Record<Scope, string>> = {
    ...{ 'calendar:read': 'event.title', 'memory:read': 'note.content', 'plan:read': 'theirs.title' },
    ...{ 'tempo:read': 'tempo.range' },
  };
  expect(sent).toEqual(expect.arrayContaining(scopes.flatMap((scope) => needed[scope] ?? [])));
});
