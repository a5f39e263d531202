/**
 * A double click means what its first click hit. Where that is gone by the second click, such as a button of a card that has closed, or
 * where the first click has begun a write or opened a form, the second click does nothing. A finger is slower, and lists move under it,
 * so a tap has more time.
 */
import { complain, writesBegun } from './messages.ts';

/** The longest time between the clicks of a double click, in ms, and how far apart they may be, in pixels. */
const DOUBLE = { ms: 400, pixels: 5 };
/** Between two taps, of which the second means what was there before. A finger that scrolls or swipes makes no click. */
const TAPS = { ms: 900, pixels: 20 };

/** `focused` had the focus before it. */
type Press = { target: Element; focused: Element | null; x: number; y: number; at: number };

let last: Press | undefined;
let isSecond = false;
let isSecondTap = false;
/** Whether the first click has opened a form, in whose field the person may be typing already. */
let hasOpened = false;

/** How many writes had begun when the first of several clicks came. */
let before = 0;

const isNear = (one: Press, { clientX, clientY }: MouseEvent, { ms, pixels }: typeof DOUBLE): boolean =>
  performance.now() - one.at < ms && Math.hypot(one.x - clientX, one.y - clientY) < pixels;

const onPointerDown = (event: PointerEvent): void => {
  const gone = last !== undefined && !last.target.isConnected ? last : undefined;
  isSecond = gone !== undefined && isNear(gone, event, DOUBLE);
  isSecondTap = gone !== undefined && event.pointerType === 'touch' && isNear(gone, event, TAPS);
  const { activeElement: focused } = document;
  const form = focused?.matches('input, textarea') ? focused.closest('form') : null;
  hasOpened =
    last !== undefined &&
    isNear(last, event, DOUBLE) &&
    form !== null &&
    focused !== last.focused &&
    !form.contains(last.target);
  const [x, y] = [event.clientX, event.clientY];
  last = { target: event.target as Element, focused, x, y, at: performance.now() };
};

const swallow = (event: MouseEvent): void => {
  // A key makes clicks too, which count 0.
  if (event.type === 'click' && event.detail === 0) return;
  const isClick = event.type === 'click';
  if (isClick && event.detail === 1) before = writesBegun();
  const isWritten = isClick && event.detail > 1 && writesBegun() > before;
  const isTap = isSecondTap && isClick;
  if (!isSecond && !isTap && !hasOpened && !isWritten) return;
  if (isTap) complain('What is there has only just come under your finger. Tap again.');
  event.stopImmediatePropagation();
  event.preventDefault();
};

export const mindDoubleClicks = (): void => {
  addEventListener('pointerdown', onPointerDown, true);
  for (const part of ['pointerdown', 'mousedown', 'click', 'dblclick'] as const) addEventListener(part, swallow, true);
};
