/**
 * Serves agents' proposals as a calendar feed with links by which a person decides. A link only opens a page, since programs
 * follow links on their own. The page's buttons carry tokens that decide, each for the version that the page shows.
 */
import jwt from 'jsonwebtoken';
import { hash } from 'node:crypto';
import { REFRESH_MINUTES } from '../../calendar/ics/feed.ts';
import type { Clock } from '../../common/clock.ts';
import { mapYielding, yieldingPieces } from '../../common/yielding.ts';
import type { EventDoc } from '../../domain/calendar/event-doc.ts';
import type { Caller } from '../../domain/access/caller.ts';
import { writingCalendar } from '../../domain/calendar/ics/write-ics.ts';
import { settingChanges, settingsAfter, type SettingChanges } from '../../domain/plan/setting-changes.ts';
import { dayBounds, localDate, localStart, type Instant } from '../../domain/time/time.ts';
import type { PlanDoc } from '../../domain/record/trace.ts';
import { problem } from '../../common/problem.ts';
import { readActors } from '../../ledger/actors.ts';
import { loadProfile } from '../../user/profile.ts';
import type { Authenticate } from '../../user/authenticate.ts';
import { proposalEvent, remindersNow, targetTexts, type ShownPlan, type TargetDeps } from './proposal-event.ts';
import type { AgentService } from '../service.ts';

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
type Claims = { sub: string; key: string; plan: string; exp: number };
/** `partner` is the plan with which the shown one exchanges places. */
type ButtonClaims = Claims & { decision: Decision; version: number; partner?: { uid: string; version: number } };

export type ProposalsDeps = TargetDeps & {
  clock: Clock;
  secret: string;
  authenticate: Authenticate;
  agent: AgentService;
};

/** What the page shows: the plan; and where it can still be decided, the event that it changes and a token for each decision. */
export type Shown = {
  plan: PlanDoc;
  zone: string;
  target?: string | undefined;
  /** The event with which it exchanges places. */
  partner?: string | undefined;
  /** The label of the key that proposed it, and what else the day has. Only where it can still be decided. */
  proposer?: string | undefined;
  day?: string[] | undefined;
  /** The reminders that the event has now, where it gets others. */
  remindersNow?: number[] | undefined;
  /** What it changes of the settings as they are now; null where it can't any more. */
  settings?: SettingChanges | null | undefined;
  buttons: Record<Decision, string> | null;
};

/** What the form of the page adds to a decision. */
export type Answer = { note?: string | undefined; scheduled_for?: string | undefined };

const MOST_OF_DAY = 30;
const clockTime = (at: Instant, zone: string): string => localStart(at, zone).slice(11, 16);
/** The start as the field of the page has it. */
export const fieldTime = ({ scheduled_for }: PlanDoc, zone: string): string | undefined =>
  scheduled_for === null ? undefined : localStart(scheduled_for, zone).slice(0, 16);

const partnerIn = ([other]: PlanDoc[]): Pick<ButtonClaims, 'partner'> =>
  other ? { partner: { uid: other.uid, version: other.version } } : {};

const gone = () =>
  problem(
    'unauthenticated',
    'This link is too old, or its feed key was revoked. Open the proposal in the calendar again.',
  );

export const createProposals = (deps: ProposalsDeps) => {
  const { clock, secret, authenticate, agent, reads, calendar } = deps;
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

  const eventOf = (plan: ShownPlan, by: FeedCredential, base: string): EventDoc => {
    const link = by.scopes.has('plan:decide') && base ? linkTo(by, base, plan.uid) : null;
    return proposalEvent(plan, { zone: by.zone, link });
  };

  /** The feed's ETag and text. @param base the URL of the service; without it or without plan:decide there are no links */
  const feed = async (
    by: FeedCredential,
    base: string,
  ): Promise<{ tag: string; text: () => Promise<AsyncIterable<string>> }> => {
    const { items } = await agent.queue(by.user_id, { status: 'pending', limit: MOST_PROPOSALS }, undefined);
    const pending = items.filter((plan) => plan.scheduled_for !== null);
    const targets = await targetTexts(deps, by, pending);
    const plans = pending.map((plan) => {
      const partner = plan.swaps_with === null ? undefined : targets.get(plan.swaps_with);
      return { ...plan, target: targets.get(plan.uid), partner };
    });
    const facts = [by.zone, base, [...by.scopes], period(), clock.now().slice(0, 4)];
    const shown = plans.map(({ seq, conflicts_count, target }) => [seq, conflicts_count, target]);
    const options = { name: 'Almanac: proposals', now: clock.now(), refresh_minutes: REFRESH_MINUTES };
    return {
      tag: hash('sha256', JSON.stringify([facts, shown])).slice(0, 32),
      text: async () => {
        const events = await mapYielding(plans, (plan) => eventOf(plan, by, base));
        return yieldingPieces(writingCalendar(events, options));
      },
    };
  };

  /** The other events of the day, for whoever may read the calendar. */
  const dayOf = async (by: FeedCredential, plan: PlanDoc): Promise<string[] | undefined> => {
    if (plan.scheduled_for === null || !by.scopes.has('calendar:read')) return undefined;
    const day = dayBounds(localDate(plan.scheduled_for, by.zone), by.zone);
    const events = await calendar.inTransaction.overview(reads, by.user_id, day);
    const shown = events
      .slice(0, MOST_OF_DAY)
      .map(({ all_day, scheduled_for, end, title }) =>
        all_day ? `all day: ${title}` : `${clockTime(scheduled_for, by.zone)}–${clockTime(end, by.zone)} ${title}`,
      );
    return events.length > MOST_OF_DAY ? [...shown, `and ${events.length - MOST_OF_DAY} more`] : shown;
  };

  /** Whoever decides is shown what changes, since a title may say something else. */
  const settingsOf = async (by: FeedCredential, plan: PlanDoc): Promise<SettingChanges | null | undefined> => {
    if (plan.action_type !== 'configure') return undefined;
    const { profile } = await loadProfile(reads, by.user_id);
    const before = { limits: profile.settings.limits, tempo: profile.tempo };
    const after = settingsAfter(before, plan.arguments);
    return after && settingChanges(before, after);
  };

  /** What the page of a link shows. @throws 401, 404 */
  const show = async (token: string): Promise<Shown> => {
    const { claims, by } = await open(LINK, token);
    const plan = await agent.plan(by.user_id, claims.plan);
    const { sub, key } = claims;
    if (plan.status !== 'proposed') return { plan, zone: by.zone, buttons: null };
    const other = plan.swaps_with === null ? [] : [await agent.plan(by.user_id, plan.swaps_with)];
    const shown = { plan: plan.uid, version: plan.version, ...partnerIn(other) };
    const button = (decision: Decision): string =>
      sign(BUTTON, { sub, key, ...shown, decision, exp: seconds() + BUTTON_S });
    const targets = await targetTexts(deps, by, [plan, ...other]);
    const [target, partner] = [plan, ...other].map(({ uid }) => targets.get(uid));
    const { label: proposer } = (await readActors(reads, by.user_id, [plan.proposed_by]))(plan.proposed_by);
    const buttons = { approve: button('approve'), reject: button('reject') };
    const settings = await settingsOf(by, plan);
    const now = { day: await dayOf(by, plan), remindersNow: await remindersNow(deps, by.user_id, plan) };
    return { plan, zone: by.zone, target, partner, proposer, ...now, settings, buttons };
  };

  /** Decides in the name of the feed key. @throws 401, 404, 409, 412 where the plan has changed since the page showed it */
  const decide = async (token: string, { note, scheduled_for }: Answer = {}): Promise<Shown> => {
    const { claims, by } = await open(BUTTON, token);
    const seenOf = (uid: string) =>
      uid === claims.plan ? claims.version : uid === claims.partner?.uid ? claims.partner.version : undefined;
    const before = scheduled_for ? await agent.plan(by.user_id, claims.plan) : undefined;
    const isOther = before?.status === 'proposed' && scheduled_for !== fieldTime(before, by.zone);
    const edits = claims.decision === 'approve' && isOther ? { edits: { scheduled_for } } : {};
    const given = { seenOf, ...(note ? { note } : {}), ...edits };
    const plan = await agent[claims.decision]({ ...by, request_id: '' }, claims.plan, given);
    return { plan, zone: by.zone, buttons: null };
  };

  return { feed, show, decide };
};

export type Proposals = ReturnType<typeof createProposals>;
