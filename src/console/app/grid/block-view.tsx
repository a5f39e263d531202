/** One block of the time grid: an event, or a ghost with its button to approve. */
import { asOf } from '../state/address.ts';
import { hueOf, proposerOf } from '../state/data.ts';
import { approve } from '../state/decide.ts';
import { useShown, wasShown } from '../state/shown.ts';
import { amountOf, repeats } from '../state/series.ts';
import { clockText, lengthText, longDate } from '../state/wall-time.ts';
import { asked } from '../ui/proposal-card.tsx';
import { Foreign, Hidden } from '../ui/text.tsx';
import { endOf, marked, type Block, type Ghost, type Placed } from './blocks.ts';
import { hover, opened, pin, unhover } from './card.ts';
import { moveByKey, onBlockPointerDown } from './drag.ts';

export const hueOfBlock = (block: Block): number =>
  block.kind === 'ghost' ? hueOf(block.plan) : block.event.origin === 'agent' || block.event.plan_uid ? 1 : 0;

/** What the place and the look of a block say, for those who do not see them. */
export const Before = ({ block }: { block: Block }) =>
  block.kind === 'ghost' ? <Hidden>Proposal of {proposerOf(block.plan)}: </Hidden> : null;
export const After = ({ block }: { block: Block }) => (
  <Hidden>
    , {longDate(block.start.date)}, {block.allDay ? 'all day' : lengthText(block.minutes)}
  </Hidden>
);

export const openCard = (block: Block, element: Element): void => {
  const moved = opened.value?.key === block.key ? opened.value.moved : undefined;
  pin({ key: block.key, moves: block.moves, at: element.getBoundingClientRect(), ...(moved ? { moved } : {}) });
};

/** Approves at once, except a series, a swap and what has just appeared: the card says what an approval means. */
const decide = (block: Ghost, element: Element): void => {
  const asks = repeats(block.plan) || block.plan.swaps_with !== null;
  if (asks || !wasShown('block', block.plan)) openCard(block, element);
  else void approve(block.plan, { place: 'block' });
};

const nameOfMark = ({ plan }: Ghost): string => {
  if (repeats(plan)) return `Approve the whole series ${plan.title}, ${amountOf(plan)}: asks first`;
  return `Approve ${plan.swaps_with === null ? '' : 'the swap '}${plan.title}`;
};

/** The check mark by which a ghost is approved. */
export const Mark = ({ block }: { block: Ghost }) => {
  const ready = useShown('block', [block.plan]);
  return asOf.value === undefined ? (
    <button
      type="button"
      class="yes"
      aria-disabled={!ready}
      data-asks={repeats(block.plan) ? '' : undefined}
      aria-label={nameOfMark(block)}
      title={repeats(block.plan) ? `Approves the whole series: ${amountOf(block.plan)}` : 'Approve'}
      onClick={(event) => decide(block, event.currentTarget)}
    >
      {repeats(block.plan) ? '✓…' : '✓'}
    </button>
  ) : null;
};

/** a approves and r rejects a ghost; Shift and an arrow move a block. */
const onKeyDown = (event: KeyboardEvent, block: Block): void => {
  if (moveByKey(event, block)) event.preventDefault();
  else if (block.kind === 'ghost' && asOf.value === undefined && !event.ctrlKey && !event.metaKey) {
    if (event.key === 'a' && !event.repeat) decide(block, event.currentTarget as Element);
    if (event.key === 'r') {
      asked.value = { uid: block.plan.uid, about: 'reason' };
      openCard(block, event.currentTarget as Element);
    }
  }
};

type Handlers = {
  'data-block': string;
  onClick: (event: MouseEvent) => void;
  onFocus: (event: FocusEvent) => void;
  onBlur: () => void;
  onKeyDown: (event: KeyboardEvent) => void;
};

export const blockHandlers = (block: Block): Handlers => ({
  'data-block': block.key,
  onClick: (event) => openCard(block, event.currentTarget as Element),
  onFocus: (event) => {
    const element = event.currentTarget as Element;
    if (element.matches(':focus-visible')) hover(block.key, element);
  },
  onBlur: unhover,
  onKeyDown: (event) => onKeyDown(event, block),
});

export const BlockView = ({ placed: { block, top, height, column, columns } }: { placed: Placed }) => {
  const ghost = block.kind === 'ghost';
  const place = {
    top: `${(top / 1440) * 100}%`,
    height: `${(height / 1440) * 100}%`,
    left: `${(column / columns) * 100}%`,
    width: `${100 / columns}%`,
  };
  return (
    <div
      class={`block ${block.kind}`}
      style={place}
      data-hue={hueOfBlock(block)}
      data-marked={ghost && marked.value.has(block.plan.uid) ? '' : undefined}
      data-short={height < 40 ? '' : undefined}
      data-free={block.kind === 'event' && !block.event.busy ? '' : undefined}
      onPointerEnter={(event) => {
        if (event.pointerType === 'mouse' && ghost) hover(block.key, event.currentTarget);
      }}
      onPointerLeave={unhover}
      onPointerDown={(event) => onBlockPointerDown(event, block, (event.target as Element).matches('.resize'))}
    >
      <button type="button" class="body" {...blockHandlers(block)}>
        <Before block={block} />
        <Foreign lines={Math.max(1, Math.floor((height - 18) / 16))}>{block.title}</Foreign>
        <span class="time">
          {ghost && repeats(block.plan) && <span title="Repeats">↻ </span>}
          {clockText(block.start.minutes)}–{clockText(endOf(block).minutes)}
        </span>
        <After block={block} />
      </button>
      {ghost && <Mark block={block} />}
      <span class="resize" aria-hidden="true" />
    </div>
  );
};
