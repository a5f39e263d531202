/** Pushes that wait for the same user are done in one transaction, and each behaves as if it had been alone (ledger/write-queue.ts). */
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { verifyLedger } from '../../src/ledger/audit.ts';
import { createWriteQueue } from '../../src/ledger/write-queue.ts';
import { PROJECTIONS } from '../../src/process/all-projections.ts';
import { anApp, aUser, type Client, type TestApp, type TestUser } from '../support/app.ts';
import { hearStatements } from '../support/statements.ts';

let app: TestApp;
beforeAll(async () => {
  app = await anApp();
});
afterAll(() => app.close());

type Answer = { status: number; body: { uid: string; seq: number; code?: string }[] & { code?: string; seq?: number } };
type Change = { subject: string };

const trace = (content: string, more: object = {}) => ({ type: 'observation', content, ...more });
const push = async (who: Client, content: string, more = {}, headers: Record<string, string> = {}): Promise<Answer> =>
  who.post('/memory/push', { traces: [trace(content, more)] }).set(headers);

/** Pushes on one connection, sent in one piece, so that all of them have arrived before the first is written. */
const pushPipelined = async (
  { token }: TestUser,
  contents: string[],
): Promise<{ status: number; uid: string | undefined; seq: number }[]> => {
  const { hostname, port } = new URL(app.url);
  const socket = connect(Number(port), hostname);
  const requests = contents.map((content, n) => {
    const body = JSON.stringify({ traces: [trace(content)] });
    const end = n === contents.length - 1 ? 'close' : 'keep-alive';
    return (
      `POST /memory/push HTTP/1.1\r\nhost: ${hostname}\r\nauthorization: Bearer ${token}\r\nconnection: ${end}\r\n` +
      `content-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n${body}`
    );
  });
  socket.write(requests.join(''));
  const answers = await text(socket);
  return [...answers.matchAll(/HTTP\/1\.1 (\d+)[^]*?"uid":"([^"]+)"[^]*?"seq":(\d+)/g)].map(([, status, uid, seq]) => ({
    status: Number(status),
    uid,
    seq: Number(seq),
  }));
};

/** The heads that were locked, and so the transactions of writes, until it is done. */
const locksDuring = async (work: () => Promise<unknown>): Promise<number> => {
  const ear = hearStatements();
  try {
    await work();
  } finally {
    ear.stop();
  }
  return ear.heard.filter(({ text }) => /from ledger_heads .*for update/.test(text)).length;
};

const historyOf = async (user: TestUser): Promise<Change[]> =>
  (await user.get('/agent/changes?after=0&limit=1000').expect(200)).body.changes;

const expectSound = async ({ user_id }: TestUser): Promise<void> => {
  const report = await verifyLedger(app.database.handle.db, user_id, { projections: PROJECTIONS });
  expect(report).toMatchObject({ ok: true });
};

describe('pushes at once', () => {
  test('take few transactions, and every trace has a seq of its own, in one chain', async () => {
    const user = await aUser(app);
    let answers: Awaited<ReturnType<typeof pushPipelined>> = [];
    const contents = Array.from({ length: 60 }, (_, n) => `note ${n}`);
    const locks = await locksDuring(async () => {
      answers = await pushPipelined(user, contents);
    });
    expect(answers.map(({ status }) => status)).toEqual(contents.map(() => 201));
    expect(locks).toBeGreaterThan(0);
    expect(locks).toBeLessThan(20);
    const seqs = answers.map(({ seq }) => seq).toSorted((a, b) => a - b);
    expect(seqs).toEqual(Array.from({ length: 60 }, (_, n) => (seqs[0] as number) + n));
    const said = new Set(answers.map(({ uid }) => uid));
    expect((await historyOf(user)).filter(({ subject }) => said.has(subject))).toHaveLength(60);
    await expectSound(user);
  });

  test('one that is refused refuses no other', async () => {
    const user = await aUser(app);
    await push(user, 'first', { uid: 'taken' });
    const answers = await Promise.all(
      Array.from({ length: 40 }, (_, n) =>
        n % 10 === 5 ? push(user, `other ${n}`, { uid: 'taken' }) : push(user, `note ${n}`),
      ),
    );
    const refused = answers.flatMap(({ status, body }, n) => (status === 201 ? [] : [[n, status, body.code]]));
    expect(refused).toEqual([5, 15, 25, 35].map((n) => [n, 409, 'uid_taken']));
    expect((await user.get('/memory/pull?limit=1000')).body).toHaveLength(37);
    await expectSound(user);
  });

  test('with the same new uid: equal ones get one answer, another one is refused', async () => {
    const user = await aUser(app);
    const equal = { uid: 'twin', timestamp: '2026-11-20T10:00:00Z' };
    const answers = await Promise.all([
      ...Array.from({ length: 10 }, () => push(user, 'the same', equal)),
      push(user, 'something else', equal),
    ]);
    const made = answers.filter(({ status }) => status === 201);
    expect(answers.find(({ status }) => status !== 201)).toMatchObject({ status: 409, body: { code: 'uid_taken' } });
    expect(made).toHaveLength(10);
    expect(new Set(made.map(({ body }) => body[0]?.seq)).size).toBe(1);
  });

  test('each keeps its Idempotency-Key', async () => {
    const user = await aUser(app);
    const keyed = (n: number) => push(user, `note ${n}`, {}, { 'Idempotency-Key': `key-${n}` });
    const first = await Promise.all(Array.from({ length: 20 }, (_, n) => keyed(n)));
    const rows = await app.database.handle.db
      .selectFrom('idempotency_keys')
      .select(['key', 'effect_seq'])
      .where('user_id', '=', user.user_id)
      .execute();
    const marked = Object.fromEntries(rows.map(({ key, effect_seq }) => [key, effect_seq]));
    expect(marked).toEqual(Object.fromEntries(first.map(({ body }, n) => [`key-${n}`, body[0]?.seq])));
    const again = await Promise.all(Array.from({ length: 20 }, (_, n) => keyed(n)));
    expect(again.map(({ body }) => body)).toEqual(first.map(({ body }) => body));
    expect((await user.get('/memory/pull?limit=1000')).body).toHaveLength(20);
  });

  test('by two credentials say each who it was', async () => {
    const user = await aUser(app);
    const { agent } = user;
    const answers = await Promise.all(
      Array.from({ length: 30 }, (_, n) => push(n % 3 ? user : agent, n % 3 ? `person ${n}` : `agent ${n}`)),
    );
    const entries = await app.database.handle.db
      .selectFrom('ledger')
      .select(['subject_uid', 'actor'])
      .where('user_id', '=', user.user_id)
      .execute();
    const actors = new Map(entries.map(({ subject_uid, actor }) => [subject_uid, actor]));
    const said = answers.map(({ body }) => actors.get(body[0]?.uid as string)?.split(':')[0]);
    expect(said).toEqual(answers.map((_, n) => (n % 3 ? 'user' : 'agent')));
  });
});

describe('the queue of writes', () => {
  /** A queue whose first write of Ana waits until `release` is called, and what was done, in order. */
  const aQueue = (fails: (items: string[]) => Error | undefined = () => undefined) => {
    const queue = createWriteQueue();
    const done: string[] = [];
    const { promise, resolve: release } = Promise.withResolvers<void>();
    const groupBy = (actor: string) => ({
      kind: 'push',
      actor,
      all: async (items: string[]) => {
        const error = fails(items);
        if (error) throw error;
        done.push(items.join(' '));
        return items.map((item) => `${item}!`);
      },
      one: async (item: string) => {
        done.push(item);
        return `${item}!`;
      },
      isUndone: (error: unknown) => (error as Error).message === 'refused',
    });
    void queue.alone('ana', () => promise);
    const push = (item: string, actor = 'key', size = 1) => queue.together('ana', groupBy(actor), item, size);
    const edit = (item: string) => queue.alone('ana', async () => void done.push(item));
    return { push, edit, done, release };
  };

  test('does together what waits next to each other, and lets nothing overtake', async () => {
    const { push, edit, done, release } = aQueue();
    const all = [push('a'), push('b'), edit('E'), push('c'), push('d'), push('x', 'other key'), push('e')];
    release();
    expect(await Promise.all(all)).toEqual(['a!', 'b!', undefined, 'c!', 'd!', 'x!', 'e!']);
    expect(done).toEqual(['a b', 'E', 'c d', 'x', 'e']);
  });

  test('bounds a group by its members and by its size', async () => {
    const { push, done, release } = aQueue();
    const many = Array.from({ length: 101 }, (_, n) => push(String(n)));
    const large = [push('L', 'other key', 900_000), push('M', 'other key', 200_000)];
    release();
    await Promise.all([...many, ...large]);
    expect(done.map((items) => items.split(' ').length)).toEqual([100, 1, 1, 1]);
  });

  test('does each by itself where the group was undone', async () => {
    const { push, done, release } = aQueue(() => new Error('refused'));
    const all = [push('a'), push('b')];
    release();
    expect(await Promise.all(all)).toEqual(['a!', 'b!']);
    expect(done).toEqual(['a', 'b']);
  });

  test('repeats nothing where the group may have been committed', async () => {
    const { push, done, release } = aQueue(() => new Error('the connection was lost'));
    const all = Promise.allSettled([push('a'), push('b')]);
    release();
    expect((await all).map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    expect(done).toEqual([]);
  });
});
