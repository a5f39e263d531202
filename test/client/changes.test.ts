/** The client's iterator over changes: no gap and no duplicate, by socket and by polling, over a network that fails. */
import { setTimeout as sleep } from 'node:timers/promises';
import { WebSocket as WsSocket } from 'ws';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { AlmanacProblem, type Client, type ClientOptions } from '../../src/client/almanac-client.ts';
import { anApp, type TestApp, type TestUser } from '../support/app.ts';
import { aConnection, type Connection } from '../support/client-connection.ts';
import { notes, waitingFor } from '../support/follower.ts';

let app: TestApp;
let user: TestUser;
let proxy: Connection['proxy'];
let connect: Connection['connect'];
beforeAll(async () => {
  app = await anApp();
});
afterAll(() => app.close());
beforeEach(async () => {
  ({ user, proxy, connect } = await aConnection(app));
});
afterEach(() => proxy.close());

/** Reads changes until the one with this seq. */
const readUntil = async (client: Client, after: number | string, last: number, pause = 0): Promise<number[]> => {
  const found: number[] = [];
  for await (const change of client.changes({ after })) {
    if (change.type === 'reset') throw new Error('reset');
    found.push(change.sequence);
    if (pause) await sleep(pause);
    if (change.sequence >= last) break;
  }
  return found;
};

const ways: [string, Partial<ClientOptions>][] = [
  ['by socket', {}],
  ['by a socket of ws, for Node 20', { WebSocket: WsSocket }],
  ['by polling', { WebSocket: null }],
];

describe.each(ways)('changes %s', (way, options) => {
  test('arrive in order, without a gap or a duplicate, while connections are cut', async () => {
    const ROUNDS = 28;
    const written: number[] = [];
    const stop = new AbortController();
    const found: number[] = [];
    const following = (async () => {
      for await (const change of connect(options).changes({ after: 0, signal: stop.signal })) {
        if (change.type === 'reset') throw new Error('reset');
        found.push(change.sequence);
      }
    })().catch((error: unknown) => error);
    for (let round = 0; round < ROUNDS; round++) {
      written.push(...(await notes(user, 5)));
      if (round === 20) proxy.setDown(true);
      if (round === 22) proxy.setDown(false);
      if (round % 4 === 3) {
        // The client is connected again when it has received what is new.
        await vi.waitUntil(() => found.at(-1) === written.at(-1), 15_000);
        proxy.cut();
      }
      await sleep(30);
    }
    await vi.waitUntil(() => found.at(-1) === written.at(-1), 15_000);
    stop.abort();
    expect(await following).toBe(stop.signal.reason);
    expect(found).toEqual(written);
    expect(proxy.cuts(), way).toBe(ROUNDS / 4);
  });

  test('continue from a position, and begin now without one', async () => {
    const [first, , third] = await notes(user, 3);
    const client = connect(options);
    const [one] = (await client.agent.changes({ after: '0' })).changes;
    expect(one?.sequence).toBe(first);
    expect(await readUntil(client, one?.position as string, third as number)).toEqual([(first as number) + 1, third]);
    const live = client.changes();
    const { answer } = await waitingFor(() => live.next());
    const [seq] = await notes(user, 1);
    expect((await answer).value).toMatchObject({ type: 'trace.created', sequence: seq });
    await live.return();
  });

  test('report a position that the ledger does not continue, and go on from its end', async () => {
    const [seq] = await notes(user, 1);
    const live = connect(options).changes({ after: 9_999 });
    expect((await live.next()).value).toMatchObject({ type: 'reset', reason: 'seq_ahead', seq });
    const [next] = await notes(user, 1);
    expect((await live.next()).value).toMatchObject({ type: 'trace.created', sequence: next });
    await live.return();
  });

  test('end with a problem when the key is revoked', async () => {
    const { body: key } = await user.post('/user/keys', { kind: 'agent', label: 'short' }).expect(201);
    const live = connect({ ...options, credential: key.key }).changes({ after: 0 });
    await notes(user, 1);
    await live.next();
    const next = live.next();
    await user.delete(`/user/keys?id=${key.id}`).expect(200);
    const error = await next.then(
      () => undefined,
      (reason: unknown) => reason,
    );
    expect(error).toBeInstanceOf(AlmanacProblem);
    expect(error).toMatchObject({ status: 401 });
  });

  test('ask for another ticket when the answer with the first one was lost', async () => {
    const [seq] = await notes(user, 1);
    let lost = 0;
    // A browser sends a request again by itself when its connection was cut, with the same Idempotency-Key.
    const again: typeof fetch = async (input, init) => {
      const request = new Request(input, init);
      if (!request.url.endsWith('/user/ws-ticket') || lost > 0) return fetch(request);
      lost++;
      await fetch(request.clone());
      return fetch(request);
    };
    const live = connect({ ...options, fetch: again }).changes({ after: 0 });
    expect((await live.next()).value).toMatchObject({ type: 'trace.created', sequence: seq });
    expect(lost).toBe(options.WebSocket === null ? 0 : 1);
    await live.return();
  });

  test('can be left, and can be cancelled', async () => {
    await notes(user, 2);
    for await (const change of connect(options).changes({ after: 0 })) {
      expect(change.type).toBe('trace.created');
      break;
    }
    const stop = new AbortController();
    const { answer } = await waitingFor(() => connect(options).changes({ signal: stop.signal }).next());
    stop.abort(new Error('enough'));
    await expect(answer).rejects.toThrow('enough');
  });
});

test('a network without sockets is polled', async () => {
  proxy.refuseSockets();
  const written = await notes(user, 3);
  const { answer } = await waitingFor(() => readUntil(connect(), 0, (written[2] as number) + 1));
  written.push(...(await notes(user, 1)));
  expect(await answer).toEqual(written);
});

test('a slow reader gets every change', async () => {
  let sockets = 0;
  const closed = Promise.withResolvers<void>();
  const Counted = class extends WebSocket {
    constructor(url: string) {
      super(url);
      sockets++;
      this.addEventListener('close', () => closed.resolve());
    }
  };
  const client = connect({ WebSocket: Counted as unknown as NonNullable<ClientOptions['WebSocket']> });
  const written = [...(await notes(user, 1_000)), ...(await notes(user, 1_000)), ...(await notes(user, 500))];
  const found: number[] = [];
  for await (const change of client.changes({ after: 0 })) {
    if (change.type === 'reset') throw new Error('reset');
    found.push(change.sequence);
    if (found.length === 1) await closed.promise; // More has arrived than the client keeps.
    if (found.length === written.length) break;
  }
  expect(found).toEqual(written);
  expect(sockets).toBeGreaterThan(1);
});
