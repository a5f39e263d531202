/** How requests of a walk are written, and the uids, texts and actions that they have. */
import type { World } from './person.ts';

export type Ask = {
  method: string;
  path: string;
  headers?: Record<string, string>;
  body?: string;
  /** A word in it that is a guess of a field. To who may not read it, the answer is the same for a word that nothing has. */
  guess?: Guess;
};
export type Guess = { field: string; word: string };
type Sent = Omit<Ask, 'method' | 'path' | 'body'> & { body?: object };

const JSON_TYPE = { 'Content-Type': 'application/json' };
const q = (values: Record<string, string>): string => `?${new URLSearchParams(values).toString()}`;

export const ask = (route: string, { body, headers, ...more }: Sent = {}, search: Record<string, string> = {}): Ask => {
  const [method, path] = route.split(' ') as [string, string];
  const sent = body === undefined ? {} : { body: JSON.stringify(body) };
  const at = Object.keys(search).length ? path + q(search) : path;
  return { method, path: at, ...more, headers: { ...(body ? JSON_TYPE : {}), ...headers }, ...sent };
};
export const posts = (route: string, ...bodies: object[]): Ask[] => bodies.map((body) => ask(route, { body }));
export const gets = (route: string, ...searches: Record<string, string>[]): Ask[] =>
  searches.map((search) => ask(route, {}, search));

/** Fields by which the requests that guess do so: words of what is said and written, and hidden values. */
export const GUESSED = [
  'note.content',
  'event.title',
  'theirs.title',
  'read.title',
  'sensitive.author',
  'sensitive.chat',
];

/** Whole words and their beginnings. */
export const guesses = ({ word }: World): Guess[] =>
  GUESSED.flatMap((field) => [8, 4].map((length) => ({ field, word: word(field).slice(0, length) })));

export const SOON = { scheduled_for: '2026-11-26T16:00', duration_minutes: 15 };
export const scheduled = (title: string, more: object = {}) => ({ action_type: 'schedule', title, ...SOON, ...more });

/** Actions that come near to what is hidden: its times, its uids, its tags, its limits. */
export const actions = ({ word, read }: World): object[] => [
  scheduled('Free'),
  ...['24T09:00', '24T10:00', '24T12:00', '24T15:00', '25T09:00', '26T08:00', '26T10:00', '27T10:00'].map((time) =>
    scheduled('Taken', { scheduled_for: `2026-11-${time}` }),
  ),
  scheduled('Any time', { scheduled_for: null, arguments: { before: '12:00' } }),
  scheduled('No time', { scheduled_for: '2026-11-27T10:05', rrule: 'FREQ=DAILY;COUNT=3', on_conflict: 'refuse' }),
  ...[word('event.uid'), word('series.uid'), word('file.uid'), read].flatMap((target_event_uid) => [
    { action_type: 'reschedule', title: 'Move', target_event_uid, scheduled_for: '2026-11-26T17:00' },
    { action_type: 'reschedule', title: 'Cancel', target_event_uid, arguments: { cancel: true } },
  ]),
  { action_type: 'reschedule', title: 'Move', target_event_uid: 'none', scheduled_for: '2026-11-26T17:00' },
  { action_type: 'log', title: 'Limited', tags: [word('limits.tag')] },
  { action_type: 'log', title: 'Limited again', tags: [word('limits.tag')] },
  scheduled('In tempo', { scheduled_for: null, tempo_tag: `@${word('tempo.tag')}` }),
  scheduled('In tempo', { scheduled_for: null, task_id: word('tempo.task') }),
  ...['mine', 'theirs', 'approved', 'done'].map((kind) => scheduled('Same uid', { uid: word(`${kind}.uid`) })),
  scheduled('Linked', { linked_trace_ids: [word('note.uid'), word('mine.uid')] }),
  ...['mine', 'note'].map((kind) => ({ action_type: 'reflect', title: 'Look back', task_id: word(`${kind}.task`) })),
];

export const known = ({ word }: World): string[] =>
  ['note', 'thought', 'gone', 'mine', 'theirs', 'rejected', 'done', 'kept'].map((kind) => word(`${kind}.uid`));
export const plans = ({ word }: World): string[] =>
  ['mine', 'theirs', 'move', 'approved', 'rejected', 'withdrawn', 'done', 'reflected'].map((kind) =>
    word(`${kind}.uid`),
  );
export const events = ({ word, read }: World): string[] =>
  ['event', 'series', 'file'].map((kind) => word(`${kind}.uid`)).concat(read, 'renamed', 'cancelled', 'target');

export const filters = ({ word }: World): Record<string, string>[] => [
  { task_id: word('note.task') },
  { tempo_tag: `@${word('note.tempo')}` },
  { type: `kind_${word('note.type')}` },
  { tag: word('note.tag') },
  { type: 'agent_plan' },
  { type: 'calendar_event' },
];
