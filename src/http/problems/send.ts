/** Sends a problem as the answer to a request in any state of its connection. */
import type { Request, Response } from 'express';
import { once } from 'node:events';
import type { ProblemCode } from '../../common/problem-codes.ts';
import type { Logger } from '../../observability/log.ts';
import { hasBody } from '../body/body.ts';
import { asProblem, renderProblem } from './json.ts';

export type Refusals = { log: Logger; metrics: { refused: (code: ProblemCode) => void } };

/** A refused client may go on sending for this long before it is cut off. */
const LINGER_MS = 2_000;
const LINGER_BYTES = 32 * 1024 * 1024;

/**
 * Reads the rest of the request and discards it. Otherwise the connection of a client that is still sending would be reset, and
 * it would never see the answer.
 * @returns whether the request has ended
 */
const readRest = async (req: Request): Promise<boolean> => {
  if (req.destroyed) return true;
  const enough = new AbortController();
  const late = setTimeout(() => enough.abort(), LINGER_MS);
  let bytes = 0;
  req.on('data', (chunk: Buffer) => {
    bytes += chunk.length;
    if (bytes > LINGER_BYTES) enough.abort();
  });
  req.resume();
  await once(req, 'end', { signal: enough.signal }).catch(() => undefined);
  clearTimeout(late);
  return !enough.signal.aborted;
};

/** Ends an answer whose head is already written. */
export const endWith = (res: Response, text: string | undefined): void => {
  if (res.req.complete || !hasBody(res.req)) return void res.end(text);
  if (text) res.write(text);
  else res.flushHeaders();
  void readRest(res.req).then((isOver) => {
    res.end();
    if (!isOver) res.req.socket.destroySoon();
  });
};

export const sendProblem = (res: Response, error: unknown, { log, metrics }: Refusals): void => {
  const request_id = String(res.locals['request_id'] ?? '');
  const fault = asProblem(error, log, request_id);
  metrics.refused(fault.code);
  res.locals['who'] = { ...(res.locals['who'] as object | undefined), code: fault.code };
  if (res.headersSent) return void res.destroy(); // A stream that fails midway is cut, so that the client does not take it for complete.
  const { status, headers, body } = renderProblem(fault, request_id);
  const text = JSON.stringify(body);
  res.writeHead(status, { ...headers, 'Content-Length': Buffer.byteLength(text) });
  endWith(res, text);
};
