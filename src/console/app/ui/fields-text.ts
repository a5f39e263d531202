/** Names and values of fields as a person reads them. */
import type { Actor } from '../../../client/almanac-client.ts';
import { ruleText } from '../../../domain/calendar/rrule-text.ts';
import { FIELD_NAMES } from '../state/field-names.ts';
import { lengthText, momentOf } from '../state/wall-time.ts';
import { capital } from './words.ts';

/** The name of the field that a JSON Pointer leads to. The settings of a profile need no word for all of them. */
export const fieldName = (path: string): string => {
  const names = path.split('/').slice(1);
  const budget = names.indexOf('budget');
  // The name of a budget says what it limits.
  if (budget >= 0 && budget < names.length - 1) names.splice(0, budget + 1);
  const shown = names[0] === 'settings' && names.length > 1 ? names.slice(1) : names;
  return shown
    .map((name) => FIELD_NAMES[name] ?? (INSTANT.test(name) ? momentOf(name) : name.replaceAll('_', ' ')))
    .join(', ');
};

/** The words for states that would be read as something else. */
const STATES: Record<string, string> = { proposed: 'waits', executed: 'done' };

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
  return path === '/status' ? (STATES[value] ?? value) : value;
};

/** Who acted, after “by”. A person can act with a key of their own too. */
export const byText = ({ kind, id, label }: Actor): string => {
  if (kind === 'user') return id === 'session' ? 'you' : `you (${label})`;
  return kind === 'system' ? `the ${label}` : label;
};
/** The same at the start of a sentence. The name of an agent is written as the person wrote it. */
export const actorText = (actor: Actor): string => (actor.kind === 'agent' ? byText(actor) : capital(byText(actor)));
