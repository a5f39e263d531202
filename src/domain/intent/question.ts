/** Questions: what is asked about, and of which time. A service looks it up (chat/look-up.ts); nothing is proposed. */
import { readAskedTime } from './asked-time.ts';
import type { FacetKind, Item } from './facet.ts';
import { misspeltWeekday, plainTokens } from './plain-words.ts';
import { scanItems } from './time/read-times.ts';
import type { Question, QuestionKind } from './types.ts';
import { todayOf } from './when.ts';
import { type Instant, millis } from '../time/time.ts';
import { capitalise, setOf, squash, type Token, tokenise } from './words.ts';
import { ASKED_LAST, DECIDING } from './words/speech.ts';

const OPENING =
  /^(?:(?:hey|hi|hello|so|and|but|ok|okay|please|kindly|well|also|then|now|almanac|just|quick question) )*(?:(?:can|could|would|will) you )?(?:(?:please|kindly|quickly|briefly|just|possibly|perhaps) )*(?:(?:(?:tell|show|give|remind|let) (?:me|us)(?: know)?(?: again)?|do you (?:know|remember)|any idea|i (?:wonder|forgot|want to know|would like to know)|list|display|check|look up|find out|(?:run|walk|talk|take) (?:me|us) through|brief me on|fill me in on) ?)*(?:an? (?:(?:short|brief|quick|rough) )?(?:overview|summary|rundown) of )?(?:if |whether )?/;
const SHORT: [RegExp, string][] = [
  [/\b(what|who|where|when|how|that|there|it)(?:'s|s(?= ))/g, '$1 is'],
  [/\b(i|we|you|they)'ve\b/g, '$1 have'],
  [/\bi'm\b/g, 'i am'],
  [/\b(we|you|they|what)'re\b/g, '$1 are'],
  [/\b(i|we|you|what|who)'d\b/g, '$1 did'],
];

const TELLING =
  'decid|agre|s(?:ay|aid)|tell|told|mention|know|remember|not(?:e|ed|es)|wr(?:ite|ote|itten)|th(?:ink|ought)|learn|promis|discuss|conclu|recommend|prefer|settl|cho(?:ose|se)|resolv|want|talk|pick';
const IS_TELLING = new RegExp(`^(?:${TELLING})(?:e|e?d|es|s|ing|en|ned|ning)?$`);

/** In this order; the first that matches counts. They match the words outside of times. */
const RULES: [QuestionKind, RegExp][] = [
  [
    'limits',
    /\b(?:limits?|quotas?|action budget)\b|^how (?:many|much)(?: more)? (?:plans?|proposals?|actions?|things)\b.*\b(?:may|can|could|allowed|left)\b|\bagents? (?:may|are allowed|still)\b/,
  ],
  [
    'queue',
    /\b(?:waiting|waits?|pending|undecided|queued?)\b|\b(?:to|should i|must i|can i) (?:approve|decide)\b|\b(?:for|need|needs|await|awaits|awaiting) (?:my |an? )?(?:approval|decision)\b|\bproposals?\b|^what (?:did|have|do) (?:the |my |an? )?agents?\b|\b(?:did|have) (?:i|we)(?: already)? (?:approved?|reject(?:ed)?|declined?)\b|\b(?:was|were|got|been) (?:approved|rejected|declined)\b/,
  ],
  ['queue', /\b(?:agents?|you|almanac|planner|assistant)\b.{0,200}\b(?:propos|suggest)/],
  ['queue', /\b(?:propos|suggest)\w*\b.{0,200}\bagents?\b/],
  ['now', /^what (?:time|day|date) is it\b|^what is (?:the (?:date|time|day)|today)(?: now| today)?$/],
  ['memory', /^(?:tell me )?(?:about|more about)\b|^who is\b/],
  [
    'free',
    /\b(?:free|available|availability|open slots?|gaps?|spare time|have time|any time|enough time)\b|^is there (?:any |some |enough )?(?:time|room|space|a slot)\b|^do (?:i|we) have (?:any |some |enough )?(?:time|room|space)\b|^(?:would|will|shall) (?:i|we) (?:still )?(?:be|have)\b|^(?:am|are) (?:i|we) (?:already )?(?:busy|booked|doing (?:something|anything)|taken)\b|^is (?:that|it) (?:ok|okay|possible)\b|^(?:can|could|may|might) (?:i|we)\b|^(?:is|are)\b.*\b(?:open|clear|empty|taken|vacant)$/,
  ],
  ['how_long', /^(?:for )?how long\b|^how much time (?:does|will|is)\b|^what is the (?:duration|length) of\b/],
  ['where', /^where\b|^what is the (?:address|location|place) of\b/],
  [
    'done',
    /^what (?:all )?(?:did|have) (?:i|we)(?: (?:actually|already|all))? (?:do|done|get done|got done|get up to|been doing|accomplish|achieve|complete|finish|work)(?:e?d)?(?: on)?\b|^what (?:happened|went on|got done|was done)\b|^how (?:was|did) my (?:day|week|month|weekend)\b/,
  ],
  [
    'when',
    /^(?:at )?(?:when|what time)\b|^(?:on |at )?(?:what|which) (?:day|date|hour)\b|^how (?:soon|many days)\b|^until when\b/,
  ],
  ['next', /\b(?:next|upcoming|coming up|first (?:thing|event|meeting|appointment))\b|^what (?:is|comes) after\b/],
];

const ASKS_DAY =
  /^(?:what|which|who|whom|with whom|anything|something|any|is|are|do|does|will|have|how many|how much|how busy|how full|how does|how is|am|my|the|was|were|did)\b|^$/;
const CALENDAR =
  /\b(?:calendar|agenda|schedule|diary|plate|appointments?|meetings?|events?|on today|planned|my day|my week|plans)\b/;

const EMPTY = setOf(
  'a an the my our your his her its their this that these those some any anything something everything all of on in at for to from with by about into as up out off and or but not no ' +
    'what when where who whom why how which whose is are am was were be been being do does did done have has had will would can could may might shall should must ' +
    'i we you me us it they he she there here so then again already still yet also please exactly currently actually ever last next first coming upcoming soon later earlier now ' +
    'long many much far often time times day date days week o’clock calendar agenda schedule diary plate plan plans planned event events look looks like go going happen happens happening happened ' +
    'comes come follows part take takes start starts begin begins end ends finish finishes meet meeting meetings see seeing appointment appointments thing things busy full booked free available open clear empty taken vacant left remaining else kindly know tell remind if whether supposed due meant going quickly briefly please apart besides overview summary short brief ' +
    'after comes come follows follow get got show list display check find give let make made approve reject conflicts memory notes address location place duration length more proposals proposal propose proposed agents agent approval approve approved rejected pending waiting queue wait limits limit today tomorrow ? ! . , : ; ( ) - –',
);
/** Words that name an event only together with others. */
const NOUNS = /^(?:meetings?|appointments?|calls?|events?)$/;

type Words = { tokens: readonly Token[]; items: readonly Item[] };

const isWord = ({ facets, kept }: Item): boolean => facets.length === 0 || kept === true;

const plainText = ({ tokens, items }: Words): string => {
  const words = items.filter(isWord).flatMap(({ from, to }) => tokens.slice(from, to));
  const text = words
    .filter(({ kind }) => kind !== 'mark' && kind !== 'break')
    .map(({ text: one, word, possessive }) => (possessive ? one.toLowerCase().replaceAll('’', "'") : word))
    .join(' ');
  const said = SHORT.reduce((made, [from, to]) => made.replaceAll(from, to), squash(text)).replace(OPENING, '');
  // 'dentist where'
  return said.replace(ASKED_LAST, '$2 $1');
};

/** The words that name something, in their order. */
const aboutOf = ({ tokens, items }: Words, kind: QuestionKind): string => {
  const words = items.filter(isWord).flatMap(({ from, to }) => tokens.slice(from, to));
  const isTold = kind === 'memory' || kind === 'other' || kind === 'done';
  const kept = words.filter(
    ({ kind: of, word }) =>
      of === 'quote' ||
      of === 'tag' ||
      !(
        EMPTY.has(word) ||
        /'(?:s|m|re|ve|d|ll|t)$/.test(word) ||
        (isTold && IS_TELLING.test(word)) ||
        (kind === 'queue' && DECIDING.test(word))
      ),
  );
  const bare =
    kept.length > 0 ? kept : words.filter(({ word }) => NOUNS.test(word) && (kind === 'when' || kind === 'where'));
  return squash(bare.map(({ text }) => text.replace(/^[“"]|[”"]$|['’]s$/g, '')).join(' ')).slice(0, 300);
};

const kindOf = (text: string, hasTime: boolean, hasTelling: boolean): QuestionKind => {
  const rule = RULES.find(([, pattern]) => pattern.test(text))?.[0];
  if (hasTelling && rule !== 'limits' && rule !== 'queue') return 'memory';
  if (rule) return rule;
  if (hasTime && ASKS_DAY.test(text)) return 'agenda';
  return CALENDAR.test(text) && ASKS_DAY.test(text) ? 'agenda' : 'other';
};

const PAST =
  /\b(?:did|was|were|had|last (?!thing|event|meeting|appointment|call|one)|happened|went|have (?:i|we) (?!any|a |an |the |something|time|got))\b/;
/** What was planned is asked for a time ahead. */
const PLANNED = /\b(?:did|have|had) (?:i|we) (?:plan|planned|schedule|scheduled)\b/;

/** Facets that say a day or a period, which may be when something was said. */
const DATED: ReadonlySet<FacetKind> = new Set<FacetKind>(['days', 'period', 'edge', 'instant', 'past', 'except']);
/** 'what did I say about running in the evening?': the time is a part of what was said. */
const saysTime = ({ tokens }: Words, said: readonly Item[]): boolean => {
  const at = tokens.findIndex(({ word }) => word === 'about');
  return at >= 0 && said.every(({ from, facets }) => from > at && !facets.some(({ kind }) => DATED.has(kind)));
};

/** Memory knows what happened to something; of a day alone the calendar knows too, and of a time ahead only that. */
const kindAt = (found: QuestionKind, about: string, saysPast: boolean, isAhead: boolean): QuestionKind => {
  if (found === 'done' && about !== '') return 'memory';
  if (isAhead) return found === 'done' ? 'agenda' : found;
  return found === 'agenda' && saysPast ? (about ? 'other' : 'done') : found;
};

/** Reads the text of a question. Linear in the text. */
export const readQuestion = (text: string, { now, zone }: { now: Instant; zone: string }): Question => {
  const tokens = plainTokens(tokenise(text));
  const today = todayOf({ now, zone });
  const items = scanItems({ tokens, now, zone, today });
  const words = { tokens, items };
  const plain = plainText(words);
  const telling = plain.split(' ').some((word) => IS_TELLING.test(word));
  const said = items.filter(({ facets, kept }) => facets.length > 0 && !kept);
  const isTimed = said.some(({ facets }) => facets.some(({ kind }) => kind !== 'duration' && kind !== 'soon'));
  const found = kindOf(plain, isTimed, telling && /^(?!do (?:i|we) )/.test(plain));
  const saysPast =
    found !== 'queue' &&
    ((PAST.test(plain) && !PLANNED.test(plain)) ||
      said.some(({ facets }) => facets.some(({ kind }) => kind === 'past')));
  const isSaid = (found === 'memory' || found === 'other') && saysTime(words, said);
  const about = aboutOf(isSaid ? { tokens, items: items.map((item) => ({ ...item, facets: [] })) } : words, found);
  const textOf = ({ from, to }: Item): string =>
    squash(text.slice(tokens[from]!.start, tokens[to - 1]!.end)).toLowerCase();
  const time = isSaid ? null : readAskedTime(items, { now, zone, today }, saysPast, textOf);
  // 'what did I plan for tomorrow?'
  const isAhead = time !== null && 'start' in time && millis(time.start) > millis(now);
  const isPast = saysPast && !isAhead;
  const kind = kindAt(found, about, saysPast, isAhead);
  const misspelt = items.find((item) => isWord(item) && misspeltWeekday(tokens[item.from]!.word));
  const meant = misspelt && misspeltWeekday(tokens[misspelt.from]!.word);
  const minutes = said.flatMap(({ facets }) => facets).find((facet) => facet.kind === 'duration')?.minutes;
  const status = /\b(?:reject|declin)/.test(plain)
    ? 'rejected'
    : /\bapproved\b|\b(?:did|have) (?:i|we) approve/.test(plain)
      ? 'approved'
      : null;
  const ask = meant
    ? `“${textOf(misspelt)}”: did you mean ${capitalise(meant)}?`
    : time && 'ask' in time
      ? time.ask
      : undefined;
  return {
    kind,
    about,
    time: time && 'start' in time ? time : null,
    ...(time && { timeWords: said.map(textOf).join(' ') }),
    isPast,
    ...(kind === 'queue' && status && { status }),
    ...(kind === 'queue' && /\bagents?\b/.test(plain) && { byAgents: true as const }),
    ...(kind === 'next' && about && /\bafter\b/.test(plain) && { isAfter: true as const }),
    ...(kind === 'free' && minutes !== undefined && { minutes }),
    ...(ask && { ask }),
  };
};
