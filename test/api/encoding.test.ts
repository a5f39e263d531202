/** Long answers are compressed as the client asks for it (RFC 9110 §12.5.3). */
import { request, type IncomingMessage } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { anApp, aUser, type TestApp, type TestUser } from '../support/app.ts';
import { dayAhead } from '../support/today.ts';

let app: TestApp;
let user: TestUser;
const LONG = 'tide '.repeat(400);
beforeAll(async () => {
  app = await anApp();
  user = await aUser(app);
  const traces = Array.from({ length: 20 }, (_, n) => ({ type: 'observation', content: `${n} ${LONG}ü` }));
  const sea = { type: 'observation', task_id: 'sea', content: '海'.repeat(6_000) };
  await user.post('/memory/push', { traces: [...traces, sea] }).expect(201);
});
afterAll(() => app.close());

/** The answer as its bytes are on the wire. */
const asked = async (path: string, encoding: string, method = 'GET') => {
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
  const headers = { Authorization: `Bearer ${user.token}`, 'Accept-Encoding': encoding };
  request(`${app.url}${path}`, { method, headers }, resolve).on('error', reject).end();
  const answer = await promise;
  const { vary, etag, 'content-encoding': encoded, 'content-length': length } = answer.headers;
  return { bytes: await buffer(answer), status: answer.statusCode, vary, etag, encoded, length: Number(length) };
};

test.each([
  ['gzip', 'gzip', gunzipSync],
  ['gzip, deflate, br', 'br', brotliDecompressSync],
  ['br;q=0, gzip;q=0.5', 'gzip', gunzipSync],
])('a client that accepts %s gets a long list as %s', async (accepted, encoded, decompress) => {
  const plain = await asked('/memory/pull', 'identity');
  const answer = await asked('/memory/pull', accepted);
  expect(answer).toMatchObject({ status: 200, encoded, vary: 'Accept-Encoding', length: answer.bytes.length });
  expect(answer.length).toBeLessThan(plain.length / 5);
  expect(decompress(answer.bytes)).toEqual(plain.bytes);
  expect(await asked('/memory/pull', accepted, 'HEAD')).toEqual({ ...answer, bytes: Buffer.alloc(0) });
});

test.each(['identity', 'deflate', 'br;q=0, gzip;q=0', '*;q=0', ''])(
  'a client that accepts %o gets it as it is',
  async (accepted) => {
    const answer = await asked('/memory/pull', accepted);
    expect(answer).toMatchObject({ status: 200, encoded: undefined, length: answer.bytes.length });
    expect(JSON.parse(answer.bytes.toString())).toHaveLength(21);
  },
);

test('the size is that of the bytes, of which some characters have three', async () => {
  const { encoded, bytes } = await asked('/memory/pull?task_id=sea', 'br');
  expect(encoded).toBe('br');
  expect(brotliDecompressSync(bytes).toString().length).toBeLessThan(14_600);
});

test('a short answer is not compressed, nor one with a strong entity tag', async () => {
  expect(await asked('/user/whoami', 'gzip')).toMatchObject({ status: 200, encoded: undefined });
  const event = {
    title: 'Tide',
    scheduled_for: `${dayAhead(3)}T10:00`,
    duration_minutes: 30,
    description: LONG.repeat(8),
  };
  const { body } = await user.post('/calendar/create', event).expect(201);
  const tagged = await asked(`/calendar/event?uid=${body.uid}`, 'gzip');
  expect(tagged).toMatchObject({ status: 200, encoded: undefined, etag: '"1"' });
  expect(tagged.length).toBeGreaterThan(14_600);
});
