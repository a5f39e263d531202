/** The addresses of WebDAV resources. A name that a client sends is decoded, so `%40` and `@` are the same. */

export const HOME = 'calendars';
/** The collections of every user. Those of sources are `source-<id>`. */
export const OWN = 'calendar';
export const PROPOSALS = 'agent-plan';
const SOURCE = 'source-';

export type Place = {
  kind: 'root' | 'principals' | 'principal' | 'home' | 'collection' | 'object';
  user_id: string;
  collection: string;
  name: string;
};

const NOWHERE = { user_id: '', collection: '', name: '' };

/** The place of a path; null where nothing can be. */
export const placeOf = (pathname: string): Place | null => {
  let parts: string[];
  try {
    parts = pathname
      .replace(/^\/v1(?=\/)/, '')
      .split('/')
      .filter((part) => part !== '')
      .map(decodeURIComponent);
  } catch {
    return null;
  }
  const [first, second, user_id, collection, name, ...more] = parts;
  if (first === undefined) return { kind: 'root', ...NOWHERE };
  if (first !== 'dav' || more.length) return null;
  // Postgres stores no such text.
  if (parts.some((part) => part.includes('\0'))) return null;
  if (second === undefined) return { kind: 'root', ...NOWHERE };
  if (second === 'principals' && collection === undefined)
    return user_id === undefined ? { kind: 'principals', ...NOWHERE } : { kind: 'principal', ...NOWHERE, user_id };
  if (second !== HOME || user_id === undefined) return null;
  if (collection === undefined) return { kind: 'home', ...NOWHERE, user_id };
  return name === undefined
    ? { kind: 'collection', user_id, collection, name: '' }
    : { kind: 'object', user_id, collection, name };
};

/** The place that a client’s href means: a path or a whole address. */
export const placeOfHref = (href: string): Place | null => {
  const url = URL.parse(href.trim(), 'http://almanac');
  return url && placeOf(url.pathname);
};

const path = (...parts: string[]): string => `/dav/${parts.map((part) => `${encodeURIComponent(part)}/`).join('')}`;

export const rootPath = (): string => path();
export const principalsPath = (): string => path('principals');
export const principalPath = (user_id: string): string => path('principals', user_id);
export const homePath = (user_id: string): string => path(HOME, user_id);
export const collectionPath = (user_id: string, collection: string): string => path(HOME, user_id, collection);
export const objectPath = (user_id: string, collection: string, name: string): string =>
  collectionPath(user_id, collection) + encodeURIComponent(name);

export const sourceCollection = (id: string): string => `${SOURCE}${id}`;
export const sourceOf = (collection: string): string | null =>
  collection.startsWith(SOURCE) ? collection.slice(SOURCE.length) : null;
