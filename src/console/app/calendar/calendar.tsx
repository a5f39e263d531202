/**
 * The calendar. It is our own: FullCalendar 7 brings a second Preact (version 10), EventCalendar 5 a second framework, and in
 * Schedule-X 4 resizing is sold. None of them moves a block by keys, and all compute with instants, where ours uses wall times.
 */
import { useLayoutEffect } from 'preact/hooks';
import { asOf, change, go, parameter } from '../state/address.ts';
import { useCommands, type Command } from '../state/commands.ts';
import { waiting } from '../state/data.ts';
import { isNarrow } from '../state/narrow.ts';
import { addDays, today, wallOf, type Wall } from '../state/wall-time.ts';
import { Failure } from '../ui/failure.tsx';
import { day, events, view, VIEWS, type View } from '../grid/blocks.ts';
import { pin } from '../grid/card.ts';
import { Details } from '../grid/details.tsx';
import { focusNextGhost } from '../grid/focus.ts';
import { TimeGrid } from '../grid/time-grid.tsx';
import { Elsewhere, heading, NotAll, step, Turn } from '../grid/turn.tsx';
import { Agenda } from './agenda.tsx';
import { useLeftAt } from './left-at.ts';
import { Month } from './month.tsx';
import { Welcome } from './welcome.tsx';

const NAMES: Record<View, string> = { day: 'Day', week: 'Week', month: 'Month', agenda: 'List' };

/** Nobody begins something new in the night or late in the evening. */
const [EARLIEST_HOUR, LATEST_HOUR, USUAL_HOUR] = [7, 20, 9];

/** The next full hour, where that is in the day of a person, on the day that is shown. */
const nextStart = (): Wall => {
  const hour = Math.floor(wallOf(Date.now()).minutes / 60) + 1;
  const isLate = hour > LATEST_HOUR;
  return {
    date: isLate && day.value === today() ? addDays(day.value, 1) : day.value,
    minutes: 60 * (isLate || hour < EARLIEST_HOUR ? USUAL_HOUR : hour),
  };
};

const newEvent = (): void => {
  const start = nextStart();
  pin({ key: 'new', at: new DOMRect(innerWidth / 2 - 160, 120, 1, 1), draft: { start, minutes: 30 } });
};

const Toolbar = () => (
  <div class="toolbar">
    <h1>{heading()}</h1>
    <NotAll />
    <Turn />
    <div class="group" role="group" aria-label="View">
      {VIEWS.map((one) => (
        <button key={one} type="button" aria-pressed={view.value === one} onClick={() => change({ view: one })}>
          {one === 'week' && isNarrow.value ? '3 days' : NAMES[one]}
        </button>
      ))}
    </div>
    {asOf.value === undefined && (
      <button type="button" onClick={newEvent}>
        New event
      </button>
    )}
  </div>
);

const commands = (): Command[] => [
  { keys: 't', name: 'Go to today', run: () => change({ date: undefined }) },
  { keys: 'd', name: 'Show a day', run: () => change({ view: 'day' }) },
  { keys: 'w', name: 'Show a week', run: () => change({ view: 'week' }) },
  { keys: 'm', name: 'Show a month', run: () => change({ view: 'month' }) },
  { keys: 'l', name: 'Show a list', run: () => change({ view: 'agenda' }) },
  ...(asOf.value === undefined ? [{ keys: 'n', name: 'New event', run: newEvent }] : []),
  { keys: 'j', name: 'Later', run: () => change({ date: step(1) }) },
  { keys: 'k', name: 'Earlier', run: () => change({ date: step(-1) }) },
  { keys: 'p', name: 'Next proposal', run: focusNextGhost },
  { keys: 'q', name: 'Go to the queue', run: () => go('queue'), onlyKey: true },
];

/** The address may ask for the form of a new event, once. */
const useAskedForm = (): void => {
  const form = parameter('form');
  useLayoutEffect(() => {
    if (form === undefined) return;
    change({ form: undefined }, true);
    if (form === 'event' && asOf.value === undefined) newEvent();
  }, [form]);
};

export const Calendar = () => {
  useCommands('Calendar', commands);
  const scroll = useLeftAt();
  useAskedForm();
  const error = events.error.value ?? waiting.error.value;
  return (
    <section class="calendar" data-stale={events.stale.value ? '' : undefined}>
      <Toolbar />
      {error !== undefined && <Failure error={error} />}
      <Welcome />
      {view.value === 'month' ? <Month /> : view.value === 'agenda' ? <Agenda /> : <TimeGrid scroll={scroll} />}
      <Elsewhere />
      <Details />
    </section>
  );
};
