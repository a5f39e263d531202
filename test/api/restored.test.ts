/** After a restored backup: the numbers are there again, with other entries; whoever is ahead is told, and nobody else. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { anApp, aUser, client, type Client, type TestApp, type TestUser } from '../support/app.ts';
import { exchange, onPostgres, testDatabase, type FreshDatabase } from '../support/db.ts';
import { follow } from '../support/follower.ts';

type Change = { id: string; sequence: number; position: string; subject: string };

const push = async (user: Client, uid: string): Promise<void> => {
  await user.post('/memory/push', { traces: [{ uid, type: 'observation', content: uid }] }).expect(201);
};
const changesAfter = (user: Client, after: string | number) => user.get(`/agent/changes?after=${after}&limit=1000`);
const cursorOf = (headers: Record<string, string>): string => /<([^>]+)>/.exec(headers['link'] ?? '')?.[1] ?? '';

let before: FreshDatabase;
let lost: TestApp;
let restored: TestApp;
let user: TestUser;
/** What clients of the lost database hold: at the backup, and ahead of it. */
let [atBackup, ahead]: { position: string; seq: number }[] = [];
let seen: Change[];
let cursors: Record<string, string>;
let etag: string;
let again: Client;

const summary = () => `/memport/export?user_id=${user.user_id}&export_format=summary&type=observation`;

beforeAll(async () => {
  before = await testDatabase();
  lost = await anApp({ database: before });
  user = await aUser(lost);
  const key = (await user.post('/user/keys', { kind: 'user', label: 'device' }).expect(201)).body.key;
  const here = client(lost, key);
  for (const uid of ['a', 'b', 'c']) await push(here, uid);
  atBackup = (await changesAfter(here, 0).expect(200)).body;
  const backup = await before.copy();
  for (const uid of ['lost 1', 'lost 2', 'lost 3', 'lost 4']) await push(here, uid);
  const all = (await changesAfter(here, 0).expect(200)).body;
  ahead = all;
  seen = all.changes;
  const first = async (path: string) => cursorOf((await here.get(path).expect(200)).headers);
  cursors = {
    pull: await first('/memory/pull?limit=1'),
    export: await first(`/memport/export?user_id=${user.user_id}&export_format=full&limit=1`),
  };
  etag = String((await here.get(summary()).expect(200)).headers['etag']);
  restored = await anApp({ database: backup });
  again = client(restored, key);
});
afterAll(async () => {
  await restored.close();
  await lost.close();
  await Promise.all([before.close(), restored.database.close()]);
});

const resetOf = async (after: string | number) => {
  const socket = await follow(restored.url, { token: again.token });
  socket.ws.send(JSON.stringify({ subscribe: { after } }));
  const answer = await socket.next(({ type }) => type === 'reset' || type === 'synced');
  await socket.close();
  return { answer, changes: socket.changes() as unknown as Change[] };
};

describe('while the restored ledger is shorter', () => {
  test('a client that is ahead is told, by its seq alone too', async () => {
    for (const after of [ahead?.position as string, ahead?.seq as number]) {
      const { body } = await changesAfter(again, after);
      expect(body).toMatchObject({ status: 410, code: 'seq_gone', reason: 'seq_ahead', position: atBackup?.position });
      expect((await resetOf(after)).answer).toMatchObject({ type: 'reset', reason: 'seq_ahead' });
    }
  });

  test('a client that is not ahead goes on as if nothing had been', async () => {
    expect((await changesAfter(again, atBackup?.position as string).expect(200)).body.changes).toEqual([]);
    expect((await resetOf(atBackup?.position as string)).answer).toMatchObject({ type: 'synced', seq: atBackup?.seq });
  });
});

describe('when other entries have got the same numbers', () => {
  beforeAll(async () => {
    for (const uid of ['new 1', 'new 2', 'new 3', 'new 4', 'new 5', 'new 6']) await push(again, uid);
  });

  test('a client that is ahead is not fed them, on the socket and by polling', async () => {
    const { body } = await changesAfter(again, ahead?.position as string);
    expect(body).toMatchObject({ status: 410, code: 'seq_gone', reason: 'restored' });
    const { answer, changes } = await resetOf(ahead?.position as string);
    expect(answer).toMatchObject({ type: 'reset', reason: 'restored', position: body.position });
    expect(changes).toEqual([]);
    expect((await changesAfter(again, body.position).expect(200)).body.changes).toEqual([]);
  });

  test('a client that is not ahead gets what is new, with ids of its own', async () => {
    const { changes } = (await changesAfter(again, atBackup?.position as string).expect(200)).body as {
      changes: Change[];
    };
    expect(changes.map(({ subject }) => subject)).toEqual(['new 1', 'new 2', 'new 3', 'new 4', 'new 5', 'new 6']);
    const known = new Map(seen.map(({ id, sequence }) => [sequence, id]));
    const reused = changes.filter(({ sequence }) => known.has(sequence));
    expect(reused).toHaveLength(4);
    expect(reused.filter(({ id, sequence }) => known.get(sequence) === id)).toEqual([]);
    const { changes: old } = (await changesAfter(again, 0).expect(200)).body as { changes: Change[] };
    const kept = old.filter(({ subject }) => ['a', 'b', 'c'].includes(subject));
    expect(kept).toHaveLength(3);
    expect(kept.filter(({ id, sequence }) => known.get(sequence) !== id)).toEqual([]);
  });

  test('a seq without its mark goes on as before, and zero is the beginning', async () => {
    expect((await changesAfter(again, atBackup?.seq as number).expect(200)).body.changes).toHaveLength(6);
    expect((await resetOf(0)).answer).toMatchObject({ type: 'synced' });
  });

  test.each(['pull', 'export'])('the cursor of a %s that began before is gone', async (list) => {
    expect((await again.get(cursors[list] as string)).body).toMatchObject({ status: 410, code: 'cursor_gone' });
  });

  test('the tag of an export is another one', async () => {
    const { seq } = (await changesAfter(again, 0).expect(200)).body;
    for (let at = ahead?.seq as number; at <= seq; at++) {
      const answer = await again.get(`${summary()}&as_of=${at}`).set('If-None-Match', etag);
      expect(answer.status).toBe(200);
    }
  });
});

test.runIf(onPostgres)(
  'who waits while the database is exchanged under the service is told, and not fed',
  async () => {
    const there = await testDatabase();
    const app = await anApp({ database: there });
    const someone = await aUser(app);
    await push(someone, 'kept');
    const older = await there.copy();
    for (const uid of ['gone 1', 'gone 2', 'gone 3']) await push(someone, uid);
    const socket = await follow(app.url, { token: someone.token });
    socket.subscribe(0);
    await socket.synced();
    const { position } = (await changesAfter(someone, 0).expect(200)).body;
    await older.handle.close();
    await exchange(there, older);
    expect(await socket.next(({ type }) => type === 'reset')).toMatchObject({ reason: 'seq_ahead' });
    const heard = socket.changes().length;
    for (const uid of ['other 1', 'other 2', 'other 3', 'other 4']) await push(someone, uid);
    expect((await changesAfter(someone, position)).body).toMatchObject({ status: 410, reason: 'restored' });
    expect(socket.changes()).toHaveLength(heard);
    await socket.close();
    await app.close();
    await there.close();
  },
  30_000,
);
