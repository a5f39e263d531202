/** Refuses an upgrade: the HTTP answer is written by hand, since there is no response object for it. */
import type { Duplex } from 'node:stream';
import { renderProblem } from '../http/problems.ts';
import type { Problem } from '../errors.ts';

export const refuse = (stream: Duplex, fault: Problem, request_id: string): void => {
  if (stream.destroyed) return;
  const { status, headers, body } = renderProblem(fault, request_id);
  const text = JSON.stringify(body);
  const all = {
    ...headers,
    'X-Request-Id': request_id,
    'Content-Length': Buffer.byteLength(text),
    Connection: 'close',
  };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}`);
  stream.once('finish', () => stream.destroy());
  stream.end([`HTTP/1.1 ${status} ${body.title}`, ...lines, '', text].join('\r\n'));
};
