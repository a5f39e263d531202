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

/** The merge patch that has the effect of one after another. */
export const joinedPatch = (first: unknown, second: unknown): unknown => {
  if (!isObject(first) || !isObject(second)) return second;
  const joined = new Map(Object.entries(first));
  for (const [key, value] of Object.entries(second))
    if (value !== undefined) joined.set(key, joined.has(key) ? joinedPatch(joined.get(key), value) : value);
  return Object.fromEntries(joined);
};
