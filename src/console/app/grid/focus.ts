/** Tab goes from proposal to proposal, and to one event; the arrow keys go to every block. */
import { computed } from '@preact/signals';
import { wallOf } from '../state/wall-time.ts';
import { endOf, type Block } from './block.ts';
import { blocks } from './blocks.ts';

const isOver = (block: Block): boolean => {
  const [end, now] = [endOf(block), wallOf(Date.now())];
  return end.date < now.date || (end.date === now.date && end.minutes <= now.minutes);
};

/** It does not follow the focus, which would draw every block again. */
const eventStop = (all: readonly Block[]): Block | undefined => {
  const events = all.filter(({ kind }) => kind === 'event');
  return events.find((one) => !isOver(one)) ?? events[0];
};

/** Of a series only its first block. */
const stops = computed<ReadonlySet<string>>(() => {
  const firsts = new Map<string, string>();
  for (const block of blocks.value)
    if (block.kind === 'ghost' && !firsts.has(block.plan.uid)) firsts.set(block.plan.uid, block.key);
  const event = eventStop(blocks.value);
  return new Set([...firsts.values(), ...(event ? [event.key] : [])]);
});

export const tabIndexOf = ({ key }: Block): 0 | -1 => (stops.value.has(key) ? 0 : -1);

const ALL = '[data-block]';
const DAYS = '.day, .cell';

const middleOf = (element: Element): number => {
  const { top, bottom } = element.getBoundingClientRect();
  return (top + bottom) / 2;
};

/** The block of the next day that has any, which is the nearest by time. */
const beside = (from: HTMLElement, by: 1 | -1): HTMLElement | undefined => {
  const own = from.closest(DAYS);
  const days = [...(own?.parentElement?.querySelectorAll(DAYS) ?? [])];
  for (let n = days.indexOf(own as Element) + by; n >= 0 && n < days.length; n += by) {
    const there = [...(days[n] as Element).querySelectorAll<HTMLElement>(ALL)];
    const distance = (one: Element): number => Math.abs(middleOf(one) - middleOf(from));
    if (there.length) return there.reduce((best, one) => (distance(one) < distance(best) ? one : best));
  }
  return undefined;
};

const following = (from: HTMLElement, by: 1 | -1): HTMLElement | undefined => {
  const all = [...(from.closest('.time-grid')?.querySelectorAll<HTMLElement>(ALL) ?? [])];
  return all[all.indexOf(from) + by];
};

const TARGETS: Record<string, (from: HTMLElement) => HTMLElement | undefined> = {
  ArrowDown: (from) => following(from, 1),
  ArrowUp: (from) => following(from, -1),
  ArrowRight: (from) => beside(from, 1),
  ArrowLeft: (from) => beside(from, -1),
};

/** Up and down follow the time, left and right go to other days; also from the check mark of a block. @returns whether the key was one of these */
export const focusByKey = (event: KeyboardEvent): boolean => {
  const own = event.currentTarget as HTMLElement;
  const from = own.matches(ALL) ? own : (own.parentElement?.querySelector<HTMLElement>(ALL) ?? own);
  const target = TARGETS[event.key];
  if (!target || event.shiftKey || event.ctrlKey || event.metaKey || event.altKey) return false;
  if (!from.closest('.time-grid')) return false;
  target(from)?.focus();
  return true;
};

/** Gives the focus to the next proposal in the order of the page, and to the first one behind the last. */
export const focusNextGhost = (): void => {
  const all = [...document.querySelectorAll<HTMLElement>(`.ghost ${ALL}, .ghost${ALL}`)];
  const at = all.indexOf(document.activeElement as HTMLElement);
  (all[at + 1] ?? all[0])?.focus();
};
