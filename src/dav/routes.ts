/** The WebDAV routes for calendar programs (CalDAV, RFC 4791). Calendars are collections.ts, properties properties.ts. */
import { z } from 'zod';
import { Problem, problem } from '../common/problem.ts';
import type { Caller, Scope } from '../domain/access/caller.ts';
import type { Instant } from '../domain/time/time.ts';
import { writeLedgerPosition, type LedgerPosition } from '../ledger/ledger-position.ts';
import { ANY_TYPE } from '../http/body.ts';
import { presentProblem } from '../http/problem-json.ts';
import { conditionOf, isKnown } from '../http/preconditions.ts';
import { MIB, route, routes, Stream, type Method, type RequestFacts, type Route } from '../http/route.ts';
import { createCollections, type Collection, type CollectionsDeps } from './collections.ts';
import { CALENDAR_TYPE, textOf } from './object-text.ts';
import { OWN, placeOf, PROPOSALS, type Place } from './paths.ts';
import { answerOf, notHere, XML_TYPE } from './preconditions.ts';
import { propfind } from './propfind.ts';
import { proppatch } from './proppatch.ts';
import type { Context, Person, Thing } from './properties.ts';
import { NO_REPORT, runReport, syncToken, type ReportDeps } from './reports.ts';
import { document, parseXml, wholeDocument, type Element } from './xml.ts';

export type DavDeps = CollectionsDeps & {
  positions: ReportDeps['positions'];
  /** The position of the newest ledger entry, which is the sync token. */
  head: (user_id: string) => Promise<LedgerPosition>;
  now: () => Instant;
  personOf: (user_id: string) => Promise<Person>;
};

const METHODS = 'OPTIONS, GET, HEAD, PUT, DELETE, PROPFIND, PROPPATCH, REPORT';
const DAV = { DAV: '1, 3, access-control, calendar-access' };
const Body = z.instanceof(Uint8Array).optional();

type Input = { caller: Caller; body: Uint8Array | undefined; request: RequestFacts };
type Handler = (place: Place, input: Input) => Promise<Stream>;

const multistatus = (pieces: AsyncIterable<string>): Stream =>
  new Stream(XML_TYPE, pieces, { status: 207, headers: DAV });
const empty = (status: number, headers: Record<string, string> = {}): Stream => new Stream('', '', { status, headers });

/** Reads the first piece, so that a refusal is answered before the answer begins. */
const begun = async (pieces: AsyncGenerator<string>): Promise<AsyncIterable<string>> => {
  const first = await pieces.next();
  return (async function* () {
    if (first.done) return;
    yield first.value;
    yield* pieces;
  })();
};

/** A body in XML, in UTF-8 or UTF-16; null where there is none. @throws 400 */
const xmlOf = (body: Uint8Array | undefined): Element | null => {
  if (!body?.length) return null;
  const isWide = (body[0] === 0xff && body[1] === 0xfe) || (body[0] === 0xfe && body[1] === 0xff);
  try {
    const label = isWide ? (body[0] === 0xff ? 'utf-16le' : 'utf-16be') : 'utf-8';
    return parseXml(new TextDecoder(label, { fatal: true }).decode(body));
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    throw problem('malformed_request', 'The XML body must be UTF-8.');
  }
};

const charsetOf = (type: string | undefined): string | undefined => /;\s*charset="?([^";\s]+)/i.exec(type ?? '')?.[1];

export const davRoutes = (deps: DavDeps): Route[] => {
  const collections = createCollections(deps);

  const contextOf = async (caller: Caller): Promise<Context> => {
    // Before anything else is read, so that the next report shows what changes meanwhile.
    const head = await deps.head(caller.user_id);
    const person = await deps.present(caller, await deps.personOf(caller.user_id));
    return { caller, person, sync_token: syncToken(writeLedgerPosition(head)), now: deps.now() };
  };

  const collectionAt = async (caller: Caller, place: Place): Promise<Collection> => {
    const found = await collections.find(caller, place.collection);
    if (!found) throw notHere();
    return found;
  };

  const find: Handler = async (place, { caller, body, request }) => {
    const asked = { depth: request.header('depth'), context: await contextOf(caller), collections };
    return multistatus(document('multistatus', await begun(propfind(place, xmlOf(body), asked))));
  };

  const patch: Handler = async (place, { caller, body }) => {
    const thing: Thing =
      place.kind === 'collection'
        ? { kind: 'collection', collection: await collectionAt(caller, place), order: 0 }
        : { kind: place.kind === 'object' ? 'home' : place.kind };
    const text = wholeDocument('multistatus', await proppatch(thing, xmlOf(body), await contextOf(caller)));
    return new Stream(XML_TYPE, text, { status: 207, headers: DAV });
  };

  const report: Handler = async (place, { caller, body }) => {
    const root = xmlOf(body);
    if (!root) throw problem('malformed_request', 'A report needs a body in XML.');
    if (place.kind !== 'collection') throw NO_REPORT();
    const collection = await collectionAt(caller, place);
    const done = await runReport({ collection, root, context: await contextOf(caller) }, deps);
    return done.kind === 'multistatus' ? multistatus(done.pieces) : new Stream(CALENDAR_TYPE, done.text);
  };

  const get: Handler = async (place, { caller, request }) => {
    const collection = await collectionAt(caller, place);
    const [object] = await collection.named([place.name]);
    if (!object) throw notHere();
    if (isKnown(request, object.etag)) return new Stream('', '', { status: 304, etag: object.etag });
    const text = textOf(object.events);
    return new Stream(CALENDAR_TYPE, text, {
      etag: object.etag,
      headers: {
        'Content-Length': String(Buffer.byteLength(text)),
        'Last-Modified': new Date(object.events[0].updated_at).toUTCString(),
        'Cache-Control': 'private, no-cache',
      },
    });
  };

  /** Answers a tag only where GET gives the bytes that were sent: another text makes the program read it again. */
  const put: Handler = async (place, { caller, body = new Uint8Array(), request }) => {
    const collection = await collectionAt(caller, place);
    const file = { bytes: body, charset: charsetOf(request.header('content-type')) };
    const { created } = await collection.put(place.name, file, conditionOf(request));
    const [object] = await collection.named([place.name]);
    const isSame = object !== undefined && Buffer.from(textOf(object.events)).equals(body);
    return new Stream('', '', { status: created ? 201 : 204, ...(isSame ? { etag: object.etag } : {}) });
  };

  const remove: Handler = async (place, { caller, request }) => {
    const collection = await collectionAt(caller, place);
    await collection.remove(place.name, conditionOf(request));
    return empty(204);
  };

  const handled =
    (handler: Handler) =>
    async ({ caller, body, request }: { caller: Caller; body: unknown; request: RequestFacts }): Promise<Stream> => {
      const place = placeOf(request.url.pathname);
      if (!place || (place.user_id !== '' && place.user_id !== caller.user_id)) throw notHere();
      try {
        return await handler(place, { caller, body: body as Uint8Array | undefined, request });
      } catch (error) {
        if (!(error instanceof Problem)) throw error;
        const shown = await presentProblem(error, (part) => deps.present(caller, part));
        const answer = answerOf(shown, caller.user_id);
        if (!answer) throw shown;
        return answer;
      }
    };

  const SUMMARIES: Partial<Record<Method, string>> = {
    propfind: 'List properties',
    proppatch: 'Change properties',
    report: 'Run a report',
    put: 'Write a calendar resource',
    get: 'Read a calendar resource',
    delete: 'Remove a calendar resource',
  };

  /** Programs send a body in XML, or a type of content without a body, also where none is read. */
  const ANY_BODY = { body: Body, accepts: { types: [ANY_TYPE], limit: MIB, bytes: true } };

  const davRoute = (method: Method, path: string, scopes: Scope[], handler: Handler) =>
    route({
      id: `dav ${method} ${path}`,
      method,
      path,
      summary: SUMMARIES[method] ?? '',
      scopes,
      basic: true,
      undocumented: true,
      otherProtocol: true,
      ...ANY_BODY,
      response: z.unknown(),
      handler: handled(handler),
    });

  const options = (path: string) =>
    route({
      id: `dav options ${path}`,
      method: 'options',
      path,
      summary: 'Tell what a resource supports',
      scopes: 'public',
      undocumented: true,
      ...ANY_BODY,
      response: z.unknown(),
      handler: () => empty(200, { ...DAV, Allow: METHODS, 'Content-Length': '0' }),
    });

  const moved = (method: Method) =>
    route({
      id: `dav ${method} discovery`,
      method,
      path: '/.well-known/caldav',
      summary: 'Find the calendars (RFC 6764)',
      scopes: 'public',
      undocumented: true,
      ...ANY_BODY,
      response: z.unknown(),
      handler: () => empty(301, { Location: '/dav/' }),
    });

  const collectionRoutes = (segment: string, reads: Scope, writes: Scope) => {
    const [path, objects] = [`/dav/calendars/:user_id/${segment}`, `/dav/calendars/:user_id/${segment}/:name`];
    return [
      davRoute('propfind', path, [reads], find),
      davRoute('proppatch', path, [writes], patch),
      davRoute('report', path, [reads], report),
      options(path),
      davRoute('propfind', objects, [reads], find),
      davRoute('report', objects, [reads], report),
      davRoute('get', objects, [reads], get),
      davRoute('put', objects, [writes], put),
      davRoute('delete', objects, [writes], remove),
      options(objects),
    ];
  };

  return routes('caldav', [
    moved('get'),
    moved('propfind'),
    davRoute('propfind', '/', [], find),
    ...['/dav', '/dav/principals', '/dav/principals/:user_id', '/dav/calendars/:user_id'].flatMap((path) => [
      davRoute('propfind', path, [], find),
      davRoute('proppatch', path, [], patch),
      davRoute('report', path, [], report),
      options(path),
    ]),
    ...collectionRoutes(OWN, 'calendar:read', 'calendar:write'),
    ...collectionRoutes(PROPOSALS, 'plan:read', 'plan:decide'),
    ...collectionRoutes(':source', 'calendar:read', 'calendar:write'),
  ]);
};
