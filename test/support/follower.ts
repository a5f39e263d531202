/** A socket client that keeps what it hears, and things to hear of. */
import { vi } from 'vitest';
import { WebSocket } from 'ws';
import type { Client } from './app.ts';
import { hearStatements } from './statements.ts';

type Heard = {
  type: string;
  sequence?: number;
  position?: string;
  seq?: number;
  reason?: string;
  problem?: Record<string, unknown>;
  data?: Record<string, unknown>;
};

export type Follower = {
  ws: WebSocket;
  heard: Heard[];
  /** Messages that are changes. */
  changes: () => Heard[];
  sequences: () => number[];
  subscribe: (after?: number) => void;
  /** Resolves with the first message (heard already or to come) that fits. */
  next: (fits: (message: Heard) => boolean) => Promise<Heard>;
  synced: () => Promise<Heard>;
  /** Resolves with the close code. */
  closed: Promise<number>;
  close: () => Promise<number>;
};

type Refusal = { status: number; type: string; body: Record<string, unknown> };

export type FollowOptions = { token?: string | null; path?: string; autoPong?: boolean };

const address = (url: string, path: string): string => url.replace(/^http/, 'ws') + path;

/** Connects, or answers the refusal. */
const tryFollow = (url: string, { token, path = '/ws', autoPong = true }: FollowOptions): Promise<Follower | Refusal> =>
  new Promise((resolve, reject) => {
    const ws = new WebSocket(address(url, path), {
      autoPong,
      headers: token ? { authorization: `Bearer ${token}` } : {},
    });
    const heard: Heard[] = [];
    const waiting = new Set<() => void>();
    const closed = new Promise<number>((end) => ws.on('close', end));
    ws.on('message', (data) => {
      heard.push(JSON.parse((data as Buffer).toString()) as Heard);
      for (const look of waiting) look();
    });
    ws.on('error', (error) => (ws.readyState === ws.CONNECTING ? reject(error) : undefined));
    ws.on('unexpected-response', (_req, res) => {
      let text = '';
      res.on('data', (chunk) => (text += String(chunk)));
      res.on('end', () =>
        resolve({
          status: res.statusCode ?? 0,
          type: String(res.headers['content-type']),
          body: JSON.parse(text) as Record<string, unknown>,
        }),
      );
    });
    const next: Follower['next'] = (fits) =>
      new Promise((found) => {
        const look = (): void => {
          const message = heard.find(fits);
          if (!message) return;
          waiting.delete(look);
          found(message);
        };
        waiting.add(look);
        look();
      });
    const changes = (): Heard[] => heard.filter((m) => m.sequence !== undefined);
    const follower: Follower = {
      ws,
      heard,
      changes,
      sequences: () => changes().map((m) => m.sequence as number),
      subscribe: (after) => ws.send(JSON.stringify({ subscribe: after === undefined ? {} : { after } })),
      next,
      synced: () => next((m) => m.type === 'synced'),
      closed,
      close: () => {
        ws.close();
        return closed;
      },
    };
    ws.on('open', () => resolve(follower));
  });

export const follow = async (url: string, options: FollowOptions): Promise<Follower> => {
  const answer = await tryFollow(url, options);
  if ('status' in answer) throw new Error(`refused: ${JSON.stringify(answer)}`);
  return answer;
};

export const refusal = async (url: string, options: FollowOptions): Promise<Refusal> => {
  const answer = await tryFollow(url, options);
  if (!('status' in answer)) throw new Error('not refused');
  return answer;
};

/** Stores a trace. @returns its seq */
export const note = async (user: Client, content = 'a note'): Promise<number> => {
  const { body } = await user.post('/memory/push', { traces: [{ type: 'observation', content }] }).expect(201);
  return body[0].seq;
};

export const notes = async (user: Client, count: number): Promise<number[]> => {
  const traces = Array.from({ length: count }, (_, i) => ({ type: 'observation', content: `note ${i}` }));
  const { body } = await user.post('/memory/push', { traces }).expect(201);
  return body.map((t: { seq: number }) => t.seq);
};

const READS = /^\s*select seq, kind, subject,/;

/** Begins something that waits for changes, and resolves when it has read the ledger so many times. */
export const waitingFor = async <T>(begin: () => Promise<T>, reads = 1): Promise<{ answer: Promise<T> }> => {
  const { heard, stop } = hearStatements();
  const answer = begin();
  const isRead = ({ text }: { text: string }): boolean => READS.test(text);
  await vi.waitUntil(() => heard.filter(isRead).length >= reads, { timeout: 15_000, interval: 5 }).finally(stop);
  return { answer };
};

/** Where the user's ledger stands. */
export const headOf = async (user: Client): Promise<number> => (await user.get('/agent/changes').expect(200)).body.seq;
