/** Which times and lengths of a language model's actions no word of the prompt says: it may mistake a day, or leave one out. */
import { dayName, lengthName, minutesName } from '../../time/say.ts';
import { addMinutes, type Instant, zoned } from '../../time/time.ts';
import { nameWords } from '../act/names.ts';
import { isForeign } from '../replies/set-replies.ts';
import { type Heard, heardIn, inHalf, numberOf } from './heard.ts';
import { hasName } from './spoken.ts';
import type { Intent, IntentContext } from './types.ts';

const MOST_CHARS = 5_000;
const MOST_NAMED = 5;
/** The most things that are compared, whatever a calendar or a prompt has. */
const MOST_THINGS = 40;
const MOST_APART = 20;
const MOST_EXDATES = 20;
const DAY = 1440;
/** A part of the day may begin or end this number of minutes earlier or later. */
const NEAR_PART = 60;
/** The days of a longer window than this are not compared with words. */
const LONGEST_WINDOW = 60;
const UNIT = 30;

/** An event or a proposal. */
type Target = Timed & { rrule?: string | null };
type Timed = { title: string; scheduled_for?: Instant | null; duration_minutes?: number | null };

/** What the prompt, its conversation and the calendar say: what each time of an action is compared with. */
type Scene = {
  /** The prompt alone, and with the turns before it. */
  own: Heard;
  all: readonly Heard[];
  zone: string;
  today: number;
  intents: readonly Intent[];
  targets: ReadonlyMap<Intent, Target | undefined>;
  /** Events and proposals that the prompt names, and what the built-in planner reads in it. */
  named: readonly Timed[];
  builtIn: readonly Intent[];
};

const hasClock = ({ clocks, ends, hours }: Heard): boolean => clocks.size + ends.size + hours.length > 0;
const hasDays = ({ days, bounds, repeated, isAnyDay }: Heard): boolean =>
  isAnyDay || days.length + bounds.length + repeated.size > 0;
const some = <T>(all: readonly Heard[], of: (heard: Heard) => Iterable<T>, most = Infinity): T[] =>
  all.flatMap((heard) => [...of(heard)]).slice(0, most);

const dayOf = (at: Instant, zone: string): number => numberOf(zoned(at, zone).toPlainDate());
const minuteOf = (at: Instant, zone: string): number => zoned(at, zone).hour * 60 + zoned(at, zone).minute;

/** The first and the last day, or the first and the last minute of the day, of what is known. */
const daysOf = ({ scheduled_for: at, duration_minutes: minutes }: Timed, zone: string): number[] =>
  at ? [at, addMinutes(at, Math.max(0, (minutes ?? 0) - 1))].map((one) => dayOf(one, zone)) : [];
const minutesOf = ({ scheduled_for: at, duration_minutes: minutes }: Timed, zone: string): number[] =>
  at ? [at, addMinutes(at, minutes ?? 0)].map((one) => minuteOf(one, zone)) : [];

type DaysSaid = (day: number, target: Target | undefined, isWish?: boolean) => boolean;

const isIn = (day: number, { from, to }: { from: number; to: number }): boolean => day >= from && day <= to;
const ENDS = new Set(['before', 'by', 'until']);

/** Whether a day is said. A wish may be on any day up to one that bounds it. */
const daysSaid = ({ all, zone, today, intents, named, builtIn }: Scene): DaysSaid => {
  const stretches = some(all, ({ days, bounds }) => [...days, ...bounds]);
  const bounds = some(all, (heard) => heard.bounds);
  const weekdays = new Set(some(all, ({ repeated }) => repeated));
  const windows = builtIn.flatMap(({ between }) => (between ? [between.start, addMinutes(between.end, -1)] : []));
  const known = new Set([
    ...[...named, ...builtIn].flatMap((one) => daysOf(one, zone)),
    ...windows.map((at) => dayOf(at, zone)),
  ]);
  const from = [...known, ...stretches.flatMap(({ from: first, to }) => [first, to]), today];
  const others = intents.flatMap((one) => daysOf(one, zone));
  const reached = new Set(
    some(all, ({ daysApart }) => daysApart, MOST_APART).flatMap((apart) =>
      [...from, ...others].flatMap((day) => [day - apart, day + apart]),
    ),
  );
  const last = Math.max(today, ...from);
  const isHeard = all.some(hasDays);
  const isOpen = all.some(({ relates }) => relates);
  return (day, target, isWish = false) => {
    // The first of January 1970 was a Thursday.
    if (all.some(({ isAnyDay }) => isAnyDay) || weekdays.has(((((day + 3) % 7) + 7) % 7) + 1)) return true;
    const own = target ? daysOf(target, zone) : [];
    if (stretches.some((stretch) => isIn(day, stretch)) || [known, reached, new Set(own)].some((set) => set.has(day)))
      return true;
    if (isWish && isOpen && isIn(day, { from: today, to: last })) return true;
    if (bounds.length > 0 && bounds.length === stretches.length)
      return bounds.every(({ edge, from: first, to }) => (ENDS.has(edge) ? day <= to : day >= first));
    // A clock time alone is that of today or tomorrow.
    return !isHeard && named.length + own.length === 0 && (!all.some(hasClock) || day <= today + 1);
  };
};

/** Whether a minute of the day is said as the start of this action. */
const isClockSaid = (scene: Scene, intent: Intent, minute: number, target: Target | undefined): boolean => {
  const { own, all, zone, intents, targets, named, builtIn } = scene;
  const heard = hasClock(own) || own.relates || own.changes.size > 0 ? [own] : all;
  const clocks = some(heard, (one) => one.clocks, MOST_THINGS);
  const isWithin = ({ after = 0, before = DAY }: Heard['hours'][number]): boolean =>
    minute >= after - NEAR_PART && minute <= before + NEAR_PART;
  if ((clocks.length === 0 || intents.length > 1) && some(heard, ({ hours }) => hours).some(isWithin)) return true;
  const length = intent.duration_minutes ?? target?.duration_minutes ?? UNIT;
  const isAt = (starts: readonly number[], by = 0): boolean => starts.some((at) => inHalf(at + by) === inHalf(minute));
  const planned = intents.filter((one) => one !== intent).map((one) => ({ ...targets.get(one), ...one }));
  const others = [...named.filter((one) => one !== target), ...planned];
  const near = others.flatMap((one) => minutesOf(one, zone));
  const points = [...near, ...builtIn.flatMap((one) => minutesOf(one, zone).slice(0, 1))];
  if (own.isSame) return isAt(points);
  const ends = some(heard, (one) => one.ends, MOST_THINGS);
  if (isAt([...clocks, ...points]) || isAt([...clocks, ...ends, ...points], -length)) return true;
  if (intents.length > 1 && isAt(ends)) return true;
  const before = target?.scheduled_for
    ? minutesOf({ ...target, duration_minutes: (target.duration_minutes ?? length) - length }, zone)
    : [];
  const isApart = (by: number, starts: readonly number[]): boolean => isAt(starts, by) || isAt(starts, -by);
  if (own.changes.size > 0) return [...own.changes].some((by) => isApart(by, target ? before : [...points, ...clocks]));
  const apart = some(heard, (one) => one.minutesApart, MOST_APART);
  const isNear = heard.some(({ relates }) => relates) || intents.length > 1;
  const from = [...near, ...clocks, ...ends, ...(near.length > 0 ? [] : before)];
  if (isNear && apart.some((by) => isApart(by, from))) return true;
  // 'Two days before the flight' says no hour.
  const isByDay = apart.length === 0 && heard.some(({ daysApart }) => daysApart.size > 0);
  return !heard.some(hasClock) && (points.length === 0 || isByDay);
};

const changesSomething = ({ target_event_uid: event, target_plan_uid: plan }: Intent): boolean =>
  event !== undefined || plan !== undefined;

/** Whether a length is said for this action, or follows from its start or end. */
const isLengthSaid = (scene: Scene, intent: Intent, target: Target | undefined): boolean => {
  const { own, all, zone, builtIn } = scene;
  const { duration_minutes: minutes } = intent;
  if (minutes === undefined || minutes === target?.duration_minutes) return true;
  const known = [...(target ? [target, ...builtIn.filter(changesSomething)] : builtIn)].flatMap(
    ({ duration_minutes: one }) => one ?? [],
  );
  const changed = [...own.changes].flatMap((by) => known.flatMap((one) => [one - by, one + by]));
  const lengths = some(
    own.lengths.size + own.changes.size + own.clocks.size + own.ends.size > 0 ? [own] : all,
    (one) => one.lengths,
  );
  if ([...lengths, ...known, ...changed].includes(minutes) || own.hasMultiple) return true;
  const start = minutesOf({ ...target, ...intent, duration_minutes: 0 }, zone);
  const end = target ? minutesOf(target, zone).slice(1) : [];
  const isFromClock = [...start, ...end].some((at) =>
    [...own.clocks, ...own.ends].some((clock) => inHalf(clock - at) === minutes || inHalf(at - clock) === minutes),
  );
  return isFromClock || (!target && some(all, (one) => one.lengths).length === 0);
};

/** What the built-in planner would make anew of the prompt, at this time where it makes several things. */
const readAnew = ({ builtIn }: Scene, { scheduled_for: at }: Intent): Intent[] => {
  const fresh = builtIn.filter(({ action_type: type, target_event_uid: uid }) => type === 'schedule' && !uid);
  return builtIn.length === 1 ? fresh : fresh.filter((one) => one.scheduled_for === at);
};

const hasEnd = (rule: string): boolean => /UNTIL|COUNT/.test(rule);
const isEnd = ({ edge }: Heard['bounds'][number]): boolean => edge === 'until';

/** What an action does not have although the prompt says it. */
const lacking = (scene: Scene, intent: Intent, target: Target | undefined): string[] => {
  const { own, intents } = scene;
  const { scheduled_for: at, between, duration_minutes: minutes, rrule, arguments: given } = intent;
  const read = readAnew(scene, intent);
  const isAlways = (is: (one: Intent) => boolean): boolean => read.length > 0 && read.every(is);
  const rule = rrule ?? target?.rrule ?? undefined;
  const lacksEnd = rule !== undefined && !hasEnd(rule) && own.bounds.some(isEnd) ? ['end'] : [];
  if (target) return lacksEnd;
  const isTimed = hasDays(own) || hasClock(own) || own.relates;
  const isLong = isAlways(({ duration_minutes: one }) => one !== undefined && own.lengths.has(one));
  const isSeries = intents.length === 1 && isAlways((one) => one.rrule !== undefined);
  return [
    ...(!at && !between && isTimed ? ['time'] : []),
    ...(minutes === undefined && !given.all_day && isLong ? ['length'] : []),
    ...(rule === undefined && isSeries ? ['repetition'] : []),
    ...lacksEnd,
  ];
};

/** Whether an action leaves its target as it is, and no word says that it should stay. */
const changesNothing = ({ all, zone }: Scene, intent: Intent, target: Target): boolean => {
  const { recurrence_id: _which, scope: _scope, ...given } = intent.arguments;
  const {
    scheduled_for: at,
    between,
    duration_minutes: minutes,
    duration_delta_minutes: delta,
    rrule,
    exdates,
  } = intent;
  const isSaid = ({ days, clocks }: Heard): boolean =>
    at !== undefined &&
    (days.some((stretch) => isIn(dayOf(at, zone), stretch)) || clocks.has(inHalf(minuteOf(at, zone))));
  return (
    (at === undefined || (at === target.scheduled_for && !all.some(isSaid))) &&
    (minutes === undefined || minutes === target.duration_minutes) &&
    [between, delta, rrule, exdates?.[0]].every((one) => one === undefined) &&
    Object.keys(given).length === 0 &&
    intent.title === target.title
  );
};

const WEEKDAYS = ['MO', 'TU', 'WE', 'TH', 'FR', 'SA', 'SU'];
const NAMES = ['Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday', 'Sunday'];

/** The weekdays of a rule that are not said, where any are. */
const weekdaysUnsaid = ({ all }: Scene, { rrule = '' }: Intent): string[] => {
  const said = new Set(some(all, ({ repeated, weekdays }) => [...repeated, ...weekdays]));
  const days = /BYDAY=([^;]*)/.exec(rrule)?.[1]?.split(',') ?? [];
  const numbers = days.map((day) => WEEKDAYS.indexOf(day.slice(-2)) + 1);
  return said.size === 0 ? [] : numbers.filter((day) => !said.has(day)).map((day) => NAMES[day - 1] ?? '');
};

/** The days of an action that are compared, each with how it is shown. */
const daysClaimed = (scene: Scene, intent: Intent, target: Target | undefined): [day: Instant, isWish: boolean][] => {
  const { zone, today, own } = scene;
  const { scheduled_for: at, between, duration_minutes: minutes = 0, exdates = [], arguments: given } = intent;
  const days: [Instant, boolean][] = exdates.slice(0, MOST_EXDATES).map((one) => [one, false]);
  if (at && (!target?.scheduled_for || dayOf(at, zone) !== dayOf(target.scheduled_for, zone))) days.push([at, false]);
  const isCounted = own.lengths.has(minutes) && own.days.every(({ from, to }) => from === to);
  if (at && given.all_day && minutes > DAY && !isCounted) days.push([addMinutes(at, minutes - 1), false]);
  if (!between) return days;
  const last = addMinutes(between.end, -1);
  if (dayOf(between.start, zone) !== today) days.push([between.start, true]);
  if (dayOf(last, zone) - dayOf(between.start, zone) < LONGEST_WINDOW) days.push([last, true]);
  return days;
};

/** The values of an action that are not said, as words. */
const valuesUnsaid = (scene: Scene, isDaySaid: DaysSaid, intent: Intent, target: Target | undefined): string[] => {
  const { zone } = scene;
  const { scheduled_for: at, duration_minutes: minutes, arguments: given } = intent;
  const days = daysClaimed(scene, intent, target).filter(
    ([day, isWish]) => !isDaySaid(dayOf(day, zone), target, isWish),
  );
  const isKept = target?.scheduled_for && at && minuteOf(at, zone) === minuteOf(target.scheduled_for, zone);
  const isClocked = at && !given.all_day && !isKept && !isClockSaid(scene, intent, minuteOf(at, zone), target);
  return [
    ...days.map(([day]) => dayName(zoned(day, zone))),
    ...(isClocked ? [minutesName(minuteOf(at, zone))] : []),
    ...(given.all_day || isLengthSaid(scene, intent, target) ? [] : [lengthName(minutes!)]),
    ...weekdaysUnsaid(scene, intent),
  ];
};

const targetOf = (intent: Intent, { events, pending }: IntentContext): Target | undefined => {
  const { target_event_uid: event, target_plan_uid: plan, arguments: given } = intent;
  const isMeant = ({ uid, recurrence_id: which }: IntentContext['events'][number]): boolean =>
    uid === event && (!given.recurrence_id || which === given.recurrence_id);
  return events.find(isMeant) ?? pending.find(({ uid }) => uid === plan);
};

/** The things that the words name, without those of which another one has more of the words: 'team lunch' is no other lunch. */
const namedBy = <T extends Timed>(asked: readonly string[], things: readonly T[]): T[] => {
  const words = new Map<string, Set<string>>();
  for (const { title } of things)
    if (!words.has(title)) words.set(title, new Set(nameWords(title).filter((word) => hasName(asked, word))));
  const named = [...words].filter(([, own]) => own.size > 0).slice(0, MOST_THINGS);
  const isBest = ([title, own]: (typeof named)[number]): boolean =>
    nameWords(title).every((word) => own.has(word)) ||
    !named.some(([, other]) => other.size > own.size && own.isSubsetOf(other));
  const best = new Set(named.filter(isBest).map(([title]) => title));
  return things.filter(({ title }) => best.has(title)).slice(0, MOST_THINGS);
};

const sceneOf = (
  prompt: string,
  intents: readonly Intent[],
  builtIn: readonly Intent[],
  context: IntentContext,
): Scene => {
  const { zone, now, before, events, pending } = context;
  const turns = (before?.turns ?? []).map((turn) => turn.prompt.slice(0, MOST_CHARS));
  const asked = nameWords([prompt, ...turns].join('\n'));
  const own = heardIn(prompt, context);
  return {
    ...{ own, all: [own, ...turns.map((text) => heardIn(text, context))], zone, today: dayOf(now, zone), intents },
    targets: new Map(intents.map((intent) => [intent, targetOf(intent, context)])),
    named: [
      ...pending.filter(({ uid }) => before?.plan_uids?.includes(uid)).slice(0, MOST_THINGS),
      ...namedBy<Timed>(asked, [...pending, ...events]),
    ],
    builtIn: builtIn.slice(0, MOST_THINGS),
  };
};

/**
 * What of the actions no word says, and what they do not have although the prompt says it, as sentences. A prompt in another language
 * is not judged. Run it with runYielding.
 * @param builtIn what the built-in planner reads in the prompt
 */
export const unsaid = function* (
  whole: string,
  intents: readonly Intent[],
  builtIn: readonly Intent[],
  context: IntentContext,
): Generator<undefined, string[]> {
  const prompt = whole.slice(0, MOST_CHARS);
  const judged = intents.filter(({ action_type: type }) => type !== 'configure' && type !== 'log');
  if (isForeign(prompt) || judged.length === 0) return [];
  const scene = sceneOf(prompt, judged, builtIn, context);
  const isDaySaid = daysSaid(scene);
  const [unsaidOf, without, unchanged]: string[][] = [[], [], []];
  for (const intent of judged) {
    yield;
    const target = scene.targets.get(intent);
    const name = `“${intent.title}”`;
    unsaidOf!.push(...valuesUnsaid(scene, isDaySaid, intent, target).map((value) => `${value} for ${name}`));
    if (target && changesNothing(scene, intent, target)) unchanged!.push(name);
    if (intent.action_type === 'schedule')
      without!.push(...lacking(scene, intent, target).map((what) => `no ${what} for ${name}`));
  }
  const say = (head: string, all: string[]): string[] =>
    all.length > 0 ? [`${head} ${[...new Set(all)].slice(0, MOST_NAMED).join(', ')}. Is that right?`] : [];
  return [
    ...say('Your words do not say', unsaidOf!),
    ...say('Your words say more, but I have', without!),
    ...say('Nothing changes for', unchanged!),
  ];
};
