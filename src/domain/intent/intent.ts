/**
 * The built-in planner's understanding: everyday English in, intents out. Pure and deterministic. A prompt is read alone first;
 * where that gives nothing, or points back, it is read together with the prompt before.
 */
import { latestPending } from './correct.ts';
import { facetsOf, type Frame } from './frame.ts';
import { type ReadPrompt, readingPrompt, sayIntents, withoutTimes } from './read-prompt.ts';
import { lengthName, timeName } from './say.ts';
import { readQuestion } from './question.ts';
import { resultOf } from './result-of.ts';
import { misspeltWeekday } from './plain-words.ts';
import { YES } from './set-replies.ts';
import { isAboutIt } from './verbs.ts';
import { tokenise, WEEKDAYS } from './words.ts';
import { findTargets, targetsIn } from './targets.ts';
import type { Intent, IntentContext, PendingPlan, Understanding } from './types.ts';
import { millis } from '../time/time.ts';

const LONGEST_ADDITION = 200;
const POINTS_ELSEWHERE = /\b(?:the|that|other) (?:other )?ones?\b|^(?:just|only)\b/i;
const REJECTS = /^(?:no|not|nope)\b[^,.]*[,.] */i;

const MEANS = /\bi meant?\b/i;
const PARTS =
  /^(.*?\b(?:cancel|skip|move|push|reschedule|shift|drop|delete|remove|shorten|extend|postpone|bring|make)\b ?)(.+?)( (?:to|by|until|back|forward) .*)?$/i;
const FILLING = /\b(?:the|that) (?:other )?ones?\b|^(?:just|only)\b|\b(?:oh )?(?:no,? )?i meant?\b|\bsorry\b/gi;

const isWithoutVerb = ({ act, kind }: Frame): boolean => act === null && kind !== 'report';

/** Takes the pending proposal back, because it is made again otherwise. */
const withdrawn = (plan: PendingPlan): Intent => ({
  action_type: 'reschedule',
  title: plan.title,
  content: `Withdraw “${plan.title}”.`,
  tags: [],
  target_plan_uid: plan.uid,
  arguments: { cancel: true },
  reasoning: `You say it otherwise, so the proposal “${plan.title}” is taken back.`,
});

const RESTRICTS = new Set(['except', 'hours', 'part', 'clock', 'apart', 'edge']);
/** 'not before 12', '7 pm at the Italian': more about what was asked for, so both prompts are read as one. */
function* amended(
  prompt: string,
  said: string,
  context: IntentContext,
  { frames }: ReadPrompt,
): Generator<undefined, ReadPrompt | null> {
  const [plan, ...more] = latestPending(context);
  const facets = frames.flatMap(({ items }) => facetsOf(items));
  const restricts = facets.length > 0 && facets.every(({ kind }) => RESTRICTS.has(kind));
  const excludes = facets.some((facet) => facet.kind === 'except' || (facet.kind === 'hours' && !facet.exact));
  // 'from next week on' of a series
  const begins = plan?.rrule != null && facets.some((facet) => facet.kind === 'edge' && facet.from);
  const adds = /^[^a-z]*\d[\d:.]*(?: ?[ap]m)? (?:at|in|with|@) /i.test(prompt);
  if (!plan || more.length > 0 || plan.target_event_uid || !restricts || !(excludes || adds || begins)) return null;
  const again = yield* readingPrompt(`${said}, ${prompt.replace(REJECTS, '')}`, { ...context, pending: [] });
  return isAsClear(again) && again.intents.every(({ target_event_uid: uid }) => uid === undefined) ? again : null;
}

const isAsClear = ({ intents, question }: ReadPrompt): boolean => intents.length > 0 && question === undefined;

const FOLLOWS = /^(?:and|what about|how about|or)\b/i;
const PRONOUN = /\b(?:it|that|this)\b/i;
/** The one event that the prompt before was about: after 'when is the dentist?', 'move it to 12' is about the dentist. */
const eventIn = (said: string, context: IntentContext): string | null => {
  const words = said.replace(
    /^(?:what time|when|where|who|how long|what|which)\b(?:['’]s| is| are| does| do| will)?/i,
    '',
  );
  const match = findTargets(
    { phrase: words.replaceAll(/\b(?:on|today|tomorrow|again|is|does)\b/gi, ' '), facets: [] },
    context,
    targetsIn({ ...context, pending: [] }),
  );
  if ('targets' in match && match.targets.length === 1 && words !== said) return match.targets[0]!.title;
  const { kind, time } = readQuestion(said, context);
  const then =
    time && kind === 'agenda'
      ? context.events.filter(
          ({ scheduled_for: at }) => millis(at) >= millis(time.start) && millis(at) < millis(time.end),
        )
      : [];
  return then.length === 1 ? then[0]!.title : null;
};

/** 'the one on Wednesday', 'not the lunch, the other one': the prompt before, about another event than that of its proposal. */
function* elsewhere(
  prompt: string,
  said: string,
  context: IntentContext,
  plans: PendingPlan[],
): Generator<undefined, ReadPrompt | null> {
  const isOf = ({ uid, recurrence_id }: IntentContext['events'][number]): boolean =>
    plans.some((plan) => plan.target_event_uid === uid && (plan.recurrence_id ?? null) === (recurrence_id ?? null));
  const fits = /^(?:just|only)\b/i.test(prompt);
  const others = context.events.filter((event) => fits || !isOf(event));
  const added = prompt
    .replace(REJECTS, '')
    .replaceAll(FILLING, ' ')
    .replace(/[,.!?\s]+$/, '')
    .trim();
  // What is said of the event goes where it is named, before the new time
  const [, head = '', name = said, goal = ''] = PARTS.exec(said) ?? [];
  const isOther = MEANS.test(prompt) && !POINTS_ELSEWHERE.test(prompt);
  const text = isOther ? `${head}${added}${goal}` : `${head}${name} ${added}${goal}`;
  const again = yield* readingPrompt(text, { ...context, events: others, pending: [] });
  return isAsClear(again) && again.intents.every(({ target_event_uid: uid }) => uid !== undefined) ? again : null;
}

const ONE_MORE =
  /^(?:(?:and|also|plus|add|then) )*(?:another(?: one)?|one(?: more)?|the same(?: thing)?) (?=with |for |about |at |on |to )/i;
/** 'and one with Simon right after': one more like the pending proposal. */
function* oneMore(prompt: string, context: IntentContext): Generator<undefined, ReadPrompt | null> {
  const [plan, ...more] = latestPending(context);
  const isSame = ONE_MORE.exec(prompt)?.[0].includes('same');
  if (!plan?.scheduled_for || more.length > 0 || plan.target_event_uid || isSame === undefined) return null;
  const { zone, now } = context;
  const length = plan.duration_minutes ? ` for ${lengthName(plan.duration_minutes)}` : '';
  const said = `${plan.title} on ${timeName(plan.scheduled_for, zone, now)}${length}`;
  const rest = prompt.replace(ONE_MORE, isSame ? 'the same ' : 'one ');
  const { intents, ...again } = yield* readingPrompt(`${said} and ${rest}`, { ...context, pending: [] });
  return intents.length === 2 && again.question === undefined
    ? { ...again, intents: intents.slice(1), reply: sayIntents(intents.slice(1), context) }
    : null;
}

/** 'did you mean Friday?' 'yes': the prompt before with the weekday that was meant. */
const respelt = (said: string, prompt: string): string | null => {
  const word = said.match(/\p{L}+/gu)?.find((one) => misspeltWeekday(one.toLowerCase()) !== undefined);
  const named = prompt.match(/\p{L}+day\b/giu)?.find((one) => WEEKDAYS.has(one.toLowerCase()));
  const meant =
    named ?? (YES.test(prompt.replace(/[.!,\s]+$/, '')) ? word && misspeltWeekday(word.toLowerCase()) : undefined);
  return word && meant ? said.replace(word, meant) : null;
};

const TOO = /[,.!? ]*\b(?:too|also|as well)\b[.!]*/i;
/** 'cancel yoga' 'oh and the dinner too': what the prompt before asked for, of another event. */
function* alsoAbout(
  prompt: string,
  said: string,
  context: IntentContext,
  plans: readonly PendingPlan[],
): Generator<undefined, ReadPrompt | null> {
  const [, head, name = '', goal = ''] = PARTS.exec(said) ?? [];
  if (!head || !TOO.test(prompt) || !plans.every(({ target_event_uid: uid }) => uid)) return null;
  const added = prompt.replace(TOO, '').replace(/^(?:(?:oh|and|plus|then|actually|maybe)\b,? *)+/i, '');
  // 'skip piano this week' 'and next week too'
  const own = withoutTimes(added, context) === '' ? `${withoutTimes(name, context)} ` : '';
  const again = yield* readingPrompt(`${head}${own}${added}${goal}`, { ...context, pending: [] });
  return isAsClear(again) && again.intents.every(({ target_event_uid: uid }) => uid !== undefined) ? again : null;
}

/** 'Tuesdays, not Mondays': the prompt before with another repetition. A prompt that names something else is no restatement. */
function* restated(
  prompt: string,
  said: string,
  context: IntentContext,
  { frames }: ReadPrompt,
): Generator<undefined, ReadPrompt | null> {
  const repeats = frames.some(({ items }) => facetsOf(items).some(({ kind }) => kind === 'every' || kind === 'count'));
  const again = repeats ? yield* readingPrompt(`${said}. No, ${prompt}`, { ...context, pending: [] }) : null;
  const titles = latestPending(context).map(({ title }) => title);
  return again && isAsClear(again) && again.intents.every(({ title }) => titles.includes(title)) ? again : null;
}

/**
 * Understands a prompt: one intent per thing asked for (at most 60), a question where a guess would be needed. Never throws. It
 * yields between words and clauses, because the first long prompt of a process takes more than 100 ms.
 */
export function* understanding(prompt: string, context: IntentContext): Generator<undefined, Understanding> {
  const { frames, tokens: _read, ...alone } = yield* readingPrompt(prompt, context);
  const { before } = context;
  const said = before?.prompt.replace(/[.!?\s]+$/, '') ?? '';
  if (!before || prompt.length > LONGEST_ADDITION || said.length > 1000) return alone;
  const named = alone.intents.length === 0 && PRONOUN.test(prompt) ? eventIn(said, context) : null;
  if (named) {
    const { frames: _frames, tokens: _tokens, ...about } = yield* readingPrompt(
      prompt.replace(PRONOUN, () => named),
      context,
    );
    return about.intents.length > 0 ? about : alone;
  }
  const one = before.proposed ? yield* oneMore(prompt, context) : null;
  if (one) {
    const { frames: _frames, tokens: _tokens, ...made } = one;
    return made;
  }
  if (!frames.every(isWithoutVerb)) return alone;
  // 'cancel it' 'the yoga class on Wednesday'
  const meant = !before.proposed && isAboutIt(tokenise(said), 0) ? said.replace(PRONOUN, () => prompt) : null;
  const told = meant ? yield* readingPrompt(meant, context) : null;
  if (told && isAsClear(told)) {
    const { frames: _frames, tokens: _tokens, ...made } = told;
    return made;
  }
  const spelt = before.proposed || alone.intents.length > 0 ? null : respelt(said, prompt);
  if (spelt) {
    const { frames: _frames, tokens: _tokens, ...made } = yield* readingPrompt(spelt, context);
    return made;
  }
  const read = { ...alone, frames, tokens: _read };
  const plans = latestPending(context);
  if (before.proposed && plans.length > 0) {
    const points =
      (POINTS_ELSEWHERE.test(prompt) || MEANS.test(prompt)) && plans.every(({ target_event_uid: uid }) => uid);
    const other = points ? yield* elsewhere(prompt, said, context, plans) : null;
    const again =
      other ??
      (yield* alsoAbout(prompt, said, context, plans)) ??
      (yield* restated(prompt, said, context, read)) ??
      (yield* amended(prompt, said, context, read));
    if (!again) return alone;
    const { frames: _frames, tokens: _tokens, ...made } = again;
    // 'and Thursdays too' leaves what was proposed as it is
    return TOO.test(prompt) ? made : { ...made, intents: [...plans.map(withdrawn), ...made.intents] };
  }
  if (alone.intents.length > 0 || before.proposed) return alone;
  // 'what is on Wednesday?' 'and on Saturday?'
  if (FOLLOWS.test(prompt) && alone.questions.length === 0) {
    const { frames: _frames, tokens: _tokens, ...asked } = yield* readingPrompt(
      `${withoutTimes(said, context)} ${prompt.replace(FOLLOWS, '')}?`,
      context,
    );
    if (asked.questions.length > 0) return asked;
  }
  const { frames: _frames, tokens: _tokens, ...together } = yield* readingPrompt(`${said} ${prompt}`, context);
  return together.intents.length > 0 && !together.question ? together : alone;
}

/** The same at once. */
export const understand = (prompt: string, context: IntentContext): Understanding =>
  resultOf(understanding(prompt, context));
