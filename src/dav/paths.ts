/** The addresses of WebDAV resources. A name that a client sends is decoded, so `%40` and `@` are the same. */
import { addressOf, targetOf } from '../http/connection/address.ts';

const HOME = 'calendars';
/** The collections of every user. Those of sources are `source-<id>`. */
export const OWN = 'calendar';
export const PROPOSALS = 'agent-plan';
const SOURCE = 'source-';

/** No address contains an encoded separator, which proxies decode. A name that has a separator (that of a UID with a slash) is written with %252F. */
const written = (name: string): string => encodeURIComponent(name.replace(/[/\\]|%(?=25|2F|5C)/g, encodeURIComponent));
/** The name of a resource, of the decoded last segment of its address. */
export const nameOf = (segment: string): string => segment.replace(/%(?:25|2F|5C)/g, decodeURIComponent);

/** The name of the resource that a client’s href means (a path or a whole address), where it is in that collection; else null. */
export const nameAt = (href: string, user_id: string, collection: string): string | null => {
  const path = addressOf(targetOf(href) ?? '')?.pathname.replace(/^\/v1(?=\/)/, '');
  try {
    const [, root, home, user, id, segment, ...more] = (path ?? '').split('/').map(decodeURIComponent);
    const isHere = root === 'dav' && home === HOME && user === user_id && id === collection && !more.length;
    return isHere && segment ? nameOf(segment) : null;
  } catch {
    return null;
  }
};

const path = (...parts: string[]): string => `/dav/${parts.map((part) => `${encodeURIComponent(part)}/`).join('')}`;

export const rootPath = (): string => path();
export const principalsPath = (): string => path('principals');
export const principalPath = (user_id: string): string => path('principals', user_id);
export const homePath = (user_id: string): string => path(HOME, user_id);
export const collectionPath = (user_id: string, collection: string): string => path(HOME, user_id, collection);
export const objectPath = (user_id: string, collection: string, name: string): string =>
  collectionPath(user_id, collection) + written(name);

export const sourceCollection = (id: string): string => `${SOURCE}${id}`;
export const sourceOf = (collection: string): string | null =>
  collection.startsWith(SOURCE) ? collection.slice(SOURCE.length) : null;
