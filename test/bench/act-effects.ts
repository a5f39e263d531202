/** Compares actions with the wanted effects of a file (../shared/planner-trial/effects.md has their notation). */
import { readFileSync } from 'node:fs';
import type { Action, Creation, Target } from '../../src/domain/planner/act/actions.ts';
import type { Known, KnownEvent } from '../../src/domain/planner/act/known.ts';
import type { Hours } from '../../src/domain/planner/time/settle.ts';
import { wordsOf } from '../../src/domain/planner/act/names.ts';
import { turn } from '../../src/domain/planner/dialogue/turn.ts';
import { actedOn } from '../../src/domain/planner/intents/acted.ts';
import { annotated, written } from '../support/annotated.ts';

type Between = { from?: string; to?: string };
type Window = { after?: string; before?: string };
export type Effect = {
  do: string;
  title?: string;
  text?: string;
  event?: string | string[];
  date?: string | string[] | Between;
  at?: string | Window | null;
  minutes?: number | null;
  days?: number;
  repeat?: string;
  until?: string;
  times?: number;
  except?: string[];
  place?: string;
  notes?: string;
  about?: string;
};

const NOW = Temporal.PlainDateTime.from('2026-11-26T10:00');
/** The calendar of effects.md: title, first day, time, minutes; those with 'weekly' every week for half a year. */
const CALENDAR: [title: string, start: string, minutes: number, weekly?: 'weekly'][] = [
  ['Dentist', '2026-12-01T09:00', 45],
  ['Choir rehearsal', '2026-11-22T19:00', 120, 'weekly'],
  ['Statistics tutorial', '2026-11-20T10:15', 90, 'weekly'],
  ['Lunch with Bea', '2026-11-28T12:30', 60],
  ['Physio', '2026-11-30T08:30', 30],
  ['Board prep', '2026-12-02T14:00', 90],
  ['Oskar’s birthday party', '2026-12-05T15:00', 180],
  ['Plumber', '2026-11-27T08:00', 60],
  ['Call with the tax advisor', '2026-12-03T16:00', 30],
  ['Guitar lesson', '2026-11-19T17:30', 45, 'weekly'],
  ['Team lunch', '2026-11-27T12:00', 60],
  ['Flight to Lisbon', '2026-12-10T07:10', 190],
];
const WEEKS = 30;

export const KNOWN: Known = {
  now: NOW,
  zone: 'Europe/Berlin',
  workHours: { from: 540, to: 1050 },
  events: CALENDAR.flatMap(([title, first, minutes, weekly]): KnownEvent[] => {
    const start = Temporal.PlainDateTime.from(first);
    if (!weekly) return [{ uid: title, title, start, minutes }];
    return Array.from({ length: WEEKS }, (_, i) => {
      const own = start.add({ days: 7 * i });
      return { uid: title, recurrence_id: own.toString(), title, start: own, minutes };
    });
  }),
  pending: [],
};

const clock = (minute: number): string =>
  `${String(Math.floor(minute / 60)).padStart(2, '0')}:${String(minute % 60).padStart(2, '0')}`;
const eventOf = ({ uid, recurrence_id }: Target): KnownEvent =>
  KNOWN.events.find((one) => one.uid === uid && one.recurrence_id === recurrence_id)!;

const windowOf = ({ after, before }: Hours): Window => ({
  ...(after !== undefined && { after: clock(after) }),
  ...(before !== undefined && { before: clock(before) }),
});
const dateOf = (date: Creation['date']): string | Between =>
  'from' in date ? { from: date.from.toString(), to: date.to.toString() } : date.toString();
const atOf = (at: Creation['at']): string | Window | undefined =>
  at === null ? undefined : typeof at === 'number' ? clock(at) : windowOf(at);

/** The notation has stretches without holes, so the longest one without days that are left out is compared. */
const longestRun = ({ date, avoid = [], times }: Creation): Creation['date'] => {
  if (!('from' in date) || avoid.length === 0 || times) return date;
  const isFree = (day: Temporal.PlainDate): boolean => !avoid.some((one) => one.equals(day));
  type Run = { from: Temporal.PlainDate; to: Temporal.PlainDate };
  let best: Run | null = null;
  let run = null as Run | null;
  for (let day = date.from; Temporal.PlainDate.compare(day, date.to) <= 0; day = day.add({ days: 1 })) {
    run = isFree(day) ? { from: run?.from ?? day, to: day } : null;
    if (run && (!best || run.from.until(run.to).days > best.from.until(best.to).days)) best = run;
  }
  return best ?? date;
};

const creationOf = (creation: Creation): Effect => {
  const { series, avoid, times, place, notes, minutes, days } = creation;
  const at = atOf(creation.at);
  const except = (series?.except ?? avoid)?.map(String);
  const count = series?.times ?? times;
  return {
    do: creation.do,
    title: creation.title,
    date: dateOf(longestRun(creation)),
    ...(at !== undefined && { at }),
    ...(minutes !== undefined && { minutes }),
    ...(days !== undefined && { days }),
    ...(series && { repeat: series.rule }),
    ...(series?.until && { until: series.until.toString() }),
    ...(count !== undefined && { times: count }),
    ...(except && { except }),
    ...(place && { place }),
    ...(notes && { notes }),
  };
};

export const effectOf = (action: Action): Effect => {
  switch (action.do) {
    case 'create':
    case 'remind':
    case 'find':
      return creationOf(action);
    case 'move': {
      const at = atOf(action.at);
      const { minutes, series } = action;
      return {
        do: 'move',
        event: eventOf(action.target).title,
        date: dateOf(action.date),
        ...(at !== undefined && { at }),
        ...(minutes !== undefined && { minutes }),
        ...(series && { repeat: series.rule }),
      };
    }
    case 'cancel': {
      const { title, start } = eventOf(action.target);
      const day = start.toPlainDate().toString();
      return { do: 'cancel', event: title, date: action.isFollowing ? { from: day } : day };
    }
    case 'resize': {
      const { title, start } = eventOf(action.target);
      const until = clock(start.hour * 60 + start.minute + action.minutes);
      return { do: 'resize', event: title, date: start.toPlainDate().toString(), minutes: action.minutes, until };
    }
    case 'change': {
      const { target, spans: _, ...change } = action;
      const { title, start } = eventOf(target);
      return { ...change, event: title, date: start.toPlainDate().toString() };
    }
    case 'note':
    case 'setting':
    case 'answer':
    case 'reflect':
      return { do: action.do, text: action.text };
    default:
      return { do: action.do };
  }
};

const NOT_COMPARED = new Set(['the', 'a', 'an', 'of', 'to', 'with', 'for', 'my', 'and']);
const hasWords = (text: string | undefined, wanted: string | undefined): boolean => {
  const own = wordsOf(text ?? '').join(' ');
  return wordsOf(wanted ?? '').every((word) => NOT_COMPARED.has(word) || own.includes(word));
};

const isDate = (got: Effect['date'], wanted: Effect['date']): boolean => {
  if (wanted === undefined) return true;
  if (got === undefined || Array.isArray(got)) return false;
  if (typeof got !== 'string')
    return (
      typeof wanted === 'object' &&
      !Array.isArray(wanted) &&
      (!wanted.from || (got.from ?? '') >= wanted.from) &&
      (!wanted.to || (got.to ?? '9') <= wanted.to)
    );
  if (typeof wanted === 'string') return got === wanted;
  if (Array.isArray(wanted)) return wanted.includes(got);
  return (!wanted.from || got >= wanted.from) && (!wanted.to || got <= wanted.to);
};

const isTime = (got: Effect['at'], wanted: Effect['at']): boolean => {
  if (wanted === undefined || wanted === null) return true;
  if (typeof wanted === 'string') return got === wanted;
  if (got === undefined || got === null) return false;
  if (typeof got === 'string') return (!wanted.after || got >= wanted.after) && (!wanted.before || got < wanted.before);
  return (
    (!wanted.after || (got.after ?? '00:00') >= wanted.after) &&
    (!wanted.before || (got.before ?? '24:00') <= wanted.before)
  );
};

const KINDS: Readonly<Record<string, string>> = { find: 'create', remind: 'create' };
const kindOf = ({ do: kind }: Effect): string => KINDS[kind] ?? kind;

const partsOf = (rule: string | undefined): string =>
  (rule ?? '')
    .split(';')
    .filter((part) => part && part !== 'INTERVAL=1')
    .map((part) => (part.startsWith('BYDAY=') ? `BYDAY=${part.slice(6).split(',').sort().join()}` : part))
    .sort()
    .join(';');

const isEvent = (got: Effect['event'], wanted: Effect['event']): boolean =>
  wanted === undefined ||
  [wanted].flat().every((one) => [got ?? ''].flat().some((own) => hasWords(own, one) || hasWords(one, own)));

const isRepetition = (got: Effect, wanted: Effect): boolean =>
  partsOf(got.repeat) === partsOf(wanted.repeat) &&
  (wanted.until === undefined || got.until === wanted.until) &&
  (wanted.times === undefined || got.times === wanted.times) &&
  (wanted.except === undefined || [...(got.except ?? [])].sort().join() === [...wanted.except].sort().join());

const isLength = (got: Effect, wanted: Effect): boolean =>
  wanted.days !== undefined
    ? got.days === wanted.days
    : isTime(got.at, wanted.at) &&
      (wanted.minutes === undefined || wanted.minutes === null || got.minutes === wanted.minutes);

const isText = (got: Effect, wanted: Effect): boolean => {
  if (kindOf(wanted) === 'create') return hasWords(got.title, wanted.title);
  if (wanted.do === 'note') return hasWords(got.text ?? got.title, wanted.text);
  return (
    wanted.do !== 'change' ||
    (['title', 'place', 'notes'] as const).every((key) => !wanted[key] || hasWords(got[key], wanted[key]))
  );
};

const isEffect = (got: Effect, wanted: Effect): boolean =>
  kindOf(got) === kindOf(wanted) &&
  isText(got, wanted) &&
  isDate(got.date, wanted.date) &&
  isLength(got, wanted) &&
  isEvent(got.event, wanted.event) &&
  isRepetition(got, wanted);

/** Several cancellations of a day may be wanted as one effect with several events, or with several days. */
const merged = (got: readonly Effect[], wanted: readonly Effect[]): Effect[] => {
  const many = wanted.filter(
    (one) => one.do === 'cancel' && (Array.isArray(one.event) || typeof one.date === 'object'),
  );
  let left = [...got];
  const made: Effect[] = [];
  for (const one of many) {
    const own = left.filter(
      (effect) =>
        effect.do === 'cancel' &&
        (Array.isArray(one.event)
          ? one.event.some((event) => isEvent(effect.event, event))
          : isEvent(effect.event, one.event)) &&
        (isDate(effect.date, one.date) || (typeof one.date === 'object' && typeof effect.date === 'object')),
    );
    const days = new Set(own.map(({ date }) => date));
    const isAll = !Array.isArray(one.date) || one.date.every((day) => days.has(day));
    if (own.length === 0 || !isAll) continue;
    left = left.filter((effect) => !own.includes(effect));
    made.push({ do: 'cancel', event: own.map(({ event }) => event as string), date: own[0]!.date! });
  }
  return [...left, ...made];
};

/** Whether the effects are those of one of the alternatives, no more and no fewer. */
export const isRight = (got: readonly Effect[], want: readonly (readonly Effect[])[]): boolean =>
  want.some((wanted) => {
    const left = merged(expanded(got, wanted), wanted);
    return (
      wanted.every((one) => {
        const at = left.findIndex((effect) => isEffect(effect, one));
        if (at >= 0) left.splice(at, 1);
        return at >= 0;
      }) && left.length === 0
    );
  });

/** One effect on several days is wanted for a thing that is proposed once for each. */
const expanded = (got: readonly Effect[], wanted: readonly Effect[]): Effect[] => {
  const many = wanted.filter((one) => kindOf(one) === 'create' && Array.isArray(one.date));
  if (many.length === 0) return [...got];
  const left = [...got];
  for (const one of many) {
    const days = one.date as string[];
    const own = left.filter(
      (effect) => typeof effect.date === 'string' && days.includes(effect.date) && isEffect(effect, one),
    );
    if (own.length === days.length && new Set(own.map(({ date }) => date)).size === days.length)
      for (const effect of own.slice(1)) left.splice(left.indexOf(effect), 1);
  }
  return left;
};

/** What is wrong with a request, by the first wanted effect that nothing fits: its act and the first part that differs. */
const causeOf = (got: readonly Effect[], want: readonly (readonly Effect[])[]): string => {
  const wanted = want[0] ?? [];
  const one = wanted.find((effect) => !got.some((own) => isEffect(own, effect)));
  if (!one) return `${wanted[0]?.do ?? ''}: more than wanted`;
  const own = got.find(
    (effect) => kindOf(effect) === kindOf(one) && isEvent(effect.event, one.event) && isText(effect, one),
  );
  if (!own) return `${one.do}: ${got.map((effect) => effect.do).join()} instead`;
  if (!isDate(own.date, one.date)) return `${one.do}: day`;
  if (one.days !== undefined && own.days !== one.days) return `${one.do}: whole days`;
  if (!isTime(own.at, one.at)) return `${one.do}: time`;
  return `${one.do}: ${isLength(own, one) ? 'repetition' : 'length'}`;
};

const isUnclear = (got: readonly Effect[]): boolean =>
  got.every(({ do: kind }) => kind === 'ask' || kind === 'nothing');
const percent = (part: number, of: number): string => `${((100 * part) / of).toFixed(1)} %`;

/** Which readings are shown as sure. */
const SURE = 0.5;

export const linesOf = (file: string): string[] =>
  readFileSync(file, 'utf8')
    .split('\n')
    .filter((line) => line.trim());

/** Judges what is done with the true roles of requests, or with those that are read. */
export const judgeFiles = (
  files: readonly string[],
  { isVerbose, isRead }: { isVerbose: boolean; isRead: boolean },
): void => {
  for (const file of files) {
    const lines = linesOf(file);
    let [right, unclear, sureAndWrong] = [0, 0, 0];
    const causes = new Map<string, number>();
    for (const line of lines) {
      const { text, want } = JSON.parse(line) as { text: string; want: Effect[][] };
      const given = annotated(text);
      const { request, steps, probability } = isRead
        ? actedOn(given.text, [], KNOWN)
        : { request: given, steps: turn(given, [], KNOWN), probability: 1 };
      const got = steps.flatMap(({ actions }) => actions).map(effectOf);
      if (isRight(got, want)) {
        right += 1;
        continue;
      }
      if (isUnclear(got)) unclear += 1;
      else if (probability >= SURE) sureAndWrong += 1;
      const cause = causeOf(got, want);
      causes.set(cause, (causes.get(cause) ?? 0) + 1);
      if (isVerbose)
        console.log(
          `${text}\n   ${probability.toFixed(2)} ${written(request)}\n   got  ${JSON.stringify(got)}\n   want ${JSON.stringify(want)}`,
        );
    }
    const of = lines.length;
    console.log(
      `${file}: ${right} of ${of} right (${percent(right, of)}), unclear ${percent(unclear, of)}, shown as sure and wrong ${percent(sureAndWrong, of)}`,
    );
    const counted = [...causes].sort((a, b) => b[1] - a[1]).map(([cause, n]) => `${n} × ${cause}`);
    if (counted.length > 0) console.log(`  wrong: ${counted.join('; ')}`);
  }
};
