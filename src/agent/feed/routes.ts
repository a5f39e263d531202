/** Routes of the feed of agents' proposals, whose key is in the URL, and of the page that its links open. */
import { z } from 'zod';
import { feedAnswer, feedCredential } from '../../calendar/ics/feed-routes.ts';
import { onBehalfOf } from '../../common/fair-shares.ts';
import { Problem } from '../../common/problem.ts';
import { renderProblem } from '../../http/problems/json.ts';
import { MIB, route, routes, Stream, type RequestFacts, type Route } from '../../http/route.ts';
import { TimeIn } from '../../domain/record/field-shapes.ts';
import type { Authenticate } from '../../user/authenticate.ts';
import { problemPage, proposalPage, type Page } from './decision-page.ts';
import type { Proposals } from './feed.ts';

const PAGE_TYPE = 'text/html; charset=utf-8';
const FORM_TYPE = 'application/x-www-form-urlencoded';

const Token = z.string().min(1).max(4_000);
/** A browser sends an empty field too. */
const Start = z.union([z.literal('').transform(() => undefined), TimeIn]).optional();
const Form = z.strictObject({ token: Token, note: z.string().max(1_000).optional(), scheduled_for: Start });

export type ProposalsRoutesDeps = {
  proposals: Proposals;
  authenticate: Authenticate;
  /** The URL at which people reach the service, where it is configured. */
  publicUrl: string | undefined;
};

const shown = ({ html, headers }: Page, status = 200): Stream => new Stream(PAGE_TYPE, html, { status, headers });

/** Answers a browser with a page also where a problem occurs. Programs get problem+json. */
const asPage = async (request: RequestFacts, page: () => Promise<Page>): Promise<Stream> => {
  try {
    return shown(await page());
  } catch (error) {
    if (!(error instanceof Problem) || !request.header('accept')?.includes('text/html')) throw error;
    return shown(problemPage(error), renderProblem(error, '').status);
  }
};

export const proposalsFeedRoutes = ({ proposals, authenticate, publicUrl }: ProposalsRoutesDeps): Route[] =>
  routes('calendar', [
    route({
      id: 'getProposalsFeed',
      method: 'get',
      path: '/calendar/proposals.ics',
      summary: 'Subscribe to agents’ proposals',
      description:
        'An iCalendar feed of the first 1000 proposals that have a time and wait for a decision. Each is a tentative event with its reasons, and takes no busy time. The feed key needs plan:read. If it has plan:decide too, each event has links to a page on which a person approves or rejects the proposal. Anybody who can read such a feed can decide.',
      problems: ['unauthenticated', 'account_disabled', 'insufficient_scope'],
      scopes: 'public',
      query: z.strictObject({ key: z.string().max(500) }),
      otherStatuses: [304],
      response: z.string(),
      produces: 'text/calendar',
      examples: { query: { key: 'alm_feed_...' } },
      handler: async ({ query, request }) => {
        const by = await feedCredential(authenticate, query.key, 'plan:read');
        return onBehalfOf(by.user_id, async () => {
          const { tag, text } = await proposals.feed(by, publicUrl ?? request.origin);
          return feedAnswer(request, tag, text);
        });
      },
    }),
    route({
      id: 'showProposal',
      method: 'get',
      path: '/calendar/decide',
      summary: 'Show a proposal from the feed of proposals',
      description:
        'Answers the page that a link in the feed of proposals opens. Opening it changes nothing. A browser, which accepts text/html, gets refusals as a page too.',
      problems: ['unauthenticated', 'account_disabled', 'insufficient_scope', 'plan_not_found'],
      scopes: 'public',
      query: z.strictObject({ token: Token, decision: z.enum(['approve', 'reject']).default('approve') }),
      response: z.string(),
      produces: 'text/html',
      examples: { query: { token: 'eyJ...' } },
      handler: ({ query, request }) =>
        asPage(request, async () => proposalPage(await proposals.show(query.token), query.decision)),
    }),
    route({
      id: 'decideProposal',
      method: 'post',
      path: '/calendar/decide',
      summary: 'Decide on a proposal from the feed of proposals',
      description:
        'The buttons of the page send this request. The token stands for one decision on the version that the page showed, and is valid for an hour. `note` is kept with the decision; `scheduled_for`, a wall time, approves at another time. If the plan has changed since, the answer is 412.',
      problems: [
        'unauthenticated',
        'account_disabled',
        'insufficient_scope',
        'plan_not_found',
        'event_not_found',
        'source_event',
        'illegal_transition',
        'slot_taken',
        'limit_reached',
        'series_limit',
        'part_of_swap',
        'too_many_occurrences',
        'version_mismatch',
      ],
      scopes: 'public',
      body: z
        .string()
        .max(12_000)
        .transform((text) => Object.fromEntries(new URLSearchParams(text)) as z.input<typeof Form>)
        .pipe(Form),
      accepts: { types: [FORM_TYPE], limit: MIB / 64 },
      response: z.string(),
      produces: 'text/html',
      examples: { body: 'token=eyJ...' },
      handler: ({ body, request }) =>
        asPage(request, async () => proposalPage(await proposals.decide(body.token, body), 'approve')),
    }),
  ]);
