/** Names and values of fields as a person reads them. */
import type { Actor } from '../../../client/almanac-client.ts';
import { ruleText } from '../../../domain/calendar/rrule-text.ts';
import { actorName } from '../state/data.ts';
import { lengthText, momentOf } from '../state/wall-time.ts';
import { codeText } from './words.ts';

/** The service keeps these for itself, or they follow from others. */
const OWN =
  /^\/(version|seq|sequence|updated_at|recorded_at|summary|end|local_start|attempts|plan_version|child_trace_ids|linked_trace_ids\/-)(\/|$)/;
export const isOwnField = (path: string): boolean => OWN.test(path);

const NAMES: Record<string, string> = {
  content: 'text',
  scheduled_for: 'time',
  duration_minutes: 'length',
  feedback_rating: 'rating',
  rrule: 'repetition',
  exdates: 'left out',
  location: 'where',
  description: 'notes',
  all_day: 'whole days',
  task_id: 'task',
  tempo_tag: 'tempo',
  expires_at: 'expires',
  display_name: 'name',
  timezone: 'time zone',
};

/** The name of the field that a JSON Pointer leads to. */
export const fieldName = (path: string): string => {
  const [, field = '', ...rest] = path.split('/');
  return [NAMES[field] ?? field.replaceAll('_', ' '), ...rest].join(' › ');
};

const ACTORS = new Set(['/by', '/proposed_by', '/recorded_by', '/actor']);

const INSTANT = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/;

export const valueText = (value: unknown, path = ''): string => {
  if (value === null || value === undefined || value === '') return 'nothing';
  if (typeof value === 'string') return textOf(value, path);
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  if (typeof value === 'number') return path.endsWith('minutes') ? lengthText(value) : String(value);
  const parts = Array.isArray(value)
    ? value.map((one) => valueText(one, path))
    : Object.entries(value)
        .filter(([, one]) => one !== null)
        .map(([name, one]) => `${fieldName(`/${name}`)} ${valueText(one, `/${name}`)}`);
  return parts.join(', ') || 'nothing';
};

const textOf = (value: string, path: string): string => {
  if (INSTANT.test(value)) return momentOf(value);
  if (path === '/rrule') return ruleText(value);
  if (path === '/code') return codeText(value);
  return ACTORS.has(path) ? actorName(value) : value;
};

/** Who acted. */
export const actorText = ({ id, label }: Actor): string => (id === 'session' ? 'You' : label);
/** The same after “by”. */
export const byText = ({ id, label }: Actor): string => (id === 'session' ? 'you' : label);
