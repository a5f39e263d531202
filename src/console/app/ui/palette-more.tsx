/** What the palette shows with the help of the service: the preview of a sentence, and what was found. It is loaded when the palette is first opened. */
import { effect, signal } from '@preact/signals';
import { useEffect, useLayoutEffect } from 'preact/hooks';
import type { Plan } from '../../../client/almanac-client.ts';
import { dialog } from '../state/commands.ts';
import { events, eventsAt, far, hits, near } from '../state/found.ts';
import { keepLiteral, literalIn, type Stretch } from '../state/literal.ts';
import { complain } from '../state/messages.ts';
import { choose, grow, matches, SENTENCE, text, words, type More, type Option } from '../state/palette.ts';
import {
  isCorrection,
  isOfNow,
  isRefused,
  isWithdrawn,
  MOST_SHOWN,
  preview,
  isPreviewWanted,
  readOf,
  rivalsOf,
  wantPreview,
  type Preview,
} from '../state/preview.ts';
import { oneOfEach, propose } from '../state/propose.ts';
import { alternativesOf, proposeAgain } from '../state/propose-again.ts';
import { sentence } from '../state/sentence.ts';
import { amountOf, cancels, isSeries, repeats, repetitionText, startText } from '../state/series.ts';
import { useKeysShown, wasKeyShown } from '../state/shown.ts';
import { momentOf, spanText } from '../state/wall-time.ts';
import { actionOf, lengthOf } from './proposal-facts.tsx';
import { ReadAs } from './read-as.tsx';
import { mustAsk } from './sure.ts';
import { Foreign } from './text.tsx';
import { counted, noteText } from './words.ts';

const deedOf = (plan: Plan): string => {
  if (isWithdrawn(plan)) return 'Withdraws a proposal';
  return isCorrection(plan) ? 'Changes a proposal' : actionOf(plan);
};

const whenOf = (plan: Plan): string => {
  if (cancels(plan) || isWithdrawn(plan)) return '';
  const start = startText(plan);
  const repetition = repeats(plan) ? ` · ${repetitionText(plan)}, ${amountOf(plan)}` : '';
  return `${start && ` · ${isSeries(plan) ? 'from ' : ''}${start}`}${lengthOf(plan)}${repetition}`;
};

const refusalOf = ({ decision }: Plan): string => (decision ? noteText(decision) : 'not possible');

/** The refusal itself names no event, as agents without the calendar read it too. */
const TakenBy = ({ plan }: { plan: Plan }) => {
  const [first, ...others] = plan.decision?.code === 'slot:blocked' ? eventsAt(plan) : [];
  if (!first) return null;
  return (
    <span class="against">
      Taken by <Foreign lines={1}>{first.title}</Foreign>, {spanText({ start: first.scheduled_for, end: first.end })}
      {others.length > 0 && ` and ${others.length} more`}
    </span>
  );
};

const Line = ({ plan }: { plan: Plan }) => {
  const rivals = rivalsOf(plan);
  return (
    <span class="line-of-plan">
      <small>{deedOf(plan)}</small> <Foreign>{plan.title}</Foreign>
      {whenOf(plan)}
      {isRefused(plan) && <span class="against">Not possible: {refusalOf(plan)}</span>}
      {isRefused(plan) && <TakenBy plan={plan} />}
      {rivals[0] && (
        <span class="against">
          Also wanted by <Foreign lines={1}>{rivals[0].title}</Foreign>
          {rivals.length > 1 && ` and ${rivals.length - 1} more`}
        </span>
      )}
    </span>
  );
};

const keyOf = ({ of, plans }: Preview): string => `preview ${of} ${readOf(plans)}`;

/** The preview that has been shown for long enough to be booked. */
const readable = signal<string | undefined>(undefined);

const Lines = ({ shown }: { shown: Preview }) => {
  const key = keyOf(shown);
  const ready = useKeysShown([key]);
  useLayoutEffect(grow, [key]);
  useEffect(() => {
    readable.value = ready ? key : undefined;
  }, [ready, key]);
  const rest = shown.plans.length - MOST_SHOWN;
  return (
    <span class="lines">
      {shown.plans.slice(0, MOST_SHOWN).map((plan) => (
        <Line key={plan.uid} plan={plan} />
      ))}
      {rest > 0 && <small>and {rest} more</small>}
    </span>
  );
};

const proposing = signal<string | undefined>(undefined);
const failed = signal<{ of: string; why: string } | undefined>(undefined);

const run = async (shown: Preview, atOnce: boolean): Promise<void> => {
  if (proposing.value !== undefined) return;
  proposing.value = shown.of;
  failed.value = undefined;
  const why = await propose(shown, atOnce, wasKeyShown(keyOf(shown)));
  proposing.value = undefined;
  const isOpen = dialog.value === 'palette';
  if (why !== undefined && isOpen) failed.value = { of: shown.of, why };
  else if (why !== undefined) complain(`Not proposed: “${shown.of}”. ${why}`);
  // Another text that was typed meanwhile stays.
  else if (isOpen && text.value === shown.of) dialog.value = undefined;
};

const OFFERED = 3;

/** Nothing is proposed by Enter, which says so. One plan can be proposed at a free time instead. */
const refusedOptions = ({ of, plans }: Preview, common: Omit<Option, 'run'>): Option[] => {
  const [only, ...others] = plans;
  const free = only && !others.length ? alternativesOf(only, OFFERED) : [];
  const advice = free.length ? 'Choose one of the free times.' : 'Change the sentence.';
  const why = `Nothing is proposed, because this is not possible. ${advice}`;
  return [
    { ...common, off: true, run: () => (failed.value = { of, why }) },
    ...free.map(({ start }) => ({
      ...{ key: `at ${start}`, title: 'Propose', name: `Propose it for ${momentOf(start)}, which is free` },
      run: () => void proposeAgain(only as Plan, start),
    })),
  ];
};

/** A title with all the words means that none was read as a date, a time or a verb. */
const doubtOf = ({ plans }: Preview): Option['doubt'] => {
  if (oneOfEach(plans).length > 1) return 'set';
  if (plans.some((plan) => isSeries(plan) && !isCorrection(plan))) return 'series';
  return plans.every(({ title }) => matches(words.value, title)) ? 'words' : undefined;
};

const sentenceOptions = (of: string): Option[] => {
  const shown = preview.data.value;
  const common = { key: SENTENCE, title: 'Propose', name: of, stays: true } as const;
  const want = { ...common, title: 'Plan', run: () => wantPreview(of) };
  if (shown?.of !== of)
    return [
      isPreviewWanted(of) ? { ...want, hint: 'Reading…', off: true } : { ...want, hint: '↵ shows what it would do' },
    ];
  const isNow = isOfNow(shown);
  if (!shown.plans.length) return isNow ? [] : [{ ...want, hint: 'Reading…', off: true }];
  const body = <Lines shown={shown} />;
  if (!isNow) return [{ ...common, body, hint: 'Reading…', off: true, run: () => undefined }];
  if (shown.plans.every(isRefused)) return refusedOptions(shown, { ...common, title: 'Plan', body });
  const doubt = doubtOf(shown);
  // What will be found may be meant instead.
  if (doubt && state(of).isReading)
    return [{ ...common, body, doubt, hint: 'Reading…', off: true, run: () => undefined }];
  const amount = doubt === 'set' ? counted(shown.plans.filter((plan) => !isRefused(plan)).length, 'proposal') : '↵';
  const hint = proposing.value === of ? 'Proposing…' : amount;
  return [
    { ...common, body, doubt, hint, run: (atOnce) => void run(shown, atOnce) },
    ...(canBook(shown)
      ? [
          {
            ...{ key: 'book', title: 'Book', name: 'Book it at once, without a further decision', stays: true },
            ...{ hint: 'Ctrl ↵', off: readable.value !== keyOf(shown) },
            run: () => void run(shown, true),
          },
        ]
      : []),
  ];
};

/** What waits for a decision in any case is not offered. The answer decides again. */
const canBook = ({ plans }: Preview): boolean =>
  plans.length <= MOST_SHOWN && !plans.some((plan) => mustAsk(plan) || plan.swaps_with !== null || isCorrection(plan));

const state = (of: string): { failure?: string; isReading: boolean } => {
  const errors = [
    preview.data.value?.of === of ? preview.data.value.error : undefined,
    hits.data.value?.of === of ? (hits.data.value as { error?: unknown }).error : undefined,
    (events.data.value as { error?: unknown } | undefined)?.error,
  ];
  const error = errors.find((one) => one !== undefined);
  const failure = failed.value?.of === of ? failed.value.why : error === undefined ? undefined : sentence(error);
  const isReading = of.length > 1 && (hits.data.value?.of !== of || !events.data.value);
  return { ...(failure === undefined ? {} : { failure }), isReading };
};

/** A sentence that is written again is read as a new one. */
effect(() => {
  if (dialog.value !== 'palette') keepLiteral('', []);
});

/** The next Enter is for the sentence, and not for the button that is pressed, nor for what the pointer has crossed. */
const readOtherwise = (of: string) => (literal: Stretch[]) => {
  keepLiteral(of, literal);
  failed.value = undefined;
  choose(SENTENCE);
  document.querySelector<HTMLElement>('.palette input')?.focus();
};

/** Only of what is shown for this text. */
const readAs = (of: string) => {
  const shown = preview.data.value;
  if (shown?.of !== of) return null;
  const readings = shown.plans.flatMap(({ reading }) => reading ?? []);
  return <ReadAs of={of} readings={readings} literal={literalIn(of)} onRead={readOtherwise(of)} />;
};

export const more: More = { sentence: sentenceOptions, readAs, near, far, state };
