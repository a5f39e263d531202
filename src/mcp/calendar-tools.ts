/** Tools on the calendar. They read it; whatever should happen to it goes through propose. */
import { z } from 'zod';
import { EventsQuery, Occurrence, SlotsAnswer, SlotsQuery } from '../calendar/schemas.ts';
import { lean, leanList, page, pageOutput, tool, type Tool } from './tool.ts';

const EventItem = lean(Occurrence, [
  ...['uid', 'title', 'scheduled_for', 'end', 'local_start', 'timezone', 'all_day', 'busy', 'status', 'location'],
  ...['description', 'task_id', 'tempo_tag', 'tags', 'recurrence_id', 'rrule', 'reminders', 'origin', 'plan_uid'],
  'version',
]);

const slots = SlotsQuery.shape;

export const calendarTools: Tool[] = [
  tool({
    name: 'list_events',
    title: 'List calendar events',
    description:
      'Lists the events and occurrences of a window, by time. Use it before you speak about the person’s time, and to get the uid of an event that you want to move or cancel with propose.',
    effect: 'reads',
    routes: ['listEvents'],
    input: { ...EventsQuery.pick({ start: true, end: true, tag: true, timezone: true }).shape, ...page },
    output: { events: z.array(EventItem), ...pageOutput },
    list: 'events',
    data: true,
    run: async (query, { call }) => {
      const { body, next } = await call('listEvents', { query });
      return { events: leanList(EventItem, body), next_cursor: next };
    },
  }),
  tool({
    name: 'find_free_slots',
    title: 'Find free slots',
    description:
      'Lists free times within the person’s working hours, best first, each with its reasons; without any it says why. Use it to talk about possible times. propose chooses a slot itself where you give no time.',
    effect: 'reads',
    routes: ['findSlots'],
    input: {
      ...SlotsQuery.pick({ start: true, end: true, timezone: true, tempo_tag: true, task_id: true }).shape,
      duration_minutes: z
        .int()
        .min(1)
        .max(24 * 60)
        .optional()
        .describe(slots.duration_minutes.description ?? ''),
      limit: page.limit.default(10).describe('The largest number of slots; by default 10.'),
    },
    output: {
      slots: SlotsAnswer.shape.slots,
      why: z.string().optional().describe('Why there is no slot.'),
      rejected: z
        .array(z.object({ start: z.string(), end: z.string(), code: z.string() }))
        .optional()
        .describe('If there is no slot, the first parts of the window that could not be used.'),
    },
    list: 'slots',
    data: false,
    run: async (query, { call }) => {
      const { slots, why, rejected } = (await call('findSlots', { query })).body as z.infer<typeof SlotsAnswer>;
      if (slots.length) return { slots };
      const parts = rejected.slice(0, 10).map(({ start, end, code }) => ({ start, end, code }));
      return { slots, ...(why ? { why } : {}), rejected: parts };
    },
  }),
];
