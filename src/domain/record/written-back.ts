/** Finds what a program means that sends back a value which it was shown with blanks. */
import { canonicalJson } from './canonical-json.ts';

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const same = (a: unknown, b: unknown): boolean => canonicalJson([a ?? null]) === canonicalJson([b ?? null]);

/**
 * The value to store: what was sent, with the stored text wherever it was sent as it was shown.
 * @returns null where a text that was shown with blanks was changed
 */
export const writtenBack = (sent: unknown, shown: unknown, stored: unknown): { value: unknown } | null => {
  if (same(sent, shown)) return { value: stored };
  if (same(shown, stored)) return { value: sent };
  if (Array.isArray(sent) && Array.isArray(shown) && Array.isArray(stored)) return itemsBack(sent, shown, stored);
  if (isObject(sent) && isObject(shown) && isObject(stored)) return membersBack(sent, shown, stored);
  return null;
};

type Members = Record<string, unknown>;

/** A member that was not sent is removed, which needs no sight of it. */
const membersBack = (sent: Members, shown: Members, stored: Members): { value: unknown } | null => {
  const entries = Object.entries(sent).map(([name, value]) => {
    const isThere = Object.hasOwn(shown, name) && Object.hasOwn(stored, name);
    return [name, isThere ? writtenBack(value, shown[name], stored[name]) : { value }] as const;
  });
  return entries.some(([, back]) => back === null)
    ? null
    : { value: Object.fromEntries(entries.map(([name, back]) => [name, back?.value])) };
};

/** Items may be sent in another order. An item that has blanks must be among them, since a changed item and a new one are the same here. */
const itemsBack = (sent: unknown[], shown: unknown[], stored: unknown[]): { value: unknown } | null => {
  const places = new Map<string, number[]>();
  for (const [i, item] of shown.entries()) {
    const key = canonicalJson([item]);
    places.set(key, [...(places.get(key) ?? []), i]);
  }
  const value = sent.map((item) => {
    const place = places.get(canonicalJson([item]))?.shift();
    return place === undefined ? item : stored[place];
  });
  const left = [...places.values()].flat();
  return left.some((i) => !same(shown[i], stored[i])) ? null : { value };
};
