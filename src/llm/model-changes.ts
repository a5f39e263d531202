/** What an action of a model may change: which of its fields are for a target, for something new or for what is cancelled. */
import type { ActionDraft as Draft } from './model-shape.ts';

export type Fault = (field: keyof Draft, message: string) => void;

/** What belongs to a target only, or to what is new only. */
export const checkTexts = (draft: Draft, fault: Fault): void => {
  const { action_type, target_event_uid: event, target_plan_uid: plan } = draft;
  const isChange = event !== null || plan !== null;
  if (!isChange && draft.title === '') fault('title', 'must not be empty');
  if (!isChange && draft.new_title !== null) fault('new_title', 'goes with target_event_uid or target_plan_uid only');
  if (action_type === 'schedule' || action_type === 'reschedule') return;
  for (const name of ['location', 'reminders'] as const)
    if (draft[name] !== null) fault(name, 'goes with schedule and reschedule only');
};

const TIMES = ['scheduled_for', 'between', 'duration_minutes'] as const;
const DETAILS = ['location', 'reminders', 'new_title', 'notes'] as const;
const CHANGES = [...TIMES, ...DETAILS, 'whole_days'] as const;
/** What may change of a proposal only. */
const OF_PROPOSALS = ['rrule', 'exdates', 'tags', 'task_id', 'tempo_tag'] as const;

const changesIn = (draft: Draft): (typeof CHANGES)[number][] => CHANGES.filter((name) => draft[name] !== null);

/** Some models write [] for what they leave as it is. So [] takes reminders away only where it is the only change. */
export const withMeantReminders = (draft: Draft): Draft => {
  if (draft.reminders?.length !== 0) return draft;
  const { target_event_uid: event, target_plan_uid: plan, cancel } = draft;
  const isOther = changesIn(draft).length > 1 || (plan !== null && OF_PROPOSALS.some((name) => draft[name]?.length));
  const isMeant = (event ?? plan) !== null && !cancel && !isOther;
  return isMeant ? draft : { ...draft, reminders: null };
};

/** What is cancelled or taken back has no other change, and what is moved has one. */
export const checkChange = (draft: Draft, fault: Fault): void => {
  const { action_type, target_event_uid: event, cancel } = draft;
  const given = changesIn(draft);
  if (cancel) for (const name of given) fault(name, 'must be null beside cancel');
  else if (action_type === 'reschedule' && event !== null && given.length === 0)
    fault(
      'target_event_uid',
      'says no change: give scheduled_for, between, duration_minutes, new_title, location, notes, reminders or cancel',
    );
};
