/** A double click means what its first click hit. Where that is gone by the second click, such as a button of a card that has closed, the second click does nothing. */

/** The longest time between the clicks of a double click, in ms, and how far apart they may be, in pixels. */
const BETWEEN = { ms: 400, pixels: 5 };

type Press = { target: Element; x: number; y: number; at: number };

let last: Press | undefined;
let isSecond = false;

const isNear = (one: Press, { clientX, clientY }: MouseEvent): boolean =>
  performance.now() - one.at < BETWEEN.ms && Math.hypot(one.x - clientX, one.y - clientY) < BETWEEN.pixels;

const onPointerDown = (event: PointerEvent): void => {
  isSecond = last !== undefined && !last.target.isConnected && isNear(last, event);
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
