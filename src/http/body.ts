/** Bodies of requests: JSON, lines of JSON, other texts and bytes, each of the types and within the limit its route names. */
import express, { type Request, type Response } from 'express';
import { Problem, problem } from '../errors.ts';
import type { Route } from './route.ts';

const JSON_TYPE = 'application/json';
/** A JSON value a line, as exports stream them. */
export const LINES_TYPE = 'application/x-ndjson';

export const typesOf = (route: Route): string[] => route.accepts?.types ?? [JSON_TYPE];

type Kind = 'json' | 'text' | 'raw';

const parsers = new Map<string, ReturnType<typeof express.json>>();
/** 1 MiB by default; imports name a larger limit. */
const parserFor = (route: Route, kind: Kind): ReturnType<typeof express.json> => {
  const limit = route.accepts?.limit ?? '1mb';
  const types = typesOf(route);
  const key = `${kind} ${limit} ${types.join()}`;
  let parser = parsers.get(key);
  if (!parser) {
    parser = express[kind]({ limit, strict: false, type: types });
    parsers.set(key, parser);
  }
  return parser;
};

export const hasBody = (req: Request): boolean =>
  req.headers['transfer-encoding'] !== undefined || Number(req.headers['content-length'] ?? 0) > 0;

/** @throws 400 naming the line */
const readLines = (text: string): unknown[] =>
  text.split('\n').flatMap((line, i): unknown[] => {
    if (!line.trim()) return [];
    try {
      return [JSON.parse(line) as unknown];
    } catch {
      throw problem('malformed_json', `Line ${i + 1} is not valid JSON.`);
    }
  });

/** The body as the route's schema wants it; undefined where it has none. @throws 400, 413, 415 */
export const readBody = async (route: Route, req: Request, res: Response): Promise<unknown> => {
  if (!hasBody(req)) return route.body ? {} : undefined;
  const types = typesOf(route);
  if (!req.is(types))
    throw new Problem('unsupported_media_type', `Send this body as ${types.join(' or ')}.`, {
      headers: { Accept: types.join(', ') },
    });
  const lines = req.is(LINES_TYPE) ? route.accepts?.lines : undefined;
  const kind = route.accepts?.bytes ? 'raw' : types.includes(JSON_TYPE) && !lines ? 'json' : 'text';
  await new Promise<void>((resolve, reject) =>
    parserFor(route, kind)(req, res, (error?: unknown) => (error ? reject(error) : resolve())),
  );
  return lines ? { [lines]: readLines(req.body as string) } : (req.body as unknown);
};
