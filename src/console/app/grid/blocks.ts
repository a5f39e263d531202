/** What the calendar shows: the days in view, their events, and the waiting proposals as ghosts. */
import { computed, effect, signal } from '@preact/signals';
import type { Occurrence } from '../../../client/almanac-client.ts';
import { asOf, NOW, parameter, screen, until } from '../state/address.ts';
import { showsForeign, waiting, type Waiting } from '../state/data.ts';
import { deciding } from '../state/decide.ts';
import { isNarrow } from '../state/narrow.ts';
import { resource } from '../state/resource.ts';
import { cancels, occurrencesIn, repeats } from '../state/series.ts';
import { pastClient } from '../state/service.ts';
import { addDays, addMinutes, startOfWeek, today, wallOf, type Wall } from '../state/wall-time.ts';
import { endOf, eventBlock, ghostBlock, type Block, type EventBlock } from './block.ts';
import { compared } from './later.ts';
import { targetOf } from './targets.ts';

export const VIEWS = ['day', 'week', 'month', 'agenda'] as const;
export type View = (typeof VIEWS)[number];
/** Beside the chat, and instead of a week where the window is narrow. */
const FEW_DAYS = 3;

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

type Shown = { start: string; end: string; as_of: string | undefined };
const shownAt = (as_of: string | undefined): Shown => ({
  ...{ start: shown.value.first, end: addDays(shown.value.first, shown.value.days - 1), as_of },
});
const readEvents = ({ start, end, as_of }: Shown): Promise<Occurrence[]> =>
  pastClient.calendar.events({ start, end, limit: 1000, ...(as_of === undefined ? {} : { as_of }) }).all();

export const events = resource(() => shownAt(asOf.value), ['events', 'profile'], readEvents);

/** The same at the later moment, where the past is compared. */
const laterEvents = resource(
  () => (until.value === undefined ? null : shownAt(until.value === NOW ? undefined : until.value)),
  ['events', 'profile'],
  readEvents,
);

effect(() => {
  showsForeign.value = (events.data.value ?? []).some(({ source_uid }) => source_uid !== undefined);
});

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

const blocksOf = (list: readonly Occurrence[] | undefined): EventBlock[] => (list ?? []).filter(stays).map(eventBlock);

const eventBlocks = computed(() => {
  const now = blocksOf(events.data.value);
  const then = until.value === undefined || laterEvents.stale.value ? undefined : laterEvents.data.value;
  return then ? compared(now, blocksOf(then)) : now;
});
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
