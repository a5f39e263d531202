/** A row of the queue: what is proposed, when, by whom, and what is in the way of it. */
import { asOf } from '../state/address.ts';
import { hueOf, proposerOf, type Waiting } from '../state/data.ts';
import { approve } from '../state/decide.ts';
import { isNarrow } from '../state/narrow.ts';
import { repeats, repetitionText } from '../state/series.ts';
import { useShown } from '../state/shown.ts';
import { actionOf, Times } from '../ui/proposal-facts.tsx';
import { mustAsk } from '../ui/sure.ts';
import { Foreign } from '../ui/text.tsx';
import { markOf, useInView } from './marks.ts';
import { current } from './reading.ts';
import { isSelected, isSelecting, toggle } from './selection.tsx';
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

type Props = {
  plan: Waiting;
  onRead: (plan: Waiting) => void;
  /** Opens the card with its question. */
  onAsk: (plan: Waiting, about: 'reason' | 'sure') => void;
};

export const Row = ({ plan, onRead, onAsk }: Props) => {
  const isCurrent = current.value?.uid === plan.uid;
  const row = useInView(plan.uid);
  useShown('row', [plan]);
  // A swap is two plans, of which a row shows one.
  const isAsked = mustAsk(plan) || plan.swaps_with !== null;
  const swipes = {
    onRight: () => (isAsked ? onAsk(plan, 'sure') : void approve(plan, { place: 'row' })),
    onLeft: () => onAsk(plan, 'reason'),
  };
  const maySwipe = isNarrow.value && asOf.value === undefined && !isSelecting.value;
  return (
    <li ref={row} aria-current={isCurrent ? 'true' : undefined} data-hue={hueOf(plan)}>
      <Swiped class="row" {...(maySwipe ? swipes : {})}>
        {asOf.value === undefined && (
          <input
            type="checkbox"
            aria-label={`Select ${plan.title}`}
            checked={isSelected(plan)}
            onClick={(event) => toggle(plan.uid, event.shiftKey)}
          />
        )}
        <button type="button" class="body" onClick={() => onRead(plan)}>
          <span class="what">
            <Foreign lines={1}>{plan.title}</Foreign>
            {repeats(plan) && <small>{repetitionText(plan)}</small>}
            {plan.swaps_with !== null && <small>swap</small>}
            <Mark plan={plan} />
          </span>
          <small>
            {actionOf(plan)} · <Times plan={plan} /> · <Foreign>{proposerOf(plan)}</Foreign>
          </small>
        </button>
      </Swiped>
    </li>
  );
};
