/** R16, small: random spellings of addresses x scopes x methods against the matrix, and the spellings that once passed. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { aTally, checksOf, trySpellings } from '../faults/r16.ts';
import { meaningOf } from '../faults/r16-addresses.ts';
import { furnished, SECRETS, sent, type People } from '../faults/r16-world.ts';
import type { Wired } from '../faults/wire.ts';
import { anApp, type TestApp } from '../support/app.ts';
import { runs } from '../support/thoroughness.ts';

const SEED = 20_261_121;

let app: TestApp;
let people: People;
beforeAll(async () => {
  app = await anApp({ overrides: { checkAnswers: false } });
  people = await furnished(app.url);
});
afterAll(() => app.close());

test('no spelling of an address gives more than the address', async () => {
  const tally = aTally();
  await trySpellings(people, SEED, Array(runs(1_500)).keys(), tally);
  const checks = checksOf(tally);
  expect(checks.flatMap(({ wrong }) => wrong)).toEqual([]);
  expect(checks.every(({ tried }) => tried > 0)).toBe(true);
});

const keyWith = (...scopes: string[]): string =>
  people.credentials.find((one) => one.scopes.size === scopes.length && scopes.every((s) => one.scopes.has(s)))?.key ??
  '';

const asked = async (method: string, target: string, key: string, body?: string): Promise<Wired> =>
  (await sent(people.url, { method, target, key, ...(body === undefined ? {} : { body }) })) as Wired;

describe('with a key for memory only', () => {
  const home = (): string => `/dav/calendars/${people.person.user_id}`;
  test.each([
    ['a backslash', 'PROPFIND', (at: string) => `${at}\\calendar`],
    ['a backslash in front of a name', 'GET', (at: string) => `${at}/calendar\\known-event.ics`],
    ['a backslash around a way up', 'PUT', (at: string) => `${at}/agent-plan/..\\calendar/x.ics`],
    ['dot segments', 'REPORT', (at: string) => `${at}/agent-plan/../calendar`],
    ['encoded dot segments', 'REPORT', (at: string) => `${at}/agent-plan/%2e%2E/calendar`],
    ['encoded slashes', 'GET', (at: string) => `${at}/calendar%2Fknown-event.ics`],
    ['encoded backslashes', 'GET', (at: string) => `${at}/calendar%5cknown-event.ics`],
    ['an empty segment', 'PROPFIND', (at: string) => `${at}//calendar`],
    ['capitals', 'PROPFIND', (at: string) => `${at.toUpperCase()}/calendar`],
    ['a fragment', 'PROPFIND', (at: string) => `${at}/calendar#x`],
    ['NUL', 'GET', (at: string) => `${at}/calendar/known-event.ics%00`],
  ])('%s is 404', async (_what, method, spell) => {
    const answer = await asked(method, spell(home()), keyWith('memory:read'));
    expect(answer).toMatchObject({ status: 404 });
    expect(answer.body).not.toContain(SECRETS['calendar:read']);
  });

  test.each([
    ['an encoded letter', (at: string) => `${at}/%61gent-plan`],
    ['all letters encoded', (at: string) => `${at}/%61%67%65%6e%74%2d%70%6c%61%6e`],
    ['a whole address', (at: string) => `http://almanac${at}/agent-plan`],
    ['the prefix /v1', (at: string) => `/v1${at}/agent-plan/`],
  ])('%s is the same address, with its scopes', async (_what, spell) => {
    const target = spell(home());
    expect(await asked('PROPFIND', target, keyWith('calendar:read'))).toMatchObject({ status: 403 });
    expect(await asked('PROPFIND', target, keyWith('plan:read', 'plan:decide'))).toMatchObject({ status: 207 });
  });
});

test('a name with a separator has an address without one', async () => {
  const { url, person } = people;
  const home = `/dav/calendars/${person.user_id}/calendar/`;
  const uids = ['a/b', 'a\\b', 'a%2Fb', 'a%252Fb', '100%'];
  for (const uid of uids) {
    const file = `BEGIN:VCALENDAR\r\nVERSION:2.0\r\nPRODID:x\r\nBEGIN:VEVENT\r\nUID:${uid.replace('\\', '\\\\')}\r\nDTSTAMP:20261101T090000Z\r\nDTSTART:20270101T090000Z\r\nSUMMARY:of ${uid.replace('\\', '\\\\')}\r\nEND:VEVENT\r\nEND:VCALENDAR\r\n`;
    const response = await fetch(`${url}/calendar/import`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${person.key}`, 'Content-Type': 'text/calendar' },
      body: file,
    });
    expect(response.status).toBe(200);
  }
  const listed = await fetch(url + home, {
    method: 'PROPFIND',
    headers: { Authorization: `Bearer ${person.key}`, Depth: '1' },
  });
  const hrefs = [...(await listed.text()).matchAll(/<D:href>([^<]*\.ics)<\/D:href>/g)].map(([, href]) => href ?? '');
  const found: string[] = [];
  for (const href of hrefs) {
    expect(meaningOf(href)).not.toBeNull();
    const { status, body } = await asked('GET', href, person.key);
    expect(status).toBe(200);
    found.push(/^UID:(.*)\r$/m.exec(body)?.[1]?.replace('\\\\', '\\') ?? '');
    const report = await sent(url, { method: 'REPORT', target: home, key: person.key, href });
    expect((report as Wired).body).toContain('BEGIN:VEVENT');
  }
  expect(found.toSorted()).toEqual([...uids, 'known-event'].toSorted());
});
