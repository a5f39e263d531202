/** Says in words what is proposed, and when. */
import type { Instant, Interval } from '../../time/time.ts';
import { dateName, daysName, lengthName, timeName, windowName } from '../../time/say.ts';
import { mergeSpans, subtractSpans, toInterval, toSpan } from '../../time/spans.ts';
import type { Intent, IntentContext, PartOfDay } from './types.ts';

/** When something is, as far as it is known. */
type Slot = {
  at?: Instant;
  between?: Interval;
  avoid?: readonly Interval[];
  part?: PartOfDay;
  after?: string;
  before?: string;
  all_day?: true;
};

/** More windows than these are said as the time from the first to the last. */
const MOST_WINDOWS = 4;

/** 'Saturday 28 November or Sunday 29 November, 12:00 to 24:00'. */
const windowsName = (between: Interval, avoid: readonly Interval[] = [], zone: string): string => {
  const windows = subtractSpans([toSpan(between)], mergeSpans(avoid.map(toSpan)));
  const said = windows.length > 0 && windows.length <= MOST_WINDOWS ? windows.map(toInterval) : [between];
  return said.map((window) => windowName(window, zone)).join(' or ');
};

/** 'on Friday 27 November at 15:30', 'in the window ...', 'in the best free slot'. */
export const slotName = (
  { at, between, avoid, all_day, part, after, before }: Slot,
  { now, zone }: IntentContext,
): string => {
  if (at && all_day) return `all day on ${dateName(at, zone, now)}`;
  if (at) return `on ${timeName(at, zone, now)}`;
  if (!between) return 'in the best free time';
  const name = windowsName(between, avoid, zone);
  const hours = [
    part && !/\d:\d/.test(name) && `in the ${part}`,
    after && `after ${after}`,
    before && `before ${before}`,
  ];
  return ['in free time on', name, ...hours].filter(Boolean).join(' ');
};

/** When an intent is, the first time of a series; undefined where nothing of it is known. */
export const timeOf = (intent: Intent, context: IntentContext): string | undefined => {
  const slot = slotOf(intent);
  return slot.at || slot.between ? slotName(slot, context) : undefined;
};

const slotOf = ({ scheduled_for, between, avoid, part_of_day, arguments: own }: Intent): Slot => ({
  ...(scheduled_for && { at: scheduled_for }),
  ...(between && { between }),
  ...(avoid && { avoid }),
  ...(part_of_day && { part: part_of_day }),
  ...(typeof own.after === 'string' && { after: own.after }),
  ...(typeof own.before === 'string' && { before: own.before }),
  ...(own.all_day === true && { all_day: true as const }),
});

/** '2 hours'; of several whole days '3 days'. */
const lengthSaid = (minutes: number, isDays: boolean): string => {
  if (!isDays) return lengthName(minutes);
  return minutes > ONE_DAY ? daysName(minutes) : '';
};
/** The longest day, when the clocks go back. */
const ONE_DAY = 25 * 60;

/** '“Writing”, 2 hours, 3 times: in free time on ...'. */
const saying = (group: readonly Intent[], context: IntentContext): string => {
  const [intent] = group as [Intent, ...Intent[]];
  if (intent.target_event_uid || (intent.target_plan_uid && !intent.replaces)) return intent.content.replace(/\.$/, '');
  const timed = intent.scheduled_for || intent.between || intent.action_type === 'schedule';
  const times = group.slice(0, SHOWN).map((each) => slotName(slotOf(each), context));
  const more = group.length > SHOWN ? ` and ${group.length - SHOWN} more` : '';
  return [
    intent.action_type === 'log' ? `note “${intent.title}”` : `“${intent.title}”`,
    intent.duration_minutes !== undefined && lengthSaid(intent.duration_minutes, intent.arguments.all_day === true),
    group.length > 1 && `${group.length} times`,
    timed && `${intent.rrule ? 'a series from the first ' : ''}${times.join('; ')}${more}`,
  ]
    .filter(Boolean)
    .join(', ');
};
const SHOWN = 5;

/** Groups the occurrences of one request. */
const grouped = (intents: readonly Intent[]): Intent[][] => {
  const groups: Intent[][] = [];
  for (const intent of intents) {
    const [first] = groups.at(-1) ?? [];
    const same =
      first &&
      !intent.target_event_uid &&
      !intent.target_plan_uid &&
      first.title === intent.title &&
      first.action_type === intent.action_type;
    if (same) groups.at(-1)!.push(intent);
    else groups.push([intent]);
  }
  return groups;
};

/** 'I propose: A; B; and 3 more.' */
const listed = (verb: string, said: readonly string[]): string =>
  `${verb} ${said.slice(0, SHOWN).join('; ')}${said.length > SHOWN ? `; and ${said.length - SHOWN} more` : ''}.`;

/** 'I have withdrawn A. I propose: B.' */
export const saidOf = (gone: readonly string[], made: readonly string[]): string =>
  [gone.length > 0 && listed('I have withdrawn', gone), made.length > 0 && listed('I propose:', made)]
    .filter(Boolean)
    .join(' ');

/** Whether an intent only withdraws a proposal that waits. */
export const withdraws = ({ target_plan_uid: uid, arguments: own }: Intent): boolean =>
  uid !== undefined && own.cancel === true;

/** 'I propose to change your settings: Nothing before nine on weekdays.' */
const settingsSaid = (intents: readonly Intent[]): string => {
  const titles = intents.map(({ title }) => title.replace(/[.;]$/, ''));
  return titles.length > 0 ? listed('I propose to change your settings:', titles) : '';
};

/** What is withdrawn and what is proposed, in words. */
export const sayIntents = (intents: readonly Intent[], context: IntentContext): string => {
  const gone = intents.filter(withdraws).map(({ content }) => content.replace(/^Withdraw |\.$/g, ''));
  const isSetting = ({ action_type: type }: Intent): boolean => type === 'configure';
  const others = intents.filter((intent) => !withdraws(intent));
  const made = grouped(others.filter((intent) => !isSetting(intent))).map((group) => saying(group, context));
  return [saidOf(gone, made), settingsSaid(others.filter(isSetting))].filter(Boolean).join(' ');
};
