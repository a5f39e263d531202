/** Dialogue: takes the frames of a prompt one after the other; a later one may complete, repeat or correct an earlier one. */
import { anchorOf } from './anchor.ts';
import { type Outcome, rawOf, sentence } from './build.ts';
import { cancel, change, NAMED_TO, rename } from './change.ts';
import { withoutReplaced } from './goal.ts';
import {
  addWords,
  correctLast,
  correctPending,
  dismissPending,
  hasPronoun,
  isVague,
  latestPending,
  onlyNumber,
  refusesTime,
  renameLast,
  renamePending,
  subjectOf,
  wordsIn,
} from './correct.ts';
import { agrees } from './dialogue/agreed.ts';
import { cancelLast, cancelsKnown } from './dialogue/cancelled.ts';
import { isAhead, tellsOnly } from './dialogue/told.ts';
import { choicesOf } from './dialogue/choices.ts';
import { isLeadIn } from './clause-starts.ts';
import { completed } from './ellipsis.ts';
import { type Facet, groupsOf } from './facet.ts';
import { asWords, facetsOf, type Frame, hasWhen } from './frame.ts';
import { mayCome } from './clause/kind.ts';
import { conditionAt } from './clause/condition.ts';
import { noteDeclared, sure } from './clause/doubt.ts';
import { proposeEvent, proposeLog } from './propose.ts';
import { changes, interpret } from './interpret.ts';
import { readQuestion } from './question.ts';
import { accepting, CAN_DO, conditional, COURTESY, refused, REJECTING, ruled, TODO } from './set-replies.ts';
import type { Act } from './verbs.ts';
import { findTargets, targetsIn } from './targets.ts';
import { cut, phraseOf } from './title.ts';
import { atSameTime, hasLast, inheritedFrom, lastIntents, onThatDay, previousOf, type State } from './reference.ts';
import { wordAt } from './words.ts';

/** Under a line like 'Tomorrow:' the lines that name no day are on that day. */
const underHeading = ({ heading }: State, frame: Frame): Frame =>
  heading.length === 0 || groupsOf(facetsOf(frame.items)).has('day')
    ? frame
    : { ...frame, items: [...heading, ...frame.items], before: frame.before + heading.length };

const nothing = (state: State, { clause }: Frame): Outcome => {
  const text = rawOf(state, clause.from, clause.to);
  const { pending } = state.context;
  if (COURTESY.test(text) && state.intents.length > 0) return { intents: [] };
  if (pending.length > 0 && agrees(text))
    return { intents: [], ask: accepting(latestPending(state.context).map(({ title }) => title)) };
  if (pending.length > 0 && /^(?:no|nope)$/i.test(text)) return { intents: [], ask: REJECTING };
  const words = text.split(' ').length;
  const todo = TODO.test(text) && words > 1 && words < 12 && !state.text.trimEnd().endsWith('?');
  return { intents: [], unknown: text, ask: todo ? `When should I plan “${text}”?` : CAN_DO };
};

const replaceLast = (state: State, outcome: Outcome): Outcome => {
  state.intents.length = state.last!.from;
  return outcome;
};

/** What the prompt before was about, else the pending proposal. */
const correctBefore = (state: State, frame: Frame): Outcome =>
  state.about ? correctLast(state, frame, [state.about]) : correctPending(state, frame);

/** A correction of what this prompt asked for before, else of the pending proposal. */
const correct = (state: State, frame: Frame): Outcome =>
  hasLast(state) && facetsOf(frame.items).length === 0 && !isVague(state, frame) && !onlyNumber(state, frame)
    ? { intents: [] }
    : hasLast(state)
      ? replaceLast(state, correctLast(state, frame, lastIntents(state)))
      : correctBefore(state, frame);

/** Times only: they correct, complete or repeat the frame before, or correct the pending proposal. */
const timesOnly = (state: State, frame: Frame, text: string): Outcome | null => {
  const { last } = state;
  const facets = facetsOf(frame.items);
  const pending = state.context.pending.length > 0;
  const vague = isVague(state, frame) || onlyNumber(state, frame) || /\bother one\b/i.test(text);
  if (facets.length === 0) return vague && (hasLast(state) || pending) ? correct(state, frame) : null;
  if (refusesTime(text)) return pending || last ? { intents: [], ask: CAN_DO } : null;
  const excludes = facets.every(({ kind }) => kind === 'except');
  const restates = frame.corrects && facets.some(({ kind }) => kind === 'every' || kind === 'count');
  if (restates && last && last.frame.act !== 'log') {
    const { merged } = completed(
      last.frame,
      { ...frame, items: withoutReplaced(state, frame.items) },
      { restates: true },
    );
    return replaceLast(state, { ...interpret(state, merged, {}), as: merged });
  }
  if ((frame.corrects || excludes) && hasLast(state)) return correct(state, frame);
  if (!last || last.frame.act === 'log') return state.about || pending ? correctBefore(state, frame) : null;
  const { merged, repeats } = completed(last.frame, frame, { sameTime: /\bsame (?:time|hour)\b/i.test(text) });
  const day = groupsOf(facets).has('day');
  if (repeats) return { ...interpret(state, merged, day ? {} : inheritedFrom(state, frame)), as: merged };
  return replaceLast(state, { ...interpret(state, merged, {}), as: merged });
};

/** A frame without verb of its own takes that of the change before: 'move the dentist to Tuesday and the call to Wednesday'. */
const actOf = (state: State, frame: Frame): Act | null => {
  // 'keep it at 3'
  const keeps = frame.act === 'dismiss' && /^(?:keep|leave)\b/i.test(frame.lead);
  if (keeps && (facetsOf(frame.items).length > 0 || subjectOf(state, frame.items).length > 0)) return 'make';
  const before = state.last?.frame.act ?? null;
  return frame.act ?? (frame.clause.joined && changes(before) && before !== 'be' ? before : null);
};

/** What a question without a verb is about. */
const ASKED =
  /\b(?:free|busy|available|next|pending|approvals?|waiting|queue|slots?|plans|meetings?|events?|schedule|agenda|calendar|appointments?)\b/i;

/** 'Could I go for a run at 2, or is something there?' */
const ASKS_WHETHER = /^(?:can|could|may|might) (?:i|we)\b.*\bor (?:is|am|do|are|have)\b/i;

const KEEPS = /^(?:keep|leave) \S+ (?:in|on|there|where|as|the|alone)|^keep\b/i;

const OPENS_REFUSING = /^(?:no|nope|not|actually)\b/i;

/** 'cancel this' is about the proposal; 'cancel this afternoon' is not. */
const namesNoTime = ({ act, items }: Frame): boolean =>
  act !== 'cancel' || items.every(({ facets }) => facets.length === 0);

/** 'flight lisbon?', 'piano thurs?': about what is known, and not a wish. */
const asksOfKnown = (state: State, { items, clause }: Frame): boolean => {
  const facets = facetsOf(items);
  if (facets.length === 0) return !TODO.test(rawOf(state, clause.from, clause.to));
  const phrase = phraseOf(
    state.tokens,
    items.filter((item) => item.facets.length === 0),
  );
  const match = phrase && findTargets({ phrase, facets }, state.context, targetsIn({ ...state.context, pending: [] }));
  return match !== '' && ('targets' in match || !match.missing);
};

const REFUSES_ALL =
  /\b(?:anything|nothing|it|that|this)(?: in| to enter| to book)?(?: yet)?$|\byet$|\bnothing (?:to be|for you to|to) \p{L}+/iu;

/** What verbs say that take nothing, or a name. */
const byVerb = (state: State, frame: Frame, text: string): Outcome | null => {
  const about = subjectOf(state, frame.items).length > 0;
  // 'no, don't' of what waits, or of what was just asked for
  if (frame.kind === 'refusal' && !about && !refusesTime(text) && facetsOf(frame.items).length === 0) {
    if (hasLast(state)) return replaceLast(state, { intents: [], aside: text });
    if (latestPending(state.context).length > 0) return dismissPending(state, frame);
  }
  // 'When am I free? Don't book anything yet': the answer is what is asked for
  if (frame.kind === 'refusal' && state.questions.length > 0 && state.intents.length === 0)
    return { intents: [], aside: text };
  if (frame.kind === 'refusal')
    return (
      cancelsKnown(state, frame) ??
      (refusesTime(text) && hasLast(state) ? { intents: [] } : { intents: [], ask: refused(text), unknown: text })
    );
  // 'free slots tomorrow?', 'next meeting?'
  const isAsked =
    frame.act === null &&
    frame.kind === 'question' &&
    (ASKS_WHETHER.test(text) ||
      (about && asksOfKnown(state, frame)) ||
      (!facetsOf(frame.items).some(({ kind }) => kind === 'clock') && ASKED.test(text)));
  if (frame.act === 'ask' || isAsked) {
    state.questions.push(readQuestion(text, state.context));
    return { intents: [] };
  }
  // 'I can't make it to yoga, drop it'
  if (frame.act === 'dismiss' && hasLast(state) && lastIntents(state).every(({ arguments: own }) => own.cancel))
    return { intents: [] };
  // 'never mind the massage'
  if (frame.act === 'dismiss' && about && facetsOf(frame.items).length === 0)
    return cancel(state, { ...frame, act: 'cancel' });
  // 'keep it' of something new is no refusal
  const plans = latestPending(state.context);
  if (frame.act === 'dismiss' && KEEPS.test(frame.lead) && plans.some(({ target_event_uid: uid }) => !uid))
    return { intents: [], ask: accepting(plans.map(({ title }) => title)) };
  if (frame.act === 'dismiss') {
    if (!hasLast(state) && state.context.pending.length > 0) return dismissPending(state, frame);
    state.intents.length = 0;
    state.asks.length = 0;
    return { intents: [], aside: text };
  }
  if (frame.act !== 'rename') return null;
  const isPronoun =
    NAMED_TO.test(frame.lead) ||
    (/\b(?:it|this|that|its|the)$/i.test(frame.lead) && !/\b(?:of|to)\b/i.test(frame.lead));
  const renamed = about && !isPronoun ? rename(state, frame) : null;
  if (renamed && !renamed.missing) return renamed;
  if (!about || isPronoun) {
    if (hasLast(state)) return replaceLast(state, renameLast(state, frame, lastIntents(state)));
  } else if (renamed && state.context.pending.length === 0) return renamed;
  return renamePending(state, frame);
};

/** 'sprint planning to Wednesday' */
const goesTo = ({ tokens }: State, { items }: Frame): boolean =>
  items.some(
    ({ from, facets: [first] }, i) =>
      i > 0 && wordAt(tokens, from) === 'to' && (first?.kind === 'days' || first?.kind === 'clock'),
  );

/** 'parent evening now 20:00' */
const isNowAt = (words: readonly string[], facets: readonly Facet[]): boolean =>
  words.includes('now') && facets.some(({ kind }) => kind === 'clock' || kind === 'days');

/** A frame whose verb, or lack of one, still leaves open what it is about: an event that is known, or something new. */
const withoutVerb = (state: State, frame: Frame, text: string): Outcome | null => {
  const facets = facetsOf(frame.items);
  const words = wordsIn(state, frame);
  const isInstead = words.some((word, i) => word === 'rather' || (word === 'instead' && words[i + 1] !== 'of'));
  const shifts = facets.some((facet) => facet.kind === 'shift' && facet.way !== 'by');
  const mayChange =
    ((shifts || isInstead) && (frame.act === 'have' || /^(?:put|set)$/i.test(frame.lead))) ||
    (frame.act === null && (shifts || isInstead || isNowAt(words, facets) || goesTo(state, frame)));
  const changed = mayChange ? change(state, { ...frame, act: 'move' }) : null;
  if (changed && !changed.missing) return changed;
  if (frame.act !== null) return null;
  if (frame.corrects && state.context.pending.length > 0 && OPENS_REFUSING.test(text))
    return { intents: [], ask: REJECTING, unknown: text };
  if (frame.kind === 'report' && !(mayCome(text) && isAhead(state, frame)))
    return proposeLog(state, { ...frame, lead: '', items: asWords(frame.clause), before: 0, verbatim: true });
  const timed =
    hasWhen(facets) ||
    facets.some(({ kind }) => ['duration', 'count', 'gap'].includes(kind)) ||
    anchorOf(state, frame.items, previousOf(state)) !== null;
  return timed ? null : ((hasLast(state) ? null : addWords(state, frame)) ?? nothing(state, frame));
};

const understandOne = (state: State, plain: Frame): Outcome => {
  const frame = atSameTime(state, onThatDay(state, { ...underHeading(state, plain), act: actOf(state, plain) }));
  const { act } = frame;
  const text = rawOf(state, frame.clause.from, frame.clause.to);
  if (COURTESY.test(text)) return nothing(state, frame);
  if (frame.kind === 'refusal' && REFUSES_ALL.test(text)) state.isRefused = true;
  if (tellsOnly(state, frame, text) && !isHeading(state, frame)) return { intents: [], aside: text };
  if (frame.isUnsure) return { intents: [], ask: `“${text}”: which of the times do you mean?`, unknown: text };
  if (frame.kind === 'ruling') return { intents: [], ask: ruled(text) };
  const said = byVerb(state, frame, text);
  if (said) return said;
  const aboutIt = subjectOf(state, frame.items).length === 0 || onlyNumber(state, frame);
  const pronoun = hasPronoun(state, frame) || frame.lead === '→';
  if (changes(act) && aboutIt && (pronoun || act === 'make') && namesNoTime(frame))
    return act !== 'cancel'
      ? correct(state, frame)
      : hasLast(state) || state.about
        ? cancelLast(state)
        : dismissPending(state, frame);
  // What 'it' is was asked about already
  if (act !== null && aboutIt && pronoun && state.asks.length > 0 && !hasLast(state)) return { intents: [] };
  const untagged = frame.tags.task_id === undefined && frame.tags.tempo_tag === undefined;
  if (act === null && aboutIt && untagged) {
    const timed = facetsOf(frame.items).length > 0;
    return (
      timesOnly(state, frame, text) ??
      (!timed
        ? nothing(state, frame)
        : frame.corrects
          ? { intents: [], ask: 'What is it that I should plan?' }
          : proposeEvent(state, frame, inheritedFrom(state, frame)))
    );
  }
  const tagged =
    frame.tags.task_id !== undefined && /^(?:add|tag)\b/i.test(frame.lead) && facetsOf(frame.items).length === 0;
  // 'finish the offer by Thursday, I need about two hours'
  const isLength = facetsOf(frame.items).length > 0 && facetsOf(frame.items).every(({ kind }) => kind === 'duration');
  if (act === 'block' && aboutIt && isLength && hasLast(state) && /\b(?:need|want)$/i.test(frame.lead))
    return timesOnly(state, { ...frame, act: null }, text) ?? nothing(state, frame);
  if (act === 'schedule' && aboutIt && (pronoun || tagged) && (hasLast(state) || state.context.pending.length > 0))
    return correct(state, frame);
  // 'add 20 minutes to the haircut, I want colour as well'
  const isReason =
    act === 'block' &&
    /\b(?:want|need)$/i.test(frame.lead) &&
    facetsOf(frame.items).length === 0 &&
    frame.clause.joined &&
    lastIntents(state).some(({ target_event_uid: uid }) => uid !== undefined);
  if (isReason) return { intents: [], unknown: text };
  // 'I have a headache' asks for no time
  if (act === 'have' && facetsOf(frame.items).length === 0) return { intents: [], ask: CAN_DO, unknown: text };
  return withoutVerb(state, frame, text) ?? namedByLast(state, interpret(state, frame, inheritedFrom(state, frame)));
};

/** 'cancel the dentist and book a new one on Monday': it is called as the one before. */
const namedByLast = (state: State, outcome: Outcome): Outcome => {
  const last = lastIntents(state).at(-1);
  const isOne = ({ title }: Outcome['intents'][number]): boolean =>
    /^(?:new|another|different|other) one$/i.test(title);
  return last && outcome.intents.some(isOne)
    ? {
        ...outcome,
        intents: outcome.intents.map((one) => (isOne(one) ? { ...one, title: last.title, content: last.title } : one)),
      }
    : outcome;
};

/** A sentence after a note belongs to it unless it asks for something itself. */
const continuesLog = (state: State, frame: Frame): boolean => {
  const groups = groupsOf(facetsOf(frame.items));
  return (
    state.last?.frame.act === 'log' &&
    state.intents.at(-1)?.action_type === 'log' &&
    frame.act === null &&
    !(groups.has('day') && groups.has('clock'))
  );
};

const isHeading = (state: State, { act, clause, items }: Frame): boolean =>
  wordAt(state.tokens, clause.to - 1) === ':' &&
  (isLeadIn(state.tokens, clause.items.slice(0, -1)) ||
    (act === null && subjectOf(state, items).length === 0 && hasWhen(facetsOf(items))));

/** A condition holds for its whole sentence. */
const isConditional = (state: State, frame: Frame): boolean => {
  const { clause, kind } = frame;
  if (clause.joined && state.conditional) return true;
  state.conditional = kind === 'condition';
  if (state.conditional)
    state.asks.push(
      conditional(rawOf(state, conditionAt(state.tokens, clause.from, clause.to) ?? clause.from, clause.to)),
    );
  return state.conditional;
};

/** Takes one more frame into account. */
export const addFrame = (state: State, frame: Frame): void => {
  const { clause } = frame;
  if (isConditional(state, frame)) {
    if (clause.joined && state.last && hasLast(state)) state.intents.length = state.last.from;
    return;
  }
  if (isHeading(state, frame)) {
    state.heading = frame.items.filter(({ facets }) => facets.length > 0);
    return;
  }
  if (continuesLog(state, frame)) {
    const previous = state.intents.at(-1)!;
    previous.content = `${sentence(previous.content)} ${sentence(rawOf(state, clause.from, clause.to))}`;
    return;
  }
  const before = state.intents.length;
  const outcome = sure(state, frame, understandOne(state, frame));
  const from = Math.min(before, state.intents.length);
  const hasDay = groupsOf(facetsOf(clause.items)).has('day') || groupsOf(facetsOf(frame.items)).has('day');
  if (outcome.intents.length === 0 && hasDay && frame.act !== 'ask') state.isDayLost = true;
  if (!hasDay && !clause.joined)
    for (const intent of outcome.intents)
      if (intent.action_type === 'schedule' && !intent.target_plan_uid) state.undated.add(intent);
  noteDeclared(state, frame, outcome.intents);
  state.intents.push(...outcome.intents);
  if (outcome.aside !== undefined) {
    state.asides.push(outcome.aside);
    return;
  }
  if (outcome.ask) state.asks.push(outcome.ask);
  const inherited = inheritedFrom(state, frame);
  if (outcome.options)
    state.choices.push(
      ...choicesOf(outcome.options, (option) =>
        interpret(
          { ...state, context: option.context },
          { ...option.frame, act: option.frame.act ?? actOf(state, frame) },
          inherited,
        ),
      ),
    );
  if (outcome.unknown !== undefined) state.unknown.push(cut(outcome.unknown, 500));
  state.notes.push(...(outcome.notes ?? []));
  const act = actOf(state, frame);
  if (outcome.intents.length > 0 || (outcome.unknown === undefined && act !== null))
    state.last = { frame: outcome.as ?? { ...frame, act }, from };
};
