/** The built-in planner's understanding: everyday English in, intents out. Pure, deterministic, linear in the prompt. */
import { slotName } from './build.ts';
import { splitClauses } from './clauses.ts';
import { CAN_DO, type State, takeIn } from './dialogue.ts';
import { filledIn } from './ellipsis.ts';
import { plainTokens } from './plain-words.ts';
import { MOST } from './layout.ts';
import { readRequest, type Request } from './request.ts';
import { scanItems } from './scan.ts';
import type { Intent, IntentContext, Understanding } from './types.ts';
import { type Slot, todayOf } from './when.ts';
import { lengthName } from './say.ts';
import { type Token, tokenise, wordAt } from './words.ts';

/** Longer prompts are read up to here, and the reply says so: 60 requests have room, and the worst text takes 50 ms. */
const MOST_CHARS = 5_000;

/** What is read: up to the last end of a sentence, as half a request may mean something else. */
const readable = (prompt: string): string => {
  if (prompt.length <= MOST_CHARS) return prompt;
  const text = prompt.slice(0, MOST_CHARS);
  return /^[\s\S]*[.!?;\n]/.exec(text)?.[0] ?? /^[\s\S]*\s/.exec(text)?.[0] ?? text;
};

/** 'add 15 minutes to the call' lengthens it. */
const addsTime = (tokens: readonly Token[], request: Request): Request => {
  const [first, second] = request.items;
  const adds =
    /^add$/i.test(request.lead) &&
    first &&
    second &&
    first.facets.some(({ kind }) => kind === 'duration' || kind === 'shift') &&
    wordAt(tokens, second.from) === 'to';
  return adds ? { ...request, act: 'extend', items: [...request.items.slice(2), first] } : request;
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
    timed && `${times.join('; ')}${more}`,
  ]
    .filter(Boolean)
    .join(', ');
};
const SHOWN = 5;

/** Occurrences of one request stand together. */
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

const replyOf = ({ intents, context, notes, unknown }: State, question: string | undefined): string => {
  const groups = grouped(intents);
  const shown = groups.slice(0, SHOWN).map((group) => saying(group, context));
  const more = groups.length > SHOWN ? `; and ${groups.length - SHOWN} more` : '';
  const proposal = intents.length === 0 ? [] : [`I propose: ${shown.join('; ')}${more}.`];
  const aside = unknown
    .slice(0, 3)
    .map((text) => `“${text.slice(0, 80)}”`)
    .join(', ');
  const left = intents.length > 0 && aside !== '' ? [`I made nothing of ${aside}.`] : [];
  return [...proposal, ...new Set(notes), ...left, ...(question ? [question] : [])].join(' ');
};

/**
 * Understands a prompt as planning requests: one intent per occurrence (at most 60), a question where a guess would be needed.
 * Never throws on any text; text is data and only ever becomes intents.
 */
export const understand = (prompt: string, context: IntentContext): Understanding => {
  const text = readable(prompt);
  const tokens = plainTokens(tokenise(text));
  const scan = { tokens, now: context.now, zone: context.zone, today: todayOf(context) };
  const clauses = splitClauses(tokens, scanItems(scan), MOST);
  const requests = filledIn(
    tokens,
    clauses.slice(0, MOST).map((clause) => addsTime(tokens, readRequest(tokens, clause))),
  );
  const state: State = { text, tokens, context, intents: [], asks: [], notes: [], unknown: [], heading: [] };
  for (const request of requests) {
    if (state.intents.length > MOST) break;
    takeIn(state, request, request.clause);
  }
  const unread = prompt.length - text.length;
  if (unread > 0) state.notes.push(`I read only the first ${text.length} characters; ask again for the rest.`);
  if (clauses.length > MOST || state.intents.length > MOST)
    state.notes.push(`That was more than ${MOST}: I took the first ones; ask again for the rest.`);
  state.intents.length = Math.min(state.intents.length, MOST);
  // What was not understood beside something that was is told, not asked about
  const asks = state.asks.filter((ask) => ask !== CAN_DO || state.intents.length === 0);
  const none = state.intents.length === 0 && asks.length === 0;
  const question = none ? CAN_DO : [...new Set(asks)].slice(0, 5).join(' ') || undefined;
  return {
    intents: state.intents,
    ...(question && { question }),
    reply: replyOf(state, question),
    unknown: state.unknown,
    unread,
  };
};
