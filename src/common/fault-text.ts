/** The texts of faults that a zod schema finds. Each follows a path: "is required", "must be between 1 and 1000". */

import type { z } from 'zod';
import { MAX_FAULTS } from '../domain/record/bounded-collections.ts';
import { editDistance } from '../domain/text/edit-distance.ts';

type Schema = z.core.$ZodType;
type Issue = z.core.$ZodRawIssue;

/** The parts of a zod schema's definition that are read here. */
type Def = {
  shape?: Record<string, Schema>;
  checks?: { _zod: { def: { check: string; value?: number; minimum?: number; maximum?: number } } }[];
};
const defOf = (schema: unknown): Def => (schema as Schema | undefined)?._zod.def ?? {};

/** A longer name gets no suggestion, because the comparison takes the product of both lengths. */
const MAX_COMPARED = 40;
const plain = (name: string): string => name.toLowerCase().replaceAll(/[-_]/g, '');

/** Returns the known name that differs from this one in at most a quarter of its letters. */
export const nearest = (name: string, known: string[]): string | undefined => {
  if (name.length > MAX_COMPARED) return undefined;
  const written = plain(name);
  const [best] = known
    .map((other) => ({ other, distance: editDistance(written, plain(other)) }))
    .toSorted((a, b) => a.distance - b.distance);
  return best && best.distance <= Math.max(1, Math.floor(written.length / 4)) ? best.other : undefined;
};

const hint = (name: string, known: string[]): string => {
  const near = nearest(name, known);
  return near === undefined ? '' : `; did you mean \`${near}\`?`;
};

/** @param kind the kind of the name: a field of a body, or a parameter of a query */
const unknownName = (name: string, known: string[], kind: 'field' | 'parameter' = 'field'): string =>
  `unknown ${kind}${hint(name, known)}`;

const TYPES: Record<string, string> = {
  string: 'a string',
  number: 'a number',
  int: 'an integer',
  boolean: 'true or false',
  array: 'an array',
  object: 'an object',
  record: 'an object',
  null: 'null',
};

const UNITS: Record<string, string> = { string: 'characters', array: 'items' };

/** Returns the bounds of a schema where it has both. */
const boundsOf = (schema: unknown): { minimum: number; maximum: number } | undefined => {
  const checks = (defOf(schema).checks ?? []).map((check) => check._zod.def);
  const minimum = checks
    .map((c) => c.minimum ?? (c.check === 'greater_than' ? c.value : undefined))
    .find(Number.isFinite);
  const maximum = checks.map((c) => c.maximum ?? (c.check === 'less_than' ? c.value : undefined)).find(Number.isFinite);
  return minimum === undefined || maximum === undefined ? undefined : { minimum, maximum };
};

/** Names both bounds where there are two, so that a client which corrects one does not violate the other next. */
const outOfRange = (issue: z.core.$ZodRawIssue<z.core.$ZodIssueTooSmall | z.core.$ZodIssueTooBig>): string => {
  const isLow = issue.code === 'too_small';
  const bound = Number(isLow ? issue.minimum : issue.maximum);
  const unit = UNITS[issue.origin] === undefined ? '' : ` ${UNITS[issue.origin]}`;
  const verb = unit ? 'must have' : 'must be';
  const bounds = boundsOf((issue as { schema?: unknown }).schema);
  if (issue.exact) return `${verb} exactly ${bound}${unit}`;
  if (issue.inclusive === false) return `${verb} ${isLow ? 'more' : 'less'} than ${bound}${unit}`;
  if (bounds) return `${verb} between ${bounds.minimum} and ${bounds.maximum}${unit}`;
  if (isLow && unit && bound === 1) return 'must not be empty';
  return `${verb} at ${isLow ? 'least' : 'most'} ${bound}${unit}`;
};

const alternatives = (errors: z.core.$ZodIssue[][]): string | undefined =>
  [...new Set(errors.flatMap(([first]) => (first && first.path.length === 0 ? [first.message] : [])))].join(' or ') ||
  undefined;

/** An issue of these codes may mean that the value is missing. */
const CODES_OF_MISSING = new Set<Issue['code']>(['invalid_type', 'invalid_value', 'invalid_union']);

const choiceText = ({ input, values }: Extract<Issue, { code: 'invalid_value' }>): string => {
  const choices = values.map(String);
  const near = typeof input === 'string' ? hint(input, choices) : '';
  return choices.length === 1 ? `must be ${choices[0]}` : `must be one of ${choices.join(', ')}${near}`;
};

const unknownNames = (
  { inst, keys }: Extract<Issue, { code: 'unrecognized_keys' }>,
  kind: 'field' | 'parameter',
): string => {
  const known = Object.keys(defOf(inst).shape ?? {});
  return keys
    .slice(0, MAX_FAULTS)
    .map((key) => unknownName(key, known, kind))
    .join('\n');
};

const unusableName = ({ issues: [first] }: Extract<Issue, { code: 'invalid_key' }>): string =>
  `is not a usable name: it ${first?.message ?? 'is not allowed'}`;

const textOf = (issue: Issue, kind: 'field' | 'parameter'): string | undefined => {
  if (issue.input === undefined && CODES_OF_MISSING.has(issue.code)) return 'is required';
  switch (issue.code) {
    case 'invalid_type':
      return `must be ${TYPES[issue.expected] ?? issue.expected}`;
    case 'invalid_value':
      return choiceText(issue);
    case 'too_small':
    case 'too_big':
      return outOfRange(issue);
    case 'not_multiple_of':
      return `must be a multiple of ${issue.divisor}`;
    case 'invalid_format':
      return issue.format === 'email' ? 'must be an e-mail address' : undefined;
    case 'unrecognized_keys':
      return unknownNames(issue, kind);
    case 'invalid_key':
      return unusableName(issue);
    case 'invalid_union':
      return alternatives(issue.errors);
    default:
      return undefined;
  }
};

/**
 * Parses a value and words its faults with these texts. A fault of several unknown names has a line for each, which faultsOf
 * (problem.ts) splits.
 */
export const parse = <S extends z.ZodType>(
  schema: S,
  value: unknown,
  kind: 'field' | 'parameter' = 'field',
): z.ZodSafeParseResult<z.output<S>> => schema.safeParse(value, { error: (issue) => textOf(issue, kind) });
