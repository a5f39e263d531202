/**
 * Reads request bodies: JSON, lines of JSON, other texts and bytes, of the types and within the limit that the route declares.
 */
import { isUtf8 } from 'node:buffer';
import express, { type Request, type Response } from 'express';
import { unstorable, type Path } from '../../domain/record/canonical-json.ts';
import { invalidAt, pointer, Problem, problem } from '../../common/problem.ts';
import { createYielder, runFairly } from '../../common/yielding.ts';
import { MAX_VALUES, refuseRepeatedMembers, scanJson } from './json-scan.ts';
import { MIB, type Route } from '../route.ts';
import { linesOfZip, ZIP_TYPE } from './zip.ts';

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

/** The bytes of each JSON body that is being read. */
const jsonOf = new WeakMap<object, Buffer>();

/** JSON is UTF-8 (RFC 8259 §8.1). The values of another encoding could not be counted before they are parsed. */
const checkJson = (req: object, res: unknown, text: Buffer, encoding: string): void => {
  if (!/^utf-?8$/i.test(encoding)) throw problem('unsupported_media_type', 'JSON must be UTF-8 (RFC 8259).');
  checkText(req, res, text, encoding);
  jsonOf.set(req, text);
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
    parser = express[kind === 'json' ? 'text' : kind]({ limit, type, ...CHECKS[kind] });
    parsers.set(key, parser);
  }
  return parser;
};

export const hasBody = (req: Request): boolean =>
  req.headers['transfer-encoding'] !== undefined || Number(req.headers['content-length'] ?? 0) > 0;

function* linesOf(text: string): Generator<string> {
  for (let start = 0; start < text.length;) {
    const newline = text.indexOf('\n', start);
    const end = newline < 0 ? text.length : newline;
    yield text.slice(start, end);
    start = end + 1;
  }
}

/**
 * Each line is a value of `member`. The reader yields to other requests between lines.
 * @throws 400 that names the line, 413, 422
 */
const readLines = async (lines: Iterable<string> | AsyncIterable<string>, member: string): Promise<unknown[]> => {
  const values: unknown[] = [];
  const yieldToOthers = createYielder();
  let number = 0;
  for await (const whole of lines) {
    await yieldToOthers();
    number += 1;
    if (number > MAX_VALUES)
      throw problem('body_too_large', `The body has more than ${MAX_VALUES} lines. Send it in parts.`);
    const line = whole.trim();
    if (!line) continue;
    const bytes = Buffer.from(line);
    const members = scanJson(bytes);
    const value = parseJson(line, `Line ${number}`);
    refuseUnstorable(value, [member, values.length]);
    refuseRepeatedMembers(bytes, members, value, [member, values.length]);
    values.push(value);
  }
  return values;
};

const parseJson = (text: string, name: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    throw problem('malformed_json', `${name} is not valid JSON.`);
  }
};

/** A JSON text of 1 MiB takes up to 100 ms to read. A smaller one than this takes at most 2 ms. */
const LARGE = 16 * 1024;

type Header = (name: string) => string | undefined;

/** The size of a body is not known before it is read where it is compressed or comes in chunks. */
const mayBeLarge = (header: Header): boolean =>
  header('content-encoding') !== undefined ||
  header('transfer-encoding') !== undefined ||
  Number(header('content-length') ?? 0) > LARGE;

/** Does a part of reading a body, in its user's turn where the body may be large. */
export const inTurn = async <T>(header: Header, read: () => T): Promise<T> =>
  mayBeLarge(header) ? runFairly(read) : read();

/** @throws 400, 413, 422 */
const readJson = (bytes: Buffer, text: string): unknown => {
  const members = scanJson(bytes);
  const value = text === '' ? {} : parseJson(text, 'The body');
  refuseUnstorable(value);
  refuseRepeatedMembers(bytes, members, value);
  return value;
};

/** Lets the parser of express read the body into `req.body`. @throws 400, 413 */
const receive = async (route: Route, kind: Kind, req: Request, res: Response): Promise<void> => {
  const limit = limitOf(route);
  const length = req.headers['content-length'];
  if (Number(length ?? 0) > limit) throw tooLarge(limit);
  const parsed = new Promise<void>((resolve, reject) => {
    // The parser waits without an end for the rest of a compressed body whose client has hung up.
    res.once('close', () => reject(new Error('The client hung up before its body had arrived.')));
    parserFor(route, kind)(req, res, (error?: unknown) => (error ? reject(error) : resolve()));
  });
  await (length === undefined ? Promise.race([parsed, outgrown(req, limit)]) : parsed);
};

/** The values of a member, as lines of a text or of a file of a zip. */
type Listed = { member: string; file?: string };

/** Whether the body lists the values of a member. */
const listedBy = ({ accepts }: Route, req: Request): Listed | undefined => {
  if (accepts?.lines && req.is(LINES_TYPE)) return { member: accepts.lines };
  return accepts?.zipped && req.is(ZIP_TYPE) ? accepts.zipped : undefined;
};

const linesIn = (body: string | Buffer, { file }: Listed): Iterable<string> | AsyncIterable<string> =>
  file === undefined ? linesOf(body as string) : linesOfZip(body as Buffer, file);

/** Returns the body as the route's schema expects it, or undefined where the route has none. @throws 400, 413, 415, 422 */
export const readBody = async (route: Route, req: Request, res: Response): Promise<unknown> => {
  const types = typesOf(route);
  if (!hasBody(req)) return route.body && !types.includes(ANY_TYPE) ? {} : undefined;
  if (!types.includes(ANY_TYPE) && !req.is(types))
    throw new Problem('unsupported_media_type', `Send this body as ${types.join(' or ')}.`, {
      headers: { Accept: types.join(', ') },
    });
  const listed = listedBy(route, req);
  const kind = route.accepts?.bytes || listed?.file ? 'raw' : types.includes(JSON_TYPE) && !listed ? 'json' : 'text';
  await receive(route, kind, req, res);
  if (listed) return { [listed.member]: await readLines(linesIn(req.body as string | Buffer, listed), listed.member) };
  const bytes = jsonOf.get(req);
  jsonOf.delete(req);
  if (bytes)
    return inTurn(
      (name) => req.get(name),
      () => readJson(bytes, req.body as string),
    );
  if (kind !== 'raw') refuseUnstorable(req.body);
  return req.body as unknown;
};
