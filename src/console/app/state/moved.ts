/**
 * Since when the check marks of the calendar are where they are. What comes above one or goes moves it, and then another one is under a
 * pointer that rests, or under a finger that is on its way.
 */
import { HASTY_MS, READ_MS } from './shown.ts';

const MARK = '.yes';
/** Changes of the page come in bursts, in ms. */
const SETTLED_MS = 50;
/** A smaller move leaves the same mark under the pointer. */
const LEAST = 2;

/** `offset` does not change when the person scrolls, `now` and `before` are where it is and was in the window; it came at `at`. */
type Place = { offset: string; now: DOMRect; before?: DOMRect; at: number };
const places = new WeakMap<Element, Place>();
/** Whether the window got another size, which moves everything as the person wants it. */
let isResized = false;

const offsetOf = (element: HTMLElement): string => {
  let [x, y] = [0, 0];
  for (let one: Element | null = element; one instanceof HTMLElement; one = one.offsetParent) {
    x += one.offsetLeft;
    y += one.offsetTop;
  }
  return `${x} ${y}`;
};

const hasMoved = (a: DOMRect, b: DOMRect): boolean => Math.abs(a.x - b.x) > LEAST || Math.abs(a.y - b.y) > LEAST;

const measure = (): void => {
  const at = performance.now();
  for (const element of document.querySelectorAll<HTMLElement>(MARK)) {
    const [now, offset] = [element.getBoundingClientRect(), offsetOf(element)];
    const known = places.get(element);
    // What is new has to be shown for a while by itself.
    if (!known || isResized) places.set(element, { offset, now, at: -Infinity });
    else if (known.offset !== offset && hasMoved(known.now, now))
      places.set(element, { offset, now, before: known.now, at });
    else Object.assign(known, { offset, now });
  }
};

/** When the pointer last moved, and to where. */
let rest = { x: 0, y: 0, since: -Infinity };

const isIn = ({ left, right, top, bottom }: DOMRect, x: number, y: number): boolean =>
  left <= x && x < right && top <= y && y < bottom;

/** Whether a press hits a mark that has only just come to this place. */
export const hasJustCome = (on: Element, { clientX, clientY, pointerType }: PointerEvent): boolean => {
  if (!on.matches(MARK)) return false;
  measure();
  const { before, at } = places.get(on)!;
  if (!before || isIn(before, clientX, clientY)) return false;
  const ms = performance.now() - at;
  return ms < READ_MS || (ms < HASTY_MS && (pointerType === 'touch' || rest.since < at));
};

export const mindMoves = (): void => {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const soon = (): void => {
    timer ??= setTimeout(() => {
      timer = undefined;
      measure();
    }, SETTLED_MS);
  };
  new MutationObserver(soon).observe(document.body, {
    ...{ subtree: true, childList: true, attributes: true },
    attributeFilter: ['style', 'class', 'hidden', 'open'],
  });
  let settled: ReturnType<typeof setTimeout> | undefined;
  addEventListener('resize', () => {
    isResized = true;
    clearTimeout(settled);
    settled = setTimeout(() => {
      measure();
      isResized = false;
    }, READ_MS);
  });
  addEventListener(
    'pointermove',
    ({ clientX: x, clientY: y }) => {
      if (x !== rest.x || y !== rest.y) rest = { x, y, since: performance.now() };
    },
    { capture: true, passive: true },
  );
};
