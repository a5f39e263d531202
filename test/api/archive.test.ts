/** The archive of an account: everything, to keep, to verify elsewhere, and to carry to another account. */
import { createHash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { canonicalJson, entryHash, GENESIS_HASH, sha256Hex } from '../../src/domain/record/canonical-json.ts';
import { aKey, anApp, aUser, type Client, type TestApp } from '../support/app.ts';
import { imported } from '../support/calendar.ts';
import { notes } from '../support/follower.ts';
import { aLife, type Life } from '../support/life.ts';
import { unzipped } from '../support/zip.ts';

let app: TestApp;
let life: Life;
beforeAll(async () => {
  app = await anApp();
  life = await aLife(app, 'Europe/Berlin');
});
afterAll(() => app.close());

type Line = Record<string, unknown> & { uid: string };
type Entry = {
  seq: number;
  subject: string;
  subject_uid?: string;
  subject_digest: string;
  payload?: Record<string, unknown>;
  payload_hash: string;
  hash: string;
};
type Manifest = {
  head: { seq: number; hash: string };
  files: { name: string; lines: number; bytes: number; sha256: string }[];
  left_out: object[];
  sensitive_included: boolean;
};

const archive = async (who: Client) => {
  const answer = await fetch(`${app.url}/user/archive`, { headers: { Authorization: `Bearer ${who.token}` } });
  expect(answer.status).toBe(200);
  expect(answer.headers.get('content-type')).toBe('application/zip');
  const files = unzipped(Buffer.from(await answer.arrayBuffer()));
  const lines = <T>(name: string): T[] =>
    (files.get(name) ?? '')
      .split('\n')
      .filter(Boolean)
      .map((line) => JSON.parse(line) as T);
  const manifest = JSON.parse(files.get('manifest.json') as string) as Manifest;
  expect(String(manifest.head.seq)).toBe(answer.headers.get('almanac-as-of-seq'));
  return {
    files,
    manifest,
    traces: lines<Line>('traces.jsonl'),
    history: lines<Entry>('history.jsonl'),
    profile: JSON.parse(files.get('profile.json') ?? 'null') as Record<string, unknown> | null,
    calendar: files.get('calendar.ics'),
  };
};

/** Follows the chain as a stranger can, with nothing but the archive. @returns the hash it ends with */
const follow = (history: Entry[], { documents }: { documents: boolean }): string => {
  let before = GENESIS_HASH;
  for (const { hash, subject_uid, payload, ...entry } of history) {
    expect(entryHash(before, canonicalJson(entry))).toBe(hash);
    if (subject_uid !== undefined) expect(sha256Hex(subject_uid)).toBe(entry.subject_digest);
    if (documents && payload) expect(sha256Hex(canonicalJson(payload))).toBe(entry.payload_hash);
    before = hash;
  }
  return before;
};

describe('the whole account', () => {
  test('is in it: what there is, what there was, and how to verify that', async () => {
    const { manifest, files, traces, history, profile, calendar } = await archive(life);
    const { body: now } = await life.get(`/memport/export?user_id=${life.user_id}&export_format=full`).expect(200);
    expect(traces).toEqual(now.results);
    expect(calendar).toBe((await life.get('/calendar/export.ics').expect(200)).text);
    const { body: me } = await life.get('/user/profile').expect(200);
    const { settings, display_name, timezone } = me;
    expect(profile).toMatchObject({ email: life.email, user_id: life.user_id, settings, display_name, timezone });

    const { body: audit } = await life.get('/debug/audit').expect(200);
    expect(manifest).toMatchObject({
      format: 1,
      user_id: life.user_id,
      head: audit.head,
      left_out: [],
      sensitive_included: true,
    });
    expect(history.map((entry) => entry.seq)).toEqual(Array.from({ length: audit.head.seq }, (_, i) => i + 1));
    expect(follow(history, { documents: true })).toBe(audit.head.hash);
    for (const { name, lines, bytes, sha256 } of manifest.files) {
      const text = files.get(name) as string;
      expect({ name, lines, bytes, sha256 }).toEqual({
        name,
        lines: text.split('\n').length - 1,
        bytes: Buffer.byteLength(text),
        sha256: createHash('sha256').update(text).digest('hex'),
      });
    }
    const text = [...files.values()].join('').replaceAll('\r\n ', '');
    const missing = life.marks.filter((mark) => !text.toLowerCase().includes(mark.toLowerCase()));
    // Asked for and kept nowhere, a note to the client alone, or a part of an import that was never accepted; and the paths of a source and a webhook, which may be secret.
    expect(missing.map((mark) => mark.replace(/\d.*/, ''))).toEqual([
      'zqpath',
      'zqpath',
      'zqidempotency',
      'zqquery',
      'zqprodid',
      'zqimport',
      'zqactor',
      'zqitem',
    ]);
  });

  test('goes over to another account', async () => {
    const { traces, calendar } = await archive(life);
    const other = await aUser(app);
    const half = traces.length >> 1;
    for (const part of [traces.slice(0, half), traces.slice(half)]) {
      const { body } = await other.post('/memport/import', { traces: part }).expect(200);
      expect(body).toEqual({ created: part.length, unchanged: 0, waiting: expect.any(Number), conflicts: [] });
    }
    expect((await imported(app, other, calendar as string).expect(200)).body).toMatchObject({ updated: 0, skipped: 0 });

    const there = await archive(other);
    /** What is given anew, and a plan's time to lapse, which is over. */
    const told = ({
      user_id: _u,
      version: _v,
      seq: _s,
      recorded_at: _r,
      updated_at: _a,
      origin: _o,
      sensitive: _n,
      recorded_by: _b,
      ...trace
    }: Line) => ({
      ...trace,
      expires_at: null,
    });
    const uids = new Set(traces.map((trace) => trace.uid));
    expect(there.traces.filter(({ uid }) => uids.has(uid)).map(told)).toEqual(traces.map(told));
    /** Dates of this copy's own life apart. */
    const events = (text: string | undefined) =>
      text
        ?.replaceAll(/^(DTSTAMP|CREATED|LAST-MODIFIED):.*\r\n/gm, '')
        .split('BEGIN:VEVENT')
        .slice(1)
        .toSorted();
    expect(events(there.calendar)).toEqual(events(calendar));
  });

  test('stays at one seq while others write', async () => {
    const user = await aUser(app);
    await notes(user, 900);
    const writing = (async () => {
      for (let i = 0; i < 5; i++) await notes(user, 20);
    })();
    const { manifest, traces, history } = await archive(user);
    await writing;
    expect(traces.every((trace) => Number(trace['seq']) <= manifest.head.seq)).toBe(true);
    expect(traces.length).toBe(manifest.head.seq - 2); // beside the profile and the key
    expect(follow(history, { documents: true })).toBe(manifest.head.hash);
  });

  test('of somebody with nothing', async () => {
    const { manifest, traces, history } = await archive(await aUser(app));
    expect(traces).toEqual([]);
    expect(history).toHaveLength(manifest.head.seq);
  });
});

describe('what a credential may not read', () => {
  test('is not in it, and is named', async () => {
    const key = await aKey(app, life, 'agent', ['export:read']);
    const { manifest, files, traces, history } = await archive(key);
    expect([...files.keys()]).toEqual(['traces.jsonl', 'history.jsonl', 'manifest.json']);
    expect(manifest).toMatchObject({
      sensitive_included: false,
      left_out: [
        { name: 'calendar.ics', needs: 'calendar:read' },
        { name: 'profile.json', needs: 'user:read' },
      ],
    });
    expect(new Set(history.filter((entry) => entry.payload).map((entry) => entry.subject))).toEqual(
      new Set(['trace', 'checkpoint']),
    );
    // Values are hidden from this key, which hashes would tell.
    expect(manifest.head).toEqual({ seq: history.at(-1)?.seq });
    expect(history.some((entry) => 'hash' in entry || 'payload_hash' in entry)).toBe(false);
    expect(traces.some((trace) => 'authored_by' in trace || 'chat_url' in trace)).toBe(false);
    const text = [...files.values()].join('');
    const secret = life.marks.filter((mark) => /^zq(author|chat|mail|host|name|label)/.test(mark));
    expect(secret.length).toBeGreaterThan(5);
    expect(secret.filter((mark) => text.includes(mark))).toEqual([]);
  });

  test('leaves a chain that can be followed, where nothing was ever hidden', async () => {
    const user = await aUser(app);
    await user.post('/memory/push', { traces: [{ type: 'observation', content: 'Plain.' }] }).expect(201);
    const { manifest, history } = await archive(await aKey(app, user, 'agent', ['export:read']));
    expect(follow(history, { documents: false })).toBe(manifest.head.hash);
  });

  test('sensitive values are blanked wherever they are quoted, in the past too', async () => {
    const user = await aUser(app);
    const trace = { uid: 'a', type: 'observation', content: 'says Jane Doe', authored_by: 'Jane Doe' };
    await user.post('/memory/push', { traces: [trace] }).expect(201);
    await user
      .patch('/memory/edit', { uid: 'a', updates: { authored_by: null, content: 'jane doe again' } })
      .expect(200);
    const event = { title: 'With Jane Doe', scheduled_for: '2026-11-27T15:30', duration_minutes: 20 };
    await user.post('/calendar/create', event).expect(201);
    const { files } = await archive(await aKey(app, user, 'user', ['export:read', 'user:read']));
    // The value was removed: what is said now is shown, and what was said while it was set is not.
    expect(files.get('traces.jsonl')).toMatch(/jane doe again/);
    expect(files.get('history.jsonl')).not.toMatch(/says Jane Doe/);
    await user.post('/memory/push', { traces: [{ ...trace, uid: 'b' }] }).expect(201);
    const now = await archive(await aKey(app, user, 'user', ['export:read', 'user:read']));
    expect([...now.files.values()].join('')).not.toMatch(/jane doe/i);
    const { history } = await archive(user);
    expect(JSON.stringify(history)).toMatch(/Jane Doe/);
  });
});

test('a reader that goes away leaves nothing running', async () => {
  const user = await aUser(app);
  await notes(user, 1000);
  const stop = new AbortController();
  const answer = await fetch(`${app.url}/user/archive`, {
    headers: { Authorization: `Bearer ${user.token}` },
    signal: stop.signal,
  });
  await answer.body?.getReader().read();
  stop.abort();
  await expect.poll(() => app.database.handle.pool().waiting).toBe(0);
  expect((await archive(user)).traces).toHaveLength(1000);
});
