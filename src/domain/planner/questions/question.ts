/** Questions: what is asked about, and of which time. A service looks it up (chat/look-up.ts); nothing is proposed. */
import type { Question, QuestionKind } from '../intents/types.ts';
import { type Instant, millis } from '../../time/time.ts';
import type { Request, Span } from '../request.ts';
import { readRoles } from '../roles/reader.ts';
import { readTime } from '../time/read-time.ts';
import { ASKED_LAST, DECIDING, EMPTY, IS_TELLING, OPENING, RULES, SHORT } from '../words/question-words.ts';
import { readAskedTime } from './asked-time.ts';
import { AGO_WITHIN, daysGone } from './gone.ts';

const ASKS_DAY =
  /^(?:what|which|who|whom|with whom|anything|something|any|is|are|do|does|will|have|how many|how much|how busy|how full|how does|how is|am|my|the|was|were|did)\b|^$/;
const CALENDAR =
  /\b(?:calendar|agenda|schedule|diary|plate|appointments?|meetings?|events?|on today|planned|my day|my week|plans)\b/;
/** Words that name an event only together with others. */
const NOUNS = /^(?:meetings?|appointments?|calls?|events?)$/;
const PAST =
  /\b(?:did|was|were|had|last (?!thing|event|meeting|appointment|call|one)|happened|went|have (?:i|we) (?!any|a |an |the |something|time|got))\b/;
/** What was planned is asked for a time ahead. */
const PLANNED = /\b(?:did|have|had) (?:i|we) (?:plan|planned|schedule|scheduled)\b/;
const NOW = /\b(?:right |just )?now\b/;
const MOST_ABOUT = 300;

type Stretch = Pick<Span, 'from' | 'to'>;

const TIMES: ReadonlySet<Span['role']> = new Set<Span['role']>(['when', 'old', 'repeat', 'except', 'limit']);

const NAMES: ReadonlySet<Span['role']> = new Set<Span['role']>(['target', 'title', 'aside']);

/** Single words that are days, where no stretch is a time: 'is Thursday free?'. */
const daysIn = (text: string): Span[] =>
  [...text.matchAll(/\p{L}{4,}/gu)].flatMap(({ 0: word, index: from }) => {
    const { items, unread } = readTime(word);
    const isDay = items.length === 1 && items[0]!.item === 'days' && unread.length === 0;
    return isDay ? [{ role: 'when' as const, from, to: from + word.length }] : [];
  });

/** The words outside of times, in their order, and the stretches of time. */
const partsOf = ({ text, spans }: Request): { words: string; times: Stretch[] } => {
  const today = Temporal.PlainDate.from('2000-01-01');
  const isTime = ({ role, from, to }: Span): boolean => {
    const own = text.slice(from, to);
    const { items, unread, names } = readTime(own);
    const isGone = daysGone(own.toLowerCase().replace(/^(?:on|in|from) /, ''), today) !== null;
    if (TIMES.has(role)) return isGone || (items.length > 0 && unread.length === 0);
    // 'is Thursday free?'
    const isDay = items.length > 0 && items.every(({ item }) => item === 'days') && unread.length + names.length === 0;
    return NAMES.has(role) && isDay;
  };
  const own = spans.filter(isTime);
  const others = own.length > 0 ? own : daysIn(text);
  const ago = [...text.matchAll(AGO_WITHIN)].map(({ 0: words, index: from }) => ({ from, to: from + words.length }));
  const times = ago.length > 0 ? ago : others;
  let words = '';
  let at = 0;
  for (const { from, to } of times) {
    words += `${text.slice(at, from)} `;
    at = to;
  }
  return { words: words + text.slice(at), times };
};

const plainOf = (words: string): string => {
  const plain = words
    .toLowerCase()
    .replaceAll('’', "'")
    .replace(/[^\p{L}\p{N}'\s]+/gu, ' ')
    .replace(/\s+/g, ' ')
    .trim();
  const said = SHORT.reduce((made, [from, to]) => made.replaceAll(from, to), plain).replace(OPENING, '');
  // 'dentist where'
  return said.replace(ASKED_LAST, '$2 $1');
};

/** The words that name something, in their order. */
const aboutOf = (words: string, kind: QuestionKind): string => {
  const all = words.match(/“[^“”]*”|"[^"]*"|[\p{L}\p{N}#@][\p{L}\p{N}'’.@#_&-]*/gu) ?? [];
  const isTold = kind === 'memory' || kind === 'other' || kind === 'done';
  const isKept = (text: string): boolean => {
    const word = text
      .toLowerCase()
      .replaceAll('’', "'")
      .replace(/(?<![.])[.]+$/, '');
    if (/^[“"#@]/.test(text)) return true;
    if (EMPTY.has(word) || /'(?:m|re|ve|d|ll|t)$/.test(word) || EMPTY.has(word.replace(/'s$/, ''))) return false;
    return !((isTold && IS_TELLING.test(word)) || (kind === 'queue' && DECIDING.test(word)));
  };
  const kept = all.filter(isKept);
  const bare = kept.length > 0 || (kind !== 'when' && kind !== 'where') ? kept : all.filter((word) => NOUNS.test(word));
  return bare
    .map((text) => text.replace(/^[“"]|[”"]$|['’]s$|(?<![.])[.]+$/g, ''))
    .join(' ')
    .slice(0, MOST_ABOUT);
};

const kindOf = (text: string, hasTime: boolean, hasTelling: boolean): QuestionKind => {
  const rule = RULES.find(([, pattern]) => pattern.test(text))?.[0];
  if (hasTelling && rule !== 'limits' && rule !== 'queue') return 'memory';
  if (rule) return rule;
  if (hasTime && ASKS_DAY.test(text)) return 'agenda';
  return CALENDAR.test(text) && ASKS_DAY.test(text) ? 'agenda' : 'other';
};

/** Memory knows what happened to something; of a day alone the calendar knows too, and of a time ahead only that. */
const kindAt = (found: QuestionKind, about: string, saysPast: boolean, isAhead: boolean): QuestionKind => {
  if (found === 'done' && about !== '') return 'memory';
  if (isAhead) return found === 'done' ? 'agenda' : found;
  return found === 'agenda' && saysPast ? (about ? 'other' : 'done') : found;
};

/** 'What did I say about running in the evening?': an hour is a part of what was said; a day may be when it was. */
const isOfWhatWasSaid = (text: string, times: readonly Stretch[]): boolean => {
  const at = text.search(/\babout\b/i);
  const isHour = ({ from, to }: Stretch): boolean =>
    from > at &&
    readTime(text.slice(from, to)).items.every(({ item }) => item === 'part' || item === 'clock' || item === 'hours');
  return at >= 0 && times.length > 0 && times.every(isHour);
};

const lengthIn = (text: string): number | undefined => {
  const found = readTime(text, 'length').items.find((item) => item.item === 'length');
  return found?.item === 'length' ? found.amount.minutes : undefined;
};

const statusOf = (plain: string): 'rejected' | 'approved' | null => {
  if (/\b(?:reject|declin)/.test(plain)) return 'rejected';
  return /\bapproved\b|\b(?:did|have) (?:i|we) approve/.test(plain) ? 'approved' : null;
};

const saysPastOf = (plain: string, texts: readonly string[]): boolean => {
  const today = Temporal.PlainDate.from('2000-01-01');
  const isGone = texts.some((one) => daysGone(one.toLowerCase(), today) !== null);
  return isGone || (PAST.test(plain) && !PLANNED.test(plain));
};

/** What a question of this kind says besides. */
const detailsOf = (kind: QuestionKind, plain: string, about: string, lengths: string): Partial<Question> => {
  if (kind === 'queue') {
    const status = statusOf(plain);
    return { ...(status && { status }), ...(/\bagents?\b/.test(plain) && { byAgents: true as const }) };
  }
  if (kind === 'next') return about && /\bafter\b/.test(plain) ? { isAfter: true } : {};
  const minutes = kind === 'free' ? lengthIn(lengths || plain) : undefined;
  return minutes === undefined ? {} : { minutes };
};

/** Reads the text of a question. */
export const readQuestion = (text: string, env: { now: Instant; zone: string }): Question => {
  const request: Request = { text, spans: readRoles(text).best.spans };
  const { words, times } = partsOf(request);
  const plain = plainOf(words);
  const texts = times.length === 0 ? [...(NOW.exec(plain) ?? [])] : times.map(({ from, to }) => text.slice(from, to));
  const telling = plain.split(' ').some((word) => IS_TELLING.test(word));
  const found = kindOf(plain, texts.length > 0, telling && /^(?!do (?:i|we) )/.test(plain));
  const saysPast = found !== 'queue' && saysPastOf(plain, texts);
  const isSaid = (found === 'memory' || found === 'other') && isOfWhatWasSaid(text, times);
  const lengths = request.spans.filter(({ role }) => role === 'dur').map(({ from, to }) => text.slice(from, to));
  const named = lengths.reduce((left, one) => left.replace(one, ' '), isSaid ? text : words);
  const about = aboutOf(named, found);
  const read = isSaid ? null : readAskedTime(texts, env, saysPast);
  const [time, ask] = read && 'ask' in read ? [null, read] : [read, {}];
  // 'what did I plan for tomorrow?'
  const isAhead = time !== null && millis(time.start) > millis(env.now);
  const kind = kindAt(found, about, saysPast, isAhead);
  return {
    ...{ kind, about, time, isPast: saysPast && !isAhead },
    ...(read && { timeWords: texts.map((one) => one.trim().toLowerCase()).join(' ') }),
    ...detailsOf(kind, plain, about, lengths.join(' ')),
    ...ask,
  };
};
