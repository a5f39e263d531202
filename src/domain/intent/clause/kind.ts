/** What a clause is: decided here, and nowhere else. */
import { conditionAt } from './condition.ts';
import { sentenceAt } from './sentence.ts';
import type { Item } from '../facet.ts';
import { type Act, verbBehind } from '../verbs.ts';
import { phraseAt, type Token, wordAt } from '../words.ts';
import { DISCOURSE, FORBIDDING, OF_A_PLAN, REFUSING, RULING, WISHING } from '../words/speech.ts';

/**
 * `report` tells what was, `aside` why or what else, `refusal` that nothing is to be done, `ruling` what is to hold for all plans,
 * `condition` what something depends on. Nothing is planned from these.
 */
export type Kind = 'request' | 'question' | 'report' | 'aside' | 'refusal' | 'ruling' | 'condition';

/** 'I finished the report': reported, not asked for. */
const REPORTS =
  /^(?:(?:(?:the |my |our )?\p{L}+ and )?i|we|she|he|they)(?:['’]ve| have)?(?: just| already| finally)? (?:\p{L}{3,}ed|went|did|made|got|sent|wrote|read|spoke|ran|paid|bought|found|saw|took|gave|left|done|been|had|met|won|lost|slept|ate|swam|told|heard|chose|felt|finally \p{L}+ed)\b/iu;
/** 'The customer asked me whether ...' */
const REPORTS_SPEECH =
  /^[^,.?!]{2,60} (?:(?:told|asked|informed|reminded|emailed) (?:me|us)|(?:said|confirmed|mentioned|explained) that)\b/iu;
/** The same without its subject: 'paid the bill this morning'. */
const REPORTS_BARE =
  /^(?:(?:just|finally|already) )?(?:paid|sent|met|did|went|had|wrote|spoke|ran|bought|found|took|gave|made|told|won|slept|ate|swam|\p{L}{2,}(?<!e)ed) (?:the|my|our|his|her|their|a|an|all|some|with|to|for|\d+) /iu;
/** What is got, made or booked may still be to come: 'I got an appointment on Friday'. */
const MAY_COME =
  /^\S+(?: have| just| already| finally| now)* (?:got|made|have(?! \p{L}+ed\b)|had|booked|scheduled|found|took|planned|arranged|moved|changed|agreed|promised|invited|been given|been offered)\b|^(?:i|we)['’]ve (?:got|booked|scheduled|planned|arranged|moved)/iu;
export const mayCome = (text: string): boolean => MAY_COME.test(text);

/** 'No meetings after 4', not 'no, Thursday' and not 'no later than 5'. */
const FORBIDS =
  /^(?:no|nothing) (?!in|on|at|the|make|not|i|it|for|this|that|next|tomorrow|today|tonight|mon|tue|wed|thu|fri|sat|sun|sorry|wait|earlier|more|less|need|problem|thanks?|worries|way|idea)\p{L}/iu;
/** 'We have no piano lesson in December.' */
const HAS_NONE =
  /^(?:(?:i|we)(?:[’']ve| have| will have)?(?: got)?|(?:.{0,40} )?there(?:[’']s| is| are| will be)) no (?!later|earlier|more than)\p{L}/iu;

type Clause = { items: readonly Item[]; from: number; to: number };
type Said = { tokens: readonly Token[]; clause: Clause; act: Act | null; text: string };

/** Where the clause begins, words that lead to it aside. */
const opening = ({ tokens, clause }: Said): number => {
  let at = clause.from;
  while (
    at < clause.to &&
    (DISCOURSE.has(wordAt(tokens, at)) || wordAt(tokens, at) === ',') &&
    phraseAt(tokens, at, REFUSING) === null
  )
    at++;
  return at;
};

/** Acts that a phrase of refusing or ruling may begin with. */
const OPEN_ACTS = new Set<Act | null>([null, 'refuse', 'have', 'block', 'be', 'dismiss', 'make', 'ask']);

const refuses = (said: Said): boolean =>
  said.act === 'refuse' ||
  (OPEN_ACTS.has(said.act) && said.act !== 'dismiss' && phraseAt(said.tokens, opening(said), REFUSING) !== null) ||
  (said.act === null && FORBIDS.test(said.text)) ||
  (said.act === 'have' && HAS_NONE.test(said.text));

/** Whether it says what is to hold for all plans. */
const rules = ({ tokens, clause, act }: Said): boolean => {
  if (!OPEN_ACTS.has(act) && act !== 'schedule' && act !== 'extend') return false;
  for (let at = clause.from; at < clause.to; at++)
    if (phraseAt(tokens, at, RULING) !== null)
      return OPEN_ACTS.has(act) || phraseAt(tokens, clause.from, FORBIDDING) !== null;
  return false;
};

const reports = ({ act, text }: Said): boolean =>
  act === null && (REPORTS.test(text) || REPORTS_BARE.test(text) || REPORTS_SPEECH.test(text));

const STORY =
  /^(?:(?:today|tomorrow|this week|next week|so|and|well|but) )?(?:i am|i'm|we are|we're) (?!having|at\b|in\b|meeting|seeing|going to (?!be))\p{L}+ing\b|^(?:this week|today|tomorrow|next week),? (?:i|we) (?!want|need|have|must|should|will|can|could|would|may|might)\p{L}+\b/iu;
/** 'I am delegating two things today': what somebody does, at no hour. */
const isOwnStory = ({ text, clause }: Said): boolean =>
  STORY.test(text) &&
  !clause.items.some(({ facets }) => facets.some(({ kind }) => kind === 'clock' || kind === 'hours'));

/** Whether it is a sentence of its own about something else than the plan, and wishes for nothing. */
export const tells = (tokens: readonly Token[], items: readonly Item[], from: number, to: number): boolean => {
  const sentence = sentenceAt(tokens, from, to);
  if (!sentence) return false;
  const { subject, verb } = sentence;
  const isTime = items.some(
    ({ from, to, facets, kept }) =>
      facets.length > 0 && (!kept || (from <= subject && subject < to)) && from <= verb && to > subject,
  );
  const [who, does] = [wordAt(tokens, subject), wordAt(tokens, verb)];
  const isWish = /^(?:i|we)(?:'|$)/.test(who) && WISHING.has(does);
  const isOfPlan = /^(?:it|that|this|there)(?:'|$)/.test(who) && OF_A_PLAN.has(does);
  // 'the dentist has to move', 'lunch has to be on Friday'
  const asks = verbBehind(tokens, verb);
  const isAsked = asks !== null && (asks.act !== 'be' || asks.next > verb + 1);
  return !isTime && !isWish && !isOfPlan && !isAsked;
};

/** The kind of a clause whose verb, if it has one, was found. */
export const kindOf = (said: Said): Kind => {
  const { tokens, clause, act, text } = said;
  if (conditionAt(tokens, clause.from, clause.to) !== null && act !== 'log' && act !== 'ask') return 'condition';
  if (rules(said)) return 'ruling';
  if (act === 'ask') return refuses({ ...said, act: 'have' }) ? 'refusal' : 'question';
  if (refuses(said)) return 'refusal';
  if (reports(said)) return 'report';
  if (act === null && isOwnStory(said)) return 'aside';
  if (act === null && wordAt(tokens, clause.to) === '?') return 'question';
  if (act === null && !mayCome(text) && tells(tokens, clause.items, clause.from, clause.to)) return 'aside';
  return 'request';
};
