/** One time of day in words or figures: '15:30', '3pm', 'half past three', 'noon', '10am New York time'. */
import type { Clock } from './facet.ts';
import { dictionary, endsPhrase, phraseAt, TENS, type Token, UNITS, wordAt } from './words.ts';

type Tokens = readonly Token[];
/** `bare`: a number that is a time only because of its neighbours. */
export type Atom = { clock: Clock; next: number; bare: boolean };

const NAMED = dictionary<number>({ noon: 12, midday: 12, midnight: 24 });
const PAST_WORDS = dictionary<number>({ quarter: 15, half: 30 });
/** Zones people say by letters; where the letters mean several zones the most usual. */
const ZONES = dictionary<string>(
  Object.fromEntries(
    (
      'utc UTC|gmt UTC|bst Europe/London|cet Europe/Berlin|cest Europe/Berlin|et America/New_York|est America/New_York|' +
      'edt America/New_York|ct America/Chicago|cst America/Chicago|cdt America/Chicago|mst America/Denver|mdt America/Denver|' +
      'pt America/Los_Angeles|pst America/Los_Angeles|pdt America/Los_Angeles|jst Asia/Tokyo|ist Asia/Kolkata|' +
      'aest Australia/Sydney'
    )
      .split('|')
      .map((pair) => pair.split(' ') as [string, string]),
  ),
);

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

const HALVES = dictionary<'am' | 'pm'>({ am: 'am', pm: 'pm', a: 'am', p: 'pm' });
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
  if (half && hour >= 1 && hour <= 12)
    return { clock: { hour: to24(hour, half.half), minute, fixed: true }, next: half.next, bare: false };
  const end = phraseAt(t, half?.next ?? next, "o'clock|oclock|o clock|sharp|h|ish|hrs|hours");
  // '15h' is a time, '2h' a length
  const plain =
    end !== null && ['hrs', 'hours', 'h'].includes(wordAt(t, end - 1)) && bare && !(hour > 12 && t[end - 1]!.glued)
      ? null
      : end;
  const clear = fixed || hour > 12 || hour === 0 || half !== null;
  return { clock: { hour, minute, fixed: clear }, next: plain ?? half?.next ?? next, bare: bare && !plain && !half };
};

export const OF_DAY = 'in the (morning/afternoon/evening)|at night';

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
  const spaced =
    /^[0-5]\d$/.test(t[i + 1]?.text ?? '') && (readHalf(t, i + 2) !== null || phraseAt(t, i + 2, OF_DAY) !== null);
  if (spaced) return withHalf(t, Number(token.text), Number(t[i + 1]!.text), i + 2, false);
  const minutes = t[i + 2];
  const spread = Number(token.text) > 12 || (t[i + 1]?.glued && minutes?.glued);
  if (wordAt(t, i + 1) === 'h' && spread && minutes && /^[0-5]\d$/.test(minutes.text))
    return withHalf(t, Number(token.text), Number(minutes.text), i + 3, true, true);
  return withHalf(t, Number(token.text), 0, i + 1, true, token.text.startsWith('0'));
};

/** 'half past three', 'ten to four', 'quarter past 9'; 'half three' as the British say it. */
const readPastTo = (t: Tokens, i: number): Atom | null => {
  const start = wordAt(t, i) === 'a' ? i + 1 : i;
  const named = PAST_WORDS[wordAt(t, start)];
  const said = named === undefined ? smallNumber(t, start) : { n: named, next: start + 1 };
  if (!said) return null;
  const at = phraseAt(t, said.next, 'minutes|mins|min') ?? said.next;
  const way = wordAt(t, at);
  const hourAt = ['past', 'to', 'after', 'before', 'til', 'till'].includes(way) ? at + 1 : named === 30 ? at : null;
  const hour = hourAt === null ? null : smallNumber(t, hourAt);
  if (!hour || hourAt === null || hour.n < 1 || hour.n > 12 || said.n > 30) return null;
  if (hourAt === at && (t[at]?.kind === 'number' || !endsPhrase(t, hour.next))) return null;
  if (['after', 'before', 'til', 'till'].includes(way) && named === undefined) return null;
  // 'ten to four' is 3:50; 'two to four' and '10 to 12' are ranges
  const counted = named !== undefined || at > said.next || way === 'past' || hourAt === at;
  if (!counted && (said.n % 5 !== 0 || (t[start]!.kind === 'number' && wordAt(t, start - 1) !== 'at'))) return null;
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
  // 'five-thirty'
  const dash = wordAt(t, i + 1) === '-' && t[i + 1]!.glued && t[i + 2]?.glued ? 1 : 0;
  const minutes = t[i + 1 + dash]?.kind === 'word' ? smallNumber(t, zero ? i + 2 : i + 1 + dash) : null;
  if (minutes && (minutes.n >= 10 || zero))
    return withHalf(t, hour, minutes.n, minutes.next, /^(?:-|min|hour|h$)/.test(wordAt(t, minutes.next)));
  return withHalf(t, hour, 0, i + 1, true);
};

/** 'UTC', 'New York time' after a time. */
const readZone = (t: Tokens, i: number): { zone: string; next: number } | null => {
  const zone = ZONES[wordAt(t, i)];
  if (zone && t[i]!.text === t[i]!.text.toUpperCase()) return { zone, next: i + 1 };
  const size = [1, 2, 3].find((n) => wordAt(t, i + n) === 'time');
  if (!size) return null;
  const city = t
    .slice(i, i + size)
    .map(({ text }) => text.toLowerCase())
    .join('_');
  const known = Intl.supportedValuesOf('timeZone').find((name) => name.toLowerCase().endsWith(`/${city}`));
  return known ? { zone: known, next: i + size + 1 } : null;
};

export const readAtom = (t: Tokens, i: number): Atom | null => {
  if (!t[i]) return null;
  const named = NAMED[wordAt(t, phraseAt(t, i, '12|twelve') ?? i)];
  const at = phraseAt(t, i, '12 noon|12 midday|12 midnight|twelve noon|twelve midnight') ?? i + 1;
  const atom = named
    ? { clock: { hour: named, minute: 0, fixed: true }, next: at, bare: false }
    : (readPastTo(t, i) ?? readDigits(t, i) ?? readHourWords(t, i));
  const zone = atom && readZone(t, atom.next);
  return atom && zone ? { clock: { ...atom.clock, zone: zone.zone }, next: zone.next, bare: false } : atom;
};

/** In 'from ten to six' the ten is an hour; elsewhere 'ten to six' is 5:50. */
export const readPlainHour = (t: Tokens, i: number): Atom | null => {
  const plain = t[i] ? (readDigits(t, i) ?? readHourWords(t, i)) : null;
  return plain && phraseAt(t, plain.next, 'to|and|-|until|till') ? plain : null;
};
