/** Serves a fixed set of files from memory, already compressed: the console. */
import type { Request, RequestHandler, Response } from 'express';
import { problem } from '../../common/problem.ts';
import { encodingOf } from '../encoding.ts';
import { isKnown } from '../preconditions.ts';

export type StaticFile = {
  type: string;
  plain: Uint8Array;
  br: Uint8Array;
  gzip: Uint8Array;
  /** A strong entity tag without its quotes. */
  etag: string;
  /** The name holds a hash of the content, so browsers may keep the file for ever. */
  immutable: boolean;
};

/** `index` is the page of every address that names no file. */
export type StaticFiles = { index: StaticFile; policy: string; named: Map<string, StaticFile> };

const sendFile = (req: Request, res: Response, file: StaticFile, headers: Record<string, string>): void => {
  const encoding = encodingOf(req);
  // Each encoding is another representation, with an entity tag of its own (RFC 9110 §8.8.3).
  const tag = `${file.etag}-${encoding}`;
  const common = {
    ETag: `"${tag}"`,
    Vary: 'Accept-Encoding',
    'Cache-Control': file.immutable ? 'public, max-age=31536000, immutable' : 'no-cache',
    ...headers,
  };
  if (isKnown({ header: (name) => req.get(name) }, tag)) {
    res.writeHead(304, common).end();
    return;
  }
  const body = file[encoding];
  res
    .writeHead(200, {
      ...common,
      'Content-Type': file.type,
      'Content-Length': body.byteLength,
      ...(encoding === 'plain' ? {} : { 'Content-Encoding': encoding }),
    })
    .end(req.method === 'HEAD' ? undefined : body);
};

/**
 * Answers GET and HEAD below the address where it is mounted. A name with a dot is a file, any other address is a screen of the
 * page. `files` is asked at each request, and keeps what it has made.
 */
export const staticFiles =
  (files: () => Promise<StaticFiles>): RequestHandler =>
  async (req, res, next) => {
    if (req.method !== 'GET' && req.method !== 'HEAD') return next();
    const [path = ''] = req.originalUrl.split('?');
    if (path === req.baseUrl) {
      // Without the slash, the page would look for its files in the folder above.
      res.writeHead(301, { Location: `${req.baseUrl.slice(1)}/`, 'Cache-Control': 'no-cache' }).end();
      return;
    }
    const { index, policy, named } = await files();
    const name = path.slice(req.baseUrl.length + 1);
    const file = named.get(name);
    if (file) sendFile(req, res, file, {});
    else if (/^\w*$/.test(name)) sendFile(req, res, index, { 'Content-Security-Policy': policy });
    else throw problem('route_not_found', `There is no file ${path}.`);
  };
