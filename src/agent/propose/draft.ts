/** Makes the plan that is recorded for a proposal. */
import type { Clock } from '../../common/clock.ts';
import { newTrace, type PlanDoc, type Unstamped } from '../../domain/record/trace.ts';
import type { Author } from '../../ledger/ledger-writer.ts';
import { estimate } from '../decide/record-transition.ts';
import { endOf, firstOf, repeatingOf } from '../place/plan-series.ts';
import { reasoningWith, type Placed, type Proposal } from './proposal.ts';

export type DraftDeps = { clock: Clock };

export const createDraft = ({ clock }: DraftDeps) => {
  const draft = (author: Author, p: Proposal, placed: Placed, uid: string): Unstamped<PlanDoc> => {
    const doc = draftOnce(author, p, placed, uid);
    const series = repeatingOf(doc);
    return series ? { ...doc, expires_at: firstOf(series), repeats_until: endOf(series) } : doc;
  };

  const draftOnce = (author: Author, p: Proposal, placed: Placed, uid: string): Unstamped<PlanDoc> => ({
    ...newTrace({
      timestamp: clock.now(),
      ...p.trace,
      uid,
      user_id: author.user_id,
      type: 'agent_plan',
      origin: p.of?.origin ?? author.origin,
      content: p.content,
    }),
    type: 'agent_plan',
    title: p.title,
    action_type: p.action_type,
    status: 'proposed',
    scheduled_for: placed.start,
    duration_minutes: placed.minutes,
    rrule: p.rrule ?? null,
    exdates: placed.exdates ?? [...(p.exdates ?? [])],
    on_conflict: p.on_conflict ?? 'skip',
    timezone: p.rrule == null ? null : (p.timezone ?? null),
    repeats_until: null,
    proposal_id: null,
    swaps_with: null,
    pinned: false,
    target_event_uid: p.target_event_uid,
    arguments: p.arguments,
    reasoning: reasoningWith(p.reasoning, placed.reasons),
    temporal_estimate: estimate(placed.start, placed.minutes),
    decision: null,
    expires_at: placed.start ?? p.lapses_at ?? null,
    executed_at: null,
    proposed_by: p.of?.proposed_by ?? author.actor,
    attempts: 0,
    last_error: null,
    revision: 1,
  });

  return { draft };
};
