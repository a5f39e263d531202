/** A day or a week with the hours from top to bottom. */
import { computed, signal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { asOf } from '../state/address.ts';
import { profile } from '../state/data.ts';
import { addDays, clockText, longDate, today, wallOf, weekday, weekdayName } from '../state/wall-time.ts';
import { Foreign, Hidden } from '../ui/text.tsx';
import { Way } from '../ui/way.tsx';
import { Arrows } from './arrows.tsx';
import { After, Before, blockHandlers, BlockView, looksOf, Mark } from './block-view.tsx';
import type { Block } from './block.ts';
import { blocks, shown } from './blocks.ts';
import { Drawn, onColumnPointerDown, onColumnTouchMove, Preview } from './drawing.tsx';
import { tabIndexOf } from './focus.ts';
import { onDay, percent, placeDay, type PlacedDay } from './place.ts';
import { useSize } from './use-size.ts';

const HOURS = Array.from({ length: 24 }, (_, hour) => hour);
const WEEKDAYS = ['SU', 'MO', 'TU', 'WE', 'TH', 'FR', 'SA'];

const instant = signal(Date.now());
setInterval(() => (instant.value = Date.now()), 30_000);
/** By the clock of the profile, which may be another one at once. */
const now = computed(() => wallOf(instant.value));

const minutesOf = (text: string): number => Number(text.slice(0, 2)) * 60 + Number(text.slice(3));

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

const AllDayRow = ({ dates, all }: { dates: string[]; all: Block[] }) => {
  const long = all.filter(({ allDay }) => allDay);
  if (!long.length) return null;
  return (
    <div class="all-day">
      <span class="gutter">all day</span>
      {dates.map((date) => (
        <div key={date} class="cell">
          {onDay(date, long).map((block) => (
            <div key={block.key} class="whole-day" {...looksOf(block)}>
              <button type="button" class={`chip ${block.kind}`} tabIndex={tabIndexOf(block)} {...blockHandlers(block)}>
                <Before block={block} />
                <Foreign lines={1}>{block.title}</Foreign>
                <After block={block} />
              </button>
              {block.kind === 'ghost' && <Mark block={block} tabIndex={tabIndexOf(block)} />}
            </div>
          ))}
        </div>
      ))}
    </div>
  );
};

const Blocks = ({ day: { date, placed, crowds }, most }: { day: PlacedDay; most: number }) => (
  <>
    {placed.map((one) => (
      <BlockView key={one.block.key} placed={one} />
    ))}
    {crowds.map(({ top, height, count }) => (
      <Way
        key={top}
        to="./"
        with={{ view: 'agenda', date }}
        class="block crowded"
        style={{ top: percent(top), height: percent(height), right: 0, width: `${100 / most}%` }}
      >
        {count} more
        <Hidden> on {longDate(date)}</Hidden>
      </Way>
    ))}
  </>
);

const FIRST_HOUR_SHOWN = 7;
/** A narrower block is no target of 24 px. */
const LEAST_WIDTH = 27;

/** How many blocks can be beside each other on one of these days. */
const mostBeside = (width: number, days: number): number =>
  Math.max(2, Math.min(14, Math.floor(width / days / LEAST_WIDTH)));

/** @param scroll how far down it begins; missing at the usual hour */
export const TimeGrid = ({ scroll }: { scroll?: number | undefined }) => {
  const { first, days } = shown.value;
  const dates = Array.from({ length: days }, (_, n) => addDays(first, n));
  const all = blocks.value;
  const scroller = useRef<HTMLDivElement>(null);
  const { element: columns, width, height } = useSize<HTMLDivElement>();
  const most = mostBeside(width, days);
  const placed = dates.map((date) => placeDay(date, onDay(date, all), most));
  useEffect(() => {
    const element = scroller.current;
    if (element) element.scrollTop = scroll ?? (element.scrollHeight / 24) * FIRST_HOUR_SHOWN;
  }, []);
  useEffect(() => {
    const element = columns.current;
    // Only a listener that is not passive can keep the page still.
    element?.addEventListener('touchmove', onColumnTouchMove, { passive: false });
    return () => element?.removeEventListener('touchmove', onColumnTouchMove);
  }, []);
  return (
    <div class="time-grid" style={{ '--days': String(days) }}>
      <div class="scroller" ref={scroller} tabIndex={0} role="region" aria-label="Hours">
        <div class="fixed">
          {' '}
          <div class="heads">
            <span class="gutter" />
            {dates.map((date) => (
              <Way
                key={date}
                to="./"
                with={{ view: 'day', date }}
                title={longDate(date)}
                aria-current={date === today() ? 'date' : undefined}
              >
                {weekdayName(date)} <b>{Number(date.slice(8))}</b>
              </Way>
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
            {placed.map((one) => {
              const { date } = one;
              return (
                <div
                  key={date}
                  class="day"
                  data-today={date === today() ? '' : undefined}
                  onPointerDown={(event) => onColumnPointerDown(event, date)}
                >
                  <Tempo date={date} />
                  <Blocks day={one} most={most} />
                  <Preview date={date} />
                  <Drawn date={date} />
                  <NowLine date={date} />
                </div>
              );
            })}
            <Arrows days={placed} {...{ width, height }} />
          </div>
        </div>
      </div>
    </div>
  );
};
