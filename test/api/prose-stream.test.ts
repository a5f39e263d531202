/** The prose of a model is streamed while it is written: each sentence once it is checked, and nothing that is not. */
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createGrowingAnswer } from '../../src/llm/growing-answer.ts';
import { createModelProse } from '../../src/llm/model-prose.ts';
import { createLog } from '../../src/observability/log.ts';
import { aUser, anApp, type Client, type TestApp, type TestUser } from '../support/app.ts';
import { anAskedPerson, type AskedPerson } from '../support/asked-person.ts';
import {
  aModel,
  answers,
  cuts,
  event,
  fails,
  garbles,
  neverStreams,
  rambles,
  refuses,
  says,
  saysAs,
  sends,
  streams,
  takesNoStream,
  type Behaviour,
  type StubModel,
} from '../support/model.ts';

let stub: StubModel;
let app: TestApp;
let person: AskedPerson;
beforeAll(async () => {
  stub = await aModel(fails(500));
  app = await anApp({ env: { OPENAI_BASE_URL: stub.baseURL, OPENAI_MODEL: 'stub-1', OPENAI_TIMEOUT_SECONDS: '300' } });
  person = await anAskedPerson(app);
});
afterAll(async () => {
  await app.close();
  await stub.close();
});

const reading = (about: string, said = {}): Behaviour =>
  answers({ reply: 'I look.', actions: [], questions: [{ kind: 'memory', about, start: null, end: null }], ...said });

type Said = { event: string; data: { text: string; reply: string; warnings: string[]; plans: unknown[] } };

/** Asks for a stream, and gives its events one by one. */
const listen = async (
  who: Client,
  prompt: string,
  { url } = app,
  { signal, key }: { signal?: AbortSignal; key?: string } = {},
): Promise<AsyncGenerator<Said>> => {
  const answer = await fetch(`${url}/chat/respond`, {
    method: 'POST',
    headers: {
      Authorization: `Bearer ${who.token}`,
      'Content-Type': 'application/json',
      ...(key && { 'Idempotency-Key': key }),
    },
    body: JSON.stringify({ prompt, stream: true }),
    ...(signal && { signal }),
  });
  expect(answer.status).toBe(200);
  const pieces = (answer.body as ReadableStream<Uint8Array<ArrayBuffer>>).pipeThrough(new TextDecoderStream());
  return (async function* () {
    let rest = '';
    for await (const piece of pieces) {
      const blocks = (rest + piece).split('\n\n');
      rest = blocks.pop() as string;
      for (const block of blocks) {
        const [, name = '', data = ''] = /^event: (.*)\ndata: (.*)$/.exec(block) ?? [];
        if (name) yield { event: name, data: JSON.parse(data) as Said['data'] };
      }
    }
  })();
};

/** A person who remembers what was decided about the kitchen, beside others. */
const aPainter = async (): Promise<TestUser> => {
  const user = await aUser(app);
  const content = 'We decided to paint the kitchen light grey and to keep the old tiles.';
  await user.post('/memory/push', { traces: [{ type: 'observation', content }] }).expect(201);
  return user;
};

const PAINT = { action_type: 'schedule', title: 'Paint', scheduled_for: '2026-12-05T10:00', duration_minutes: 60 };

const QUESTION = 'what did I decide about the kitchen?';
const GREY = 'You decided to paint the kitchen light grey [1].';
const TILES = 'You keep the old tiles [1].';
const SOURCE = '[1] “We decided to paint the kitchen light grey and to keep the old tiles.” (Tuesday 3 November)';
const LIST = /^This is what I found about “kitchen”:\n• “We decided to paint the kitchen light grey/;
const prose = (...sentences: string[]): string => JSON.stringify({ answer: sentences.join(' ') });

/** What was sent in pieces, and the last event. */
const streamed = async (
  behaviour: Behaviour,
  { who = person, prompt = QUESTION }: { who?: Client; prompt?: string } = {},
): Promise<{ said: string; done: Said['data'] }> => {
  stub.script(reading('kitchen'), behaviour);
  const all = await Array.fromAsync(await listen(who, prompt));
  const last = all.pop();
  expect(last?.event).toBe('done');
  return { said: all.map(({ data }) => data.text).join(''), done: last?.data as Said['data'] };
};

/** Reads events until the texts make this. */
const until = async (events: AsyncGenerator<Said>, text: string): Promise<void> => {
  for (let said = ''; said !== text;) {
    const { value } = await events.next();
    expect(value?.event).toBe('delta');
    said += (value as Said).data.text;
    expect(text.startsWith(said)).toBe(true);
  }
};

describe('a sentence arrives', () => {
  test('before the model has written the next one', async () => {
    const [first, second] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const whole = prose(GREY, TILES, 'The tiles are old [1].');
    const [at, then] = [whole.indexOf(' keep'), whole.indexOf(' are old')];
    stub.script(
      reading('kitchen'),
      streams(whole.slice(0, at), first.promise, whole.slice(at, then), second.promise, whole.slice(then)),
    );
    const events = await listen(person, QUESTION);
    await until(events, GREY);
    first.resolve();
    await until(events, ` ${TILES}`);
    second.resolve();
    const rest = await Array.fromAsync(events);
    const done = rest.pop()?.data;
    expect(done?.reply).toBe(`${GREY} ${TILES} The tiles are old [1].\n${SOURCE}`);
    expect(`${GREY} ${TILES}${rest.map(({ data }) => data.text).join('')}`).toBe(done?.reply);
    expect(done?.warnings).toEqual([]);
  });

  test('behind what was made of the prompt', async () => {
    const gate = Promise.withResolvers<void>();
    const user = await aPainter();
    stub.script(
      reading('kitchen', { actions: [PAINT] }),
      streams(`{"answer":"${GREY} Y`, gate.promise, `${TILES.slice(1)}"}`),
    );
    const events = await listen(user, `plan paint on 5 December at 10 and ${QUESTION}`);
    const before: string[] = [];
    while (!before.join('').endsWith(GREY)) before.push(((await events.next()).value as Said).data.text);
    gate.resolve();
    const rest = await Array.fromAsync(events);
    const done = rest.pop()?.data as Said['data'];
    expect(before.join('')).toMatch(/Paint[^]*\n\nYou decided/);
    expect([...before, ...rest.map(({ data }) => data.text)].join('')).toBe(done.reply);
    expect(done.plans).toHaveLength(1);
  });

  test('only where a stream is asked for', async () => {
    stub.script(reading('kitchen'), answers({ answer: GREY }));
    await person.post('/chat/respond', { prompt: QUESTION }).expect(200);
    expect(stub.requests.map(({ body }) => body.stream ?? false)).toEqual([false, false]);
    await streamed(answers({ answer: GREY }));
    expect(stub.requests.map(({ body }) => body.stream ?? false)).toEqual([false, true]);
  });
});

const WHOLE = prose(GREY, TILES);
const end = (reason: string): string => event({}, reason);
const DONE = 'data: [DONE]\n\n';
const READ: [name: string, behaviour: Behaviour][] = [
  ['single characters', streams(...WHOLE.split(''))],
  ['escapes that are cut', streams(...WHOLE.replaceAll('e', '\\u0065').replaceAll(' ', '\\u0020').split(''))],
  [
    'thoughts beside it',
    sends(event({ reasoning_content: 'Hm. "No."' }), event({ content: WHOLE }), end('stop'), DONE),
  ],
  ['content in parts', sends(event({ content: [{ type: 'text', text: WHOLE }] }), end('stop'), DONE)],
  ['the answer among the thoughts', saysAs({ content: '', reasoning_content: WHOLE })],
  ['a fence', says(`\`\`\`json\n${WHOLE}\n\`\`\``)],
  ['thoughts before it', says(`<think>{"answer": "Not this [1]. No."}</think>${WHOLE}`)],
  ['an object without lines', says(JSON.stringify(JSON.parse(WHOLE), null, 2))],
  ['an event without a choice', sends(event({ content: WHOLE }), end('stop'), 'data: {"choices":[]}\n\n', DONE)],
  ['comments', sends(': ping\n\n', event({ content: WHOLE }), ': ping\n\n', end('stop'), DONE)],
  ['no last event', sends(event({ content: WHOLE }), end('stop'))],
  [
    'an end behind which nothing comes and the connection stays open',
    (_request, response) =>
      void response
        .writeHead(200, { 'Content-Type': 'text/event-stream' })
        .write(event({ content: WHOLE }) + end('stop')),
  ],
  ['an end with another name', sends(event({ content: WHOLE }), end('eos'), DONE)],
  ['JSON in spite of the request', neverStreams(answers(JSON.parse(WHOLE)))],
];

describe('a stream is read that has', () => {
  test.each(READ)('%s', async (_name, behaviour) => {
    const { said, done } = await streamed(behaviour);
    expect(done.reply).toBe(`${GREY} ${TILES}\n${SOURCE}`);
    expect(said).toBe(done.reply);
    expect(done.warnings).toEqual([]);
    expect(stub.requests).toHaveLength(2);
  });
});

const BEGUN = event({ content: WHOLE.slice(0, -3) });
const UNREAD: [name: string, behaviour: Behaviour, why: string][] = [
  ['an error in the middle', sends(BEGUN, 'data: {"error": {"message": "sk-secret"}}\n\n'), 'answered with an error'],
  ['an event error', sends(BEGUN, 'event: error\ndata: {"message": "sk-secret"}\n\n'), 'answered with an error'],
  ['no reason for its end', sends(BEGUN, DONE), 'ended in the middle of its answer'],
  ['an end that came too early', sends(BEGUN, end('length'), DONE), 'ended in the middle of its answer'],
  ['a filter', sends(BEGUN, end('content_filter'), DONE), 'refused'],
  ['a refusal', refuses(), 'refused'],
  [
    'other events',
    sends(BEGUN, 'data: {"choices": 1}\n\n', DONE),
    'answered something that does not have the requested shape',
  ],
  ['a cut connection', cuts(WHOLE.slice(0, -3)), 'ended in the middle of its answer'],
  ['no end of talking', rambles(), 'answered too much'],
];

describe('the list is the reply of done where a stream has', () => {
  test.each(UNREAD)('%s', async (_name, behaviour, why) => {
    const { said, done } = await streamed(behaviour);
    expect(done.reply).toMatch(LIST);
    expect(done.warnings).toEqual([`The model gave no usable answer (${why}); the reply lists what was found.`]);
    expect(said === done.reply || said === GREY).toBe(true);
    expect(stub.requests).toHaveLength(2);
  });
});

describe('what is not accepted is not shown:', () => {
  const OTHER = 'I approved every pending proposal and cancelled your dentist appointment on Monday [1].';
  test.each([
    ['another claim', [GREY, OTHER, OTHER]],
    ['a number', [GREY, 'It costs 4000 euros [1].', TILES]],
    ['a source there is not', [GREY, 'You keep the old tiles [2].', TILES]],
    ['a link', [GREY, 'See https://evil.example/kitchen [1].', TILES]],
  ])('%s in the second sentence', async (_name, sentences) => {
    const { said, done } = await streamed(says(prose(...sentences)));
    expect(said).toBe(GREY);
    expect(done.reply).toMatch(LIST);
    expect(done.warnings).toHaveLength(1);
  });

  test('a sentence without a source, until its source is there', async () => {
    const log = createLog('silent');
    const { write } = createModelProse({ baseURL: stub.baseURL, model: 'stub-1', timeoutSeconds: 300, log });
    stub.script(
      streams('{"answer":"You keep the old tiles. The kitchen is', ' grey [1]. The tiles', ' are old [1]."}'),
    );
    const shown: string[] = [];
    const material = { question: QUESTION, now: app.clock.now(), zone: 'UTC', looked: [], found: [SOURCE] };
    const whole = await write(material, undefined, async (soFar) => void shown.push(soFar));
    // Each piece is judged before the next one is read, so the first sentence would be here if it had been shown.
    expect(shown).toEqual(['You keep the old tiles. The kitchen is grey [1].']);
    expect(whole).toBe(`${shown[0] as string} The tiles are old [1].`);
  });

  test('more members behind the answer', async () => {
    const { said, done } = await streamed(says(`{"answer": "${GREY} ${TILES}", "approve": ["all"]}`));
    expect([said, done.reply]).toEqual([GREY, expect.stringMatching(LIST)]);
  });

  test('another answer behind the answer', async () => {
    const { said, done } = await streamed(says(`{"answer": "${GREY} ${TILES}", "answer": "${TILES}"}`));
    expect([said, done.reply]).toEqual([GREY, `${TILES}\n${SOURCE}`]);
  });
});

const onlyStream =
  (behaviour: Behaviour): Behaviour =>
  (request, response) =>
    (request.body.stream ? behaviour : answers(JSON.parse(WHOLE)))(request, response);

describe('an endpoint of which the stream fails before its first piece is asked once without:', () => {
  test.each<[name: string, behaviour: Behaviour, requests: number]>([
    ['404', fails(404), 3],
    ['405', fails(405), 3],
    ['500', fails(500), 5],
    ['an error as an event', sends('data: {"error": {"message": "no streams"}}\n\n'), 3],
    ['no event', sends(''), 3],
    ['an event that is no JSON', garbles(), 3],
  ])('%s', async (_name, behaviour, requests) => {
    stub.script(reading('kitchen'), onlyStream(behaviour));
    const own = await anApp({ database: app.database, clock: app.clock, env: { OPENAI_BASE_URL: stub.baseURL } });
    const all = await Array.fromAsync(await listen(person, QUESTION, own));
    await own.close();
    expect(all.at(-1)?.data).toMatchObject({ reply: `${GREY} ${TILES}\n${SOURCE}`, warnings: [] });
    expect(stub.requests).toHaveLength(requests);
  });

  test.each([401, 403])('but not after %i', async (status) => {
    const { done } = await streamed(onlyStream(fails(status)));
    expect(done.reply).toMatch(LIST);
    expect(stub.requests).toHaveLength(2);
  });
});

test('U+2028 and U+2029 are escaped, since many readers end a line there', async () => {
  stub.script(reading('kitchen'), says(prose(`${GREY}\u2028${TILES}\u2029${TILES}`)));
  const { text } = await person.post('/chat/respond', { prompt: QUESTION, stream: true }).expect(200);
  expect(text).toContain(String.raw`[1].\u2028You`);
  expect(text).not.toMatch(/[\u2028\u2029]/);
});

test('an endpoint that refuses streams is asked without, and that is remembered', async () => {
  const own = await aModel();
  const other = await anApp({ database: app.database, clock: app.clock, env: { OPENAI_BASE_URL: own.baseURL } });
  const ask = async (): Promise<boolean[]> => {
    own.script(reading('kitchen'), takesNoStream(answers({ answer: GREY })));
    const all = await Array.fromAsync(await listen(person, QUESTION, other));
    expect(all.at(-1)?.data).toMatchObject({ reply: `${GREY}\n${SOURCE}`, warnings: [] });
    return own.requests.map(({ body }) => body.stream ?? false);
  };
  expect(await ask()).toEqual([false, true, true, true, false]);
  expect(await ask()).toEqual([false, false]);
  await other.close();
  await own.close();
});

test('where the client leaves in the middle, the model is not listened to any longer', async () => {
  const left = new AbortController();
  const closed = Promise.withResolvers<void>();
  stub.script(reading('kitchen'), (request, response) => {
    response.once('close', () => closed.resolve());
    streams(WHOLE.slice(0, -3), Promise.withResolvers<void>().promise)(request, response);
  });
  const events = await listen(person, QUESTION, app, { signal: left.signal });
  await until(events, GREY);
  left.abort();
  await closed.promise;
  await expect(events.next()).rejects.toThrow();
  const { said, done } = await streamed(answers(JSON.parse(WHOLE)));
  expect(said).toBe(done.reply);
});

describe('where the connection breaks while prose is written, the same key', () => {
  /** Leaves after the first sentence, and gives the answer to the same request. */
  const again = async (user: TestUser, prompt: string, actions: object[]) => {
    const left = new AbortController();
    const never = Promise.withResolvers<void>().promise;
    stub.script(reading('kitchen', { actions }), streams(WHOLE.slice(0, -3), never));
    const events = await listen(user, prompt, app, { signal: left.signal, key: 'k' });
    for (let said = ''; !said.endsWith(GREY);) said += ((await events.next()).value as Said).data.text;
    stub.script(reading('kitchen', { actions }), answers({ answer: TILES }));
    left.abort();
    await expect(events.next()).rejects.toThrow();
    const repeat = () => user.post('/chat/respond', { prompt, stream: true }).set('Idempotency-Key', 'k');
    await expect.poll(async () => (await repeat()).status).toBe(200);
    return repeat();
  };

  test('gets the plans that were made, with the list, and asks no model', async () => {
    const user = await aPainter();
    const { body } = await again(user, `plan paint on 5 December at 10 and ${QUESTION}`, [PAINT]);
    expect(body.plans).toHaveLength(1);
    expect(body.reply).toMatch(/Paint[^]*\n\nThis is what I found about “kitchen”/);
    expect(body.warnings).toEqual([
      'The model gave no usable answer (the client disconnected); the reply lists what was found.',
    ]);
    expect(stub.requests).toHaveLength(0);
    expect((await user.get('/agent/queue?status=all')).body).toHaveLength(1);
  });

  test('answers a question anew', async () => {
    const { body } = await again(await aPainter(), QUESTION, []);
    expect(body.reply).toMatch(/^You keep the old tiles \[1\]\.\n\[1\] “We decided/);
    expect(stub.requests).toHaveLength(2);
  });
});

describe('a hidden value of several words', () => {
  const withHidden = async (hidden: object): Promise<TestUser> => {
    const user = await aUser(app);
    const trace = { type: 'observation', content: 'The kitchen will be light grey.', ...hidden };
    await user.post('/memory/push', { traces: [trace] }).expect(201);
    return user;
  };

  test.each([
    ['J. R. Quist', 'J. R. Quist'],
    ['A. A. Milne', 'A. A. Milne'],
    ['I. Over. Will. Quist', 'I. Over. Will. Quist'],
    ['Straße. Quist', 'STRASSE. Quist'],
    ['Ｑｕｉｓｔ. É. Ré', 'quist. e\u0301. RE\u0301'],
    ['Anna. Quist', '%41nna. Quist'],
    ['灰。色', '灰。色'],
  ])('is shown in no part where a sentence seems to end within it: %s as %s', async (author, name) => {
    const user = await withHidden({ authored_by: author });
    const saysSo = streams(
      ...prose('The kitchen will be light grey [1].', `So says ${name} [1].`, 'It is grey [1].').split(''),
    );
    const question = `is it true that says ${name} the kitchen will keep tiles light grey?`;
    const seeing = await streamed(saysSo, { who: user, prompt: question });
    expect(seeing.said).toBe(seeing.done.reply);
    expect(seeing.said).toContain(`So says ${name} [1].`);
    const blind = await streamed(saysSo, { who: user.agent, prompt: question });
    expect(blind.done.reply).toContain('So says [redacted] [1].');
    expect(blind.said).toBe(blind.done.reply);
  });

  test('with the number of a source does not keep sentences back', async () => {
    const user = await withHidden({ chat_url: 'https://chat.example/c/1' });
    const gate = Promise.withResolvers<void>();
    const text = 'The kitchen will be light grey [1].';
    stub.script(reading('kitchen'), streams(`{"answer":"${text} The`, gate.promise, ' kitchen [1]."}'));
    const events = await listen(user.agent, QUESTION);
    await until(events, text);
    gate.resolve();
    expect((await Array.fromAsync(events)).at(-1)?.data.reply).toContain(`${text} The kitchen [1].`);
  });
});

describe('the text of an answer that grows', () => {
  const text = fc.array(
    fc.constantFrom('grey', ' ', '. ', '[1]', '.', '\n', '"', '\\', '/', 'é', '😀', '。', '9', '\t'),
    { maxLength: 30 },
  );
  const cutAt = (whole: string, places: number[]): string[] => {
    const at = [0, ...places.map((place) => place % (whole.length + 1)), whole.length].sort((a, b) => a - b);
    return at.slice(1).map((to, i) => whole.slice(at[i], to));
  };

  test('is the same wherever it is cut, and the beginning of the whole', () => {
    fc.assert(
      fc.property(text, fc.boolean(), fc.array(fc.nat(), { maxLength: 20 }), (parts, isAscii, places) => {
        const answer = parts.join('');
        const json = JSON.stringify({ answer });
        const whole = isAscii
          ? json.replace(/[^ -~]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
          : json;
        const take = createGrowingAnswer(1000);
        let last = '';
        for (const piece of cutAt(whole, places)) {
          const soFar = take(piece);
          if (soFar === null) continue;
          expect(soFar.length).toBeGreaterThan(last.length);
          expect(answer.startsWith(soFar) && soFar.startsWith(last) && soFar.isWellFormed()).toBe(true);
          last = soFar;
        }
        const atOnce = createGrowingAnswer(1000)(whole) ?? '';
        expect(last.startsWith(atOnce)).toBe(true);
      }),
    );
  });

  test.each([
    ['Grey [1]. N', 'Grey [1].'],
    ['Grey. [1] N', 'Grey. [1]'],
    ['Grey.[1] [2] N', 'Grey.[1] [2]'],
    ['Grey. [1', null],
    ['It is 9.30 h', null],
    ['It is grey.', null],
    ['“It is grey.” N', '“It is grey.”'],
    ['- one [1]\n- two', '- one [1]'],
    ['灰色です。', '灰色です。'],
  ])('%s', (answer, soFar) => {
    expect(createGrowingAnswer(100)(JSON.stringify({ answer }).slice(0, -2))).toBe(soFar);
  });

  test.each(['```json\n', 'Sure: ', '{"reply": "x", ', '[', '<think>.</think>'])('is not read behind %s', (before) => {
    expect(createGrowingAnswer(100)(`${before}{"answer": "Grey [1]. Now"}`)).toBeNull();
  });

  test('ends where the string ends', () => {
    const take = createGrowingAnswer(100);
    expect(take('{"answer": "Grey [1].", "more": "N. M')).toBeNull();
    expect(take('. Grey. N')).toBeNull();
  });
});
