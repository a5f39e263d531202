/** Corrections: 'make it 45 minutes', 'no, Thursday instead', 'forget it', about the pending proposal or what was just asked. */
import { cluesOf, type Outcome, sentence, type Work } from './build.ts';
import { changeOf } from './alter.ts';
import { bareNumber, cancelIntent, changeIntent } from './change.ts';
import type { Facet, Item } from './facet.ts';
import type { Act } from './lead.ts';
import type { Request } from './request.ts';
import { planTarget, type Target } from './targets.ts';
import { phraseOf, titleOf } from './title.ts';
import type { Intent } from './types.ts';
import { ORDINALS, setOf, wordAt } from './words.ts';

const PRONOUNS = setOf('it that this them those these one its');
const FILLERS = setOf(
  'my our your no nope not actually sorry wait instead rather better please but , . : ! - – — the a an to at on for is be would will can we do i mean meant let us make made plan proposal time slot oh well ok okay yes and works fine good so maybe just back forward up meeting event you change off too also start move out over then suggestion last same enough plenty do of than earlier later sooner shorter longer bit little work possible bad impossible try late early long short much many soon only could prefer need want id like',
);
const REFUSING = /^(?:does|is|wo|ca|do)n't$/;

/** Whether nothing but a number is said beside pronouns and fillers: 'make it 45'. */
export const onlyNumber = (work: Work, request: Request): boolean =>
  (hasPronoun(work, request) || request.corrects) &&
  subjectOf(work, request.items).length > 0 &&
  subjectOf(work, request.items).every((word) => /^\d+$/.test(word));

/** Words of a request that are neither pronoun nor filler: none means it is about what was proposed. */
export const subjectOf = ({ tokens }: Work, items: readonly Item[]): string[] =>
  items
    .filter(
      ({ facets, kept, from }) =>
        (facets.length === 0 || kept === true) && tokens[from]?.kind !== 'tag' && !isNth({ tokens }, from),
    )
    .map(({ from }) => wordAt(tokens, from))
    .filter((word) => !PRONOUNS.has(word) && !FILLERS.has(word) && !REFUSING.test(word) && /[\p{L}\p{N}]/u.test(word));

export const hasPronoun = ({ tokens }: Work, { clause }: Request): boolean =>
  tokens.slice(clause.from, clause.to).some(({ word }) => PRONOUNS.has(word));

/** 'not Thursday but Friday', 'instead of Thursday': the day named there is the wrong one. */
const withoutNegated = ({ tokens }: Work, items: readonly Item[]): Item[] =>
  items.filter((item, i) => {
    const before = items[i - 1];
    return !(item.facets.length > 0 && before?.facets.length === 0 && NEGATORS.has(wordAt(tokens, before.from)));
  });
const NEGATORS = setOf('not instead than');
const REFUSALS = /\b(?:(?:does|is|wo|ca|do)n[’']t|cannot|not possible|no good|impossible|is bad)\b/i;

/** 'Thursday doesn't work': says which time is wrong, not which is right. */
export const refusesTime = (text: string): boolean => REFUSALS.test(text);

const VAGUE: [RegExp, string][] = [
  [/\b(?:longer|shorter)\b/i, 'By how much? Tell me how long it should be.'],
  [/\b(?:earlier|later|sooner)\b/i, 'By how much? Tell me when it should be.'],
];

const targetOfIntent = (intent: Intent): Target => ({
  uid: intent.target_plan_uid ?? intent.target_event_uid ?? '',
  kind: 'plan',
  title: intent.title,
  ...(intent.scheduled_for && { scheduled_for: intent.scheduled_for }),
  ...(intent.duration_minutes !== undefined && { duration_minutes: intent.duration_minutes }),
});

/** The facets a correction brings. */
const facetsFor = (work: Work, items: readonly Item[]): Facet[] => {
  const facets = withoutNegated(work, items)
    .flatMap((item) => item.facets)
    .filter(({ kind }) => kind !== 'soon');
  return facets.length > 0 ? facets : bareNumber(work, items);
};

/** Words that ask for a change without saying how much: 'earlier please'. */
export const isVague = (work: Work, { clause }: Request): boolean =>
  work.tokens.slice(clause.from, clause.to).some(({ word }) => /^(?:earlier|later|sooner|shorter|longer)$/.test(word));

/** What was asked for just before in the same prompt, corrected in place. */
export const correctLast = (work: Work, request: Request, act: Act, last: readonly Intent[]): Outcome => {
  const corrected: Intent[] = [];
  for (const intent of last) {
    const change = correction(work, request, act, targetOfIntent(intent));
    if ('ask' in change) return { intents: [...last], ask: change.ask };
    const { fields } = change;
    const { scheduled_for: _at, between: _between, part_of_day: _part, ...rest } = intent;
    const timed = fields.scheduled_for !== undefined || fields.between !== undefined;
    const delta = fields.duration_delta_minutes;
    const length =
      fields.duration_minutes ??
      (delta !== undefined && intent.duration_minutes !== undefined ? intent.duration_minutes + delta : undefined);
    const { duration_delta_minutes: _delta, ...others } = fields;
    corrected.push({
      ...(timed ? rest : intent),
      ...(length === undefined ? fields : others),
      ...(length !== undefined && { duration_minutes: length }),
      arguments: { ...intent.arguments, ...fields.arguments },
      reasoning: `${intent.reasoning} Then corrected: ${cluesOf(work, request)}.`,
    });
  }
  const times = new Set(corrected.map(({ scheduled_for }) => scheduled_for));
  if (corrected.length > 1 && times.size === 1 && corrected[0]!.scheduled_for)
    return { intents: [...last], ask: 'Which of those do you want to change?' };
  return { intents: corrected };
};

const correction = (work: Work, request: Request, act: Act, target: Target): ReturnType<typeof changeOf> => {
  const facets = facetsFor(work, request.items);
  const text = request.items
    .map(({ from, to }) =>
      work.tokens
        .slice(from, to)
        .map(({ text: own }) => own)
        .join(' '),
    )
    .join(' ');
  const vague = facets.length === 0 ? VAGUE.find(([pattern]) => pattern.test(text)) : undefined;
  if (vague) return { ask: vague[1] };
  const to = request.items.some(({ from, facets: own }) => own.length === 0 && wordAt(work.tokens, from) === 'to');
  return changeOf(target, { facets, act, toLength: to }, work);
};

/** 'the second one', 'the first proposal'. */
const isNth = ({ tokens }: Pick<Work, 'tokens'>, i: number): boolean =>
  (ORDINALS.has(wordAt(tokens, i)) || wordAt(tokens, i) === 'last') &&
  ['one', 'proposal', 'plan'].includes(wordAt(tokens, i + 1));

/** The pending proposal that 'it' means: the only one, or 'the second one' in the order of their times. */
const pendingTarget = (work: Work, { clause }: Request): { target: Target } | { ask: string } => {
  const { pending } = work.context;
  const numbered = work.tokens.slice(clause.from, clause.to).find((_, i) => isNth(work, clause.from + i));
  const nth = numbered && (numbered.word === 'last' ? pending.at(-1) : pending[(ORDINALS.get(numbered.word) ?? 0) - 1]);
  if (nth) return { target: planTarget(nth) };
  if (pending.length === 1) return { target: planTarget(pending[0]!) };
  if (pending.length === 0) return { ask: 'What do you mean by “it”? Nothing is waiting for your answer.' };
  return {
    ask: `Which proposal do you mean: ${pending
      .slice(0, 5)
      .map(({ title }) => `“${title}”`)
      .join(', or ')}?`,
  };
};

/** A correction of the pending proposal: only what changes is set. */
export const correctPending = (work: Work, request: Request, act: Act): Outcome => {
  const found = pendingTarget(work, request);
  if ('ask' in found) return { intents: [], ask: found.ask };
  const tagged = request.tags.task_id ?? request.tags.tempo_tag;
  const change =
    tagged !== undefined && facetsFor(work, request.items).length === 0
      ? { fields: {} }
      : correction(work, request, act, found.target);
  if ('ask' in change) return { intents: [], ask: change.ask };
  const intent = changeIntent(found.target, change.fields, request, work);
  return { intents: [isAgain(work, request) ? anew(found.target, intent) : intent] };
};

/** 'and the same on Friday' is one more; 'the same but on Friday' is a change. */
const isAgain = ({ tokens }: Work, { clause }: Request): boolean => {
  const words = tokens.slice(clause.from, clause.to).map(({ word }) => word);
  const adds = words.includes('and') || words.includes('also') || words.includes('again');
  return adds && !words.includes('but') && words.some((word, i) => word === 'same' && words[i + 1] !== 'time');
};

const anew = (target: Target, { target_plan_uid: _target, ...intent }: Intent): Intent => ({
  ...intent,
  content: sentence(target.title),
  ...(target.duration_minutes !== undefined && { duration_minutes: target.duration_minutes }),
  reasoning: `You ask for the same as “${target.title}” once more.`,
});

export const dismissPending = (work: Work, request: Request): Outcome => {
  const found = pendingTarget(work, request);
  return 'ask' in found ? { intents: [], ask: found.ask } : { intents: [cancelIntent(found.target, request, work)] };
};

/** 'call it Budget review'. */
export const renamePending = (work: Work, request: Request): Outcome => {
  const found = pendingTarget(work, request);
  if ('ask' in found) return { intents: [], ask: found.ask };
  const title =
    titleOf(
      work.tokens,
      request.items.map((item) => ({ ...item, facets: [] })),
    ) || phraseOf(work.tokens, request.items);
  if (!title) return { intents: [], ask: 'What should it be called?' };
  return {
    intents: [{ ...changeIntent(found.target, {}, request, work), title, content: sentence(`Call it “${title}”`) }],
  };
};
