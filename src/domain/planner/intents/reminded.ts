/** Which reminders of a prompt no action carries: 'lunch at one, remind me 30 minutes before'. */
import { addMinutes, dayBounds, type Instant, millis, zoned } from '../../time/time.ts';
import type { Piece } from '../act/clause.ts';
import { readTime } from '../time/read-time.ts';
import { squash } from './texts.ts';
import type { Intent, IntentContext } from './types.ts';

const DAY = 1440;

const AHEAD = / (?:before|beforehand|ahead|earlier|prior|in advance)\b/i;

/** The words of a length ahead of something. 'The day before' is no length, since its reminder has an hour of its own. */
const lengthAhead = (words: string): string => {
  const ahead = AHEAD.exec(words);
  return ahead && !/^(?:for )?the\b/i.test(words) ? words.slice(0, ahead.index).replace(/^for /i, '') : '';
};

/** In minutes, but for months, which differ. */
const lengthsIn = (words: string): number[] =>
  readTime(words, 'length').items.flatMap((item) => {
    if (item.item !== 'length' || item.amount.months !== undefined) return [];
    return (item.amount.minutes ?? 0) + (item.amount.days ?? 0) * DAY;
  });

/** The next piece before or behind a piece, and what is between them. */
const beside = (pieces: readonly Piece[], from: number, step: 1 | -1): { at: number; glue: string } => {
  let [at, glue] = [from + step, ''];
  for (; pieces[at]?.role === 'glue'; at += step) glue += pieces[at]!.text;
  return { at, glue: squash(glue) };
};

/** Whether a time belongs to 'remind me' or 'remind me of lunch'. In 'remind me two days before the flight to pack' an action has it. */
const isReminder = (pieces: readonly Piece[], at: number): boolean => {
  const next = beside(pieces, at, 1);
  if (pieces[next.at]?.role === 'title' && !/^(?:with|at|of|in)$/i.test(next.glue)) return false;
  const last = beside(pieces, at, -1);
  if (pieces[last.at]?.role !== 'title') return pieces[last.at]?.role === 'remind';
  const verb = beside(pieces, last.at, -1);
  return pieces[verb.at]?.role === 'remind' && /^(?:of|about)$/i.test(verb.glue);
};

/** Whether an action begins this long before something else. Of days, its hour may be another one. */
const isAction = (length: number, intents: readonly Intent[], starts: readonly Instant[], zone: string): boolean => {
  const own = intents.filter(({ action_type, arguments: { cancel } }) => action_type === 'schedule' && !cancel);
  return own.some(({ scheduled_for: at, between }) => {
    if (!at) return between !== undefined && starts.some((one) => isIn(addMinutes(one, -length), between));
    if (length % DAY !== 0) return starts.includes(addMinutes(at, length));
    const date = zoned(at, zone)
      .toPlainDate()
      .add({ days: length / DAY });
    const day = dayBounds(date.toString(), zone);
    return starts.some((one) => isIn(one, day));
  });
};

const isIn = (at: Instant, { start, end }: { start: Instant; end: Instant }): boolean =>
  millis(at) >= millis(start) && millis(at) < millis(end);

/** The reminders that neither an action has nor is one, in the words of the prompt. */
export const remindersLeft = (
  pieces: readonly Piece[],
  intents: readonly Intent[],
  { events, pending, zone }: IntentContext,
): string[] => {
  if (intents.every(({ arguments: own }) => own.cancel === true)) return [];
  const reminders = new Set(intents.flatMap(({ arguments: own }) => own.reminders ?? []));
  const starts = [...intents, ...events, ...pending].flatMap(({ scheduled_for: at }) => at ?? []);
  return pieces.flatMap(({ role, text }, at) => {
    const words = squash(text);
    const length = role === 'rel' && isReminder(pieces, at) ? lengthAhead(words) : '';
    const isLeft = lengthsIn(length).some((one) => !reminders.has(one) && !isAction(one, intents, starts, zone));
    return isLeft ? [words] : [];
  });
};
