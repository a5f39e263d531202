/** Arrows from an event to where a proposal would move it, or to where it is later. Both halves of a swap have one. */
import { useId } from 'preact/hooks';
import { hueOf } from '../state/data.ts';
import type { Block } from './block.ts';
import type { Placed, PlacedDay } from './place.ts';
import { targetOf } from './targets.ts';

type Box = { left: number; top: number; right: number; bottom: number };
type Size = { width: number; height: number };

/** In pixels of the days. */
const boxOf = ({ top, height, column, columns }: Placed, day: number, days: number, size: Size): Box => {
  const dayWidth = size.width / days;
  const left = day * dayWidth + (column / columns) * dayWidth;
  const pixels = (minutes: number): number => (minutes / 1440) * size.height;
  return { left, right: left + dayWidth / columns, top: pixels(top), bottom: pixels(top + height) };
};

const INSIDE = 6;
/** So far an arrow swings out, where both are above each other. */
const SWING = 36;

/** From the side of one block to the nearer side of the other. */
const curve = (from: Box, to: Box, width: number): string => {
  const y = (box: Box): number => box.top + Math.min(14, (box.bottom - box.top) / 2);
  const isRight = to.left >= from.right - INSIDE;
  const isLeft = to.right <= from.left + INSIDE;
  if (!isRight && !isLeft) {
    const isSpace = Math.max(from.right, to.right) + SWING < width;
    const [x1, x2, swing] = isSpace ? [from.right, to.right, SWING] : [from.left, to.left, -SWING];
    return `M ${x1} ${y(from)} C ${x1 + swing} ${y(from)}, ${x2 + swing} ${y(to)}, ${x2} ${y(to)}`;
  }
  const [x1, x2] = isRight ? [from.right - INSIDE, to.left] : [from.left + INSIDE, to.right];
  const out = isRight ? Math.max(12, (x2 - x1) / 2) : -Math.max(12, (x1 - x2) / 2);
  return `M ${x1} ${y(from)} C ${x1 + out} ${y(from)}, ${x2 - out} ${y(to)}, ${x2} ${y(to)}`;
};

type Drawn = { key: string; isSwap: boolean; hue: number; path: string };

/** The key of the block from which one moves. */
const fromOf = (block: Block): string | undefined => {
  if (block.kind === 'event') return block.from;
  return block.plan.scheduled_for === null ? undefined : targetOf(block.plan);
};

const looksOf = (block: Block): Pick<Drawn, 'isSwap' | 'hue'> =>
  block.kind === 'event'
    ? { isSwap: false, hue: 0 }
    : { isSwap: block.plan.swaps_with !== null, hue: hueOf(block.plan) };

const arrowsOf = (days: readonly PlacedDay[], size: Size): Drawn[] => {
  const places = new Map<string, Box>();
  const moved: { block: Block; from: string; box: Box }[] = [];
  for (const [n, { placed }] of days.entries())
    for (const one of placed) {
      const { block } = one;
      const isFirst = !places.has(block.key);
      if (!isFirst) continue;
      const box = boxOf(one, n, days.length, size);
      places.set(block.key, box);
      const from = fromOf(block);
      if (from !== undefined) moved.push({ block, from, box });
    }
  return moved.flatMap(({ block, from: key, box }) => {
    const from = places.get(key);
    return from ? [{ ...looksOf(block), key: block.key, path: curve(from, box, size.width) }] : [];
  });
};

/** The screen reader reads it at the blocks: an event says that it would be moved, and the card of the proposal from where. */
export const Arrows = ({ days, ...size }: Size & { days: readonly PlacedDay[] }) => {
  const id = useId();
  const arrows = arrowsOf(days, size);
  if (!arrows.length) return null;
  return (
    <svg class="arrows" aria-hidden="true" width={size.width} height={size.height}>
      <marker id={id} viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" orient="auto">
        <path d="M 0 0 L 8 4 L 0 8 z" />
      </marker>
      {arrows.map(({ key, hue, isSwap, path }) => (
        <path key={key} data-hue={hue} data-swap={isSwap ? '' : undefined} d={path} marker-end={`url(#${id})`} />
      ))}
    </svg>
  );
};
