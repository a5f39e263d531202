/** One block of the time grid: an event, or a ghost with its button to approve. */
import { asOf } from '../state/address.ts';
import { hueOf, proposerOf, type Waiting } from '../state/data.ts';
import { approve, reject } from '../state/decide.ts';
import { repeats } from '../state/series.ts';
import { clockText, lengthText, longDate } from '../state/wall-time.ts';
import { Foreign, Hidden } from '../ui/text.tsx';
import { endOf, type Block, type Placed } from './blocks.ts';
import { hover, opened, pin, unhover } from './card.ts';
import { moveByKey, onBlockPointerDown } from './drag.ts';

/** What the place and the look of a block say, for those who do not see them. */
export const Before = ({ block }: { block: Block }) =>
  block.kind === 'ghost' ? <Hidden>Proposal of {proposerOf(block.plan)}: </Hidden> : null;
export const After = ({ block }: { block: Block }) => (
  <Hidden>
    , {longDate(block.start.date)}, {block.allDay ? 'all day' : lengthText(block.minutes)}
  </Hidden>
);

/** What the check mark does. */
export const approveName = (plan: Waiting): string =>
  `Approve ${repeats(plan) ? 'the series ' : ''}${plan.swaps_with === null ? '' : 'the swap '}${plan.title}`;

export const openCard = (block: Block, element: Element): void => {
  const moved = opened.value?.key === block.key ? opened.value.moved : undefined;
  pin({ key: block.key, moves: block.moves, at: element.getBoundingClientRect(), ...(moved ? { moved } : {}) });
};

/** a approves and r rejects a ghost; Shift and an arrow move a block. */
const onKeyDown = (event: KeyboardEvent, block: Block): void => {
  if (moveByKey(event, block)) event.preventDefault();
  else if (block.kind === 'ghost' && asOf.value === undefined && !event.ctrlKey && !event.metaKey) {
    if (event.key === 'a') void approve(block.plan);
    if (event.key === 'r') void reject(block.plan);
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
      data-hue={ghost ? hueOf(block.plan) : block.event.origin === 'agent' || block.event.plan_uid ? 1 : 0}
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
      {ghost && asOf.value === undefined && (
        <button type="button" class="yes" aria-label={approveName(block.plan)} onClick={() => void approve(block.plan)}>
          ✓
        </button>
      )}
      <span class="resize" aria-hidden="true" />
    </div>
  );
};
