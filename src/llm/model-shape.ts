/** The shape that the model's answer must have, as schemas and as the JSON Schema that endpoints take. */
import { z } from 'zod';
import { ACTION_TYPES } from '../domain/plan/plan.ts';
import { QUESTION_KINDS } from '../domain/planner/intents/types.ts';
import { AskedSettings } from './model-settings.ts';

const MAX_ACTIONS = 60;
const MAX_QUESTIONS = 5;
const MAX_MINUTES = 7 * 24 * 60;
const MAX_DAYS = 366;
const MAX_CHOICES = 5;

/** Models that do not know null write '' instead, and some leave out what is empty. */
const emptyAsNull = (text: z.ZodString) =>
  text
    .nullable()
    .default(null)
    .transform((t) => t || null);
const time = z.string().trim().max(100).describe('ISO 8601, in the user’s zone or with offset');
const count = (most: number) => z.number().int().min(1).max(most).nullable().default(null);

// The limits are those of the API's own schemas (memory/schemas.ts). The model gets them as text, see `wireSchema`.
const Action = z.strictObject({
  reasoning: z.string().max(10_000).default('').describe('one sentence: why this, why then'),
  action_type: z.enum(ACTION_TYPES),
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
    .strictObject({ start: time, end: time })
    .nullable()
    .default(null)
    .describe('where to look for a free slot; a date without time is that whole day, as end too'),
  duration_minutes: count(MAX_MINUTES).describe('1 to 10080'),
  whole_days: count(MAX_DAYS).describe(
    'schedule only, for days without hours: how many; scheduled_for is the first date',
  ),
  rrule: emptyAsNull(z.string().trim().max(2_000)).describe(
    'schedule only, where it repeats: a rule of RFC 5545 without "RRULE:"',
  ),
  exdates: z.array(time).max(1_000).default([]).describe('of a series: the starts of occurrences that are left out'),
  location: emptyAsNull(z.string().trim().max(1_000)).describe('the place; of a change the new one'),
  new_title: emptyAsNull(z.string().trim().max(500)).describe('with a target: its new title'),
  notes: emptyAsNull(z.string().trim().max(50_000)).describe('with a target: its new description'),
  target_event_uid: emptyAsNull(z.string().max(255)).describe('reschedule only: a uid from the block events'),
  target_recurrence_id: emptyAsNull(z.string().max(100)).describe(
    'with target_event_uid: the recurrence_id of that event in the block events',
  ),
  from_now_on: z
    .boolean()
    .default(false)
    .describe('with target_recurrence_id: true changes that occurrence and all later ones of the series'),
  target_plan_uid: emptyAsNull(z.string().max(255)).describe(
    'a uid from the block pending: changes that proposal instead of making another',
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
  kind: z.enum(QUESTION_KINDS),
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
const THINKING = '<think>';
const THOUGHT = '</think>';

/** The name of a language behind a fence: 'json'. */
const LANGUAGE = /^[a-z0-9]*/i;

/** The JSON in what a model wrote: behind what it thought, and without a fence around it; '' where it only thought. */
const unwrapped = (text: string): string => {
  const thought = text.lastIndexOf(THOUGHT);
  const said = text.slice(thought < 0 ? 0 : thought + THOUGHT.length).replace('\ufeff', '');
  if (said.includes(THINKING)) return '';
  const from = said.indexOf(FENCE);
  const to = said.lastIndexOf(FENCE);
  return from < 0 || to === from ? said : said.slice(from + FENCE.length, to).replace(LANGUAGE, '');
};

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

/** Reads what a model wrote, before its shape is checked; undefined where it is no JSON. */
export const jsonOf = (text: string): unknown => withoutNulls(parseJson(text) ?? parseJson(unwrapped(text)));
