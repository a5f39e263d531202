/** What this tab keeps for a person until they sign out: what they typed and did not send, and their conversation. */
import { who } from './service.ts';

const PREFIX = 'almanac-kept ';

const keyOf = (name: string): string | undefined =>
  who.value.is === 'person' ? `${PREFIX}${who.value.user.user_id} ${name}` : undefined;

/** @returns what `keep` was given, undefined where nothing is kept */
export const readKept = (name: string): unknown => {
  const key = keyOf(name);
  const text = key === undefined ? null : sessionStorage.getItem(key);
  return text === null ? undefined : JSON.parse(text);
};

/** The names that begin so. */
export const keptNames = (prefix: string): string[] => {
  const start = keyOf(prefix);
  const own = keyOf('')?.length;
  return Object.keys(sessionStorage).flatMap((key) =>
    start !== undefined && key.startsWith(start) ? key.slice(own) : [],
  );
};

/** @param value undefined forgets it */
export const keep = (name: string, value: unknown): void => {
  const key = keyOf(name);
  if (key === undefined) return;
  if (value === undefined) return sessionStorage.removeItem(key);
  try {
    sessionStorage.setItem(key, JSON.stringify(value));
  } catch {
    // The browser keeps some MB for a page. Without space, the page works as one that keeps nothing.
    sessionStorage.removeItem(key);
  }
};

/** Nobody who signs in later in this tab may read it. */
export const forgetKept = (): void => {
  for (const key of Object.keys(sessionStorage)) if (key.startsWith(PREFIX)) sessionStorage.removeItem(key);
};
