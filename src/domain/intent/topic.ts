/** Topics: an event that is named first, and what to do with it said behind: 'The meeting in the school, please make it later'. */
import { findEvent } from './anchor.ts';
import { afterGreeting } from './clause-starts.ts';
import { hasPronoun, PRONOUNS, subjectOf } from './correct.ts';
import { groupsOf } from './facet.ts';
import { facetsOf, type Frame, hasWhen } from './frame.ts';
import type { Facet } from './facet.ts';
import { finiteAt, opensReason, saysFinite } from './reason.ts';
import type { State } from './reference.ts';
import { MUST, takesOf } from './verbs.ts';
import { ARTICLES, phraseAt, setOf, type Token, UNITS, wordAt } from './words.ts';

const LEADS = 'about|regarding|concerning|as for|re|with regard to|on the subject of';
const NAMES_ONE = new Set(['days', 'period', 'part']);

/** The frame that changes the event of the frame before, with that event in the place of its pronoun; null where it is none. */
const aboutTopic = (state: State, topic: Frame, next: Frame): Frame | null => {
  const { tokens } = state;
  const isChange = next.act !== null && (['change', 'target'].includes(takesOf(next.act)) || next.act === 'cancel');
  const opening = topic.clause.items[0];
  // 'dentist called, it's now Monday at 8:30'
  const isTold = next.act === null && phraseAt(tokens, next.clause.from, "(it's/it is) now") !== null;
  if (topic.act !== null || !opening || !(isTold || (isChange && hasPronoun(state, next)))) return null;
  if (subjectOf(state, next.items).some((word) => !/^\d+$/.test(word) && !UNITS.has(word))) return null;
  const lead = phraseAt(tokens, opening.from, LEADS);
  const about = topic.items.filter(({ from }) => from >= (lead ?? 0));
  const isNamed = lead !== null || ARTICLES.has(wordAt(tokens, about[0]?.from ?? -1));
  const facets = facetsOf(about);
  if (isNamed ? facets.some(({ kind }) => !NAMES_ONE.has(kind)) : hasWhen(facets) || facets.length > 0) return null;
  const words = about.filter(({ from, facets: own }) => own.length === 0 && wordAt(tokens, from) !== ':');
  const found = findEvent(state, words, [], isNamed);
  const isVague = !isNamed && !isTold && found !== null && found.used < Math.min(2, words.length);
  if (!found || 'ask' in found.match || isVague) return null;
  const named = [...words.slice(0, found.used), ...about.filter((item) => item.facets.length > 0)];
  const rest = next.items
    .slice(next.before)
    .filter(({ from, facets: own }) => own.length > 0 || !PRONOUNS.has(wordAt(tokens, from)));
  const said = isTold ? rest.filter((item) => item.facets.length > 0) : rest;
  const items = [...next.items.slice(0, next.before), ...named, ...said];
  return { ...next, ...(isTold && { act: 'move' as const }), items, whole: [], corrects: false };
};

const PERSON = /^(?:i|we|she|he|they|the|my|our)$/;

const isRequest = ({ act }: Frame): boolean =>
  act === null || act === 'schedule' || act === 'block' || act === 'remind';

const isNew = (state: State, { items }: Frame): boolean => {
  const found = findEvent(
    state,
    items.filter(({ facets }) => facets.length === 0),
    [],
  );
  return !found || 'ask' in found.match;
};

/** 'VAT return: block 90 minutes', 'Swimming lesson. Sat 9:45.': what, and then when. */
const titled = (state: State, topic: Frame, next: Frame): Frame | null => {
  const isTitle =
    (topic.act === null || (topic.act === 'be' && isNew(state, topic))) &&
    topic.kind === 'request' &&
    !topic.corrects &&
    facetsOf(topic.items).every(({ kind }) => topic.act === 'be' && kind === 'duration') &&
    subjectOf(state, topic.items).length > 0 &&
    topic.items.length < 8;
  const times = facetsOf(next.items);
  const isTimes = isRequest(next) && !next.corrects && times.length > 0 && subjectOf(state, next.items).length === 0;
  if (!isTitle || !isTimes || (hasPronoun(state, next) && next.act === null)) return null;
  const clause = { ...topic.clause, to: next.clause.to };
  const said = next.items.filter(({ facets }) => facets.length > 0);
  return { ...next, clause, items: [...topic.items, ...said], whole: [], before: 0 };
};

const SO = 'so|therefore|hence|that is why|which means';
const ASKING = new Set([
  'schedule',
  'block',
  'remind',
  'move',
  'later',
  'earlier',
  'cancel',
  'shorten',
  'extend',
  'swap',
]);
const TIMES = new Set(['days', 'period', 'edge']);
const COMES = setOf("can can't cannot could will would comes come arrives arrive gets");
const SIZED = new Set(['clock', 'hours', 'instant', 'duration']);
const FOR_IT = setOf('that it this free clear open for him her them me us the time slot then a an');

/** 'so I have to water the orchids' */
const mustDo = (tokens: readonly Token[], { clause }: Frame): boolean =>
  phraseAt(tokens, phraseAt(tokens, clause.from, SO) ?? clause.from, MUST) !== null;

/** 'As the car is away, move the haircut', 'the plumber comes on Friday, so keep that free': the request, on the day of its reason. */
const withReason = (state: State, topic: Frame, next: Frame): Frame | null => {
  const { tokens } = state;
  const { from, to } = topic.clause;
  // 'I have a client on Friday, so please move the dentist'
  const isHad = topic.act === 'have' && topic.kind !== 'refusal' && next.act !== null && !isRequest(next);
  if (!next.clause.joined || (topic.act !== null && topic.act !== 'be' && !isHad)) return null;
  const isLed = opensReason(tokens, from, to);
  const verb = finiteAt(tokens, afterGreeting(tokens, from), to);
  const start = next.clause.from;
  const follows = phraseAt(tokens, start, SO) !== null || wordAt(tokens, start - 1) === 'so';
  const times = topic.clause.items.filter(({ facets, kept }) => facets.length > 0 && !kept);
  const isSaid = verb !== null || (follows && saysFinite(tokens, from, to));
  const states = isSaid ? follows || wordAt(tokens, start) === 'please' : follows && times.length === 0;
  // 'we are having guests, so cook goulash on Saturday'
  const isOwn = follows && isSaid && (mustDo(tokens, next) || hasWhen(facetsOf(next.items)));
  if (next.act === null ? !isOwn : !ASKING.has(next.act)) return null;
  if (!isLed && !states) return null;
  const makes = isRequest(next);
  // 'Ben can only come at 11, so change it'
  const isOpen = !makes && facetsOf(next.items).length === 0 && hasPronoun(state, next) && next.act !== 'cancel';
  if (isOpen) return { ...next, items: [...next.items, ...times] };
  if (!makes || groupsOf(facetsOf(next.items)).has('day')) return next;
  const words = next.items.filter(({ facets }) => facets.length === 0);
  // 'the eye doctor is on Friday at 10, please put it in'
  if (next.act === 'schedule' && hasPronoun(state, next) && subjectOf(state, next.items).length === 0) return null;
  const isForIt = verb !== null && words.every((item) => FOR_IT.has(wordAt(tokens, item.from)));
  if (!isForIt) {
    const days = times.filter(({ facets }) => facets.some(({ kind }) => TIMES.has(kind)));
    return { ...next, items: [...days, ...next.items], before: next.before + days.length };
  }
  // What the reason is about gives the block its name, and its hours are those of the block
  const end = COMES.has(wordAt(tokens, verb)) || wordAt(tokens, verb + 1) === 'coming' ? verb : to;
  const name = topic.clause.items.filter((item) => item.facets.length === 0 && item.from < end);
  const said = [...times, ...next.items.filter(({ facets }) => facets.length > 0)].map((item) => ({
    ...item,
    facets: item.facets.map((facet): Facet =>
      facet.kind === 'hours' && facet.from && facet.to ? { ...facet, exact: true } : facet,
    ),
  }));
  const isWhole = facetsOf(said).every(({ kind }) => !SIZED.has(kind));
  const [first, ...rest] = said;
  const block =
    first && isWhole ? [{ ...first, facets: [...first.facets, { kind: 'whole' as const }] }, ...rest] : said;
  return { ...next, clause: { ...next.clause, joined: false }, items: [...block, ...name], before: block.length };
};

/** Joins topics with the frames that are about them. */
export const withTopics = (state: State, frames: readonly Frame[]): Frame[] => {
  const joined: Frame[] = [];
  for (const frame of frames) {
    const topic = joined.at(-1);
    // 'Swapped with Ada, so enter the day shift': the reason
    const isReason =
      topic?.kind === 'report' && !PERSON.test(wordAt(state.tokens, topic.clause.from)) && isRequest(frame);
    if (isReason && frame.clause.joined && frame.act !== null) {
      joined[joined.length - 1] = frame;
      continue;
    }
    const reasoned = topic && withReason(state, topic, frame);
    if (reasoned) {
      joined[joined.length - 1] = reasoned;
      continue;
    }
    const about = topic && joined.length > 0 ? (aboutTopic(state, topic, frame) ?? titled(state, topic, frame)) : null;
    if (about) joined[joined.length - 1] = about;
    else joined.push(frame);
  }
  return joined;
};
