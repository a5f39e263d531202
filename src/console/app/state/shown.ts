/**
 * What of a proposal the page shows, and since when. A person decides only on what they could read: the same plan with the same
 * revision, in the same place, for half a second.
 */
import type { RefObject } from 'preact';
import { useLayoutEffect, useState } from 'preact/hooks';
import type { Plan } from '../../../client/almanac-client.ts';

const READ_MS = 500;

/** The card tells everything; a row of the queue and a block of the calendar tell title and time. */
export type Place = 'card' | 'row' | 'block';

const keyOf = (place: Place, { uid, revision }: Plan): string => `${place} ${revision} ${uid}`;
const since = new Map<string, { at: number; times: number }>();

const show = (key: string): void => {
  const known = since.get(key);
  if (known) known.times += 1;
  else since.set(key, { at: performance.now(), times: 1 });
};
const hide = (key: string): void => {
  const known = since.get(key);
  if (known && --known.times === 0) since.delete(key);
};

// Nobody reads a page in the background.
document.addEventListener('visibilitychange', () => {
  for (const one of since.values()) one.at = performance.now();
});

/**
 * Says that a component shows something as long as it is drawn.
 * @param keys name what it shows
 * @param title has to be in the window first
 * @returns whether it has been shown for long enough to decide on it
 */
export const useKeysShown = (keys: readonly string[], title?: RefObject<Element | null>): boolean => {
  const key = keys.join('\n');
  const [ready, setReady] = useState('');
  useLayoutEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const begin = (): void => {
      for (const one of keys) show(one);
      timer = setTimeout(() => setReady(key), READ_MS);
    };
    const watching = new IntersectionObserver((entries) => {
      if (!entries.some(({ isIntersecting }) => isIntersecting)) return;
      watching.disconnect();
      begin();
    });
    if (title?.current) watching.observe(title.current);
    else begin();
    return () => {
      watching.disconnect();
      if (timer === undefined) return;
      clearTimeout(timer);
      for (const one of keys) hide(one);
    };
  }, [key]);
  return ready === key;
};

export const useShown = (place: Place, plans: readonly Plan[], title?: RefObject<Element | null>): boolean =>
  useKeysShown(
    plans.map((plan) => keyOf(place, plan)),
    title,
  );

/** Whether nothing lies over the middle of it, and the window shows it. A dialog is closed by what is chosen in it. */
export const isInView = (element: Element): boolean => {
  const { left, top, width, height } = element.getBoundingClientRect();
  const there = document.elementFromPoint(left + width / 2, top + height / 2);
  return there !== null && (element.contains(there) || there.closest('dialog') !== null);
};

/** It was out of view, and is read again. */
export const showAgain = (place: Place, plan: Plan): void => {
  const known = since.get(keyOf(place, plan));
  if (known) known.at = performance.now();
};

export const wasKeyShown = (key: string): boolean => {
  const known = since.get(key);
  return known !== undefined && document.visibilityState === 'visible' && performance.now() - known.at >= READ_MS;
};

export const wasShown = (place: Place, plan: Plan): boolean => wasKeyShown(keyOf(place, plan));
