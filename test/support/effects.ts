/** Effects that are wanted of a request, and whether those that came of it are these (../shared/planner-trial/effects.md has the notation). */
import { partsOf as partsOfRule } from '../../src/domain/calendar/rrule-parts.ts';
import { walkRule } from '../../src/domain/calendar/rrule.ts';
import { wordsOf } from '../../src/domain/planner/act/names.ts';

export type Between = { from?: string; to?: string };
export type Window = { after?: string; before?: string };
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

export const NOW = Temporal.PlainDateTime.from('2026-11-26T10:00');
/** The calendar of effects.md: title, first day, time, minutes; those with 'weekly' every week for half a year. */
export const CALENDAR: [title: string, start: string, minutes: number, weekly?: 'weekly'][] = [
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
const NOT_COMPARED = new Set(['the', 'a', 'an', 'of', 'to', 'with', 'for', 'my', 'and']);
const hasWords = (text: string | undefined, wanted: string | undefined): boolean => {
  const own = wordsOf(text ?? '').join(' ');
  const isSaid = (word: string): boolean => own.includes(word.length > 2 ? word.replace(/s$/, '') : word);
  return wordsOf(wanted ?? '').every((word) => NOT_COMPARED.has(word) || isSaid(word));
};

export const isDate = (got: Effect['date'], wanted: Effect['date']): boolean => {
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

export const isTime = (got: Effect['at'], wanted: Effect['at']): boolean => {
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
export const kindOf = ({ do: kind }: Effect): string => KINDS[kind] ?? kind;

const partsOf = (rule: string | undefined): string =>
  (rule ?? '')
    .split(';')
    .filter((part) => part && part !== 'INTERVAL=1')
    .map((part) => (part.startsWith('BYDAY=') ? `BYDAY=${part.slice(6).split(',').sort().join()}` : part))
    .sort()
    .join(';');

export const isEvent = (got: Effect['event'], wanted: Effect['event']): boolean =>
  wanted === undefined ||
  [wanted].flat().every((one) => [got ?? ''].flat().some((own) => hasWords(own, one) || hasWords(one, own)));

const isRepetition = (got: Effect, wanted: Effect): boolean =>
  partsOf(got.repeat) === partsOf(wanted.repeat) &&
  (wanted.until === undefined || got.until === wanted.until) &&
  (wanted.times === undefined || got.times === wanted.times) &&
  (wanted.except === undefined ||
    (wanted.repeat === undefined && typeof got.date === 'string'
      ? !wanted.except.includes(got.date)
      : [...(got.except ?? [])].sort().join() === [...wanted.except].sort().join()));

export const isLength = (got: Effect, wanted: Effect): boolean =>
  wanted.days !== undefined
    ? got.days === wanted.days
    : isTime(got.at, wanted.at) &&
      (wanted.minutes === undefined || wanted.minutes === null || got.minutes === wanted.minutes);

export const isText = (got: Effect, wanted: Effect): boolean => {
  if (kindOf(wanted) === 'create') return hasWords(got.title, wanted.title);
  if (wanted.do === 'note') return hasWords(got.text ?? got.title, wanted.text);
  return (
    wanted.do !== 'change' ||
    (['title', 'place', 'notes'] as const).every((key) => !wanted[key] || hasWords(got[key], wanted[key]))
  );
};

export const isEffect = (got: Effect, wanted: Effect): boolean =>
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

/** Compared are the occurrences of this many days. */
const DAYS_COMPARED = 366;

/** The occurrences of a rule that begins on a day, each with its own time. */
const occurrencesOf = ({ date, at, repeat, until, times, except = [] }: Effect & { date: string; repeat: string }) => {
  const start = Temporal.PlainDateTime.from(`${date}T${typeof at === 'string' ? at : '00:00'}`);
  const wall = Date.parse(`${start.toString({ smallestUnit: 'minute' })}Z`);
  const last = start.add({ days: DAYS_COMPARED }).toPlainDate().toString();
  const end = Date.parse(`${until && until < last ? until : last}T23:59Z`);
  return walkRule(partsOfRule(repeat), wall)
    .between(wall, end)
    .slice(0, times)
    .map((own) => new Date(own).toISOString())
    .filter((own) => !except.includes(own.slice(0, 10)))
    .map((own) => ({
      date: own.slice(0, 10),
      ...(typeof at === 'string' ? { at: own.slice(11, 16) } : at !== undefined && { at }),
    }));
};

/** Something new that happens several times, once for each time. */
const unrolled = (effect: Effect): Effect[] => {
  if (kindOf(effect) !== 'create') return [effect];
  const { date, repeat, times, until: _until, except, ...once } = effect;
  if (Array.isArray(date)) return date.flatMap((day) => unrolled({ ...effect, date: day }));
  if (repeat && typeof date === 'string')
    return occurrencesOf({ ...effect, date, repeat }).map((own) => ({ ...once, ...own }));
  const sitting = { ...once, ...(date && { date }), ...(except && { except }) };
  return repeat ? [effect] : Array.from({ length: times ?? 1 }, () => sitting);
};

const isAll = (got: readonly Effect[], wanted: readonly Effect[]): boolean => {
  const left = merged(got, wanted);
  return (
    wanted.every((one) => {
      const at = left.findIndex((effect) => isEffect(effect, one));
      if (at >= 0) left.splice(at, 1);
      return at >= 0;
    }) && left.length === 0
  );
};

/** Whether the effects are those of one of the alternatives, no more and no fewer. */
export const isRight = (got: readonly Effect[], want: readonly (readonly Effect[])[]): boolean =>
  want.some((wanted) => isAll(got, wanted) || isAll(got.flatMap(unrolled), wanted.flatMap(unrolled)));
