/** Follow-ups that name one of the things that wait, or only how long it is, and remarks before them. */
import { asks } from '../clause/background.ts';
import { correctPending, subjectOf } from '../correct.ts';
import { groupsOf, type Item } from '../facet.ts';
import { facetsOf, type Frame } from '../frame.ts';
import { addFrames, startOf, understoodOf } from '../read-prompt.ts';
import { resultOf } from '../../text/result-of.ts';
import { dayName } from '../../time/say.ts';
import { findTargets, planTarget, targetsIn } from '../targets.ts';
import { phraseOf } from '../title.ts';
import type { Intent, PendingPlan, Understanding } from '../types.ts';
import { wordAt } from '../words.ts';
import { localDate } from '../../time/time.ts';
import { isBeside, isPlain, type Talk, withdrawn } from './talk.ts';
import { CORRECTS, DENYING, KEEPING, NONE, UNNAMED } from '../words/speech.ts';

/** The plans of the latest proposal that words name. */
const plansNamed = ({ plans, context, alone }: Talk, items: readonly Item[]): PendingPlan[] => {
  const phrase = phraseOf(
    alone.reading.tokens,
    items.filter(({ facets }) => facets.length === 0),
  );
  const named = plans.map((plan) => planTarget(plan, context.events));
  const isNamed = phrase !== '' && subjectOf(alone.reading, items).length > 0;
  const match = isNamed ? findTargets({ phrase, facets: [] }, context, named) : null;
  return match && 'targets' in match ? plans.filter(({ uid }) => match.targets.some((one) => one.uid === uid)) : [];
};

export const onlyAsked = ({ alone }: Talk): Frame | null => {
  const { frames } = alone.reading;
  const asked = frames.filter((one) => !isBeside(one));
  const [frame, ...more] = asked.length > 0 ? asked : frames;
  return frame && more.length === 0 ? frame : null;
};

/** 'no roofer': one of the things that wait is not wanted. */
const withoutOneOf = (talk: Talk, gone: readonly PendingPlan[]): Understanding => {
  const state = startOf(talk.alone.reading, talk.context);
  state.intents = gone.map(withdrawn);
  return understoodOf(state, talk.alone.reading);
};
export const withoutOne = (talk: Talk): Understanding | null => {
  const frame = onlyAsked(talk);
  const { tokens } = talk.alone.reading;
  if (!frame || facetsOf(frame.clause.items).length > 0) return null;
  const saysOf = (words: ReadonlySet<string>): boolean =>
    frame.clause.items.some(({ from }) => words.has(wordAt(tokens, from)));
  const [denies, keeps] = [saysOf(DENYING), saysOf(KEEPING)];
  const named =
    denies || keeps
      ? plansNamed(
          talk,
          frame.clause.items.filter(({ from }) => !UNNAMED.has(wordAt(tokens, from))),
        )
      : [];
  // What is to be cancelled or moved, and stays, is not changed
  const gone = denies ? named : named.filter(({ target_event_uid: uid }) => uid);
  return gone.length > 0 ? withoutOneOf(talk, gone) : null;
};

/** 'drinks 9pm': what waits under that name is then. */
export const ofOneName = (talk: Talk): Understanding | null => {
  const frame = onlyAsked(talk);
  const facets = frame ? facetsOf(frame.items) : [];
  const isOther = facets.some(
    ({ kind }) => kind === 'days' || kind === 'every' || kind === 'count' || kind === 'period',
  );
  if (!frame || facets.length === 0 || (isOther && !frame.corrects)) return null;
  const [plan, ...more] = plansNamed(talk, frame.items);
  return plan && more.length === 0 ? aboutPlan(talk, plan, frame) : null;
};
const aboutPlan = ({ alone: { reading }, context }: Talk, plan: PendingPlan, frame: Frame): Understanding => {
  const state = startOf(reading, { ...context, pending: [plan] });
  const items = frame.items.filter(({ facets, kept }) => facets.length > 0 && !kept);
  const { intents, ask } = correctPending(state, { ...frame, items });
  Object.assign(state, { intents, asks: ask ? [ask] : [] });
  return understoodOf(state, reading);
};

/** 'never mind, leave it as it is': none of what waits is wanted. */
export const dismissed = (talk: Talk): Understanding | null => {
  const { understood, reading } = talk.alone;
  const isOff = reading.frames.some(({ act, lead }) => act === 'dismiss' && NONE.test(lead));
  return isOff && talk.plans.length > 0 && understood.intents.length === 0 ? withoutOneOf(talk, talk.plans) : null;
};

/** 'until 8:30': when what waits, and begins at an hour, is to end. */
export const lasts = (talk: Talk): Understanding | null => {
  const frame = onlyAsked(talk);
  const [facet, ...more] = frame ? facetsOf(frame.items) : [];
  const [plan, ...others] = talk.plans;
  const begins = talk.earlier.frames.some(({ items }) => groupsOf(facetsOf(items)).has('clock'));
  const isEnd = facet?.kind === 'hours' && facet.to && !facet.from && !facet.due && more.length === 0;
  const isOnly = frame?.act === null && subjectOf(talk.alone.reading, frame.items).length === 0;
  return frame && isEnd && isOnly && begins && plan?.scheduled_for && others.length === 0
    ? aboutPlan(talk, plan, { ...frame, act: 'extend' })
    : null;
};

/** 'oh, team dinner. Saturday then': what is there already is only remarked on. */
export const behindRemark = (talk: Talk): Understanding | null => {
  const rest = framesBehindRemark(talk);
  return rest && afterRemark(talk, rest);
};
export const framesBehindRemark = (talk: Talk): Frame[] | null => {
  const [first, ...rest] = talk.alone.reading.frames;
  if (!first || rest.length === 0 || first.act !== null || facetsOf(first.items).length > 0) return null;
  const phrase = phraseOf(talk.alone.reading.tokens, first.items);
  const match = phrase
    ? findTargets({ phrase, facets: [] }, talk.context, targetsIn({ ...talk.context, pending: [] }))
    : null;
  return match && ('targets' in match || !match.missing) ? rest : null;
};
const afterRemark = ({ alone: { reading }, context }: Talk, frames: readonly Frame[]): Understanding | null => {
  const state = startOf(reading, context);
  resultOf(addFrames(state, frames));
  return state.intents.length > 0 ? understoodOf(state, reading) : null;
};

/** 'drinks at 9' after a plan for Saturday: today or then is asked. */
export const onOtherDay = ({ alone: { understood, reading }, plans, context }: Talk): Understanding | null => {
  const [intent, ...more] = understood.intents;
  const groups = groupsOf(reading.frames.flatMap(({ items }) => facetsOf(items)));
  const isNew = intent?.action_type === 'schedule' && !intent.target_plan_uid && !intent.target_event_uid;
  const isOpen = groups.has('clock') && !groups.has('day') && isPlain(reading.frames);
  const today = localDate(context.now, context.zone);
  const others = plans.flatMap(({ scheduled_for: at }) => (at ? [localDate(at, context.zone)] : []));
  if (!isNew || more.length > 0 || !isOpen || others.length === 0 || others.includes(today)) return null;
  const day = dayName(Temporal.PlainDate.from(others[0]!));
  const question = `On which day is “${intent.title}”: today or on ${day}? Or does it change “${plans[0]!.title}”?`;
  return { ...understood, intents: [], question, reply: question };
};

const CHANGING = new Set<Frame['act']>(['move', 'later', 'earlier', 'shorten', 'extend', 'make', 'cancel', 'rename']);
/** A correction that is not understood: what it corrects is taken back, as it is not what is wanted. */
export const doubted = (talk: Talk): Understanding | null => {
  const { prompt, alone, plans } = talk;
  const { understood } = alone;
  const isNew = ({ scheduled_for: at, target_event_uid: event, target_plan_uid: plan }: Intent): boolean =>
    !at && !event && !plan;
  const isRead = understood.intents.some((intent) => !isNew(intent)) || understood.questions.length > 0;
  // Where it names something else than what waits, it is asked what that is, and what waits stays.
  const isOfThese = ({ items }: Frame): boolean =>
    subjectOf(alone.reading, items).length === 0 || plansNamed(talk, items).length > 0;
  const isChange =
    understood.question !== undefined &&
    alone.reading.frames.some(
      (frame) => frame.act !== null && CHANGING.has(frame.act) && asks(frame) && isOfThese(frame),
    );
  if (isRead || !(CORRECTS.test(prompt) || isChange)) return null;
  const titles = plans
    .slice(0, 3)
    .map(({ title }) => `“${title}”`)
    .join(', ');
  const question = `I take ${titles} back, as you correct it and I do not understand how. Could you say in one sentence what you want?`;
  return { ...understood, intents: plans.map(withdrawn), question, reply: question };
};
