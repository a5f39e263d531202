/**
 * Follow-ups: a prompt that goes on from the one before. The clauses of both are taken into account one after the other, as within
 * one prompt, and what differs from what waits already is proposed.
 */
import { isDecided, subjectOf } from '../correct.ts';
import { type Clause } from '../clauses.ts';
import { facetsOf, type Frame } from '../frame.ts';
import { partItems, withoutReplaced } from '../goal.ts';
import { completed } from '../ellipsis.ts';
import { groupsOf, type Item } from '../facet.ts';
import { misspeltWeekday } from '../plain-words.ts';
import { addFrames, readFrames, startOf, understoodOf } from '../read-prompt.ts';
import { readQuestion } from '../question.ts';
import type { State } from '../reference.ts';
import { findTargets, targetsIn } from '../targets.ts';
import type { Intent, IntentContext, KnownEvent, PendingPlan, Understanding } from '../types.ts';
import { setOf, WEEKDAYS, wordAt } from '../words.ts';
import { millis } from '../../time/time.ts';
import { agrees } from './agreed.ts';
import {
  behindRemark,
  doubted,
  dismissed,
  framesBehindRemark,
  lasts,
  ofOneName,
  onlyAsked,
  onOtherDay,
  withoutOne,
} from './by-name.ts';
import { joinReadings } from './join.ts';
import { isBeside, isPlain, type Talk, withdrawn } from './talk.ts';

type Work = Generator<undefined, Understanding | null>;

/** What was made of the earlier clauses, at the times at which it waits. */
const settle = (state: State, plans: readonly PendingPlan[]): Map<Intent, PendingPlan> => {
  const left = [...plans];
  const waiting = new Map<Intent, PendingPlan>();
  state.intents = state.intents.map((intent) => {
    const at = left.findIndex(
      ({ title, target_event_uid: uid, recurrence_id: id }) =>
        (uid ?? undefined) === intent.target_event_uid &&
        (uid ? (id ?? null) === (intent.arguments.recurrence_id ?? null) : title === intent.title),
    );
    const [plan] = at < 0 ? [] : left.splice(at, 1);
    if (!plan) return intent;
    const { between: _between, ...rest } = intent;
    const settled = {
      ...(plan.scheduled_for && !plan.cancel ? { ...rest, scheduled_for: plan.scheduled_for } : intent),
      ...(plan.duration_minutes && !plan.cancel && { duration_minutes: plan.duration_minutes }),
    };
    waiting.set(settled, plan);
    return settled;
  });
  return waiting;
};

type Going = {
  isAdded?: boolean;
  merge?: (earlier: readonly Frame[], later: readonly Frame[], state: State) => Frame[] | null;
  events?: IntentContext['events'];
};

/** Reads on from the earlier prompt. null where that makes nothing. */
function* goOn(talk: Talk, { merge, events, isAdded = false }: Going = {}): Work {
  const { reading, frames } = joinReadings(talk.earlier, talk.alone.reading);
  const context: IntentContext = { ...talk.context, pending: [], events: talk.context.events };
  const { before: _before, ...first } = context;
  const state = startOf(reading, first);
  yield* addFrames(state, talk.earlier.frames);
  const waiting = settle(state, talk.plans);
  // 'call with Ines' names only what, and waits for its time
  const open = talk.earlier.frames.at(-1);
  if (
    !talk.proposed &&
    !state.last &&
    open?.act === null &&
    open.kind === 'request' &&
    facetsOf(open.items).length === 0
  )
    state.last = { frame: open, from: 0 };
  if (waiting.size < talk.plans.length) return null;
  const earlier = [...state.intents];
  Object.assign(state, {
    asks: [],
    notes: [],
    unknown: [],
    questions: [],
    asides: [],
    choices: [],
    context: { ...first, events: events ?? first.events },
  });
  const asked = frames.filter((frame) => !isBeside(frame));
  const later = merge
    ? merge(talk.earlier.frames, asked, state)
    : frames.map((frame, i) => (i === 0 ? joinedTo(frame, state) : frame));
  if (!later) return null;
  yield* addFrames(state, later, merge ? undefined : talk.earlier.frames.at(-1));
  const gone = (isAdded ? [] : earlier)
    .filter((intent) => !state.intents.includes(intent))
    .flatMap((intent) => waiting.get(intent) ?? []);
  const made = state.intents.filter((intent) => !earlier.includes(intent));
  if (made.length === 0 || state.asks.length > 0) return null;
  state.intents = made;
  const understood = understoodOf(state, talk.alone.reading);
  return { ...understood, intents: [...gone.map(withdrawn), ...made] };
}

const JOINTS = setOf('and also plus then oh , + &');
/** As if it were behind the earlier one: without the words that join it. */
const joinedTo = (frame: Frame, { tokens }: Pick<State, 'tokens'>): Frame => {
  const at = frame.clause.items.findIndex(({ from }) => !JOINTS.has(wordAt(tokens, from)));
  const items = frame.clause.items.slice(Math.max(0, at));
  const clause: Clause = { ...frame.clause, items, from: items[0]?.from ?? frame.clause.from, joined: true };
  return { ...frame, clause };
};

const POINTS = /\b(?:the|that|other) (?:other )?ones?\b|^(?:just|only)\b/i;
const MEANS = /\bi meant?\b/i;
const POINTING = setOf(
  'the that other one ones just only no not nope i mean meant sorry oh but rather instead , . ! - too also and as well actually then plus + & neither either nor same maybe',
);

/** 'not the lunch, the other one': behind the comma. */
const afterDenial = (items: readonly Item[], { tokens }: State): readonly Item[] => {
  const comma = /^(?:no|not|nope)$/.test(wordAt(tokens, items[0]?.from ?? -1))
    ? items.findIndex(({ from }) => wordAt(tokens, from) === ',')
    : -1;
  return items.slice(comma + 1);
};

/** 'no sync tomorrow' cancels as 'cancel sync tomorrow' does. */
const asCancel = (frame: Frame | undefined, { tokens }: State): Frame | undefined =>
  frame?.act === null
    ? {
        ...frame,
        kind: 'request',
        act: 'cancel',
        items: frame.items.filter(({ from }) => wordAt(tokens, from) !== 'no'),
      }
    : frame;

/** The later words that name something, as the object of the earlier change. */
const withObject =
  (how: 'instead' | 'added' | 'besides') =>
  (earlier: readonly Frame[], later: readonly Frame[], state: State): Frame[] | null => {
    const last = asCancel(
      earlier.findLast(({ act, kind }) => act !== null || kind === 'refusal'),
      state,
    );
    if (!last?.act) return null;
    const { source, goalItems } = partItems(state, last.items.slice(last.before), last.act);
    const denied = later.length > 1 && /^(?:no|not|nope)$/.test(wordAt(state.tokens, later[0]!.clause.from));
    const said = (denied ? later.slice(1) : later)
      .flatMap(({ items }) => afterDenial(items, state))
      .filter(({ from, facets }) => facets.length > 0 || !POINTING.has(wordAt(state.tokens, from)));
    const isNamed = said.some(({ facets, kept }) => facets.length === 0 || kept);
    // 'skip piano this week' 'and next week too': the times of the other one are not those of this one
    const names = source.filter(({ facets, kept }) => facets.length === 0 || kept);
    const object = isNamed && how !== 'added' ? said : [...(how === 'besides' ? names : source), ...said];
    const goal = last.act === 'cancel' ? [] : goalItems;
    if (how !== 'besides') state.intents.length = 0;
    return [
      {
        ...last,
        items: [...object, ...goal],
        whole: [],
        before: 0,
        corrects: false,
        clause: { ...later[0]!.clause, joined: false },
      },
    ];
  };

/** 'the one on Wednesday', 'not the lunch, the other one': the change before, of another event. */
const elsewhere = (talk: Talk): Work | null => {
  const { prompt, plans, context } = talk;
  if (
    plans.length === 0 ||
    !plans.every(({ target_event_uid: uid }) => uid) ||
    !(POINTS.test(prompt) || MEANS.test(prompt))
  )
    return null;
  const isOf = ({ uid, recurrence_id }: IntentContext['events'][number]): boolean =>
    plans.some((plan) => plan.target_event_uid === uid && (plan.recurrence_id ?? null) === (recurrence_id ?? null));
  const events = /^(?:just|only)\b/i.test(prompt) ? context.events : context.events.filter((event) => !isOf(event));
  return goOn(talk, {
    merge: withObject(MEANS.test(prompt) && !POINTS.test(prompt) ? 'instead' : 'added'),
    events,
    isAdded: TOO.test(prompt),
  });
};

const TOO = /\b(?:too|also|as well|neither|either|nor)\b/i;
/** 'cancel yoga' 'oh and the dinner too': what was asked for, of another event. */
const alsoAbout = (talk: Talk): Work | null =>
  TOO.test(talk.prompt) && talk.plans.length > 0 && talk.plans.every(({ target_event_uid: uid }) => uid)
    ? goOn(talk, { merge: withObject('besides') })
    : null;

const REPEATS = new Set(['every', 'count']);
const RESTRICTS = new Set(['except', 'hours', 'part', 'clock', 'apart', 'edge', 'period', 'days', 'every']);
/** 'not before 12', 'Tuesdays, not Mondays', '7 pm at the Italian': more about the one thing that was asked for. */
const restricted = (talk: Talk): Work | null => {
  const [plan, ...more] = talk.plans;
  const facets = talk.alone.reading.frames.filter((frame) => !isBeside(frame)).flatMap(({ items }) => facetsOf(items));
  const repeats = facets.some(({ kind }) => REPEATS.has(kind));
  const restricts =
    facets.length > 0 &&
    facets.every(({ kind }) => RESTRICTS.has(kind)) &&
    (facets.some((facet) => facet.kind === 'except' || (facet.kind === 'hours' && !facet.exact)) ||
      /^[^a-z]*\d[:.]?(?: ?[ap]m)? (?:at|in|with|@) /i.test(talk.prompt) ||
      (plan?.rrule != null && facets.some((facet) => facet.kind === 'edge' && facet.from)));
  if (!plan || more.length > 0 || plan.target_event_uid || !(repeats || restricts)) return null;
  return goOn(talk, { merge: withTimes, isAdded: repeats && TOO.test(talk.prompt) });
};

/** The later times, and words, in the request before: they complete it, or take the place of its own. */
const withTimes = (earlier: readonly Frame[], later: readonly Frame[], state: State): Frame[] | null => {
  const last = earlier.at(-1);
  if (!last) return null;
  const items = withoutReplaced(
    state,
    later.flatMap((frame) => frame.items),
  );
  const times = { ...later[0]!, items };
  const { merged } = completed(last, times, { restates: true });
  const words = items.filter(({ from, facets }) => facets.length === 0 && !POINTING.has(wordAt(state.tokens, from)));
  state.intents.length = 0;
  return [
    {
      ...merged,
      items: [...merged.items, ...(words.some(({ from }) => !SMALL.has(wordAt(state.tokens, from))) ? words : [])],
    },
  ];
};
const SMALL = setOf('on at in for the a though yet either of by from with');

const ADDING = /^(?:and|\+|&|also|plus)(?= )/i;
const ONE_MORE =
  /^(?:(?:and|also|plus|add|then|oh) )*(?:another(?: one)?|one(?: more)?|the same(?: thing)?) (?=with |for |about |at |on |to |,|tomorrow|next )/i;
/** 'and one with Simon right after': one more like what waits. */
const oneMore = (talk: Talk): Work | null => {
  const [plan, ...more] = talk.plans;
  if (!plan?.scheduled_for || plan.target_event_uid) return null;
  const frame = onlyAsked(talk);
  // '+ drinks 9': a further thing on that day
  const kinds = groupsOf(frame ? facetsOf(frame.items) : []);
  const isBeside =
    frame?.act === null &&
    ADDING.test(talk.prompt) &&
    kinds.has('clock') &&
    !kinds.has('day') &&
    subjectOf(talk.alone.reading, frame.items).length > 0;
  return isBeside || (more.length === 0 && ONE_MORE.test(talk.prompt)) ? goOn(talk) : null;
};

/** The events that the proposals before have become. */
const madeBefore = ({ events, before }: IntentContext): KnownEvent[] =>
  events.filter(({ plan_uid }) => plan_uid != null && before?.plan_uids?.includes(plan_uid));

/**
 * The one event that the prompt before was about: after 'when is the dentist?', 'move it to 12' is about the dentist, as it is after a
 * proposal of it that was approved.
 */
export const eventBefore = ({ said, context, proposed }: Talk): Intent | undefined => {
  const made = isDecided(context) ? madeBefore(context) : [];
  if (proposed && made.length === 0) return undefined;
  const { kind, time, about } = readQuestion(said, context);
  const match = about
    ? findTargets({ phrase: about, facets: [] }, context, targetsIn({ ...context, pending: [] }))
    : null;
  const named = match && 'targets' in match && match.targets.length === 1 ? match.targets : [];
  const then =
    time && kind === 'agenda'
      ? context.events.filter(
          ({ scheduled_for: at }) => millis(at) >= millis(time.start) && millis(at) < millis(time.end),
        )
      : [];
  const [event, ...more] = made.length > 0 ? made : named.length > 0 ? named : then;
  if (!event || more.length > 0) return undefined;
  const { uid, title, recurrence_id: id, scheduled_for: at } = event;
  return {
    ...{
      action_type: 'reschedule',
      title,
      content: title,
      tags: [],
      target_event_uid: uid,
      reasoning: 'You asked about it before.',
    },
    ...(at && { scheduled_for: at }),
    arguments: id ? { recurrence_id: id } : {},
  };
};

/** 'did you mean Friday?' 'yes': the prompt before with the weekday that was meant. */
export function* respelt({ earlier, prompt, said, context }: Talk): Work {
  const word = earlier.tokens.find((token) => misspeltWeekday(token.word) !== undefined);
  const named = prompt.match(/(?<!\p{L})\p{L}+day\b/giu)?.find((one) => WEEKDAYS.has(one.toLowerCase()));
  const meant = named ?? (agrees(prompt) ? word && misspeltWeekday(word.word) : undefined);
  if (!word || !meant) return null;
  const reading = yield* readFrames(`${said.slice(0, word.start)}${meant}${said.slice(word.end)}`, context);
  const state = startOf(reading, context);
  yield* addFrames(state, reading.frames);
  return understoodOf(state, reading);
}

const FOLLOWS = /^(?:and|what about|how about|or)\b/i;
/** 'what is on Wednesday?' 'and on Saturday?' */
const askedAgain = ({ prompt, said, context, alone }: Talk): Understanding | null => {
  if (!FOLLOWS.test(prompt) || alone.understood.questions.length > 0) return null;
  const question = readQuestion(said, context);
  const { time, about } = readQuestion(prompt.replace(FOLLOWS, ''), context);
  if (question.kind === 'other' || (!time && !about)) return null;
  const questions = [{ ...question, ...(time && { time }), ...(about && { about }) }];
  return { intents: [], questions, reply: '', unknown: [], unread: 0 };
};

/** What the prompt says as a continuation of the one before; null where it stands for itself. */
export function* followUp(talk: Talk): Work {
  const { alone, proposed, plans } = talk;
  const { frames } = alone.reading;
  if (proposed) {
    const named = dismissed(talk) ?? lasts(talk) ?? withoutOne(talk);
    if (named) return named;
    const one = oneMore(talk);
    if (one) return yield* one;
    if (plans.length === 0) return null;
    const about = isPlain(frames) ? (ofOneName(talk) ?? behindRemark(talk)) : null;
    if (about) return about;
    for (const rule of isPlain(frames) ? [elsewhere, alsoAbout, restricted] : []) {
      const going = rule(talk);
      const made = going && (yield* going);
      if (made) return made;
    }
    return doubted(talk) ?? onOtherDay(talk);
  }
  if (!isPlain(frames)) return null;
  const rest = framesBehindRemark(talk);
  const behind = rest && (yield* goOn({ ...talk, alone: { ...alone, reading: { ...alone.reading, frames: rest } } }));
  if (behind) return behind;
  const spelt = alone.understood.intents.length > 0 ? null : yield* respelt(talk);
  if (spelt) return spelt;
  const isOpen = alone.understood.intents.length === 0 || isAboutNothing(talk);
  return isOpen
    ? (askedAgain(talk) ?? (yield* goOn(talk)) ?? (yield* goOn(talk, { merge: withObject('instead') })))
    : null;
}

/** 'cancel it' 'the yoga class on Wednesday' */
const isAboutNothing = ({ earlier }: Talk): boolean => {
  const last = earlier.frames.at(-1);
  return (
    last?.act != null &&
    last.act !== 'ask' &&
    last.items.every(
      ({ facets, from }) =>
        facets.length > 0 ||
        POINTING.has(wordAt(earlier.tokens, from)) ||
        /^(?:it|that|this|them)$/.test(wordAt(earlier.tokens, from)),
    )
  );
};
