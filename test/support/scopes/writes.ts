/** Requests that write, for every route, with the uids of a marked person's documents, and what people say. */
import { CALENDAR, fileOf, vevent } from '../dav.ts';
import type { World } from './person.ts';
import {
  actions,
  ask,
  events,
  gets,
  guesses,
  known,
  plans,
  posts,
  scheduled,
  SOON,
  type Ask,
  type Guess,
} from './ask.ts';

const PLANNED = [
  ...['Cancel the _', 'Move _ to Thursday at 18:00', 'Rename _ to Other', 'Plan an hour before _'],
  ...['Swap _ and lunch', 'Move _ after lunch'],
];
/** These store no plan, so that no answer depends on an earlier one. */
const ASKED = [
  ...['When is _?', 'Cancel the _', 'What did I say about _?', 'How long is _, and where?', 'Who wrote _?'],
  ...['Which proposals for _ are waiting?'],
];

/** What people say. */
const SAID = [
  ...['What is on Friday?', 'What is on my calendar this week?', 'yes', 'the first', 'both', 'Cancel it', '1'],
  ...['What is next?', 'What waits for my decision?', 'What is due?', 'Who wrote that?', 'What did I decide?'],
  ...['Move everything on Wednesday to Thursday', 'Cancel all events this week', 'Plan an hour on Friday at 10:00'],
  ...['Plan 30 minutes of deep work tomorrow', 'When am I free tomorrow?', 'Note that all is well', 'Undo that'],
  ...['Reflect on the week', 'Swap the first two', 'Plan a call on Tuesday at 15:00', 'What did I do yesterday?'],
  ...['What do you know about the talk?', 'Tell me about Talk', 'What are my limits?', 'Who am I?', 'the second'],
  ...['Plan a call on Tuesday at half eight', '07:30', 'Move the call to Wednesday at 15:00'],
];

const prompts = (w: World, guessing: string[]): { prompt: string; guess?: Guess }[] => [
  // The beginning of a word is guessed in the first forms only.
  ...guesses(w).flatMap((guess) =>
    guessing
      .slice(0, guess.word.length > 4 ? undefined : 2)
      .map((form) => ({ prompt: form.replace('_', guess.word), guess })),
  ),
  ...SAID.map((prompt) => ({ prompt })),
];

/** By route. */
export const writeAsks = (w: World): Record<string, Ask[]> => {
  const { word } = w;
  const note = { type: 'observation', content: 'Other' };
  const keep = { 'Idempotency-Key': w.kept.key };
  const updates = { title: 'Other' };
  return {
    'POST /chat/plan-preview': [
      ...posts('POST /chat/plan-preview', ...actions(w).map((one) => ({ actions: [one] }))),
      ...prompts(w, PLANNED).map(({ prompt, guess }) =>
        ask('POST /chat/plan-preview', { body: { prompt }, ...(guess ? { guess } : {}) }),
      ),
      ask('POST /chat/plan-preview', {
        body: { prompt: 'Move it to Friday', context: { memory: known(w), calendar: events(w), schedule: plans(w) } },
      }),
    ],
    'POST /chat/respond': [
      ...prompts(w, ASKED).map(({ prompt, guess }) =>
        ask('POST /chat/respond', { body: { prompt }, ...(guess ? { guess } : {}) }),
      ),
      ask('POST /chat/respond', { body: { prompt: 'What is on Friday?', stream: true } }),
      ...posts(
        'POST /chat/respond',
        ...[word('note.uid'), 'none'].map((uid) => ({ prompt: 'the first', in_reply_to: uid })),
        { prompt: 'What did I say about it?', context: { memory: known(w), calendar: events(w), schedule: plans(w) } },
      ),
    ],
    'POST /agent/plan': [
      ...posts('POST /agent/plan', ...actions(w).map((one) => ({ actions: [one] }))),
      ...posts('POST /agent/plan', { prompt: 'Cancel the talk on Friday' }, { prompt: 'Move it to Friday at 9' }),
      ...posts('POST /agent/plan', { actions: [{ uid: 'own', ...scheduled('Own') }] }),
      ask('POST /agent/plan', { body: { actions: [scheduled('Own')] }, headers: keep }),
    ],
    'POST /memory/push': [
      ...posts(
        'POST /memory/push',
        ...[...known(w), 'changed', 'own'].map((uid) => ({ traces: [{ uid, ...note }] })),
        { traces: [{ ...note, linked_event_uid: word('event.uid'), linked_trace_ids: [word('note.uid')] }] },
        { traces: [{ ...note, type: 'agent_plan', title: 'x', action_type: 'log', linked_trace_ids: known(w) }] },
        { traces: [{ ...scheduled('x', { scheduled_for: '2026-11-27T10:00' }), ...note, type: 'agent_plan' }] },
        { traces: [{ ...note, type: 'calendar_event' }] },
        { traces: [w.kept.trace] },
      ),
      ask('POST /memory/push', { body: { traces: [w.kept.trace] }, headers: keep }),
    ],
    'PATCH /memory/edit': posts(
      'PATCH /memory/edit',
      ...known(w).flatMap((uid) => [
        { uid, updates: {} },
        { uid, updates: { content: 'Other', expected: 1 } },
      ]),
      ...known(w).map((uid) => ({ uid, updates: { authored_by: 'Other' } })),
    ),
    'POST /agent/feedback': posts('POST /agent/feedback', ...known(w).map((uid) => ({ uid, feedback_rating: 2 }))),
    'POST /memport/import': posts(
      'POST /memport/import',
      ...known(w).map((uid) => ({ traces: [{ uid, ...note, timestamp: '2026-11-01T10:00:00Z' }] })),
    ),
    'POST /memport/checkpoints': posts(
      'POST /memport/checkpoints',
      ...[word('checkpoint.plain'), word('checkpoint.all'), 'fresh'].map((tag) => ({
        tag,
        parameters: { export_format: 'full' },
      })),
      { tag: 'everything', parameters: { export_format: 'full', include: 'traces,events,profile' } },
    ),
    'PATCH /memport/checkpoints': posts(
      'PATCH /memport/checkpoints',
      { tag: word('checkpoint.all'), as_of: '9' },
      {
        tag: 'fresh',
      },
    ),
    'POST /agent/execute': posts(
      'POST /agent/execute',
      ...['approved', 'done', 'reflected', 'mine', 'note'].flatMap((kind) => [
        { task_id: word(`${kind}.task`), simulate: true },
        { task_id: word(`${kind}.task`) },
        { task_id: word(`${kind}.task`), uid: word('mine.uid') },
      ]),
      { task_id: word('approved.task') },
      { task_id: 'none' },
    ),
    'POST /agent/approve': posts('POST /agent/approve', ...plans(w).map((uid) => ({ uid })), { uids: plans(w) }),
    'POST /agent/undo': posts('POST /agent/undo', ...plans(w).map((uid) => ({ uid }))),
    'POST /agent/take-back': posts('POST /agent/take-back', { agent: 'none', since: '0' }, { seq: 1 }, { seq: 20 }),
    'POST /agent/reject': posts('POST /agent/reject', ...plans(w).map((uid) => ({ uid }))),
    'POST /agent/withdraw': posts('POST /agent/withdraw', ...plans(w).map((uid) => ({ uid })), { uid: 'own' }),
    'POST /calendar/create': posts(
      'POST /calendar/create',
      ...events(w).map((uid) => ({ uid, title: 'Other', ...SOON })),
      { title: 'Taken', scheduled_for: '2026-11-27T10:00', duration_minutes: 5 },
    ),
    'PATCH /calendar/edit': posts('PATCH /calendar/edit', ...events(w).map((uid) => ({ uid, updates })), {
      edits: events(w).map((uid) => ({ uid, updates })),
    }),
    'POST /calendar/remove': posts('POST /calendar/remove', { removals: events(w).map((uid) => ({ uid })) }),
    'POST /calendar/undo': posts(
      'POST /calendar/undo',
      ...Array.from({ length: 60 }, (_, i) => ({ seq: i + 1, simulate: true })),
    ),
    'POST /calendar/import': events(w).map((uid) => ({
      ...{ method: 'POST', path: '/calendar/import', headers: CALENDAR },
      body: fileOf(...vevent(uid, 'SUMMARY:Other')),
    })),
    'PATCH /calendar/sources': posts('PATCH /calendar/sources', { id: w.source, updates: { name: 'Other' } }),
    'POST /calendar/sources/refresh': posts('POST /calendar/sources/refresh', { id: w.source }),
    'POST /calendar/sources': posts('POST /calendar/sources', { url: 'http://127.0.0.1:9/x.ics', name: 'Other' }),
    'POST /tempo/adjust': posts('POST /tempo/adjust', { preferences: {} }, { preferences: { time_ranges: 1 } }),
    'PATCH /user/update': posts('PATCH /user/update', { updates: {} }, { updates: { timezone: 'x' } }),
    'PATCH /user/storage': posts('PATCH /user/storage', { limit_bytes: 1 }),
    'POST /user/ws-ticket': posts('POST /user/ws-ticket', {}),
    'POST /user/login-links': posts('POST /user/login-links', {}),
    'POST /user/keys': posts('POST /user/keys', { kind: 'agent', label: 'x' }),
    'POST /user/invitations': posts('POST /user/invitations', { label: 'x' }),
    'DELETE /user/invitations': gets('DELETE /user/invitations', { id: 'x' }),
    'POST /user/webhooks': posts('POST /user/webhooks', { url: 'http://127.0.0.1:9/x' }),
    'PATCH /user/webhooks': posts('PATCH /user/webhooks', { id: w.webhook, updates: {} }),
    'POST /user/webhooks/rotate-secret': posts('POST /user/webhooks/rotate-secret', { id: w.webhook }),
    'POST /user/webhooks/test': posts('POST /user/webhooks/test', { id: w.webhook }),
    'POST /user/logout': posts('POST /user/logout', { everywhere: 'perhaps' }),
    'DELETE /user/sessions': gets('DELETE /user/sessions', { id: 'none' }),
    'DELETE /user/account': posts('DELETE /user/account', { password: 'not the password' }),
    // Removals come last.
    'DELETE /memory/remove': gets('DELETE /memory/remove', ...[...known(w), 'own', 'none'].map((uid) => ({ uid }))),
    'DELETE /memport/checkpoints': gets(
      'DELETE /memport/checkpoints',
      ...[word('checkpoint.all'), 'fresh', 'none'].map((tag) => ({ tag })),
    ),
    'DELETE /calendar/remove': gets('DELETE /calendar/remove', ...events(w).map((uid) => ({ uid }))),
    'DELETE /calendar/sources': gets('DELETE /calendar/sources', { id: w.source }),
    'DELETE /user/webhooks': gets('DELETE /user/webhooks', { id: w.webhook }),
    'DELETE /user/keys': gets('DELETE /user/keys', { id: w.key }),
  };
};
