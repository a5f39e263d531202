/** Socket clients for R8: they lose their connections all the time, go on where they were, and write down what they hear. */
import { hash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { WebSocket } from 'ws';
import type { Change } from './api.ts';
import { between, oneOf, random } from './trial.ts';

export type Follower = {
  user_id: string;
  /** What was heard, in the order it came. */
  seqs: number[];
  prints: string[];
  connections: () => number;
  /** What must not happen: resets, problems, messages that can't be read. */
  trouble: string[];
  /** No more disconnections; resolves once `seq` was heard, or with false when it does not come. */
  catchUp: (seq: number, withinMs: number) => Promise<boolean>;
  close: () => void;
};

const AGAIN_MS = 200;

/** What a change is, beside its place: type, subject, version, and the whole document. */
export const print = ({ type, subject, data }: Change): string =>
  hash('sha256', `${type} ${subject} ${JSON.stringify(data)}`, 'base64').slice(0, 12);

export const follow = (urls: string[], user_id: string, key: string, from: number): Follower => {
  const seqs: number[] = [];
  const prints: string[] = [];
  const trouble: string[] = [];
  let last = from;
  let connections = 0;
  let socket: WebSocket | undefined;
  let calm = false;
  let over = false;

  /** Cut, closed politely, or not read for a while and then cut. */
  const lose = async (ws: WebSocket): Promise<void> => {
    await sleep(between(100, 3000));
    if (calm || ws !== socket) return;
    const way = random();
    if (way < 0.25) {
      ws.pause();
      await sleep(between(200, 1500));
      if (calm) return ws.resume();
    }
    if (ws !== socket) return;
    socket = undefined; // what still comes in on it is not heard
    if (way < 0.5) ws.close();
    else ws.terminate();
    setTimeout(connect, between(0, 500));
  };

  const hear = (text: string): void => {
    const message = JSON.parse(text) as Change & { problem?: unknown };
    if (message.sequence === undefined) {
      if (message.type !== 'synced') trouble.push(text.slice(0, 200));
      return;
    }
    seqs.push(message.sequence);
    prints.push(print(message));
    last = message.sequence;
  };

  const connect = (): void => {
    if (over) return;
    const ws = new WebSocket(`${oneOf(urls).replace('http', 'ws')}/ws`, {
      headers: { authorization: `Bearer ${key}` },
    });
    socket = ws;
    ws.on('open', () => {
      connections += 1;
      ws.send(JSON.stringify({ subscribe: { after: last } }));
      void lose(ws);
    });
    ws.on('message', (data) => {
      if (ws === socket) hear((data as Buffer).toString());
    });
    ws.on('error', () => undefined); // the instance was killed or is on its way up
    ws.on('close', () => {
      if (ws !== socket) return;
      socket = undefined;
      setTimeout(connect, between(0, AGAIN_MS));
    });
  };
  connect();

  return {
    user_id,
    seqs,
    prints,
    trouble,
    connections: () => connections,
    catchUp: async (seq, withinMs) => {
      calm = true;
      const isThere = (): boolean => last >= seq;
      for (const deadline = performance.now() + withinMs; !isThere() && performance.now() < deadline;) await sleep(50);
      return isThere();
    },
    close: () => {
      over = true;
      socket?.terminate();
    },
  };
};
