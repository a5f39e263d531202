/** Requests of WebDAV and of MCP with the uids of a marked person's documents. */
import { CALENDAR, fileOf, vevent, XML } from '../dav.ts';
import { freeBusy, multiget, query, sync } from '../dav-story.ts';
import type { World } from './person.ts';
import { actions, ask, filters, known, plans, type Ask } from './ask.ts';

const RANGE = '<C:time-range start="20261101T000000Z" end="20270101T000000Z"/>';
const ALL = '<propfind xmlns="DAV:"><allprop/></propfind>';
const LOOK = '<propertyupdate xmlns="DAV:"><set><prop><displayname>x</displayname></prop></set></propertyupdate>';

/** What calendar programs ask of each place, by the routes of WebDAV. */
export const davAsks = (w: World, routes: readonly { method: string; path: string }[]): Ask[] => {
  const { word, user_id } = w;
  const objects = [
    ...['event.uid', 'series.uid', 'file.uid'].map((field) => ['calendar', `${word(field)}.ics`]),
    ...['mine', 'theirs', 'move'].map((kind) => ['agent-plan', `proposal-${word(`${kind}.uid`)}.ics`]),
    [`source-${w.source}`, `${w.read}.ics`],
    ['calendar', 'none.ics'],
  ] as [string, string][];
  const isWrite = (method: string): boolean => ['put', 'delete', 'proppatch'].includes(method);
  return routes
    .toSorted((a, b) => Number(isWrite(a.method)) - Number(isWrite(b.method)))
    .flatMap(({ method, path }) =>
      (path.includes(':collection') ? objects : objects.slice(0, 1)).flatMap(([collection, name]) => {
        const at = path.replace(':user_id', user_id).replace(':collection', collection).replace(':name', name);
        const home = `/dav/calendars/${user_id}/${collection}/${name}`;
        const bodies: Record<string, string[]> = {
          propfind: [ALL],
          proppatch: [LOOK],
          report: [query(RANGE), multiget(home), sync(''), freeBusy()],
          put: [fileOf(...vevent(name.replace(/\.ics$/, ''), 'SUMMARY:Other'))],
        };
        const headers = { ...(method === 'put' ? CALENDAR : XML), Depth: '1' };
        return (bodies[method] ?? [undefined]).map((body) => ({
          ...{ method: method.toUpperCase(), path: at, headers },
          ...(body === undefined ? {} : { body }),
        }));
      }),
    );
};

const MCP = { Accept: 'application/json, text/event-stream' };
const rpc = (method: string, params: object = {}): Ask =>
  ask('POST /mcp', { body: { jsonrpc: '2.0', id: 1, method, params }, headers: MCP });

/** The tools, resources and prompts of MCP. A tool that is missing here fails the test. */
export const toolAsks = (w: World): Record<string, Ask[]> => {
  const { word } = w;
  const tool = (name: string, ...all: object[]): Ask[] =>
    all.map((given) => rpc('tools/call', { name, arguments: given }));
  const times = { start: '2026-11-20', end: '2026-12-20' };
  return {
    search_memory: tool('search_memory', { query: 'Talk about' }, { query: word('event.title').slice(0, 5) }),
    list_memory: tool('list_memory', {}, ...filters(w)),
    append_memory: tool('append_memory', { traces: [{ uid: word('note.uid'), type: 'observation', content: 'x' }] }),
    memory_history: tool('memory_history', ...known(w).map((uid) => ({ uid }))),
    give_feedback: tool('give_feedback', ...known(w).map((uid) => ({ uid, feedback_rating: 4 }))),
    export_context: tool('export_context', {}, { task_id: word('note.task') }, { type: 'agent_plan' }),
    list_events: tool('list_events', times, { ...times, tag: word('event.tag') }),
    find_free_slots: tool('find_free_slots', {}, { task_id: word('tempo.task') }),
    propose: actions(w).flatMap((one) => tool('propose', { actions: [one], dry_run: true }, { actions: [one] })),
    list_proposals: tool('list_proposals', {}, { status: 'all' }, { task_id: word('mine.task') }),
    withdraw_proposal: tool('withdraw_proposal', ...plans(w).map((uid) => ({ uid }))),
    wait_for_decision: tool('wait_for_decision', { uids: plans(w), wait_seconds: 0 }),
    who_am_i: tool('who_am_i', {}),
    get_limits: tool('get_limits', {}),
    get_tempo: tool('get_tempo', {}),
  };
};

export const mcpAsks = (w: World): Ask[] => [
  ...['tools/list', 'resources/list', 'resources/templates/list', 'prompts/list'].map((method) => rpc(method)),
  ...['day', 'day/2026-11-27', 'week', 'week/2026-11-27', 'queue', `tasks/${w.word('note.task')}`].map((uri) =>
    rpc('resources/read', { uri: `almanac://${uri}` }),
  ),
  rpc('prompts/get', { name: 'plan_my_day', arguments: { date: '2026-11-27' } }),
  rpc('prompts/get', { name: 'weekly_review', arguments: { date: '2026-11-27' } }),
  rpc('prompts/get', { name: 'hand_over_task', arguments: { task_id: w.word('note.task') } }),
  ...Object.values(toolAsks(w)).flat(),
];
