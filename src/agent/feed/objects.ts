/**
 * Proposals as the resources of calendar programs (CalDAV). Moving one edits it, confirming approves it, and deleting rejects it;
 * each is the same call as on REST.
 */
import type { CalendarFile } from '../../calendar/ics/import.ts';
import { readObject, type CalendarObject, type Precondition } from '../../calendar/objects/objects.ts';
import type { Clock } from '../../common/clock.ts';
import { faultsOf, invalid, notFound, problem } from '../../common/problem.ts';
import { runYielding } from '../../common/yielding.ts';
import type { Caller } from '../../domain/access/caller.ts';
import { readingComponents, textIn, type Component } from '../../domain/calendar/ics/components.ts';
import type { EventContent } from '../../domain/calendar/event-doc.ts';
import type { ReadEvent } from '../../domain/calendar/ics/read-ics.ts';
import type { PlanDoc } from '../../domain/record/trace.ts';
import { millis, type Instant } from '../../domain/time/time.ts';
import type { Seen } from '../decide/decisions.ts';
import { proposalEvent, proposalUid, targetTexts, type TargetDeps } from './proposal-event.ts';
import type { Sensitive } from '../../ledger/sensitive-values.ts';
import { goneProposals, pendingStates, plansWithStates, type PlanState } from '../propose/states.ts';
import { findPlans } from '../queries.ts';
import { Edits } from '../schemas.ts';
import type { AgentService } from '../service.ts';

/** Some programs read a resource again right after they confirmed it, and wait forever where it is gone. */
const READABLE_MS = 60_000;
const [PREFIX, SUFFIX] = [proposalUid(''), '.ics'];

const nameOf = (uid: string): string => `${proposalUid(uid)}${SUFFIX}`;
const uidOf = (name: string): string | null =>
  name.startsWith(PREFIX) && name.endsWith(SUFFIX) ? name.slice(PREFIX.length, -SUFFIX.length) : null;

type Shown = { plan: PlanDoc; state: PlanState };
export type ProposalState = { name: string; etag: string; seq: number };

export type ProposalObjectsDeps = TargetDeps & {
  clock: Clock;
  agent: AgentService;
  sensitive: Sensitive;
  /** Serves PATCH /memory/edit. */
  edit: (caller: Caller, uid: string, updates: Edits, seen?: number) => Promise<unknown>;
};

const stateOf = ({ uid, ...state }: PlanState): ProposalState => ({ name: nameOf(uid), ...state });

/** Proposals are read in pages of this many. */
const PAGE = 100;

/** What a program wants a proposal to be. STATUS counts only where it is written: a program that leaves it out decides nothing. */
type Wish = { event: EventContent; title: string | null; status: string | null };

const vevents = (components: readonly Component[]): Component[] =>
  components.flatMap(({ name, components: inner }) =>
    name === 'vcalendar' ? inner.filter((one) => one.name === 'vevent') : [],
  );

/** @throws 403 */
const readWish = async (file: CalendarFile, zone: string): Promise<Wish> => {
  const found = await readObject(file, zone);
  const { components } = await runYielding(readingComponents(file.bytes, file.charset));
  const [only, ...more] = vevents(components);
  if (!only || more.length || found[0]?.event.recurrence_id != null)
    throw problem(
      'not_yours_to_edit',
      'A proposal is decided on as a whole. Move or confirm the whole series, not one occurrence of it.',
    );
  const [title, status] = ['summary', 'status'].map((name) => textIn(only, name)) as [string | null, string | null];
  return { event: (found[0] as ReadEvent).event, title, status: status?.trim().toUpperCase() ?? null };
};

/** iCalendar has no finer times. */
const seconds = (at: Instant): number => Math.floor(millis(at) / 1000);

/** What differs from the proposal as it is shown. Its description, alarms and other properties are not the person’s to set. */
const editsOf = (plan: PlanDoc, { event, title }: Wish): Edits | null => {
  const isMoved = plan.scheduled_for !== null && seconds(event.scheduled_for) !== seconds(plan.scheduled_for);
  const edits = {
    ...(title === null || title === plan.title ? {} : { title }),
    ...(isMoved ? { scheduled_for: event.scheduled_for } : {}),
    ...(event.duration_minutes === (plan.duration_minutes ?? 0) ? {} : { duration_minutes: event.duration_minutes }),
  };
  if (!Object.keys(edits).length) return null;
  const checked = Edits.safeParse(edits);
  if (!checked.success) throw invalid(faultsOf(checked.error));
  return checked.data;
};

/** The tag of a proposal is that of one plan, and says nothing of one with which it exchanges places. */
const onlyOf =
  ({ uid }: PlanDoc, seen: number | undefined): Seen =>
  (one) =>
    one === uid ? seen : undefined;

export const createProposalObjects = (deps: ProposalObjectsDeps) => {
  const { reads, calendar, clock, agent, edit, sensitive } = deps;

  const isPending = ({ status, origin, scheduled_for }: PlanDoc): boolean =>
    status === 'proposed' && origin !== 'import' && scheduled_for !== null;

  const isReadable = (plan: PlanDoc): boolean =>
    isPending(plan) ||
    ((plan.status === 'approved' || plan.status === 'executed') &&
      plan.scheduled_for !== null &&
      plan.decision !== null &&
      clock.millis() - millis(plan.decision.at) < READABLE_MS);

  const objectOf = ({ zone }: Caller, { plan, state }: Shown, texts: ReadonlyMap<string, string>): CalendarObject => {
    const partner = plan.swaps_with === null ? undefined : texts.get(plan.swaps_with);
    const event = proposalEvent({ ...plan, target: texts.get(plan.uid), partner }, { zone, link: null });
    const { name, etag } = stateOf(state);
    return { name, etag, events: [isPending(plan) ? event : { ...event, status: 'confirmed' }] };
  };

  const objectsOf = async (caller: Caller, shown: readonly Shown[]): Promise<CalendarObject[]> => {
    const plans = shown.map(({ plan }) => plan);
    const partners = plans.flatMap(({ swaps_with }) => swaps_with ?? []);
    const others = partners.length ? await findPlans(reads, caller.user_id, partners) : [];
    const texts = await targetTexts({ reads, calendar }, caller, [...plans, ...others]);
    const show = await sensitive.viewOf(caller);
    return shown.map((one) => show(objectOf(caller, { ...one, plan: show(one.plan) }, texts)));
  };

  const named = async (caller: Caller, names: readonly string[]): Promise<Shown[]> => {
    const uids = names.flatMap((name) => uidOf(name) ?? []);
    return (await plansWithStates(reads, caller.user_id, uids)).filter(({ plan }) => isReadable(plan));
  };

  /** The proposal of that name, whose tag satisfies the conditions. The version binds the decision to what was read. */
  const seenPlan = async (caller: Caller, name: string, check: Precondition, isBound: boolean) => {
    const [shown] = await named(caller, [name]);
    check(shown ? shown.state.etag : null);
    return shown && { plan: shown.plan, seen: isBound ? shown.plan.version : undefined };
  };

  return {
    /** The states of all proposals, or of those that changed after a seq, sorted by seq. */
    states: async (user_id: string, after?: number): Promise<ProposalState[]> =>
      (await pendingStates(reads, user_id, after)).map(stateOf),

    /** All proposals, in pages. */
    all: async function* (caller: Caller): AsyncGenerator<CalendarObject[]> {
      const states = await pendingStates(reads, caller.user_id);
      for (let at = 0; at < states.length; at += PAGE) {
        const names = states.slice(at, at + PAGE).map(({ uid }) => nameOf(uid));
        const shown = await named(caller, names);
        yield objectsOf(
          caller,
          shown.filter(({ plan }) => isPending(plan)),
        );
      }
    },

    named: async (caller: Caller, names: readonly string[]): Promise<CalendarObject[]> =>
      objectsOf(caller, await named(caller, names)),

    /** The proposals that were decided on, or lost their time, after a seq. */
    gone: async (user_id: string, after: number): Promise<{ name: string; seq: number }[]> =>
      (await goneProposals(reads, user_id, after)).map(({ uid, seq }) => ({ name: nameOf(uid), seq })),

    /**
     * Moves or approves a proposal. @param isBound whether the program has named the state that it has read
     * @throws 403, 404, 409, 412, 428
     */
    put: async (
      caller: Caller,
      name: string,
      file: CalendarFile,
      { check, isBound }: { check: Precondition; isBound: boolean },
    ): Promise<void> => {
      const found = await seenPlan(caller, name, check, isBound);
      if (!found)
        throw problem(
          'not_yours_to_edit',
          'This calendar shows proposals, so no event can be added to it. Use the other calendar.',
        );
      const { plan, seen } = found;
      const wish = await readWish(file, plan.timezone ?? caller.zone);
      if (wish.event.uid !== proposalUid(plan.uid))
        throw problem('calendar_object_refused', 'The UID of a proposal cannot change.', {
          precondition: 'no-uid-conflict',
          name,
          source_uid: null,
        });
      const edits = editsOf(plan, wish);
      if (wish.status === 'CANCELLED')
        throw problem('not_yours_to_edit', 'Delete the event to reject the proposal, or confirm it to approve it.');
      if (wish.status === 'CONFIRMED')
        await agent.approve(caller, plan.uid, { seenOf: onlyOf(plan, seen), ...(edits ? { edits } : {}) });
      else if (edits && isPending(plan)) await edit(caller, plan.uid, edits, seen);
    },

    /** Rejects a proposal. @throws 404, 409, 412 */
    remove: async (caller: Caller, name: string, { check, isBound }: { check: Precondition; isBound: boolean }) => {
      const found = await seenPlan(caller, name, check, isBound);
      if (!found || !isPending(found.plan)) throw notFound('plan', uidOf(name) ?? name);
      await agent.reject(caller, found.plan.uid, { seenOf: onlyOf(found.plan, found.seen) });
    },
  };
};

export type ProposalObjects = ReturnType<typeof createProposalObjects>;
