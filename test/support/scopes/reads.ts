/** Requests that read, for every route, with the uids of a marked person's documents. */
import type { World } from './person.ts';
import { ask, events, filters, gets, GUESSED, guesses, known, plans, posts, type Ask } from './ask.ts';

/** By route. */
export const readAsks = (w: World): Record<string, Ask[]> => ({
  'GET /memory/pull': gets(
    'GET /memory/pull',
    {},
    { limit: '2' },
    { as_of: '30' },
    { status: 'rejected' },
    ...filters(w),
  ),
  'GET /memory/history': gets(
    'GET /memory/history',
    ...[...known(w), 'changed', 'own', 'none'].map((uid) => ({ uid })),
  ),
  'POST /memory/search': posts(
    'POST /memory/search',
    ...['Talk about', 'everything of this week', w.word('note.content').slice(0, 5)].map((text) => ({ query: text })),
    ...['keyword', 'tag', 'hybrid'].map((mode) => ({ query: `${w.word('event.title')} talk`, mode, explain: true })),
  ).concat(
    // The last are misspelt. The table of the built-in embedder has none of these words.
    [...guesses(w), ...GUESSED.map((field) => ({ field, word: `${w.word(field).slice(0, 7)}e` }))].map((guess) =>
      ask('POST /memory/search', { body: { query: `talk ${guess.word}`, explain: true }, guess }),
    ),
  ),
  'POST /chat/trace-summary': posts(
    'POST /chat/trace-summary',
    { trace_ids: known(w) },
    { trace_ids: ['none'] },
    {
      trace_ids: [w.word('note.uid'), w.word('mine.uid')],
      max_token_count: 30,
    },
  ),
  'GET /memport/export': gets(
    'GET /memport/export',
    ...['summary', 'full', 'linked', 'diff'].flatMap((export_format) => [
      { user_id: w.user_id, export_format },
      { user_id: w.user_id, export_format, include: 'traces,events,profile' },
      ...['events', 'profile', 'traces'].map((include) => ({ user_id: w.user_id, export_format, include })),
      { user_id: w.user_id, export_format, uid: w.word('note.uid') },
      { user_id: w.user_id, export_format, task_id: w.word('note.task'), group_by: 'task', max_token_count: '400' },
      { user_id: w.user_id, export_format, from: '1', to: '40' },
    ]),
    ...['checkpoint.plain', 'checkpoint.all'].flatMap((field) =>
      [w.word(field), `all-${w.word(field)}`].flatMap((tag) => [
        { user_id: w.user_id, from_checkpoint: tag },
        { user_id: w.user_id, export_format: 'diff', from: '1', to: tag, include: 'traces,events,profile' },
      ]),
    ),
    { user_id: w.user_id, from_checkpoint: 'none' },
  ),
  'GET /memport/ledger': gets(
    'GET /memport/ledger',
    ...[
      {},
      { limit: '1000' },
      ...['event', 'key', 'webhook', 'profile', 'source', 'checkpoint'].map((s) => ({ subject: s })),
    ],
    ...[...known(w), ...events(w), w.source, w.webhook, w.user_id].map((uid) => ({ uid })),
  ),
  'GET /memport/checkpoints': gets('GET /memport/checkpoints', {}, { limit: '1' }),
  'GET /user/archive': gets('GET /user/archive', { user_id: w.user_id }),
  'POST /debug/trace-dump': posts(
    'POST /debug/trace-dump',
    {},
    { type: 'agent_plan' },
    { task_id: w.word('note.task') },
  ),
  'GET /debug/audit': gets('GET /debug/audit', {}),
  'GET /metrics': gets('GET /metrics', {}),
  'GET /agent/plan': gets('GET /agent/plan', ...[...plans(w), 'own', 'none'].map((uid) => ({ uid }))),
  'GET /agent/queue': gets('GET /agent/queue', {}, { status: 'all' }, { limit: '1' }, { task_id: w.word('mine.task') }),
  'GET /agent/status': gets('GET /agent/status', {}),
  'GET /agent/activity': gets('GET /agent/activity', {}, { limit: '1' }),
  'GET /agent/limits': gets(
    'GET /agent/limits',
    ...plans(w).map((uid) => ({ uid, scheduled_for: '2026-11-24T15:00' })),
  ),
  'GET /agent/changes': gets('GET /agent/changes', { after: '0', limit: '1000' }, { after: '0', limit: '3' }, {}),
  'GET /calendar/events': gets(
    'GET /calendar/events',
    ...[{}, { tag: w.word('event.tag') }, { as_of: '30' }, { limit: '1' }].map((more) => ({
      ...{ start: '2026-11-20', end: '2026-12-20' },
      ...more,
    })),
  ),
  'GET /calendar/event': gets('GET /calendar/event', ...events(w).map((uid) => ({ uid }))),
  'GET /calendar/slots': gets(
    'GET /calendar/slots',
    {},
    { start: '2026-11-27T10:00', end: '2026-11-27T11:00', duration_minutes: '60' },
    { tempo_tag: `@${w.word('tempo.tag')}` },
    { task_id: w.word('tempo.task') },
  ),
  'GET /calendar/freebusy': gets('GET /calendar/freebusy', {}),
  'GET /calendar/export.ics': gets('GET /calendar/export.ics', {}),
  'GET /calendar/sources': gets('GET /calendar/sources', {}),
  'GET /tempo/tags': gets('GET /tempo/tags', {}),
  'GET /tempo/profile': gets('GET /tempo/profile', {}, { user_id: w.user_id }),
  'GET /user/whoami': gets('GET /user/whoami', {}),
  'GET /user/profile': gets('GET /user/profile', { user_id: w.user_id }),
  'GET /user/storage': gets('GET /user/storage', { user_id: w.user_id }),
  'GET /user/sessions': gets('GET /user/sessions', {}),
  'GET /user/keys': gets('GET /user/keys', {}),
  'GET /user/invitations': gets('GET /user/invitations', {}),
  'GET /user/webhooks': gets('GET /user/webhooks', {}),
  'GET /user/webhooks/deliveries': gets('GET /user/webhooks/deliveries', { id: w.webhook }),
  // A socket is opened apart.
  'GET /ws': gets('GET /ws', {}),
});
