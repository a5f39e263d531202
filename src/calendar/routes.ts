/** Routes under /calendar: create, list, change and remove events, find free and busy time, export and import .ics. */
import { z } from 'zod';
import { AtKey, readCursor, UidKey, writeCursor } from '../http/cursors.ts';
import { ifMatch } from '../http/preconditions.ts';
import { MIB, reply, route, routes, Stream, type Route } from '../http/route.ts';
import type { Caller } from '../domain/access/caller.ts';
import type { ItemOutcome } from '../observability/problem-per-item.ts';
import { problemItem } from '../http/problems/json.ts';
import { Uid, Zone } from '../domain/record/field-shapes.ts';
import { AsOf, UserId } from '../http/shapes.ts';
import type { LedgerPositions } from '../ledger/ledger-position.ts';
import { CALENDAR_TYPE, feedRoutes, type FeedRoutesDeps } from './ics/feed-routes.ts';
import { charsetOf } from './ics/import.ts';
import { sourceRoutes } from './sources/routes.ts';
import {
  EditBody,
  Event,
  EventResult,
  type EventEdit,
  type EventResource,
  EventsQuery,
  File,
  FreeBusyAnswer,
  FreeBusyQuery,
  ImportReport,
  NewEventIn,
  Occurrence,
  RemoveBody,
  UndoAnswer,
  UndoBody,
  RemoveQuery,
  SlotsAnswer,
  SlotsQuery,
} from './schemas.ts';

/** The values of the cursor: start, uid and recurrence_id of the last occurrence, and the window. */
const OccurrenceKey = z.tuple([AtKey, UidKey, z.union([AtKey, z.literal('')]), z.string().max(64)]);

/** A file with one event. */
const FILE = [
  ...['BEGIN:VCALENDAR', 'VERSION:2.0', 'PRODID:-//Example//EN', 'BEGIN:VEVENT', 'UID:dentist@example.org'],
  ...['DTSTAMP:20261101T090000Z', 'DTSTART:20261203T140000Z', 'DURATION:PT30M', 'SUMMARY:Dentist'],
  ...['END:VEVENT', 'END:VCALENDAR', ''],
].join('\r\n');

/** The answer about several events: the new version of each, or why it was refused. */
const results = (outcomes: ItemOutcome<{ uid: string }, EventResource>[], { request_id }: Caller) =>
  outcomes.map(({ item: { uid }, value, problem }) =>
    problem ? { uid, ...problemItem(problem, request_id) } : { uid, status: 200, event: value as EventResource },
  );

export const calendarRoutes = (deps: FeedRoutesDeps & { positions: LedgerPositions }): Route[] => {
  const { calendar, positions } = deps;
  return [...eventRoutes(calendar, positions), ...sourceRoutes(calendar), ...feedRoutes(deps)];
};

// oxlint-disable-next-line eslint/max-lines-per-function -- This is a table of routes.
const eventRoutes = (calendar: FeedRoutesDeps['calendar'], positions: LedgerPositions): Route[] =>
  routes('calendar', [
    route({
      id: 'createEvent',
      method: 'post',
      path: '/calendar/create',
      summary: 'Create an event',
      description:
        'Creates an event. A person may book a time twice. If an agent’s block is at that time, it is removed and its plan is proposed again. Sending the same uid again with the same body from the same credential gives the same answer; with another body the answer is 409.',
      problems: ['uid_taken', 'slot_taken', 'series_limit'],
      scopes: ['calendar:write'],
      body: NewEventIn,
      response: Event,
      status: 201,
      examples: {
        body: {
          uid: 'supplier-call',
          title: 'Call with the supplier',
          scheduled_for: '2026-11-26T15:30',
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
      id: 'listEvents',
      method: 'get',
      path: '/calendar/events',
      summary: 'List events in a window',
      description:
        'Lists events and occurrences that overlap the window, sorted by time. An occurrence has the uid of its series and its own recurrence_id. Both ends of the window are included. Following pages show the calendar as it was at the first page.',
      problems: ['too_many_occurrences', 'cursor_gone'],
      scopes: ['calendar:read'],
      query: EventsQuery,
      response: z.array(Occurrence),
      list: 'counted',
      examples: { query: { start: '2026-11-26', end: '2026-11-26' } },
      handler: async ({ caller, query }) => {
        const { cursor, limit: _, ...question } = query;
        const { items, at, next, count } = await calendar.events(
          caller,
          query,
          await positions.checked(caller.user_id, readCursor(question, cursor, OccurrenceKey)),
        );
        return reply(items, {
          next: next && writeCursor(question, await positions.sealed(caller.user_id, next)),
          headers: { 'Almanac-As-Of-Seq': String(at) },
          at,
          count,
        });
      },
    }),
    route({
      id: 'getEvent',
      method: 'get',
      path: '/calendar/event',
      summary: 'Read one event',
      description: 'Answers an event. A series has its changed occurrences in `overrides`.',
      problems: ['event_not_found'],
      scopes: ['calendar:read'],
      query: z.strictObject({ user_id: UserId, uid: Uid, as_of: AsOf }),
      response: Event,
      examples: { query: { uid: 'supplier-call' } },
      handler: async ({ caller, query }) => {
        const event = await calendar.event(caller, query.uid, query.as_of);
        return reply(event, { etag: event.version });
      },
    }),
    route({
      id: 'editEvent',
      method: 'patch',
      path: '/calendar/edit',
      summary: 'Change an event',
      description:
        'Changes an event. For a series, the scope is this, following or all. `following` splits the series and answers the new one; split_from and split_to link both. `all` with a recurrence_id and a new start moves every occurrence by the same amount. With If-Match, a change of an older version is 412. `edits` changes several events, each by itself, and answers the result of each.',
      problems: ['event_not_found', 'source_event', 'slot_taken', 'series_limit', 'redacted_field', 'version_mismatch'],
      scopes: ['calendar:write', 'calendar:read'],
      body: EditBody,
      response: z.union([Event, z.array(EventResult)]),
      examples: { body: { uid: 'supplier-call', updates: { scheduled_for: '2026-11-26T16:00' } } },
      handler: async ({ caller, body, request }) => {
        if (body.edits) return results(await calendar.editEach(caller, body.edits), caller);
        const event = await calendar.edit(caller, body as EventEdit, ifMatch(request));
        return reply(event, { etag: event.version });
      },
    }),
    route({
      id: 'removeEvent',
      method: 'delete',
      path: '/calendar/remove',
      summary: 'Remove an event',
      description:
        'Removes an event. For a series, the scope is this, following or all. With If-Match, the removal of an older version is 412.',
      problems: ['event_not_found', 'source_event', 'version_mismatch'],
      scopes: ['calendar:write'],
      query: RemoveQuery,
      response: z.object({
        message: z.string(),
        uid: z.string(),
        seq: z.int().describe('The ledger seq of the removal, by which POST /calendar/undo takes it back.'),
      }),
      examples: { query: { uid: 'supplier-call' } },
      handler: async ({ caller, query, request }) => {
        const { removed, title, uid, seq } = await calendar.remove(caller, query, ifMatch(request));
        const named = caller.scopes.has('calendar:read') ? ` “${title}”` : '';
        return { message: removed ? `Removed${named || ' the event'}.` : `Removed from the series${named}.`, uid, seq };
      },
    }),
    route({
      id: 'removeEvents',
      method: 'post',
      path: '/calendar/remove',
      summary: 'Remove several events',
      description: 'Removes up to 100 events, each by itself, and answers the result of each, with its last version.',
      problems: [],
      scopes: ['calendar:write', 'calendar:read'],
      body: RemoveBody,
      response: z.array(EventResult),
      examples: { body: { removals: [{ uid: 'standup', recurrence_id: '2026-11-27T09:00' }, { uid: 'not-there' }] } },
      handler: async ({ caller, body }) => results(await calendar.removeEach(caller, body.removals), caller),
    }),
    route({
      id: 'undoCalendar',
      method: 'post',
      path: '/calendar/undo',
      summary: 'Take a change of the calendar back',
      description:
        'Takes back what a person created, changed or removed: an event, an occurrence or a series, with all that followed from it in the same write. What agents had on the calendar at that time is there again, and the proposals that were made instead are withdrawn. Where an event was changed since, nothing changes (409 changed_since). An import is written in pieces, and each is taken back by itself. `simulate` answers the same and changes nothing.',
      problems: ['changed_since', 'not_undoable', 'slot_taken', 'series_limit', 'seq_gone'],
      scopes: ['calendar:write', 'calendar:read'],
      body: UndoBody,
      response: UndoAnswer,
      examples: { body: { seq: 12 } },
      handler: ({ caller, body }) => calendar.undo(caller, body.seq, body),
    }),
    route({
      id: 'findSlots',
      method: 'get',
      path: '/calendar/slots',
      summary: 'Find free slots',
      description:
        'Lists free slots in the tempo hours, best first, each with its reasons. If there is none, `why` and `rejected` give the reasons. All occurrences of recurring events count as busy.',
      problems: ['too_many_occurrences'],
      scopes: ['calendar:read'],
      query: SlotsQuery,
      response: SlotsAnswer,
      examples: { query: { start: '2026-11-26', end: '2026-11-26', duration_minutes: 90, limit: 2 } },
      handler: ({ caller, query }) => calendar.slots(caller, query),
    }),
    route({
      id: 'getFreeBusy',
      method: 'get',
      path: '/calendar/freebusy',
      summary: 'List busy time',
      description:
        'Lists busy time in merged intervals, including occurrences of recurring events. With Accept: text/calendar the answer is a VFREEBUSY component (RFC 5545).',
      problems: ['too_many_occurrences'],
      scopes: ['calendar:read'],
      query: FreeBusyQuery,
      response: FreeBusyAnswer,
      onAccept: { 'text/calendar': z.string() },
      examples: { query: { start: '2026-11-26', end: '2026-11-27' } },
      handler: async ({ caller, query, request }) => {
        const answer = await calendar.freebusy(caller, query);
        return request.header('accept')?.toLowerCase().includes('text/calendar')
          ? new Stream(CALENDAR_TYPE, calendar.freebusyText(caller, answer))
          : answer;
      },
    }),
    route({
      id: 'exportCalendar',
      method: 'get',
      path: '/calendar/export.ics',
      summary: 'Download the calendar as .ics',
      description:
        'Answers the whole calendar as an iCalendar file (RFC 5545), or the events and series that overlap a window.',
      // The whole calendar is in memory until it is written.
      concurrency_cost: 8,
      scopes: ['calendar:read'],
      query: FreeBusyQuery,
      response: z.string(),
      produces: 'text/calendar',
      examples: { query: { start: '2026-11-26', end: '2026-12-31' } },
      handler: async ({ caller, query }) =>
        new Stream(CALENDAR_TYPE, await calendar.exportText(caller, query), {
          headers: { 'Content-Disposition': 'attachment; filename="almanac.ics"' },
        }),
    }),
    route({
      id: 'importCalendar',
      method: 'post',
      path: '/calendar/import',
      summary: 'Import an .ics file',
      description:
        'Imports an iCalendar file (RFC 5545) with at most 20,000 events. The import is idempotent by UID and RECURRENCE-ID: a component changes an existing event only if its SEQUENCE is not lower. Valid components are imported; the report names the result of each component with its line and the reason. If nothing can be imported, the answer is 422 `nothing_imported` with the same report. The file is UTF-8, UTF-16 or in the charset of Content-Type, and may be encoded with gzip, deflate or br.',
      problems: ['nothing_imported'],
      scopes: ['calendar:write'],
      query: z.strictObject({
        user_id: UserId,
        timezone: Zone.optional().describe(
          'The time zone of floating times and all-day events; by default that of the user.',
        ),
      }),
      body: File,
      accepts: { types: ['text/calendar'], limit: 16 * MIB, bytes: true },
      concurrency_cost: 24,
      response: ImportReport,
      examples: { text: FILE },
      handler: ({ caller, query, body, request }) => {
        const charset = charsetOf(request.header('content-type'));
        return calendar.importFile(caller, { bytes: body, charset }, query.timezone ?? caller.zone);
      },
    }),
  ]);
