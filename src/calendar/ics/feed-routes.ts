/** The route of the calendar feed for other programs, whose key is in the URL, and what the feed of proposals shares with it. */
import { z } from 'zod';
import type { Scope } from '../../domain/access/caller.ts';
import { onBehalfOf } from '../../common/fair-shares.ts';
import { checkScopes } from '../../http/perform.ts';
import { isKnown } from '../../http/preconditions.ts';
import { route, routes, Stream, type RequestFacts, type Route } from '../../http/route.ts';
import type { Authenticate, Credential } from '../../user/authenticate.ts';
import type { CalendarService } from '../service.ts';

export const CALENDAR_TYPE = 'text/calendar; charset=utf-8';

export type FeedRoutesDeps = { calendar: CalendarService; authenticate: Authenticate };

/** The credential of a feed key that has the scope. @throws 401, 403 */
export const feedCredential = async (authenticate: Authenticate, key: string, scope: Scope): Promise<Credential> => {
  const by = await authenticate.feed(key);
  checkScopes([scope], by.scopes);
  return by;
};

/** Answers a feed, or 304 where the program has it already. */
export const feedAnswer = async (
  request: RequestFacts,
  tag: string,
  text: () => Promise<AsyncIterable<string>>,
): Promise<Stream> => {
  const known = isKnown(request, tag);
  return new Stream(CALENDAR_TYPE, known ? '' : await text(), {
    status: known ? 304 : 200,
    etag: tag,
    headers: { 'Cache-Control': 'private, no-cache' },
  });
};

export const feedRoutes = ({ calendar, authenticate }: FeedRoutesDeps): Route[] =>
  routes('calendar', [
    route({
      id: 'getCalendarFeed',
      method: 'get',
      path: '/calendar/feed.ics',
      summary: 'Subscribe to the calendar',
      description:
        'An iCalendar feed for calendar programs. The address contains a key of the kind feed (POST /user/keys); revoke the key to close the feed. The answer has an ETag, and a repeated request can get 304.',
      problems: ['unauthenticated', 'account_disabled', 'insufficient_scope'],
      scopes: 'public',
      query: z.strictObject({ key: z.string().max(500) }),
      otherStatuses: [304],
      response: z.string(),
      produces: 'text/calendar',
      examples: { query: { key: 'alm_feed_...' } },
      handler: async ({ query, request }) => {
        const { user_id } = await feedCredential(authenticate, query.key, 'calendar:read');
        return onBehalfOf(user_id, async () => {
          const { tag, text } = await calendar.feed(user_id);
          return feedAnswer(request, tag, text);
        });
      },
    }),
  ]);
