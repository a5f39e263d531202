/** Routes under /calendar: create, list, change and remove events, find free and busy time, export and import .ics. */
import { z } from 'zod';
import { AtKey, readCursor, UidKey, writeCursor } from '../http/cursors.ts';
import { ifMatch } from '../http/preconditions.ts';
import { reply, route, routes, Stream, type Route } from '../http/route.ts';
import { Uid, Zone } from '../domain/record/field-shapes.ts';
import { AsOf, UserId } from '../http/shapes.ts';
import type { LedgerPositions } from '../ledger/ledger-position.ts';
import { CALENDAR_TYPE, feedRoutes, type FeedRoutesDeps } from './feed-routes.ts';
import {
  EditBody,
  Event,
  EventsQuery,
  File,
  FreeBusyAnswer,
  FreeBusyQuery,
  ImportReport,
  NewEventIn,
  Occurrence,
  RemoveQuery,
  SlotsAnswer,
  SlotsQuery,
} from './schemas.ts';

/** The values of the cursor: start, uid and recurrence_id of the last occurrence, and the window. */
const OccurrenceKey = z.tuple([AtKey, UidKey, z.union([AtKey, z.literal('')]), z.string().max(64)]);

/** The charset that a Content-Type header names. */
const charsetOf = (type: string | undefined): string | undefined => /;\s*charset="?([^";\s]+)/i.exec(type ?? '')?.[1];

export const calendarRoutes = (deps: FeedRoutesDeps & { positions: LedgerPositions }): Route[] => {
  const { calendar, positions } = deps;
  return [...eventRoutes(calendar, positions), ...feedRoutes(deps)];
};

const eventRoutes = (calendar: FeedRoutesDeps['calendar'], positions: LedgerPositions): Route[] =>
  routes('calendar', [
    route({
      method: 'post',
      path: '/calendar/create',
      summary: 'Create an event',
      description:
        'A person may book a time twice; an agent’s block on that time gives way, and its plan returns to the queue. The same uid with the same body is the same answer again; with another body 409.',
      scopes: ['calendar:write'],
      body: NewEventIn,
      response: Event,
      status: 201,
      examples: {
        body: {
          title: 'Call with the supplier',
          scheduled_for: '2026-11-27T15:30',
          duration_minutes: 20,
          timezone: 'Europe/Berlin',
          task_id: 'contract',
        },
      },
      handler: async ({ caller, body }) => {
        const event = await calendar.create(caller, body);
        return reply(event, { etag: event.version });
      },
    }),
    route({
      method: 'get',
      path: '/calendar/events',
      summary: 'List what happens in a window',
      description:
        'Occurrences overlapping the window, sorted by time; those of a series with its uid and their recurrence_id. Both ends are included. A walk with the cursor shows the calendar as it was at the first page.',
      scopes: ['calendar:read'],
      query: EventsQuery,
      response: z.array(Occurrence),
      pages: true,
      handler: async ({ caller, query }) => {
        const { cursor, limit: _, ...question } = query;
        const { items, at, next } = await calendar.events(
          caller,
          query,
          await positions.checked(caller.user_id, readCursor(question, cursor, OccurrenceKey)),
        );
        return reply(items, {
          next: next && writeCursor(question, await positions.sealed(caller.user_id, next)),
          headers: { 'Almanac-As-Of-Seq': String(at) },
        });
      },
    }),
    route({
      method: 'get',
      path: '/calendar/event',
      summary: 'Read one event',
      description: 'A series as a whole, with its changed occurrences under `overrides`.',
      scopes: ['calendar:read'],
      query: z.strictObject({ user_id: UserId, uid: Uid, as_of: AsOf }),
      response: Event,
      handler: async ({ caller, query }) => {
        const event = await calendar.event(caller, query.uid, query.as_of);
        return reply(event, { etag: event.version });
      },
    }),
    route({
      method: 'patch',
      path: '/calendar/edit',
      summary: 'Change an event',
      description:
        'Of a series with scope this, following or all. `following` splits it and answers the new series; split_from and split_to link the two. `all` with a recurrence_id and a new start moves every occurrence by as much. If-Match guards against a stale write (412).',
      scopes: ['calendar:write'],
      body: EditBody,
      response: Event,
      examples: {
        body: { uid: '0199f0f0-0000-7000-8000-000000000000', updates: { scheduled_for: '2026-11-27T16:00' } },
      },
      handler: async ({ caller, body, request }) => {
        const event = await calendar.edit(caller, body, ifMatch(request));
        return reply(event, { etag: event.version });
      },
    }),
    route({
      method: 'delete',
      path: '/calendar/remove',
      summary: 'Remove an event',
      description: 'Of a series with scope this, following or all. If-Match guards against a stale write (412).',
      scopes: ['calendar:write'],
      query: RemoveQuery,
      response: z.object({ message: z.string(), uid: z.string() }),
      handler: async ({ caller, query, request }) => {
        const event = await calendar.remove(caller, query, ifMatch(request));
        return {
          message: event.removed ? `Removed “${event.title}”.` : `Removed from the series “${event.title}”.`,
          uid: event.uid,
        };
      },
    }),
    route({
      method: 'get',
      path: '/calendar/slots',
      summary: 'Find free time',
      description:
        'Free slots within the tempo hours, best first, each with its reasons. Where there is none, `why` and `rejected` say why not. Occurrences of series count as busy, however far ahead.',
      scopes: ['calendar:read'],
      query: SlotsQuery,
      response: SlotsAnswer,
      handler: ({ caller, query }) => calendar.slots(caller, query),
    }),
    route({
      method: 'get',
      path: '/calendar/freebusy',
      summary: 'List busy and free time',
      description:
        'Busy time merged, occurrences of series among it. With Accept: text/calendar the same as a VFREEBUSY component.',
      scopes: ['calendar:read'],
      query: FreeBusyQuery,
      response: FreeBusyAnswer,
      produces: ['text/calendar'],
      handler: async ({ caller, query, request }) => {
        const answer = await calendar.freebusy(caller, query);
        return request.header('accept')?.toLowerCase().includes('text/calendar')
          ? new Stream(CALENDAR_TYPE, calendar.freebusyText(caller, answer))
          : answer;
      },
    }),
    route({
      method: 'get',
      path: '/calendar/export.ics',
      summary: 'Download the calendar as .ics',
      description: 'All of it, or the events and series that overlap a window.',
      scopes: ['calendar:read'],
      query: FreeBusyQuery,
      response: z.string(),
      produces: ['text/calendar'],
      handler: async ({ caller, query }) =>
        new Stream(CALENDAR_TYPE, await calendar.exportText(caller, query), {
          headers: { 'Content-Disposition': 'attachment; filename="almanac.ics"' },
        }),
    }),
    route({
      method: 'post',
      path: '/calendar/import',
      summary: 'Import an .ics file',
      description:
        'Idempotent by UID and RECURRENCE-ID: an event is changed only by a SEQUENCE that is not older. What becomes of each component is told, with its line and why; the good ones go in. Where nothing is good, the answer is 422 `nothing_imported` with the same report. UTF-8 or UTF-16, else the charset named; plain or gzip, deflate, br encoded; at most 20,000 events.',
      scopes: ['calendar:write'],
      query: z.strictObject({
        user_id: UserId,
        timezone: Zone.optional().describe('Zone of floating times and all-day events; default the user’s.'),
      }),
      body: File,
      accepts: { types: ['text/calendar'], limit: '16mb', bytes: true },
      concurrency_cost: 24,
      response: ImportReport,
      handler: ({ caller, query, body, request }) => {
        const charset = charsetOf(request.header('content-type'));
        return calendar.importFile(caller, { bytes: body, charset }, query.timezone ?? caller.zone);
      },
    }),
  ]);
