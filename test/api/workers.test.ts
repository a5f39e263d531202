/**
 * WORKERS=2: two processes on one port and one Postgres behave as one service. Requests come on connections of their own, which
 * the primary deals out in turn, so that each worker sees every other one.
 */
import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { WebSocket } from 'ws';
import { aPerson, call, get, post, type Answer, type Person, type Sent } from '../faults/api.ts';
import { aServer, type Server } from '../faults/server.ts';
import { onPostgres } from '../support/db.ts';

const METRICS_TOKEN = 'a-token-for-the-scraper';

/** Process ids of the workers. */
const children = (server: Server): number[] =>
  execFileSync('ps', ['-o', 'pid=', '--ppid', String(server.pid())], { encoding: 'utf8' })
    .split(/\s+/)
    .filter(Boolean)
    .map(Number);

describe.runIf(onPostgres)('two workers', () => {
  const base = process.env['TEST_DATABASE_URL'] ?? '';
  const name = `almanac_test_${randomBytes(6).toString('hex')}`;
  let server: Server;
  let person: Person;

  const admin = async (statement: string): Promise<void> => {
    const client = new pg.Client({ connectionString: base });
    await client.connect();
    await client.query(statement).finally(() => client.end());
  };

  /** On a connection of its own. */
  const ask = (token: string, sent: Sent): Promise<Answer> =>
    call(server.url, token, { ...sent, headers: { Connection: 'close', ...sent.headers } });
  const metric = async (pattern: RegExp): Promise<number> =>
    Number(pattern.exec((await ask(METRICS_TOKEN, get('/metrics'))).body as string)?.[1]);
  const statusesOf = async (times: number, token: string, sent: Sent): Promise<number[]> => {
    const statuses: number[] = [];
    for (let i = 0; i < times; i++) statuses.push((await ask(token, sent)).status);
    return statuses;
  };

  beforeAll(async () => {
    await admin(`create database ${name}`);
    const url = new URL(base);
    url.pathname = `/${name}`;
    server = await aServer({
      DATABASE_URL: url.href,
      WORKERS: '2',
      METRICS_TOKEN,
      RATE_LIMIT_PER_MINUTE: '400',
      DATABASE_POOL: '3',
    });
    await server.start();
    // The first worker answers while the second one starts.
    while ((await metric(/^almanac_workers (\d+)/m)) < 2) await sleep(100);
    person = await aPerson(server.url);
  });
  afterAll(async () => {
    await server.kill();
    await admin(`drop database if exists ${name} with (force)`);
  });

  test('a login, a key and its revocation hold on both', async () => {
    const { body } = await ask(person.key, post('/user/keys', { kind: 'user', label: 'short-lived' }));
    expect(await statusesOf(6, body.key as string, get('/memory/pull'))).toEqual(Array(6).fill(200));
    await ask(person.key, { method: 'DELETE', path: `/user/keys?id=${body.id}` });
    await expect.poll(() => statusesOf(6, body.key as string, get('/memory/pull'))).toEqual(Array(6).fill(401));
  });

  test('an Idempotency-Key has one effect, wherever it is sent', async () => {
    const traces = [{ type: 'observation', content: 'once' }];
    const sent = post('/memory/push', { traces }, { 'Idempotency-Key': 'one' });
    const answers = await Promise.all(Array.from({ length: 8 }, () => ask(person.key, sent)));
    expect(new Set(answers.map((a) => a.status)).difference(new Set([201, 409])).size).toBe(0);
    const { body } = await ask(person.key, get('/memory/pull'));
    expect((body as { content: string }[]).filter((t) => t.content === 'once')).toHaveLength(1);
  });

  test('failed logins are counted together', async () => {
    const wrong = post('/user/login', { email: 'nobody@example.org', password: 'a wrong password' });
    expect(await statusesOf(11, '', wrong)).toEqual([...Array<number>(10).fill(401), 429]);
  });

  test('so is the rate of a credential', async () => {
    const { key } = await aPerson(server.url);
    const statuses = await statusesOf(420, key, get('/tempo/tags'));
    expect(statuses.filter((s) => s === 200)).toHaveLength(400);
    expect(statuses.filter((s) => s === 429)).toHaveLength(20);
  });

  test('sockets hear of every write, whichever worker made it, and end with their key on both', async () => {
    const { body: key } = await ask(person.key, post('/user/keys', { kind: 'agent', label: 'listener' }));
    const heard: number[][] = [[], [], [], []];
    const closed: Promise<number>[] = [];
    for (const list of heard) {
      const ws = new WebSocket(`${server.url.replace('http', 'ws')}/ws`, {
        headers: { authorization: `Bearer ${key.key}` },
      });
      closed.push(new Promise((end) => ws.on('close', end)));
      await new Promise<void>((synced) => {
        ws.on('open', () => ws.send('{"subscribe": {}}'));
        ws.on('message', (data) => {
          const { type, sequence } = JSON.parse((data as Buffer).toString()) as { type: string; sequence?: number };
          if (sequence) list.push(sequence);
          else if (type === 'synced') synced();
        });
      });
    }
    const seqs: number[] = [];
    for (let i = 0; i < 6; i++) {
      const { body } = await ask(
        person.key,
        post('/memory/push', { traces: [{ type: 'observation', content: `n ${i}` }] }),
      );
      seqs.push(body[0].seq as number);
    }
    await expect.poll(() => heard).toEqual([seqs, seqs, seqs, seqs]);
    await ask(person.key, { method: 'DELETE', path: `/user/keys?id=${key.id}` });
    expect(await Promise.all(closed)).toEqual([4401, 4401, 4401, 4401]);
  });

  test('an approved plan is carried out once', async () => {
    const { body: plans } = await ask(
      person.agent,
      post('/agent/plan', { actions: [{ action_type: 'log', title: 'just once', task_id: 'once' }] }),
    );
    await ask(person.key, post('/agent/approve', { uid: plans[0].uid }));
    await expect
      .poll(async () => (await ask(person.key, get(`/agent/plan?uid=${plans[0].uid}`))).body.status)
      .toBe('executed');
    const { body } = await ask(person.key, get('/memory/pull?task_id=once&type=observation'));
    expect((body as { transition?: object }[]).filter((t) => !t.transition)).toHaveLength(1);
  });

  test('the figures of both are added', async () => {
    const before = await metric(
      /^almanac_http_request_duration_seconds_count\{method="GET",route="\/version",status="200"\} (\d+)/m,
    );
    await statusesOf(10, '', get('/version'));
    const after = await metric(
      /^almanac_http_request_duration_seconds_count\{method="GET",route="\/version",status="200"\} (\d+)/m,
    );
    expect(after - (before || 0)).toBe(10);
  });

  test('a worker that dies is replaced, and the service answers meanwhile', async () => {
    const { body } = await ask(METRICS_TOKEN, get('/metrics'));
    const workers = children(server);
    const started = await metric(/^almanac_start_time_seconds (\S+)/m);
    expect(await metric(/^almanac_worker_restarts_total (\d+)/m)).toBe(0);
    expect(workers).toHaveLength(2);
    process.kill(workers[0] as number, 'SIGKILL');
    await expect.poll(() => children(server)).not.toContain(workers[0]);
    expect(await statusesOf(5, person.key, get('/tempo/tags'))).toEqual(Array(5).fill(200));
    await expect.poll(() => metric(/^almanac_workers (\d+)/m), { timeout: 60_000 }).toBe(2);
    expect(children(server)).not.toContain(workers[0]);
    expect(await metric(/^almanac_worker_restarts_total (\d+)/m)).toBe(1);
    expect(await metric(/^almanac_start_time_seconds (\S+)/m)).toBe(started);
    expect(server.accidents.splice(0).join()).toContain('a worker has ended unexpectedly');
    expect(body).toContain('almanac_workers 2');
  });

  test('SIGTERM ends all of them, with what is under way answered', async () => {
    const waiting = Promise.all(Array.from({ length: 4 }, () => ask(person.key, get('/agent/changes?wait=25'))));
    await expect.poll(() => metric(/^almanac_http_requests_under_way (\d+)/m)).toBe(4);
    await server.stop();
    expect((await waiting).map((a) => a.status)).toEqual([200, 200, 200, 200]);
    expect(server.exitCode()).toBe(0);
    expect(server.accidents).toEqual([]);
  }, 20_000); // A request that is not told would wait for 25 s.
});
