/** Refuses on a raw connection and closes it. No response object exists there, so this file writes the HTTP itself. */
import type { Duplex } from 'node:stream';
import type { Problem } from '../../common/problem.ts';
import { renderProblem } from '../problems/json.ts';

/**
 * A connection that is closed with unread data is reset, and the client might never see the answer. So the rest is read for this
 * long.
 */
const LINGER_MS = 500;

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
  stream.write([`HTTP/1.1 ${status} ${body.title}`, ...lines, '', text].join('\r\n'));
  hangUp(stream);
};

/** Ends a connection after the written data is sent, and discards what still arrives. */
export const hangUp = (stream: Duplex): void => {
  stream.once('finish', () => {
    const late = setTimeout(() => stream.destroy(), LINGER_MS);
    stream.once('end', () => stream.destroy());
    stream.once('close', () => clearTimeout(late));
    stream.resume();
  });
  stream.end();
};
