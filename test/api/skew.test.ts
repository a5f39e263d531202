/** Instances whose machines disagree about the time work by the database's: nothing is early, and /health tells who is off. */
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { aPerson, call, get, post, type Person } from '../faults/api.ts';
import { aServer, type Server } from '../faults/server.ts';
import { anApp, aUser, client } from '../support/app.ts';
import { onPostgres } from '../support/db.ts';
import { instantIn, millisIn } from '../support/today.ts';

const AHEAD_MS = 300_000;
/** So much may pass between two readings of the time. */
const NEAR_MS = AHEAD_MS / 10;

describe.runIf(onPostgres)('an instance whose machine is five minutes ahead, beside one that is right', () => {
  const base = process.env['TEST_DATABASE_URL'] ?? '';
  const name = `almanac_test_${randomBytes(6).toString('hex')}`;
  let right: Server;
  let ahead: Server;
  let person: Person;

  const admin = async (statement: string): Promise<void> => {
    const client = new pg.Client({ connectionString: base });
    await client.connect();
    await client.query(statement).finally(() => client.end());
  };
  const inSeconds = (seconds: number): string => instantIn(seconds * 1000);
  const propose = async (title: string, scheduled_for: string): Promise<string> => {
    const actions = [{ action_type: 'log', title, scheduled_for }];
    const { body } = await call(ahead.url, person.agent, post('/agent/plan', { actions }));
    return body[0].uid as string;
  };
  const plan = async (uid: string) => (await call(ahead.url, person.key, get(`/agent/plan?uid=${uid}`))).body;

  beforeAll(async () => {
    await admin(`create database ${name}`);
    const url = new URL(base);
    url.pathname = `/${name}`;
    right = await aServer({ DATABASE_URL: url.href });
    await right.start();
    ahead = await aServer({
      DATABASE_URL: url.href,
      AHEAD_MS: String(AHEAD_MS),
      NODE_OPTIONS: `--import=${join(import.meta.dirname, '../support/ahead.ts')}`,
    });
    await ahead.start();
    person = await aPerson(ahead.url);
  });
  afterAll(async () => {
    await Promise.all([right.kill(), ahead.kill()]);
    await admin(`drop database if exists ${name} with (force)`);
  });

  test('/health of each tells', async () => {
    const [one, other] = [await call(right.url, '', get('/health')), await call(ahead.url, '', get('/health'))];
    expect(Math.abs(one.body.clock_skew_ms)).toBeLessThan(NEAR_MS);
    expect(Math.abs(other.body.clock_skew_ms - AHEAD_MS)).toBeLessThan(NEAR_MS);
    expect(other.body).toMatchObject({ status: 'ok', executor: 'running' });
  });

  test('carries nothing out early and lets nothing expire early', async () => {
    const [soon, later, undecided] = [inSeconds(10), inSeconds(200), inSeconds(200)];
    const [first, second, third] = [await propose('a', soon), await propose('b', later), await propose('c', undecided)];
    const approved = await call(ahead.url, person.key, post('/agent/approve', { uids: [first, second] }));
    expect(approved.status).toBe(200);
    await right.stop(); // the one that is ahead is alone with the work
    await expect.poll(async () => (await plan(first)).status).toBe('executed');
    const { executed_at } = await plan(first);
    expect(Date.parse(executed_at)).toBeGreaterThanOrEqual(Date.parse(soon));
    expect(Date.parse(executed_at)).toBeLessThanOrEqual(millisIn(0));
    expect((await plan(second)).status).toBe('approved');
    expect((await plan(third)).status).toBe('proposed');
  });

  test('gives out logins that end when they should, and records when things happened', async () => {
    const login = { email: 'owner@example.org', password: 'correct horse battery' };
    const { body: session } = await call(ahead.url, '', post('/user/login', login));
    const left = Date.parse(session.expires_at) - millisIn(0);
    expect(Math.abs(left - 3_600_000)).toBeLessThan(NEAR_MS);
    const pushed = await call(
      ahead.url,
      person.key,
      post('/memory/push', { traces: [{ type: 'observation', content: 'x' }] }),
    );
    expect(Math.abs(Date.parse(pushed.body[0].timestamp) - millisIn(0))).toBeLessThan(NEAR_MS);
  });
});

test('a process that has not compared its time of late carries nothing out, and says so', async () => {
  const app = await anApp();
  const user = await aUser(app);
  const { body } = await user.agent
    .post('/agent/plan', { actions: [{ action_type: 'log', title: 'later' }] })
    .expect(200);
  app.clock.doubt({ skew_ms: 0, sure: false, ahead_ms: 0 });
  await user.patch('/user/update', { updates: { execution: 'manual' } }).expect(200);
  await user.post('/agent/approve', { uid: body[0].uid }).expect(200);
  await user.patch('/user/update', { updates: { execution: 'automatic' } }).expect(200);
  await app.executor.round();
  expect((await user.get(`/agent/plan?uid=${body[0].uid}`)).body.status).toBe('approved');
  app.executor.start();
  expect((await client(app, null).get('/health').expect(200)).body).toMatchObject({
    status: 'ok',
    executor: 'waiting',
  });
  await app.executor.stop();
  app.clock.doubt({ skew_ms: 0, sure: true, ahead_ms: 0 });
  await app.executor.round();
  expect((await user.get(`/agent/plan?uid=${body[0].uid}`)).body.status).toBe('executed');
  await app.close();
});

test('while a clock is in doubt by 400 days, nothing that they make due happens, and entries have the time without them', async () => {
  const app = await anApp();
  const user = await aUser(app);
  const ahead_ms = 400 * 86_400_000;
  const began = app.clock.now();
  const inDays = (days: number) => new Date(Date.parse(began) + days * 86_400_000).toISOString();
  const actions = ['due', 'waits'].map((title) => ({
    action_type: 'log',
    title,
    scheduled_for: inDays(10),
    task_id: 'task',
  }));
  const { body } = await user.agent.post('/agent/plan', { actions }).expect(200);
  const [due, waits] = body.map(({ uid }: { uid: string }) => uid);
  await user.post('/agent/approve', { uid: due }).expect(200);
  const push = (uid: string) =>
    user.agent.post('/memory/push', { traces: [{ uid, type: 'observation', content: 'x' }] }).expect(201);

  app.clock.advance(ahead_ms);
  app.clock.doubt({ skew_ms: 0, sure: false, ahead_ms });
  await app.executor.round();
  const { log } = (await user.agent.post('/agent/execute', { task_id: 'task' }).expect(200)).body;
  expect(log).toMatchObject([{ uid: due, problem: { code: 'not_due' } }]);
  await push('meanwhile');
  app.clock.set(began);
  app.clock.doubt({ skew_ms: 0, sure: true, ahead_ms: 0 });
  await app.executor.round();
  await push('after');
  const statusOf = async (uid: string) => (await user.get(`/agent/plan?uid=${uid}`).expect(200)).body.status;
  expect([await statusOf(due), await statusOf(waits)]).toEqual(['approved', 'proposed']);
  const traces = (await user.get('/memory/pull?type=observation').expect(200)).body as Record<string, string>[];
  for (const uid of ['meanwhile', 'after']) {
    const recorded = traces.find((trace) => trace['uid'] === uid)?.['recorded_at'] ?? '';
    expect(Math.abs(Date.parse(recorded) - Date.parse(began))).toBeLessThan(NEAR_MS);
  }
  expect((await user.get('/debug/audit').expect(200)).body.ok).toBe(true);
  await app.close();
});
