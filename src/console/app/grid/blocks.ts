/** What the calendar shows: events, and the waiting proposals as ghosts, in wall time. */
import { computed, effect, signal } from '@preact/signals';
import type { Occurrence } from '../../../client/almanac-client.ts';
import { asOf, parameter, screen } from '../state/address.ts';
import { showsForeign, waiting, type Waiting } from '../state/data.ts';
import { deciding } from '../state/decide.ts';
import { resource } from '../state/resource.ts';
import { cancels, isAllDay, occurrencesIn, repeats } from '../state/series.ts';
import { client } from '../state/service.ts';
import { addDays, addMinutes, daysBetween, startOfWeek, today, wallOf, type Wall } from '../state/wall-time.ts';
import { keyOf, targetOf } from './targets.ts';

export const VIEWS = ['day', 'week', 'month', 'agenda'] as const;
export type View = (typeof VIEWS)[number];
/** Beside the chat, and instead of a week where the window is narrow. */
const FEW_DAYS = 3;

const narrow = matchMedia('(max-width: 700px)');
export const isNarrow = signal(narrow.matches);
narrow.addEventListener('change', ({ matches }) => (isNarrow.value = matches));

export const view = computed<View | 'days'>(() => {
  if (screen.value === 'chat') return 'days';
  const asked = parameter('view') as View | undefined;
  return asked && VIEWS.includes(asked) ? asked : isNarrow.value ? 'agenda' : 'week';
});

/** In the past, the calendar begins at the day that is looked at. */
export const day = computed(() => {
  const asked = parameter('date');
  return asked !== undefined && /^\d{4}-\d{2}-\d{2}$/.test(asked) && !Number.isNaN(Date.parse(asked)) ? asked : today();
});

export type Window = { first: string; days: number };
const AGENDA_DAYS = 30;

export const shown = computed<Window>(() => {
  const date = day.value;
  if (view.value === 'day') return { first: date, days: 1 };
  if (view.value === 'days' || (view.value === 'week' && isNarrow.value)) return { first: date, days: FEW_DAYS };
  if (view.value === 'week') return { first: startOfWeek(date), days: 7 };
  if (view.value === 'agenda') return { first: date, days: AGENDA_DAYS };
  const first = startOfWeek(`${date.slice(0, 8)}01`);
  return { first, days: 42 };
});

export const events = resource(
  () => ({ start: shown.value.first, end: addDays(shown.value.first, shown.value.days - 1), as_of: asOf.value }),
  ['events', 'profile'],
  ({ start, end, as_of }) =>
    client.calendar.events({ start, end, limit: 1000, ...(as_of === undefined ? {} : { as_of }) }).all(),
);

effect(() => {
  showsForeign.value = (events.data.value ?? []).some(({ source_uid }) => source_uid !== undefined);
});

export type Block = {
  key: string;
  title: string;
  start: Wall;
  /** By the clock on the wall, also on days of 23 or 25 hours. */
  minutes: number;
  allDay: boolean;
  /** Under which name its move is kept; the occurrences of a proposed series move together. */
  moves: string;
} & ({ kind: 'event'; event: Occurrence } | { kind: 'ghost'; plan: Waiting });

export type Ghost = Block & { kind: 'ghost' };

export const endOf = ({ start, minutes }: Pick<Block, 'start' | 'minutes'>): Wall => addMinutes(start, minutes);
export const wallMinutes = (from: Wall, to: Wall): number =>
  daysBetween(from.date, to.date) * 1440 + to.minutes - from.minutes;

const DEFAULT_MINUTES = 30;

const eventBlock = (event: Occurrence): Block => {
  const { uid, recurrence_id, title, all_day } = event;
  // An all-day event is on its dates in every zone.
  const start = all_day ? { date: event.local_start.slice(0, 10), minutes: 0 } : wallOf(event.scheduled_for);
  const minutes = all_day ? event.duration_minutes : Math.max(0, wallMinutes(start, wallOf(event.end)));
  const key = keyOf(uid, recurrence_id);
  return {
    kind: 'event',
    key,
    moves: key,
    title,
    start,
    minutes,
    allDay: all_day || minutes >= 1440,
    event,
  };
};

/** By the clock on the wall: an event that lasts over a clock change ends an hour earlier or later on it. */
const wallLength = (start: Wall, at: number, minutes: number): number =>
  Math.max(0, wallMinutes(start, wallOf(at + minutes * 60_000)));

const ghostBlock = (plan: Waiting, start: Wall, at: number, key: string): Block => {
  const length = plan.duration_minutes ?? DEFAULT_MINUTES;
  return {
    kind: 'ghost',
    key,
    moves: plan.uid,
    title: plan.title,
    start,
    minutes: isAllDay(plan) ? length : wallLength(start, at, length),
    allDay: isAllDay(plan),
    plan,
  };
};

/** A drag of one occurrence changes the time of day of all. */
const ghostsOf = (plan: Waiting, { first, days }: Window): Block[] => {
  if (!repeats(plan)) {
    const at = Date.parse(plan.scheduled_for as string);
    return [ghostBlock(plan, wallOf(at), at, plan.uid)];
  }
  const moved = moving.value.get(plan.uid);
  const shift = moved ? moved.start.minutes - wallOf(plan.scheduled_for as string).minutes : 0;
  return occurrencesIn(plan, first, days).map(({ start, at }) => ({
    ...ghostBlock(plan, addMinutes(start, shift), at + shift * 60_000, `${plan.uid} ${at}`),
    ...(moved ? { minutes: moved.minutes } : {}),
  }));
};

/** Where a block is shown until the service has answered its move. */
export const moving = signal<ReadonlyMap<string, { start: Wall; minutes: number }>>(new Map());

/** Which occurrences are not shown until the service has answered their removal. */
export const leaving = signal<ReadonlySet<(one: Occurrence) => boolean>>(new Set());
const stays = (one: Occurrence): boolean =>
  one.status !== 'cancelled' && ![...leaving.value].some((isOne) => isOne(one));

/** What the last reply of the chat proposed is drawn with an outline. */
export const marked = signal<ReadonlySet<string>>(new Set());

/** The proposals that have a time, or the event that they change has one. */
export const proposals = computed(() =>
  (waiting.data.value ?? []).filter(
    (plan) => (plan.scheduled_for !== null || targetOf(plan) !== undefined) && !deciding.value.has(plan.uid),
  ),
);

const eventBlocks = computed(() => (events.data.value ?? []).filter(stays).map(eventBlock));
const eventsByKey = computed(() => new Map(eventBlocks.value.map((block) => [block.key, block])));

/** What cancels an event, or changes its texts, is drawn beside it. */
const ghostBeside = (plan: Waiting): Block[] => {
  const at = eventsByKey.value.get(targetOf(plan) ?? '');
  if (!at) return [];
  const { start, minutes, allDay } = at;
  return [{ kind: 'ghost', key: plan.uid, moves: plan.uid, title: plan.title, start, minutes, allDay, plan }];
};

const ghosts = computed<Block[]>(() =>
  proposals.value.flatMap((plan) =>
    plan.scheduled_for === null || cancels(plan) ? ghostBeside(plan) : ghostsOf(plan, shown.value),
  ),
);

export const blocks = computed<Block[]>(() => {
  const { first, days } = shown.value;
  const last = addDays(first, days);
  return [...eventBlocks.value, ...ghosts.value]
    .map((block) => ({ ...block, ...moving.value.get(block.key) }))
    .filter((block) => block.start.date < last && endOf(block).date >= first)
    .toSorted(
      (a, b) =>
        (a.start.date + 'x').localeCompare(b.start.date + 'x') ||
        a.start.minutes - b.start.minutes ||
        b.minutes - a.minutes,
    );
});
