/** Moves and resizes blocks, in steps of a quarter of an hour. */
import { signal } from '@preact/signals';
import type { Occurrence } from '../../../client/almanac-client.ts';
import { asOf } from '../state/address.ts';
import { readAgain } from '../state/live.ts';
import { cancels, repeats } from '../state/series.ts';
import { READ_MS } from '../state/shown.ts';
import { addDays, addMinutes, daysBetween, wallMoment, wallOf, wallText, type Wall } from '../state/wall-time.ts';
import type { Block, Ghost } from './block.ts';
import { events, moving, shown } from './blocks.ts';
import { focusAgain, opened, pin } from './card.ts';
import { editEvent, type Scope } from './event-changes.ts';

export const STEP = 15;
/** A press that moves less is a click. */
export const CLICK_PIXELS = 5;

export type Drag = { block: Block; start: Wall; minutes: number; byKeys?: true };
/** What is being dragged, and where it would be. Only its preview is drawn again while the pointer moves. */
export const drag = signal<Drag | undefined>(undefined);

/** `from` is where it was drawn. `minutes` are those of the wall clock, and `duration` is the real length: they differ where a clock change is between. */
export type Move = { event: Occurrence; from: Wall; start: Wall; minutes: number; duration: number };
/** A move for which it is asked which of a series are meant. */
export const asking = signal<Move | undefined>(undefined);

const forget = (key: string): void => {
  moving.value = new Map([...moving.value].filter(([one]) => one !== key));
};

/** Shows the event at its new time at once; where the service refuses, it goes back. */
export const moveEvent = async ({ event, from, start, minutes, duration }: Move, scope?: Scope): Promise<void> => {
  const { uid, recurrence_id } = event;
  const key = `${uid} ${recurrence_id ?? ''}`;
  const drawn = { start, minutes };
  moving.value = new Map([...moving.value, [key, drawn]]);
  const updates = { scheduled_for: wallText(start), duration_minutes: duration };
  const isMoved = wallText(start) !== wallText(from);
  const done = isMoved ? `Moved to ${wallMoment(start)}` : `Now ends at ${wallMoment(addMinutes(start, minutes))}`;
  const worked = await editEvent(event, updates, scope ?? 'this', done);
  focusAgain(key);
  // The next read shows the new time itself.
  if (worked) await readAgain(events);
  // A further move may have taken its place meanwhile.
  if (moving.value.get(key) === drawn) forget(key);
};

/** The time of day of a series whose occurrence was dragged. */
const ofDay = (block: Ghost, start: Wall): number => {
  const own = wallOf(block.plan.scheduled_for as string).minutes;
  return (((own + start.minutes - block.start.minutes) % 1440) + 1440) % 1440;
};

const hasOwnTime = (plan: Ghost['plan']): boolean =>
  plan.scheduled_for !== null &&
  !cancels(plan) &&
  (plan.action_type === 'schedule' || plan.action_type === 'reschedule');

/** A swap is as it is, a cancellation has no time, and events of another calendar change there. */
export const isFixed = (block: Block): boolean =>
  block.kind === 'ghost'
    ? block.allDay || block.plan.swaps_with !== null || !hasOwnTime(block.plan)
    : block.event.source_uid !== undefined;
export const staysOnDay = (block: Block): boolean => block.kind === 'ghost' && repeats(block.plan);

/** The real length; a block that is only moved keeps it, also over a clock change. */
const durationOf = (block: Block, minutes: number): number => {
  const own = block.kind === 'ghost' ? (block.plan.duration_minutes ?? block.minutes) : block.event.duration_minutes;
  return Math.max(1, own + minutes - block.minutes);
};

export const drop = ({ block, start, minutes }: Drag, at: DOMRect): void => {
  if (wallText(start) === wallText(block.start) && minutes === block.minutes) return;
  if (block.kind === 'ghost') {
    const to = repeats(block.plan)
      ? { ...wallOf(block.plan.scheduled_for as string), minutes: ofDay(block, start) }
      : start;
    moving.value = new Map([...moving.value, [block.moves, { start: to, minutes }]]);
    pin({ key: block.key, moves: block.moves, at, moved: { at: to, duration_minutes: durationOf(block, minutes) } });
    return;
  }
  const { event } = block;
  const move = { event, from: block.start, start, minutes, duration: durationOf(block, minutes) };
  if (event.recurrence_id) asking.value = move;
  else void moveEvent(move);
};

/** A ghost that was moved and not approved goes back to its time. */
export const putBack = (key: string): void => forget(key);

export const bounded = (minutes: number): number => Math.max(STEP, Math.round(minutes / STEP) * STEP);

const swallow = (click: MouseEvent): void => click.stopPropagation();
/** The click that may follow a drag opens nothing. */
export const swallowClick = (): void => {
  addEventListener('click', swallow, { capture: true, once: true });
  setTimeout(() => removeEventListener('click', swallow, { capture: true }));
};

const appeared = new WeakMap<Element, number>();
export const appears = (block: Element): void => void appeared.set(block, performance.now());
/** Whether a press means what was there before the ghost: who draws does not move what an agent proposes in this moment. */
export const hasJustCome = (target: Element): boolean => {
  const ghost = target.closest('.block.ghost');
  return ghost !== null && performance.now() - (appeared.get(ghost) ?? 0) < READ_MS;
};

/** Starts a drag of a block whose column is in `grid`. Touch scrolls instead; there the card has a form. */
export const onBlockPointerDown = (event: PointerEvent, block: Block, resizing: boolean): void => {
  if (event.button !== 0 || event.pointerType === 'touch' || asOf.value !== undefined || isFixed(block)) return;
  const grid = (event.currentTarget as Element).closest('.days');
  if (!grid || hasJustCome(event.currentTarget as Element)) return;
  const box = grid.getBoundingClientRect();
  const [x, y] = [event.clientX, event.clientY];
  const target = event.currentTarget as HTMLElement;
  let moved = false;
  const onMove = (at: PointerEvent): void => {
    if (!moved && Math.hypot(at.clientX - x, at.clientY - y) < CLICK_PIXELS) return;
    if (!moved) {
      moved = true;
      opened.value = undefined;
      target.setPointerCapture(event.pointerId);
    }
    const minutes = Math.round((((at.clientY - y) / box.height) * 1440) / STEP) * STEP;
    const days = staysOnDay(block) ? 0 : Math.round((at.clientX - x) / (box.width / shown.value.days));
    drag.value = resizing
      ? { block, start: block.start, minutes: bounded(block.minutes + minutes) }
      : {
          block,
          start: withinDay(addMinutes({ ...block.start, date: addDays(block.start.date, days) }, minutes), days, block),
          minutes: block.minutes,
        };
  };
  const onEnd = (up: PointerEvent): void => {
    removeEventListener('pointermove', onMove);
    removeEventListener('pointerup', onEnd);
    removeEventListener('pointercancel', onEnd);
    removeEventListener('keydown', onKey, true);
    const last = drag.value;
    drag.value = undefined;
    if (!moved) return;
    swallowClick();
    if (last && up.type === 'pointerup') drop(last, new DOMRect(up.clientX, up.clientY, 1, 1));
  };
  const onKey = (key: KeyboardEvent): void => {
    if (key.key !== 'Escape') return;
    drag.value = undefined;
    onEnd(new PointerEvent('pointercancel'));
  };
  addEventListener('pointermove', onMove);
  addEventListener('pointerup', onEnd);
  addEventListener('pointercancel', onEnd);
  addEventListener('keydown', onKey, true);
};

/** A drag up or down does not leave the day of its column. */
const withinDay = (at: Wall, days: number, block: Block): Wall => {
  const date = addDays(block.start.date, days);
  const late = daysBetween(date, at.date);
  return late === 0 ? at : { date, minutes: late < 0 ? 0 : 1440 - STEP };
};
