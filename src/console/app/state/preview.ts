/** What a sentence in the palette would do: the answer of a simulation, which stores nothing. */
import { signal } from '@preact/signals';
import type { Plan, ProposedPlan } from '../../../client/almanac-client.ts';
import { dialog } from './commands.ts';
import { status, waiting, type Waiting } from './data.ts';
import { areSame, asLiteral, literalIn, type Stretch } from './literal.ts';
import { isSentence, settle, settled, text } from './palette.ts';
import { resource } from './resource.ts';
import { client } from './service.ts';
import { firstStart, isAllDay, occurrencesIn } from './series.ts';
import { wallOf } from './wall-time.ts';

export type Preview = { of: string; literal: readonly Stretch[]; plans: ProposedPlan[]; error?: unknown };

const wanted = signal<string | undefined>(undefined);

/** What the person has asked for by Enter, where a model reads sentences. */
export const wantPreview = (of: string): void => {
  wanted.value = of;
  settle();
};

/** Each answer of a model costs money and seconds, so it is asked only when the person wants it. */
export const isPreviewWanted = (of: string): boolean =>
  status.data.value?.planner.mode === 'built-in' || wanted.value === of;

/** What was read of a text stays where it cannot be read again. */
const readBefore = (of: string, literal: readonly Stretch[]): ProposedPlan[] => {
  const { value: last } = preview.data;
  return last?.of === of && areSame(last.literal, literal) ? last.plans : [];
};

/** Whether a preview is that of the text as it is to be read now. */
export const isOfNow = ({ of, literal }: Preview): boolean => areSame(literal, literalIn(of));

/** While the person types, nothing is asked. Only the answer for the last text is kept. */
export const preview = resource<{ prompt: string; literal: readonly Stretch[] }, Preview>(
  () => {
    const isAsked =
      dialog.value === 'palette' && isSentence.value && settled.value === text.value && isPreviewWanted(text.value);
    return isAsked ? { prompt: text.value, literal: literalIn(text.value) } : null;
  },
  ['plans', 'events', 'profile'],
  ({ prompt, literal }) =>
    client.chat.planPreview({ prompt, ...asLiteral(literal) }).then(
      (plans) => ({ of: prompt, literal, plans }),
      (error: unknown) => ({ of: prompt, literal, plans: readBefore(prompt, literal), error }),
    ),
);

/** The plans of one sentence that the palette shows. */
export const MOST_SHOWN = 4;

export const isWithdrawn = ({ status, decision }: Plan): boolean =>
  status === 'rejected' && decision?.code === 'withdrawn';
export const isRefused = (plan: Plan): boolean => plan.status === 'rejected' && !isWithdrawn(plan);

/** Whether a plan is a waiting proposal that the sentence changes or withdraws. A new one has no revision before it. */
export const isCorrection = (plan: Plan): boolean => plan.revision > 1 || isWithdrawn(plan);

/** What a person reads of plans before they are booked. Two answers with the same say the same. */
export const readOf = (plans: readonly Plan[]): string =>
  JSON.stringify(
    plans.map((plan) => {
      const { action_type, title, scheduled_for, duration_minutes, rrule, exdates, status } = plan;
      const { target_event_uid, arguments: given, swaps_with } = plan;
      return [
        ...[action_type, title, scheduled_for, duration_minutes, rrule, exdates, status],
        ...[target_event_uid, given, swaps_with !== null],
      ];
    }),
  );

const MINUTE_MS = 60_000;
const spanOf = (at: number, { duration_minutes }: Plan): [number, number] => [
  at,
  at + (duration_minutes ?? 30) * MINUTE_MS,
];

/** The waiting proposals that want the time of a plan, the first one of a series. */
export const rivalsOf = (plan: Plan): Waiting[] => {
  const start = firstStart(plan);
  if (start === null || plan.status !== 'proposed' || isAllDay(plan)) return [];
  const [from, to] = spanOf(Date.parse(start), plan);
  const { date } = wallOf(start);
  const isRival = (other: Waiting): boolean =>
    other.uid !== plan.uid &&
    !isAllDay(other) &&
    occurrencesIn(other, date, 2).some(({ at }) => {
      const [begin, end] = spanOf(at, other);
      return begin < to && end > from;
    });
  return (waiting.data.value ?? []).filter(isRival);
};
