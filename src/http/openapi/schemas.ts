/**
 * Converts zod schemas to components/schemas of OpenAPI. A named schema is written once, or twice where its input and output
 * differ.
 */
import { z } from 'zod';

export type JsonSchema = { [key: string]: unknown };

type Io = 'input' | 'output';

const HOME = '#/components/schemas/';
/** A temporary $ref, until it is known whether the input and the output of a schema are equal. */
const provisional = (id: string, io: Io): string => `${HOME}${id}~${io}`;

/** Maps every $ref in a JSON value. */
const mapRefs = (value: unknown, map: (ref: string) => string): unknown => {
  if (Array.isArray(value)) return value.map((item) => mapRefs(item, map));
  if (value === null || typeof value !== 'object') return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [
      key,
      key === '$ref' && typeof item === 'string' ? map(item) : mapRefs(item, map),
    ]),
  );
};

/**
 * Writes `anyOf: [{type: string}, {type: null}]` as `type: [string, null]`, with which openapi-typescript keeps the description, and
 * `additionalProperties: {}` as `true`. Scalar reports the longer forms as faults.
 */
const shortened = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(shortened);
  if (value === null || typeof value !== 'object') return value;
  const node = Object.fromEntries(Object.entries(value).map(([key, item]) => [key, shortened(item)]));
  const open = node['additionalProperties'];
  if (typeof open === 'object' && !Object.keys(open as object).length) node['additionalProperties'] = true;
  const [some, none, ...others] = (Array.isArray(node['anyOf']) ? node['anyOf'] : []) as JsonSchema[];
  const isNullable = typeof some?.['type'] === 'string' && none?.['type'] === 'null' && !others.length;
  if (!isNullable || 'enum' in some || 'const' in some) return node;
  const { anyOf: _, ...rest } = node;
  return { ...some, ...rest, type: [some['type'], 'null'] };
};

const withoutIo = (ref: string): string => ref.replace(/~(input|output)$/, '');

/** Answers allow unknown members, since a minor version may add some; zod would declare a plain output object closed. */
const tidy = ({
  zodSchema,
  jsonSchema,
}: {
  zodSchema: z.core.$ZodTypes;
  jsonSchema: z.core.JSONSchema.BaseSchema;
}): void => {
  const { def } = zodSchema._zod;
  if (def.type === 'object' && !def.catchall) delete jsonSchema.additionalProperties;
  if (def.type === 'record') delete jsonSchema.propertyNames;
  const isNamed = z.globalRegistry.get(zodSchema)?.id !== undefined;
  if (def.type === 'union' && 'discriminator' in def && isNamed)
    jsonSchema['discriminator'] = { propertyName: def.discriminator };
  if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum;
  if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum;
};

type Union = { discriminator: { propertyName: string; mapping?: Record<string, string> }; oneOf: { $ref: string }[] };

/** Adds which value of the discriminator means which schema. Without a mapping, OpenAPI takes the value for a schema's name. */
const addMapping = ({ discriminator, oneOf }: Union, schemas: Record<string, JsonSchema>): void => {
  const entries = oneOf.flatMap(({ $ref }) => {
    const { properties } = schemas[$ref?.slice(HOME.length)] as { properties: Record<string, JsonSchema> };
    const value = properties[discriminator.propertyName] as { const?: string; enum?: string[] };
    return (value.enum ?? [value.const as string]).map((name) => [name, $ref]);
  });
  discriminator.mapping = Object.fromEntries(entries) as Record<string, string>;
};

export const createSchemas = () => {
  const found: Record<Io, Map<string, JsonSchema>> = { input: new Map(), output: new Map() };

  /**
   * Converts a schema to JSON Schema (2020-12) as it is sent (`input`) or answered (`output`). References in it are final only
   * after `finish`.
   */
  const convert = (schema: z.ZodType, io: Io): JsonSchema => {
    const {
      $schema: _,
      $defs = {},
      ...root
    } = z.toJSONSchema(schema, { io, unrepresentable: 'any', override: tidy }) as JsonSchema & {
      $defs?: Record<string, JsonSchema>;
    };
    const named = (ref: string): string => provisional(ref.replace('#/$defs/', ''), io);
    for (const [id, definition] of Object.entries($defs)) {
      if (id.startsWith('__')) throw new Error(`a schema that refers to itself needs a name: .meta({ id })`);
      found[io].set(id, shortened(mapRefs(definition, named)) as JsonSchema);
    }
    return shortened(mapRefs(root, named)) as JsonSchema;
  };

  /** Finds the names whose input and output differ, in themselves or in schemas that they refer to. */
  const splitNames = (): Set<string> => {
    const both = [...found.input.keys()].filter((id) => found.output.has(id));
    const text = (io: Io, id: string): string => JSON.stringify(mapRefs(found[io].get(id), withoutIo));
    const split = new Set(both.filter((id) => text('input', id) !== text('output', id)));
    const refersToSplit = (id: string): boolean =>
      [...split].some((other) => text('input', id).includes(`"${HOME}${other}"`));
    for (let size = -1; size !== split.size;) {
      size = split.size;
      for (const id of both) if (refersToSplit(id)) split.add(id);
    }
    return split;
  };

  /** Assigns the final names. @returns components/schemas in alphabetical order, and the document with its final references */
  const finish = <T>(document: T): { schemas: Record<string, JsonSchema>; document: T } => {
    const split = splitNames();
    const settle = (ref: string): string => {
      const id = withoutIo(ref).slice(HOME.length);
      return split.has(id) && ref.endsWith('~input') ? `${HOME}${id}Input` : HOME + id;
    };
    const settled = <V>(value: V): V => mapRefs(value, (ref) => (ref.includes('~') ? settle(ref) : ref)) as V;
    const schemas: Record<string, JsonSchema> = {};
    for (const io of ['output', 'input'] as const)
      for (const [id, definition] of found[io]) {
        const name = settle(provisional(id, io)).slice(HOME.length);
        if (name !== id && (found.input.has(name) || found.output.has(name)))
          throw new Error(`two schemas want the name ${name}`);
        schemas[name] = settled(definition);
      }
    const sorted = Object.fromEntries(Object.entries(schemas).toSorted(([a], [b]) => (a < b ? -1 : 1)));
    for (const schema of Object.values(sorted)) if ('discriminator' in schema) addMapping(schema as Union, sorted);
    return { schemas: sorted, document: settled(document) };
  };

  return { convert, finish };
};

export type Schemas = ReturnType<typeof createSchemas>;
