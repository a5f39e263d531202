/** Makes intents of the model's actions, and the reply that says them: the service writes it, so that it says what is done. */
import type { Intent, IntentContext, KnownEvent, PendingPlan } from '../../domain/planner/intents/types.ts';
import { saidOf, slotName, withdraws } from '../../domain/planner/intents/say.ts';
import { settingsText, settingsTexts } from '../../domain/planner/intents/settings-text.ts';
import { changeText } from '../../domain/planner/intents/texts.ts';
import { timeName } from '../../domain/time/say.ts';
import type { ModelAction } from '../../llm/model-planner.ts';

/** Words that say that something was done. */
const DONE =
  /\b(?:approved|accepted|booked|scheduled|planned|moved|rescheduled|cancell?ed|removed|deleted|executed|sent|added|created|changed|done|saved|confirmed|rejected)\b/iu;
const NOTHING = 'Nothing was proposed or changed.';

/** The sentences of a text that do not claim that something was done. */
const sentencesOf = (text: string): string[] => {
  const sentences = text.match(/[^.!?…]+(?:[.!?…]+|$)\s*/gu) ?? [];
  return sentences.filter((sentence) => sentence.trimEnd().endsWith('?') || !DONE.test(sentence));
};

/** What the model said where it proposes nothing: without sentences that claim that something was done. */
export const replyWithout = (reply: string): string => {
  return `${sentencesOf(reply).join('').trim()} ${NOTHING}`.trim();
};

/** What the actions of a model leave out, as it says it. */
export const leftOutBy = (said: string): string[] => {
  const kept = sentencesOf(said).join('').trim();
  return kept ? [`Not proposed: ${kept}`] : [];
};

/** The question between readings. */
export const whichOf = (reply: string): string =>
  reply.endsWith('?') && !DONE.test(reply) ? reply : 'Which do you mean?';

type Known = { event: KnownEvent | undefined; plan: PendingPlan | undefined };

const knownOf = (action: ModelAction, { events, pending }: IntentContext): Known => ({
  plan: pending.find(({ uid }) => uid === action.target_plan_uid),
  event: events.find(
    ({ uid, recurrence_id }) =>
      uid === action.target_event_uid && (recurrence_id ?? null) === action.target_recurrence_id,
  ),
});

/** ': call it “Check-up” and make it 2 hours long'. */
const changesOf = ({ duration_minutes: minutes, ...action }: ModelAction, context: IntentContext): string => {
  const details = { ...detailsOf(action), ...(action.whole_days && { all_day: true as const }) };
  const fields = { arguments: details, ...(minutes && { duration_minutes: minutes }) };
  const said = changeText('', fields, context).replace(/^[^:]*: |\.$/g, '');
  return said ? `: ${said}` : '';
};

/** 'Plans of agents per day: 3'; empty for other actions. The model's own title could say the opposite. */
const settingsSaid = ({ action_type, settings }: ModelAction): string =>
  settingsText({ action_type, arguments: settings ?? {} }) ?? '';

/** 'on Friday 27 November at 11:00'; empty where the model says no time. */
const whenOf = ({ scheduled_for: at, between, avoid, whole_days }: ModelAction, context: IntentContext): string => {
  const slot = { ...(at && { at }), ...(between && { between, avoid }), ...(whole_days && { all_day: true as const }) };
  return at || between ? slotName(slot, context) : '';
};

/** 'Move “Dentist” from Friday 27 November at 11:00 to ...', 'withdraw “Gym”', '“Gym”'. */
const sayingOf = (action: ModelAction, { event, plan }: Known, context: IntentContext): string => {
  const { cancel } = action;
  const later = action.from_now_on ? ' and all later ones' : '';
  const when = whenOf(action, context);
  const to = when ? ` to be ${when}` : '';
  const set = settingsSaid(action);
  const more = cancel ? '' : set ? `: ${set}` : changesOf(action, context);
  if (plan) return cancel ? `withdraw “${plan.title}”` : `change the proposal “${plan.title}”${to}${more}`;
  if (event) {
    const from = timeName(event.scheduled_for, context.zone, context.now);
    if (cancel) return `cancel “${event.title}” on ${from}${later}`;
    return when
      ? `move “${event.title}” from ${from}${later}${to}${more}`
      : `change “${event.title}” on ${from}${later}${more}`;
  }
  if (action.action_type === 'configure') return `change your settings: ${set}`;
  return action.action_type === 'log' ? `note “${action.title}”` : `“${action.title}”`;
};

const capital = (text: string): string => `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;

/** When the action is to happen, as far as the model says it. */
const timesOf = (action: ModelAction): Partial<Intent> => ({
  ...(action.scheduled_for ? { scheduled_for: action.scheduled_for } : {}),
  ...(action.between ? { between: action.between } : {}),
  ...(action.avoid.length > 0 ? { avoid: action.avoid } : {}),
  ...(action.rrule ? { rrule: action.rrule } : {}),
  ...(action.exdates.length > 0 ? { exdates: action.exdates } : {}),
  ...(action.duration_minutes ? { duration_minutes: action.duration_minutes } : {}),
});

type Details = Pick<ModelAction, 'location' | 'reminders' | 'new_title' | 'notes'>;
/** The place and the reminders, and the new texts of what is changed. */
const detailsOf = ({ location, reminders, new_title: title, notes: description }: Details): Intent['arguments'] =>
  Object.fromEntries(Object.entries({ location, reminders, title, description }).filter(([, value]) => value !== null));

/**
 * A change of the settings is called what it sets. What changes an event or a proposal bears the title of it and says what is done,
 * whatever the model calls it.
 */
const ownTexts = (action: ModelAction, known: Known, context: IntentContext): Pick<Intent, 'title' | 'content'> => {
  const target = known.plan ?? known.event;
  if (target) return { title: target.title, content: capital(sayingOf(action, known, context)) };
  const { action_type, title, content, settings } = action;
  return settingsTexts({ action_type, arguments: settings ?? {} }) ?? { title, content };
};

const intentOf = (action: ModelAction, context: IntentContext): Intent => {
  const known = knownOf(action, context);
  return {
    action_type: action.action_type,
    ...ownTexts(action, known, context),
    ...(action.task_id ? { task_id: action.task_id } : {}),
    ...(action.tempo_tag ? { tempo_tag: action.tempo_tag } : {}),
    tags: action.tags,
    ...timesOf(action),
    ...(action.target_event_uid ? { target_event_uid: action.target_event_uid } : {}),
    ...(action.target_plan_uid ? { target_plan_uid: action.target_plan_uid } : {}),
    arguments: {
      ...(action.cancel ? { cancel: true } : {}),
      ...(action.whole_days ? { all_day: true } : {}),
      ...detailsOf(action),
      ...action.settings,
      ...(action.target_recurrence_id ? { recurrence_id: action.target_recurrence_id } : {}),
      ...(action.from_now_on ? { scope: 'following' as const } : {}),
    },
    reasoning: action.reasoning,
  };
};

/** @param context the events and proposals that the model was given */
export const intentsOf = (
  actions: readonly ModelAction[],
  context: IntentContext,
): { intents: Intent[]; reply: string } => {
  const intents = actions.map((action) => intentOf(action, context));
  const gone = intents.filter(withdraws).map(({ title }) => `“${title}”`);
  const said = actions
    .filter((_, i) => !withdraws(intents[i]!))
    .map((action) => sayingOf(action, knownOf(action, context), context));
  return { intents, reply: saidOf(gone, said) };
};
