/** The words of people for the names that the service uses in documents. */
import type { LimitUsage } from '../../../client/almanac-client.ts';
import { traceKind, type TraceKind } from '../../../domain/record/trace-kind.ts';

/** `1 event`, `2,000 events`. */
export const counted = (count: number, one: string, many = `${one}s`): string =>
  `${count.toLocaleString()} ${count === 1 ? one : many}`;

/** The service's own types of traces. A client may define others. */
const TYPES: Record<string, string> = {
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
const RULE = 'limit:cadence:';
/** The id of the cadence rule that a code names. */
export const ruleOf = (code: string): string | undefined =>
  code.startsWith(RULE) ? code.slice(RULE.length) : undefined;

export const codeText = (code: string): string => {
  const rule = ruleOf(code);
  return CODES[code] ?? (rule === undefined ? code.replaceAll(/[:_]/g, ' ') : `the rule “${rule}” was reached`);
};

/** `1 of 4 approved today, 2 wait`, everywhere where a limit is shown. */
export const usageText = ({ per, start, max, used, waiting }: LimitUsage): string => {
  const isNow = Date.parse(start) <= Date.now();
  const when = per === 'day' ? (isNow ? 'today' : 'that day') : isNow ? 'this week' : 'that week';
  return `${used} of ${max} approved ${when}${waiting ? `, ${waiting === 1 ? '1 waits' : `${waiting} wait`}` : ''}`;
};

/** What an entry of the ledger records, with the thing for `…`. A thing has its own words where its kind is not here. */
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
export const deedText = (kind: string): string => {
  const [thing = '', deed = ''] = kind.split('.');
  return DEEDS[kind] ?? `${deed.replaceAll('_', ' ')} the ${thing} …`;
};
