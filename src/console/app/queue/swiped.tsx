/** A card or a row that a finger moves sideways: to the right it approves, to the left it asks for the reason of a rejection. */
import { useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { advise } from '../state/messages.ts';
import { HASTY_MS } from '../state/shown.ts';

/** A shorter way is none: it goes back. */
const LEAST_PIXELS = 96;
/** From here the finger moves it; below it may still be a tap or the start of a scroll. */
const STARTS_AT_PIXELS = 12;
/** What needs the finger for itself. */
const OTHERS = 'input, textarea, select';

/** When a row was approved: those below move up, and a swipe that follows at once means the one that was there before. */
let approvedAt = -Infinity;

type Props = {
  class: string;
  /** Both are missing where nothing can be decided. */
  onRight?: () => void;
  onLeft?: () => void;
  children: ComponentChildren;
};

export const Swiped = ({ class: name, onRight, onLeft, children }: Props) => {
  const card = useRef<HTMLDivElement>(null);
  /** What happens when the finger is lifted here. */
  const towards = useSignal<'approve' | 'reject' | 'back' | undefined>(undefined);

  /** Lets go of it. Another one may take its place under the finger, which must not decide on that. */
  const letGo = useRef<(() => void) | undefined>(undefined);
  useEffect(() => () => letGo.current?.(), []);

  const onPointerDown = (event: PointerEvent): void => {
    const element = card.current;
    const target = event.target as Element;
    if (!onRight || !element || event.pointerType !== 'touch' || !event.isPrimary) return;
    // While a form is open, the finger marks text.
    if (target.closest(OTHERS) || element.querySelector('form')) return;
    const { clientX: x, clientY: y, pointerId } = event;
    const isHasty = performance.now() - approvedAt < HASTY_MS;
    const stop = (): void => {
      removeEventListener('pointermove', onMove);
      removeEventListener('pointerup', onUp);
      removeEventListener('pointercancel', stop);
      element.style.translate = '';
      towards.value = undefined;
    };
    const onMove = (at: PointerEvent): void => {
      if (at.pointerId !== pointerId) return;
      const [right, down] = [at.clientX - x, at.clientY - y];
      if (towards.value === undefined) {
        if (Math.hypot(right, down) < STARTS_AT_PIXELS) return;
        if (Math.abs(right) < 2 * Math.abs(down)) return stop();
      }
      element.style.translate = `${right}px`;
      towards.value = Math.abs(right) < LEAST_PIXELS ? 'back' : right > 0 ? 'approve' : 'reject';
    };
    const onUp = (at: PointerEvent): void => {
      if (at.pointerId !== pointerId) return;
      const { value } = towards;
      stop();
      if (value === 'reject') onLeft?.();
      if (value !== 'approve') return;
      if (isHasty) return advise('What is there has only just come under your finger. Swipe again.');
      approvedAt = performance.now();
      onRight();
    };
    letGo.current = stop;
    addEventListener('pointermove', onMove);
    addEventListener('pointerup', onUp);
    addEventListener('pointercancel', stop);
  };

  return (
    <>
      {towards.value !== undefined && (
        <p class="swipe" data-towards={towards.value} aria-hidden="true">
          <b>Approve</b> <b>Reject, with a reason</b>
        </p>
      )}
      <div class={name} ref={card} onPointerDown={onPointerDown}>
        {children}
      </div>
    </>
  );
};
