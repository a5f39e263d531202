/** The built-in planner's understanding: everyday English in, intents out. Pure, deterministic, linear in the prompt. */
import { type Outcome, rawOf, sentence, slotName, type Work } from './build.ts';
import { cancel, change, swap } from './change.ts';
import { splitClauses } from './clauses.ts';
import { correctLast, correctPending, dismissPending, hasPronoun, renamePending, subjectOf } from './correct.ts';
import type { Facet, Item } from './facet.ts';
import { MOST } from './layout.ts';
import type { Act } from './lead.ts';
import { proposeEvent, type Inherited, proposeLog, proposeReflection } from './propose.ts';
import { facetsOf, hasWhen, readRequest, type Request } from './request.ts';
import { scanItems } from './scan.ts';
import type { Intent, IntentContext, Understanding } from './types.ts';
import { todayOf } from './when.ts';
import { addMinutes, localDate, minutesBetween } from '../time.ts';
import { lengthName } from './say.ts';
import { tokenise, wordAt } from './words.ts';

/** Longer prompts are read up to here, and the reply says so. */
const MOST_CHARS = 100_000;
const CHANGES: readonly (Act | null)[] = ['move', 'later', 'earlier', 'shorten', 'extend', 'make'];
/** Verbs that are also everyday things to do ('bring cake'): with a time and no such event, it is something to plan. */
const EVERYDAY = /^(?:make|bring|cut|clear|remove|drop|change|switch|start|push|transfer|stretch|reduce|increase|expand|trim|skip|take|trade|exchange|free|move|advance|swap|delete|discard|put|pull|hold|keep|find|shift)\b/i;
const COMMON_PRAISE = /^(?:thanks|thank you|please|ok|okay|great|hi|hello|hey|cheers|bye|goodbye)$/i;

type State = Work & {
  intents: Intent[];
  asks: string[];
  notes: string[];
  unknown: string[];
  heading: Item[];
  /** The request before, and where its intents begin. */
  last?: { request: Request; from: number };
};

/** The day the request before is on, for 'gym tomorrow at 7 and breakfast at 8:30'. */
const inheritedFrom = (state: State, request: Request): Inherited => {
  const previous = state.last ? state.intents.slice(state.last.from) : [];
  const [one] = previous;
  const { zone } = state.context;
  if (!request.clause.joined || previous.length !== 1 || !one || one.action_type === 'log' || one.target_event_uid) return {};
  const start = one.scheduled_for ?? one.between?.start;
  if (!start || (one.between && minutesBetween(one.between.start, one.between.end) > 25 * 60)) return {};
  const inherit = Temporal.PlainDate.from(localDate(start, zone));
  const facets = facetsOf(request.items);
  if (!request.clause.then || hasWhen(facets)) return { inherit };
  return { inherit, floor: one.scheduled_for ? addMinutes(start, one.duration_minutes ?? 0) : start };
};

const withHeading = (state: State, request: Request): Request => {
  const dayed = facetsOf(request.items).some(({ kind }) => ['days', 'period', 'edge', 'every', 'instant'].includes(kind));
  return dayed || state.heading.length === 0 ? request : { ...request, items: [...state.heading, ...request.items], before: request.before + state.heading.length };
};

const include = (items: readonly Item[], start: number, upTo: number): Item[] => [...Array.from({ length: upTo - start }, (_, n) => ({ from: start + n, to: start + n + 1, facets: [] })), ...items];

/** The request with its verb as part of the title: 'Bring cake'. */
const withVerb = (state: State, request: Request): Request => {
  const words = request.lead.split(' ').length;
  const rest = request.items.slice(request.before);
  const first = rest[0]?.from ?? request.clause.to;
  const start = Math.max(request.clause.from, first - words);
  return { ...request, act: null, items: [...request.items.slice(0, request.before), ...include(rest, start, first)] };
};

const ANSWER_ASK = 'I plan time, move and cancel events, reflect and take notes. What would you like me to plan?';

const nothing = (state: State, request: Request): Outcome => {
  const text = rawOf(state, request.clause.from, request.clause.to);
  if (COMMON_PRAISE.test(text) && state.intents.length > 0) return { intents: [] };
  const subject = subjectOf(state, request.items).length > 0;
  const todo = request.act === null && subject && !/\?$/.test(state.text.trimEnd()) && text.split(' ').length > 1 && text.split(' ').length < 12;
  return { intents: [], unknown: text, ask: todo && /^(?:buy|call|write|read|email|send|pay|finish|prepare|clean|fix|get|ask|check|order|pick|visit|practice|practise|study|learn|work|cook|review|meet|see|go)\b/i.test(text) ? `When should I plan “${text}”?` : ANSWER_ASK };
};

/** A change by title; where nothing is called that and the words make sense as a thing to do, they are planned. */
const changeOrPlan = (state: State, request: Request, act: Act): Outcome => {
  const made = act === 'cancel' ? cancel(state, request) : change(state, request, act);
  const facets = facetsOf(request.items);
  if (!made.missing || !EVERYDAY.test(request.lead) || !hasWhen(facets) || act === 'later') return made;
  const bring = /^(?:move|shift|delete|change)\b/i.test(request.lead);
  return bring ? made : proposeEvent(state, withVerb(state, request), {});
};

/** A request without verb of its own takes the one before: 'move the dentist to Tuesday and the call to Wednesday'. */
const actOf = (state: State, request: Request): Act | null => {
  const before = state.last?.request.act ?? null;
  if (request.act || !request.clause.joined || !before) return request.act;
  return [...CHANGES, 'cancel'].includes(before) ? before : null;
};

/** Times only: they complete or repeat the request before, or correct the pending proposal. */
const timesOnly = (state: State, request: Request): Outcome | null => {
  const { last } = state;
  const facets = facetsOf(request.items);
  if (facets.length === 0) return null;
  if (request.corrects && last && state.intents.length > last.from) return replaceLast(state, correctLast(state, request, 'make', state.intents.slice(last.from)));
  if (last && last.request.act !== 'log') {
    const [a, b] = [groupsOf(facetsOf(last.request.items)), groupsOf(facets)];
    const collides = [...b].some((group) => a.has(group));
    const carried = last.request.items.filter((item) => item.facets.length === 0 || item.kept || !item.facets.some((facet) => b.has(groupOf(facet)) || (collides && ['day', 'clock'].includes(groupOf(facet)))));
    const merged: Request = { ...last.request, items: [...carried, ...request.items.filter((item) => item.facets.length > 0)], before: 0 };
    const inherited = collides && !b.has('day') ? inheritedFrom(state, request) : {};
    if (collides) return interpret(state, { ...merged, act: last.request.act }, inherited);
    state.intents.length = last.from;
    state.asks.length = Math.min(state.asks.length, last.from === 0 ? 0 : state.asks.length);
    return interpret(state, merged, {});
  }
  return state.context.pending.length > 0 ? correctPending(state, request, 'make') : null;
};

const groupOf = ({ kind }: Facet): string => (['clock', 'hours', 'instant', 'part'].includes(kind) ? 'clock' : ['days', 'period', 'edge', 'every'].includes(kind) ? 'day' : kind);
const groupsOf = (facets: readonly Facet[]): Set<string> => new Set(facets.map(groupOf));

const replaceLast = (state: State, outcome: Outcome): Outcome => {
  state.intents.length = state.last!.from;
  return outcome;
};

/** A correction of what this prompt asked for before, else of the pending proposal. */
const correct = (state: State, request: Request, act: Act): Outcome => {
  const { last } = state;
  return last && state.intents.length > last.from ? replaceLast(state, correctLast(state, request, act, state.intents.slice(last.from))) : correctPending(state, request, act);
};

const interpret = (state: State, request: Request, inherited: Inherited): Outcome => {
  if (request.act === 'reflect') return proposeReflection(state, request, inherited);
  if (request.act === 'log') return proposeLog(state, request);
  if (request.act && [...CHANGES, 'cancel'].includes(request.act)) return changeOrPlan(state, request, request.act);
  return proposeEvent(state, request, inherited);
};

const REFUSED = 'I did nothing about that: it says what not to do. What would you like me to plan instead?';

const understandOne = (state: State, plain: Request): Outcome => {
  const act = actOf(state, plain);
  const request = { ...withHeading(state, plain), act };
  const aboutIt = subjectOf(state, request.items).length === 0;
  if (act === 'refuse') return { intents: [], ask: REFUSED, unknown: rawOf(state, request.clause.from, request.clause.to) };
  if (act === 'ask') return { intents: [], ask: ANSWER_ASK, unknown: rawOf(state, request.clause.from, request.clause.to) };
  if (act === 'dismiss') return state.last && state.intents.length > state.last.from ? replaceLast(state, { intents: [] }) : dismissPending(state, request);
  if (act === 'rename') return renamePending(state, request);
  if (act === 'swap') return swap(state, request);
  const corrects = act !== null && [...CHANGES, 'cancel'].includes(act) && aboutIt && (hasPronoun(state, request) || act === 'make') && facetsNotNaming(request);
  if (corrects) return act === 'cancel' ? dismissPending(state, request) : correct(state, request, act);
  if (act === null && aboutIt && request.tags.task_id === undefined) return timesOnly(state, request) ?? (facetsOf(request.items).length > 0 ? proposeEvent(state, request, {}) : nothing(state, request));
  if (act === 'schedule' && aboutIt && request.items.length > 0 && hasPronoun(state, request) && state.context.pending.length > 0) return correctPending(state, request, 'make');
  if (act === null && !hasWhen(facetsOf(request.items)) && !facetsOf(request.items).some(({ kind }) => kind === 'duration' || kind === 'count')) return nothing(state, request);
  return interpret(state, request, inheritedFrom(state, request));
};

/** 'cancel this' is about the proposal; 'cancel this afternoon' is not. */
const facetsNotNaming = ({ act, items }: Request): boolean => act !== 'cancel' || items.every(({ facets }) => facets.length === 0);

/** 'add 15 minutes to the call' lengthens it. */
const addsTime = (state: State, request: Request): Request => {
  const [first, second] = request.items;
  const adds = /^add$/i.test(request.lead) && first && second && first.facets.some(({ kind }) => kind === 'duration' || kind === 'shift') && wordAt(state.tokens, second.from) === 'to';
  return adds ? { ...request, act: 'extend', items: [...request.items.slice(2), first] } : request;
};

/** A sentence after a note belongs to it unless it asks for something itself. */
const continuesLog = (state: State, request: Request): boolean => {
  const previous = state.intents.at(-1);
  const groups = groupsOf(facetsOf(request.items));
  return state.last?.request.act === 'log' && previous?.action_type === 'log' && request.act === null && !(groups.has('day') && groups.has('clock'));
};

const step = (state: State, clause: ReturnType<typeof splitClauses>[number]): void => {
  const request = addsTime(state, readRequest(state.tokens, clause));
  if (wordAt(state.tokens, clause.to - 1) === ':' && request.act === null && subjectOf(state, request.items).length === 0 && hasWhen(facetsOf(request.items))) {
    state.heading = request.items.filter(({ facets }) => facets.length > 0);
    return;
  }
  if (continuesLog(state, request)) {
    const previous = state.intents.at(-1)!;
    previous.content = `${previous.content} ${sentence(rawOf(state, clause.from, clause.to))}`;
    return;
  }
  const from = state.intents.length;
  const outcome = understandOne(state, request);
  const start = Math.min(from, state.intents.length);
  state.intents.push(...outcome.intents);
  if (outcome.ask) state.asks.push(outcome.ask);
  if (outcome.unknown !== undefined) state.unknown.push(outcome.unknown.slice(0, 500));
  state.notes.push(...(outcome.notes ?? []));
  const act = actOf(state, request);
  if (outcome.intents.length > 0 || (outcome.unknown === undefined && act !== null)) state.last = { request: { ...request, act }, from: start };
};

const saying = (intent: Intent, context: IntentContext): string => {
  if (intent.arguments.cancel) return intent.content.replace(/\.$/, '');
  if (intent.target_event_uid || intent.target_plan_uid) return intent.content.replace(/\.$/, '');
  const slot = { ...(intent.scheduled_for && { at: intent.scheduled_for }), ...(intent.between && { between: intent.between }), ...(intent.arguments.all_day === true && { all_day: true as const }) };
  const length = intent.duration_minutes === undefined ? '' : `, ${lengthName(intent.duration_minutes)}`;
  if (intent.action_type === 'log') return `note “${intent.title}”${intent.scheduled_for ? ` ${slotName(slot, context)}` : ''}`;
  const immediate = intent.action_type === 'reflect' && !intent.scheduled_for && !intent.between;
  return `“${intent.title}”${length}${immediate ? '' : `, ${slotName(slot, context)}`}`;
};

const replyOf = (state: State, question: string | undefined): string => {
  const { intents, context } = state;
  const shown = intents.slice(0, 5).map((intent) => saying(intent, context));
  const more = intents.length > 5 ? `; and ${intents.length - 5} more` : '';
  const proposal = intents.length === 0 ? [] : [`I propose: ${shown.join('; ')}${more}.`];
  const aside = intents.length > 0 && state.unknown.length > 0 ? [`I made nothing of ${state.unknown.slice(0, 3).map((text) => `“${text.slice(0, 80)}”`).join(', ')}.`] : [];
  return [...proposal, ...new Set(state.notes), ...aside, ...(question ? [question] : [])].join(' ');
};

/**
 * Understands a prompt as planning requests: one intent per occurrence (at most 60), a question where a guess would be needed.
 * Never throws on any text; text is data and only ever becomes intents.
 */
export const understand = (prompt: string, context: IntentContext): Understanding => {
  const text = prompt.slice(0, MOST_CHARS);
  const tokens = tokenise(text);
  const scan = { tokens, now: context.now, zone: context.zone, today: todayOf(context) };
  const clauses = splitClauses(tokens, scanItems(scan), MOST);
  const state: State = { text, tokens, context, intents: [], asks: [], notes: [], unknown: [], heading: [] };
  for (const clause of clauses.slice(0, MOST)) {
    step(state, clause);
    if (state.intents.length > MOST) break;
  }
  if (prompt.length > MOST_CHARS) state.notes.push(`I read only the first ${MOST_CHARS} characters.`);
  if (clauses.length > MOST || state.intents.length > MOST) state.notes.push(`That was more than ${MOST}: I took the first ones; ask again for the rest.`);
  state.intents.length = Math.min(state.intents.length, MOST);
  // What was not understood beside something that was is told, not asked about
  const asks = state.asks.filter((ask) => ask !== ANSWER_ASK || state.intents.length === 0);
  const none = state.intents.length === 0 && asks.length === 0;
  const question = none ? ANSWER_ASK : [...new Set(asks)].slice(0, 5).join(' ') || undefined;
  return { intents: state.intents, ...(question && { question }), reply: replyOf(state, question), unknown: state.unknown };
};
