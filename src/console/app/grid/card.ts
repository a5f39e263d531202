/** Which card is open beside which block. A card that the pointer opened closes with it; one that was clicked stays. */
import { signal } from '@preact/signals';
import type { Moved } from '../ui/proposal-facts.tsx';
import type { Wall } from '../state/wall-time.ts';
import { whenThere } from '../state/when-there.ts';

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
  /** Whether it asks if its event is to be removed. */
  removing?: boolean;
  /** What had the focus before it. */
  from?: Element | null;
  /** The keys of the proposals that follow it on the page, and then of those before it. */
  others?: readonly string[];
};

export const opened = signal<Open | undefined>(undefined);

export type TypedTime = { start: Wall; minutes: number };
/** The time in the form of a new event; undefined where it has none, or whole days. */
export const typedTime = signal<TypedTime | undefined>(undefined);

const SHOW_MS = 100;
const HIDE_MS = 300;
let timer: ReturnType<typeof setTimeout> | undefined;

export const pin = (open: Omit<Open, 'pinned'>): void => {
  clearTimeout(timer);
  const { activeElement: now } = document;
  const from = now?.closest('.card') ? opened.value?.from : now;
  const others =
    opened.value?.key === open.key && opened.value.others ? opened.value.others : proposalsBeside(open.key);
  opened.value = { ...open, pinned: true, others, ...(from ? { from } : {}) };
};

/** The uid with which the key of a block begins. */
export const uidOf = (key: string): string => key.split(' ')[0] as string;

/** The keys of the other proposals on the page: those behind a block, and then those before it, the nearest first. */
const proposalsBeside = (key: string): string[] => {
  const keys = [...document.querySelectorAll<HTMLElement>('.ghost [data-block], .ghost[data-block]')].map(
    ({ dataset }) => dataset['block'] as string,
  );
  const at = keys.indexOf(key);
  const isOther = (one: string): boolean => uidOf(one) !== uidOf(key);
  return [...keys.slice(at + 1).filter(isOther), ...keys.slice(0, Math.max(0, at)).filter(isOther).toReversed()];
};

/** Whether the card that is open asks if its event is to be removed. It then stays. */
export const askRemoval = (removing: boolean): void => {
  if (opened.value) pin({ ...opened.value, removing });
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

/** Gives the focus to something, such as a block, which then opens no card. */
const giveFocus = (element: Element | null | undefined, preventScroll = false): void => {
  givingBack = true;
  if (element instanceof HTMLElement) element.focus({ preventScroll });
  givingBack = false;
};

const blockOf = (key: string): HTMLElement | null =>
  document.querySelector<HTMLElement>(`[data-block="${CSS.escape(key)}"]`);

/** Whether the person used a key last. A pointer goes where it likes, and the calendar stays under it. */
let isKeyed = false;
addEventListener('keydown', () => (isKeyed = true), true);
addEventListener('pointerdown', () => (isKeyed = false), true);

/** Gives the focus to the first of some proposals that is on the page, as soon as a block that was decided on is gone. */
const focusBeside = (key: string, others: readonly string[]): void => {
  if (!isKeyed) return;
  const next = (): HTMLElement | null => {
    if (blockOf(key)) return null;
    const found = others.find(blockOf);
    return found === undefined ? document.querySelector<HTMLElement>('main [data-block]') : blockOf(found);
  };
  whenThere(next, (block) => {
    if (document.activeElement === document.body) giveFocus(block);
  });
};

/** A proposal is decided on beside its card: where that worked, the focus that its block had goes to the next one. */
export const focusAfter = async (key: string, decided: Promise<boolean>): Promise<void> => {
  const others = proposalsBeside(key);
  if (await decided) focusBeside(key, others);
  else focusAgain(key);
};

/**
 * Gives the focus back to the block, or to what had it before.
 * @param isDecided whether the block goes, so that the next proposal gets the focus
 */
export const close = (isDecided = false): void => {
  clearTimeout(timer);
  const { value: open } = opened;
  opened.value = undefined;
  if (!open) return;
  if (isDecided) focusBeside(open.key, open.others ?? []);
  else giveFocus(blockOf(open.key) ?? open.from);
};

/** Gives the focus to a block that is drawn again, where a question about it took the focus and nothing has it now. */
export const focusAgain = (key: string): void => {
  setTimeout(() => {
    if (document.activeElement === document.body) whenThere(() => blockOf(key), giveFocus);
  });
};

/** Gives the focus to a new event as soon as it is drawn. */
export const focusNew = (uid: string): void =>
  whenThere(() => document.querySelector<HTMLElement>(`[data-block^="${CSS.escape(uid)} "]`), giveFocus);

/** Closes the card of an event that goes: the focus goes to the block behind it, or before it. */
export const closeGone = (uid: string, done: () => void): void => {
  const all = [...document.querySelectorAll<HTMLElement>('[data-block]')];
  const isOf = ({ dataset }: HTMLElement): boolean => dataset['block']?.startsWith(`${uid} `) ?? false;
  const at = all.findIndex(({ dataset }) => dataset['block'] === opened.value?.key);
  done();
  // It may be at another hour, which the person did not look at.
  giveFocus(
    all.slice(at + 1).find((one) => !isOf(one)) ?? all.slice(0, Math.max(0, at)).findLast((one) => !isOf(one)),
    true,
  );
};
