/** What is drawn over a day: where a moved block would be, and the free time of a new event. */
import { computed, signal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { asOf } from '../state/address.ts';
import { clockText } from '../state/wall-time.ts';
import { pin, typedTime } from './card.ts';
import { CLICK_PIXELS, drag, hasJustCome, STEP, swallowClick } from './drag.ts';
import { LEAST_SHOWN, percent } from './place.ts';

const DAY = 1440;

/** Where the dragged block would be. */
export const Preview = ({ date }: { date: string }) => {
  const { value } = drag;
  const element = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (value?.byKeys) element.current?.scrollIntoView({ block: 'nearest' });
  });
  if (!value || value.start.date !== date) return null;
  return (
    <div
      ref={element}
      class={`block preview ${value.block.kind}`}
      style={{ top: percent(value.start.minutes), height: percent(Math.max(LEAST_SHOWN, value.minutes)) }}
    >
      <span class="body">
        <strong>
          {clockText(value.start.minutes)}–{clockText(value.start.minutes + value.minutes)}
        </strong>
      </span>
    </div>
  );
};

/** The stretch of free time that is drawn for a new event. */
const drawn = signal<{ date: string; start: number; end: number } | undefined>(undefined);

/** It stays while the form of the new event is open. */
const shownDraft = computed(() => {
  const { value: draft } = typedTime;
  return (
    drawn.value ??
    (draft && {
      date: draft.start.date,
      start: draft.start.minutes,
      end: Math.min(DAY, draft.start.minutes + draft.minutes),
    })
  );
});

export const Drawn = ({ date }: { date: string }) => {
  const { value } = shownDraft;
  if (value?.date !== date) return null;
  const { start, end } = value;
  return (
    <div
      class="block preview event"
      style={{ top: percent(start), height: percent(Math.max(LEAST_SHOWN, end - start)) }}
    >
      <span class="body">
        <strong>
          {clockText(start)}–{clockText(end)}
        </strong>
      </span>
    </div>
  );
};

/** A finger that rests for so long on free time draws; one that moves before scrolls. */
const HOLD_MS = 400;
/** A finger that rests still moves by some pixels. */
const REST_PIXELS = 8;

/** The page must not scroll below a finger that draws. */
export const onColumnTouchMove = (event: TouchEvent): void => {
  if (drawn.value && event.cancelable) event.preventDefault();
};

/** The lifted finger would press what has opened below it: Title loses the focus, or another field gets it. */
const pressNothing = (event: TouchEvent): void => {
  if (event.cancelable) event.preventDefault();
};

/** So near above a line, a press means the line. */
const NEAR_PIXELS = 5;

/** The half hour in which a press on a day is. */
export const startAt = (y: number, height: number): number => {
  const minutes = ((y + NEAR_PIXELS) / height) * 1440;
  return Math.max(0, Math.min(1440 - 2 * STEP, Math.floor(minutes / (2 * STEP)) * 2 * STEP));
};

/** A press on free time makes a new event there; a drag gives its length. A finger draws after it has rested. */
export const onColumnPointerDown = (event: PointerEvent, date: string): void => {
  const isFree = event.target === event.currentTarget;
  if (event.button !== 0 || asOf.value !== undefined || !(isFree || hasJustCome(event.target as Element))) return;
  const isTouch = event.pointerType === 'touch';
  const box = (event.currentTarget as HTMLElement).getBoundingClientRect();
  const minutesAt = (y: number): number => Math.max(0, Math.min(1440, ((y - box.top) / box.height) * 1440));
  const start = startAt(event.clientY - box.top, box.height);
  const endAt = (y: number): number => {
    const end = Math.round(minutesAt(y) / STEP) * STEP;
    return end - start > STEP ? end : start + 2 * STEP;
  };
  // Over what has just come, a press that does not move is a click on it.
  let draws = isFree;
  const draw = (y: number): void => void (drawn.value = { date, start, end: endAt(y) });
  const hold = isTouch ? setTimeout(() => draw(event.clientY), HOLD_MS) : undefined;
  const stop = (): void => {
    clearTimeout(hold);
    removeEventListener('pointermove', onMove);
    removeEventListener('pointerup', onUp);
    removeEventListener('pointercancel', stop);
    removeEventListener('keydown', onKey);
    drawn.value = undefined;
  };
  const onMove = ({ clientY }: PointerEvent): void => {
    draws ||= Math.abs(clientY - event.clientY) > CLICK_PIXELS;
    if (draws && (!isTouch || drawn.value)) draw(clientY);
    else if (Math.abs(clientY - event.clientY) > REST_PIXELS) stop();
  };
  const onUp = ({ clientY }: PointerEvent): void => {
    stop();
    if (!draws) return;
    if (!isFree) swallowClick();
    if (isTouch) addEventListener('touchend', pressNothing, { once: true, passive: false });
    const draft = { start: { date, minutes: start }, minutes: endAt(clientY) - start, drawn: true };
    pin({ key: 'new', at: new DOMRect(box.left, clientY, box.width, 1), draft });
  };
  const onKey = ({ key }: KeyboardEvent): void => {
    if (key === 'Escape') stop();
  };
  addEventListener('pointermove', onMove);
  addEventListener('pointerup', onUp);
  addEventListener('pointercancel', stop);
  addEventListener('keydown', onKey);
};
