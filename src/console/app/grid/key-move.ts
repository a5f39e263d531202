/** Moves a block by keys: Shift and an arrow as often as it takes, then Enter. */
import { asOf } from '../state/address.ts';
import { addDays, addMinutes } from '../state/wall-time.ts';
import type { Block } from './block.ts';
import { dismiss } from './card.ts';
import { bounded, drag, drop, isFixed, STEP, staysOnDay } from './drag.ts';

const ARROWS: Record<string, [days: number, minutes: number]> = {
  ArrowUp: [0, -STEP],
  ArrowDown: [0, STEP],
  ArrowLeft: [-1, 0],
  ArrowRight: [1, 0],
};

const keyMove = (key: string) => (drag.value?.byKeys && drag.value.block.key === key ? drag.value : undefined);

export const giveUpKeyMove = (key: string): void => {
  if (keyMove(key)) drag.value = undefined;
};

const step = (event: KeyboardEvent, block: Block): boolean => {
  const by = ARROWS[event.key];
  if (!by || !event.shiftKey || asOf.value !== undefined || block.allDay || isFixed(block)) return false;
  const [days, minutes] = by;
  if (days && staysOnDay(block)) return false;
  const from = keyMove(block.key) ?? { block, start: block.start, minutes: block.minutes };
  const { start } = from;
  dismiss();
  drag.value = event.altKey
    ? { ...from, minutes: bounded(from.minutes + minutes), byKeys: true }
    : { ...from, start: addMinutes({ ...start, date: addDays(start.date, days) }, minutes), byKeys: true };
  return true;
};

/** With Alt, up and down change the length. @returns whether the key did something */
export const moveByKey = (event: KeyboardEvent, block: Block): boolean => {
  const move = keyMove(block.key);
  if (!move || (event.key !== 'Enter' && event.key !== 'Escape')) return step(event, block);
  drag.value = undefined;
  if (event.key === 'Enter') drop(move, (event.currentTarget as Element).getBoundingClientRect());
  return true;
};
