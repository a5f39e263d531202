/** Reasons and asides: what a sentence says beside its request, 'because I am away', 'as the car is away', ', who can't do Fridays'. */
import { leftOut } from './time/except.ts';
import type { Facet, Item } from './facet.ts';
import { groupsOf } from './facet.ts';
import { sentenceAt } from './clause/sentence.ts';
import { FINITE, OF_A_PLAN, SHORT_SUBJECT } from './words/speech.ts';
import { setOf, phraseAt, type Token, wordAt } from './words.ts';

/** The index of the finite verb of a sentence that begins at `i`; null where there is no sentence. */
export const finiteAt = (tokens: readonly Token[], i: number, to: number): number | null =>
  sentenceAt(tokens, i, to)?.verb ?? null;

/** Whether words hold a finite verb, whoever its subject is. */
export const saysFinite = (tokens: readonly Token[], from: number, to: number): boolean =>
  tokens.slice(from, to).some(({ word }) => FINITE.has(word) || SHORT_SUBJECT.test(word));

const LEADS = 'because (of/)|(cause/cos/cuz/as/since/given that/now that/seeing that/while)';
const ALWAYS = setOf('because cos cuz of');

/** Whether a reason begins at `i`: 'because I am late', 'as the car is away'. */
export const opensReason = (tokens: readonly Token[], i: number, to: number): boolean => {
  const lead = phraseAt(tokens, i, LEADS);
  return lead !== null && (ALWAYS.has(wordAt(tokens, lead - 1)) || finiteAt(tokens, lead, to) !== null);
};

/** The items before the reason that is said last: 'move yoga to 7 [because I am late]'. */
export const withoutReason = (tokens: readonly Token[], items: readonly Item[]): readonly Item[] => {
  const to = items.at(-1)?.to ?? 0;
  const at = items.findIndex(({ from, facets }, i) => i > 0 && facets.length === 0 && opensReason(tokens, from, to));
  return at < 0 ? items : items.slice(0, at);
};

const ASIDE = setOf('he she they we i you it who which');
const CORRECTING = /^(?:no|wait|sorry|actually|oh|not|,)$/;
const NEGATED = /^(?:not|never|cannot|neither|no|.*n[’']t)$/;

/** Times of an aside restrict the request; those it denies are left out. */
const restricting = (item: Item, isDenied: boolean): Item => {
  const facets = item.facets.map((facet): Facet => {
    if (facet.kind !== 'part') return facet;
    const { plural: _plural, ...once } = facet;
    return once;
  });
  if (!isDenied) return { ...item, facets };
  return {
    ...item,
    facets: [leftOut(facets) ?? { kind: 'fault', ask: 'I could not read what you rule out. When should it be?' }],
  };
};

/** 'since yesterday' */
const isOver = ({ facets }: Item): boolean => facets.every(({ kind }) => kind === 'past');

/** Whether a sentence about somebody begins at `i`: 'they can only do mornings', 'who is in London'. */
export const opensAside = (tokens: readonly Token[], i: number): boolean =>
  SHORT_SUBJECT.test(wordAt(tokens, i)) || (ASIDE.has(wordAt(tokens, i)) && tokens[i + 1]?.kind === 'word');

/** 'cancel yoga on Wednesday [I'm too tired]': a sentence right behind a time, or one that denies. */
const runsOn = (tokens: readonly Token[], before: Item, { from }: Item, end: number): boolean => {
  const sentence = sentenceAt(tokens, from, end);
  if (!sentence || sentence.subject !== from || LINKS.has(wordAt(tokens, from - 1))) return false;
  const isTimed = before.facets.length > 0 && !before.kept;
  const speaks = /^(?:i|we|he|she|they|it|that|there)(?:'|$)/.test(wordAt(tokens, from));
  const isOfPlan =
    /^(?:it|that|there)(?:'|$)/.test(wordAt(tokens, from)) && OF_A_PLAN.has(wordAt(tokens, sentence.verb));
  return isTimed ? !isOfPlan : speaks && wordAt(tokens, sentence.verb).endsWith("n't");
};
const LINKS = setOf(
  'that which who whom whose when where whether if what how because as so than and or but while until till before after like',
);

/** The items without the words of an aside: 'lunch with Tom at 12[, who pays]', 'coffee with Jan[, who can't do] Fridays'. */
export const withoutAside = (
  tokens: readonly Token[],
  items: readonly Item[],
  { cancels = false, hasVerb = false } = {},
): readonly Item[] => {
  const isWord = ({ facets }: Pick<Item, 'facets'>): boolean => facets.length === 0;
  const at = items.findIndex((item, i) => {
    const next = items[i + 1];
    const isOpen = (i > 0 || hasVerb) && wordAt(tokens, item.from) === ',' && next && isWord(next);
    const end = items.at(-1)!.to;
    return (
      (isOpen && (opensAside(tokens, next.from) || finiteAt(tokens, next.from, end) !== null)) ||
      (i > 0 && isWord(item) && runsOn(tokens, items[i - 1]!, item, end))
    );
  });
  const opening = tokens.slice(items[0]?.from ?? 0, at < 0 ? 0 : items[at]!.from).map(({ word }) => word);
  if (at === 0 && hasVerb) return [];
  if (at < 0 || opening.every((word) => CORRECTING.test(word))) return items;
  const aside = items.slice(at);
  const said = groupsOf(items.slice(0, at).flatMap(({ facets }) => facets));
  // 'lose the dinner, I am on nights': the only time is not one of the request
  const isSpeaker = /^(?:i|we)(?:'|$)/.test(
    wordAt(tokens, aside.find(({ from }) => wordAt(tokens, from) !== ',')?.from ?? -1),
  );
  if (!cancels && isSpeaker && items.slice(0, at).every(isWord) && !aside.every(isWord)) return items;
  const isDenied = aside.some((item) => isWord(item) && NEGATED.test(wordAt(tokens, item.from)));
  return [
    ...items.slice(0, at),
    ...aside
      .filter(
        (item) =>
          !isWord(item) &&
          !isOver(item) &&
          ![...groupsOf(item.facets)].some((group) => said.has(group) && (!isDenied || group === 'clock')),
      )
      .map((item) => restricting(item, isDenied)),
  ];
};
