/** The week template: hours are drawn by dragging, and moved by pointer or keys. The list below it does the same in words. */
import { signal } from '@preact/signals';
import { useLayoutEffect, useRef } from 'preact/hooks';
import { asOf } from '../state/address.ts';
import { clockText } from '../state/wall-time.ts';
import { Foreign, Hidden } from '../ui/text.tsx';
import { weekOf, type Day, type Range } from '../ui/hours-text.ts';
import { addRange, changeOneDay, followed, minutesOf, ranges, removeOneDay, textOf } from './preferences.ts';

const STEP = 15;
const FULL = 1440;
const CLICK_PIXELS = 5;
const percent = (minutes: number): string => `${(minutes / FULL) * 100}%`;
const rounded = (minutes: number): number => Math.round(minutes / STEP) * STEP;
const within = (minutes: number, low: number, high: number): number => Math.max(low, Math.min(high, minutes));

/** The range that is being drawn or moved; `index` is undefined for a new one. */
type Drawn = { index?: number; day: Day; start: number; end: number };
const drawn = signal<Drawn | undefined>(undefined);

const follow = (onMove: (at: PointerEvent) => void, onEnd: (at: PointerEvent) => void): void => {
  const end = (at: PointerEvent): void => {
    removeEventListener('pointermove', onMove);
    removeEventListener('pointerup', end);
    removeEventListener('pointercancel', end);
    if (at.type === 'pointerup') onEnd(at);
    drawn.value = undefined;
  };
  addEventListener('pointermove', onMove);
  addEventListener('pointerup', end);
  addEventListener('pointercancel', end);
};

const onColumn = (event: PointerEvent, day: Day): void => {
  if (event.target !== event.currentTarget || event.button !== 0 || event.pointerType === 'touch') return;
  const box = (event.currentTarget as Element).getBoundingClientRect();
  const at = (y: number): number => within(rounded(((y - box.top) / box.height) * FULL), 0, FULL);
  const from = at(event.clientY);
  follow(
    ({ clientY }) => {
      drawn.value = { day, start: Math.min(from, at(clientY)), end: Math.max(from, at(clientY)) };
    },
    () => {
      const { value } = drawn;
      if (value && value.end - value.start >= STEP)
        void addRange({ days: [day], start: textOf(value.start), end: textOf(value.end) });
    },
  );
};

const shifted = (range: Range, by: number, edge: 'both' | 'end'): { start: number; end: number } => {
  const [start, end] = [minutesOf(range.start), minutesOf(range.end)];
  if (edge === 'end') return { start, end: within(end + by, start + STEP, FULL) };
  const moved = within(by, -start, FULL - end);
  return { start: start + moved, end: end + moved };
};

const onBlock = (event: PointerEvent, index: number, range: Range, day: Day): void => {
  if (event.button !== 0 || event.pointerType === 'touch' || asOf.value !== undefined) return;
  const column = (event.currentTarget as Element).parentElement?.getBoundingClientRect();
  if (!column) return;
  const edge = (event.target as Element).matches('.edge') ? 'end' : 'both';
  const y = event.clientY;
  const by = (at: PointerEvent): number => rounded(((at.clientY - y) / column.height) * FULL);
  follow(
    (at) => {
      if (Math.abs(at.clientY - y) >= CLICK_PIXELS) drawn.value = { index, day, ...shifted(range, by(at), edge) };
    },
    () => {
      const { value } = drawn;
      if (value) changeOneDay(index, day, { start: textOf(value.start), end: textOf(value.end) });
    },
  );
};

/** Up and down move the hours of the day, with Shift their end; Delete removes them. */
const onKey = (event: KeyboardEvent, index: number, range: Range, day: Day): void => {
  if (asOf.value !== undefined || event.altKey || event.ctrlKey || event.metaKey) return;
  if (event.key === 'Delete') removeOneDay(index, day);
  else if (event.key === 'ArrowUp' || event.key === 'ArrowDown') {
    const by = event.key === 'ArrowUp' ? -STEP : STEP;
    const { start, end } = shifted(range, by, event.shiftKey ? 'end' : 'both');
    changeOneDay(index, day, { start: textOf(start), end: textOf(end) });
  } else return;
  event.preventDefault();
};

const Block = ({ index, range, day, dayName }: { index: number; range: Range; day: Day; dayName: string }) => {
  const { value } = drawn;
  const isDrawn = value?.index === index && value.day === day;
  const own = isDrawn ? value : { start: minutesOf(range.start), end: minutesOf(range.end) };
  const block = useRef<HTMLButtonElement>(null);
  const isFollowed = followed.value?.day === day && followed.value.name === range.name;
  // By the key it may have come into another set, whose block is another one.
  useLayoutEffect(() => {
    if (!isFollowed) return;
    block.current?.focus();
    followed.value = undefined;
  }, [isFollowed]);
  return (
    <button
      ref={block}
      type="button"
      class="hours-block"
      style={{ top: percent(own.start), height: percent(own.end - own.start) }}
      aria-describedby="week-keys"
      onPointerDown={(event) => onBlock(event, index, range, day)}
      onKeyDown={(event) => onKey(event, index, range, day)}
    >
      <Foreign lines={1}>{range.name}</Foreign>
      <Hidden>, {dayName}, </Hidden>
      <span>
        {clockText(own.start)}–{clockText(own.end)}
      </span>
      <span class="edge" aria-hidden="true" />
    </button>
  );
};

export const Week = () => (
  <>
    <p id="week-keys" class="quiet">
      Drag over free hours to add some, drag hours to move them. Keys: up and down move, with Shift the end, Delete
      removes. This changes the hours of one day in every week, such as every Wednesday, and of no other day. The list
      below changes all days of a set, also by touch.
    </p>
    <div class="week-template" role="group" aria-label="Week template">
      <div class="marks" aria-hidden="true">
        {[0, 6, 12, 18].map((hour) => (
          <span key={hour} style={{ top: percent(hour * 60) }}>
            {clockText(hour * 60)}
          </span>
        ))}
      </div>
      {weekOf('short').map(({ day, name }) => (
        <div key={day} class="of-day">
          <b aria-hidden="true">{name}</b>
          <div class="column" onPointerDown={(event) => asOf.value === undefined && onColumn(event, day)}>
            {ranges().map((range, index) =>
              range.days.includes(day) ? <Block key={index} {...{ index, range, day, dayName: name }} /> : null,
            )}
            {drawn.value && drawn.value.index === undefined && drawn.value.day === day && (
              <div
                class="hours-block new"
                style={{ top: percent(drawn.value.start), height: percent(drawn.value.end - drawn.value.start) }}
              >
                {clockText(drawn.value.start)}–{clockText(drawn.value.end)}
              </div>
            )}
          </div>
        </div>
      ))}
    </div>
  </>
);
