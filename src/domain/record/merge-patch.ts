/** Applies JSON Merge Patch (RFC 7396). It has no schemas, so that the console can load it. */

export type JsonObject = Record<string, unknown>;

export const isObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/**
 * Applies a JSON Merge Patch (RFC 7396) and returns a new value: members of `patch` replace those of `target`, null removes one,
 * and a patch that is not an object replaces the whole. `__proto__` and `constructor` are ordinary members and never reach a
 * prototype.
 */
export const mergePatch = (target: unknown, patch: unknown): unknown => {
  if (!isObject(patch)) return patch;
  const merged = new Map(isObject(target) ? Object.entries(target) : []);
  for (const [key, value] of Object.entries(patch)) {
    if (value === null) merged.delete(key);
    else if (value !== undefined) merged.set(key, mergePatch(merged.get(key), value));
  }
  return Object.fromEntries(merged);
};

/** A member of its own, since clients choose the names: `constructor` must not find an inherited one. */
export const ownMember = (object: JsonObject, name: string): unknown =>
  Object.hasOwn(object, name) ? object[name] : undefined;

/**
 * The merge patch that has the effect of one after another; undefined where there is none: a patch cannot empty an object and give it
 * members.
 */
export const joinedPatch = (first: unknown, second: unknown): unknown => {
  if (first === undefined || !isObject(second)) return second;
  if (!isObject(first)) return undefined;
  const joined = new Map(Object.entries(first));
  for (const [name, value] of Object.entries(second)) {
    if (value === undefined) continue;
    const both = joinedPatch(ownMember(first, name), value);
    if (both === undefined) return undefined;
    joined.set(name, both);
  }
  return Object.fromEntries(joined);
};
