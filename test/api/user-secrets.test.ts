/** A whole story of secrets, told at the chattiest level: none of them is in the logs, and errors tell nothing of the inside. */
import { Writable } from 'node:stream';
import { pino } from 'pino';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createLog } from '../../src/observability/log.ts';
import { anApp, aUser, client, type TestApp } from '../support/app.ts';
import { follow } from '../support/follower.ts';

const METRICS_TOKEN = 'a-token-for-the-scraper';

let app: TestApp;
let logged = '';
beforeAll(async () => {
  const to = new Writable({
    write: (chunk, _encoding, done) => {
      logged += String(chunk);
      done();
    },
  });
  app = await anApp({ env: { METRICS_TOKEN }, overrides: { log: createLog('trace', { to }) } });
});
afterAll(() => app.close());

test('no secret is logged, whatever happens to it', async () => {
  const user = await aUser(app);
  const secrets: Record<string, string> = {
    password: user.password,
    token: user.token as string,
    refresh: user.refresh_token,
  };
  const agent = await user
    .post('/user/keys', { kind: 'agent', label: 'a' })
    .set('Idempotency-Key', 'make-1')
    .expect(201);
  const feed = await user.post('/user/keys', { kind: 'feed', label: 'f' }).expect(201);
  const { body: ticket } = await user.post('/user/ws-ticket', {}).expect(200);
  const { body: made } = await user.post('/user/login-links', {}).set('Idempotency-Key', 'make-2').expect(201);
  const { body: unused } = await user.post('/user/login-links', {}).expect(201);
  Object.assign(secrets, { link: made.link.split('#ticket=')[1], 'unused link': unused.link });
  await client(app, null).post('/user/login-link', { ticket: secrets['link'] }).expect(200);
  Object.assign(secrets, { agent: agent.body.key, feed: feed.body.key, ticket: ticket.ticket, metrics: METRICS_TOKEN });

  await client(app, secrets['agent'] as string)
    .get('/memory/pull')
    .expect(200);
  await client(app, METRICS_TOKEN).get('/metrics').expect(200);
  await client(app, null).get(`/calendar/feed.ics?key=${secrets['feed']}`).expect(200);
  await client(app, null).get(`/calendar/feed.ics?key=${secrets['feed']}x`).expect(401);
  const socket = await follow(app.url, { path: `/ws?ticket=${secrets['ticket']}` });
  await socket.close();
  // The wrong way round, too often, malformed, and into an error of the service itself.
  await client(app, null).get(`/memory/pull?token=${secrets['token']}`).expect(401);
  await client(app, `${secrets['agent']}x`).get('/memory/pull').expect(401);
  await client(app, null).post('/user/login', { email: user.email, password: user.password, extra: 1 }).expect(422);
  await client(app, null).post(`/user/login?password=${encodeURIComponent(user.password)}`, {
    email: user.email,
    password: 'wrong',
  });
  await user
    .patch('/user/update', { updates: { password: 'another secret battery', current_password: user.password } })
    .expect(200);
  secrets['next password'] = 'another secret battery';
  const { body: again } = await client(app, null)
    .post('/user/login', { email: user.email, password: secrets['next password'] })
    .expect(200);
  secrets['next refresh'] = again.refresh_token;
  await client(app, null).post('/user/refresh', { refresh_token: again.refresh_token }).expect(200);
  app.clock.advance(60_001);
  await client(app, null).post('/user/refresh', { refresh_token: again.refresh_token }).expect(401);
  await app.database.handle.exec('alter table tickets rename to tickets_gone');
  const broken = await client(app, secrets['agent'] as string)
    .post('/user/ws-ticket', {})
    .expect(500);
  await app.database.handle.exec('alter table tickets_gone rename to tickets');

  expect(logged.split('\n').length).toBeGreaterThan(15);
  expect(logged).toContain('unexpected error'); // the story is in the log, with its request id
  expect(logged).toContain(broken.body.request_id);
  for (const [what, secret] of Object.entries(secrets)) {
    expect(logged.includes(secret), `${what} is in the log`).toBe(false);
    // Nor its part that is the secret.
    expect(logged.includes(secret.slice(-20)), `the end of ${what} is in the log`).toBe(false);
  }
  expect(broken.body).toEqual({
    type: '/docs#internal_error',
    title: expect.any(String),
    status: 500,
    detail: expect.not.stringMatching(/tickets|relation|select|\.ts/),
    code: 'internal_error',
    request_id: expect.any(String),
  });
});

test('what is handed to the log by accident is blanked', () => {
  let line = '';
  const to = new Writable({ write: (chunk, _e, done) => ((line += String(chunk)), done()) });
  const log = createLog('info', { to });
  const credential = {
    authorization: 'Bearer s3cret',
    password: 's3cret',
    token: 's3cret',
    key: 's3cret',
    cookie: 's3cret',
  };
  log.info({ req: credential }, 'oops');
  expect(line).not.toContain('s3cret');
  expect(line).toContain('[redacted]');
  expect(pino.levels.labels[30]).toBe('info');
});
