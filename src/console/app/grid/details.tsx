/** The card beside a block, which shows what it is and decides on it, and the question which of a series is meant. */
import { useEffect, useLayoutEffect, useRef } from 'preact/hooks';
import { asOf, onBack } from '../state/address.ts';
import { useCommands } from '../state/commands.ts';
import { deciding } from '../state/decide.ts';
import { isNarrow } from '../state/narrow.ts';
import { ProposalCard } from '../ui/proposal-card.tsx';
import { addMinutes, clockText, wallMoment, wallOf } from '../state/wall-time.ts';
import { endOf, type Block } from './block.ts';
import { blocks, shown } from './blocks.ts';
import { close, opened, stay, uidOf, unhover } from './card.ts';
import { cardCommands } from './card-keys.ts';
import { asking, drag, moveEvent, putBack } from './drag.ts';
import { EventCard, NewEvent } from './event-card.tsx';
import type { Scope } from './event-changes.ts';

/** Beside the block where there is space on the calendar, else below or above it. Beside and below the calendar are the messages. */
const placeOf = (at: DOMRect, card: HTMLElement, main: HTMLElement): Record<'left' | 'top' | 'maxHeight', string> => {
  const { offsetWidth: width, offsetHeight: height } = card;
  const { left, bottom } = main.getBoundingClientRect();
  const lowest = bottom - height - 12;
  const inWindow = (x: number, y: number) => ({
    left: `${Math.max(left + 8, x)}px`,
    top: `${Math.max(8, Math.min(y, lowest))}px`,
    maxHeight: `${bottom - 20}px`,
  });
  if (at.right + 8 + width < innerWidth - 8) return inWindow(at.right + 8, at.top);
  if (at.left - 8 - width > left) return inWindow(at.left - 8 - width, at.top);
  const isSpaceBelow = at.bottom + 8 <= lowest;
  return inWindow(at.right - width - 40, isSpaceBelow ? at.bottom + 8 : at.top - height - 8);
};

const Content = () => {
  const { value: open } = opened;
  const last = useRef<Block | undefined>(undefined);
  if (!open) return null;
  if (open.draft) return <NewEvent {...open.draft} onDone={leave} />;
  const { key, pinned, moved, removing = false } = open;
  const now = blocks.value.find((one) => one.key === key);
  const block = now ?? (last.current?.key === key && asOf.value === undefined ? last.current : undefined);
  last.current = block;
  // Somebody else has decided or removed it meanwhile. A form in which the person writes stays.
  const gone = now ? undefined : <p>This is no longer on the calendar.</p>;
  if (!block) return gone;
  if (block.kind === 'event')
    return <EventCard key={key} event={block.event} {...{ pinned, removing, gone }} onDone={leave} />;
  return <ProposalCard key={key} plan={block.plan} inView={shown.value} {...{ moved, pinned, gone }} onDone={leave} />;
};

const leave = (): void => {
  const { value: open } = opened;
  if (!open) return;
  putBack(open.moves ?? open.key);
  close(deciding.value.has(uidOf(open.key)));
};

// On a phone the card is a sheet over the screen.
onBack(() => {
  if (!isNarrow.value || !opened.value?.pinned) return false;
  leave();
  return true;
});

/** The card may not have the focus yet. */
const onEscape = (event: KeyboardEvent): void => {
  if (event.key === 'Escape' && !document.querySelector('dialog[open]')) leave();
};

const Card = () => {
  const { value: open } = opened;
  const card = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    const element = card.current;
    const main = document.querySelector('main');
    if (!open || !element || !main) return;
    const place = (): void => {
      if (isNarrow.value) element.removeAttribute('style');
      else Object.assign(element.style, placeOf(open.at, element, main));
    };
    place();
    // A card that grows, as a form does, must not leave the window, and messages take room from the calendar.
    const watching = new ResizeObserver(place);
    watching.observe(element);
    watching.observe(main);
    return () => watching.disconnect();
  });
  useEffect(() => {
    // A key may have opened a field of it already, or closed it before it was painted.
    if (!open?.pinned || opened.peek()?.key !== open.key || card.current?.contains(document.activeElement)) return;
    // A second Enter must not approve what the first one has opened.
    const isProposal = card.current?.querySelector('[data-approve]') != null;
    const first = ['[data-first]', ...(isProposal ? [] : ['button.primary', 'button'])].map((one) =>
      card.current?.querySelector<HTMLElement>(one),
    );
    (first.find(Boolean) ?? card.current)?.focus();
  }, [open?.key, open?.pinned]);
  if (!open) return null;
  // A card that only follows the pointer goes with its block.
  if (!open.pinned && !blocks.value.some(({ key }) => key === open.key)) return null;
  return (
    <div
      class="card"
      ref={card}
      role="dialog"
      aria-label="Details"
      tabIndex={-1}
      onPointerEnter={stay}
      onPointerLeave={unhover}
    >
      <button type="button" class="plain close" aria-label="Close" onClick={leave}>
        ×
      </button>
      <Content />
    </div>
  );
};

const SCOPES: [Scope, string][] = [
  ['this', 'This occurrence'],
  ['following', 'This and all later ones'],
  ['all', 'The whole series'],
];

/** A drag of an occurrence moves it only after this answer. */
const WhichOfSeries = () => {
  const dialog = useRef<HTMLDialogElement>(null);
  const { value } = asking;
  useEffect(() => {
    if (value) dialog.current?.showModal();
    else dialog.current?.close();
  }, [value]);
  return (
    <dialog ref={dialog} aria-label="Which of the series?" onClose={() => (asking.value = undefined)}>
      {value && (
        <>
          <p>
            From {wallMoment(wallOf(value.event.scheduled_for))} to {wallMoment(value.start)} –{' '}
            {clockText(addMinutes(value.start, value.minutes).minutes)}. Which of the series do you want to move?
          </p>
          <div class="buttons">
            {SCOPES.map(([scope, name]) => (
              <button
                key={scope}
                type="button"
                onClick={() => {
                  asking.value = undefined;
                  void moveEvent(value, scope);
                }}
              >
                {name}
              </button>
            ))}
            <button type="button" onClick={() => (asking.value = undefined)}>
              Cancel
            </button>
          </div>
        </>
      )}
    </dialog>
  );
};

const onOutside = (event: PointerEvent): void => {
  const target = event.target as Element;
  if (opened.value?.pinned && !target.closest('.card, .block, .chip, .line, .messages, dialog')) {
    putBack(opened.value.moves ?? opened.value.key);
    opened.value = undefined;
  }
};

/** Says where a block is that is moved by keys, as long as it is not there. */
const KeyMove = () => {
  const { value } = drag;
  return (
    <p class="key-move" role="status">
      {value?.byKeys && (
        <>
          {wallMoment(value.start)} – {clockText(endOf(value).minutes)}. <kbd>Enter</kbd> moves it there, <kbd>Esc</kbd>{' '}
          does not.
        </>
      )}
    </p>
  );
};

export const Details = () => {
  useCommands('The open card', cardCommands);
  useEffect(() => {
    addEventListener('pointerdown', onOutside);
    addEventListener('keydown', onEscape);
    return () => {
      removeEventListener('keydown', onEscape);
      removeEventListener('pointerdown', onOutside);
      opened.value = undefined;
    };
  }, []);
  return (
    <>
      <Card />
      <WhichOfSeries />
      <KeyMove />
    </>
  );
};
