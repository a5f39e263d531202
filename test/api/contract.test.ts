/** The service and openapi.yaml agree: a story in which everything happens once passes through a validating proxy. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { anApp, client, type TestApp } from '../support/app.ts';
import { createContract } from '../support/contract.ts';
import { liveEverything } from '../support/story.ts';
import { validatingProxy } from '../support/validating-proxy.ts';

let app: TestApp;
beforeAll(async () => {
  app = await anApp();
});
afterAll(() => app.close());

test('every request and answer of the story is as openapi.yaml describes it', async () => {
  const proxy = await validatingProxy(app);
  const { done } = await liveEverything({ ...proxy.app, url: app.url });
  await proxy.close();
  expect(proxy.violations).toEqual([]);
  expect(proxy.checked()).toBeGreaterThan(done.size);
});

test('refusals are described too', async () => {
  const proxy = await validatingProxy(app);
  for (const { method, path, scopes } of app.routes.filter((r) => r.scopes !== 'public' && !r.undocumented)) {
    const { status } = await client(proxy.app, null)[method](path, method === 'get' ? undefined : {});
    expect(status, `${method} ${path} ${String(scopes)}`).toBe(401);
  }
  await proxy.close();
  expect(proxy.violations).toEqual([]);
});

test('the check finds what differs', async () => {
  const contract = createContract(await app.openapi());
  const url = (path: string): URL => new URL(path, 'http://almanac');
  const ok = { status: 200, type: 'application/json', body: '[]' };
  const get = (path: string, answer: object = {}): string[] =>
    contract.check({ method: 'GET', url: url(path), type: undefined, body: '' }, { ...ok, ...answer });
  expect(get('/memory/pull?limit=5')).toEqual([]);
  expect(get('/memory/pull?limit=many')).not.toEqual([]);
  expect(get('/memory/pull?colour=red')).toEqual(['pullMemory: the parameter colour is not described']);
  expect(get('/memory/pull', { body: '[{}]' })).not.toEqual([]);
  expect(get('/memory/pull', { body: '{}' })).not.toEqual([]);
  expect(get('/memory/pull', { status: 418 })).toEqual(['pullMemory: the status 418 is not described']);
  expect(get('/memory/pull', { type: 'text/html' })).toEqual(['pullMemory: the answer has the type text/html']);
  expect(get('/nowhere')).toEqual(['GET /nowhere is not described']);
  const post = { method: 'POST', url: url('/memory/push'), type: 'application/json', body: '{"traces":[]}' };
  expect(contract.check(post, { ...ok, status: 201 })).not.toEqual([]);
});
