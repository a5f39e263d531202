/** The WebDAV routes for calendar programs (CalDAV, RFC 4791). Calendars are collections.ts, properties properties.ts. */
import { z } from 'zod';
import { Problem, problem } from '../common/problem.ts';
import { runYielding } from '../common/yielding.ts';
import type { Caller } from '../domain/access/caller.ts';
import type { Instant } from '../domain/time/time.ts';
import { writeLedgerPosition, type LedgerPosition } from '../ledger/ledger-position.ts';
import { ANY_TYPE } from '../http/body/body.ts';
import { presentProblem } from '../http/problems/json.ts';
import { conditionOf, isKnown } from '../http/preconditions.ts';
import { MIB, route, routes, Stream, type Method, type RequestFacts, type Route } from '../http/route.ts';
import { createCollections, type CollectionsDeps, type Use } from './collections.ts';
import { CALENDAR_TYPE, textOf } from './object-text.ts';
import { nameOf } from './paths.ts';
import { answerOf, notHere, XML_TYPE } from './preconditions.ts';
import { propfind } from './propfind.ts';
import { proppatch } from './proppatch.ts';
import { maySeeIdentity } from './properties.ts';
import type { Context, Identity, Person, Place, PlainKind, Thing } from './properties.ts';
import { NO_REPORT, runReport, syncToken, type ReportDeps } from './reports.ts';
import { createWork } from './work.ts';
import { document, parsingXml, wholeDocument, type Element } from './xml.ts';

export type DavDeps = CollectionsDeps & {
  positions: ReportDeps['positions'];
  /** The position of the newest ledger entry, which is the sync token. */
  head: (user_id: string) => Promise<LedgerPosition>;
  now: () => Instant;
  personOf: (user_id: string) => Promise<Person & { identity: Identity }>;
};

const METHODS = 'OPTIONS, GET, HEAD, PUT, DELETE, PROPFIND, PROPPATCH, REPORT';
const DAV = { DAV: '1, 3, access-control, calendar-access' };
const Body = z.instanceof(Uint8Array).optional();

type Input = { caller: Caller; body: Uint8Array | undefined; request: RequestFacts };
type Handler<P extends Place> = (place: P, input: Input) => Promise<Stream>;
type ObjectPlace = Extract<Place, { kind: 'object' }>;
/** Finds what the address means. @throws 403, 404 */
type Opening<P extends Place> = (caller: Caller, params: RequestFacts['params']) => Promise<P>;

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
const xmlOf = async (body: Uint8Array | undefined): Promise<Element | null> => {
  if (!body?.length) return null;
  const isWide = (body[0] === 0xff && body[1] === 0xfe) || (body[0] === 0xfe && body[1] === 0xff);
  try {
    const label = isWide ? (body[0] === 0xff ? 'utf-16le' : 'utf-16be') : 'utf-8';
    return await runYielding(parsingXml(new TextDecoder(label, { fatal: true }).decode(body)));
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    throw problem('malformed_request', 'The XML body must be UTF-8.');
  }
};

const charsetOf = (type: string | undefined): string | undefined => /;\s*charset="?([^";\s]+)/i.exec(type ?? '')?.[1];

// oxlint-disable-next-line eslint/max-lines-per-function -- This is a table of routes.
export const davRoutes = (deps: DavDeps): Route[] => {
  const collections = createCollections(deps);

  const contextOf = async (caller: Caller): Promise<Context> => {
    // Before anything else is read, so that the next report shows what changes meanwhile.
    const head = await deps.head(caller.user_id);
    const { identity, looks } = await deps.personOf(caller.user_id);
    const person = await deps.present(caller, { identity: maySeeIdentity(caller) ? identity : null, looks });
    return { caller, person, sync_token: syncToken(writeLedgerPosition(head)), now: deps.now() };
  };

  const requireOwn = (caller: Caller, user_id: string | undefined): void => {
    if (user_id !== undefined && user_id !== caller.user_id) throw notHere();
  };

  const at =
    (kind: PlainKind): Opening<{ kind: PlainKind }> =>
    async (caller, { user_id }) => {
      requireOwn(caller, user_id);
      return { kind };
    };

  const collectionAt =
    (use: Use): Opening<Extract<Place, { kind: 'collection' }>> =>
    async (caller, { user_id, collection: id = '' }) => {
      requireOwn(caller, user_id);
      const collection = await collections.find(caller, id, use);
      if (!collection) throw notHere();
      return { kind: 'collection', collection };
    };

  const objectAt =
    (use: Use): Opening<ObjectPlace> =>
    async (caller, params) => {
      const { collection } = await collectionAt(use)(caller, params);
      return { kind: 'object', collection, name: nameOf(params['name'] ?? '') };
    };

  const find: Handler<Place> = async (place, { caller, body, request }) => {
    const context = await contextOf(caller);
    const asked = { depth: request.header('depth'), context, collections, work: createWork() };
    return multistatus(document('multistatus', await begun(propfind(place, await xmlOf(body), asked))));
  };

  const patch: Handler<Exclude<Place, ObjectPlace>> = async (place, { caller, body }) => {
    const thing: Thing = place.kind === 'collection' ? { ...place, order: 0 } : place;
    const text = wholeDocument('multistatus', await proppatch(thing, await xmlOf(body), await contextOf(caller)));
    return new Stream(XML_TYPE, text, { status: 207, headers: DAV });
  };

  const report: Handler<Place> = async (place, { caller, body }) => {
    const root = await xmlOf(body);
    if (!root) throw problem('malformed_request', 'A report needs a body in XML.');
    if (place.kind !== 'collection') throw NO_REPORT();
    const { collection } = place;
    const asked = { collection, root, context: await contextOf(caller), work: createWork() };
    const done = await runReport(asked, deps);
    return done.kind === 'multistatus' ? multistatus(done.pieces) : new Stream(CALENDAR_TYPE, done.text);
  };

  const get: Handler<ObjectPlace> = async ({ collection, name }, { request }) => {
    const [object] = await collection.named([name]);
    if (!object) throw notHere();
    if (isKnown(request, object.etag)) return new Stream('', '', { status: 304, etag: object.etag });
    const text = await textOf(object.events);
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
  const put: Handler<ObjectPlace> = async ({ collection, name }, { body = new Uint8Array(), request }) => {
    const file = { bytes: body, charset: charsetOf(request.header('content-type')) };
    const { created } = await collection.put(name, file, conditionOf(request));
    const [object] = await collection.named([name]);
    const isSame = object !== undefined && Buffer.from(await textOf(object.events)).equals(body);
    return new Stream('', '', { status: created ? 201 : 204, ...(isSame ? { etag: object.etag } : {}) });
  };

  const remove: Handler<ObjectPlace> = async ({ collection, name }, { request }) => {
    await collection.remove(name, conditionOf(request));
    return empty(204);
  };

  const handled =
    <P extends Place>(open: Opening<P>, handler: Handler<P>) =>
    async ({ caller, body, request }: { caller: Caller; body: unknown; request: RequestFacts }): Promise<Stream> => {
      try {
        return await handler(await open(caller, request.params), {
          caller,
          body: body as Uint8Array | undefined,
          request,
        });
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

  /** The scopes are those of the collection that is opened. */
  const davRoute = <P extends Place>(method: Method, path: string, open: Opening<P>, handler: Handler<P>) =>
    route({
      id: `dav ${method} ${path}`,
      method,
      path,
      summary: SUMMARIES[method] ?? '',
      scopes: [],
      basic: true,
      undocumented: true,
      otherProtocol: true,
      ...ANY_BODY,
      response: z.unknown(),
      handler: handled(open, handler),
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

  const PLAIN: [path: string, kind: PlainKind][] = [
    ['/dav', 'root'],
    ['/dav/principals', 'principals'],
    ['/dav/principals/:user_id', 'principal'],
    ['/dav/calendars/:user_id', 'home'],
  ];
  const COLLECTION = '/dav/calendars/:user_id/:collection';
  const OBJECT = `${COLLECTION}/:name`;

  return routes('caldav', [
    moved('get'),
    moved('propfind'),
    davRoute('propfind', '/', at('root'), find),
    ...PLAIN.flatMap(([path, kind]) => [
      davRoute('propfind', path, at(kind), find),
      davRoute('proppatch', path, at(kind), patch),
      davRoute('report', path, at(kind), report),
      options(path),
    ]),
    davRoute('propfind', COLLECTION, collectionAt('reads'), find),
    davRoute('proppatch', COLLECTION, collectionAt('writes'), patch),
    davRoute('report', COLLECTION, collectionAt('reads'), report),
    options(COLLECTION),
    davRoute('propfind', OBJECT, objectAt('reads'), find),
    davRoute('report', OBJECT, objectAt('reads'), report),
    davRoute('get', OBJECT, objectAt('reads'), get),
    davRoute('put', OBJECT, objectAt('writes'), put),
    davRoute('delete', OBJECT, objectAt('writes'), remove),
    options(OBJECT),
  ]);
};
