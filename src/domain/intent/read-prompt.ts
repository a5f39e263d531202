/** Reads one prompt: clauses, frames, and what they ask for, with a reply in words. Linear in the prompt. */
import { rawOf, slotName } from './build.ts';
import { splitClauses } from './clauses.ts';
import { latestPending } from './correct.ts';
import { addFrame } from './dialogue.ts';
import type { State } from './reference.ts';
import { CAN_DO, isForeign, ONLY_ENGLISH, REJECTING, toldOnly } from './set-replies.ts';
import { filledIn } from './ellipsis.ts';
import { plainTokens } from './plain-words.ts';
import type { Item } from './facet.ts';
import { MOST } from './layout.ts';
import { type Frame, readFrame } from './frame.ts';
import { readQuestion } from './question.ts';
import { findTargets, targetsIn } from './targets.ts';
import { smallTalkReply } from './small-talk.ts';
import { scanItems, scanningItems } from './time/read-times.ts';
import { withBackground } from './clause/background.ts';
import { withoutCarriers } from './clause/carrier.ts';
import { withTimesTold } from './clause/carry.ts';
import { withoutTakenBack } from './clause/taken-back.ts';
import { withTopics } from './topic.ts';
import type { Intent, IntentContext, Understanding } from './types.ts';
import { type Slot, todayOf, wallInstant } from './when.ts';
import type { Previous } from './anchor.ts';
import { lengthName, timeName } from '../time/say.ts';
import { cut } from './title.ts';
import { millis } from '../time/time.ts';
import { type Token, tokenise, wordAt } from './words.ts';
import { ADDING, DASHES } from './words/speech.ts';

/** Longer prompts are read up to here, and the reply says so. 30 requests fit. */
const MOST_CHARS = 2_500;

/** A prompt as its clauses, before anything is made of them. */
export type Reading = {
  text: string;
  tokens: readonly Token[];
  frames: readonly Frame[];
  takenBack: readonly Item[];
  unread: number;
  isCut: boolean;
};
/** What a prompt means, and as what it was read. */
export type ReadPrompt = { understood: Understanding; reading: Reading };

/** What is read: up to the last end of a sentence, as half a request may mean something else. */
const readable = (prompt: string): string => {
  if (prompt.length <= MOST_CHARS) return prompt;
  const text = prompt.slice(0, MOST_CHARS);
  return /^[\s\S]*[.!?;\n]/.exec(text)?.[0] ?? /^[\s\S]*\s/.exec(text)?.[0] ?? text;
};

/** 'add 15 minutes to the call' lengthens it. */
const addsTime = (tokens: readonly Token[], frame: Frame): Frame => {
  const [first, second] = frame.items;
  const adds =
    /^(?:add|give)$/i.test(frame.lead) &&
    first &&
    second &&
    first.facets.some(({ kind }) => kind === 'duration' || kind === 'shift') &&
    wordAt(tokens, second.from) === 'to';
  return adds ? { ...frame, act: 'extend', items: [...frame.items.slice(2), first] } : frame;
};

const slotOf = ({ scheduled_for, between, part_of_day, arguments: own }: Intent): Slot => ({
  ...(scheduled_for && { at: scheduled_for }),
  ...(between && { between }),
  ...(part_of_day && { part: part_of_day }),
  ...(typeof own.after === 'string' && { after: own.after }),
  ...(typeof own.before === 'string' && { before: own.before }),
  ...(own.all_day === true && { all_day: true as const }),
});

/** '“Writing”, 2 hours, 3 times: in free time on ...'. */
const saying = (group: readonly Intent[], context: IntentContext): string => {
  const [intent] = group as [Intent, ...Intent[]];
  if (intent.target_event_uid || intent.target_plan_uid) return intent.content.replace(/\.$/, '');
  const timed = intent.scheduled_for || intent.between || intent.action_type === 'schedule';
  const times = group.slice(0, SHOWN).map((each) => slotName(slotOf(each), context));
  const more = group.length > SHOWN ? ` and ${group.length - SHOWN} more` : '';
  return [
    intent.action_type === 'log' ? `note “${intent.title}”` : `“${intent.title}”`,
    intent.duration_minutes !== undefined && intent.arguments.all_day !== true && lengthName(intent.duration_minutes),
    group.length > 1 && `${group.length} times`,
    timed && `${intent.rrule ? 'a series from the first ' : ''}${times.join('; ')}${more}`,
  ]
    .filter(Boolean)
    .join(', ');
};
const SHOWN = 5;

/** Groups the occurrences of one request. */
const grouped = (intents: readonly Intent[]): Intent[][] => {
  const groups: Intent[][] = [];
  for (const intent of intents) {
    const [first] = groups.at(-1) ?? [];
    const same =
      first &&
      !intent.target_event_uid &&
      !intent.target_plan_uid &&
      first.title === intent.title &&
      first.action_type === intent.action_type;
    if (same) groups.at(-1)!.push(intent);
    else groups.push([intent]);
  }
  return groups;
};

/** 'I propose: A; B; and 3 more.' */
const listed = (verb: string, said: readonly string[]): string =>
  `${verb} ${said.slice(0, SHOWN).join('; ')}${said.length > SHOWN ? `; and ${said.length - SHOWN} more` : ''}.`;

/** 'I have withdrawn A. I propose: B.' */
export const saidOf = (gone: readonly string[], made: readonly string[]): string =>
  [gone.length > 0 && listed('I have withdrawn', gone), made.length > 0 && listed('I propose:', made)]
    .filter(Boolean)
    .join(' ');

/** Whether an intent only withdraws a proposal that waits. */
export const withdraws = ({ target_plan_uid: uid, arguments: own }: Intent): boolean =>
  uid !== undefined && own.cancel === true;

/** What is withdrawn and what is proposed, in words. */
export const sayIntents = (intents: readonly Intent[], context: IntentContext): string => {
  const gone = intents.filter(withdraws).map(({ content }) => content.replace(/^Withdraw |\.$/g, ''));
  const made = grouped(intents.filter((intent) => !withdraws(intent))).map((group) => saying(group, context));
  return saidOf(gone, made);
};

const replyOf = ({ intents, context, notes, unknown }: State, question: string | undefined): string => {
  const proposal = intents.length === 0 ? [] : [sayIntents(intents, context)];
  const aside = unknown
    .slice(0, 3)
    .map((text) => `“${cut(text, 80)}”`)
    .join(', ');
  const left = intents.length > 0 && aside !== '' ? [`I made nothing of ${aside}.`] : [];
  return [...proposal, ...new Set(notes), ...left, ...(question ? [question] : [])].join(' ');
};

/** Names what is on the calendar at the exact times asked for. */
const conflictsOf = ({ intents, context }: State): string[] => {
  const gone = new Set(intents.map(({ target_event_uid: uid }) => uid));
  const exact = intents.filter(
    ({ scheduled_for: at, action_type: type, arguments: own }) =>
      at && !own.all_day && (type === 'schedule' || type === 'reschedule'),
  );
  return exact.slice(0, SHOWN).flatMap(({ scheduled_for, duration_minutes = 30, title }) => {
    const start = millis(scheduled_for!);
    const taken = context.events.find(
      (event) =>
        !gone.has(event.uid) &&
        millis(event.scheduled_for) < start + duration_minutes * 60_000 &&
        millis(event.scheduled_for) + event.duration_minutes * 60_000 > start,
    );
    return taken
      ? [
          `At the time of “${title}” there is “${taken.title}” (${timeName(taken.scheduled_for, context.zone, context.now)}).`,
        ]
      : [];
  });
};

/** The day or event that the prompt before was about, which 'that day' means. */
const saidBefore = (context: IntentContext): Previous | undefined => {
  const { before, now, zone } = context;
  if (!before) return undefined;
  const [plan, ...others] = latestPending(context);
  const gone = plan?.cancel && others.length === 0 && plan.target_event_uid;
  const freed = gone
    ? context.events.find(
        ({ uid, recurrence_id }) => uid === gone && (recurrence_id ?? null) === (plan.recurrence_id ?? null),
      )
    : undefined;
  if (freed) return { start: freed.scheduled_for, minutes: freed.duration_minutes };
  // 'half an hour of preparation right before it'
  if (plan?.scheduled_for && others.length === 0 && before.proposed && !plan.cancel)
    return { start: plan.scheduled_for, minutes: plan.duration_minutes ?? undefined };
  const { time } = readQuestion(before.prompt.slice(0, 500), { now, zone });
  if (!before.proposed && time?.isPoint) return { start: time.start };
  const tokens = plainTokens(tokenise(before.prompt.slice(0, 500)));
  const items = scanItems({ tokens, now, zone, today: todayOf({ now, zone }) });
  const facet = items.flatMap(({ facets }) => facets).find(({ kind }) => kind === 'days');
  if (facet?.kind === 'days') return { start: wallInstant(facet.days[0]!.date, { minutes: 720 }, zone) };
  const about = before.proposed ? '' : readQuestion(before.prompt.slice(0, 500), { now, zone }).about;
  const match = about
    ? findTargets({ phrase: about, facets: [] }, context, targetsIn({ ...context, pending: [] }))
    : null;
  const event = match && 'targets' in match ? match.targets[0] : undefined;
  return event?.scheduled_for ? { start: event.scheduled_for, minutes: event.duration_minutes } : undefined;
};

/** 'Monday 30th - plumber 10': a dash behind the times that open a prompt is a colon. */
const headed = (tokens: readonly Token[], items: readonly Item[]): readonly Token[] => {
  const first = items.find(({ facets }) => facets.length === 0)?.from ?? 0;
  const isHead = first > 0 && DASHES.has(wordAt(tokens, first)) && !tokens[first]!.glued;
  return isHead ? tokens.map((token, i) => (i === first ? { ...token, word: ':' } : token)) : tokens;
};

/** Whether a prompt goes on from one that was about a day. */
const goesOn = (tokens: readonly Token[], context: IntentContext): boolean =>
  context.before !== undefined &&
  (ADDING.has(wordAt(tokens, 0)) || (!context.before.proposed && saidBefore(context) !== undefined));

/** Reads a prompt as clauses. It yields between words and clauses. */
export function* readFrames(prompt: string, context: IntentContext): Generator<undefined, Reading> {
  const text = readable(prompt);
  const plain = plainTokens(tokenise(text));
  const scan = { now: context.now, zone: context.zone, today: todayOf(context), dated: goesOn(plain, context) };
  const first = yield* scanningItems({ ...scan, tokens: plain });
  const tokens = headed(plain, first);
  const kept = withoutTakenBack(tokens, tokens === plain ? first : yield* scanningItems({ ...scan, tokens }));
  const clauses = splitClauses(tokens, withoutCarriers(tokens, kept.items), MOST);
  const frames: Frame[] = [];
  for (const clause of clauses.slice(0, MOST)) {
    frames.push(addsTime(tokens, readFrame(tokens, clause, rawOf({ text, tokens }, clause.from, clause.to))));
    yield;
  }
  return {
    text,
    tokens,
    frames: withBackground(tokens, frames),
    takenBack: kept.void,
    unread: prompt.length - text.length,
    isCut: clauses.length > MOST,
  };
}

const TELLING = new Set<Frame['act']>(['have', 'be', 'log', 'ask']);
/** Nothing is made of a prompt yet. */
export const startOf = ({ text, tokens, frames }: Reading, context: IntentContext): State => ({
  ...{ text, tokens, context, said: saidBefore(context) },
  ...{
    intents: [],
    questions: [],
    asks: [],
    notes: [],
    unknown: [],
    asides: [],
    choices: [],
    heading: [],
    undated: new Set(),
    declared: new Set(),
  },
  hasRequest: frames.some(
    ({ kind, act }) => kind === 'refusal' || kind === 'question' || (kind === 'request' && act !== 'log'),
  ),
  hasVerb: frames.some(
    ({ kind, act, lead }) =>
      kind === 'request' && act !== null && !TELLING.has(act) && !/\b(?:want|need|like|love)$/i.test(lead),
  ),
});

/** Takes the clauses into account, one after the other. */
export function* addFrames(state: State, frames: readonly Frame[], before?: Frame): Generator<undefined, void> {
  const filled = before ? filledIn(state.tokens, [before, ...frames]).slice(1) : filledIn(state.tokens, frames);
  for (const frame of withTopics(state, withTimesTold(state.tokens, filled))) {
    if (state.intents.length > MOST) break;
    addFrame(state, frame);
    yield;
  }
}

/** A request that names no day is not complete where a clause with a day was not understood: it is asked about too. */
const withoutUndated = (state: State): void => {
  const lost = state.isDayLost === true && state.asks.length > 0;
  const open = lost ? state.intents.filter((intent) => state.undated.has(intent)) : [];
  if (open.length === 0) return;
  state.intents = state.intents.filter((intent) => !open.includes(intent));
  state.asks.push(`On which day is “${open[0]!.title}”?`);
};

/** Whether a question is about something in particular. 'No, make it 8pm' says itself what “no” wants. */
const asksOf = (ask: string): boolean => ask !== CAN_DO && ask !== REJECTING;

/** What was made of the clauses, with a reply. */
export const understoodOf = (state: State, { text, unread, isCut }: Reading): Understanding => {
  state.notes.push(...conflictsOf(state));
  if (unread > 0) state.notes.push(`I read only the first ${text.length} characters; ask again for the rest.`);
  if (isCut || state.intents.length > MOST)
    state.notes.push(`That was more than ${MOST}: I took the first ones; ask again for the rest.`);
  state.intents.length = Math.min(state.intents.length, MOST);
  withoutUndated(state);
  if (state.isRefusing === true) state.intents = state.intents.filter((intent) => !state.declared.has(intent));
  if (state.isRefused === true)
    state.intents = state.intents.filter(
      ({ action_type: type, target_event_uid: uid }) => type !== 'schedule' || uid !== undefined,
    );
  // Beside something that was understood, the rest is named and not asked about
  const asks = state.intents.length + state.questions.length > 0 ? state.asks.filter(asksOf) : state.asks;
  const none = state.intents.length + state.questions.length + asks.length === 0;
  const nothing = state.asides[0] ? toldOnly(state.asides[0]) : CAN_DO;
  const question = none ? nothing : [...new Set(asks)].slice(0, 5).join(' ') || undefined;
  return {
    intents: state.intents,
    questions: state.questions,
    ...(question && { question }),
    ...(state.choices.length > 0 && { choices: state.choices }),
    reply: replyOf(state, question),
    unknown: state.unknown,
    unread,
  };
};

/**
 * Understands a prompt as planning requests: one intent per occurrence (at most 60), a question where a guess would be needed.
 * Never throws on any text; text is data and only ever becomes intents. It yields between words and clauses.
 */
export function* readingPrompt(prompt: string, context: IntentContext): Generator<undefined, ReadPrompt> {
  const talk = smallTalkReply(prompt, context.pending.length > 0);
  const none = { text: prompt, tokens: [], frames: [], takenBack: [], unread: 0, isCut: false };
  if (talk) return { understood: { intents: [], questions: [], reply: talk, unknown: [], unread: 0 }, reading: none };
  const reading = yield* readFrames(prompt, context);
  const state = startOf(reading, context);
  if (isForeign(reading.text)) {
    state.asks.push(ONLY_ENGLISH);
    state.unknown.push(cut(reading.text, 500));
  } else yield* addFrames(state, reading.frames);
  return { understood: understoodOf(state, reading), reading };
}
