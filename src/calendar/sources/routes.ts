/** Routes under /calendar/sources: other calendars whose events are read. */
import { z } from 'zod';
import { route, routes, type Route } from '../../http/route.ts';
import { textPage } from '../../http/pages/text-pages.ts';
import { MadeSource, MAX_SOURCES, NewSource, Source, SourceEdit, SourceRef, SourcesQuery } from './schemas.ts';
import type { Sources } from './sources.ts';

export const sourceRoutes = ({ sources }: { sources: Sources }): Route[] =>
  routes('calendar', [
    route({
      id: 'createSource',
      method: 'post',
      path: '/calendar/sources',
      summary: 'Subscribe to another calendar',
      description: `Reads the .ics file at an address now and from then on at an interval, so that agents plan around the events of other calendars. Its events are listed with their \`source_uid\`, count as busy, and cannot be changed here (409 \`source_event\`). An agent’s block that one of them overlaps is removed, and its plan is proposed again. What disappears from the file is removed here. Feeds and exports of the calendar leave these events out, because they are in the other calendar already. A file has at most 16 MiB and 20,000 events; a user has at most ${MAX_SOURCES} sources.`,
      scopes: ['calendar:write'],
      body: NewSource,
      response: MadeSource,
      status: 201,
      secret: true,
      problems: ['too_many_sources'],
      examples: {
        body: {
          url: 'https://calendar.google.com/calendar/ical/ada%40example.org/private-0123456789abcdef/basic.ics',
          name: 'Work',
        },
      },
      handler: ({ caller, body }) => sources.make(caller, body),
    }),
    route({
      id: 'listSources',
      method: 'get',
      path: '/calendar/sources',
      summary: 'List the calendars that are read, with their state',
      scopes: ['calendar:read'],
      query: SourcesQuery,
      response: z.array(Source),
      list: 'counted',
      examples: { query: { limit: 10 } },
      handler: ({ caller: { user_id }, query }) =>
        textPage(query, {
          name: 'sources',
          keyOf: ({ id }) => id,
          read: (after, limit) => sources.list(user_id, after, limit),
          count: () => sources.count(user_id),
        }),
    }),
    route({
      id: 'updateSource',
      method: 'patch',
      path: '/calendar/sources',
      summary: 'Change a calendar that is read',
      description: 'Changes a source. With another address, or another `busy`, the whole file is read again at once.',
      scopes: ['calendar:write', 'calendar:read'],
      body: SourceEdit,
      response: Source,
      problems: ['source_not_found'],
      examples: { body: { id: '0199f0f0-0000-7000-8000-000000000000', updates: { color: '#3366cc' } } },
      handler: ({ caller, body }) => sources.update(caller, body),
    }),
    route({
      id: 'removeSource',
      method: 'delete',
      path: '/calendar/sources',
      summary: 'Stop reading a calendar and remove its events',
      description: 'Removes a source with its events. Their history stays.',
      scopes: ['calendar:write'],
      query: SourceRef,
      response: z.object({ id: z.string(), removed: z.literal(true) }),
      problems: ['source_not_found'],
      examples: { query: { id: '0199f0f0-0000-7000-8000-000000000000' } },
      handler: ({ caller, query }) => sources.remove(caller, query.id),
    }),
    route({
      id: 'refreshSource',
      method: 'post',
      path: '/calendar/sources/refresh',
      summary: 'Read a calendar again now',
      description:
        'Makes a source due, so that an instance reads the whole file within seconds. The list shows when it was read.',
      scopes: ['calendar:write', 'calendar:read'],
      body: SourceRef,
      response: Source,
      status: 202,
      problems: ['source_not_found'],
      examples: { body: { id: '0199f0f0-0000-7000-8000-000000000000' } },
      handler: ({ caller, body }) => sources.refreshNow(caller, body.id),
    }),
  ]);
