/** The month as a grid of days, which on a phone show only how much there is. */
import { isNarrow } from '../state/narrow.ts';
import { addDays, clockText, longDate, today, weekdayName } from '../state/wall-time.ts';
import { Foreign } from '../ui/text.tsx';
import { Way } from '../ui/way.tsx';
import { counted } from '../ui/words.ts';
import { After, Before, blockHandlers, looksOf } from '../grid/block-view.tsx';
import type { Block } from '../grid/block.ts';
import { blocks, day, shown } from '../grid/blocks.ts';
import { onDay } from '../grid/place.ts';

const MOST_IN_CELL = 3;
const MOST_DOTS = 4;

type DayProps = { date: string; here: Block[] };

const toDay = (date: string) => ({ to: './', with: { view: 'day', date } });
const isToday = (date: string): 'date' | undefined => (date === today() ? 'date' : undefined);

const isOtherMonth = (date: string): '' | undefined => (date.slice(0, 7) === day.value.slice(0, 7) ? undefined : '');

const Cell = ({ date, here }: DayProps) => (
  <section class="cell" aria-label={longDate(date)} data-other={isOtherMonth(date)}>
    <Way {...toDay(date)} title={longDate(date)} aria-current={isToday(date)}>
      {Number(date.slice(8))}
    </Way>
    {here.slice(0, MOST_IN_CELL).map((block) => (
      <button key={block.key} type="button" class={`chip ${block.kind}`} {...looksOf(block)} {...blockHandlers(block)}>
        <Before block={block} />
        {!block.allDay && <span class="time">{clockText(block.start.minutes)} </span>}
        <Foreign lines={1}>{block.title}</Foreign>
        <After block={block} />
      </button>
    ))}
    {here.length > MOST_IN_CELL && <Way {...toDay(date)}>{here.length - MOST_IN_CELL} more</Way>}
  </section>
);

const amountText = (here: Block[]): string => {
  const ghosts = here.filter(({ kind }) => kind === 'ghost').length;
  const parts = [here.length > ghosts && counted(here.length - ghosts, 'event'), ghosts && counted(ghosts, 'proposal')];
  return parts.filter(Boolean).join(', ') || 'nothing';
};

/** A column of a phone is narrower than most words, so the whole day is one link to what it has. */
const DotCell = ({ date, here }: DayProps) => (
  <Way
    class="cell dots"
    {...toDay(date)}
    aria-current={isToday(date)}
    aria-label={`${longDate(date)}: ${amountText(here)}`}
    data-other={isOtherMonth(date)}
  >
    <b>{Number(date.slice(8))}</b>
    <span class="marks">
      {here.slice(0, MOST_DOTS).map((block) => (
        <i key={block.key} class={block.kind} {...looksOf(block)} />
      ))}
    </span>
    {here.length > MOST_DOTS && <small>+{here.length - MOST_DOTS}</small>}
  </Way>
);

export const Month = () => {
  const { first, days } = shown.value;
  const dates = Array.from({ length: days }, (_, n) => addDays(first, n));
  const all = blocks.value;
  const Day = isNarrow.value ? DotCell : Cell;
  return (
    <div class="month">
      {dates.slice(0, 7).map((date) => (
        <span key={date} class="weekday">
          {weekdayName(date)}
        </span>
      ))}
      {dates.map((date) => (
        <Day key={date} date={date} here={onDay(date, all)} />
      ))}
    </div>
  );
};
