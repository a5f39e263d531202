/** Clock times and parts of the day: '15:30', 'half past three', 'from 2 to 3:30', 'after 4pm', 'in the late afternoon'. */
import type { Clock, Facet, Part, Reader } from './facet.ts';
import type { PartOfDay } from './types.ts';
import { anyPhraseAt, endsPhrase, setOf, type Token, UNITS, wordAt, WEEKDAYS, TENS } from './words.ts';

type Tokens = readonly Token[];
/** `bare`: a number that is a time only because of its neighbours. */
type Atom = { clock: Clock; next: number; bare: boolean };

const NAMED: Record<string, number> = { noon: 12, midday: 12, midnight: 24 };
const PAST_WORDS: Record<string, number> = { quarter: 15, half: 30 };
/** Zones people say by letters; where the letters mean several zones the most usual. */
const ZONES: Record<string, string> = {
  utc: 'UTC', gmt: 'UTC', bst: 'Europe/London', cet: 'Europe/Berlin', cest: 'Europe/Berlin', et: 'America/New_York', est: 'America/New_York',
  edt: 'America/New_York', ct: 'America/Chicago', cst: 'America/Chicago', cdt: 'America/Chicago', mst: 'America/Denver', mdt: 'America/Denver',
  pt: 'America/Los_Angeles', pst: 'America/Los_Angeles', pdt: 'America/Los_Angeles', jst: 'Asia/Tokyo', ist: 'Asia/Kolkata', aest: 'Australia/Sydney',
};

const smallNumber = (t: Tokens, i: number): { n: number; next: number } | null => {
  const token = t[i];
  if (token?.kind === 'number' && /^\d{1,2}$/.test(token.text)) return { n: Number(token.text), next: i + 1 };
  const tens = TENS.get(wordAt(t, i));
  if (tens && tens > 1) {
    const at = wordAt(t, i + 1) === '-' ? i + 2 : i + 1;
    const unit = UNITS.get(wordAt(t, at)) ?? 0;
    return unit > 0 && unit < 10 ? { n: tens * 10 + unit, next: at + 1 } : { n: tens * 10, next: i + 1 };
  }
  const unit = UNITS.get(wordAt(t, i));
  return unit ? { n: unit, next: i + 1 } : null;
};

const HALVES: Record<string, 'am' | 'pm'> = { am: 'am', pm: 'pm', a: 'am', p: 'pm' };
/** 'am' and 'pm' after a time; the single letters only where they touch it. */
const readHalf = (t: Tokens, i: number): { half: 'am' | 'pm'; next: number } | null => {
  const half = HALVES[wordAt(t, i)];
  return half && (wordAt(t, i).length === 2 || (t[i]!.glued && endsPhrase(t, i + 1))) ? { half, next: i + 1 } : null;
};

const to24 = (hour: number, half: 'am' | 'pm'): number => (hour % 12) + (half === 'pm' ? 12 : 0);

/** Reads the half of the day after a time; a wrong one (13 am) makes it no time. */
const withHalf = (t: Tokens, hour: number, minute: number, next: number, bare: boolean, fixed = false): Atom | null => {
  const half = readHalf(t, next);
  if (minute > 59 || hour > 24) return null;
  if (half && hour >= 1 && hour <= 12) return { clock: { hour: to24(hour, half.half), minute, fixed: true }, next: half.next, bare: false };
  const end = anyPhraseAt(t, half?.next ?? next, ["o'clock", 'sharp', 'h', 'ish', 'hrs', 'hours']);
  // '15h' is a time, '2h' a length
  const plain = end !== null && ['hrs', 'hours', 'h'].includes(wordAt(t, end - 1)) && bare && !(hour > 12 && t[end - 1]!.glued) ? null : end;
  const clear = fixed || hour > 12 || hour === 0 || half !== null;
  return { clock: { hour, minute, fixed: clear }, next: plain ?? half?.next ?? next, bare: bare && !plain && !half };
};

const readDigits = (t: Tokens, i: number): Atom | null => {
  const token = t[i]!;
  if (token.kind === 'clock') {
    const [hour = 0, minute = 0] = token.text.split(':').map(Number);
    return withHalf(t, hour, minute, i + 1, false, token.text.startsWith('0'));
  }
  if (token.kind !== 'number') return null;
  const dotted = /^(\d{1,2})\.(\d{2})$/.exec(token.text);
  if (dotted) return withHalf(t, Number(dotted[1]), Number(dotted[2]), i + 1, true);
  const military = /^([01]\d|2[0-3])([0-5]\d)$/.exec(token.text);
  if (military) return withHalf(t, Number(military[1]), Number(military[2]), i + 1, true, true);
  if (!/^\d{1,2}$/.test(token.text)) return null;
  const minutes = t[i + 2];
  if (wordAt(t, i + 1) === 'h' && t[i + 1]!.glued && minutes?.glued && /^[0-5]\d$/.test(minutes.text))
    return withHalf(t, Number(token.text), Number(minutes.text), i + 3, true, true);
  return withHalf(t, Number(token.text), 0, i + 1, true, token.text.startsWith('0'));
};

/** 'half past three', 'ten to four', 'quarter past 9'; 'half three' as the British say it. */
const readPastTo = (t: Tokens, i: number): Atom | null => {
  const start = wordAt(t, i) === 'a' ? i + 1 : i;
  const named = PAST_WORDS[wordAt(t, start)];
  const said = named === undefined ? smallNumber(t, start) : { n: named, next: start + 1 };
  if (!said) return null;
  const at = anyPhraseAt(t, said.next, ['minutes', 'mins', 'min']) ?? said.next;
  const way = wordAt(t, at);
  const hourAt = ['past', 'to', 'after', 'before', 'til', 'till'].includes(way) ? at + 1 : named === 30 ? at : null;
  const hour = hourAt === null ? null : smallNumber(t, hourAt);
  if (!hour || hourAt === null || hour.n < 1 || hour.n > 12 || said.n > 30) return null;
  if (hourAt === at && (t[at]?.kind === 'number' || !endsPhrase(t, hour.next))) return null;
  if (['after', 'before', 'til', 'till'].includes(way) && named === undefined) return null;
  const back = !['past', 'after'].includes(way) && hourAt !== at;
  const total = hour.n * 60 + (back ? -said.n : said.n);
  const wrapped = total < 60 ? total + 720 : total;
  return withHalf(t, Math.floor(wrapped / 60), wrapped % 60, hour.next, false);
};

/** 'three', 'nine thirty', 'eleven o'clock'. */
const readHourWords = (t: Tokens, i: number): Atom | null => {
  const hour = UNITS.get(wordAt(t, i));
  if (!hour || hour > 12) return null;
  const zero = wordAt(t, i + 1) === 'oh';
  const minutes = t[i + 1]?.kind === 'word' ? smallNumber(t, zero ? i + 2 : i + 1) : null;
  if (minutes && (minutes.n >= 10 || zero)) return withHalf(t, hour, minutes.n, minutes.next, true);
  return withHalf(t, hour, 0, i + 1, true);
};

/** 'UTC', 'New York time' after a time. */
const readZone = (t: Tokens, i: number): { zone: string; next: number } | null => {
  const zone = ZONES[wordAt(t, i)];
  if (zone && t[i]!.text === t[i]!.text.toUpperCase()) return { zone, next: i + 1 };
  const size = [1, 2, 3].find((n) => wordAt(t, i + n) === 'time');
  if (!size) return null;
  const city = t.slice(i, i + size).map(({ text }) => text.toLowerCase()).join('_');
  const known = Intl.supportedValuesOf('timeZone').find((name) => name.toLowerCase().endsWith(`/${city}`));
  return known ? { zone: known, next: i + size + 1 } : null;
};

const readAtom = (t: Tokens, i: number): Atom | null => {
  if (!t[i]) return null;
  const named = NAMED[wordAt(t, anyPhraseAt(t, i, ['12', 'twelve']) ?? i)];
  const at = anyPhraseAt(t, i, ['12 noon', '12 midday', '12 midnight', 'twelve noon', 'twelve midnight']) ?? i + 1;
  const atom = named ? { clock: { hour: named, minute: 0, fixed: true }, next: at, bare: false } : (readPastTo(t, i) ?? readDigits(t, i) ?? readHourWords(t, i));
  const zone = atom && readZone(t, atom.next);
  return atom && zone ? { clock: { ...atom.clock, zone: zone.zone }, next: zone.next, bare: false } : atom;
};

type Mode = 'at' | 'from' | 'between' | 'after' | 'until' | 'none';
const MODES: [Mode, string[]][] = [
  ['at', ['at', '@', 'at around', 'at about', 'at approximately', 'at exactly', 'around', 'for', 'to', 'from about', 'until around']],
  ['from', ['from', 'from about', 'starting at', 'starting from', 'beginning at', 'at from', 'starting']],
  ['between', ['between']],
  ['after', ['after', 'not before', 'any time after', 'anytime after', 'sometime after', 'no earlier than', 'later than', 'past']],
  ['until', ['by', 'before', 'until', 'till', 'til', 'no later than', 'any time before', 'sometime before', 'not after', 'ending at', 'ends at', 'at the latest by']],
];

const readMode = (t: Tokens, i: number): { mode: Mode; next: number } =>
  MODES.reduce<{ mode: Mode; next: number }>(
    (best, [mode, phrases]) => {
      const next = anyPhraseAt(t, i, phrases);
      return next && next > best.next ? { mode, next } : best;
    },
    { mode: 'none', next: i },
  );

const DAY_WORDS = setOf('today tomorrow tonight morning afternoon evening');
/** A bare number right after a day is a time: 'tomorrow 10'. */
const afterDay = (t: Tokens, i: number): boolean => {
  const before = wordAt(t, i - 1) === ',' ? wordAt(t, i - 2) : wordAt(t, i - 1);
  return DAY_WORDS.has(before) || WEEKDAYS.has(before);
};

/** '10-12 deep work' at the start of a line. */
const opensLine = (t: Tokens, i: number): boolean => {
  const before = t[i - 1];
  return !before || before.kind === 'break' || (['-', '*', '•'].includes(before.word) && (!t[i - 2] || t[i - 2]!.kind === 'break'));
};

const NOT_HOURS = setOf('% percent people persons places km kilometers miles euros dollars pages chapters items minutes hours days weeks months kg degrees times items - x $ € / . th st nd rd');
/** Whether a bare number can be an hour where it stands; 'for 2' and 'to 3' need company, 'at 3' does not. */
const standsAsHour = (t: Tokens, i: number, atom: Atom, mode: Mode): boolean => {
  if (!atom.bare) return true;
  const next = t[atom.next];
  if (next && NOT_HOURS.has(next.word) && !(['.', '-'].includes(next.word) && !t[atom.next + 1]?.glued)) return false;
  if (wordAt(t, i) === 'for' || wordAt(t, i) === 'to') return false;
  return mode === 'none' ? afterDay(t, i) && endsPhrase(t, atom.next) : mode === 'at' || mode === 'from' || endsPhrase(t, atom.next);
};

const RANGE = ['to', '-', '–', '—', 'until', 'till', 'til', 'through', 'to about'];

const readRange = (t: Tokens, i: number, mode: Mode, first: Atom): { facets: Facet[]; next: number } | null => {
  const joint = anyPhraseAt(t, first.next, mode === 'between' ? ['and', ...RANGE] : RANGE);
  const second = joint ? readAtom(t, joint) : null;
  if (!second) return null;
  if (second.bare && NOT_HOURS.has(wordAt(t, second.next)) && t[second.next + 1]?.glued !== false) return null;
  if (second.bare && first.bare && mode === 'none' && !(afterDay(t, i) && endsPhrase(t, second.next)) && !opensLine(t, i)) return null;
  const exact = mode !== 'between' && mode !== 'after' && mode !== 'until';
  return { facets: [{ kind: 'hours', from: first.clock, to: second.clock, exact }], next: second.next };
};

/** 'at 10 and one with Eve': that one is no hour. */
const OF_NOUNS = setOf('with of about for to');

/** 'at 9, 11 and 15:00'. */
const readList = (t: Tokens, first: Atom): { facets: Facet[]; next: number } => {
  const times = [first.clock];
  let next = first.next;
  let choice = false;
  while (times.length < 24) {
    const joint = anyPhraseAt(t, next, ['and', 'or', '&', ',', ', and', ', or', 'and at', 'or at', ', at', 'and again at']);
    const more = joint ? readAtom(t, joint) : null;
    if (!joint || !more || (more.bare && (!endsPhrase(t, more.next) || OF_NOUNS.has(wordAt(t, more.next)))) || (more.bare && NOT_HOURS.has(wordAt(t, more.next)))) break;
    choice ||= t.slice(next, joint).some(({ word }) => word === 'or');
    times.push(more.clock);
    next = more.next;
  }
  return { facets: [{ kind: 'clock', times, ...(choice && { choice: true as const }) }], next };
};

/** Clock times, lists and ranges of them, and bounds ('after 4pm'). */
export const readClock: Reader = ({ tokens: t }, i) => {
  const { mode, next: at } = readMode(t, i);
  const token = t[at];
  if (token?.kind === 'clock' && !readAtom(t, at)) return { facets: [{ kind: 'fault', ask: `${token.text} is not a time of day. When should it be?` }], next: at + 1 };
  const first = mode === 'from' || mode === 'between' ? (readDigits0(t, at) ?? readAtom(t, at)) : readAtom(t, at);
  if (!first) return null;
  const range = readRange(t, at, mode === 'at' && ['for', 'to'].includes(wordAt(t, i)) && first.bare ? 'none' : mode, first);
  if (range) return range;
  if (!standsAsHour(t, i, first, mode)) return null;
  if (mode === 'after') return { facets: [{ kind: 'hours', from: first.clock, exact: false }], next: first.next };
  if (mode === 'until') return { facets: [{ kind: 'hours', to: first.clock, exact: false }], next: first.next };
  return mode === 'between' ? null : readList(t, first);
};

/** In 'from ten to six' the ten is an hour; elsewhere 'ten to six' is 5:50. */
const readDigits0 = (t: Tokens, i: number): Atom | null => {
  const plain = t[i] ? (readDigits(t, i) ?? readHourWords(t, i)) : null;
  return plain && anyPhraseAt(t, plain.next, ['to', 'and', '-', 'until', 'till']) ? plain : null;
};

const part = (name: PartOfDay, from: number, to: number): Part => ({ name, from, to });
export const PARTS: Record<string, Part> = {
  morning: part('morning', 6, 12), mornings: part('morning', 6, 12), afternoon: part('afternoon', 12, 18), afternoons: part('afternoon', 12, 18),
  evening: part('evening', 18, 22), evenings: part('evening', 18, 22), night: part('night', 18, 24), nights: part('night', 18, 24),
};
const EARLY: Record<PartOfDay, Part> = {
  morning: part('morning', 6, 9), afternoon: part('afternoon', 12, 15), evening: part('evening', 17, 20), night: part('night', 18, 21),
};
const LATE: Record<PartOfDay, Part> = {
  morning: part('morning', 10, 12), afternoon: part('afternoon', 15, 18), evening: part('evening', 20, 22), night: part('night', 21, 24),
};
const MID: Record<PartOfDay, Part> = {
  morning: part('morning', 9, 11), afternoon: part('afternoon', 13, 16), evening: part('evening', 19, 21), night: part('night', 20, 23),
};
const FIXED_PARTS: [string[], Part][] = [
  [['first thing', 'first thing in the morning', 'first thing in morning'], part('morning', 6, 10)],
  [['at lunch', 'at lunchtime', 'at lunch time', 'over lunch', 'during lunch', 'around lunch', 'around lunchtime', 'in the lunch break', 'around noon', 'around midday'], part('afternoon', 12, 14)],
  [['after lunch'], part('afternoon', 13, 18)],
  [['before lunch', 'before noon', 'before midday'], part('morning', 6, 12)],
  [['after work', 'after office hours'], part('evening', 17, 22)],
  [['before work'], part('morning', 6, 9)],
  [['after dinner', 'before bed', 'before bedtime'], part('evening', 20, 23)],
  [['in the early hours'], part('night', 0, 6)],
];
const SHADES: [string[], Record<PartOfDay, Part>][] = [
  [['early', 'early in the', 'early on in the', 'the early'], EARLY],
  [['late', 'later', 'late in the', 'later in the', 'the late', 'the end of the'], LATE],
  [['mid', 'mid -', 'the middle of the'], MID],
];
const PART_LEADS = ['in the', 'during the', 'in', 'for the', 'at', 'on the', 'by', 'some time in the', 'sometime in the', 'the', 'in my', 'to the'];

/** 'in the morning', 'late afternoon', 'at lunch'; a bare 'morning' followed by its noun stays in the title. */
export const readPart: Reader = ({ tokens: t }, i) => {
  for (const [phrases, fixed] of FIXED_PARTS) {
    const next = anyPhraseAt(t, i, phrases);
    if (next && !wordAt(t, next).startsWith('with')) return { facets: [{ kind: 'part', part: fixed }], next };
  }
  const lead = anyPhraseAt(t, i, PART_LEADS) ?? i;
  const shade = SHADES.map(([phrases, parts]) => ({ next: anyPhraseAt(t, lead, phrases), parts })).find(({ next }) => next);
  const at = shade?.next ?? lead;
  const plain = PARTS[wordAt(t, at)];
  if (!plain || t[at]?.possessive) return null;
  const bare = lead === i && !shade && !afterTime(t, i);
  const attributive = ['the', 'in my'].includes(wordAt(t, i)) && !endsPhrase(t, at + 1);
  return {
    facets: [{
      kind: 'part',
      part: shade ? shade.parts[plain.name] : plain,
      ...((bare && !endsPhrase(t, at + 1)) || attributive ? { loose: true as const } : {}),
      ...(wordAt(t, at).endsWith('s') && { plural: true as const }),
    }],
    next: at + 1,
  };
};

const afterTime = (t: Tokens, i: number): boolean => afterDay(t, i) || ['this', 'every', 'each', 'weekday', 'day'].includes(wordAt(t, i - 1)) || t[i - 1]?.kind === 'iso' || /^\d/.test(wordAt(t, i - 1));
