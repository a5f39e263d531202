/**
 * Serves agents' proposals as a calendar feed with links by which a person decides. A link only opens a page, since programs
 * follow links on their own. The page's buttons carry tokens that decide, each for the version that the page shows.
 */
import jwt from 'jsonwebtoken';
import { hash } from 'node:crypto';
import { REFRESH_MINUTES } from '../calendar/ics-feed.ts';
import type { CalendarService } from '../calendar/service.ts';
import type { Clock } from '../common/clock.ts';
import type { Db } from '../db/database.ts';
import type { EventDoc } from '../domain/calendar/event-doc.ts';
import type { Caller } from '../domain/access/caller.ts';
import { cancels, rewords } from '../domain/plan/plan.ts';
import { readArguments } from '../domain/plan/plan-arguments.ts';
import { writeCalendar } from '../domain/calendar/ics/write-ics.ts';
import { localStart, type Instant } from '../domain/time/time.ts';
import type { PlanDoc } from '../domain/record/trace.ts';
import { problem } from '../common/problem.ts';
import type { Authenticate } from '../user/authenticate.ts';
import type { AgentService } from './service.ts';

const ISSUER = 'almanac';
/** The audiences of the two kinds of token. A login token has another one, so it is refused here. */
const LINK = 'almanac:proposal';
const BUTTON = 'almanac:decision';
const DAY_S = 86_400;
/**
 * A link is valid for 30 to 60 days. Its end is rounded to such a period, so that it changes the feed's text once a month at
 * most.
 */
const LINK_S = 30 * DAY_S;
const BUTTON_S = 3_600;
/** The feed holds the soonest proposals, at most this many. */
const MOST_PROPOSALS = 1_000;

export type Decision = 'approve' | 'reject';
/** A feed key as a credential: whose it is and what it may do. */
export type FeedCredential = Omit<Caller, 'request_id' | 'idempotency'>;
/** A plan, and how many other proposals want its time. */
export type Pending = PlanDoc & { conflicts_count: number };

/** A proposal with the event that it moves or cancels. The agent's own text might describe another event. */
type FeedPlan = Pending & { target: string | undefined; partner: string | undefined };

type Claims = { sub: string; key: string; plan: string; exp: number };
type ButtonClaims = Claims & { decision: Decision; version: number };

export type ProposalsDeps = {
  clock: Clock;
  secret: string;
  authenticate: Authenticate;
  /** Reads what the plans would change. */
  reads: Db;
  calendar: CalendarService;
  agent: AgentService;
};

/** What the page shows: the plan; and where it can still be decided, the event that it changes and a token for each decision. */
export type Shown = {
  plan: PlanDoc;
  zone: string;
  target?: string | undefined;
  /** The event with which it exchanges places. */
  partner?: string | undefined;
  buttons: Record<Decision, string> | null;
};

const gone = () =>
  problem(
    'unauthenticated',
    'This link is too old, or its feed key was revoked. Open the proposal in the calendar again.',
  );

export const createProposals = ({ clock, secret, authenticate, reads, calendar, agent }: ProposalsDeps) => {
  const seconds = (): number => Math.floor(clock.millis() / 1000);

  const sign = (audience: string, claims: Claims | ButtonClaims): string =>
    jwt.sign({ ...claims, iss: ISSUER, aud: audience }, secret, { algorithm: 'HS256', noTimestamp: true });

  /** Verifies a token, and that its feed key is still valid and may decide. @throws 401 */
  const open = async (audience: string, token: string): Promise<{ claims: ButtonClaims; by: FeedCredential }> => {
    const checks = { algorithms: ['HS256' as const], issuer: ISSUER, audience, clockTimestamp: seconds() };
    let claims: ButtonClaims;
    try {
      claims = jwt.verify(token, secret, checks) as unknown as ButtonClaims;
    } catch {
      throw gone();
    }
    const by = await authenticate.feedKey(claims.sub, claims.key);
    if (!by?.scopes.has('plan:decide')) throw gone();
    return { claims, by };
  };

  const period = (): number => Math.floor(seconds() / LINK_S);

  const linkTo = (by: FeedCredential, base: string, uid: string): string => {
    const claims = { sub: by.user_id, key: by.credential_id, plan: uid, exp: (period() + 2) * LINK_S };
    return `${base}/calendar/decide?token=${sign(LINK, claims)}`;
  };

  /** Writes the description. The links come first, since the agent's text below could contain links of its own. */
  const descriptionOf = (plan: FeedPlan, link: string | null): string =>
    [
      ...(link === null ? [] : [`Approve: ${link}&decision=approve`, `Reject: ${link}&decision=reject`, '']),
      ...(plan.target === undefined
        ? []
        : [`${cancels(plan) ? 'Cancels' : rewords(plan) ? 'Changes the text of' : 'Moves'} ${plan.target}.`]),
      ...(plan.partner === undefined ? [] : [`Exchanges places with ${plan.partner}; both are decided together.`]),
      ...(plan.reasoning ? [`Why: ${plan.reasoning}`] : []),
      ...(plan.content === plan.title ? [] : [plan.content]),
      ...(plan.conflicts_count ? [`Number of other proposals for this time: ${plan.conflicts_count}.`] : []),
    ].join('\n');

  const eventOf = (plan: FeedPlan, by: FeedCredential, base: string): EventDoc => {
    const link = by.scopes.has('plan:decide') && base ? linkTo(by, base, plan.uid) : null;
    const at = plan.scheduled_for as Instant;
    const zone = plan.timezone ?? by.zone;
    return {
      uid: `proposal-${plan.uid}`,
      title: plan.title,
      description: descriptionOf(plan, link) || null,
      location: null,
      url: link,
      scheduled_for: at,
      duration_minutes: plan.duration_minutes ?? 0,
      timezone: zone,
      local_start: localStart(at, zone),
      all_day: false,
      task_id: plan.task_id,
      tempo_tag: plan.tempo_tag,
      tags: plan.tags,
      status: 'tentative',
      busy: false,
      rrule: plan.rrule,
      rdates: [],
      exdates: plan.exdates,
      reminders: [],
      sequence: plan.version - 1,
      created_at: plan.recorded_at,
      updated_at: plan.updated_at,
    };
  };

  /**
   * The events that plans move or cancel, as sentences. Whoever can decide sees them; whoever only reads plans needs
   * calendar:read.
   */
  const targetsOf = async (by: FeedCredential, plans: PlanDoc[]): Promise<Map<string, string>> =>
    by.scopes.has('plan:decide') || by.scopes.has('calendar:read')
      ? calendar.inTransaction.targetTexts(
          reads,
          by.user_id,
          plans.flatMap((plan) =>
            plan.target_event_uid
              ? { uid: plan.uid, event_uid: plan.target_event_uid, recurrence_id: readArguments(plan).recurrence_id }
              : [],
          ),
        )
      : new Map();

  /** The feed's ETag and text. @param base the URL of the service; without it or without plan:decide there are no links */
  const feed = async (by: FeedCredential, base: string): Promise<{ tag: string; text: () => string }> => {
    const { items } = await agent.queue(by.user_id, { status: 'pending', limit: MOST_PROPOSALS }, undefined);
    const pending = items.filter((plan) => plan.scheduled_for !== null);
    const targets = await targetsOf(by, pending);
    const plans = pending.map((plan) => {
      const partner = plan.swaps_with === null ? undefined : targets.get(plan.swaps_with);
      return { ...plan, target: targets.get(plan.uid), partner };
    });
    const facts = [by.zone, base, [...by.scopes], period(), clock.now().slice(0, 4)];
    const shown = plans.map(({ seq, conflicts_count, target }) => [seq, conflicts_count, target]);
    const options = { name: 'Almanac: proposals', now: clock.now(), refresh_minutes: REFRESH_MINUTES };
    return {
      tag: hash('sha256', JSON.stringify([facts, shown])).slice(0, 32),
      text: () =>
        writeCalendar(
          plans.map((plan) => eventOf(plan, by, base)),
          options,
        ),
    };
  };

  /** What the page of a link shows. @throws 401, 404 */
  const show = async (token: string): Promise<Shown> => {
    const { claims, by } = await open(LINK, token);
    const plan = await agent.plan(by.user_id, claims.plan);
    const { sub, key } = claims;
    const button = (decision: Decision): string =>
      sign(BUTTON, { sub, key, plan: plan.uid, version: plan.version, decision, exp: seconds() + BUTTON_S });
    if (plan.status !== 'proposed') return { plan, zone: by.zone, buttons: null };
    const other = plan.swaps_with === null ? [] : [await agent.plan(by.user_id, plan.swaps_with)];
    const targets = await targetsOf(by, [plan, ...other]);
    const [target, partner] = [plan, ...other].map(({ uid }) => targets.get(uid));
    return { plan, zone: by.zone, target, partner, buttons: { approve: button('approve'), reject: button('reject') } };
  };

  /** Decides in the name of the feed key. @throws 401, 404, 409, 412 where the plan has changed since the page showed it */
  const decide = async (token: string): Promise<Shown> => {
    const { claims, by } = await open(BUTTON, token);
    const seenOf = (uid: string) => (uid === claims.plan ? claims.version : undefined);
    const plan = await agent[claims.decision]({ ...by, request_id: '' }, claims.plan, { seenOf });
    return { plan, zone: by.zone, buttons: null };
  };

  return { feed, show, decide };
};

export type Proposals = ReturnType<typeof createProposals>;
