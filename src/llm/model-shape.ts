/** The shape that the model's answer must have, as schemas and as the JSON Schema that endpoints take. */
import { z } from 'zod';
import { ACTION_TYPES } from '../domain/plan/plan.ts';
import { QUESTION_KINDS } from '../domain/planner/intents/types.ts';
import { Reminders } from '../domain/record/field-shapes.ts';
import { isObject } from '../domain/record/merge-patch.ts';
import { AskedSettings } from './model-settings.ts';

const MAX_ACTIONS = 60;
const MAX_QUESTIONS = 5;
const MAX_MINUTES = 7 * 24 * 60;
const MAX_DAYS = 366;
const MAX_CHOICES = 5;
const MAX_WINDOWS = 7;

/** Models that do not know null write '' or 'null' instead, and some leave out what is empty. */
const isBlank = (value: unknown): boolean => value === null || value === '' || value === 'null';
const emptyAsNull = (text: z.ZodString) =>
  text
    .nullable()
    .default(null)
    .transform((t) => (isBlank(t) ? null : t));
const emptyWindow = (value: unknown): unknown =>
  isObject(value) && Object.values(value).every(isBlank) ? null : value;
/** Some models write a word of a list in capitals. */
const inSmallLetters = (value: unknown): unknown => (typeof value === 'string' ? value.trim().toLowerCase() : value);
const time = z.string().trim().max(100).describe('ISO 8601, in the user’s zone or with offset');
const asNumber = (value: unknown): unknown =>
  typeof value === 'string' && /^\s*\d+\s*$/.test(value) ? Number(value) : value;
/** Some models write a single number, a number in quotes, or 0 for none. */
const asReminders = (value: unknown): unknown => {
  if (isBlank(value)) return null;
  if (Array.isArray(value)) return value.map(asNumber);
  const one = asNumber(value);
  if (one === 0) return null;
  return typeof one === 'number' ? [one] : one;
};
const count = (most: number) => z.number().int().min(1).max(most).nullable().default(null);

const Window = z.strictObject({ start: time, end: time });

// The limits are those of the API's own schemas (memory/schemas.ts). The model gets them as text, see `wireSchema`.
const Action = z.strictObject({
  reasoning: z.string().max(10_000).default('').describe('one sentence: why this, why then'),
  action_type: z.preprocess(inSmallLetters, z.enum(ACTION_TYPES)),
  title: z
    .string()
    .trim()
    .max(500)
    .default('')
    .describe('short, at most 500 characters; of a change that of its target'),
  content: z.string().max(100_000).default('').describe('what is to be done or noted, as a sentence'),
  task_id: emptyAsNull(z.string().trim().max(255)),
  tempo_tag: emptyAsNull(z.string().trim().max(100)).describe('such as @deep_work'),
  tags: z.array(z.string().trim().min(1).max(100)).max(100).default([]),
  scheduled_for: emptyAsNull(time).describe('only where the user named the time'),
  between: z
    .preprocess(emptyWindow, Window.nullable())
    .default(null)
    .describe('where to look for a free slot; a date without time is that whole day, as end too'),
  or_between: z.array(Window).max(MAX_WINDOWS).default([]).describe('further windows that do as well as between'),
  duration_minutes: count(MAX_MINUTES).describe('1 to 10080'),
  whole_days: count(MAX_DAYS).describe(
    'schedule only, for days without hours: how many; scheduled_for is the first date',
  ),
  rrule: emptyAsNull(z.string().trim().max(2_000)).describe(
    'schedule only, where it repeats: a rule of RFC 5545 without "RRULE:"',
  ),
  exdates: z.array(time).max(1_000).default([]).describe('of a series: the starts of occurrences that are left out'),
  location: emptyAsNull(z.string().trim().max(1_000)).describe('the place; of a change the new one'),
  reminders: z
    .preprocess(asReminders, Reminders.nullable())
    .default(null)
    .describe(
      'minutes before the start, such as [30]; of a change null keeps those that are, and [] alone takes them away',
    ),
  new_title: emptyAsNull(z.string().trim().max(500)).describe('with a target: its new title'),
  notes: emptyAsNull(z.string().trim().max(50_000)).describe('its description; of a change the new one'),
  target_event_uid: emptyAsNull(z.string().max(255)).describe(
    'reschedule only: the reference of an event in the block events, such as e1',
  ),
  target_recurrence_id: emptyAsNull(z.string().max(100)).describe(
    'with target_event_uid, where that event repeats: the start of the occurrence that is meant',
  ),
  from_now_on: z
    .boolean()
    .default(false)
    .describe('with target_recurrence_id: true changes that occurrence and all later ones of the series'),
  target_plan_uid: emptyAsNull(z.string().max(255)).describe(
    'the reference of a proposal in the block pending, such as p1: changes it instead of making another',
  ),
  cancel: z
    .boolean()
    .default(false)
    .describe('reschedule: true cancels the event; with target_plan_uid: true takes the proposal back'),
  settings: AskedSettings,
  choice: count(MAX_CHOICES).describe('with choices: the number of the reading that it belongs to'),
});
export type ActionDraft = z.output<typeof Action>;

const Asked = z.strictObject({
  kind: z.preprocess(inSmallLetters, z.enum(QUESTION_KINDS)),
  about: z
    .string()
    .trim()
    .max(300)
    .default('')
    .describe('the words to look for, in the language of the data; empty for none'),
  start: emptyAsNull(time).describe('the first day or time that is asked about'),
  end: emptyAsNull(time).describe('the last day or time that is asked about; a date without time is that whole day'),
});
export type AskedDraft = z.output<typeof Asked>;

const Said = z.strictObject({
  reply: z
    .string()
    .trim()
    .max(10_000)
    .default('')
    .describe('one or two sentences to the user, or a question; empty beside questions'),
  left_out: z
    .string()
    .trim()
    .max(300)
    .default('')
    .describe('beside actions: what of the request can’t be done, or is not clear, in one sentence; else empty'),
  choices: z
    .array(z.string().trim().min(1).max(200))
    .max(MAX_CHOICES)
    .default([])
    .describe('where two readings are as likely: a short name for each, and all actions have a choice; else empty'),
  actions: z.array(Action).max(MAX_ACTIONS).optional().describe(`at most ${MAX_ACTIONS}; none with a question`),
  questions: z.array(Asked).max(MAX_QUESTIONS).default([]).describe('what the user asks; Almanac looks it up'),
});

/** A question needs neither a reply nor actions, since Almanac answers it. */
export const Answer = Said.superRefine(({ reply, actions, questions }, issues) => {
  if (questions.length > 0) return;
  if (actions === undefined)
    issues.addIssue({ code: 'custom', path: ['actions'], message: 'is missing; give [] for none' });
  else if (reply === '' && actions.length === 0)
    issues.addIssue({ code: 'custom', path: ['reply'], message: 'must not be empty without actions and questions' });
}).transform(({ actions = [], ...said }) => ({ ...said, actions }));
export type AnswerDraft = z.output<typeof Answer>;

// Each endpoint refuses some of these keywords in strict mode. All of them accept types, enums, anyOf and required.
const UNSUPPORTED_KEYWORDS = [
  'minLength',
  'maxLength',
  'minimum',
  'maximum',
  'minItems',
  'maxItems',
  'pattern',
  'format',
  'const',
  '$schema',
  'default',
] as const;

/** The answer's shape as JSON Schema, in the subset that every endpoint with strict structured output accepts. */
export const wireSchema = (asked: z.ZodType = Answer): Record<string, unknown> => {
  const { $schema: _, ...schema } = z.toJSONSchema(asked, {
    io: 'input',
    override: ({ jsonSchema }) => {
      for (const key of UNSUPPORTED_KEYWORDS) delete jsonSchema[key];
      // Strict mode wants every member; some models leave out what is empty.
      if (jsonSchema.properties) jsonSchema.required = Object.keys(jsonSchema.properties);
    },
  });
  return schema;
};

/** Parses JSON; undefined where the text is no JSON. */
export const parseJson = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
};

const FENCE = '```';

/** The name of a language behind a fence: 'json'. */
const LANGUAGE = /^[a-z0-9]*/i;

/** Before and behind what a model thought: '<think>' and '</think>', or '[THINK]' and '[/THINK]'. */
const THOUGHT = /[<[](\/?)think(?:ing)?[>\]]/gi;

/** What a model wrote behind its thoughts; '' where it only thought. */
const withoutThoughts = (text: string): string => {
  const last = [...text.matchAll(THOUGHT)].at(-1);
  if (!last) return text;
  return last[1] ? text.slice(last.index + last[0].length) : '';
};

const inFence = (text: string): string => {
  const from = text.indexOf(FENCE);
  const to = text.lastIndexOf(FENCE);
  return from < 0 || to === from ? text : text.slice(from + FENCE.length, to).replace(LANGUAGE, '');
};

/** The object before or behind other words; '' where words are on both sides, because they may quote it. */
const inBraces = (text: string): string => {
  const words = text.trim();
  if (!words.startsWith('{') && !words.endsWith('}')) return '';
  return words.slice(Math.max(0, words.indexOf('{')), words.lastIndexOf('}') + 1);
};

/** A text in quotes, which is kept, or a comma before the end of an object or a list, which is not. */
const TRAILING_COMMA = /("(?:[^"\\]|\\[^])*"?)|,(?=\s*[}\]])/g;
const parseLoosely = (text: string): unknown => parseJson(text) ?? parseJson(text.replace(TRAILING_COMMA, '$1'));

/** No answer is nested as deep as this. */
const MOST_DEPTH = 32;

/** Members that are null count as left out, and so does what is nested too deep. */
const withoutNulls = (value: unknown, depth = 0): unknown => {
  if (typeof value !== 'object' || value === null) return value;
  if (depth >= MOST_DEPTH) return undefined;
  if (Array.isArray(value)) return value.map((member) => withoutNulls(member, depth + 1));
  const own = Object.entries(value).filter(([, member]) => member !== null);
  return Object.fromEntries(own.map(([name, member]) => [name, withoutNulls(member, depth + 1)]));
};

/**
 * Reads what a model wrote, before its shape is checked: JSON as it is, in a fence, or before or behind other words.
 * Returns undefined where it is no JSON.
 */
export const jsonOf = (text: string): unknown => {
  const said = withoutThoughts(text).replace('\ufeff', '');
  return withoutNulls(parseJson(text) ?? parseLoosely(inFence(said)) ?? parseLoosely(inBraces(said)));
};

const MOST_SAID = 200;

/** Why a text is no JSON, for the model that wrote it. */
export const syntaxFault = (text: string): string => {
  const said = withoutThoughts(text);
  if (text.trim() === '') return 'there was no text';
  if (said.trim() === '') return 'it is not JSON: there is nothing behind the thoughts';
  try {
    JSON.parse(inBraces(said) || said);
  } catch (error) {
    return `it is not JSON: ${(error as Error).message.slice(0, MOST_SAID)}`;
  }
  return 'it is not JSON';
};
