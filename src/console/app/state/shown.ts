/**
 * What of a proposal the page shows, and since when. A person decides only on what they could read: the same plan with the same
 * revision, in the same place, for half a second. What came by itself has to be shown for longer, because the hand may have begun to move before.
 */
import { signal } from '@preact/signals';
import type { RefObject } from 'preact';
import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import type { Plan } from '../../../client/almanac-client.ts';

export const READ_MS = 500;
/** A person who sees no answer at once presses again, and would hit what has come in that place. */
export const HASTY_MS = 1_000;
/** For what somebody else changed while the person was reading it. */
const CHANGED_MS = 2_000;

let next: string | undefined;
/** The uid of the plan that has come by itself, because another one was decided on. */
export const comesNext = (uid: string): void => {
  next = uid;
};

/** The card tells everything; a row of the queue and a block of the calendar tell title and time. */
export type Place = 'card' | 'row' | 'block';

const keyOf = (place: Place, { uid, revision }: Plan): string => `${place} ${revision} ${uid}`;
/** What a card shows while it says what a plan changes of the settings. */
export const rowsKey = ({ uid }: Plan): string => `settings ${uid}`;
const since = new Map<string, { at: number; times: number; ms: number }>();

const show = (key: string, ms: number): void => {
  const known = since.get(key);
  if (known) known.times += 1;
  else since.set(key, { at: performance.now(), times: 1, ms });
};
const hide = (key: string): void => {
  const known = since.get(key);
  if (known && --known.times === 0) since.delete(key);
};

type Revised = Pick<Plan, 'uid' | 'revision'>;
/** The revisions that the person made on this page, by an edit or by taking a decision back. */
const own = signal<ReadonlySet<string>>(new Set());
const ownKey = ({ uid, revision }: Revised): string => `${revision} ${uid}`;
export const isOwn = (plan: Revised): boolean => own.value.has(ownKey(plan));
export const madeHere = (plans: readonly Revised[]): void => {
  own.value = new Set([...own.value, ...plans.map(ownKey)]);
};

// Nobody reads a page in the background.
document.addEventListener('visibilitychange', () => {
  for (const one of since.values()) one.at = performance.now();
});

/**
 * Says that a component shows something as long as it is drawn.
 * @param keys name what it shows
 * @param title has to be in the window first
 * @param ms for how long
 * @returns whether it has been shown for long enough to decide on it
 */
export const useKeysShown = (keys: readonly string[], title?: RefObject<Element | null>, ms = READ_MS): boolean => {
  const key = keys.join('\n');
  const [ready, setReady] = useState('');
  useLayoutEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const begin = (): void => {
      for (const one of keys) show(one, ms);
      timer = setTimeout(() => setReady(key), ms);
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

export const useShown = (place: Place, plans: readonly Plan[], title?: RefObject<Element | null>): boolean => {
  const before = useRef<ReadonlyMap<string, number>>(new Map());
  const isChanged = plans.some((plan) => {
    const revision = before.current.get(plan.uid);
    return revision !== undefined && revision !== plan.revision && !isOwn(plan);
  });
  const ms = isChanged ? CHANGED_MS : place === 'card' && plans[0]?.uid === next ? HASTY_MS : READ_MS;
  const keys = plans.map((plan) => keyOf(place, plan));
  const ready = useKeysShown(keys, title, ms);
  useLayoutEffect(() => {
    before.current = new Map(plans.map(({ uid, revision }) => [uid, revision]));
  });
  return ready;
};

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
  return known !== undefined && document.visibilityState === 'visible' && performance.now() - known.at >= known.ms;
};

export const wasShown = (place: Place, plan: Plan): boolean => wasKeyShown(keyOf(place, plan));
