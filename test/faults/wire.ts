/** HTTP as bytes on a socket: nothing is refused on this side, and whatever comes back is taken apart. */
import { Buffer } from 'node:buffer';
import { connect } from 'node:net';

export type Wired = { status: number; headers: Map<string, string>; body: string };

const PATIENCE_MS = 30_000;

const unchunk = (body: Buffer): Buffer => {
  const parts: Buffer[] = [];
  for (let at = 0; ;) {
    const end = body.indexOf('\r\n', at);
    const size = end < 0 ? 0 : Number.parseInt(body.toString('latin1', at, end), 16);
    if (!size) return Buffer.concat(parts);
    parts.push(body.subarray(end + 2, end + 2 + size));
    at = end + 2 + size + 2;
  }
};

/** The first final answer in what was received; null where there is none. */
const parse = (received: Buffer): Wired | null => {
  const end = received.indexOf('\r\n\r\n');
  if (end < 0) return null;
  const [line = '', ...lines] = received.toString('latin1', 0, end).split('\r\n');
  const status = Number(/^HTTP\/1\.1 (\d{3})/.exec(line)?.[1]);
  if (status === 100) return parse(received.subarray(end + 4));
  const headers = new Map(
    lines.map((l) => [l.slice(0, l.indexOf(':')).toLowerCase(), l.slice(l.indexOf(':') + 1).trim()]),
  );
  const rest = received.subarray(end + 4);
  return { status, headers, body: String(headers.get('transfer-encoding') === 'chunked' ? unchunk(rest) : rest) };
};

/** Sends bytes, reads until the other side closes. @returns null where there was no answer, `hung` where it never closed */
export const exchange = (url: string, pieces: (string | Buffer)[], pauseMs = 0): Promise<Wired | null | 'hung'> =>
  new Promise((resolve) => {
    const { hostname, port } = new URL(url);
    const received: Buffer[] = [];
    const socket = connect({ host: hostname, port: Number(port) });
    const late = setTimeout(() => {
      socket.destroy();
      resolve(parse(Buffer.concat(received)) ?? 'hung');
    }, PATIENCE_MS);
    socket.on('connect', async () => {
      for (const piece of pieces) {
        if (!socket.writable) break;
        socket.write(typeof piece === 'string' ? Buffer.from(piece, 'utf8') : piece);
        if (pauseMs) await new Promise((go) => setTimeout(go, pauseMs));
      }
    });
    socket.on('data', (data: Buffer) => received.push(data));
    socket.on('error', () => undefined); // what was answered before counts
    socket.on('close', () => {
      clearTimeout(late);
      resolve(parse(Buffer.concat(received)));
    });
  });

/** A request as bytes. */
export const bytes = (
  method: string,
  path: string,
  headers: Record<string, string | string[]>,
  body?: Buffer,
): Buffer => {
  const all = {
    Host: '127.0.0.1',
    Connection: 'close',
    ...(body ? { 'Content-Length': String(body.length) } : {}),
    ...headers,
  };
  const lines = Object.entries(all).flatMap(([name, value]) => [value].flat().map((v) => `${name}: ${v}`));
  return Buffer.concat([
    Buffer.from([`${method} ${path} HTTP/1.1`, ...lines, '', ''].join('\r\n')),
    body ?? Buffer.alloc(0),
  ]);
};

/** Conversations that are no good requests at all, with the credential of somebody who could make one. */
export const broken = (token: string): [name: string, pieces: (string | Buffer)[]][] => {
  const auth = `Authorization: Bearer ${token}\r\n`;
  const host = 'Host: x\r\nConnection: close\r\n';
  const post = (headers: string, body: string): string =>
    `POST /memory/push HTTP/1.1\r\n${host}${auth}Content-Type: application/json\r\n${headers}\r\n${body}`;
  return [
    ['garbage', [Buffer.from([0, 1, 2, 3, 255, 254, 13, 10, 13, 10])]],
    ['TLS', [Buffer.from('160301020001000', 'hex')]],
    ['HTTP/2', ['PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n']],
    ['HTTP/9.9', [`GET / HTTP/9.9\r\n${host}\r\n`]],
    ['HTTP/1.0', [`GET /health/live HTTP/1.0\r\n\r\n`]],
    ['no version', ['GET /health/live\r\n\r\n']],
    ['no host', ['GET /health/live HTTP/1.1\r\nConnection: close\r\n\r\n']],
    ['an empty host', ['GET /health/live HTTP/1.1\r\nHost:\r\nConnection: close\r\n\r\n']],
    ['two hosts', [`GET /health/live HTTP/1.1\r\nHost: a\r\n${host}\r\n`]],
    ['an address that is none', [`GET http://[bad HTTP/1.1\r\n${host}\r\n`]],
    ['an address with spaces', [`GET /a b c HTTP/1.1\r\n${host}\r\n`]],
    [
      'an address of raw bytes',
      [Buffer.from('GET /\xff\xfe HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n', 'latin1')],
    ],
    ['an address of 20 KB', [`GET /${'a'.repeat(20_000)} HTTP/1.1\r\n${host}\r\n`]],
    ['headers of 20 KB', [`GET /health/live HTTP/1.1\r\n${host}X: ${'a'.repeat(20_000)}\r\n\r\n`]],
    ['3,000 headers', [`GET /health/live HTTP/1.1\r\n${host}${'A: b\r\n'.repeat(3_000)}\r\n`]],
    ['a header without colon', [`GET /health/live HTTP/1.1\r\n${host}nocolon\r\n\r\n`]],
    ['a folded header', [`GET /health/live HTTP/1.1\r\n${host}X: a\r\n b\r\n\r\n`]],
    ['a NUL in a header', [`GET /health/live HTTP/1.1\r\n${host}X: a\0b\r\n\r\n`]],
    ['an unknown method', [`FROBNICATE / HTTP/1.1\r\n${host}\r\n`]],
    ['CONNECT', [`CONNECT elsewhere:443 HTTP/1.1\r\n${host}\r\n`]],
    ['TRACE', [`TRACE / HTTP/1.1\r\n${host}\r\n`]],
    ['OPTIONS *', [`OPTIONS * HTTP/1.1\r\n${host}\r\n`]],
    ['a negative length', [post('Content-Length: -1\r\n', '{}')]],
    ['a length of letters', [post('Content-Length: abc\r\n', '{}')]],
    ['a length beyond numbers', [post('Content-Length: 99999999999999999999\r\n', '{}')]],
    ['two lengths', [post('Content-Length: 2\r\nContent-Length: 3\r\n', '{}x')]],
    [
      'length and chunks',
      [post('Content-Length: 4\r\nTransfer-Encoding: chunked\r\n', '0\r\n\r\nGET /smuggled HTTP/1.1\r\n\r\n')],
    ],
    ['chunks twice', [post('Transfer-Encoding: chunked, chunked\r\n', '0\r\n\r\n')]],
    ['chunks of letters', [post('Transfer-Encoding: chunked\r\n', 'zz\r\n{}\r\n0\r\n\r\n')]],
    ['a chunk beyond numbers', [post('Transfer-Encoding: chunked\r\n', 'fffffffffffffffff\r\n{}')]],
    [
      'chunk extensions of 20 KB',
      [post('Transfer-Encoding: chunked\r\n', `2;${'x'.repeat(20_000)}\r\n{}\r\n0\r\n\r\n`)],
    ],
    ['chunks with trailers', [post('Transfer-Encoding: chunked\r\n', '2\r\n{}\r\n0\r\nHost: y\r\n\r\n')]],
    ['an unknown transfer', [post('Transfer-Encoding: gzip\r\n', '{}')]],
    ['bytes one by one', Array.from(post('Content-Length: 2\r\n', '{}'))],
    [
      'a socket without key',
      [`GET /ws HTTP/1.1\r\nHost: x\r\n${auth}Connection: Upgrade\r\nUpgrade: websocket\r\n\r\n`],
    ],
    [
      'a socket of version 99',
      [
        `GET /ws HTTP/1.1\r\nHost: x\r\n${auth}Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 99\r\n\r\n`,
      ],
    ],
    [
      'a socket by POST',
      [
        `POST /ws HTTP/1.1\r\nHost: x\r\n${auth}Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n\r\n`,
      ],
    ],
    [
      'a socket elsewhere',
      [
        'GET //[ HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n\r\n',
      ],
    ],
    [
      'h2c',
      [
        `GET /health/live HTTP/1.1\r\nHost: x\r\nConnection: Upgrade, HTTP2-Settings, close\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABkAAQAAP__\r\n\r\n`,
      ],
    ],
  ];
};

/** Connections that begin something and stop: the server has to end them by itself. */
export const UNFINISHED: [name: string, piece: string][] = [
  ['headers that never end', 'GET /health/live HTTP/1.1\r\nHost: x\r\nX-A: b\r\n'],
  ['half a request line', 'GET /hea'],
];
