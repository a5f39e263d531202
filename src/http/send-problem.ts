/** Sends a problem as the answer to a request, whatever state its connection is in. */
import type { Request, Response } from 'express';
import { once } from 'node:events';
import type { ProblemCode } from '../common/problem.ts';
import type { Logger } from '../observability/log.ts';
import { hasBody } from './body.ts';
import { asProblem, renderProblem } from './problem-json.ts';

export type Refusals = { log: Logger; metrics: { refused: (code: ProblemCode) => void } };

/** What a client that was refused may still send before it is cut off. */
const LINGER_MS = 2_000;
const LINGER_BYTES = 32 * 1024 * 1024;

/** A client that is still sending would have its connection reset and never see the answer: the rest is read and thrown away. */
const readRest = async (req: Request): Promise<void> => {
  if (req.destroyed) return;
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
};

/** Ends an answer whose head is written. */
export const endWith = (res: Response, text: string | undefined): void => {
  if (res.req.complete || !hasBody(res.req)) return void res.end(text);
  if (text) res.write(text);
  else res.flushHeaders();
  void readRest(res.req).then(() => res.end());
};

export const sendProblem = (res: Response, error: unknown, { log, metrics }: Refusals): void => {
  const request_id = String(res.locals['request_id'] ?? '');
  const fault = asProblem(error, log, request_id);
  metrics.refused(fault.code);
  res.locals['who'] = { ...(res.locals['who'] as object | undefined), code: fault.code };
  if (res.headersSent) return void res.destroy(); // a stream that broke midway: the client sees it cut, not ended
  const { status, headers, body } = renderProblem(fault, request_id);
  const text = JSON.stringify(body);
  res.writeHead(status, { ...headers, 'Content-Length': Buffer.byteLength(text) });
  endWith(res, text);
};
