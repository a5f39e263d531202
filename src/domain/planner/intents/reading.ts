/** How the words of a prompt were read, so that a person can check it: the stretches that a proposal was made of. */
import { ruleText } from '../../calendar/rrule-text.ts';
import { dayName, hourOf, lengthName, timeName } from '../../time/say.ts';
import { addMinutes, type Instant, zoned } from '../../time/time.ts';
import type { Span } from '../request.ts';
import type { Doubt } from '../roles/reader.ts';
import { timeOf } from './say.ts';
import { settingsText } from './settings-text.ts';
import { cut, squash } from './texts.ts';
import type { Intent, IntentContext, PromptReading, ReadStretch } from './types.ts';

/** Stretches of these say when something is. */
const MEANT: ReadonlySet<Span['role']> = new Set<Span['role']>(['when', 'rel', 'limit', 'shift']);
/** Side by side, stretches of one of these are one. */
const TIMES: ReadonlySet<Span['role']> = new Set<Span['role']>([...MEANT, 'repeat', 'except']);

const joined = (spans: readonly Span[], text: string): Span[] => {
  const all: Span[] = [];
  for (const span of spans) {
    const last = all.at(-1);
    const isNext = last && last.role === span.role && text.slice(last.to, span.from).trim() === '';
    if (isNext && TIMES.has(span.role)) all[all.length - 1] = { ...last, to: span.to };
    else all.push(span);
  }
  return all;
};

/** Without the blanks at its ends. */
const trimmed = ({ role, from, to }: Span, text: string): Span => {
  const words = text.slice(from, to);
  return { role, from: to - words.trimStart().length, to: from + words.trimEnd().length };
};

const MOST_MEANT = 3;
/** 'A; B; C and 2 more', each once. */
const listed = (texts: readonly (string | undefined)[]): string | undefined => {
  const all = [...new Set(texts.filter((one) => one !== undefined))];
  const more = all.length > MOST_MEANT ? ` and ${all.length - MOST_MEANT} more` : '';
  return all.length > 0 ? `${all.slice(0, MOST_MEANT).join('; ')}${more}` : undefined;
};

/** A length that has no words of its own is said by the time: '9-1'. */
const timeMeant = (intent: Intent, hasLength: boolean, context: IntentContext): string | undefined => {
  const { scheduled_for: at, duration_minutes: minutes, arguments: own } = intent;
  const { zone, now } = context;
  const time = timeOf(intent, context);
  if (time === undefined || !at || minutes === undefined) return time;
  const end = addMinutes(at, minutes);
  const dayOf = (instant: Instant): Temporal.PlainDate => zoned(instant, zone).toPlainDate();
  // A whole day ends at midnight, and has 23 or 25 hours where the clocks change.
  const last = own.all_day ? dayOf(addMinutes(end, -1)) : dayOf(end);
  const isSameDay = dayOf(at).equals(last);
  if (own.all_day) return isSameDay ? time : `${time} to ${dayName(last)}`;
  if (hasLength) return time;
  return `${time} to ${isSameDay ? hourOf(end, zone) : timeName(end, zone, now)}`;
};

/** What stretches of a role mean for the intents that were made of them. */
const meaningsOf = (spans: readonly Span[], intents: readonly Intent[], context: IntentContext) => {
  const has = (role: Span['role']): boolean => spans.some((span) => span.role === role);
  const time = listed(intents.map((intent) => timeMeant(intent, has('dur'), context)));
  const length = listed(intents.map(({ duration_minutes: minutes }) => (minutes ? lengthName(minutes) : undefined)));
  const rule = listed(intents.map(({ rrule }) => (rrule ? ruleText(rrule) : undefined)));
  const settings = listed(intents.map(settingsText));
  const first = time === undefined || spans.some(({ role }) => MEANT.has(role)) ? '' : `; first ${time}`;
  return (role: Span['role']): string | undefined => {
    if (role === 'dur') return length;
    if (role === 'setting') return settings;
    if (role === 'repeat') return rule === undefined ? time : `${rule}${first}`;
    return MEANT.has(role) ? time : undefined;
  };
};

/** Each proposal of a prompt has them, so that more of them would make a long answer. */
const MOST_STRETCHES = 50;

/** What was read, and how sure that is. */
export type Read = { text: string; probability: number; doubts: readonly Doubt[] };

/**
 * @param spans the stretches of the prompt that the intents were made of
 * @param intents all of them: “monday at 9, wednesday at 10” means two times
 */
export const readingOf = (
  spans: readonly Span[],
  intents: readonly Intent[],
  { text, probability, doubts }: Read,
  context: IntentContext,
): PromptReading => {
  const said = new Set<string>();
  const meaningOf = meaningsOf(spans, intents, context);
  const stretches = joined(
    spans.map((span) => trimmed(span, text)).toSorted((a, b) => a.from - b.from),
    text,
  )
    .slice(0, MOST_STRETCHES)
    .map((span): ReadStretch => {
      const means = meaningOf(span.role);
      // A time that several stretches say is said once.
      const isNew = means !== undefined && !said.has(means);
      if (isNew) said.add(means);
      const isDoubtful = doubts.some(({ from, to }) => from < span.to && to > span.from);
      return { ...span, ...(isNew && { means }), ...(isDoubtful && { doubtful: true as const }) };
    });
  return { probability, stretches };
};

/** That of one change which several clauses make. */
export const joinedReading = (one?: PromptReading, other?: PromptReading): PromptReading | undefined => {
  if (!one || !other) return one ?? other;
  const all = new Map([...one.stretches, ...other.stretches].map((stretch) => [stretch.from, stretch]));
  return { ...one, stretches: [...all.values()].toSorted((a, b) => a.from - b.from) };
};

/** Of proposals whose reading is less probable than this, about half are right (docs/planner.md). */
const DOUBTFUL = 0.3;
const MOST_CHECKED = 3;
const LONGEST_CHECKED = 60;

/** What the person should check: the doubtful words, or the names where no word is doubtful by itself. */
export const checkOf = (intents: readonly Intent[], { text, probability }: Read): string | undefined => {
  if (intents.length === 0 || probability >= DOUBTFUL) return undefined;
  const stretches = intents.flatMap(({ reading }) => reading?.stretches ?? []);
  const doubtful = stretches.filter((one) => one.doubtful).map(({ from, to }) => text.slice(from, to));
  const words = new Set(doubtful.length > 0 ? doubtful : intents.map(({ title }) => title));
  const [last, ...others] = [...words]
    .slice(0, MOST_CHECKED)
    .map((one) => `“${cut(squash(one), LONGEST_CHECKED)}”`)
    .toReversed();
  return `Please check how I read ${[others.toReversed().join(', '), last].filter(Boolean).join(' and ')}.`;
};
