/** How the words of a prompt were read, so that a person can check it: the stretches that a proposal was made of. */
import { lengthName } from '../../time/say.ts';
import type { Span } from '../request.ts';
import type { Doubt } from '../roles/reader.ts';
import { timeOf } from './say.ts';
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

const meaningOf = ({ role }: Span, intent: Intent, context: IntentContext): string | undefined => {
  if (role === 'dur') return intent.duration_minutes === undefined ? undefined : lengthName(intent.duration_minutes);
  return TIMES.has(role) ? timeOf(intent, context) : undefined;
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
  const stretches = joined(
    spans.map((span) => trimmed(span, text)).toSorted((a, b) => a.from - b.from),
    text,
  ).map((span): ReadStretch => {
    const means = meaningOf(span, intent, context);
    // A time that several stretches say is said once.
    const isNew = means !== undefined && !said.has(means);
    if (isNew) said.add(means);
    const isDoubtful = doubts.some(({ from, to }) => from < span.to && to > span.from);
    return { ...span, ...(isNew && { means }), ...(isDoubtful && { doubtful: true as const }) };
  });
  return { probability, stretches };
};
