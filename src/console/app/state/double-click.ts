/**
 * A double click means what its first click hit. Where that is gone by the second click, such as a button of a card that has closed, the
 * second click does nothing. A finger is slower, and lists move under it, so a tap has more time.
 */
import { complain } from './messages.ts';

/** The longest time between the clicks of a double click, in ms, and how far apart they may be, in pixels. */
const BETWEEN = { mouse: { ms: 400, pixels: 5 }, touch: { ms: 900, pixels: 20 } };

type Press = { target: Element; x: number; y: number; at: number };

let last: Press | undefined;
let isSecond = false;

const isNear = (one: Press, { clientX, clientY, pointerType }: PointerEvent): boolean => {
  const { ms, pixels } = BETWEEN[pointerType === 'touch' ? 'touch' : 'mouse'];
  return performance.now() - one.at < ms && Math.hypot(one.x - clientX, one.y - clientY) < pixels;
};

const onPointerDown = (event: PointerEvent): void => {
  isSecond = last !== undefined && !last.target.isConnected && isNear(last, event);
  if (isSecond && event.pointerType === 'touch')
    complain('What is there has only just come under your finger. Tap again.');
  const [x, y] = [event.clientX, event.clientY];
  last = { target: event.target as Element, x, y, at: performance.now() };
};

const swallow = (event: MouseEvent): void => {
  // A key makes clicks too, which count 0.
  if (!isSecond || (event.type === 'click' && event.detail === 0)) return;
  event.stopImmediatePropagation();
  event.preventDefault();
};

export const mindDoubleClicks = (): void => {
  addEventListener('pointerdown', onPointerDown, true);
  for (const part of ['pointerdown', 'mousedown', 'click', 'dblclick'] as const) addEventListener(part, swallow, true);
};
