/** The intents of changes: what moves, resizes, renames or cancels a target, with a sentence that says so. */
import type { Fields } from './alter.ts';
import { cluesOf, sentence, type Work } from './build.ts';
import type { Frame } from './frame.ts';
import { lengthName, timeName, windowName } from '../time/say.ts';
import type { Target } from './targets.ts';
import type { ActionType, Intent } from './types.ts';

const ACTIONS: readonly string[] = ['schedule', 'reschedule', 'reflect', 'log'];
const actionOf = (target: Target, work: Work): ActionType => {
  if (target.kind === 'event') return 'reschedule';
  const type = work.context.pending.find(({ uid }) => uid === target.uid)?.action_type ?? '';
  return ACTIONS.includes(type) ? (type as ActionType) : type === 'reschedule_event' ? 'reschedule' : 'schedule';
};

/** What a change makes of a target, as a sentence. */
export const describe = (target: Target, fields: Fields, work: Work): string => {
  const { now, zone } = work.context;
  const { title, location } = fields.arguments ?? {};
  const parts = [
    title && `call it “${title}”`,
    location && `its place is “${location}”`,
    fields.scheduled_for && `move it to ${timeName(fields.scheduled_for, zone, now)}`,
    fields.between && `move it to free time on ${windowName(fields.between, zone)}`,
    fields.duration_minutes !== undefined && `make it ${lengthName(fields.duration_minutes)} long`,
    fields.duration_delta_minutes !== undefined &&
      `make it ${lengthName(Math.abs(fields.duration_delta_minutes))} ${fields.duration_delta_minutes < 0 ? 'shorter' : 'longer'}`,
  ].filter((part) => typeof part === 'string' && part !== '');
  return sentence(`“${target.title}”: ${parts.join(' and ') || 'tag it as said'}`);
};

const occurrenceOf = ({ recurrence_id }: Target): Intent['arguments'] => (recurrence_id ? { recurrence_id } : {});

/** The intent that changes a target. */
export const changeIntent = (target: Target, fields: Fields, frame: Frame, work: Work): Intent => {
  const { task_id, tempo_tag, tags } = frame.tags;
  const clues = cluesOf(work, frame);
  const what = target.kind === 'event' ? 'the event' : 'the proposal';
  return {
    action_type: actionOf(target, work),
    title: target.title,
    content: describe(target, fields, work),
    ...((task_id ?? target.task_id) !== undefined && { task_id: task_id ?? target.task_id! }),
    ...(tempo_tag !== undefined && { tempo_tag }),
    tags,
    ...fields,
    ...(target.kind === 'event' ? { target_event_uid: target.uid } : { target_plan_uid: target.uid }),
    arguments: { ...occurrenceOf(target), ...fields.arguments },
    reasoning: `You asked to change ${what} “${target.title}”${clues ? `, and wrote ${clues}` : ''}.`,
  };
};

export const cancelIntent = (target: Target, frame: Frame, work: Work): Intent => {
  const { now, zone } = work.context;
  const when = target.scheduled_for ? ` on ${timeName(target.scheduled_for, zone, now)}` : '';
  return {
    ...changeIntent(target, {}, frame, work),
    action_type: 'reschedule',
    content: `${target.kind === 'event' ? 'Cancel' : 'Withdraw'} “${target.title}”${when}.`,
    arguments: { ...occurrenceOf(target), cancel: true },
    reasoning: `You asked to ${target.kind === 'event' ? 'cancel the event' : 'withdraw the proposal'} “${target.title}”${when}.`,
  };
};
