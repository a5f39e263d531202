/** Names and values of fields as a person reads them. */
import type { Actor } from '../../../client/almanac-client.ts';
import { lengthText, momentOf } from '../state/wall-time.ts';

/** The service keeps these for itself, or they follow from others. */
const OWN =
  /^\/(version|seq|updated_at|recorded_at|summary|end|local_start|attempts|plan_version|child_trace_ids|linked_trace_ids\/-)(\/|$)/;
export const isOwnField = (path: string): boolean => OWN.test(path);

const NAMES: Record<string, string> = { scheduled_for: 'time', duration_minutes: 'length', feedback_rating: 'rating' };

/** The name of the field that a JSON Pointer leads to. */
export const fieldName = (path: string): string => {
  const [, field = '', ...rest] = path.split('/');
  return [NAMES[field] ?? field.replaceAll('_', ' '), ...rest].join(' › ');
};

const INSTANT = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/;

export const valueText = (value: unknown, path = ''): string => {
  if (value === null || value === undefined || value === '') return 'nothing';
  if (typeof value === 'string') return INSTANT.test(value) ? momentOf(value) : value;
  if (typeof value === 'number' && path === '/duration_minutes') return lengthText(value);
  if (Array.isArray(value) && value.every((one) => typeof one === 'string')) return value.join(', ') || 'nothing';
  return JSON.stringify(value);
};

/** Who acted. */
export const actorText = ({ id, label }: Actor): string => (id === 'session' ? 'You' : label);
