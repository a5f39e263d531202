/** Which times and lengths of a language model's actions no word of the prompt says: it may mistake a day, or leave one out. */
import { dateName, lengthName, minutesName, WEEKDAY_NAMES } from '../../time/say.ts';
import { addMinutes, type Instant, type Interval } from '../../time/time.ts';
import { partsOf } from '../../calendar/rrule-parts.ts';
import { WEEKDAYS } from '../../plan/weekdays.ts';
import { isForeign } from '../replies/set-replies.ts';
import { MOST_WORDS, wordsOf } from '../roles/words.ts';
import { type Heard, inHalf } from './heard.ts';
import { daysSaid, type DaysSaid, isClockSaid, isIn, isLengthSaid, type Way } from './said-values.ts';
import { dayOf, hasClock, hasDays, minuteOf, MOST_CHARS, type Scene, sceneOf, some, type Target } from './scene.ts';
import type { Intent, IntentContext } from './types.ts';

const MOST_NAMED = 5;
const MOST_EXDATES = 20;
const DAY = 1440;
/** The days of a longer window than this are not compared with words. */
const LONGEST_WINDOW = 60;

/** What the built-in planner would propose as something new, at this time where it makes several things. */
const readAnew = ({ builtIn }: Scene, { scheduled_for: at }: Intent): Intent[] => {
  const fresh = builtIn.filter(({ action_type: type, target_event_uid: uid }) => type === 'schedule' && !uid);
  return builtIn.length === 1 ? fresh : fresh.filter((one) => one.scheduled_for === at);
};

const hasEnd = (rule: string): boolean => /UNTIL|COUNT/i.test(rule);
const isEnd = ({ edge }: Heard['bounds'][number]): boolean => edge === 'until';

/** What something new does not have although the prompt says it. */
const lackingNew = (scene: Scene, intent: Intent): string[] => {
  const { own, intents } = scene;
  const { scheduled_for: at, between, duration_minutes: minutes, rrule, arguments: given } = intent;
  const read = readAnew(scene, intent);
  const isAlways = (is: (one: Intent) => boolean): boolean => read.length > 0 && read.every(is);
  const hasTime = at !== undefined || between !== undefined;
  const isLong = isAlways(({ duration_minutes: one }) => one !== undefined && own.lengths.has(one));
  const isSeries = intents.length === 1 && isAlways((one) => one.rrule !== undefined);
  return [
    ...(!hasTime && [hasDays(own), hasClock(own), own.relates].includes(true) ? ['time'] : []),
    ...(minutes === undefined && !given.all_day && isLong ? ['length'] : []),
    ...(rrule === undefined && isSeries ? ['repetition'] : []),
  ];
};

/** What an action does not have although the prompt says it. */
const lacking = (scene: Scene, intent: Intent, target: Target | undefined): string[] => {
  const rule = intent.rrule ?? target?.rrule ?? undefined;
  const lacksEnd = rule !== undefined && !hasEnd(rule) && scene.own.bounds.some(isEnd);
  return [...(target ? [] : lackingNew(scene, intent)), ...(lacksEnd ? ['end'] : [])];
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

/** The weekdays of a rule that are not said, where any are. */
const weekdaysUnsaid = ({ all }: Scene, { rrule = '' }: Intent): string[] => {
  const said = new Set(some(all, ({ repeated, weekdays }) => [...repeated, ...weekdays]));
  if (said.size === 0 || all.some(({ isAnyDay }) => isAnyDay)) return [];
  const days = partsOf(rrule)['BYDAY']?.split(',') ?? [];
  const places = days.map((day) => WEEKDAYS.findIndex((name) => day.toUpperCase().endsWith(name)));
  return places.filter((place) => place >= 0 && !said.has(place + 1)).map((place) => WEEKDAY_NAMES[place]!);
};

type Claim = [day: Instant, way: Way];

/** The ends of the window of a wish. */
const windowClaimed = ({ zone, today, own }: Scene, { start, end }: Interval): Claim[] => {
  const last = addMinutes(end, -1);
  const isShort = dayOf(last, zone) - dayOf(start, zone) < LONGEST_WINDOW;
  return [
    ...(dayOf(start, zone) === today ? [] : ([[start, 'wish']] as Claim[])),
    ...(hasDays(own) || isShort ? ([[last, 'wish']] as Claim[]) : []),
  ];
};

/** The days of an action that are compared. */
const daysClaimed = (scene: Scene, intent: Intent, target: Target | undefined): Claim[] => {
  const { zone, own } = scene;
  const { scheduled_for: at, between, duration_minutes: minutes = 0, exdates = [], arguments: given } = intent;
  const isKept = at && target?.scheduled_for && dayOf(at, zone) === dayOf(target.scheduled_for, zone);
  const isCounted = own.lengths.has(minutes) && own.days.every(({ from, to }) => from === to);
  const hasLast = at && given.all_day && minutes > DAY && !isCounted;
  return [
    ...exdates.slice(0, MOST_EXDATES).map((one): Claim => [one, 'left out']),
    ...(at && !isKept ? ([[at, 'start']] as Claim[]) : []),
    ...(hasLast ? ([[addMinutes(at, minutes - 1), 'start']] as Claim[]) : []),
    ...(between ? windowClaimed(scene, between) : []),
  ];
};

/** The values of an action that are not said, as words. */
const valuesUnsaid = (scene: Scene, isDaySaid: DaysSaid, intent: Intent, target: Target | undefined): string[] => {
  const { zone, now } = scene;
  const { scheduled_for: at, duration_minutes: minutes, arguments: given } = intent;
  const days = daysClaimed(scene, intent, target).filter(
    ([day, isWish]) => !isDaySaid(dayOf(day, zone), target, isWish),
  );
  const isKept = target?.scheduled_for && at && minuteOf(at, zone) === minuteOf(target.scheduled_for, zone);
  const isClocked = at && !given.all_day && !isKept && !isClockSaid(scene, intent, minuteOf(at, zone), target);
  return [
    ...days.map(([day]) => dateName(day, zone, now)),
    ...(isClocked ? [minutesName(minuteOf(at, zone))] : []),
    ...(given.all_day || isLengthSaid(scene, intent, target) ? [] : [lengthName(minutes!)]),
    ...weekdaysUnsaid(scene, intent),
  ];
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
  // Of more words the roles are not read.
  if (isForeign(prompt) || judged.length === 0 || wordsOf(prompt).length >= MOST_WORDS) return [];
  const scene = sceneOf(prompt, judged, builtIn, context);
  yield;
  const isDaySaid = daysSaid(scene);
  const [unsaidOf, without, unchanged]: string[][] = [[], [], []];
  for (const intent of judged) {
    yield;
    const target = scene.targets.get(intent);
    const name = `“${intent.title}”`;
    const values = [...new Set(valuesUnsaid(scene, isDaySaid, intent, target))].slice(0, MOST_NAMED);
    if (values.length > 0) unsaidOf!.push(`${values.join(' and ')} for ${name}`);
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
