/** What a request costs the database: the statements it runs, in order, with their values. */
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import pg from 'pg';
import { call, type Sent } from '../faults/api.ts';
import { inProcess } from './in-process.ts';

export type Statement = { text: string; values: unknown[] };

/**
 * Runs each request twice on a service in this process, on the same database, and keeps the statements of the second time:
 * those of a credential that is known already.
 */
export const record = async (
  database: string,
  requests: { key: string; sent: (n: number) => Sent }[],
): Promise<Statement[][]> => {
  const { app, stop } = await inProcess(database, 2);
  app.server.listen(0, '127.0.0.1');
  await once(app.server, 'listening');
  const url = `http://127.0.0.1:${(app.server.address() as AddressInfo).port}`;
  const original = Reflect.get(pg.Client.prototype, 'query') as (...args: unknown[]) => unknown;
  let heard: Statement[] | undefined;
  Reflect.set(pg.Client.prototype, 'query', function query(this: unknown, ...args: unknown[]): unknown {
    const [first, second] = args;
    const text = typeof first === 'string' ? first : (first as Statement).text;
    const values = typeof first === 'string' ? second : (first as Statement).values;
    heard?.push({ text, values: Array.isArray(values) ? values : [] });
    return original.apply(this, args);
  });
  try {
    const all: Statement[][] = [];
    for (const { key, sent } of requests) {
      for (const n of [1, 2]) {
        heard = n === 2 ? [] : undefined;
        const answer = await call(url, key, sent(n));
        if (answer.status >= 300) throw new Error(`recording: ${answer.status} ${JSON.stringify(answer.body)}`);
      }
      // What goes on after the answer (a note on the key, a wake-up of other instances) is not the request's, nor is the look at the key
      // that each process takes once a second.
      all.push((heard ?? []).filter(({ text }) => !text.includes('"api_keys"')));
      heard = undefined;
    }
    return all;
  } finally {
    Reflect.set(pg.Client.prototype, 'query', original);
    await stop();
  }
};
