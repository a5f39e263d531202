/** How the words of a prompt were read, so that a person can check it: the stretches that a proposal was made of. */
import { ruleText } from '../../calendar/rrule-text.ts';
import { hourOf, lengthName } from '../../time/say.ts';
import { addMinutes } from '../../time/time.ts';
import type { Span } from '../request.ts';
import type { Doubt } from '../roles/reader.ts';
import { timeOf } from './say.ts';
import { cut } from './texts.ts';
import type { Intent, IntentContext, PromptReading, ReadStretch } from './types.ts';

/** Stretches of these say when something is; side by side they are one. */
const TIMES: ReadonlySet<Span['role']> = new Set<Span['role']>(['when', 'rel', 'limit', 'repeat', 'except', 'shift']);

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

/** A length that has no words of its own is said by the time: '9-1'. */
const timeMeant = (intent: Intent, hasLength: boolean, context: IntentContext): string | undefined => {
  const { scheduled_for: at, duration_minutes: minutes, arguments: own } = intent;
  const time = timeOf(intent, context);
  if (time === undefined || !at || minutes === undefined || hasLength || own.all_day) return time;
  return `${time} to ${hourOf(addMinutes(at, minutes), context.zone)}`;
};

/** What stretches of a role mean for an intent. */
const meaningsOf = (spans: readonly Span[], intent: Intent, context: IntentContext) => {
  const { duration_minutes: minutes, rrule } = intent;
  const has = (role: Span['role']): boolean => spans.some((span) => span.role === role);
  const time = timeMeant(intent, has('dur'), context);
  return (role: Span['role']): string | undefined => {
    if (role === 'dur') return minutes === undefined ? undefined : lengthName(minutes);
    if (role === 'repeat' && rrule !== undefined) return ruleText(rrule);
    return TIMES.has(role) ? time : undefined;
  };
};

/** What was read, and how sure that is. */
export type Read = { text: string; probability: number; doubts: readonly Doubt[] };

/** @param spans the stretches of the prompt that the intent was made of */
export const readingOf = (
  spans: readonly Span[],
  intent: Intent,
  { text, probability, doubts }: Read,
  context: IntentContext,
): PromptReading => {
  const said = new Set<string>();
  const meaningOf = meaningsOf(spans, intent, context);
  const stretches = joined(
    spans.map((span) => trimmed(span, text)).toSorted((a, b) => a.from - b.from),
    text,
  ).map((span): ReadStretch => {
    const means = meaningOf(span.role);
    // A time that several stretches say is said once.
    const isNew = means !== undefined && !said.has(means);
    if (isNew) said.add(means);
    const isDoubtful = doubts.some(({ from, to }) => from < span.to && to > span.from);
    return { ...span, ...(isNew && { means }), ...(isDoubtful && { doubtful: true as const }) };
  });
  return { probability, stretches };
};

/** Of proposals whose reading is less probable than this, about half are right (docs/planner.md). */
export const DOUBTFUL = 0.3;
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
    .map((one) => `“${cut(one, LONGEST_CHECKED)}”`)
    .toReversed();
  return `Please check how I read ${[others.toReversed().join(', '), last].filter(Boolean).join(' and ')}.`;
};
