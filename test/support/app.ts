/** An app on a fresh database, and people who use it: tests read as stories. */
import { randomUUID } from 'node:crypto';
import { Agent } from 'node:http';
import type { AddressInfo } from 'node:net';
import request from 'supertest';
import { createApp, type App, type AppDeps } from '../../src/process/app.ts';
import type { Clock, ClockState } from '../../src/common/clock.ts';
import { readConfig } from '../../src/process/config.ts';
import type { Instant } from '../../src/domain/time/time.ts';
import { createLog } from '../../src/observability/log.ts';
import { testDatabase, type TestDatabase } from './db.ts';

/** A clock that stands still until moved. */
export type TestClock = Clock & {
  set: (at: Instant) => void;
  advance: (milliseconds: number) => void;
  doubt: (state: ClockState) => void;
};

export const testClock = (start: Instant): TestClock => {
  let at = Date.parse(start);
  let state: ClockState = { skew_ms: 0, sure: true, ahead_ms: 0 };
  return {
    now: () => new Date(at).toISOString(),
    millis: () => at,
    state: () => state,
    set: (to) => {
      at = Date.parse(to);
    },
    doubt: (next) => {
      state = next;
    },
    advance: (milliseconds) => {
      at += milliseconds;
    },
  };
};

/** A Saturday morning in Berlin; every test that does not say otherwise starts here. */
export const TEST_START: Instant = '2026-11-21T09:00:00.000Z';

export type TestApp = App & { database: TestDatabase; clock: TestClock; url: string; close: () => Promise<void> };

export type TestOptions = {
  env?: Record<string, string>;
  /** A second instance on the database of the first. */
  database?: TestDatabase;
  clock?: TestClock;
  overrides?: Partial<AppDeps>;
};

export const anApp = async ({
  env = {},
  database,
  clock = testClock(TEST_START),
  overrides = {},
}: TestOptions = {}): Promise<TestApp> => {
  const own = database ?? (await testDatabase());
  const config = readConfig({
    ALLOW_REGISTRATION: 'true',
    RATE_LIMIT_PER_MINUTE: '0',
    OUTBOUND_NETWORKS: '127.0.0.0/8',
    LOG_LEVEL: process.env['TEST_LOG'] ?? 'error',
    ...env,
  });
  const app = createApp({
    config,
    handle: own.handle,
    log: createLog(config.LOG_LEVEL),
    clock,
    jwtSecret: 'a secret for tests that is long enough',
    vectors: own.vectors,
    passwordCost: 4,
    checkAnswers: true,
    ...overrides,
  });
  await new Promise<void>((resolve) => {
    app.server.listen(0, '127.0.0.1', resolve);
  });
  const { port } = app.server.address() as AddressInfo;
  return {
    ...app,
    database: own,
    clock,
    url: `http://127.0.0.1:${port}`,
    close: async () => {
      await app.stop();
      if (!database) await own.close();
    },
  };
};

type Method = 'get' | 'post' | 'patch' | 'delete' | 'put' | 'options' | 'propfind' | 'proppatch' | 'report';

/** Requests take over the connection of an earlier one, as browsers and agents do. */
const connections = new Agent({ keepAlive: true });

/** A client with one credential. Answers are supertest responses; `ok` variants expect success and give the body. */
export const client = (app: TestApp, token: string | null) => {
  const call = (method: Method) => (path: string, body?: object) => {
    const sent = request(app.server)[method](path).agent(connections);
    if (token) void sent.set('Authorization', `Bearer ${token}`);
    return body === undefined ? sent : sent.send(body);
  };
  return {
    ...{ get: call('get'), post: call('post'), patch: call('patch'), delete: call('delete'), token },
    ...{ put: call('put'), options: call('options') },
    ...{ propfind: call('propfind'), proppatch: call('proppatch'), report: call('report') },
  };
};

export type Client = ReturnType<typeof client>;

export type TestUser = Client & {
  user_id: string;
  email: string;
  password: string;
  agent: Client;
  refresh_token: string;
};

/** Registers a person and gives them an agent key. */
export const aUser = async (
  app: TestApp,
  { timezone = 'Europe/Berlin' }: { timezone?: string } = {},
): Promise<TestUser> => {
  const email = `${randomUUID()}@example.org`;
  const password = 'correct horse battery';
  const { body } = await client(app, null).post('/user/register', { email, password, timezone }).expect(201);
  const person = client(app, body.token);
  const key = await person.post('/user/keys', { kind: 'agent', label: 'agent' }).expect(201);
  return {
    ...person,
    user_id: body.user.user_id,
    email,
    password,
    refresh_token: body.refresh_token,
    agent: client(app, key.body.key),
  };
};

/** A key of the person's with exactly these scopes. */
export const aKey = async (
  app: TestApp,
  user: Client,
  kind: 'user' | 'agent',
  scopes?: string[],
): Promise<Client & { id: string }> => {
  const { body } = await user.post('/user/keys', { kind, label: 'test', ...(scopes ? { scopes } : {}) }).expect(201);
  return { ...client(app, body.key), id: body.id };
};

/**
 * A new person, with a key and an agent of theirs, on Monday 23 November 2026, 08:00 in Berlin. The key is for tests that move the
 * clock, because a login lasts an hour.
 */
export const onMonday = async (app: TestApp): Promise<{ person: TestUser; user: Client; agent: Client }> => {
  app.clock.set('2026-11-23T07:00:00.000Z');
  const person = await aUser(app);
  return { person, user: await aKey(app, person, 'user'), agent: await aKey(app, person, 'agent') };
};
