/** Dialogue: takes the requests of a prompt one after the other; a later one may complete, repeat or correct an earlier one. */
import { answerOf } from './answer.ts';
import { type Outcome, rawOf, sentence, type Work } from './build.ts';
import { cancel, change, swap } from './change.ts';
import type { Clause } from './clauses.ts';
import {
  correctLast,
  correctPending,
  dismissPending,
  hasPronoun,
  isVague,
  onlyNumber,
  refusesTime,
  renamePending,
  subjectOf,
} from './correct.ts';
import { completed, groupsOf, withVerb } from './ellipsis.ts';
import type { Item } from './facet.ts';
import type { Act } from './lead.ts';
import { type Inherited, proposeEvent, proposeLog, proposeReflection } from './propose.ts';
import { facetsOf, hasWhen, type Request, wordsOf } from './request.ts';
import { conditionAt } from './residue.ts';
import type { Intent } from './types.ts';
import { addMinutes, localDate, minutesBetween } from '../time/time.ts';
import { wordAt } from './words.ts';

/** What has been made of the prompt so far. `last` is the request before and where its intents begin. */
export type State = Work & {
  intents: Intent[];
  asks: string[];
  notes: string[];
  unknown: string[];
  heading: Item[];
  /** The sentence that is being read depends on a condition. */
  conditional?: boolean;
  last?: { request: Request; from: number };
};

export const CAN_DO = 'I plan time, move and cancel events, reflect and take notes. What would you like me to plan?';
const refused = (text: string): string =>
  `I did nothing about “${text}”: it says what not to do. To keep a time free, ask me to block it.`;
const conditional = (text: string): string =>
  `I can’t wait for a condition (“${text}”). Tell me once you know, or what to plan in any case.`;
/** 'No meetings after 4', not 'no, Thursday' and not 'no later than 5'. */
const FORBIDS = /^no (?!later|earlier|more|less|need|problem|thanks?|worries)\p{L}/iu;
/** 'I finished the report': told, not asked for. */
const TELLS =
  /^(?:i|we)(?:['’]ve| have)?(?: just| already| finally)? (?:\p{L}{3,}ed|went|did|made|got|sent|wrote|read|spoke|ran|paid|bought|found|saw|took|gave|left|done|been|had)\b/iu;
const FUTURE = new Set(['days', 'period', 'edge', 'every', 'clock', 'instant', 'hours', 'count']);
const ACCEPTING = 'I only propose: approve a proposal in the queue, or tell me what to change about it.';
const REJECTING = 'What should I change? Say “cancel that” if you do not want it at all.';

const RESIZING: readonly (Act | null)[] = ['move', 'later', 'earlier', 'shorten', 'extend', 'make'];
const changes = (act: Act | null): act is Act => RESIZING.includes(act) || act === 'cancel';

const hasLast = ({ last, intents }: State): boolean => last !== undefined && intents.length > last.from;
const lastIntents = ({ last, intents }: State): Intent[] => (last ? intents.slice(last.from) : []);

/** The day the request before is on, for 'gym tomorrow at 7 and breakfast at 8:30'. */
const inheritedFrom = (state: State, request: Request): Inherited => {
  const previous = lastIntents(state);
  const [one] = previous;
  if (!request.clause.joined || previous.length !== 1 || !one || one.action_type === 'log' || one.target_event_uid)
    return {};
  const start = one.scheduled_for ?? one.between?.start;
  if (!start || (one.between && minutesBetween(one.between.start, one.between.end) > 25 * 60)) return {};
  const inherit = Temporal.PlainDate.from(localDate(start, state.context.zone));
  if (!request.clause.after || groupsOf(facetsOf(request.items)).has('clock')) return { inherit };
  return { inherit, floor: one.scheduled_for ? addMinutes(start, one.duration_minutes ?? 0) : start };
};

/** Under a line like 'Tomorrow:' the lines that name no day are on that day. */
const underHeading = ({ heading }: State, request: Request): Request =>
  heading.length === 0 || groupsOf(facetsOf(request.items)).has('day')
    ? request
    : { ...request, items: [...heading, ...request.items], before: request.before + heading.length };

const TODO =
  /^(?:buy|call|write|read|email|send|pay|finish|prepare|clean|fix|get|ask|check|order|pick|visit|practi[cs]e|study|learn|work|cook|review|meet|see|go)\b/i;
const COURTESY =
  /^(?:thanks|thank you|please|ok|okay|great|hi|hello|hey|cheers|bye|goodbye|perfect)?(?:[,.!]? ?that(?:['’]s| is| will be) (?:all|it)(?: for (?:today|now))?)?$/i;
const YES =
  /^(?:yes|yep|yeah|ok|okay|sure|approve|approved|accept|confirm|do it|go ahead|sounds good|perfect|great|yes please)$/i;

const ONLY_ENGLISH = 'I understand only English without a language model. Please say it in English.';
/** Words that are frequent in German, French, Spanish, Italian, Portuguese and Dutch, and that English does not have. */
const FOREIGN =
  /(?:^|[^\p{L}])(?:der|das|und|mit|für|uhr|ein|eine|bitte|morgen|heute|mittwoch|montag|dienstag|freitag|le|la|les|une|avec|demain|à|el|los|las|para|mañana|por|il|domani|alle|della|amanhã|às|het|een|met|naar|voor)(?![\p{L}])/iu;
const ENGLISH = /\b(?:the|my|at|on|with|for|to|and|of|in|is|i|me|you|it|tomorrow|today|next|this|please)\b/i;

const nothing = (state: State, request: Request): Outcome => {
  const text = rawOf(state, request.clause.from, request.clause.to);
  const { pending } = state.context;
  if (COURTESY.test(text) && state.intents.length > 0) return { intents: [] };
  if (pending.length > 0 && YES.test(text)) return { intents: [], ask: ACCEPTING };
  if (pending.length > 0 && /^(?:no|nope)$/i.test(text)) return { intents: [], ask: REJECTING };
  const words = text.split(' ').length;
  if (FOREIGN.test(text) && !ENGLISH.test(text)) return { intents: [], unknown: text, ask: ONLY_ENGLISH };
  const todo = TODO.test(text) && words > 1 && words < 12 && !state.text.trimEnd().endsWith('?');
  return { intents: [], unknown: text, ask: todo ? `When should I plan “${text}”?` : CAN_DO };
};

/** Verbs that are also everyday things to do ('bring cake'): with a time and no such event, it is something to plan. */
const EVERYDAY =
  /^(?:make|bring|cut|clear|remove|drop|change|switch|start|push|transfer|stretch|reduce|increase|expand|trim|skip|take|trade|exchange|free|move|advance|discard|put|pull|shift)\b/i;

const changeOrPlan = (state: State, request: Request, act: Act): Outcome => {
  const made = act === 'cancel' ? cancel(state, request) : change(state, request, act);
  const plannable = hasWhen(facetsOf(request.items)) && subjectOf(state, request.items).length > 0;
  if (!made.missing || !EVERYDAY.test(request.lead) || !plannable) return made;
  const goes = request.items.some(({ from }) => wordAt(state.tokens, from) === 'to');
  return goes && /^(?:move|shift|change|push|pull)\b/i.test(request.lead)
    ? made
    : proposeEvent(state, withVerb(request), {});
};

const SLOT_WORDS = /^(?:a|an|me|us|time|some|slot|room|space|my|the|any)$/;
const ROOM_WORDS = /^(?:time|slot|room|space|hour|moment|window|gap|for|to|good|free|suitable)$/;
/** 'Find my passport', 'put the bins out': here the verb is the thing to do, not a wish for time. */
const verbBelongs = (state: State, { act, lead, items, before }: Request): boolean => {
  const words = items
    .slice(before)
    .filter(({ facets }) => facets.length === 0)
    .map(({ from }) => wordAt(state.tokens, from));
  if (act === 'schedule') return /^put$/i.test(lead) && /^(?:out|away|up|on|together)$/.test(words.at(-1) ?? '');
  const first = items[before];
  if (act !== 'block' || !first || !/^(?:find|keep|hold|protect)$/i.test(lead) || words.length === 0) return false;
  if (first.facets.length > 0 || /^(?:free|clear|open|empty)$/.test(words.at(-1)!)) return false;
  return !(
    SLOT_WORDS.test(words[0]!) &&
    (words.length === 1 || ROOM_WORDS.test(words[1]!) || items[before + 1]?.facets.length !== 0)
  );
};

const interpret = (state: State, request: Request, inherited: Inherited): Outcome => {
  if (request.act === 'reflect') return proposeReflection(state, request, inherited);
  if (request.act === 'log') return proposeLog(state, request);
  if (changes(request.act)) return changeOrPlan(state, request, request.act);
  return proposeEvent(state, verbBelongs(state, request) ? withVerb(request) : request, inherited);
};

const replaceLast = (state: State, outcome: Outcome): Outcome => {
  state.intents.length = state.last!.from;
  return outcome;
};

/** A correction of what this prompt asked for before, else of the pending proposal. */
const correct = (state: State, request: Request, act: Act): Outcome =>
  hasLast(state)
    ? replaceLast(state, correctLast(state, request, act, lastIntents(state)))
    : correctPending(state, request, act);

/** Times only: they correct, complete or repeat the request before, or correct the pending proposal. */
const timesOnly = (state: State, request: Request): Outcome | null => {
  const { last } = state;
  const facets = facetsOf(request.items);
  const pending = state.context.pending.length > 0;
  const vague = isVague(state, request) || onlyNumber(state, request);
  if (facets.length === 0) return vague && (hasLast(state) || pending) ? correct(state, request, 'make') : null;
  if (refusesTime(rawOf(state, request.clause.from, request.clause.to)))
    return pending || last ? { intents: [], ask: CAN_DO } : null;
  if (request.corrects && hasLast(state)) return correct(state, request, 'make');
  if (!last || last.request.act === 'log') return pending ? correctPending(state, request, 'make') : null;
  const { merged, repeats } = completed(last.request, request);
  if (repeats)
    return {
      ...interpret(state, merged, groupsOf(facets).has('day') ? {} : inheritedFrom(state, request)),
      as: merged,
    };
  return replaceLast(state, { ...interpret(state, merged, {}), as: merged });
};

/** A request without verb of its own takes that of the change before: 'move the dentist to Tuesday and the call to Wednesday'. */
const actOf = (state: State, request: Request): Act | null => {
  const before = state.last?.request.act ?? null;
  return request.act ?? (request.clause.joined && changes(before) ? before : null);
};

const OPENS_REFUSING = /^(?:no|nope|not|actually)\b/i;

/** 'cancel this' is about the proposal; 'cancel this afternoon' is not. */
const namesNoTime = ({ act, items }: Request): boolean =>
  act !== 'cancel' || items.every(({ facets }) => facets.length === 0);

const understandOne = (state: State, plain: Request): Outcome => {
  const act = actOf(state, plain);
  const request = { ...underHeading(state, plain), act };
  const facets = facetsOf(request.items);
  const text = rawOf(state, request.clause.from, request.clause.to);
  if (COURTESY.test(text)) return nothing(state, request);
  const aboutIt = subjectOf(state, request.items).length === 0 || onlyNumber(state, request);
  const pronoun = hasPronoun(state, request);
  if (act === 'refuse')
    return refusesTime(text) && hasLast(state) ? { intents: [] } : { intents: [], ask: refused(text), unknown: text };
  if (act === 'ask') {
    const answer = answerOf(state, request, text);
    return answer ? { intents: [], ask: answer } : { intents: [], ask: CAN_DO, unknown: text };
  }
  if (act === 'dismiss') return hasLast(state) ? replaceLast(state, { intents: [] }) : dismissPending(state, request);
  if (act === 'rename') return renamePending(state, request);
  if (act === 'swap') return swap(state, request);
  if (changes(act) && aboutIt && (pronoun || act === 'make') && namesNoTime(request))
    return act === 'cancel' ? dismissPending(state, request) : correct(state, request, act);
  const untagged = request.tags.task_id === undefined && request.tags.tempo_tag === undefined;
  if (act === null && aboutIt && untagged)
    return (
      timesOnly(state, request) ?? (facets.length > 0 ? proposeEvent(state, request, {}) : nothing(state, request))
    );
  const tagged = request.tags.task_id !== undefined && /^(?:add|tag)\b/i.test(request.lead) && facets.length === 0;
  if (act === 'schedule' && aboutIt && (pronoun || tagged) && state.context.pending.length > 0)
    return correctPending(state, request, 'make');
  const shifts = facets.some((facet) => facet.kind === 'shift' && facet.way !== 'by');
  const shifted = shifts && (act === null || act === 'have') ? change(state, request, 'move') : null;
  if (shifted && !shifted.missing) return shifted;
  if (act === null && request.corrects && state.context.pending.length > 0 && OPENS_REFUSING.test(text))
    return { intents: [], ask: REJECTING, unknown: text };
  if (act === null && /\binstead\b/i.test(text)) {
    const changed = change(state, request, 'move');
    if (!changed.missing) return changed;
  }
  if (act === null && FORBIDS.test(text) && !aboutIt) return { intents: [], ask: refused(text), unknown: text };
  if (act === null && TELLS.test(text) && !isAhead(state, request))
    return proposeLog(state, { ...request, lead: '', items: wordsOf(request.clause), before: 0, told: true });
  const timed = hasWhen(facets) || facets.some(({ kind }) => ['duration', 'count', 'gap'].includes(kind));
  return act === null && !timed ? nothing(state, request) : interpret(state, request, inheritedFrom(state, request));
};

/** Whether a time is named that is not over, today aside. */
const isAhead = ({ context }: State, { items }: Request): boolean =>
  facetsOf(items).some(
    (facet) =>
      FUTURE.has(facet.kind) &&
      !(
        facet.kind === 'days' &&
        facet.days.every(({ date }) => date.toString() === localDate(context.now, context.zone))
      ),
  );

/** A sentence after a note belongs to it unless it asks for something itself. */
const continuesLog = (state: State, request: Request): boolean => {
  const groups = groupsOf(facetsOf(request.items));
  return (
    state.last?.request.act === 'log' &&
    state.intents.at(-1)?.action_type === 'log' &&
    request.act === null &&
    !(groups.has('day') && groups.has('clock'))
  );
};

const isHeading = (state: State, { act, clause, items }: Request): boolean =>
  wordAt(state.tokens, clause.to - 1) === ':' &&
  act === null &&
  subjectOf(state, items).length === 0 &&
  hasWhen(facetsOf(items));

/** A condition holds for its whole sentence. */
const isConditional = (state: State, request: Request, clause: Clause): boolean => {
  if (clause.joined && state.conditional) return true;
  const at = request.act === 'log' || request.act === 'ask' ? null : conditionAt(state.tokens, clause.from, clause.to);
  state.conditional = at !== null;
  if (at !== null) state.asks.push(conditional(rawOf(state, at, clause.to)));
  return state.conditional;
};

/** Takes in one more request. */
export const takeIn = (state: State, request: Request, clause: Clause): void => {
  if (isConditional(state, request, clause)) {
    if (clause.joined && state.last && hasLast(state)) state.intents.length = state.last.from;
    return;
  }
  if (isHeading(state, request)) {
    state.heading = request.items.filter(({ facets }) => facets.length > 0);
    return;
  }
  if (continuesLog(state, request)) {
    const previous = state.intents.at(-1)!;
    previous.content = `${previous.content} ${sentence(rawOf(state, clause.from, clause.to))}`;
    return;
  }
  const before = state.intents.length;
  const outcome = understandOne(state, request);
  const from = Math.min(before, state.intents.length);
  state.intents.push(...outcome.intents);
  if (outcome.ask) state.asks.push(outcome.ask);
  if (outcome.unknown !== undefined) state.unknown.push(outcome.unknown.slice(0, 500));
  state.notes.push(...(outcome.notes ?? []));
  const act = actOf(state, request);
  if (outcome.intents.length > 0 || (outcome.unknown === undefined && act !== null))
    state.last = { request: outcome.as ?? { ...request, act }, from };
};
