/** The words of people for the names that the service uses in documents. */
import type { LedgerEntry, LimitUsage, Plan } from '../../../client/almanac-client.ts';
import { CHAT, traceKind, type TraceKind } from '../../../domain/record/trace-kind.ts';
import { inOwnTime } from '../state/sentence.ts';

/** `1 event`, `2,000 events`. */
export const counted = (count: number, one: string, many = `${one}s`): string =>
  `${count.toLocaleString()} ${count === 1 ? one : many}`;

export const capital = (text: string): string => text.slice(0, 1).toUpperCase() + text.slice(1);

/** The largest number of characters of a title within a line: one that is cut by its style would be a line of its own. */
export const MOST_OF_TITLE = 60;

/** A text of at most `most` characters; what is left out leaves a sign. */
export const cut = (text: string, most: number): string => {
  if (text.length <= most) return text;
  // Half of a character that has two parts is none.
  const end = (text.codePointAt(most - 1) ?? 0) > 0xffff ? most - 1 : most;
  return `${text.slice(0, end).trimEnd()}…`;
};

/** The service's own types of traces. A client may define others. */
export const TYPES: Readonly<Record<string, string>> = {
  observation: 'note',
  agent_plan: 'proposal',
  calendar_event: 'calendar',
};
export const typeText = (trace: Parameters<typeof traceKind>[0] | { type: string; kind: TraceKind }): string => {
  const kind = 'kind' in trace ? trace.kind : traceKind(trace);
  return kind === 'decision' || kind === 'chat' ? kind : (TYPES[trace.type] ?? trace.type.replaceAll('_', ' '));
};

/** Why a plan was decided on as it was. */
const CODES: Record<string, string> = {
  user: 'by you',
  executed: 'carried out',
  withdrawn: 'withdrawn by its agent',
  event_moved: 'its event was moved on the calendar',
  event_edited: 'its event was changed on the calendar',
  expired: 'expired without a decision',
  cancelled: 'cancelled by you',
  failed: 'could not be carried out',
  undone: 'taken back',
  displaced: 'lost its time to something else',
  occurrence_displaced: 'one of its times was taken',
  event_removed: 'its event was removed',
  slot_taken: 'its time was taken',
  'slot:blocked': 'its time was taken',
  'slot:past': 'its time was over',
  'slot:outside_tempo': 'outside the tempo hours',
  'slot:too_short': 'no free time is long enough',
  'limit:budget_day': 'the limit of the day was reached',
  'limit:budget_week': 'the limit of the week was reached',
};
/** The code of what only the person allows outside of the tempo hours. */
export const ONLY_IN_TEMPO = 'slot:outside_tempo';
const RULE = 'limit:cadence:';
/** The id of the cadence rule that a code names. */
export const ruleOf = (code: string): string | undefined =>
  code.startsWith(RULE) ? code.slice(RULE.length) : undefined;

export type Decision = NonNullable<Plan['decision']>;

/** Also the person can withdraw what an agent proposed. */
export const reasonText = ({ code, by }: Pick<Decision, 'code' | 'by'>): string => {
  if (code === 'withdrawn' && by.startsWith('user:')) return 'withdrawn by you';
  const rule = ruleOf(code);
  return CODES[code] ?? (rule === undefined ? code.replaceAll(/[:_]/g, ' ') : `the rule “${rule}” was reached`);
};

/** Why, in the words of whoever decided. The limits and the calendar give instants. */
export const noteText = (decision: Decision): string => inOwnTime(decision.note ?? reasonText(decision));

/** The same as a sentence. What a person wrote stays as it is. */
export const noteSentence = (decision: Decision): string =>
  decision.by === 'policy' ? capital(noteText(decision)) : noteText(decision);

/** The limits and the calendar refuse a proposal before a person reads it. */
export const isRefused = (code: string): boolean => /^(limit|slot):/.test(code);

/** How a proposal stopped waiting without an approval, by the code of its decision. */
const ENDS: Record<string, string> = { user: 'rejected', expired: 'expired', withdrawn: 'withdrawn' };
/** The result of a plan: its status, and for one that was not approved how it ended. */
export const outcomeOf = ({ status, decision }: Plan): string => {
  if (status !== 'rejected') return status;
  const { code = 'user' } = decision ?? {};
  return ENDS[code] ?? (isRefused(code) ? 'refused' : 'ended');
};

const OUTCOMES: Record<string, string> = {
  proposed: 'Waits',
  approved: 'Approved, waits for its time',
  executed: 'Done',
  rejected: 'Rejected',
  expired: 'Expired',
  refused: 'Refused',
};
/** Codes that the word for the outcome says already. */
const PLAIN = new Set(['user', 'executed', 'expired']);

/** `Expired`, `Withdrawn by its agent`, `Refused: its time was taken`. */
export const outcomeText = (plan: Plan): string => {
  const word = OUTCOMES[outcomeOf(plan)];
  const { decision } = plan;
  if (!decision || PLAIN.has(decision.code)) return word ?? 'Rejected';
  const reason = reasonText(decision);
  return word === undefined ? capital(reason) : `${word}: ${reason}`;
};

/** `1 of 4 approved today, 2 wait`, everywhere where a limit is shown. */
export const usageText = ({ per, start, max, used, waiting }: LimitUsage): string => {
  const isNow = Date.parse(start) <= Date.now();
  const when = per === 'day' ? (isNow ? 'today' : 'that day') : isNow ? 'this week' : 'that week';
  return `${used} of ${max} approved ${when}${waiting ? `, ${waiting === 1 ? '1 waits' : `${waiting} wait`}` : ''}`;
};

/** What an entry of the ledger records, with the thing for `…`. What begins with the thing has no actor. A thing has its own words where its kind is not here. */
const DEEDS: Record<string, string> = {
  'trace.created': 'wrote …',
  'trace.updated': 'changed …',
  'trace.removed': 'removed …',
  'plan.proposed': 'proposed …',
  'plan.approved': 'approved …',
  'plan.rejected': 'rejected …',
  'plan.executed': 'carried out …',
  'plan.edited': 'changed the plan …',
  'plan.displaced': 'took the time of …',
  'plan.reopened': 'took back the decision on …',
  'queue.changed': 'changed the proposal …',
  'event.created': 'put … on the calendar',
  'event.updated': 'changed … on the calendar',
  'event.removed': 'took … off the calendar',
  'profile.created': 'opened the account of …',
  'profile.updated': 'changed the settings of …',
  'key.created': 'made the key …',
  'key.revoked': 'ended the key …',
};
/** The same where the code of the decision says more than the kind. */
const DEEDS_BY_CODE: Record<string, Record<string, string>> = {
  'plan.rejected': {
    withdrawn: 'withdrew the proposal …',
    cancelled: 'cancelled … after its approval',
    undone: 'took the proposal … back',
    expired: '… expired without a decision',
    failed: '… could not be carried out',
    slot_taken: '… lost its time to something else',
  },
  'plan.edited': {
    undone: 'took back what … had done',
    event_moved: 'moved the event of …',
    event_edited: 'changed the event of …',
    event_removed: 'removed the event of …',
  },
};
export const deedText = ({ kind, payload }: Pick<LedgerEntry, 'kind' | 'payload'>): string => {
  const [thing = '', deed = ''] = kind.split('.');
  const decision = payload?.['decision'] as Decision | null | undefined;
  const tags = payload?.['tags'];
  if (kind === 'trace.created' && Array.isArray(tags) && tags.includes(CHAT))
    return payload?.['origin'] === 'system' ? '… was answered in the chat' : 'said … in the chat';
  const own = decision && DEEDS_BY_CODE[kind]?.[decision.code];
  if (own) return own;
  // What limits and calendar refuse is written by the one who proposed it.
  if (kind === 'plan.rejected' && decision?.by === 'policy') return `… was refused: ${reasonText(decision)}`;
  return DEEDS[kind] ?? `${deed.replaceAll('_', ' ')} the ${thing} …`;
};
