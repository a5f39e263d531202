/** Makes proposals of actions. */
import type { Intent, IntentContext } from './types.ts';
import { ACTION_TYPES } from '../../plan/plan.ts';
import { timeName } from '../../time/say.ts';
import { millis, zoned } from '../../time/time.ts';
import type { Action, Change, Creation, Move, Resize, Series, Target } from '../act/actions.ts';
import type { Request } from '../request.ts';
import { compareDays, daysFrom } from '../time/settle-days.ts';
import { isOutside, isSet, leavesNothing, ruled, ruleWaits } from '../replies/set-replies.ts';
import { ruleName } from './rule-part.ts';
import { settingChange } from './setting.ts';
import { sittingsOf } from './sittings.ts';
import { type Tags, tempoIn } from './tags.ts';
import { capitalise, changeText, cut, reasonOf, sentence, squash, titleOf } from './texts.ts';
import { instantAt, timesOf } from './times.ts';

/** What an action becomes: proposals, or why there are none. */
export type Made = { intents: Intent[] } | { ask: string };
/** `readable`: a name without the words of it that are not read. */
export type Making = { request: Request; tags: Tags; context: IntentContext; readable: (name: string) => string };
type With<A> = A & { spans: Action['spans'] };

const LONGEST_NOTE_TITLE = 80;

/** A weekly rule of one day. */
const ONE_WEEKDAY = /^FREQ=WEEKLY;BYDAY=[A-Z]{2}$/;

/** The last instant of a day, as a rule writes it. */
const untilText = (day: Temporal.PlainDate, zone: string): string =>
  Temporal.Instant.from(instantAt(day, 1440, zone))
    .subtract({ seconds: 1 })
    .toString()
    .replaceAll(/[-:]|\.\d+/g, '');

const ruleOf = ({ rule, until, times }: Series, zone: string): string =>
  `${rule}${times ? `;COUNT=${times}` : until ? `;UNTIL=${untilText(until, zone)}` : ''}`;

const seriesFields = ({ series, at }: Creation, zone: string): Pick<Intent, 'rrule' | 'exdates'> => {
  if (!series) return {};
  const minute = typeof at === 'number' ? at : 0;
  const exdates = (series.except ?? []).map((day) => instantAt(day, minute, zone));
  return { rrule: ruleOf(series, zone), ...(exdates.length > 0 && { exdates }) };
};

const asksHour = ({ series, at, days }: Creation): boolean =>
  (series?.except ?? []).length > 0 && typeof at !== 'number' && days === undefined;

const isOver = (name: string): { ask: string } => ({
  ask: `“${name}”: that time is already over. When should it be instead?`,
});

/** 'find' may have no name. */
const nameOf = ({ title, do: verb }: Creation): string =>
  title ? titleOf(title) : verb === 'find' ? 'Blocked time' : '';

export const made = (creation: With<Creation>, { request, tags, context, readable }: Making): Made => {
  const title = nameOf(creation);
  if (!title) return { ask: 'What is it that I should plan?' };
  if (asksHour(creation)) return { ask: `“${title}”: at what time should it be?` };
  const intents: Intent[] = [];
  for (const sitting of sittingsOf(creation)) {
    const times = timesOf(sitting, sitting, context);
    if (!times) return isOver(title);
    intents.push({
      action_type: 'schedule',
      title,
      content: creation.notes ? sentence(creation.notes) : title,
      ...tempoIn(readable(title)),
      ...tags,
      ...times,
      ...seriesFields(sitting, context.zone),
      arguments: { ...times.arguments, ...(creation.place && { location: creation.place }) },
      reasoning: reasonOf(request, creation),
    });
  }
  return { intents };
};

/** An event or a proposal as the context has it. */
type Known = {
  title: string;
  action_type: Intent['action_type'];
  at?: string | null | undefined;
  task_id?: string | null | undefined;
};
const TYPES: readonly string[] = ACTION_TYPES;

const knownBy = ({ uid, recurrence_id, isPending }: Target, { events, pending }: IntentContext): Known | undefined => {
  if (isPending) {
    const plan = pending.find((one) => one.uid === uid);
    const type = plan && TYPES.includes(plan.action_type) ? (plan.action_type as Intent['action_type']) : 'schedule';
    return plan && { title: plan.title, action_type: type, at: plan.scheduled_for, task_id: plan.task_id };
  }
  const event = events.find((one) => one.uid === uid && (one.recurrence_id ?? undefined) === recurrence_id);
  return event && { title: event.title, action_type: 'reschedule', at: event.scheduled_for, task_id: event.task_id };
};

type Fields = Partial<Intent> & { arguments: Intent['arguments'] };

const changing = (target: Target, fields: Fields, spans: Action['spans'], making: Making): Intent[] => {
  const known = knownBy(target, making.context);
  if (!known) return [];
  const what = target.isPending ? 'the proposal' : 'the event';
  return [
    {
      action_type: known.action_type,
      title: known.title,
      content: changeText(known.title, fields, making.context),
      ...(known.task_id && { task_id: known.task_id }),
      ...making.tags,
      ...fields,
      ...(target.isPending ? { target_plan_uid: target.uid } : { target_event_uid: target.uid }),
      arguments: { ...(target.recurrence_id && { recurrence_id: target.recurrence_id }), ...fields.arguments },
      reasoning: `You asked to change ${what} “${known.title}”. ${reasonOf(making.request, { spans })}`,
    },
  ];
};

/** The occurrence that is meant, or it and all known ones behind it. */
const occurrencesOf = (target: Target, isFollowing: boolean | undefined, { events }: IntentContext): Target[] => {
  if (!isFollowing || !target.recurrence_id) return [target];
  const own = events.filter(({ uid }) => uid === target.uid);
  const first = own.find(({ recurrence_id }) => recurrence_id === target.recurrence_id);
  return own
    .filter(({ scheduled_for }) => first && millis(scheduled_for) >= millis(first.scheduled_for))
    .flatMap(({ uid, recurrence_id }) => (recurrence_id ? { uid, recurrence_id } : []));
};

/** The occurrence with which the rest of a series moves, where one proposal says that; the rest of a series of more days keeps its days. */
const firstMoved = ({ target, date, isFollowing, series }: Move, context: IntentContext): Target | undefined => {
  if (!isFollowing || !target.recurrence_id || 'from' in date || series?.until) return undefined;
  if (!series || ONE_WEEKDAY.test(series.rule)) return target;
  return occurrencesOf(target, true, context).find((one) => dayOf(one, context)?.equals(date));
};

const dayOf = (target: Target, context: IntentContext): Temporal.PlainDate | undefined => {
  const at = knownBy(target, context)?.at;
  return at ? zoned(at, context.zone).toPlainDate() : undefined;
};

const withLater = (fields: Fields): Fields => ({ ...fields, arguments: { ...fields.arguments, scope: 'following' } });

export const moved = (move: With<Move>, making: Making): Made => {
  const { target, date, isFollowing, series, spans, do: _do, ...when } = move;
  const known = knownBy(target, making.context);
  if (!known) return { ask: 'Which event do you mean?' };
  const first = dayOf(target, making.context);
  const until = series?.until;
  const whole = firstMoved(move, making.context);
  if (whole && !('from' in date)) {
    const times = timesOf({ ...when, date }, {}, making.context);
    return times ? { intents: changing(whole, withLater(times), spans, making) } : isOver(known.title);
  }
  const intents: Intent[] = [];
  for (const one of occurrencesOf(target, isFollowing, making.context)) {
    const own = dayOf(one, making.context);
    const later = first && own ? daysFrom(first, own) : 0;
    const day = 'from' in date ? date : date.add({ days: later });
    if (until && !('from' in day) && compareDays(day, until) > 0) break;
    const times = timesOf({ ...when, date: day }, {}, making.context);
    if (!times) return isOver(known.title);
    intents.push(...changing(one, times, spans, making));
  }
  return { intents };
};

export const cancelled = (
  target: Target,
  isFollowing: boolean | undefined,
  spans: Action['spans'],
  making: Making,
): Made => {
  const { context } = making;
  const at = knownBy(target, context)?.at;
  const isRest = isFollowing && target.recurrence_id !== undefined;
  const when = `${at ? ` on ${timeName(at, context.zone, context.now)}` : ''}${isRest ? ' and all later ones' : ''}`;
  const verb = target.isPending ? 'Withdraw' : 'Cancel';
  const what = target.isPending ? 'withdraw the proposal' : 'cancel the event';
  const fields: Fields = { arguments: { cancel: true } };
  const intents = changing(target, isRest ? withLater(fields) : fields, spans, making).map((intent): Intent => ({
    ...intent,
    action_type: 'reschedule',
    content: `${verb} “${intent.title}”${when}.`,
    reasoning: `You asked to ${what} “${intent.title}”${when}.`,
  }));
  return intents.length > 0 ? { intents } : { ask: 'Which event do you mean?' };
};

export const resized = ({ target, minutes, spans }: With<Resize>, making: Making): Made => ({
  intents: changing(target, { duration_minutes: minutes, arguments: {} }, spans, making),
});

export const changed = ({ target, title, place, notes, spans }: With<Change>, making: Making): Made => {
  const name = title && titleOf(title);
  const fields = {
    arguments: {
      ...(name && { title: name }),
      ...(place && { location: place }),
      ...(notes && { description: capitalise(notes) }),
    },
  };
  return { intents: changing(target, fields, spans, making) };
};

/** A note, or a reflection, which may have a time. */
export const kept = (action: With<{ do: 'note' | 'reflect'; text: string; at?: Creation }>, making: Making): Made => {
  const { text, at, spans } = action;
  const action_type = action.do === 'note' ? 'log' : 'reflect';
  const content = sentence(text);
  const times = at ? timesOf(at, at, making.context) : { arguments: {} };
  if (!times) return isOver(text);
  return {
    intents: [
      {
        action_type,
        title: cut(content.replace(/\.$/, ''), LONGEST_NOTE_TITLE),
        content,
        ...making.tags,
        ...times,
        reasoning: action_type === 'log' ? 'You asked for a note.' : reasonOf(making.request, { spans }),
      },
    ],
  };
};

const TIMED: ReadonlySet<string> = new Set(['when', 'rel', 'old', 'repeat']);

/** A proposal to change the settings as a rule says. Another one that waits may change the same hours, so it is decided first. */
export const configured = (action: With<Extract<Action, { do: 'setting' }>>, making: Making): Made => {
  const { text: words, isPart, spans } = action;
  const { request, tags, context } = making;
  const text = squash(words).replaceAll(' ; ', '; ');
  if (!context.settings || isPart || tags.task_id !== undefined || tags.tags.length > 0) return { ask: ruled(text) };
  const isTimed = request.spans.some(
    ({ role, from }) => TIMED.has(role) && !spans.some((own) => from >= own.from && from < own.to),
  );
  const change = settingChange(words, { tag: tags.tempo_tag, isTimed }, context.settings);
  if ('why' in change) {
    if (change.why === 'lost') return { ask: leavesNothing(text, change.name) };
    return { ask: { same: isSet, outside: isOutside, unsaid: ruled }[change.why](text) };
  }
  const waiting = context.pending.find(({ action_type: type }) => type === 'configure');
  if (waiting) return { ask: ruleWaits(text, waiting.title) };
  const content = sentence(ruleName(text));
  const title = cut(content.replace(/\.$/, ''), LONGEST_NOTE_TITLE);
  const reasoning = reasonOf(request, { spans });
  return { intents: [{ action_type: 'configure', title, content, tags: [], ...change, reasoning }] };
};
