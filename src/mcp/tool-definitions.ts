/** Converts tools to what tools/list answers: JSON Schemas without references, and the hints that follow from the effect. */
import type { Tool as ListedTool } from '@modelcontextprotocol/server';
import { z } from 'zod';
import type { Effect, Tool } from './tool.ts';

type Json = Record<string, unknown>;

const MAX_TOKENS = { least: 500, most: 50_000, usual: 6_000 };

/** Arguments that every tool takes. */
const everyInput = {
  max_tokens: z
    .int()
    .min(MAX_TOKENS.least)
    .max(MAX_TOKENS.most)
    .default(MAX_TOKENS.usual)
    .describe('The largest number of tokens (o200k) of the result; by default 6,000.'),
};
/** The argument of every tool that writes. */
const writingInput = {
  request_key: z
    .string()
    .regex(/^[\x21-\x7e]{1,200}$/, 'must have between 1 and 200 visible ASCII characters')
    .optional()
    .describe(
      'A key that you make up for this request. If you repeat the call with the same key and arguments, it has no second effect and gives the first result.',
    ),
};

export const inputOf = (tool: Tool): z.ZodObject =>
  z.strictObject({ ...tool.input, ...(tool.effect === 'reads' ? {} : writingInput), ...everyInput });

const outputOf = (tool: Tool): z.ZodObject =>
  z.object({ ...(tool.data ? { notice: z.string() } : {}), ...tool.output });

/** Some hosts, and the inspector of MCP, read no list of types. */
const withOneType = (schema: Json): Json => {
  const { type, description, ...rest } = schema;
  if (!Array.isArray(type)) return schema;
  const [some, ...others] = (type as string[]).map((one) => ({ type: one }));
  return { ...(description === undefined ? {} : { description }), anyOf: [{ ...some, ...rest }, ...others] };
};

/** Some hosts do not resolve references, so each is replaced by what it refers to. No schema here refers to itself. */
const inlined = (value: unknown, definitions: Json): unknown => {
  if (Array.isArray(value)) return value.map((item) => inlined(item, definitions));
  if (value === null || typeof value !== 'object') return value;
  const { $ref, $defs: _, $schema: _dialect, id: _id, ...rest } = value as Json;
  const members = Object.fromEntries(Object.entries(rest).map(([key, part]) => [key, inlined(part, definitions)]));
  if (typeof $ref !== 'string') return withOneType(members);
  return { ...(inlined(definitions[$ref.replace('#/$defs/', '')], definitions) as Json), ...members };
};

/** An argument that is null is one that is missing, so a model need not know that null is allowed. */
const takeOnlyPart = (nullable: Json): void => {
  const [part] = nullable['anyOf'] as [Json];
  delete nullable['anyOf'];
  Object.assign(nullable, { ...part, ...nullable });
};

/** Answers may get more members later, and integers need no bounds of the safe range. */
const tidy = (io: 'input' | 'output') => (context: { zodSchema: z.core.$ZodTypes; jsonSchema: Json }) => {
  const { zodSchema, jsonSchema } = context;
  const { def } = zodSchema._zod;
  if (io === 'output' && def.type === 'object' && !def.catchall) delete jsonSchema['additionalProperties'];
  // Its pattern takes 400 characters and says what the format says.
  if (jsonSchema['format'] === 'date-time') delete jsonSchema['pattern'];
  if (io === 'input' && def.type === 'nullable') takeOnlyPart(jsonSchema);
  if (def.type === 'record') delete jsonSchema['propertyNames'];
  if (jsonSchema['minimum'] === Number.MIN_SAFE_INTEGER) delete jsonSchema['minimum'];
  if (jsonSchema['maximum'] === Number.MAX_SAFE_INTEGER) delete jsonSchema['maximum'];
};

/**
 * Descriptions, formats and bounds within the members of a result are in openapi.yaml; repeated for each tool the descriptions took
 * 2,000 characters. What is answered was checked when it was written.
 */
const LEFT_OUT = new Set([
  'description',
  'minLength',
  'maxLength',
  'minItems',
  'maxItems',
  'minimum',
  'maximum',
  'pattern',
  'format',
]);

const undescribed = (schema: unknown): Json =>
  JSON.parse(
    JSON.stringify(schema, (key, value: unknown) =>
      LEFT_OUT.has(key) && typeof value !== 'object' ? undefined : value,
    ),
  ) as Json;

const schemaOf = (schema: z.ZodType, io: 'input' | 'output'): { type: 'object' } & Json => {
  const whole = z.toJSONSchema(schema, { io, unrepresentable: 'any', override: tidy(io) }) as Json;
  return inlined(whole, (whole['$defs'] ?? {}) as Json) as { type: 'object' } & Json;
};

const outputSchemaOf = (tool: Tool): Json => {
  const schema = schemaOf(outputOf(tool), 'output');
  const properties = Object.entries(schema['properties'] as Record<string, Json>).map(([name, part]) => {
    const { description } = part;
    return [name, { ...undescribed(part), ...(description === undefined ? {} : { description }) }];
  });
  return { ...schema, properties: Object.fromEntries(properties) as Json };
};

const HINTS: Record<Effect, { readOnlyHint: boolean; destructiveHint: boolean; idempotentHint: boolean }> = {
  reads: { readOnlyHint: true, destructiveHint: false, idempotentHint: true },
  adds: { readOnlyHint: false, destructiveHint: false, idempotentHint: false },
  ends: { readOnlyHint: false, destructiveHint: true, idempotentHint: false },
};

export const definitionOf = (tool: Tool): ListedTool => ({
  name: tool.name,
  title: tool.title,
  description: tool.description,
  inputSchema: schemaOf(inputOf(tool), 'input'),
  outputSchema: outputSchemaOf(tool),
  annotations: { ...HINTS[tool.effect], openWorldHint: false },
});
