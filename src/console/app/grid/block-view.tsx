/** One block of the time grid: an event, or a ghost with its button to approve. */
import { useEffect, useRef } from 'preact/hooks';
import type { Occurrence } from '../../../client/almanac-client.ts';
import { asOf } from '../state/address.ts';
import { hueOf, hueOfId, proposerOf, sourceOf } from '../state/data.ts';
import { approve } from '../state/decide.ts';
import { configures } from '../state/settings.ts';
import { READ_MS, useShown, wasShown } from '../state/shown.ts';
import { amountOf, cancels, isSeries, later, repeats } from '../state/series.ts';
import { clockText, lengthText, longDate } from '../state/wall-time.ts';
import { asked } from '../ui/proposal-card.tsx';
import { mustAsk } from '../ui/sure.ts';
import { Foreign, Hidden } from '../ui/text.tsx';
import { endOf, type Block, type Ghost } from './block.ts';
import { marked } from './blocks.ts';
import { focusAfter, hover, hoverByPointer, leaveByPointer, opened, pin, unhover } from './card.ts';
import { appears, isFixed, onBlockPointerDown } from './drag.ts';
import { focusByKey, tabIndexOf } from './focus.ts';
import { giveUpKeyMove, moveByKey } from './key-move.ts';
import { changeOf } from './later.ts';
import type { Placed } from './place.ts';
import { fateOf } from './targets.ts';

const colourOf = (event: Occurrence) => {
  const { origin, source_uid } = event;
  if (source_uid === undefined) return { 'data-hue': origin === 'agent' ? 1 : 0 };
  const color = sourceOf(event)?.color;
  return { 'data-foreign': '', 'data-hue': hueOfId(source_uid), ...(color ? { style: { '--hue': color } } : {}) };
};

type Looks = { [data: `data-${string}`]: string | number | undefined; style?: Record<string, string> };

/** Its colour is that of its proposer or its calendar. */
export const looksOf = (block: Block): Looks =>
  block.kind === 'ghost'
    ? {
        'data-hue': hueOf(block.plan),
        'data-cancels': cancels(block.plan) ? '' : undefined,
        'data-repeats': isRepeated(block) ? '' : undefined,
        'data-marked': marked.value.has(block.plan.uid) ? '' : undefined,
      }
    : {
        ...colourOf(block.event),
        'data-fate': block.later ? undefined : fateOf(block.event),
        'data-later': block.later,
        'data-free': block.event.busy ? undefined : '',
        'data-repeats': isRepeated(block) ? '' : undefined,
      };

/** What the place and the look of a block say, for those who do not see them. */
export const Before = ({ block }: { block: Block }) =>
  block.kind === 'ghost' ? <Hidden>Proposal of {proposerOf(block.plan)}: </Hidden> : null;
export const After = ({ block }: { block: Block }) => (
  <Hidden>
    , {longDate(block.start.date)}, {block.allDay ? 'all day' : lengthText(block.minutes)}
    {isRepeated(block) && ', repeats'}
    {changeText(block)}
  </Hidden>
);

const isRepeated = (block: Block): boolean =>
  block.kind === 'ghost' ? isSeries(block.plan) : block.event.recurrence_id !== null;

const changeText = (block: Block): string => {
  if (block.kind === 'ghost') return cancels(block.plan) ? ', cancels the event' : '';
  const text = changeOf(block);
  return text ? `, ${text}` : '';
};

/** @param removing whether it asks if the event is to be removed */
export const openCard = (block: Block, element: Element, removing = false): void => {
  const moved = opened.value?.key === block.key ? opened.value.moved : undefined;
  const { key, moves } = block;
  pin({ key, moves, at: element.getBoundingClientRect(), removing, ...(moved ? { moved } : {}) });
};

/** Whether only the card says what an approval means: a series, a swap, a change of settings, and what cancels an event or keeps its time. */
const needsCard = (plan: Ghost['plan']): boolean =>
  mustAsk(plan) || plan.swaps_with !== null || plan.scheduled_for === null || configures(plan);

/** What has the focus, and since when: a key that follows at once was meant for what had it before. */
let focused: { element: Element | null; at: number } = { element: null, at: 0 };
addEventListener('focusin', ({ target }) => (focused = { element: target as Element, at: performance.now() }), true);
const isTurnedTo = (element: Element): boolean =>
  focused.element === element && performance.now() - focused.at > READ_MS;

/** Approves at once, except what has just appeared or was just turned to, and what needs its card. */
const decide = (block: Ghost, element: Element, isByKey: boolean): void => {
  if (needsCard(block.plan) || !wasShown('block', block.plan) || (isByKey && !isTurnedTo(element)))
    openCard(block, element);
  else void focusAfter(block.key, approve(block.plan, { place: 'block' }));
};

const nameOfMark = ({ plan }: Ghost): string => {
  if (repeats(plan)) return `Approve the whole series ${plan.title}, ${amountOf(plan)}: asks first`;
  const what = plan.swaps_with === null ? (cancels(plan) ? 'the cancellation ' : '') : 'the swap ';
  return `Approve ${what}${plan.title}${later(plan)}`;
};

/** The check mark by which a ghost is approved. */
export const Mark = ({ block, tabIndex = 0 }: { block: Ghost; tabIndex?: 0 | -1 }) => {
  const mark = useRef<HTMLButtonElement>(null);
  const ready = useShown('block', [block.plan], mark);
  return asOf.value === undefined ? (
    <button
      ref={mark}
      type="button"
      class="yes"
      tabIndex={tabIndex}
      aria-disabled={!ready}
      data-asks={needsCard(block.plan) ? '' : undefined}
      aria-label={nameOfMark(block)}
      title={repeats(block.plan) ? `Approves the whole series: ${amountOf(block.plan)}` : 'Approve'}
      onClick={(event) => decide(block, event.currentTarget, event.detail === 0)}
      onKeyDown={(event) => focusByKey(event) && event.preventDefault()}
    >
      {needsCard(block.plan) ? '✓…' : '✓'}
    </button>
  ) : null;
};

/** a approves and r rejects a ghost, and Delete asks to remove an event; arrows go to other blocks, and with Shift they move the block. */
const onKeyDown = (event: KeyboardEvent, block: Block): void => {
  if (moveByKey(event, block) || focusByKey(event)) return event.preventDefault();
  if (asOf.value !== undefined || event.ctrlKey || event.metaKey) return;
  const element = event.currentTarget as Element;
  const { key } = event;
  if (block.kind === 'ghost' && key === 'a') {
    if (!event.repeat) decide(block, element, true);
  } else if (block.kind === 'ghost' && key === 'r') {
    asked.value = { uid: block.plan.uid, about: 'reason' };
    openCard(block, element);
  } else if (block.kind === 'event' && key === 'Delete' && !isFixed(block)) openCard(block, element, true);
  else return;
  // The card of the block may be open too, and has the same keys.
  event.preventDefault();
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
  onBlur: () => {
    giveUpKeyMove(block.key);
    unhover();
  },
  onKeyDown: (event) => onKeyDown(event, block),
});

export const BlockView = ({ placed: { block, top, height, column, columns } }: { placed: Placed }) => {
  const ghost = block.kind === 'ghost';
  const looks = looksOf(block);
  const tabIndex = tabIndexOf(block);
  const element = useRef<HTMLDivElement>(null);
  useEffect(() => () => giveUpKeyMove(block.key), [block.key]);
  useEffect(() => appears(element.current as Element), [block.key]);
  const place = {
    top: `${(top / 1440) * 100}%`,
    height: `${(height / 1440) * 100}%`,
    left: `${(column / columns) * 100}%`,
    width: `${100 / columns}%`,
  };
  return (
    <div
      ref={element}
      class={`block ${block.kind}`}
      {...looks}
      style={{ ...looks.style, ...place }}
      data-short={height < 40 ? '' : undefined}
      onPointerMove={(event) => {
        if (event.pointerType === 'mouse' && ghost) hoverByPointer(block.key, event.currentTarget);
      }}
      onPointerLeave={leaveByPointer}
      onPointerDown={(event) => onBlockPointerDown(event, block, (event.target as Element).matches('.resize'))}
    >
      <button type="button" class="body" tabIndex={tabIndex} {...blockHandlers(block)}>
        <Before block={block} />
        <Foreign lines={Math.max(1, Math.floor((height - 18) / 16))}>{block.title}</Foreign>
        <span class="time">
          {clockText(block.start.minutes)}
          <span class="until">–{clockText(endOf(block).minutes)}</span>
        </span>
        <After block={block} />
      </button>
      {ghost && <Mark block={block} tabIndex={tabIndex} />}
      {!isFixed(block) && <span class="resize" aria-hidden="true" />}
    </div>
  );
};
