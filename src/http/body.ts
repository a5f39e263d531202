/**
 * Reads request bodies: JSON, lines of JSON, other texts and bytes, of the types and within the limit that the route declares.
 */
import { isUtf8 } from 'node:buffer';
import express, { type Request, type Response } from 'express';
import { unstorable, type Path } from '../domain/record/canonical-json.ts';
import { invalidAt, pointer, Problem, problem } from '../common/problem.ts';
import { createYielder } from '../common/yielding.ts';
import { MAX_VALUES, refuseRepeatedMembers, scanJson } from './json-scan.ts';
import { MIB, type Route } from './route.ts';

const JSON_TYPE = 'application/json';
/** A route with this type takes bodies of every type, and without one. */
export const ANY_TYPE = '*/*';
/** Newline-delimited JSON, one value on each line, as exports stream it. */
export const LINES_TYPE = 'application/x-ndjson';

export const typesOf = (route: Route): string[] => route.accepts?.types ?? [JSON_TYPE];

type Kind = 'json' | 'text' | 'raw';

/** Bytes that are not UTF-8 are refused, because they would be stored as replacement characters and lost. */
const checkText = (_req: unknown, _res: unknown, text: Buffer, encoding: string): void => {
  if (/^utf-?8$/i.test(encoding) && !isUtf8(text))
    throw problem('malformed_request', 'The body is not UTF-8: encode it so, and send it again.');
};

/** The text of each JSON body that is being read, and the number of its members. */
const scanned = new WeakMap<object, { text: Buffer; members: number }>();

/** JSON is UTF-8 (RFC 8259 §8.1). The values of another encoding could not be counted before they are parsed. */
const checkJson = (req: object, res: unknown, text: Buffer, encoding: string): void => {
  if (!/^utf-?8$/i.test(encoding)) throw problem('unsupported_media_type', 'JSON must be UTF-8 (RFC 8259).');
  checkText(req, res, text, encoding);
  scanned.set(req, { text, members: scanJson(text) });
};

const CHECKS = { json: { verify: checkJson }, text: { verify: checkText }, raw: {} };

/** @throws 422 that names the first value which the database can't store unchanged */
export const refuseUnstorable = (value: unknown, at: Path = []): void => {
  const path = unstorable(value);
  if (!path) return;
  const why =
    path.at(-1) === '__proto__'
      ? 'cannot have this name; choose another'
      : 'must not contain NUL, a lone surrogate or a number beyond a double, or be nested deeper than 32 levels';
  throw invalidAt(pointer([...at, ...path]), 'unstorable', why);
};

const parsers = new Map<string, ReturnType<typeof express.json>>();
/** 1 MiB by default; imports declare more. */
const limitOf = ({ accepts }: Route): number => accepts?.limit ?? MIB;

const tooLarge = (limit: number): Problem =>
  problem(
    'body_too_large',
    `The body is larger than ${limit < MIB ? `${limit / 1024} KiB` : `${limit / MIB} MiB`}. Send it in parts.`,
  );

/** Rejects as soon as a body of unknown length is too large. The parser would read on to its end, which may never come. */
const outgrown = (req: Request, limit: number): Promise<never> =>
  new Promise((_resolve, reject) => {
    let bytes = 0;
    req.on('data', (chunk: Buffer) => {
      bytes += chunk.length;
      if (bytes > limit) reject(tooLarge(limit));
    });
  });

const parserFor = (route: Route, kind: Kind): ReturnType<typeof express.json> => {
  const limit = limitOf(route);
  const types = typesOf(route);
  const key = `${kind} ${limit} ${types.join()}`;
  let parser = parsers.get(key);
  if (!parser) {
    const type = types.includes(ANY_TYPE) ? () => true : types;
    parser = express[kind]({ limit, strict: false, type, ...CHECKS[kind] });
    parsers.set(key, parser);
  }
  return parser;
};

export const hasBody = (req: Request): boolean =>
  req.headers['transfer-encoding'] !== undefined || Number(req.headers['content-length'] ?? 0) > 0;

/**
 * Each line is a value of `member`. The reader yields to other requests between lines.
 * @throws 400 that names the line, 413, 422
 */
const readLines = async (text: string, member: string): Promise<unknown[]> => {
  const values: unknown[] = [];
  const yieldToOthers = createYielder();
  for (let start = 0, number = 1; start < text.length; number++) {
    await yieldToOthers();
    const newline = text.indexOf('\n', start);
    const end = newline < 0 ? text.length : newline;
    if (number > MAX_VALUES)
      throw problem('body_too_large', `The body has more than ${MAX_VALUES} lines. Send it in parts.`);
    const line = text.slice(start, end).trim();
    start = end + 1;
    if (!line) continue;
    const bytes = Buffer.from(line);
    const members = scanJson(bytes);
    const value = parseLine(line, number);
    refuseUnstorable(value, [member, values.length]);
    refuseRepeatedMembers(bytes, members, value, [member, values.length]);
    values.push(value);
  }
  return values;
};

const parseLine = (line: string, number: number): unknown => {
  try {
    return JSON.parse(line);
  } catch {
    throw problem('malformed_json', `Line ${number} is not valid JSON.`);
  }
};

/** Returns the body as the route's schema expects it, or undefined where the route has none. @throws 400, 413, 415, 422 */
export const readBody = async (route: Route, req: Request, res: Response): Promise<unknown> => {
  const types = typesOf(route);
  if (!hasBody(req)) return route.body && !types.includes(ANY_TYPE) ? {} : undefined;
  if (!types.includes(ANY_TYPE) && !req.is(types))
    throw new Problem('unsupported_media_type', `Send this body as ${types.join(' or ')}.`, {
      headers: { Accept: types.join(', ') },
    });
  const lines = req.is(LINES_TYPE) ? route.accepts?.lines : undefined;
  const kind = route.accepts?.bytes ? 'raw' : types.includes(JSON_TYPE) && !lines ? 'json' : 'text';
  const limit = limitOf(route);
  const length = req.headers['content-length'];
  if (Number(length ?? 0) > limit) throw tooLarge(limit);
  const parsed = new Promise<void>((resolve, reject) =>
    parserFor(route, kind)(req, res, (error?: unknown) => (error ? reject(error) : resolve())),
  );
  await (length === undefined ? Promise.race([parsed, outgrown(req, limit)]) : parsed);
  if (lines) return { [lines]: await readLines(req.body as string, lines) };
  if (kind !== 'raw') refuseUnstorable(req.body);
  const json = scanned.get(req);
  scanned.delete(req);
  if (json) refuseRepeatedMembers(json.text, json.members, req.body);
  return req.body as unknown;
};
