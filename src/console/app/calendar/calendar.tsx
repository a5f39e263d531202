/**
 * The calendar. It is our own: FullCalendar 7 brings a second Preact (version 10), EventCalendar 5 a second framework, and in
 * Schedule-X 4 resizing is sold. None of them moves a block by keys, and all compute with instants, where ours uses wall times.
 */
import { useEffect, useLayoutEffect, useRef } from 'preact/hooks';
import { asOf, change, go } from '../state/address.ts';
import { useCommands, type Command } from '../state/commands.ts';
import { waiting } from '../state/data.ts';
import { firstStart } from '../state/series.ts';
import { addDays, longDate, monthName, shortDate, today, wallOf } from '../state/wall-time.ts';
import { Failure } from '../ui/failure.tsx';
import { ProposalCard } from '../ui/proposal-card.tsx';
import { blocks, day, events, isNarrow, overlapping, proposals, shown, view, VIEWS, type View } from './blocks.ts';
import { close, opened, pin, stay, unhover } from './card.ts';
import { asking, moveEvent, putBack, type Scope } from './drag.ts';
import { EventCard, NewEvent } from './event-card.tsx';
import { Agenda, Month } from './month-and-agenda.tsx';
import { TimeGrid } from './time-grid.tsx';
import { Welcome } from './welcome.tsx';

const NAMES: Record<View, string> = { day: 'Day', week: 'Week', month: 'Month', agenda: 'List' };

const step = (by: 1 | -1): string => {
  if (view.value === 'day') return addDays(day.value, by);
  if (view.value === 'week') return addDays(day.value, 7 * by);
  if (view.value === 'agenda') return addDays(day.value, shown.value.days * by);
  const [year = 0, month = 1] = day.value.split('-').map(Number);
  return new Date(Date.UTC(year, month - 1 + by, 1)).toISOString().slice(0, 10);
};

const heading = (): string => {
  const { first, days } = shown.value;
  if (view.value === 'day') return longDate(first);
  if (view.value === 'month') return monthName(day.value);
  return `${shortDate(first)} – ${shortDate(addDays(first, days - 1))}`;
};

const newEvent = (): void => {
  const { minutes } = wallOf(Date.now());
  const start = { date: day.value, minutes: Math.min(23, Math.floor(minutes / 60) + 1) * 60 };
  pin({ key: 'new', at: new DOMRect(innerWidth / 2 - 160, 120, 1, 1), draft: { start, minutes: 30 } });
};

/** Proposals that the shown days do not have would otherwise be overlooked. */
const Elsewhere = () => {
  const { first, days } = shown.value;
  const last = addDays(first, days);
  const later = proposals.value.map((plan) => wallOf(firstStart(plan) as string).date).filter((date) => date >= last);
  const [next] = later.toSorted();
  if (next === undefined) return null;
  return (
    <button type="button" onClick={() => change({ date: next })}>
      {later.length === 1 ? '1 proposal' : `${later.length} proposals`} later: {shortDate(next)} ›
    </button>
  );
};

const Toolbar = () => (
  <div class="toolbar">
    <h1>{heading()}</h1>
    <Elsewhere />
    <div class="group">
      <button type="button" aria-label="Earlier" onClick={() => change({ date: step(-1) })}>
        ‹
      </button>
      <button type="button" onClick={() => change({ date: undefined })} aria-disabled={day.value === today()}>
        Today
      </button>
      <button type="button" aria-label="Later" onClick={() => change({ date: step(1) })}>
        ›
      </button>
    </div>
    <div class="group" role="group" aria-label="View">
      {VIEWS.map((one) => (
        <button key={one} type="button" aria-pressed={view.value === one} onClick={() => change({ view: one })}>
          {NAMES[one]}
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

/** Beside the block where there is space, else above the edge of the window. */
const placeOf = (at: DOMRect, card: HTMLElement): { left: string; top: string } => {
  const { offsetWidth: width, offsetHeight: height } = card;
  const right = at.right + 8;
  const left = right + width < innerWidth - 8 ? right : Math.max(8, at.left - width - 8);
  return { left: `${left}px`, top: `${Math.max(8, Math.min(at.top, innerHeight - height - 12))}px` };
};

const Content = () => {
  const { value: open } = opened;
  if (!open) return null;
  if (open.draft) return <NewEvent {...open.draft} onDone={leave} />;
  const block = blocks.value.find(({ key }) => key === open.key);
  // Somebody else has decided or removed it meanwhile.
  if (!block) return <p>This is no longer on the calendar.</p>;
  if (block.kind === 'event') return <EventCard event={block.event} onDone={leave} />;
  return (
    <ProposalCard
      plan={block.plan}
      moved={open.moved}
      overlaps={overlapping(block.plan)}
      inView={shown.value}
      onDone={leave}
    />
  );
};

const leave = (): void => {
  const { value: open } = opened;
  if (!open) return;
  putBack(open.moves ?? open.key);
  close();
};

/** The card may not have the focus yet. */
const onEscape = (event: KeyboardEvent): void => {
  if (event.key === 'Escape' && !document.querySelector('dialog[open]')) leave();
};

const Card = () => {
  const { value: open } = opened;
  const card = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    if (open && card.current && !isNarrow.value) Object.assign(card.current.style, placeOf(open.at, card.current));
  });
  useEffect(() => {
    if (!open?.pinned) return;
    card.current?.querySelector<HTMLElement>('[data-first], button.primary, button')?.focus();
  }, [open?.key, open?.pinned]);
  if (!open) return null;
  return (
    <div class="card" ref={card} role="dialog" aria-label="Details" onPointerEnter={stay} onPointerLeave={unhover}>
      <button type="button" class="plain close" aria-label="Close" onClick={leave}>
        ×
      </button>
      <Content />
    </div>
  );
};

const SCOPES: [Scope, string][] = [
  ['this', 'This occurrence'],
  ['following', 'This and all later ones'],
  ['all', 'The whole series'],
];

/** A drag of an occurrence moves it only after this answer. */
const WhichOfSeries = () => {
  const dialog = useRef<HTMLDialogElement>(null);
  const { value } = asking;
  useEffect(() => {
    if (value) dialog.current?.showModal();
    else dialog.current?.close();
  }, [value]);
  return (
    <dialog ref={dialog} aria-label="Which of the series?" onClose={() => (asking.value = undefined)}>
      {value && (
        <>
          <p>Which of the series do you want to move?</p>
          <div class="buttons">
            {SCOPES.map(([scope, name]) => (
              <button
                key={scope}
                type="button"
                onClick={() => {
                  asking.value = undefined;
                  void moveEvent(value.event, value.start, value.minutes, scope);
                }}
              >
                {name}
              </button>
            ))}
            <button type="button" onClick={() => (asking.value = undefined)}>
              None
            </button>
          </div>
        </>
      )}
    </dialog>
  );
};

const commands = (): Command[] => [
  { keys: 't', name: 'Go to today', run: () => change({ date: undefined }) },
  { keys: 'd', name: 'Show a day', run: () => change({ view: 'day' }) },
  { keys: 'w', name: 'Show a week', run: () => change({ view: 'week' }) },
  { keys: 'm', name: 'Show a month', run: () => change({ view: 'month' }) },
  { keys: 'l', name: 'Show a list', run: () => change({ view: 'agenda' }) },
  ...(asOf.value === undefined ? [{ keys: 'n', name: 'New event', run: newEvent }] : []),
  { keys: 'j', name: 'Later', run: () => change({ date: step(1) }) },
  { keys: 'k', name: 'Earlier', run: () => change({ date: step(-1) }) },
  { keys: 'q', name: 'Go to the queue', run: () => go('queue'), onlyKey: true },
];

const onOutside = (event: PointerEvent): void => {
  const target = event.target as Element;
  if (opened.value?.pinned && !target.closest('.card, .block, .chip, .line, .messages')) {
    putBack(opened.value.moves ?? opened.value.key);
    opened.value = undefined;
  }
};

export const Calendar = () => {
  useCommands('Calendar', commands);
  useEffect(() => {
    addEventListener('pointerdown', onOutside);
    addEventListener('keydown', onEscape);
    return () => {
      removeEventListener('keydown', onEscape);
      removeEventListener('pointerdown', onOutside);
      opened.value = undefined;
    };
  }, []);
  const error = events.error.value ?? waiting.error.value;
  return (
    <section class="calendar" data-stale={events.stale.value ? '' : undefined}>
      <Toolbar />
      {error !== undefined && <Failure error={error} />}
      <Welcome />
      {view.value === 'month' ? <Month /> : view.value === 'agenda' ? <Agenda /> : <TimeGrid />}
      <Card />
      <WhichOfSeries />
    </section>
  );
};
