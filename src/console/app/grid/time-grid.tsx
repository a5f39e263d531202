/** A day or a week with the hours from top to bottom. */
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { computed, signal } from '@preact/signals';
import { asOf, linkTo, go } from '../state/address.ts';
import { profile } from '../state/data.ts';
import { addDays, clockText, longDate, today, wallOf, weekday, weekdayName } from '../state/wall-time.ts';
import { Foreign, Hidden } from '../ui/text.tsx';
import { After, Before, blockHandlers, BlockView, hueOfBlock, Mark } from './block-view.tsx';
import { blocks, LEAST_SHOWN, onDay, placeDay, shown, type Block } from './blocks.ts';
import { opened, pin } from './card.ts';
import { drag, STEP } from './drag.ts';

const HOURS = Array.from({ length: 24 }, (_, hour) => hour);
const WEEKDAYS = ['SU', 'MO', 'TU', 'WE', 'TH', 'FR', 'SA'];

const now = signal(wallOf(Date.now()));
setInterval(() => (now.value = wallOf(Date.now())), 30_000);

const minutesOf = (text: string): number => Number(text.slice(0, 2)) * 60 + Number(text.slice(3));
const percent = (minutes: number): string => `${(minutes / 1440) * 100}%`;

/** The hours in which agents may place work by themselves. */
const Tempo = ({ date }: { date: string }) => (
  <>
    {(profile.data.value?.tempo.time_ranges ?? [])
      .filter(({ days }) => (days as string[]).includes(WEEKDAYS[weekday(date)] as string))
      .map(({ name, start, end }) => (
        <div
          key={name}
          class="tempo"
          style={{ top: percent(minutesOf(start)), height: percent(minutesOf(end) - minutesOf(start)) }}
        />
      ))}
  </>
);

const NowLine = ({ date }: { date: string }) =>
  asOf.value === undefined && now.value.date === date ? (
    <div class="now" style={{ top: percent(now.value.minutes) }} aria-hidden="true" />
  ) : null;

/** Where the dragged block would be. */
const Preview = ({ date }: { date: string }) => {
  const { value } = drag;
  if (!value || value.start.date !== date) return null;
  return (
    <div
      class={`block preview ${value.block.kind}`}
      style={{ top: percent(value.start.minutes), height: percent(Math.max(LEAST_SHOWN, value.minutes)) }}
    >
      <span class="body">
        <strong>
          {clockText(value.start.minutes)}–{clockText(value.start.minutes + value.minutes)}
        </strong>
      </span>
    </div>
  );
};

/** The stretch of free time that is drawn for a new event. */
const drawn = signal<{ date: string; start: number; end: number } | undefined>(undefined);

/** It stays while the form of the new event is open. */
const shownDraft = computed(() => {
  const draft = opened.value?.draft;
  return (
    drawn.value ??
    (draft && { date: draft.start.date, start: draft.start.minutes, end: draft.start.minutes + draft.minutes })
  );
});

const Drawn = ({ date }: { date: string }) => {
  const { value } = shownDraft;
  if (value?.date !== date) return null;
  const { start, end } = value;
  return (
    <div
      class="block preview event"
      style={{ top: percent(start), height: percent(Math.max(LEAST_SHOWN, end - start)) }}
    >
      <span class="body">
        <strong>
          {clockText(start)}–{clockText(end)}
        </strong>
      </span>
    </div>
  );
};

/** A press on free time makes a new event there; a drag gives its length. A finger scrolls instead of drawing. */
const onColumnPointerDown = (event: PointerEvent, date: string): void => {
  if (event.target !== event.currentTarget || event.button !== 0 || asOf.value !== undefined) return;
  const isTouch = event.pointerType === 'touch';
  const box = (event.currentTarget as HTMLElement).getBoundingClientRect();
  const minutesAt = (y: number): number => Math.max(0, Math.min(1440, ((y - box.top) / box.height) * 1440));
  const start = Math.floor(minutesAt(event.clientY) / (2 * STEP)) * 2 * STEP;
  const endAt = (y: number): number => {
    const end = Math.round(minutesAt(y) / STEP) * STEP;
    return end - start > STEP ? end : start + 2 * STEP;
  };
  const stop = (): void => {
    removeEventListener('pointermove', onMove);
    removeEventListener('pointerup', onUp);
    removeEventListener('pointercancel', stop);
    removeEventListener('keydown', onKey);
    drawn.value = undefined;
  };
  const onMove = ({ clientY }: PointerEvent): void => {
    if (!isTouch) drawn.value = { date, start, end: endAt(clientY) };
  };
  const onUp = ({ clientY }: PointerEvent): void => {
    stop();
    if (isTouch && Math.abs(clientY - event.clientY) > 8) return;
    const draft = { start: { date, minutes: start }, minutes: endAt(clientY) - start, drawn: true };
    pin({ key: 'new', at: new DOMRect(box.left, clientY, box.width, 1), draft });
  };
  const onKey = ({ key }: KeyboardEvent): void => {
    if (key === 'Escape') stop();
  };
  addEventListener('pointermove', onMove);
  addEventListener('pointerup', onUp);
  addEventListener('pointercancel', stop);
  addEventListener('keydown', onKey);
};

const AllDayRow = ({ dates, all }: { dates: string[]; all: Block[] }) => {
  const long = all.filter(({ allDay }) => allDay);
  if (!long.length) return null;
  return (
    <div class="all-day">
      <span class="gutter">all day</span>
      {dates.map((date) => (
        <div key={date} class="cell">
          {onDay(date, long).map((block) => (
            <div key={block.key} class="whole-day" data-hue={hueOfBlock(block)}>
              <button type="button" class={`chip ${block.kind}`} {...blockHandlers(block)}>
                <Before block={block} />
                <Foreign lines={1}>{block.title}</Foreign>
                <After block={block} />
              </button>
              {block.kind === 'ghost' && <Mark block={block} />}
            </div>
          ))}
        </div>
      ))}
    </div>
  );
};

const Blocks = ({ date, all, most }: { date: string; all: Block[]; most: number }) => {
  const { placed, crowds } = placeDay(date, onDay(date, all), most);
  return (
    <>
      {placed.map((one) => (
        <BlockView key={one.block.key} placed={one} />
      ))}
      {crowds.map(({ top, height, count }) => (
        <a
          key={top}
          class="block crowded"
          style={{ top: percent(top), height: percent(height), right: 0, width: `${100 / most}%` }}
          href={linkTo('./', { view: 'agenda', date })}
          onClick={(event) => (event.preventDefault(), go('./', { view: 'agenda', date }))}
        >
          {count} more
          <Hidden> on {longDate(date)}</Hidden>
        </a>
      ))}
    </>
  );
};

const FIRST_HOUR_SHOWN = 7;
/** A narrower block is no target of 24 px. */
const LEAST_WIDTH = 27;

/** How many blocks can be beside each other on one of these days. */
const useMostBeside = (days: number) => {
  const columns = useRef<HTMLDivElement>(null);
  const [width, setWidth] = useState(0);
  useLayoutEffect(() => {
    const element = columns.current as HTMLDivElement;
    const measure = (): void => setWidth(element.clientWidth);
    measure();
    const observer = new ResizeObserver(measure);
    observer.observe(element);
    return () => observer.disconnect();
  }, []);
  return { columns, most: Math.max(2, Math.min(14, Math.floor(width / days / LEAST_WIDTH))) };
};

export const TimeGrid = () => {
  const { first, days } = shown.value;
  const dates = Array.from({ length: days }, (_, n) => addDays(first, n));
  const all = blocks.value;
  const scroller = useRef<HTMLDivElement>(null);
  const { columns, most } = useMostBeside(days);
  useEffect(() => {
    const element = scroller.current;
    if (element) element.scrollTop = (element.scrollHeight / 24) * FIRST_HOUR_SHOWN;
  }, []);
  return (
    <div class="time-grid" style={{ '--days': String(days) }}>
      <div class="scroller" ref={scroller} tabIndex={0} role="region" aria-label="Hours">
        <div class="fixed">
          {' '}
          <div class="heads">
            <span class="gutter" />
            {dates.map((date) => (
              <a
                key={date}
                href={linkTo('./', { view: 'day', date })}
                title={longDate(date)}
                aria-current={date === today() ? 'date' : undefined}
                onClick={(event) => (event.preventDefault(), go('./', { view: 'day', date }))}
              >
                {weekdayName(date)} <b>{Number(date.slice(8))}</b>
              </a>
            ))}
          </div>
          <AllDayRow dates={dates} all={all} />
        </div>{' '}
        <div class="hours-and-days">
          <div class="hours" aria-hidden="true">
            {HOURS.map((hour) => (
              <span key={hour}>{hour ? clockText(hour * 60) : ''}</span>
            ))}
          </div>
          <div class="days" ref={columns}>
            {dates.map((date) => (
              <div
                key={date}
                class="day"
                data-today={date === today() ? '' : undefined}
                onPointerDown={(event) => onColumnPointerDown(event, date)}
              >
                <Tempo date={date} />
                <Blocks date={date} all={all} most={most} />
                <Preview date={date} />
                <Drawn date={date} />
                <NowLine date={date} />
              </div>
            ))}
          </div>
        </div>
      </div>
    </div>
  );
};
