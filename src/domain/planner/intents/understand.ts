/** Understands a request: roles, acts, and the proposals and questions that follow from them. Pure and deterministic. */
import { readQuestion } from '../questions/question.ts';
import { checkOf, joinedReading, type Read, readingOf } from './reading.ts';
import { sayIntents, withdraws } from './say.ts';
import {
  accepting,
  CAN_DO,
  conditional,
  isForeign,
  ONLY_ENGLISH,
  notProposed,
  refused,
  ruleStays,
  stillRefused,
  toldOnly,
} from '../replies/set-replies.ts';
import { smallTalkReply } from '../replies/small-talk.ts';
import {
  type Choice,
  type Intent,
  type IntentContext,
  MOST_CHARS,
  type Question,
  type Understanding,
} from './types.ts';
import { timeName } from '../../time/say.ts';
import { millis, wallToInstant } from '../../time/time.ts';
import { agrees } from '../replies/agreed.ts';
import { chosenFrom, labelled } from '../replies/chosen.ts';
import type { Item, Step } from '../dialogue/item.ts';
import type { Action, Target } from '../act/actions.ts';
import { REPORTING } from '../words/act-words.ts';
import type { Known } from '../act/known.ts';
import type { Request } from '../request.ts';
import { type Acted, actedOn } from './acted.ts';
import { knownOf } from './known.ts';
import { cancelled, changed, configured, kept, type Made, made, type Making, moved, resized } from './make.ts';
import { MOST } from './sittings.ts';
import { tagsOf } from './tags.ts';
import { itemsOf, talkOf } from './talk.ts';
import { cut, titleOf } from './texts.ts';

const MOST_CHOICES = 5;

/** What is read: up to the last end of a sentence, as half a request may mean something else. */
const partRead = (prompt: string): string => {
  if (prompt.length <= MOST_CHARS) return prompt;
  const text = prompt.slice(0, MOST_CHARS);
  return /^[\s\S]*[.!?;\n]/.exec(text)?.[0] ?? /^[\s\S]*\s/.exec(text)?.[0] ?? text;
};

const ASKS: Readonly<Record<string, string>> = {
  what: 'What is it that I should plan?',
  when: 'When should it be?',
  'by how much': 'By how much should I change it?',
  'how long': 'How long should it be?',
  'what to change': 'What should I change about it?',
};

const askText = (about: string): string => {
  if (ASKS[about]) return ASKS[about];
  if (about.startsWith('if: ')) return conditional(about.slice(4));
  const [, title] = /^not proposed: (.*)$/s.exec(about) ?? [];
  if (title !== undefined) return notProposed(titleOf(title));
  const [, waiting] = /^waits: (.*)$/s.exec(about) ?? [];
  if (waiting !== undefined) return accepting([waiting]);
  const [, which] = /^which one:? ?(.*)$/.exec(about) ?? [];
  if (which !== undefined) return which ? `Which event do you mean by “${which}”?` : 'Which event do you mean?';
  return `I can’t plan that: ${about}.`;
};

const makeOf = (action: Action, making: Making): Made => {
  switch (action.do) {
    case 'create':
    case 'remind':
    case 'find':
      return made(action, making);
    case 'move':
      return moved(action, making);
    case 'cancel':
      return cancelled(action.target, action.isFollowing, action.spans, making);
    case 'resize':
      return resized(action, making);
    case 'change':
      return changed(action, making);
    case 'note':
    case 'reflect':
      return action.text ? kept(action, making) : { ask: 'What should I note down?' };
    case 'setting':
      return configured(action, making);
    case 'ask':
      return { ask: askText(action.about) };
    default:
      return { intents: [] };
  }
};

const isSame = (a: { uid: string; recurrence_id?: string }, b: Target): boolean =>
  a.uid === b.uid && a.recurrence_id === b.recurrence_id;

const labelOf = (target: Target, known: Known, { zone, now }: IntentContext): string => {
  const found = target.isPending
    ? known.pending.find(({ uid }) => uid === target.uid)
    : known.events.find((one) => isSame(one, target));
  if (!found) return '';
  const when = found.start ? `, ${timeName(wallToInstant(found.start, zone), zone, now)}` : '';
  return `${found.title}${when}${target.isPending ? ' (proposal)' : ''}`;
};

/** What a step proposes: new things may stand for proposals that wait, which are corrected, or withdrawn where fewer are made. */
const intentsOf = (done: readonly Made[], { actions, replaces }: Step, making: Making): Intent[] => {
  const made = done.flatMap((one) => ('intents' in one ? one.intents : []));
  const isNew = made.some(
    ({ target_plan_uid: uid, target_event_uid: event }) => uid === undefined && event === undefined,
  );
  const replaced = isNew || actions.some(({ do: kind }) => kind === 'move' || kind === 'cancel') ? [...replaces] : [];
  // A proposal that is cancelled is withdrawn, so a cancellation stands for none.
  const meant = new Set(made.flatMap(({ target_plan_uid: uid }) => uid ?? []));
  const left = replaced.filter((uid) => !meant.has(uid));
  const intents = made.map((intent) => {
    const isOwn = intent.target_plan_uid === undefined && !intent.arguments.cancel;
    const uid = isOwn ? left.shift() : undefined;
    return uid === undefined ? intent : { ...intent, target_plan_uid: uid, replaces: true as const };
  });
  const gone = made.length > 0 ? left : [];
  return [
    ...intents,
    ...gone.flatMap((uid) => {
      const one = cancelled({ uid, isPending: true }, undefined, [], making);
      return 'intents' in one ? one.intents : [];
    }),
  ];
};

/** What the request would do about each of the events that it may mean. */
const choicesOf = (options: readonly Target[], known: Known, making: Making, { stepsWith }: Readable): Choice[] => {
  const choices = options.slice(0, MOST_CHOICES).map((option): Choice => {
    const others = options.filter((one) => one !== option);
    const without: Known = {
      ...known,
      events: known.events.filter(({ uid }) => !others.some((other) => !other.isPending && other.uid === uid)),
      pending: known.pending.filter(({ uid }) => !others.some((other) => other.isPending && other.uid === uid)),
    };
    const { intents, asks } = resultOf(stepsWith(without), without, making);
    return { label: labelOf(option, known, making.context), intents: asks.length > 0 ? [] : intents };
  });
  const clear = choices.filter(({ label, intents }) => label !== '' && intents.length > 0);
  return clear.length > 1 ? clear : [];
};

const intentsIn = (one: Made): Intent[] => ('intents' in one ? one.intents : []);

/** The intents with what was read of the prompt for them: those of one clause have the same stretches. */
const withReadings = (
  actions: readonly Action[],
  done: readonly Made[],
  context: IntentContext,
  read: Read,
): Made[] => {
  const keys = actions.map(({ spans }) => JSON.stringify(spans));
  const all = Map.groupBy(keys.entries(), ([, key]) => key);
  const readings = new Map(
    [...all].map(([key, same]) => {
      const intents = same.flatMap(([i]) => intentsIn(done[i]!));
      return [key, readingOf(actions[same[0]![0]]!.spans, intents, read, context)];
    }),
  );
  return done.map((one, i) =>
    'intents' in one
      ? { intents: one.intents.map((intent) => ({ ...intent, reading: readings.get(keys[i]!)! })) }
      : one,
  );
};

/** The rules of a step as one: each changes the settings as those before it have made them. */
const withOneRule = (actions: readonly Action[]): Action[] => {
  const rules = actions.filter((action) => action.do === 'setting');
  const [first] = rules;
  if (!first || rules.length === 1) return [...actions];
  const isPart = rules.some((rule) => rule.isPart);
  const text = rules.map((rule) => rule.text).join(' ; ');
  const joined: Action = {
    ...{ do: 'setting', text, spans: rules.flatMap(({ spans }) => spans) },
    ...(isPart && { isPart }),
  };
  return actions.flatMap((action) => (action === first ? joined : action.do === 'setting' ? [] : action));
};

type Result = { intents: Intent[]; questions: Question[]; asks: string[]; choices: Choice[] };
/** What was read, and what follows from it where other things are known. */
type Readable = Read & { stepsWith: Acted['stepsWith'] };

/** Without `read` no choices are made, and what is made has no reading: its offsets would mean nothing in a later turn. */
const resultOf = (steps: readonly Step[], known: Known, making: Making, read?: Readable): Result => {
  const result: Result = { intents: [], questions: [], asks: [], choices: [] };
  for (const step of steps) {
    const actions = withOneRule(step.actions);
    const made = actions.map((action) => makeOf(action, making));
    const done = read ? withReadings(actions, made, making.context, read) : made;
    result.intents.push(...intentsOf(done, step, making));
    result.asks.push(...done.flatMap((one) => ('ask' in one ? one.ask : [])));
    for (const action of step.actions) {
      if (action.do === 'answer') result.questions.push(readQuestion(action.text, making.context));
      if (action.do === 'ask' && action.options && read)
        result.choices.push(...choicesOf(action.options, known, making, read));
    }
  }
  return result;
};

/** What is said where a request only says what not to do. */
const nothingOf = ({ text, spans }: Request): string => {
  if (spans.some(({ role }) => role === 'refuse' || role === 'undo')) return refused(text.trim());
  return spans.some(({ role }) => role === 'aside') || REPORTING.test(text) ? toldOnly(cut(text.trim(), 200)) : CAN_DO;
};

const only = (reply: string, more: Partial<Understanding> = {}): Understanding => ({
  ...{ intents: [], questions: [], reply, unknown: [], unread: 0, ...more },
});
const asked = (question: string, more: Partial<Understanding> = {}): Understanding =>
  only(question, { question, ...more });
/** What a choice makes is made of the words of before. */
const chosenTalk = ({ before }: IntentContext): Pick<Understanding, 'talk'> =>
  before?.talk ? { talk: before.talk.map(({ said }) => ({ said })) } : {};
/** What was spoken of, where a prompt says nothing of it. */
const sameTalk = ({ before }: IntentContext): Pick<Understanding, 'talk'> =>
  before?.talk ? { talk: before.talk.map(({ said, plans = before.plan_uids ?? [] }) => ({ said, plans })) } : {};

/** Whether two intents change the same event or proposal. */
const isSameEvent = (a: Intent, b: Intent): boolean =>
  (a.target_event_uid ?? a.target_plan_uid) !== undefined &&
  a.target_event_uid === b.target_event_uid &&
  a.target_plan_uid === b.target_plan_uid &&
  a.arguments['recurrence_id'] === b.arguments['recurrence_id'] &&
  !a.arguments.cancel &&
  !b.arguments.cancel;

/** 'Start half an hour earlier and make it two hours' is one change of the event. */
const merged = (intents: readonly Intent[]): Intent[] => {
  const all: Intent[] = [];
  for (const intent of intents) {
    const i = all.findIndex((one) => isSameEvent(one, intent));
    const before = all[i];
    if (before) {
      const reading = joinedReading(before.reading, intent.reading);
      all[i] = {
        ...{ ...before, ...intent, arguments: { ...before.arguments, ...intent.arguments } },
        ...{ content: `${before.content} ${intent.content}`, reasoning: before.reasoning, ...(reading && { reading }) },
      };
    } else all.push(intent);
  }
  return all;
};

const SHORTEST = 30;
/** Names what is on the calendar at the times that were asked for. */
const conflictsOf = (intents: readonly Intent[], { events, zone, now }: IntentContext): string[] => {
  const gone = new Set(intents.map(({ target_event_uid: uid }) => uid));
  return intents.flatMap(({ scheduled_for: at, duration_minutes = SHORTEST, title, action_type, arguments: own }) => {
    if (!at || own.all_day || action_type === 'reflect' || action_type === 'log') return [];
    const start = millis(at);
    const taken = events.find(
      ({ uid, scheduled_for, duration_minutes: minutes }) =>
        !gone.has(uid) &&
        millis(scheduled_for) < start + duration_minutes * 60_000 &&
        millis(scheduled_for) + minutes * 60_000 > start,
    );
    return taken
      ? [`At the time of “${title}” there is “${taken.title}” (${timeName(taken.scheduled_for, zone, now)}).`]
      : [];
  });
};
const MOST_CONFLICTS = 5;

/** The change of the settings that waits and that a turn is about, where the turn does not take it back. */
const ruleChanged = (
  steps: readonly Step[],
  items: readonly Item[],
  intents: readonly Intent[],
  { pending }: IntentContext,
): string | undefined => {
  const rules = pending.filter(({ action_type: type }) => type === 'configure');
  const isSpokenOf = (uid: string): boolean =>
    steps.some(({ isSame }) => isSame) && items.at(-1)?.plans.includes(uid) === true && intents.length === 0;
  const isTarget = (uid: string): boolean =>
    intents.some((intent) => intent.target_plan_uid === uid && !withdraws(intent));
  return rules.find(({ uid }) => isSpokenOf(uid) || isTarget(uid))?.title;
};

const chosenOf = (intents: Intent[], context: IntentContext): Understanding =>
  only(sayIntents(intents, context), { intents, ...chosenTalk(context) });

/** What needs no reading: small talk, a choice, or that the person agrees. */
const setAnswer = (prompt: string, context: IntentContext): Understanding | null => {
  const { before, pending } = context;
  const offered = before?.choices ?? [];
  const named = labelled(prompt, offered);
  if (named) return chosenOf(named, context);
  const small = smallTalkReply(prompt, pending.length > 0);
  if (small) return only(small, sameTalk(context));
  const chosen = chosenFrom(prompt, offered);
  if (chosen) return chosenOf(chosen, context);
  const missed = before?.refused;
  if ((!missed && pending.length === 0) || !agrees(prompt)) return null;
  const reply = missed ? stillRefused(missed.title) : accepting(pending.map(({ title }) => title));
  return asked(reply, sameTalk(context));
};

export const understand = (prompt: string, context: IntentContext): Understanding => {
  const set = context.literal?.length ? null : setAnswer(prompt, context);
  if (set) return set;
  const { text, tags } = tagsOf(partRead(prompt), context.literal);
  const unread = prompt.length - text.length;
  if (isForeign(text)) return asked(ONLY_ENGLISH, { unknown: [text.slice(0, 500)], unread });
  const known = knownOf(context, text);
  const items = itemsOf(context, known);
  const { request, steps, probability, doubts, stepsWith, readable } = actedOn(text, items, known, context);
  const read = { text, probability: Math.round(probability * 1000) / 1000, doubts, stepsWith };
  const making = { request, tags, context, readable };
  const { intents: all, questions, asks, choices } = resultOf(steps, known, making, read);
  const rule = ruleChanged(steps, items, all, context);
  if (rule !== undefined) return asked(ruleStays(rule), sameTalk(context));
  const intents = merged(all).slice(0, MOST);
  const isNone = intents.length + questions.length + asks.length === 0;
  const question = isNone ? nothingOf(request) : [...new Set(asks)].slice(0, 5).join(' ') || undefined;
  const said = [
    intents.length > 0 && sayIntents(intents, context),
    checkOf(intents, read),
    ...conflictsOf(intents, context).slice(0, MOST_CONFLICTS),
    unread > 0 && `I read only the first ${text.length} characters; ask again for the rest.`,
    question,
  ]
    .filter(Boolean)
    .join(' ');
  return {
    ...{ intents, questions, reply: said, unknown: [], unread, talk: talkOf(steps, items, intents) },
    ...(question && { question }),
    ...(choices.length > 0 && { choices }),
  };
};
