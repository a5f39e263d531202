/** The properties of every kind of resource, as a table. A property that is not in it is answered with 404 inside the 207. */
import type { CalendarObject } from '../calendar/objects/objects.ts';
import { problem } from '../common/problem.ts';
import type { Caller } from '../domain/access/caller.ts';
import { vtimezone } from '../domain/calendar/ics/vtimezone.ts';
import type { Instant } from '../domain/time/time.ts';
import { mayUse, type CalendarLook, type Collection } from './collections.ts';
import { textOf, CALENDAR_TYPE, MAX_RESOURCE_BYTES } from './object-text.ts';
import { COLLATIONS } from './text-match.ts';
import type { Work } from './work.ts';
import { collectionPath, homePath, objectPath, principalPath, principalsPath, PROPOSALS, rootPath } from './paths.ts';
import { APPLE, C, CS, D, escaped, named, xml, type Element } from './xml.ts';

/** Who the person is. */
export type Identity = { email: string; display_name: string };
/** `looks` are what programs set, by collection. `identity` is null where the caller may not see it. */
export type Person = { identity: Identity | null; looks: Record<string, CalendarLook> };
export type Context = { caller: Caller; person: Person; sync_token: string; now: Instant };

/**
 * The person's own credentials see who the person is, as their calendar programs do; an agent only where it may read the profile
 * (docs/decisions.md, Calendar programs decide as REST does).
 */
export const maySeeIdentity = ({ origin, scopes }: Caller): boolean => origin === 'user' || scopes.has('user:read');

/** What is no calendar and in none. */
export type PlainKind = 'root' | 'principals' | 'principal' | 'home';

/** What an address means for its caller. A collection was opened for what the request does with it. */
export type Place =
  | { kind: PlainKind }
  | { kind: 'collection'; collection: Collection }
  | { kind: 'object'; collection: Collection; name: string };

export type Thing =
  | { kind: PlainKind }
  | { kind: 'collection'; collection: Collection; order: number }
  /** `object` is the whole resource, and `bytes` the length of its text, where a property that needs it was asked for. */
  | {
      kind: 'object';
      collection: Collection;
      name: string;
      etag: string;
      object?: CalendarObject | undefined;
      bytes?: number | undefined;
    };

type CollectionThing = Extract<Thing, { kind: 'collection' }>;
type ObjectThing = Extract<Thing, { kind: 'object' }>;
/** A value is XML; null where the resource has none. */
type Table<T> = Record<string, (thing: T, context: Context) => string | null>;

const hrefOf = (path: string): string => xml(named(D, 'href'), escaped(path));
const empty = (namespace: string, ...locals: string[]): string =>
  locals.map((local) => xml(named(namespace, local))).join('');

/** The address of a resource. */
export const pathOf = (thing: Thing, { caller: { user_id } }: Context): string => {
  if (thing.kind === 'collection') return collectionPath(user_id, thing.collection.id);
  if (thing.kind === 'object') return objectPath(user_id, thing.collection.id, thing.name);
  if (thing.kind === 'principal') return principalPath(user_id);
  if (thing.kind === 'principals') return principalsPath();
  return thing.kind === 'home' ? homePath(user_id) : rootPath();
};

/** Every resource has these: programs begin anywhere. */
const COMMON: Table<unknown> = {
  [named(D, 'current-user-principal')]: (_thing, { caller }) => hrefOf(principalPath(caller.user_id)),
  [named(D, 'principal-collection-set')]: () => hrefOf(principalsPath()),
  [named(D, 'owner')]: (_thing, { caller }) => hrefOf(principalPath(caller.user_id)),
};

const homeSet: Table<unknown> = {
  [named(C, 'calendar-home-set')]: (_thing, { caller }) => hrefOf(homePath(caller.user_id)),
};

const privilegesOf = (collection: Collection, caller: Caller): string => {
  const mayRead = mayUse(caller, collection, 'reads');
  const mayWrite = !collection.readOnly && mayUse(caller, collection, 'writes');
  const privileges = [
    ...(mayRead ? [named(D, 'read'), named(D, 'read-current-user-privilege-set'), named(C, 'read-free-busy')] : []),
    ...(mayWrite ? [named(D, 'write-content'), named(D, 'write-properties'), named(D, 'unbind')] : []),
    // Nobody adds events to the proposals of agents.
    ...(mayWrite && collection.id !== PROPOSALS ? [named(D, 'write'), named(D, 'bind')] : []),
  ];
  return privileges.map((name) => xml(named(D, 'privilege'), xml(name))).join('');
};

const REPORTS = [
  ...['calendar-query', 'calendar-multiget', 'free-busy-query'].map((local) => named(C, local)),
  named(D, 'sync-collection'),
];

type Look = { [K in keyof CalendarLook]-?: NonNullable<CalendarLook[K]> };

/** How a calendar is shown: what a program has set, else what Almanac says. */
const lookOf = ({ collection, order }: CollectionThing, { person, caller }: Context): Look => {
  const { name, description, color, transparent } = collection;
  const own = { name, description, color: color ?? '', order, timezone: caller.zone, transparent };
  return { ...own, ...person.looks[collection.id] } as Look;
};

/** RFC 4791 §5.2.2 wants a whole calendar with one VTIMEZONE. */
const zoneText = (zone: string, year: number): string =>
  [
    'BEGIN:VCALENDAR',
    'VERSION:2.0',
    'PRODID:-//Almanac//Almanac//EN',
    vtimezone(zone, year, year),
    'END:VCALENDAR',
    '',
  ].join('\r\n');

const COLLECTION: Table<CollectionThing> = {
  [named(D, 'resourcetype')]: () => empty(D, 'collection') + empty(C, 'calendar'),
  [named(D, 'displayname')]: (thing, context) => escaped(lookOf(thing, context).name),
  [named(D, 'sync-token')]: (_thing, { sync_token }) => sync_token,
  [named(D, 'current-user-privilege-set')]: ({ collection }, { caller }) => privilegesOf(collection, caller),
  [named(D, 'supported-report-set')]: () =>
    REPORTS.map((name) => xml(named(D, 'supported-report'), xml(named(D, 'report'), xml(name)))).join(''),
  [named(CS, 'getctag')]: (_thing, { sync_token }) => sync_token,
  [named(C, 'calendar-description')]: (thing, context) => escaped(lookOf(thing, context).description),
  [named(C, 'supported-calendar-component-set')]: () => xml(named(C, 'comp'), '', { name: 'VEVENT' }),
  [named(C, 'supported-calendar-data')]: () =>
    xml(named(C, 'calendar-data'), '', { 'content-type': 'text/calendar', version: '2.0' }),
  [named(C, 'supported-collation-set')]: () =>
    COLLATIONS.map((name) => xml(named(C, 'supported-collation'), name)).join(''),
  [named(C, 'max-resource-size')]: () => String(MAX_RESOURCE_BYTES),
  [named(C, 'calendar-timezone')]: (thing, context) =>
    escaped(zoneText(lookOf(thing, context).timezone, Number(context.now.slice(0, 4)))),
  [named(C, 'schedule-calendar-transp')]: (thing, context) =>
    xml(named(C, lookOf(thing, context).transparent ? 'transparent' : 'opaque')),
  [named(APPLE, 'calendar-order')]: (thing, context) => String(lookOf(thing, context).order),
  [named(APPLE, 'calendar-color')]: (thing, context) => escaped(lookOf(thing, context).color) || null,
};

const LENGTH = named(D, 'getcontentlength');

/** These need the whole resource; the others only its name and tag. */
const OF_WHOLE: Table<ObjectThing & { object: CalendarObject }> = {
  [LENGTH]: ({ bytes }) => (bytes === undefined ? null : String(bytes)),
  [named(D, 'getlastmodified')]: ({ object }) => new Date(object.events[0].updated_at).toUTCString(),
  [named(D, 'creationdate')]: ({ object }) => object.events[0].created_at,
};

const OBJECT: Table<ObjectThing> = {
  [named(D, 'resourcetype')]: () => '',
  [named(D, 'getetag')]: ({ etag }) => escaped(`"${etag}"`),
  [named(D, 'getcontenttype')]: () => escaped(`${CALENDAR_TYPE}; component=VEVENT`),
  [named(D, 'current-user-privilege-set')]: ({ collection }, { caller }) => privilegesOf(collection, caller),
};

const PLAIN_COLLECTION: Table<unknown> = { [named(D, 'resourcetype')]: () => empty(D, 'collection') };

const TABLES: { [K in Thing['kind']]: Table<Extract<Thing, { kind: K }>> } = {
  root: { ...COMMON, ...homeSet, ...PLAIN_COLLECTION },
  principals: { ...COMMON, ...PLAIN_COLLECTION },
  principal: {
    ...COMMON,
    ...homeSet,
    [named(D, 'resourcetype')]: () => empty(D, 'collection', 'principal'),
    [named(D, 'displayname')]: (_thing, { person: { identity } }) => identity && escaped(identity.display_name),
    [named(D, 'principal-URL')]: (_thing, { caller }) => hrefOf(principalPath(caller.user_id)),
    [named(C, 'calendar-user-address-set')]: (_thing, { person: { identity }, caller }) =>
      identity && hrefOf(`mailto:${identity.email}`) + hrefOf(principalPath(caller.user_id)),
  },
  home: { ...COMMON, ...homeSet, ...PLAIN_COLLECTION, [named(D, 'displayname')]: () => 'Almanac' },
  collection: { ...COMMON, ...COLLECTION },
  object: { ...COMMON, ...OBJECT },
};

/** What a request asks for: these properties, all that are in the table, or only their names. */
export type Wanted = { names: readonly string[]; all: boolean; namesOnly: boolean };

/** Programs ask for some forty. Each is answered for each resource, also where it is unknown. */
export const MOST_PROPERTIES = 200;

/** The names of the properties in a `prop`. @throws 400 */
export const namesIn = (prop: Element | undefined): string[] => {
  const names = [...new Set(prop?.children.map(({ name }) => name))];
  if (names.length > MOST_PROPERTIES)
    throw problem('malformed_request', `Ask for at most ${MOST_PROPERTIES} properties at once.`);
  return names;
};

export const needsWhole = ({ names }: Wanted): boolean => names.some((name) => Object.hasOwn(OF_WHOLE, name));

/** A resource that was read, with what the properties that are wanted need. @throws 403 */
export const objectThing = async (
  collection: Collection,
  object: CalendarObject,
  { wanted, work }: { wanted: Wanted; work: Work },
): Promise<ObjectThing> => {
  const thing: ObjectThing = { kind: 'object', collection, name: object.name, etag: object.etag, object };
  if (!wanted.names.includes(LENGTH)) return thing;
  const bytes = Buffer.byteLength(await textOf(object.events));
  work.text(bytes);
  return { ...thing, bytes };
};

/** Counts an answer. Also what no resource has is answered for each of them. @throws 403 */
export const countNames = ({ names }: Wanted, work: Work): void => {
  for (const name of names) work.text(name.length + 32);
};

const valueOf = (thing: Thing, name: string, context: Context): string | null => {
  const table = TABLES[thing.kind] as Table<Thing>;
  if (Object.hasOwn(table, name)) return (table[name] as Table<Thing>[string])(thing, context);
  if (thing.kind === 'object' && thing.object && Object.hasOwn(OF_WHOLE, name))
    return (OF_WHOLE[name] as (typeof OF_WHOLE)[string])({ ...thing, object: thing.object }, context);
  return null;
};

const propstat = (values: string[], status: string): string =>
  values.length
    ? xml(named(D, 'propstat'), xml(named(D, 'prop'), values.join('')) + xml(named(D, 'status'), `HTTP/1.1 ${status}`))
    : '';

/** The `response` of one resource. `extra` are values that a report adds. */
export const responseOf = (
  thing: Thing,
  wanted: Wanted,
  context: Context,
  { href = pathOf(thing, context), extra = {} }: { href?: string; extra?: Record<string, string> } = {},
): string => {
  const names = wanted.all ? [...new Set([...Object.keys(TABLES[thing.kind]), ...wanted.names])] : wanted.names;
  const [found, missing]: [string[], string[]] = [[], []];
  for (const name of names) {
    const value = Object.hasOwn(extra, name) ? (extra[name] ?? null) : valueOf(thing, name, context);
    if (value === null) missing.push(xml(name));
    else found.push(xml(name, wanted.namesOnly ? '' : value));
  }
  const stats = propstat(found, '200 OK') + propstat(missing, '404 Not Found');
  return xml(named(D, 'response'), hrefOf(href) + (stats === '' ? propstatOfNothing : stats));
};

/** A response must have a propstat (RFC 4918 §14.24), also where nothing was asked for. */
const propstatOfNothing = xml(named(D, 'propstat'), xml(named(D, 'prop')) + xml(named(D, 'status'), 'HTTP/1.1 200 OK'));

/** The `response` of a resource that has only a status. `error` is the precondition that failed. */
export const statusOf = (href: string, status: string, error?: string): string =>
  xml(
    named(D, 'response'),
    hrefOf(href) +
      xml(named(D, 'status'), `HTTP/1.1 ${status}`) +
      (error === undefined ? '' : xml(named(D, 'error'), xml(error))),
  );
