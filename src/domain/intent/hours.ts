/** Hours of a day: decides which half of the day a bare '3' is in, and what contradicts 'tomorrow morning'. */
import type { Clock, Part } from './facet.ts';
import type { Gathered } from './gather.ts';
import type { PartOfDay } from './types.ts';
import { setOf } from './words.ts';

/** Minutes from the day's midnight (over 1440: into the next day). `clip`: where it has begun, what is left of it counts. */
export type Wall = { minutes: number; zone?: string; otherHalf?: number; clip?: true };
/** What a request wants of each of its days: exact starts, or a window. */
export type DayTimes =
  | { exact: { start: Wall; minutes?: number }[] }
  | { window: { from: number; to: number; part?: PartOfDay; zone?: string }; said: boolean }
  | { ask: string };

/** Meals name their hour without saying it; also what 'dinner at 8' means. */
const MEALS: [RegExp, Part][] = [
  [/^(?:breakfast)$/, { name: 'morning', from: 7, to: 10 }],
  [/^(?:brunch)$/, { name: 'morning', from: 10, to: 13 }],
  [/^(?:lunch|luncheon)$/, { name: 'afternoon', from: 12, to: 14 }],
  [/^(?:dinner|supper|drinks|cinema|party|concert|movie|theatre|theater|pub)$/, { name: 'evening', from: 18, to: 22 }],
];
const AFTER_MEAL = /^(?:with|at|on|for|in|together|date|meeting|by|time)$/;

/** The part of the day a title implies: 'Team lunch', 'Dinner with Anna', not 'Dinner menu'. */
export const impliedPart = (title: string): Part | undefined => {
  const words = title.toLowerCase().split(' ').slice(0, 12);
  const at = words.findIndex(
    (word, i) => MEALS.some(([meal]) => meal.test(word)) && (i === words.length - 1 || AFTER_MEAL.test(words[i + 1]!)),
  );
  return at < 0 ? undefined : MEALS.find(([meal]) => meal.test(words[at]!))?.[1];
};

const SOCIAL = setOf(
  'dinner supper drink beer wine cocktail pub bar cinema movie film party concert gig theatre theater opera ballet show quiz trivia bingo choir band rehearsal date bbq barbecue takeaway pizza pasta sushi tapas poker salsa tango dance dancing babysit babysitting bedtime comedy disco karaoke night reception gala restaurant sauna game match recital homework book',
);
const SPORTS = setOf(
  'early earlies breakfast jog jogging run running gym workout swim swimming yoga pilates spin spinning crossfit sunrise alarm wake commute meditate meditation stretching bike cycling rowing lap drop blood school nursery ward',
);
/** Timetables count 24 hours: 'train at 6:52'. */
const TIMETABLED = setOf('train flight plane bus coach ferry tram airport');
const isOneOf = (words: ReadonlySet<string>, word: string): boolean =>
  words.has(word) || words.has(word.replace(/s$/, ''));

export const isTimetabled = (title: string): boolean =>
  (title.toLowerCase().match(/[\p{L}-]+/gu) ?? []).slice(0, 12).some((word) => isOneOf(TIMETABLED, word));

/** The part of the day that a bare 6 to 9 is in, by what is done then: 'beers at 7', 'gym at 6:30'. */
export const usualPart = (title: string, hasMinutes: boolean): PartOfDay | undefined => {
  const words =
    title
      .toLowerCase()
      .match(/[\p{L}-]+/gu)
      ?.slice(0, 12) ?? [];
  return words.some((word) => isOneOf(SOCIAL, word))
    ? 'evening'
    : words.some((word) => isOneOf(SPORTS, word) || (hasMinutes && isOneOf(TIMETABLED, word)))
      ? 'morning'
      : undefined;
};

/** The hours that are as usual before noon as after it. */
const isOpenHour = ({ hour, fixed }: Clock): boolean => !fixed && (hour === 6 || hour === 7);

/** 'at 6': asked about, where nothing says which half of the day is meant. */
export const openHourAsk = (g: Gathered, hint: Part | undefined): string | null => {
  const first = g.clocks?.[0] ?? (g.hours?.exact ? g.hours.from : undefined);
  const open = [first, ...(g.clocks ?? [])].find((clock) => clock && isOpenHour(clock));
  if (!open || g.part || hint || g.hours?.to?.fixed) return null;
  const text = (hour: number): string => `${String(hour).padStart(2, '0')}:${String(open.minute).padStart(2, '0')}`;
  return `at ${text(open.hour)} or at ${text(open.hour + 12)}?`;
};

const TOLERANCE: Record<PartOfDay, [number, number]> = {
  morning: [0, 12],
  afternoon: [11, 19],
  evening: [16, 24],
  night: [17, 30],
};

const fits = (hour: number, part: Part): boolean => hour >= TOLERANCE[part.name][0] && hour <= TOLERANCE[part.name][1];

/** The hour of a bare 1 to 12: within the part named, else the working day's (7 to 18). */
const guess = (hour: number, part: Part | undefined): number => {
  const am = hour % 12;
  if (part?.name === 'morning') return hour === 12 ? 12 : am;
  if (part?.name === 'night') return am < 5 ? am + 24 : am + 12;
  if (part?.name === 'evening') return am === 0 ? 24 : am + 12;
  if (part?.name === 'afternoon') return am + 12;
  return am >= 7 ? am : am + 12;
};

const resolve = (clock: Clock, part: Part | undefined, hint: Part | undefined): Wall | null => {
  const zone = clock.zone ? { zone: clock.zone } : {};
  if (!clock.fixed) {
    const hour = guess(clock.hour, part ?? hint);
    const otherHalf = part ? undefined : (hour + 12) * 60 + clock.minute;
    return { minutes: hour * 60 + clock.minute, ...zone, ...(otherHalf && otherHalf < 1440 && { otherHalf }) };
  }
  const hour = part?.name === 'night' && clock.hour < 6 ? clock.hour + 24 : clock.hour;
  return !part || fits(hour, part) ? { minutes: hour * 60 + clock.minute, ...zone } : null;
};

/** Both ends of a range: the bare end takes the half of the day that makes the range short and forward. */
const resolveRange = (from: Clock, to: Clock, part?: Part, hint?: Part): [Wall, number] | null => {
  const day = 1440;
  const halves = ({ hour, minute, fixed }: Clock): number[] =>
    fixed ? [hour * 60 + minute] : [(hour % 12) * 60 + minute, (hour % 12) * 60 + minute + 720];
  const start = from.fixed || !to.fixed || part ? resolve(from, part, hint) : null;
  const starts = start ? [start.minutes] : halves(from);
  let best: [number, number] | null = null;
  for (const a of starts)
    for (const b of halves(to)) {
      const length = (b - a + day) % day;
      if (length > 0 && (!best || length < best[1] || (length === best[1] && a < best[0]))) best = [a, length];
    }
  if (!best || (from.fixed && part && !start)) return null;
  return [{ minutes: best[0], ...((from.zone ?? to.zone) ? { zone: (from.zone ?? to.zone)! } : {}) }, best[1]];
};

const clash = (part: Part): string => `That time is not in the ${part.name}. When should it be?`;

const rangeTimes = (g: Gathered, from: Clock, to: Clock, exact: boolean, hint?: Part): DayTimes => {
  const range = resolveRange(from, to, g.part, hint);
  if (!range) return { ask: g.part ? clash(g.part) : 'It would end when it begins. When should it be?' };
  const [start, length] = range;
  if (length > 16 * 60) return { ask: 'It would end before it begins. When should it be?' };
  if (g.duration !== undefined && g.duration > length)
    return { ask: 'It is longer than the time you named. Which of the two shall it be?' };
  if (exact && (g.duration === undefined || g.duration === length)) {
    const also = (g.hours?.also ?? []).map(([a, b]) => resolveRange(a, b, g.part, hint));
    return {
      exact: [[start, length] as const, ...also.filter((more) => more !== null)].map(([at, minutes]) => ({
        start: at,
        minutes,
      })),
    };
  }
  return {
    window: { from: start.minutes, to: start.minutes + length, ...(start.zone && { zone: start.zone }) },
    said: true,
  };
};

/** 'after 4pm', 'before 10'. */
const boundTimes = ({ part, hours }: Gathered, hint?: Part): DayTimes => {
  const from = hours?.from ? resolve(hours.from, part, hint) : { minutes: (part?.from ?? 0) * 60 };
  const to = hours?.to
    ? resolve(hours.to, part, hint)
    : { minutes: (part && !hours?.from ? part.to : hours?.from && part ? Math.max(part.to, 24) : 24) * 60 };
  if (!from || !to) return { ask: clash(part!) };
  if (from.minutes >= to.minutes) return { ask: 'No time is left between the hours you named. When should it be?' };
  const zone = hours?.from?.zone ?? hours?.to?.zone;
  return {
    window: { from: from.minutes, to: to.minutes, ...(part && { part: part.name }), ...(zone && { zone }) },
    said: true,
  };
};

/** What the request wants of each of its days; `hint` is the part of the day its title implies. */
export const dayTimes = (g: Gathered, hint?: Part): DayTimes => {
  if (g.clocks) {
    const starts = g.clocks.map((clock) => resolve(clock, g.part, hint));
    const clashes = starts.some((start) => start === null);
    // 'handover with the night team at 6:45'
    if (clashes && g.isLoose) {
      const { part: _part, ...rest } = g;
      return dayTimes(rest, hint);
    }
    if (clashes) return { ask: clash(g.part!) };
    return { exact: starts.map((start) => ({ start: start! })) };
  }
  if (g.hours?.from && g.hours.to) return rangeTimes(g, g.hours.from, g.hours.to, g.hours.exact, hint);
  if (g.hours) return boundTimes(g, hint);
  const part = g.part ?? hint;
  if (part && g.whole)
    return { exact: [{ start: { minutes: part.from * 60, clip: true }, minutes: (part.to - part.from) * 60 }] };
  if (part) return { window: { from: part.from * 60, to: part.to * 60, part: part.name }, said: true };
  return { window: { from: 0, to: 1440 }, said: false };
};
