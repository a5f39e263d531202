/**
 * A press means what was under the pointer when the hand began to move. Where something else has come to that place since the last press,
 * such as what lay below a card that has closed, the next press does nothing. Neither does a press on a check mark that was just moved
 * there, nor the second click of a double click whose first one has begun a write or opened a form. A finger is less exact than a mouse.
 */
import { advise, writesBegun } from './messages.ts';
import { hasJustCome, mindMoves } from './moved.ts';
import { HASTY_MS } from './shown.ts';

/** The longest time between the clicks of a double click, in ms. */
const DOUBLE_MS = 400;
/** How far apart two presses at the same place may be, in pixels. */
const NEAR = { mouse: 5, touch: 20 };
const PRESSED = 'button, a, label, summary, input, select, textarea, [data-block]';
const CLOSES = '[aria-label^="Close"]';
const FIELD = 'input:not([type="checkbox"], [type="radio"]), select, textarea';

/** `focused` had the focus before it. */
type Press = { on: Element; focused: Element | null; x: number; y: number; at: number };

let last: Press | undefined;
/** Whether this press hits something else than the one before it, and what is then said. A finger may begin to scroll or swipe. */
let other: { said?: string; isTouch?: true } | undefined;
/** Whether the first click has opened a form, in whose field the person may be typing already. */
let hasOpened = false;

/** How many writes had begun when the first of several clicks came. */
let before = 0;

const isNear = (one: Press, { clientX, clientY, pointerType }: PointerEvent): boolean =>
  Math.hypot(one.x - clientX, one.y - clientY) < (pointerType === 'touch' ? NEAR.touch : NEAR.mouse);

/** That a double click counts once needs no message. */
const sayingOf = ({ pointerType }: PointerEvent, ms: number): NonNullable<typeof other> => {
  if (pointerType === 'touch')
    return { said: 'What is there has only just come under your finger. Tap again.', isTouch: true };
  return ms < DOUBLE_MS ? {} : { said: 'What is there has only just come under the pointer. Click again.' };
};

const onPointerDown = (event: PointerEvent): void => {
  const now = performance.now();
  const target = event.target as Element;
  const on = target.closest(PRESSED) ?? target;
  const first = last !== undefined && isNear(last, event) && now - last.at < HASTY_MS ? last : undefined;
  const { activeElement: focused } = document;
  const form = focused?.matches('input, textarea') ? focused.closest('form') : null;
  hasOpened =
    first !== undefined &&
    now - first.at < DOUBLE_MS &&
    form !== null &&
    focused !== first.focused &&
    !form.contains(first.on);
  // A field only takes the focus, and who closes one thing after the other means each of them.
  const isSame = first?.on === on || on.matches(FIELD) || (on.matches(CLOSES) && first?.on.matches(CLOSES));
  const isOther = first !== undefined && !isSame;
  other = isOther ? sayingOf(event, now - first.at) : hasJustCome(on, event) ? sayingOf(event, Infinity) : undefined;
  // A third press is compared with what the first one meant, too.
  if (!isOther) last = { on, focused, x: event.clientX, y: event.clientY, at: now };
};

const swallow = (event: MouseEvent): void => {
  // A key makes clicks too, which count 0.
  if (event.type === 'click' && event.detail === 0) return;
  const isClick = event.type === 'click';
  if (isClick && event.detail === 1) before = writesBegun();
  const isWritten = isClick && event.detail > 1 && writesBegun() > before;
  const isOther = other !== undefined && (isClick || !other.isTouch);
  if (!isOther && !hasOpened && !isWritten) return;
  if (isClick && other?.said) advise(other.said);
  event.stopImmediatePropagation();
  event.preventDefault();
};

export const mindDoubleClicks = (): void => {
  mindMoves();
  addEventListener('pointerdown', onPointerDown, true);
  for (const part of ['pointerdown', 'mousedown', 'click', 'dblclick'] as const) addEventListener(part, swallow, true);
};
