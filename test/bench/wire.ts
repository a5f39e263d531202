/** A load client as cheap as can be: raw sockets, one request after the other on each, so that the server gets the cores. */
import { connect } from 'node:net';

/** Requests of one connection, sent in turn; `{n}` in them is a number used once. */
export type Script = string[];
export type Load = { port: number; scripts: Script[]; seconds: number };
export type Loaded = { answers: number; seconds: number; failed: number; firstFailure: string | null; ms: number[] };

/** The request as it goes over the wire. */
export const request = (method: string, path: string, key: string, body?: unknown): string => {
  const text = body === undefined ? '' : JSON.stringify(body);
  // A number used once is always as long as its place: 12 digits.
  const length = Buffer.byteLength(text.replaceAll('{n}', '0'.repeat(12)));
  const type = body === undefined ? '' : `Content-Type: application/json\r\nContent-Length: ${length}\r\n`;
  return `${method} ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer ${key}\r\n${type}\r\n${text}`;
};

/** Bytes of the first whole answer in `buffer`, or 0. */
const wholeAnswer = (buffer: Buffer): number => {
  const head = buffer.indexOf('\r\n\r\n');
  if (head < 0) return 0;
  const headers = buffer.toString('latin1', 0, head).toLowerCase();
  const length = /\r\ncontent-length: (\d+)/.exec(headers)?.[1];
  if (length !== undefined) {
    const end = head + 4 + Number(length);
    return buffer.length >= end ? end : 0;
  }
  if (!headers.includes('transfer-encoding: chunked')) return head + 4;
  const end = buffer.indexOf('0\r\n\r\n', head + 4);
  return end < 0 ? 0 : end + 5;
};

/** Drives all connections until the time is over. The first second only warms up. */
export const drive = async ({ port, scripts, seconds }: Load): Promise<Loaded> => {
  const result: Loaded = { answers: 0, seconds, failed: 0, firstFailure: null, ms: [] };
  const begin = performance.now() + 1_000;
  const end = begin + seconds * 1_000;
  let n = Date.now() % 1e11;
  const one = (script: Script): Promise<void> =>
    new Promise((resolve, reject) => {
      let got: Buffer = Buffer.alloc(0);
      let turn = 0;
      let sent = 0;
      const socket = connect(port, '127.0.0.1');
      const next = (): void => {
        sent = performance.now();
        if (sent > end) {
          socket.destroy();
          resolve();
          return;
        }
        const text = script[turn++ % script.length] as string;
        socket.write(text.includes('{n}') ? text.replaceAll('{n}', String(n++).padStart(12, '0')) : text);
      };
      socket.setNoDelay(true);
      socket.on('connect', next);
      socket.on('error', reject);
      socket.on('close', () => resolve());
      socket.on('data', (data: Buffer) => {
        got = got.length ? Buffer.concat([got, data]) : data;
        const length = wholeAnswer(got);
        if (!length) return;
        const now = performance.now();
        const status = got.toString('latin1', 9, 12);
        if (!status.startsWith('2')) {
          result.failed += 1;
          result.firstFailure ??= got.toString('utf8', 0, 2_000);
        } else if (sent >= begin && now <= end) {
          result.answers += 1;
          result.ms.push(now - sent);
        }
        got = got.subarray(length);
        next();
      });
    });
  await Promise.all(scripts.map(one));
  return result;
};

// Forked: one load for each message.
if (process.send && process.argv[1] === import.meta.filename)
  process.on('message', (load: Load) => {
    void drive(load).then((loaded) => process.send?.(loaded));
  });
