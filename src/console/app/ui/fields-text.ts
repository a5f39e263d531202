/** Names and values of fields as a person reads them. */
import type { Actor } from '../../../client/almanac-client.ts';
import { ruleText } from '../../../domain/calendar/rrule-text.ts';
import { FIELD_NAMES } from '../state/field-names.ts';
import { lengthText, momentOf, wallFrom, wallMoment } from '../state/wall-time.ts';
import { hoursText, type Range } from './hours-text.ts';
import { capital } from './words.ts';

/** The settings that a person changes; what is inside of one is named after it. */
const SETTINGS: Readonly<Record<string, string>> = {
  '/settings/limits/budget/per_day': 'plans per day',
  '/settings/limits/budget/per_week': 'plans per week',
  '/settings/limits/cadence': 'rules of agents',
  '/settings/limits/only_in_tempo': 'agents only in the tempo hours',
  '/settings/memory/record_chat': 'remember the chat',
  '/tempo/time_ranges': 'tempo hours',
  '/tempo/tag_mappings': 'hours and lengths of tags',
  '/tempo/duration_biases': 'usual lengths',
  '/tempo/task_overrides': 'hours and lengths of tasks',
  '/tempo/use_learned': 'rank times by what was learned',
};
const settingOf = (path: string): string | undefined =>
  Object.keys(SETTINGS).find((one) => path === one || path.startsWith(`${one}/`));

/** The name of the field that a JSON Pointer leads to. The settings of a profile need no word for all of them. */
export const fieldName = (path: string): string => {
  const setting = settingOf(path);
  const names = path
    .slice(setting?.length ?? 0)
    .split('/')
    .slice(1);
  const shown = names[0] === 'settings' && names.length > 1 ? names.slice(1) : names;
  const words = shown.map(
    (name) => FIELD_NAMES[name] ?? (INSTANT.test(name) ? momentOf(name) : name.replaceAll('_', ' ')),
  );
  return [...(setting === undefined ? [] : [SETTINGS[setting]]), ...words].join(', ');
};

/** The words for states that would be read as something else. */
const STATES: Record<string, string> = { proposed: 'waits', executed: 'done' };

const INSTANT = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/;

/** The time of a clock, as a series has it. */
const WALL_TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d)?$/;

const isHours = (value: object): value is Range => ['name', 'days', 'start', 'end'].every((field) => field in value);

export const valueText = (value: unknown, path = ''): string => {
  if (value === null || value === undefined || value === '') return 'nothing';
  if (typeof value === 'string') return textOf(value, path);
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  if (typeof value === 'number') return path.endsWith('minutes') ? lengthText(value) : String(value);
  if (isHours(value)) return hoursText(value);
  const parts = Array.isArray(value)
    ? value.map((one) => valueText(one, path))
    : Object.entries(value)
        .filter(([, one]) => one !== null)
        .map(([name, one]) => `${fieldName(`/${name}`)} ${valueText(one, `/${name}`)}`);
  return parts.join(', ') || 'nothing';
};

const textOf = (value: string, path: string): string => {
  if (INSTANT.test(value)) return momentOf(value);
  if (WALL_TIME.test(value)) return wallMoment(wallFrom(value));
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
