/**
 * Kinds of answers that models and their endpoints give, each with what must come of it: test/api/model-kinds.test.ts and the fault
 * trial R10 walk them. Where another project met a kind, the name of its issue is beside it.
 */
import type { ServerResponse } from 'node:http';
import { fails, says, saysAs, strays, type Behaviour, type StubRequest } from './model.ts';

/** first: read as it came. second: refused with faults, and read once they are corrected. none: the built-in planner answers. */
export type Read = 'first' | 'second' | 'none';
export type Kind = {
  name: string;
  /** Gives the answer that is read, for a second time. */
  behaviours: [Behaviour, ...Behaviour[]];
  read: Read;
  /** What the correction must name. */
  fault?: RegExp;
  /** How many requests it takes; those of an endpoint that refuses a form of asking are more. */
  requests: number;
  /** The event is changed, instead of another one made. */
  isChange?: true;
};

/** What the answers are about: a day in the future and an event of the person. */
type About = { day: string; event_uid: string };

export const TITLE = 'Reading aloud';

const FENCE = '```';
const fenced = (text: string, language = 'json'): string => `${FENCE}${language}\n${text}\n${FENCE}`;
const asked = ({ body }: StubRequest): string => (body as Partial<StubRequest['body']>).response_format?.type ?? 'none';

/** Refuses the forms of asking with a status, and answers all others. */
const refuses =
  (status: number, forms: string[], answer: Behaviour): Behaviour =>
  (request, response: ServerResponse) =>
    (forms.includes(asked(request)) ? fails(status) : answer)(request, response);

type Action = Record<string, unknown>;
type Scene = { action: Action; whole: { reply: string; actions: Action[] }; text: string; good: Behaviour };
const sceneOf = ({ day }: About): Scene => {
  const action = { action_type: 'schedule', title: TITLE, scheduled_for: `${day}T10:00`, duration_minutes: 30 };
  const whole = { reply: 'I propose reading.', actions: [action] };
  const text = JSON.stringify(whole);
  return { action, whole, text, good: says(text) };
};

/** Read at once: texts around the object, and messages around the text. */
const wrapped = ({ text, good }: Scene): [string, Behaviour][] => [
  ['only what is needed', good],
  ['lines and indents', says(JSON.stringify(JSON.parse(text), null, 2))],
  ['a byte order mark', says(`\ufeff${text}`)],
  ['white space around it', says(`\n\n  ${text}\n `)],
  ['a fence', says(fenced(text))], // redis/agent-memory-server#236
  ['a fence without a language', says(fenced(text, ''))],
  ['a fence with JSON in capitals', says(fenced(text, 'JSON'))],
  ['prose before a fence', says(`Sure! Here is the plan:\n\n${fenced(text)}`)],
  ['prose behind a fence', says(`${fenced(text)}\n\nShall I change anything?`)],
  ['a fence that does not end', says(`${FENCE}json\n${text}`)],
  ['prose before it', says(`Here is the JSON you asked for: ${text}`)], // redis/agent-memory-server#236
  ['prose behind it', says(`${text}\n\nI chose ten, since it is free.`)],
  ['thoughts', says(`<think>\nTomorrow at ten is free.\n</think>\n\n${text}`)],
  ['thoughts with an object in them', says(`<think>Perhaps {"reply": "no", "actions": []}?</think>${text}`)],
  ['thoughts with a fence, before a fence', says(`<think>${fenced('{}')}</think>\n${fenced(text)}`)],
  ['thoughts that only end', says(`Ten is free, I take {that}.\n</think>\n${text}`)],
  ['empty thoughts', says(`<think>\n\n</think>\n\n${text}`)],
  ['thoughts under another name', says(`<thinking>What about {ten}?</thinking>\n${text}`)],
  ['thoughts in brackets', says(`[THINK]What about {ten}?[/THINK]${text}`)],
  ['a comma behind the last member', says(text.replace(']}', '],}'))],
  ['commas at every end, in a fence', says(fenced(text.replaceAll('}', ',\n}').replaceAll(']', ',\n]')))], // mem0ai/mem0#5623
  ['content in parts', saysAs({ content: [{ type: 'text', text }] })], // vercel/ai#15890
  [
    'thoughts in a part',
    saysAs({
      content: [
        { type: 'thinking', thinking: [{ type: 'text' }] },
        { type: 'text', text },
      ],
    }),
  ],
  ['thoughts beside it', saysAs({ content: text, reasoning_content: 'Ten is free: {"reply": "no"}' })],
  [
    'thoughts beside it under another name',
    saysAs({ content: text, reasoning: 'Ten is free.', reasoning_details: [] }),
  ],
  ['the answer among the thoughts', saysAs({ content: '', reasoning_content: text })], // lmstudio-bug-tracker#1698
  ['the answer among the reasoning', saysAs({ content: null, reasoning: text })], // chunkhound/chunkhound#415
  ['an empty refusal', saysAs({ content: text, refusal: '' })],
  ['an end for tools', saysAs({ content: text, tool_calls: [] }, 'tool_calls')],
  ['an end with another name', says(text, 'eos')],
  ['an end without a name', strays({ choices: [{ message: { content: text } }] })],
];

/** Read at once: members that are empty, more than needed, or written otherwise. */
const sloppy = ({ action, whole }: Scene, { day, event_uid }: About): [string, Behaviour][] => {
  const first = (change: Action): Behaviour => says(JSON.stringify({ ...whole, actions: [{ ...action, ...change }] }));
  const none = { task_id: null, tempo_tag: null, tags: null, between: null, rrule: null, exdates: null, cancel: null };
  const empty = { task_id: '', tempo_tag: '', rrule: '', location: '', new_title: '', notes: '', target_plan_uid: '' };
  const settings = { hours: [], only_in_hours: null, per_day: null, per_week: null, usual_minutes: null };
  const change = { action_type: 'reschedule', title: '', target_event_uid: event_uid, scheduled_for: `${day}T11:00` };
  return [
    ['null for all that is empty', first({ ...none, content: null, reasoning: null, settings: null, choice: null })],
    ['null for empty lists', says(JSON.stringify({ ...whole, choices: null, questions: null }))],
    ['empty words for null', first({ ...empty, target_event_uid: '', target_recurrence_id: '' })],
    ['the word null', first({ task_id: 'null', tempo_tag: 'null', location: 'null', target_event_uid: 'null' })],
    ['a window of nulls', first({ between: { start: null, end: null } })],
    ['a window of empty words', first({ between: { start: '', end: '' } })],
    ['settings that change nothing', first({ settings })],
    ['a reminder that is no list', first({ reminders: 30 })],
    ['a reminder in quotes', first({ reminders: '30' })],
    ['a list of reminders in quotes', first({ reminders: ['30'] })],
    ['an empty word for reminders', first({ reminders: '' })],
    ['0 for no reminders', first({ reminders: 0 })],
    ['an empty list of reminders', first({ reminders: [] })],
    ['a null reply', says(JSON.stringify({ ...whole, reply: null }))],
    ['the type in capitals', first({ action_type: 'SCHEDULE' })],
    ['the type with a capital', first({ action_type: 'Schedule' })],
    ['seconds', first({ scheduled_for: `${day}T10:00:00` })],
    ['a space in the time', first({ scheduled_for: `${day} 10:00` })],
    ['fractions of seconds, and Z', first({ scheduled_for: `${day}T10:00:00.000Z` })],
    ['an offset', first({ scheduled_for: `${day}T10:00:00+00:00` })],
    ['the name of a zone', first({ scheduled_for: `${day}T10:00[Europe/London]` })],
    ['a number with a fraction of zero', says(JSON.stringify(whole).replace(':30', ':30.0'))],
    ['escaped characters', says(JSON.stringify(whole).replace('Reading', '\\u0052eading'))],
    ['an empty title on a change', first(change)],
  ];
};

/** Refused, and read when it is corrected. */
const wrong = ({ action, whole, text }: Scene, { day }: About): [string, Behaviour, RegExp][] => {
  const first = (change: Action): Behaviour => says(JSON.stringify({ ...whole, actions: [{ ...action, ...change }] }));
  const notJson = /it is not JSON: ./;
  return [
    ['nothing', says(''), /no text/],
    ['thoughts only', says('<think>Hm.</think>'), /nothing behind the thoughts/],
    ['thoughts that do not end', says(`<think>Perhaps ${text}`), /nothing behind the thoughts/],
    ['prose', says('Sure! I booked it.'), notJson],
    ['words on both sides', says(`A note says ${text}, which I leave out.`), notJson],
    ['two objects', says(`${text}\n${text}`), notJson],
    ['two fences', says(`${fenced(text)}\nor\n${fenced(text)}`), notJson],
    ['single quotes', says(text.replaceAll('"', "'")), notJson],
    ['names without quotes', says(text.replaceAll(/"(\w+)":/g, '$1:')), notJson],
    ['NaN', says(text.replace(':30', ':NaN')), notJson],
    ['the words of Python', says(text.replace(':30', ':None')), notJson],
    ['comments', says(text.replace('"actions"', '// the plan\n"actions"')), notJson],
    ['a line break in a text', says(text.replace('I propose', 'I\npropose')), notJson],
    ['an end that is missing', says(text.slice(0, -2)), notJson],
    [
      'tools nobody gave',
      saysAs(
        { content: null, tool_calls: [{ id: 't', type: 'function', function: { name: 'plan', arguments: text } }] },
        'tool_calls',
      ),
      /no text/,
    ],
    ['an array', says(JSON.stringify([whole])), /the answer: .*expected object/],
    ['an array in a fence', says(fenced(JSON.stringify([whole]))), /the answer: .*expected object/],
    ['JSON in a text', says(JSON.stringify(text)), /the answer: .*expected object/],
    ['the object in another', says(JSON.stringify({ answer: whole })), /"answer"/],
    ['the action alone', says(JSON.stringify(action)), /"action_type"/],
    ['a member nobody asked for', says(JSON.stringify({ ...whole, thoughts: 'Hm.' })), /"thoughts"/],
    ['a status', first({ status: 'approved' }), /actions\.0: .*"status"/],
    ['one action instead of a list', says(JSON.stringify({ ...whole, actions: action })), /actions: .*expected array/],
    ['no actions', says(JSON.stringify({ reply: 'ok' })), /actions: is missing/],
    ['an action there is not', first({ action_type: 'create_event' }), /actions\.0\.action_type: /],
    ['no type', first({ action_type: null }), /actions\.0\.action_type: /],
    ['a number in a text', first({ duration_minutes: '30' }), /actions\.0\.duration_minutes: .*expected number/],
    ['a length in words', first({ duration_minutes: '30 minutes' }), /actions\.0\.duration_minutes: /],
    ['a length of zero', first({ duration_minutes: 0 }), /actions\.0\.duration_minutes: /],
    ['tags in a text', first({ tags: 'reading, home' }), /actions\.0\.tags: .*expected array/],
    ['yes in a text', first({ cancel: 'false' }), /actions\.0\.cancel: .*expected boolean/],
    [
      'a window in a list',
      first({ scheduled_for: null, between: [`${day}T09:00`, `${day}T12:00`] }),
      /actions\.0\.between: /,
    ],
    ['half a window', first({ scheduled_for: null, between: { start: day, end: null } }), /actions\.0\.between\.end: /],
    ['a reminder in words', first({ reminders: ['30 minutes'] }), /actions\.0\.reminders\.0: .*expected number/],
    ['a null among reminders', first({ reminders: [null] }), /actions\.0\.reminders\.0: .*expected number/],
    ['a reminder behind the start', first({ reminders: [-10] }), /actions\.0\.reminders\.0: /],
    ['no title', first({ title: '' }), /actions\.0\.title: /],
    ['a time in words', first({ scheduled_for: 'tomorrow at 10' }), /actions\.0\.scheduled_for: must be an ISO 8601/],
    [
      'a German date',
      first({ scheduled_for: day.split('-').toReversed().join('.') }),
      /actions\.0\.scheduled_for: must be/,
    ],
    [
      'a date without its dashes',
      first({ scheduled_for: `${day.replaceAll('-', '')}T100000` }),
      /actions\.0\.scheduled_for: /,
    ],
    ['seconds since 1970', first({ scheduled_for: Date.parse(day) / 1000 }), /actions\.0\.scheduled_for: /],
    ['a date without a time', first({ scheduled_for: day }), /actions\.0\.scheduled_for: has no time of day/],
    ['an hour of 24', first({ scheduled_for: `${day}T24:00` }), /actions\.0\.scheduled_for: has the hour 24/],
    [
      'an event there is not',
      first({ action_type: 'reschedule', target_event_uid: 'nobody' }),
      /actions\.0\.target_event_uid: /,
    ],
    ['settings in another action', first({ settings: { per_day: 3 } }), /actions\.0\.settings: goes with configure/],
    ['a single choice', says(JSON.stringify({ ...whole, choices: ['At ten'] })), /choices: must name two/],
  ];
};

/** No answer comes of it, however often it is asked. */
const hopeless = ({ text }: Scene): [string, Behaviour, number][] => [
  ['a refusal', saysAs({ content: null, refusal: 'I can’t help with that.' }), 1],
  ['a content filter', says(text.slice(0, 20), 'content_filter'), 1],
  ['an answer that ended too early', says(text.slice(0, 20), 'length'), 1],
  ['no choice', strays({ choices: [] }), 1],
  ['an error with status 200', strays({ error: { message: 'overloaded', code: 529 } }), 1],
  ['prose, also when it is asked again', says('As you wish.'), 2],
];

/** Endpoints that refuse a form of asking; the shape is then in the prompt, and the answer may have a fence. */
const picky = ({ text, good }: Scene): [string, Behaviour, number][] => [
  ['no json_schema, with 400', refuses(400, ['json_schema'], good), 2],
  ['no json_schema, with 422', refuses(422, ['json_schema'], good), 2],
  ['no json_object either', refuses(400, ['json_schema', 'json_object'], good), 3],
  ['no json_object, and a fence', refuses(422, ['json_schema', 'json_object'], says(fenced(text))), 3],
  ['no format that it does not know', refuses(501, ['json_schema'], says(`<think>Hm.</think>${text}`)), 2],
];

export const kindsOf = (about: About): Kind[] => {
  const scene = sceneOf(about);
  const read = [...wrapped(scene), ...sloppy(scene, about)].map(([name, behaviour]): Kind => ({
    ...{ name, behaviours: [behaviour], read: 'first', requests: 1 },
    ...(name.endsWith('on a change') && { isChange: true as const }),
  }));
  return [
    ...read,
    ...wrong(scene, about).map(([name, behaviour, fault]): Kind => ({
      ...{ name, behaviours: [behaviour, scene.good], read: 'second', fault, requests: 2 },
    })),
    ...hopeless(scene).map(([name, behaviour, requests]): Kind => ({
      ...{ name, behaviours: [behaviour], read: 'none', requests },
    })),
    // The last ones, because a service remembers which form an endpoint takes.
    ...picky(scene).map(([name, behaviour, requests]): Kind => ({
      ...{ name, behaviours: [behaviour], read: 'first', requests },
    })),
  ];
};
