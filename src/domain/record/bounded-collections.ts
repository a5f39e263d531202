/**
 * Zod lists and dictionaries with a bound for request bodies. Zod reports every fault at some microseconds each, and a body of 1
 * MiB can have hundreds of thousands, so a list stops after a hundred. A test checks that every route's schemas are bounded.
 */
import { z } from 'zod';

/** A problem lists at most this many faults; a search for more would only take time. */
export const MAX_FAULTS = 100;

type Item = z.ZodType;
/** `most` is the limit of the list's check, repeated here so that the parser knows it before the first item. */
type ListDef = z.core.$ZodArrayDef<Item> & { most?: number };
type DictionaryDef = z.core.$ZodRecordDef & { most?: number };

type Parse = (
  payload: z.core.ParsePayload,
  ctx: z.core.ParseContextInternal,
) => z.core.util.MaybeAsync<z.core.ParsePayload>;

/** Replaces a schema's parser by `parse`, which may delegate to zod's own. */
const override = (schema: z.ZodType, parse: (library: Parse) => Parse): void => {
  const { _zod: internals } = schema;
  const library: Parse = internals.parse.bind(internals);
  internals.parse = parse(library);
};

/** Parses one item as zod's own list does. */
const runOf = (item: Item, value: unknown, ctx: z.core.ParseContextInternal): z.core.ParsePayload => {
  const result = item._zod.run({ value, issues: [] }, ctx);
  if (result instanceof Promise) throw new z.core.$ZodAsyncError();
  return result;
};

/** Returns whether zod should report the fault: the value is not an array, or it is too long. */
const isForLibrary = ({ most = 0 }: ListDef, value: unknown): boolean => !Array.isArray(value) || value.length > most;

/** It has a class of its own, because only then do its copies (with a description, with checks) parse the same way. */
const BoundedList = z.core.$constructor<z.ZodArray>('BoundedList', (schema, def) => {
  z.ZodArray.init(schema, def);
  const { element } = def as ListDef;
  override(schema, (library) => (payload, ctx) => {
    if (isForLibrary(def as ListDef, payload.value)) return library(payload, ctx);
    const made: unknown[] = [];
    for (const [i, item] of (payload.value as unknown[]).entries()) {
      const { issues, value } = runOf(element, item, ctx);
      made.push(value);
      for (const issue of issues) payload.issues.push({ ...issue, path: [i, ...(issue.path ?? [])] });
      if (payload.issues.length >= MAX_FAULTS) break;
    }
    payload.value = made;
    return payload;
  });
});

const UnreadList = z.core.$constructor<z.ZodArray>('UnreadList', (schema, def) => {
  z.ZodArray.init(schema, def);
  override(
    schema,
    (library) => (payload, ctx) => (isForLibrary(def as ListDef, payload.value) ? library(payload, ctx) : payload),
  );
});

const Dictionary = z.core.$constructor<z.ZodRecord>('Dictionary', (schema, def) => {
  z.ZodRecord.init(schema, def);
  const { most = 0 } = def as DictionaryDef;
  override(schema, (library) => (payload, ctx) => {
    const { value } = payload;
    if (typeof value !== 'object' || value === null || Object.keys(value).length <= most) return library(payload, ctx);
    payload.issues.push({ code: 'custom', message: `has more than ${most} members`, input: value, inst: schema });
    return payload;
  });
});

/** A list of at most `max` items that reports the first hundred faults. */
export const list = <T extends Item>(element: T, max: number): z.ZodArray<T> => {
  const def: ListDef = { type: 'array', element, most: max };
  return (new BoundedList(def) as unknown as z.ZodArray<T>).max(max);
};

/**
 * A list of at most `max` items that are not parsed here. The handler parses them one by one, so that it can yield to other
 * requests.
 */
export const unreadList = (element: Item, max: number): z.ZodArray<z.ZodUnknown> => {
  const def: ListDef = { type: 'array', element, most: max };
  return (new UnreadList(def) as unknown as z.ZodArray<z.ZodUnknown>).max(max);
};

/** A dictionary of at most `max` members. */
export const dictionary = <V extends Item>(keyType: z.ZodString, valueType: V, max: number) => {
  const def = { type: 'record', keyType, valueType, most: max } as const;
  const made = new Dictionary(def) as unknown as z.ZodRecord<z.ZodString, V>;
  return made.meta({ maxProperties: max });
};
