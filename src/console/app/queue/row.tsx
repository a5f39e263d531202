/** A row of the queue: what is proposed, when, by whom, and what is in the way of it. On a phone a swipe decides on it, and asks there. */
import { signal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { asOf } from '../state/address.ts';
import { hueOf, proposerOf, type Waiting } from '../state/data.ts';
import { approve, partnerOf, reject } from '../state/decide.ts';
import { messages } from '../state/messages.ts';
import { isNarrow } from '../state/narrow.ts';
import { isSeries, later, repetitionText } from '../state/series.ts';
import { configures } from '../state/settings.ts';
import { useShown } from '../state/shown.ts';
import { Question } from '../ui/ask-first.tsx';
import { actionOf, Times } from '../ui/proposal-facts.tsx';
import { ReasonLine } from '../ui/reason-line.tsx';
import { mustAsk, whySure } from '../ui/sure.ts';
import { Foreign } from '../ui/text.tsx';
import { markOf, useInView } from './marks.ts';
import { current, read } from './reading.ts';
import { isSelected, isSelecting, toggle, turnTo } from './selection.tsx';
import { Swiped } from './swiped.tsx';

/** It has its place at the end of the line, so that it moves nothing when it comes. */
const Mark = ({ plan }: { plan: Waiting }) => {
  const mark = markOf(plan);
  if (!mark) return null;
  return (
    <small class="against">
      {mark.text}
      {mark.title !== undefined && (
        <>
          {' '}
          <Foreign>{mark.title}</Foreign>
        </>
      )}
    </small>
  );
};

/** What a swipe has asked, in the row itself: no card opens over the list. */
const asked = signal<{ uid: string; about: 'reason' | 'sure' } | undefined>(undefined);
const unask = (): void => {
  asked.value = undefined;
};

const sureOf = (plan: Waiting): string => {
  const partner = partnerOf(plan);
  if (configures(plan)) return 'This changes your settings. Its card says how.';
  return partner ? `It changes places with “${partner.title}”, and both are approved.` : whySure(plan);
};

const Asked = ({ plan }: { plan: Waiting }) => {
  const element = useRef<HTMLDivElement>(null);
  const { value: said } = messages;
  // A message takes its place from the list, and the answers stay in view.
  useEffect(() => element.current?.scrollIntoView({ block: 'nearest' }), [said]);
  if (asked.value?.uid !== plan.uid) return null;
  /** Where it worked, nothing is asked any more: after an undo the row is as it was before. */
  const decide = async (work: Promise<boolean>): Promise<boolean> => {
    const worked = await work;
    if (worked && asked.value?.uid === plan.uid) unask();
    return worked;
  };
  const both = plan.swaps_with === null ? '' : ' both';
  return (
    <div class="asked" ref={element}>
      {asked.value.about === 'reason' ? (
        <ReasonLine
          name={`Reject${both}`}
          about={plan.uid}
          onReject={(note) => decide(reject(plan, { place: 'row', note }))}
          onKeep={unask}
        />
      ) : (
        <Question
          label={`Approve ${plan.title}?`}
          why={sureOf(plan)}
          confirm={`Approve${both}`}
          keep="Not yet"
          onConfirm={() => void decide(approve(plan, { place: 'row' }))}
          onKeep={unask}
        />
      )}
    </div>
  );
};

type Props = {
  plan: Waiting;
  onRead: (plan: Waiting) => void;
  /** The row was swiped. */
  onSwiped: () => void;
};

export const Row = ({ plan, onRead, onSwiped }: Props) => {
  const isCurrent = current.value?.uid === plan.uid;
  const row = useInView(plan.uid);
  useShown('row', [plan]);
  // A swap is two plans, of which a row shows one; and no row shows settings.
  const isAsked = mustAsk(plan) || plan.swaps_with !== null || configures(plan);
  const ask = (about: 'reason' | 'sure'): void => {
    onSwiped();
    asked.value = { uid: plan.uid, about };
  };
  const decide = (): void => {
    onSwiped();
    // Its card says why not, and has the free times.
    void approve(plan, { place: 'row' }).then((worked) => worked || onRead(plan));
  };
  /** A row to which the keyboard has come is the one that keys decide on. */
  const onFocus = ({ target }: FocusEvent): void => {
    if (!(target as Element).matches(':focus-visible')) return;
    read(plan);
    turnTo();
  };
  const swipes = { onRight: () => (isAsked ? ask('sure') : decide()), onLeft: () => ask('reason') };
  const maySwipe = isNarrow.value && asOf.value === undefined && !isSelecting.value;
  return (
    <li ref={row} aria-current={isCurrent ? 'true' : undefined} data-hue={hueOf(plan)} onFocusIn={onFocus}>
      <Swiped class="row" {...(maySwipe ? swipes : {})}>
        {asOf.value === undefined && (
          <input
            type="checkbox"
            data-keys=""
            aria-label={`Select ${plan.title}`}
            checked={isSelected(plan)}
            onClick={(event) => toggle(plan.uid, event.shiftKey)}
          />
        )}
        <button type="button" class="body" onClick={() => onRead(plan)}>
          <span class="what">
            <Foreign lines={1}>{plan.title}</Foreign>
            {isSeries(plan) && <small>{later(plan) || repetitionText(plan)}</small>}
            {plan.swaps_with !== null && <small>swap</small>}
            <Mark plan={plan} />
          </span>
          <small>
            {actionOf(plan)} · <Times plan={plan} /> · <Foreign>{proposerOf(plan)}</Foreign>
          </small>
        </button>
      </Swiped>
      {maySwipe && <Asked plan={plan} />}
    </li>
  );
};
