/**
 * Defines the shape that the model's answer must have, and checks the answer. Anything wrong is a fault, and nothing is corrected
 * or dropped.
 */
import { z } from 'zod';
import { unstorable } from '../domain/record/canonical-json.ts';
import { ACTION_TYPES } from '../domain/plan/plan.ts';
import {
  addMinutes,
  dayBounds,
  instantOf,
  isInYears,
  localDate,
  millis,
  readTime,
  timeFault,
  YEARS_FAULT,
  type Instant,
  type Interval,
} from '../domain/time/time.ts';
import { QUESTION_KINDS, type Question } from '../domain/planner/intents/types.ts';
import type { ModelAction, ModelAnswer, PlanningFacts } from './model-planner.ts';
import { checkRepetition } from './model-series.ts';
import { AskedSettings, settingsArguments } from './model-settings.ts';

const MAX_ACTIONS = 60;
const MAX_QUESTIONS = 5;
const MAX_MINUTES = 7 * 24 * 60;
/** Free time is computed up to the end of a window, so a window until the year 9999 would keep the server busy. */
const FURTHEST_MINUTES = 5 * 366 * 24 * 60;
const WIDEST_MINUTES = 366 * 24 * 60;
/** A question about one moment looks at this many minutes from it. */
const POINT_MINUTES = 30;
const DATE_ONLY = /^\d{4}-\d{2}-\d{2}$/;

/** Models that do not know null write '' instead. */
const emptyAsNull = (text: z.ZodString) => text.nullable().transform((t) => t || null);
const time = z.string().trim().max(100).describe('ISO 8601, in the user’s zone or with offset');

// The limits are those of the API's own schemas (memory/schemas.ts). The model gets them as text, see `wireSchema`.
const Action = z.strictObject({
  reasoning: z.string().max(10_000).describe('one sentence: why this, why then'),
  action_type: z.enum(ACTION_TYPES),
  title: z.string().trim().min(1).max(500).describe('short, at most 500 characters'),
  content: z.string().max(100_000).describe('what is to be done or noted, as a sentence'),
  task_id: emptyAsNull(z.string().trim().max(255)),
  tempo_tag: emptyAsNull(z.string().trim().max(100)).describe('such as @deep_work'),
  tags: z.array(z.string().trim().min(1).max(100)).max(100),
  scheduled_for: emptyAsNull(time).describe('only where the user named the time'),
  between: z
    .strictObject({ start: time, end: time })
    .nullable()
    .describe('where to look for a free slot; a date without time is that whole day, as end too'),
  duration_minutes: z.number().int().min(1).max(MAX_MINUTES).nullable().describe('1 to 10080'),
  rrule: emptyAsNull(z.string().trim().max(2_000))
    .default(null)
    .describe('schedule only, where it repeats: a rule of RFC 5545 without "RRULE:"'),
  exdates: z.array(time).max(1_000).default([]).describe('with rrule: the starts of occurrences that are left out'),
  target_event_uid: emptyAsNull(z.string().max(255)).describe('reschedule only: a uid from the block events'),
  target_recurrence_id: emptyAsNull(z.string().max(100))
    .default(null)
    .describe('with target_event_uid: the recurrence_id of that event in the block events'),
  target_plan_uid: emptyAsNull(z.string().max(255)).describe(
    'a uid from the block pending: changes that proposal instead of making another',
  ),
  cancel: z
    .boolean()
    .describe('reschedule: true cancels the event; with target_plan_uid: true takes the proposal back'),
  settings: AskedSettings,
});

const Asked = z.strictObject({
  kind: z.enum(QUESTION_KINDS),
  about: z.string().trim().max(300).describe('the words to look for, in the language of the data; empty for none'),
  start: emptyAsNull(time).describe('the first day or time that is asked about'),
  end: emptyAsNull(time).describe('the last day or time that is asked about; a date without time is that whole day'),
});

const Answer = z.strictObject({
  reply: z.string().trim().min(1).max(10_000).describe('one or two sentences to the user, or a question'),
  actions: z.array(Action).max(MAX_ACTIONS).describe(`at most ${MAX_ACTIONS}; none with a question`),
  questions: z.array(Asked).max(MAX_QUESTIONS).default([]).describe('what the user asks; Almanac looks it up'),
});

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

type Draft = z.output<typeof Action>;
type Fault = (field: keyof ModelAction, message: string) => void;

/** Returns an instant that is not too far away, or reports a fault and returns null. */
const timeOf = (
  text: string,
  { now, zone }: PlanningFacts,
  edge: 'start' | 'end',
  fault: (message: string) => void,
): Instant | null => {
  const read = readTime(text, zone);
  if (read === null || !isInYears(read)) {
    fault(read === null ? (timeFault(text) ?? 'must be a time') : YEARS_FAULT);
    return null;
  }
  const at = edge === 'end' && DATE_ONLY.test(text) ? dayBounds(text, zone).end : instantOf(millis(read));
  if (millis(at) <= millis(addMinutes(now, FURTHEST_MINUTES))) return at;
  fault('is more than five years away');
  return null;
};

const scheduledFor = (text: string | null, facts: PlanningFacts, fault: (message: string) => void): Instant | null => {
  if (text === null) return null;
  if (DATE_ONLY.test(text)) fault('has no time of day: use between for a whole day');
  const at = timeOf(text, facts, 'start', fault);
  if (at !== null && millis(at) < millis(facts.now))
    fault(`lies in the past, it is ${facts.now} now; null means any time`);
  return at;
};

const windowOf = (
  window: Draft['between'],
  facts: PlanningFacts,
  fault: (message: string) => void,
): Interval | null => {
  if (window === null) return null;
  const start = timeOf(window.start, facts, 'start', fault);
  const end = timeOf(window.end, facts, 'end', fault);
  if (start === null || end === null) return null;
  const from = millis(start) < millis(facts.now) ? facts.now : start;
  if (millis(end) <= millis(start)) fault('ends before it starts');
  else if (millis(end) <= millis(from)) fault(`lies in the past, it is ${facts.now} now`);
  else if (millis(end) > millis(addMinutes(from, WIDEST_MINUTES))) fault('is wider than a year');
  return { start: from, end };
};

/** Checks that the proposal which an action changes exists, and that the action may change it. */
const checkTargetPlan = (draft: Draft, facts: PlanningFacts, fault: Fault): void => {
  const pending = facts.pending.find(({ uid }) => uid === draft.target_plan_uid);
  if (!pending) fault('target_plan_uid', 'is not a uid of the block pending');
  else if (!pending.yours) fault('target_plan_uid', 'is a proposal of somebody else, which can’t be changed here');
  else if (pending.action_type !== draft.action_type)
    fault('action_type', `is ${pending.action_type} for this proposal, and stays so`);
  if (draft.target_event_uid !== null)
    fault('target_event_uid', 'must be null beside target_plan_uid: the proposal keeps its event');
};

/** Checks that the event which an action changes exists, and that only a reschedule names one. */
const checkTargetEvent = (draft: Draft, facts: PlanningFacts, fault: Fault): void => {
  const { action_type, target_event_uid: event, target_recurrence_id: occurrence } = draft;
  if (action_type === 'reschedule' && event === null) fault('target_event_uid', 'is needed to reschedule');
  if (action_type !== 'reschedule' && event !== null) fault('target_event_uid', 'goes with reschedule only');
  if (action_type !== 'reschedule' && draft.cancel) fault('cancel', 'goes with reschedule or target_plan_uid only');
  const known = facts.events.filter(({ uid }) => uid === event);
  if (event !== null && known.length === 0) fault('target_event_uid', 'is not a uid of the block events');
  else if (!known.some(({ recurrence_id = null }) => recurrence_id === occurrence) && (event ?? occurrence) !== null)
    fault(
      'target_recurrence_id',
      occurrence === null
        ? 'is needed, since this event repeats: copy it from the occurrence that is meant'
        : 'is not that of an occurrence of this event in the block events',
    );
};

/** Checks the rule, and returns the starts that it leaves out. */
const repetitionOf = (draft: Draft, start: Instant | null, facts: PlanningFacts, fault: Fault): Instant[] => {
  const { rrule, action_type } = draft;
  if (rrule === null) {
    if (draft.exdates.length > 0) fault('exdates', 'goes with rrule only');
    return [];
  }
  if (action_type !== 'schedule') fault('rrule', 'goes with schedule only');
  const read = draft.exdates.map((text) => timeOf(text, facts, 'start', (message) => fault('exdates', message)));
  const exdates = read.filter((at) => at !== null);
  // A proposal that is changed keeps its start where the answer names none.
  const kept = facts.pending.find(({ uid }) => uid === draft.target_plan_uid)?.scheduled_for ?? null;
  const asked = { rrule, exdates, start: start ?? (draft.between === null ? kept : null) };
  if (draft.scheduled_for === null || start !== null) checkRepetition(asked, facts, fault);
  return exdates;
};

/** A change of the settings names what changes, but for one that takes a proposal back. */
const settingsOf = (
  { action_type, settings: asked, cancel, target_plan_uid }: Draft,
  { tempo }: PlanningFacts,
  fault: (message: string) => void,
): ModelAction['settings'] => {
  if (action_type !== 'configure') {
    if (asked !== null) fault('goes with configure only');
    return null;
  }
  const settings = settingsArguments(asked, tempo, fault);
  const isNeeded = !cancel && target_plan_uid === null;
  if (isNeeded && Object.keys(settings ?? {}).length === 0) fault('is needed to configure: name what changes');
  return settings;
};

/** Checks what the schema can't express: which fields belong together, and that times and events are real. */
const actionOf = (draft: Draft, facts: PlanningFacts, fault: Fault): ModelAction => {
  (draft.target_plan_uid === null ? checkTargetEvent : checkTargetPlan)(draft, facts, fault);
  const scheduled_for = scheduledFor(draft.scheduled_for, facts, (message) => fault('scheduled_for', message));
  const between = windowOf(draft.between, facts, (message) => fault('between', message));
  if (
    scheduled_for &&
    between &&
    (millis(scheduled_for) < millis(between.start) || millis(scheduled_for) >= millis(between.end))
  )
    fault('between', 'does not contain scheduled_for: give one of the two');
  const exdates = repetitionOf(draft, scheduled_for, facts, fault);
  const settings = settingsOf(draft, facts, (message) => fault('settings', message));
  return {
    ...draft,
    settings,
    content: draft.content.trim() ? draft.content : draft.title,
    scheduled_for,
    between,
    exdates,
  };
};

const questionOf = (
  { kind, about, start, end }: z.output<typeof Asked>,
  facts: PlanningFacts,
  fault: (message: string) => void,
): Question => {
  const from = start === null ? null : timeOf(start, facts, 'start', fault);
  const to =
    end === null ? from && dayBounds(localDate(from, facts.zone), facts.zone).end : timeOf(end, facts, 'end', fault);
  if (start === null && end !== null) fault('start is needed with end');
  if (from === null || to === null) return { kind, about, time: null, isPast: false };
  if (millis(to) < millis(from) || (to === from && end !== start)) fault('end is before start');
  else if (millis(to) > millis(addMinutes(from, WIDEST_MINUTES))) fault('the time is wider than a year');
  const time =
    millis(to) === millis(from)
      ? { start: from, end: addMinutes(from, POINT_MINUTES), isPoint: true as const }
      : { start: from, end: to };
  return { kind, about, time, isPast: millis(to) <= millis(facts.now) };
};

type ReadAnswer = { answer: ModelAnswer } | { faults: string[]; why: string };

const shapeless = (faults: string[]): ReadAnswer => ({
  faults,
  why: 'answered something that does not have the requested shape',
});

/** Parses JSON; undefined where the text is no JSON. */
export const parseJson = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
};

/**
 * Checks the model's answer strictly. Wall times are read in `facts.zone`.
 * @returns the answer, or every fault as text for the model and `why` as text for people
 */
export const readAnswer = (text: string, facts: PlanningFacts): ReadAnswer => {
  const json = parseJson(text);
  if (json === undefined) return shapeless([text.trim() ? 'it is not JSON' : 'there was no text']);
  const read = Answer.safeParse(json);
  if (!read.success)
    return shapeless(read.error.issues.map(({ path, message }) => `${path.join('.') || 'the answer'}: ${message}`));
  const odd = unstorable(read.data);
  if (odd) return shapeless([`${odd.join('.')}: holds a NUL or half a character`]);
  const faults: string[] = [];
  const actions = read.data.actions.map((draft, i) =>
    actionOf(draft, facts, (field, message) => void faults.push(`actions.${i}.${field}: ${message}`)),
  );
  const questions = read.data.questions.map((asked, i) =>
    questionOf(asked, facts, (message) => void faults.push(`questions.${i}: ${message}`)),
  );
  return faults.length
    ? { faults, why: 'proposed times or events that can’t be' }
    : { answer: { reply: read.data.reply, actions, questions } };
};
