/** Checks the model's answer. Anything wrong is a fault, and nothing is corrected or dropped. */
import { unstorable } from '../domain/record/canonical-json.ts';
import {
  addMinutes,
  dayBounds,
  instantOf,
  isInYears,
  localDate,
  millis,
  minutesBetween,
  readTime,
  timeFault,
  YEARS_FAULT,
  zoned,
  type Instant,
  type Interval,
} from '../domain/time/time.ts';
import { mergeSpans, subtractSpans, toInterval, toSpan } from '../domain/time/spans.ts';
import type { Question } from '../domain/planner/intents/types.ts';
import type { ModelAction, ModelAnswer, PlanningFacts } from './model-planner.ts';
import { checkChange, checkTexts, withMeantReminders, type Fault } from './model-changes.ts';
import { checkRepetition } from './model-series.ts';
import { linksIn } from './named-facts.ts';
import { settingsArguments } from './model-settings.ts';
import { withUids } from './named-targets.ts';
import { Answer, jsonOf, syntaxFault, type ActionDraft, type AnswerDraft, type AskedDraft } from './model-shape.ts';

/** Free time is computed up to the end of a window, so a window until the year 9999 would keep the server busy. */
const FURTHEST_MINUTES = 5 * 366 * 24 * 60;
const WIDEST_MINUTES = 366 * 24 * 60;
/** A question about one moment looks at this many minutes from it. */
const POINT_MINUTES = 30;
const DAY_MINUTES = 24 * 60;
const DATE_ONLY = /^\d{4}-\d{2}-\d{2}$/;

type Draft = ActionDraft;

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

const scheduledFor = (
  { scheduled_for: text, whole_days }: Draft,
  facts: PlanningFacts,
  fault: (message: string) => void,
): Instant | null => {
  if (text === null) return null;
  const hasDate = DATE_ONLY.test(text);
  if (hasDate !== (whole_days !== null))
    fault(
      hasDate ? 'has no time of day: use between to look on a day, or whole_days' : 'must be a date beside whole_days',
    );
  const at = timeOf(text, facts, 'start', fault);
  if (at !== null && millis(at) < millis(facts.now) && whole_days !== null && hasDate)
    fault('is no whole day any more: a whole day must begin after today');
  else if (at !== null && millis(at) < millis(facts.now))
    fault(`lies in the past, it is ${facts.now} now; null means any time`);
  return at;
};

const windowOf = (
  window: NonNullable<Draft['between']>,
  facts: PlanningFacts,
  fault: (message: string) => void,
): Interval | null => {
  const start = timeOf(window.start, facts, 'start', fault);
  const end = timeOf(window.end, facts, 'end', fault);
  if (start === null || end === null) return null;
  const from = millis(start) < millis(facts.now) ? facts.now : start;
  if (millis(end) <= millis(start)) fault('ends before it starts');
  else if (millis(end) <= millis(from)) fault(`lies in the past, it is ${facts.now} now`);
  else if (millis(end) > millis(addMinutes(from, WIDEST_MINUTES))) fault('is wider than a year');
  return { start: from, end };
};

const isOver = ({ end: text }: NonNullable<Draft['between']>, facts: PlanningFacts): boolean => {
  const end = timeOf(text, facts, 'end', () => undefined);
  return end !== null && millis(end) <= millis(facts.now);
};

/** Where to look: from the first window to the last, without the times between them. */
const windowsOf = (
  { between, or_between: others }: Draft,
  facts: PlanningFacts,
  fault: Fault,
): Pick<ModelAction, 'between' | 'avoid'> => {
  if (between === null) {
    if (others.length > 0) fault('or_between', 'goes with between only');
    return { between, avoid: [] };
  }
  const all = [
    { window: between, field: 'between' as const },
    ...others.map((window) => ({ window, field: 'or_between' as const })),
  ];
  // 'This morning or tomorrow' is said at noon, too.
  const ahead = all.filter(({ window }) => !isOver(window, facts));
  const read = (ahead.length > 0 ? ahead : all).map(({ window, field }) =>
    windowOf(window, facts, (message) => fault(field, message)),
  );
  const spans = mergeSpans(read.filter((window) => window !== null).map(toSpan));
  const [first, last] = [spans[0], spans.at(-1)];
  if (!first || !last) return { between: null, avoid: [] };
  const whole = [first[0], last[1]] as const;
  if (whole[1] - whole[0] > WIDEST_MINUTES * 60_000) fault('or_between', 'is more than a year from between');
  return { between: toInterval(whole), avoid: subtractSpans([whole], spans).map(toInterval) };
};

/** Checks that the proposal which an action changes exists, and that the action may change it. */
const checkTargetPlan = (draft: Draft, facts: PlanningFacts, fault: Fault): void => {
  const pending = facts.pending.find(({ uid }) => uid === draft.target_plan_uid);
  if (!pending) fault('target_plan_uid', 'is no reference of the block pending');
  else if (!pending.yours) fault('target_plan_uid', 'is a proposal of somebody else, which can’t be changed here');
  else if (pending.action_type !== draft.action_type)
    fault('action_type', `is ${pending.action_type} for this proposal, and stays so`);
  if (draft.target_event_uid !== null)
    fault('target_event_uid', 'must be null beside target_plan_uid: the proposal keeps its event');
  if (draft.from_now_on)
    fault('from_now_on', 'must be false beside target_plan_uid: the proposal keeps what it changes');
};

/** Checks that the event which an action changes exists, and that only a reschedule names one. */
const checkTargetEvent = (draft: Draft, facts: PlanningFacts, fault: Fault): void => {
  const { action_type, target_event_uid: event, target_recurrence_id: occurrence } = draft;
  if (draft.from_now_on && occurrence === null) fault('from_now_on', 'goes with the occurrence of a series only');
  if (action_type === 'reschedule' && event === null) fault('target_event_uid', 'is needed to reschedule');
  if (action_type !== 'reschedule' && event !== null) fault('target_event_uid', 'goes with reschedule only');
  if (action_type !== 'reschedule' && draft.cancel) fault('cancel', 'goes with reschedule or target_plan_uid only');
  const known = facts.events.filter(({ uid }) => uid === event);
  if (event !== null && known.length === 0) fault('target_event_uid', 'is no reference of the block events');
  else if (!known.some(({ recurrence_id = null }) => recurrence_id === occurrence) && (event ?? occurrence) !== null)
    fault(
      'target_recurrence_id',
      occurrence === null
        ? 'is needed, since this event repeats: give the start of the occurrence that is meant'
        : 'is no start of an occurrence of this event',
    );
};

/** Checks the rule, and returns it with the starts that it leaves out. */
const repetitionOf = (
  draft: Draft,
  start: Instant | null,
  facts: PlanningFacts,
  fault: Fault,
): { rrule: string | null; exdates: Instant[] } => {
  const { rrule, action_type } = draft;
  // A proposal that is changed keeps its rule and its start where the answer names none.
  const kept = facts.pending.find(({ uid }) => uid === draft.target_plan_uid);
  const series = rrule ?? (draft.exdates.length > 0 ? (kept?.rrule ?? null) : null);
  if (series === null) {
    if (draft.exdates.length > 0) fault('exdates', 'goes with rrule, or with a proposal that repeats, only');
    return { rrule, exdates: [] };
  }
  if (action_type !== 'schedule') fault('rrule', 'goes with schedule only');
  const read = draft.exdates.map((text) => timeOf(text, facts, 'start', (message) => fault('exdates', message)));
  const exdates = read.filter((at) => at !== null);
  const from = start ?? (draft.between === null ? (kept?.scheduled_for ?? null) : null);
  const asked = { rrule: series, exdates, start: from };
  if (draft.scheduled_for === null || start !== null) checkRepetition(asked, facts, fault);
  return { rrule: series, exdates };
};

/** The notes of what is new are its content. */
const contentOf = (draft: Draft): Pick<ModelAction, 'content' | 'notes'> => {
  const { title, content, notes, target_event_uid: event, target_plan_uid: plan } = draft;
  const isNew = event === null && plan === null;
  const texts = isNew ? [notes ?? '', content, title] : [content, title];
  return { content: texts.find((text) => text.trim()) ?? '', notes: isNew ? null : notes };
};

/** The length in minutes; of whole days those between their ends, since a day may have 23 or 25 hours. */
const lengthOf = (draft: Draft, start: Instant | null, { zone }: PlanningFacts, fault: Fault): number | null => {
  const { whole_days: days, action_type, duration_minutes } = draft;
  if (days === null) return duration_minutes;
  if (action_type !== 'schedule') fault('whole_days', 'goes with schedule only');
  if (draft.scheduled_for === null) fault('whole_days', 'needs scheduled_for, the first date');
  if (start === null) return null;
  const last = zoned(start, zone)
    .toPlainDate()
    .add({ days: days - 1 });
  const minutes = minutesBetween(start, dayBounds(last.toString(), zone).end);
  if (duration_minutes !== null && duration_minutes !== minutes && duration_minutes !== days * DAY_MINUTES)
    fault('duration_minutes', 'must be null beside whole_days, which says how long it is');
  return minutes;
};

/** Some models give every setting of an action that has none. */
const isSaid = (value: unknown): boolean => value !== null && !(Array.isArray(value) && value.length === 0);

/** A change of the settings names what changes, but for one that takes a proposal back. */
const settingsOf = (
  { action_type, settings: asked, cancel, target_plan_uid }: Draft,
  { tempo }: PlanningFacts,
  fault: (message: string) => void,
): ModelAction['settings'] => {
  if (action_type !== 'configure') {
    if (Object.values(asked ?? {}).some(isSaid)) fault('goes with configure only');
    return null;
  }
  const settings = settingsArguments(asked, tempo, fault);
  const isNeeded = !cancel && target_plan_uid === null;
  if (isNeeded && Object.keys(settings ?? {}).length === 0) fault('is needed to configure: name what changes');
  return settings;
};

/** What a change of the settings can't have: it has no length or place, holds until it is changed, and holds for each day. */
const BESIDE_SETTINGS = ['between', 'duration_minutes', 'whole_days', 'rrule', 'location'] as const;
const checkBesideSettings = (draft: Draft, fault: Fault): void => {
  if (draft.action_type !== 'configure') return;
  for (const name of BESIDE_SETTINGS)
    if (draft[name] !== null) fault(name, 'must be null beside configure: scheduled_for says when it takes effect');
  if (draft.exdates.length > 0) fault('exdates', 'must be empty beside configure');
};

const isWithin = (at: Instant, { start, end }: Interval): boolean =>
  millis(at) >= millis(start) && millis(at) < millis(end);

/** Checks what the schema can't express: which fields belong together, and that times and events are real. */
const actionOf = (given: Draft, facts: PlanningFacts, fault: Fault): ModelAction => {
  const draft = withMeantReminders(withUids(given, facts));
  (draft.target_plan_uid === null ? checkTargetEvent : checkTargetPlan)(draft, facts, fault);
  const scheduled_for = scheduledFor(draft, facts, (message) => fault('scheduled_for', message));
  const { between, avoid } = windowsOf(draft, facts, fault);
  if (
    scheduled_for &&
    between &&
    (!isWithin(scheduled_for, between) || avoid.some((gap) => isWithin(scheduled_for, gap)))
  )
    fault('between', 'does not contain scheduled_for: give one of the two');
  checkTexts(draft, fault);
  checkBesideSettings(draft, fault);
  checkChange(draft, fault);
  const duration_minutes = lengthOf(draft, scheduled_for, facts, fault);
  const repetition = repetitionOf(draft, scheduled_for, facts, fault);
  const settings = settingsOf(draft, facts, (message) => fault('settings', message));
  const { choice: _, or_between: _windows, ...said } = draft;
  return { ...said, ...contentOf(draft), scheduled_for, between, avoid, duration_minutes, ...repetition, settings };
};

const questionOf = (
  { kind, about, start, end }: AskedDraft,
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

/** What is offered is stored with the reply, so it is bounded (chat/conversation.ts). */
const MOST_OF_CHOICES = 12;
const MOST_TEXT_OF_CHOICES = 4_000;

const textsOf = ({
  title,
  content,
  reasoning,
  tags,
  exdates,
  location,
  reminders,
  new_title,
  notes,
  settings,
}: ModelAction) =>
  Object.values({ title, content, reasoning, tags, exdates, location, reminders, new_title, notes, settings });

/** The actions by the reading that they belong to, where there are several readings. */
const choicesOf = (
  { choices: labels, actions: drafts }: AnswerDraft,
  actions: readonly ModelAction[],
  fault: (path: string, message: string) => void,
): ModelAnswer['choices'] => {
  if (labels.length === 0) return [];
  if (drafts.length > MOST_OF_CHOICES) fault('choices', `must have at most ${MOST_OF_CHOICES} actions in all`);
  else if (JSON.stringify(actions.map(textsOf)).length > MOST_TEXT_OF_CHOICES)
    fault('choices', `must have at most ${MOST_TEXT_OF_CHOICES} characters of text in all`);
  if (labels.length === 1) fault('choices', 'must name two readings, or none');
  if (new Set(labels).size < labels.length) fault('choices', 'must be different');
  drafts.forEach(({ choice }, i) => {
    if (choice === null || choice > labels.length) fault(`actions.${i}.choice`, 'must be the number of a choice');
  });
  return labels.map((label, n) => {
    const own = actions.filter((_, i) => drafts[i]?.choice === n + 1);
    if (own.length === 0) fault(`choices.${n}`, 'has no action');
    return { label, actions: own };
  });
};

type ReadAnswer = { answer: ModelAnswer } | { faults: string[]; why: string };

const shapeless = (faults: string[]): ReadAnswer => ({
  faults,
  why: 'answered something that does not have the requested shape',
});

/**
 * Checks the model's answer strictly. Wall times are read in `facts.zone`.
 * @returns the answer, or every fault as text for the model and `why` as text for people
 */
export const readAnswer = (text: string, facts: PlanningFacts): ReadAnswer => {
  const json = jsonOf(text);
  if (json === undefined) return shapeless([syntaxFault(text)]);
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
  // Data may have asked the model to show a link.
  if (linksIn(read.data.left_out).length > 0) faults.push('left_out: must not name a link');
  const choices = choicesOf(read.data, actions, (path, message) => void faults.push(`${path}: ${message}`));
  return faults.length
    ? { faults, why: 'proposed something that can’t be' }
    : {
        answer: {
          reply: read.data.reply,
          left_out: read.data.left_out,
          actions: choices.length > 0 ? [] : actions,
          choices,
          questions,
        },
      };
};
