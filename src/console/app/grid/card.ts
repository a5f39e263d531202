/** Which card is open beside which block. A card that the pointer opened closes with it; one that was clicked stays. */
import { signal } from '@preact/signals';
import type { Moved } from '../ui/proposal-facts.tsx';
import type { Wall } from '../state/wall-time.ts';

export type Open = {
  /** The key of the block, or `new` for an event that does not exist yet. */
  key: string;
  /** The name of its move, where it was moved. */
  moves?: string;
  pinned: boolean;
  /** Where the block is on the page. */
  at: DOMRect;
  moved?: Moved;
  draft?: { start: Wall; minutes: number; drawn?: boolean };
};

export const opened = signal<Open | undefined>(undefined);

/** The time of a new event as it is typed; undefined where it is none. */
export const typedTime = signal<{ start: Wall; minutes: number } | undefined>(undefined);

const SHOW_MS = 100;
const HIDE_MS = 300;
let timer: ReturnType<typeof setTimeout> | undefined;

export const pin = (open: Omit<Open, 'pinned'>): void => {
  clearTimeout(timer);
  opened.value = { ...open, pinned: true };
};

/** The block on which the pointer is. */
let under: string | undefined;

/** A block that comes below a pointer at rest, such as when a card closes, opens nothing. */
export const hoverByPointer = (key: string, element: Element): void => {
  if (under === key) return;
  under = key;
  hover(key, element);
};
export const leaveByPointer = (): void => {
  under = undefined;
  unhover();
};

export const hover = (key: string, element: Element): void => {
  clearTimeout(timer);
  if (givingBack || opened.value?.pinned || opened.value?.key === key) return;
  timer = setTimeout(() => {
    // It may have been decided on meanwhile.
    if (element.isConnected) opened.value = { key, pinned: false, at: element.getBoundingClientRect() };
  }, SHOW_MS);
};

export const stay = (): void => clearTimeout(timer);

/** A card that only follows the focus goes at once. */
export const dismiss = (): void => {
  clearTimeout(timer);
  if (!opened.value?.pinned) opened.value = undefined;
};

export const unhover = (): void => {
  clearTimeout(timer);
  if (opened.value?.pinned) return;
  timer = setTimeout(() => {
    if (!opened.value?.pinned) opened.value = undefined;
  }, HIDE_MS);
};

let givingBack = false;

/** Gives the focus back to the block, which then opens no card. */
export const close = (): void => {
  clearTimeout(timer);
  const key = opened.value?.key;
  opened.value = undefined;
  givingBack = true;
  if (key !== undefined) document.querySelector<HTMLElement>(`[data-block="${CSS.escape(key)}"]`)?.focus();
  givingBack = false;
};
