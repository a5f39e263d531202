/** What of a model's answer is believed: the shape, the times, the events, the questions. */
import { describe, expect, test } from 'vitest';
import fc from 'fast-check';
import { readAnswer } from '../../src/llm/model-answer.ts';
import { wireSchema } from '../../src/llm/model-shape.ts';
import type { ModelAction } from '../../src/llm/model-planner.ts';
import { type ACTION, FACTS, good, NOW } from '../support/planning.ts';

describe('times and fields of an answer', () => {
  const first = (change: Partial<Record<keyof typeof ACTION, unknown>>, facts = FACTS): ModelAction => {
    const read = readAnswer(JSON.stringify(good(change)), facts);
    if (!('answer' in read)) throw new Error(read.faults.join('\n'));
    return read.answer.actions[0] as ModelAction;
  };

  test.each([
    ['2026-11-23T10:00', '2026-11-23T09:00:00.000Z'],
    ['2026-11-23 10:00:30', '2026-11-23T09:00:30.000Z'],
    ['2026-11-23T10:00Z', '2026-11-23T10:00:00.000Z'],
    ['2026-11-23T10:00:00.123456+09:00', '2026-11-23T01:00:00.123Z'],
    ['2027-03-28T02:30', '2027-03-28T01:30:00.000Z'], // in the gap: forward by it
    ['2027-10-31T02:30', '2027-10-31T00:30:00.000Z'], // twice: the first
  ])('scheduled_for %s is %s', (text, at) => {
    expect(first({ scheduled_for: text }).scheduled_for).toBe(at);
  });

  test('a window of days has both ends in it, and never starts before now', () => {
    expect(first({ between: { start: '2026-11-23', end: '2026-11-24' } }).between).toEqual({
      start: '2026-11-22T23:00:00.000Z',
      end: '2026-11-24T23:00:00.000Z',
    });
    expect(first({ between: { start: '2026-11-21', end: '2026-11-21T18:00' } }).between).toEqual({
      start: NOW,
      end: '2026-11-21T17:00:00.000Z',
    });
  });

  test('several windows are the time from the first to the last without what is between them, in any order', () => {
    const [saturday, sunday] = [28, 29].map((day) => ({ start: `2026-11-${day}T12:00`, end: `2026-11-${day}` }));
    const read = first({ between: sunday, or_between: [saturday] });
    expect(read.between).toEqual({ start: '2026-11-28T11:00:00.000Z', end: '2026-11-29T23:00:00.000Z' });
    expect(read.avoid).toEqual([{ start: '2026-11-28T23:00:00.000Z', end: '2026-11-29T11:00:00.000Z' }]);
    const faults = (change: object) => (readAnswer(JSON.stringify(good(change)), FACTS) as { faults: string[] }).faults;
    expect(faults({ or_between: [saturday] })).toEqual(['actions.0.or_between: goes with between only']);
    const past = { start: '2026-11-20', end: '2026-11-20' };
    expect(first({ between: past, or_between: [saturday] }).between).toEqual(first({ between: saturday }).between);
    expect(faults({ between: past, or_between: [past] })).toContain(
      `actions.0.between: lies in the past, it is ${NOW} now`,
    );
    expect(faults({ between: saturday, or_between: [sunday], scheduled_for: '2026-11-29T09:00' })).toEqual([
      'actions.0.between: does not contain scheduled_for: give one of the two',
    ]);
    expect(faults({ between: saturday, or_between: [{ start: '2028-11-20', end: '2028-11-20' }] })).toEqual([
      'actions.0.or_between: is more than a year from between',
    ]);
  });

  test('empty words are none, an empty content is the title', () => {
    const action = first({ task_id: '', tempo_tag: ' ', scheduled_for: '', target_event_uid: '', content: '' });
    expect(action).toMatchObject({
      task_id: null,
      tempo_tag: null,
      scheduled_for: null,
      target_event_uid: null,
      content: 'Deep work',
    });
  });

  test('an event of the user can be moved and cancelled', () => {
    expect(
      first({ action_type: 'reschedule', target_event_uid: 'dentist', duration_minutes: null, cancel: true }),
    ).toMatchObject({
      cancel: true,
    });
  });

  test('a pending proposal of one’s own can be changed and taken back, nobody else’s', () => {
    expect(first({ target_plan_uid: 'p1', duration_minutes: 30 })).toMatchObject({ target_plan_uid: 'p1' });
    expect(first({ target_plan_uid: 'p1', duration_minutes: null, cancel: true })).toMatchObject({ cancel: true });
    const faults = (change: object) => (readAnswer(JSON.stringify(good(change)), FACTS) as { faults: string[] }).faults;
    expect(faults({ target_plan_uid: 'p2' })).toEqual([expect.stringContaining('proposal of somebody else')]);
    expect(faults({ target_plan_uid: 'p9' })).toEqual([
      expect.stringContaining('is no reference of the block pending'),
    ]);
    expect(faults({ target_plan_uid: 'p1', action_type: 'reflect' })).toEqual([
      'actions.0.action_type: is schedule for this proposal, and stays so',
    ]);
  });

  describe('a reference of the blocks', () => {
    const sync = (day: number, more: object = {}) => ({
      ...{ uid: 'sync-uid', ref: 'e2', title: 'Sync', recurrence_id: `2026-11-${day}T08:00:00.000Z` },
      ...{ start: `2026-11-${day}T08:00:00.000Z`, end: `2026-11-${day}T08:15:00.000Z`, ...more },
    });
    const facts = {
      ...FACTS,
      events: [
        { ...FACTS.events[0]!, uid: 'e2', ref: 'e1' },
        ...[sync(23), sync(24), sync(25, { start: '2026-11-26T13:00:00.000Z' })],
        {
          ...{ uid: 'off-uid', ref: 'e3', title: 'Off', recurrence_id: '2026-11-27T00:00:00.000Z' },
          ...{ start: '2026-11-26T23:00:00.000Z', end: '2026-11-27T23:00:00.000Z' },
          whole_days: { from: '2026-11-27', to: '2026-11-27' },
        },
      ],
      pending: FACTS.pending.map((plan, n) => ({ ...plan, uid: `plan-uid-${n}`, ref: `p${n + 1}` })),
    };
    const cancels = (target_event_uid: string, target_recurrence_id: string | null = null) =>
      first(
        { action_type: 'reschedule', duration_minutes: null, cancel: true, target_event_uid, target_recurrence_id },
        facts,
      );

    test.each<[string, string, string | null, string, string | null]>([
      ['an event', 'e1', null, 'e2', null],
      ['an occurrence by its wall time', 'e2', '2026-11-24T09:00', 'sync-uid', '2026-11-24T08:00:00.000Z'],
      ['an occurrence that was moved, by its start', 'e2', '2026-11-26 14:00', 'sync-uid', '2026-11-25T08:00:00.000Z'],
      ['and by its recurrence_id', 'e2', '2026-11-25T08:00:00.000Z', 'sync-uid', '2026-11-25T08:00:00.000Z'],
      ['an occurrence of whole days by its date', 'e3', '2026-11-27', 'off-uid', '2026-11-27T00:00:00.000Z'],
      ['a uid', 'sync-uid', '2026-11-24T08:00:00.000Z', 'sync-uid', '2026-11-24T08:00:00.000Z'],
    ])('names %s', (_name, event, at, target_event_uid, target_recurrence_id) => {
      expect(cancels(event, at)).toMatchObject({ target_event_uid, target_recurrence_id });
    });

    test('names a proposal', () => {
      expect(first({ target_plan_uid: 'p1' }, facts)).toMatchObject({ target_plan_uid: 'plan-uid-0' });
    });

    test.each([
      ['e4', null, 'is no reference of the block events'],
      ['e2', null, 'is needed, since this event repeats'],
      ['e2', '2026-11-25T09:01', 'is no start of an occurrence'],
      ['e2', 'Wednesday', 'is no start of an occurrence'],
      ['e1', '2026-11-24T10:00', 'is no start of an occurrence'],
    ])('%s at %s is refused', (event, at, fault) => {
      expect(() => cancels(event, at)).toThrow(fault);
    });
  });

  const faultsOf = (answer: unknown): string[] => {
    const read = readAnswer(JSON.stringify(answer), FACTS);
    return 'faults' in read ? read.faults : [];
  };

  test('whole days end at midnight, however long the days are', () => {
    const off = { scheduled_for: '2027-03-22', whole_days: 14, duration_minutes: null };
    expect(first(off)).toMatchObject({
      ...{ scheduled_for: '2027-03-21T23:00:00.000Z', whole_days: 14 },
      // The night of 28 March has 23 hours.
      duration_minutes: 14 * 1440 - 60,
    });
    expect(faultsOf(good({ ...off, scheduled_for: '2027-03-22T09:00' }))).toEqual([
      expect.stringContaining('scheduled_for: must be a date beside whole_days'),
    ]);
    expect(faultsOf(good({ ...off, scheduled_for: null }))).toEqual([expect.stringContaining('whole_days: needs')]);
    expect(faultsOf(good({ ...off, scheduled_for: '2026-11-21' }))).toEqual([
      expect.stringContaining('a whole day must begin after today'),
    ]);
    expect(first({ ...off, whole_days: 7, duration_minutes: 7 * 1440 }).duration_minutes).toBe(7 * 1440 - 60);
    expect(faultsOf(good({ ...off, duration_minutes: 60 }))).toEqual([
      expect.stringContaining('duration_minutes: must be null beside whole_days'),
    ]);
    expect(faultsOf(good({ ...off, action_type: 'log' }))).toEqual([expect.stringContaining('whole_days: goes with')]);
  });

  test.each<[string, unknown]>([
    ['location', 'Hall'],
    ['reminders', [30]],
    ['new_title', 'Check-up'],
    ['notes', 'Bring the card.'],
    ['scheduled_for', '2026-11-27T11:00'],
    ['between', { start: '2026-11-25', end: '2026-11-26' }],
    ['duration_minutes', 30],
  ])('%s is refused beside cancel', (field, value) => {
    const cancel = { action_type: 'reschedule', target_event_uid: 'dentist', duration_minutes: null, cancel: true };
    expect(faultsOf(good({ ...cancel, [field]: value }))).toEqual([`actions.0.${field}: must be null beside cancel`]);
  });

  test('a reschedule that changes nothing is refused', () => {
    const change = { action_type: 'reschedule', target_event_uid: 'dentist', duration_minutes: null };
    expect(faultsOf(good(change))).toEqual([expect.stringContaining('target_event_uid: says no change')]);
  });

  test('the texts of a target may change, and it needs no title of its own', () => {
    const change = { action_type: 'reschedule', target_event_uid: 'dentist', duration_minutes: null, title: '' };
    const texts = { new_title: 'Check-up', location: 'Room 5', notes: 'Bring the card.' };
    expect(first({ ...change, ...texts })).toMatchObject({ ...texts, scheduled_for: null });
    expect(first({ location: 'Hall' }).location).toBe('Hall');
    expect(first({ notes: 'Bring the card.' })).toMatchObject({ content: 'Bring the card.', notes: null });
    expect(faultsOf(good({ new_title: 'Other' }))).toEqual([expect.stringContaining('new_title: goes with')]);
    expect(faultsOf(good({ action_type: 'log', location: 'Here' }))).toEqual([
      expect.stringContaining('location: goes with schedule and reschedule only'),
    ]);
  });

  test('reminders are those that are named; an empty list takes them away where it is all that changes', () => {
    const change = { action_type: 'reschedule', target_event_uid: 'dentist', duration_minutes: null };
    expect(first({ ...change, reminders: [1440, 0] }).reminders).toEqual([1440, 0]);
    expect(first({ ...change, reminders: [] }).reminders).toEqual([]);
    expect(first({ ...change, reminders: [], location: 'Room 5' }).reminders).toBeNull();
    expect(first({ ...change, reminders: [], cancel: true }).reminders).toBeNull();
    expect(first({ action_type: 'log', reminders: [] }).reminders).toBeNull();
    expect(first({ reminders: [] }).reminders).toBeNull();
    expect(first({ reminders: undefined }).reminders).toBeNull();
    expect(faultsOf(good({ action_type: 'log', reminders: [30] }))).toEqual([
      expect.stringContaining('reminders: goes with schedule and reschedule only'),
    ]);
  });

  test.each<[unknown, number[] | null]>([
    ['', null],
    ['null', null],
    [0, null],
    ['0', null],
    [30, [30]],
    ['30', [30]],
    [
      ['30', 60],
      [30, 60],
    ],
    [[0], [0]],
    [['0'], [0]],
    [[30, '30', 30], [30]],
  ])('the reminders %j are read as %j', (given, reminders) => {
    expect(first({ reminders: given }).reminders).toEqual(reminders);
  });

  test.each(['soon', '1.5', '-5', 1.5, -5, ['30 minutes'], {}])('the reminders %j are refused', (given) => {
    expect(faultsOf(good({ reminders: given }))).toEqual([expect.stringContaining('actions.0.reminders')]);
  });

  test.each<[string, unknown]>([
    ['rrule', 'FREQ=WEEKLY'],
    ['exdates', ['2026-12-09T19:00']],
    ['tags', ['choir']],
    ['task_id', 'choir'],
    ['tempo_tag', '@music'],
  ])('an empty list of reminders beside %s leaves those of a proposal as they are', (field, value) => {
    const kept = { scheduled_for: '2026-11-25T18:00:00.000Z', rrule: 'FREQ=WEEKLY' };
    const facts = { ...FACTS, pending: FACTS.pending.map((plan) => ({ ...plan, ...kept })) };
    const alone = { target_plan_uid: 'p1', duration_minutes: null, tags: [], task_id: null, tempo_tag: null };
    expect(first({ ...alone, reminders: [] }, facts).reminders).toEqual([]);
    expect(first({ ...alone, reminders: [], [field]: value }, facts).reminders).toBeNull();
    expect(first({ ...alone, reminders: [5], [field]: value }, facts).reminders).toEqual([5]);
  });

  test('a proposal that repeats may leave out further dates by itself', () => {
    const facts = {
      ...FACTS,
      pending: [
        {
          ...{ uid: 'p1', action_type: 'schedule' as const, title: 'Choir', yours: true },
          ...{ scheduled_for: '2026-11-25T18:00:00.000Z', rrule: 'FREQ=WEEKLY' },
        },
      ],
    };
    const skip = { target_plan_uid: 'p1', exdates: ['2026-12-09T19:00'], duration_minutes: null };
    expect(first(skip, facts)).toMatchObject({ rrule: 'FREQ=WEEKLY', exdates: ['2026-12-09T18:00:00.000Z'] });
    expect(faultsOf(good(skip))).toEqual([expect.stringContaining('exdates: goes with rrule')]);
  });

  describe('readings between which the person chooses', () => {
    const two = (...actions: object[]) => ({ reply: 'Which one?', choices: ['Gym', 'Pool'], actions });
    const [gym, pool] = ['Gym', 'Pool'].map((title, i) => ({ action_type: 'schedule', title, choice: i + 1 }));

    test('have their actions', () => {
      const read = readAnswer(JSON.stringify(two(gym!, pool!)), FACTS);
      expect(read).toMatchObject({
        answer: {
          actions: [],
          choices: [
            { label: 'Gym', actions: [{ title: 'Gym' }] },
            { label: 'Pool', actions: [{ title: 'Pool' }] },
          ],
        },
      });
    });

    test.each<[string, object, string]>([
      ['an action of none', two(gym!, pool!, { ...gym, choice: null }), 'actions.2.choice'],
      ['an action of another', two(gym!, pool!, { ...gym, choice: 3 }), 'actions.2.choice'],
      ['one without an action', two(gym!), 'choices.1: has no action'],
      ['the same twice', { ...two(gym!, pool!), choices: ['Gym', 'Gym'] }, 'choices: must be different'],
      ['thirteen actions', two(...Array.from({ length: 12 }, () => gym!), pool!), 'choices: must have at most 12'],
      ['long texts', two({ ...gym, content: 'x'.repeat(4_000) }, pool!), 'choices: must have at most 4000 characters'],
      ['a single one', { ...two(gym!), choices: ['Gym'] }, 'choices: must name two'],
    ])('are refused with %s', (_, answer, fault) => {
      expect(faultsOf(answer).join('\n')).toContain(fault);
    });
  });

  const SMALL = { reply: 'I propose the gym.', actions: [{ action_type: 'schedule', title: 'Gym' }] };
  const TEXT = JSON.stringify(SMALL);
  const FENCE = '```';
  test.each<[string, string]>([
    ['only what is needed', TEXT],
    ['a byte order mark', `\ufeff${TEXT}`],
    ['a fence', `${FENCE}json\n${TEXT}\n${FENCE}`],
    ['a fence without a language', `${FENCE}\n${TEXT}\n${FENCE}\n`],
    ['words around a fence', `Here it is:\n${FENCE}json\n${TEXT}\n${FENCE}\nDone.`],
    ['thoughts', `<think>The user wants {"reply": "no"}.</think>\n${TEXT}`],
    ['thoughts before a fence', `<think>Hm ${FENCE} hm.</think>${FENCE}json\n${TEXT}\n${FENCE}`],
    ['a fence with its language on one line', `${FENCE}json ${TEXT}${FENCE}`],
    ['a fence on one line', `${FENCE}${TEXT}${FENCE}`],
    [
      'null for what is empty',
      JSON.stringify({
        ...SMALL,
        questions: null,
        choices: null,
        actions: [{ ...SMALL.actions[0], tags: null, cancel: null, content: null, reasoning: null, exdates: null }],
      }),
    ],
  ])('an answer may come with %s', (_, text) => {
    const read = readAnswer(text, FACTS);
    expect(read).toMatchObject({
      answer: { reply: SMALL.reply, actions: [{ title: 'Gym', content: 'Gym', tags: [] }] },
    });
  });

  test.each<[string, string]>([
    ['two objects', `${TEXT}${TEXT}`],
    ['words on both sides', `The trace says ${TEXT}, which I leave out.`],
    ['thoughts that do not end', `<think>${TEXT}`],
    ['a fence in thoughts that do not end', `<think>Maybe ${FENCE}json\n${TEXT}\n${FENCE}`],
    ['a fence in further thoughts that do not end', `<think>Hm.</think><think>${FENCE}json\n${TEXT}\n${FENCE}`],
  ])('not with %s', (_, text) => {
    expect(readAnswer(text, FACTS)).toMatchObject({ faults: [expect.stringMatching(/^it is not JSON: ./)] });
  });

  test.each([
    ['actions', (deep: string) => `{"reply":"x","actions":${deep}}`],
    ['an answer', (deep: string) => deep],
  ])('%s of a hundred thousand brackets are a fault', (_, around) => {
    for (const [open, close] of [
      ['[', ']'],
      ['{"a":', '}'],
    ] as const) {
      const deep = `${open.repeat(100_000)}${open === '[' ? '' : '1'}${close.repeat(100_000)}`;
      expect(readAnswer(around(deep), FACTS)).toMatchObject({ faults: expect.anything() });
    }
  });

  describe('a question', () => {
    const questions = [{ kind: 'agenda', about: '', start: '2026-11-24', end: null }];
    test.each<[string, object]>([
      ['an empty reply', { reply: '', actions: [], questions }],
      ['no reply', { reply: null, actions: [], questions }],
      ['neither reply nor actions', { questions }],
    ])('may come with %s', (_, answer) => {
      const read = readAnswer(JSON.stringify(answer), FACTS);
      expect(read).toMatchObject({ answer: { reply: '', actions: [], questions: [{ kind: 'agenda' }] } });
    });

    test('or the answer needs actions, or a reply', () => {
      expect(faultsOf({ reply: 'ok' })).toEqual(['actions: is missing; give [] for none']);
      expect(faultsOf({ reply: '', actions: [] })).toEqual(['reply: must not be empty without actions and questions']);
      expect(faultsOf({})).toHaveLength(1);
    });
  });

  const RULE = { hours: null, only_in_hours: null, per_day: null, per_week: null, usual_minutes: null };
  const WORK = { days: ['MO', 'TU'], start: '09:00', end: '17:00' };
  const configure = (change: object) => ({
    ...{ action_type: 'configure', duration_minutes: null, settings: { ...RULE, ...change } },
  });

  test('a change of the settings is a patch of what is named', () => {
    const evening = { ...WORK, start: '18:00', end: '20:00' };
    const day = { ...WORK, days: ['MO'], name: 'day' };
    const facts = { ...FACTS, tempo: { time_ranges: [day, { ...evening, name: 'hours 3' }] } };
    const hours = [{ ...WORK, days: ['SU'] }, evening, WORK];
    expect(first(configure({ hours, only_in_hours: true, per_day: 3 }), facts).settings).toEqual({
      limits: { budget: { per_day: 3 }, only_in_tempo: true },
      tempo: {
        time_ranges: [
          { ...WORK, days: ['SU'], name: 'hours 1' },
          { ...evening, name: 'hours 3' },
          { ...WORK, name: 'day' },
        ],
      },
    });
    expect(first(configure({ per_week: -1, usual_minutes: 25 })).settings).toEqual({
      limits: { budget: { per_week: null } },
      tempo: { duration_biases: { schedule: { minutes: 25 } } },
    });
    expect(first({}).settings).toBeNull();
  });

  describe('hours keep the name of those with which they have most in common', () => {
    const early = { ...WORK, name: 'early', start: '06:00', end: '09:00' };
    const late = { ...WORK, name: 'late', start: '17:00', end: '20:00' };
    const { name: _, ...evening } = late;
    const withUsers = (users: object) => ({ ...FACTS, tempo: { time_ranges: [early, late], ...users } });

    test('not of those at their place in the list', () => {
      expect(first(configure({ hours: [evening] }), withUsers({})).settings).toEqual({
        tempo: { time_ranges: [late] },
      });
    });

    test.each([
      ['tag', { tag_mappings: { '@run': { ranges: ['early'] } } }, '@run'],
      ['task', { task_overrides: { thesis: { ranges: ['early'] } } }, 'thesis'],
    ])('hours that a %s uses can’t go', (_name, users, user) => {
      const read = readAnswer(JSON.stringify(good(configure({ hours: [evening] }))), withUsers(users));
      expect(read).toMatchObject({ faults: [expect.stringContaining(`“${user}” uses`)] });
    });
  });

  test.each<[string, object]>([
    ['between', { start: '2026-11-25', end: '2026-11-26' }],
    ['duration_minutes', 30],
    ['rrule', 'FREQ=DAILY'],
    ['whole_days', 2],
    ['location', 'Hall'],
    ['exdates', ['2026-12-25T18:00']],
  ] as [string, object][])('%s is refused beside settings', (field, value) => {
    const change = { ...configure({ per_day: 3 }), scheduled_for: null, [field]: value };
    expect(faultsOf(good(change))).toContainEqual(
      expect.stringMatching(`actions.0.${field}: must be .* beside configure`),
    );
  });

  test('a change of the settings may take effect later', () => {
    expect(first({ ...configure({ per_day: 3 }), scheduled_for: '2026-12-01T09:00' }).scheduled_for).toBe(
      '2026-12-01T08:00:00.000Z',
    );
  });

  test.each<[string, object, string]>([
    ['without a change', configure({}), 'is needed to configure'],
    [
      'without settings',
      { action_type: 'configure', duration_minutes: null, settings: null },
      'is needed to configure',
    ],
    ['in another action', { settings: { ...RULE, per_day: 3 } }, 'goes with configure only'],
    [
      'with hours that end before they start',
      configure({ hours: [{ ...WORK, end: '08:00' }] }),
      'hours: end must be later',
    ],
    ['with no wall time', configure({ hours: [{ ...WORK, start: '9' }] }), 'hours: start must be a wall time'],
    ['with no hours at all', configure({ hours: [] }), 'hours: must not be empty'],
  ])('settings are refused %s', (_, change, fault) => {
    const read = readAnswer(JSON.stringify(good(change)), FACTS) as { faults: string[] };
    expect(read.faults).toEqual([expect.stringContaining(`actions.0.settings: ${fault}`)]);
  });

  const SERIES = { scheduled_for: '2026-11-27T18:00', rrule: 'FREQ=WEEKLY;BYDAY=FR' };
  test('a series has its first occurrence, its rule and the starts that are left out', () => {
    expect(first({ ...SERIES, exdates: ['2026-12-25T18:00'] })).toMatchObject({
      scheduled_for: '2026-11-27T17:00:00.000Z',
      rrule: 'FREQ=WEEKLY;BYDAY=FR',
      exdates: ['2026-12-25T17:00:00.000Z'],
    });
    expect(first({ rrule: '' }).rrule).toBeNull();
    expect(first({ rrule: 'FREQ=DAILY' }).rrule).toBe('FREQ=DAILY');
  });

  test.each([
    ['no rule', { ...SERIES, rrule: 'every Friday' }, 'rrule'],
    [
      'a first occurrence that the rule does not give',
      { ...SERIES, rrule: 'FREQ=WEEKLY;BYDAY=TU' },
      'rrule: leaves out',
    ],
    ['an end before the start', { ...SERIES, rrule: 'FREQ=WEEKLY;BYDAY=FR;UNTIL=20261101T000000Z' }, 'rrule: UNTIL'],
    ['times of day without a start', { rrule: 'FREQ=HOURLY' }, 'rrule: must not name times'],
    ['a note that repeats', { action_type: 'log', rrule: 'FREQ=DAILY' }, 'rrule: goes with schedule only'],
    [
      'starts to leave out of nothing',
      { exdates: ['2026-12-25T18:00'] },
      'exdates: goes with rrule, or with a proposal that repeats, only',
    ],
    ['one that is no time', { ...SERIES, exdates: ['Christmas'] }, 'exdates: must be an ISO 8601'],
    ['one that is no occurrence', { ...SERIES, exdates: ['2026-12-25T09:00'] }, 'exdates: must be starts'],
    [
      'all occurrences left out',
      { ...SERIES, rrule: 'FREQ=WEEKLY;COUNT=1', exdates: ['2026-11-27T18:00'] },
      'exdates: must leave',
    ],
  ])('a repetition with %s is a fault', (_name, change, fault) => {
    const read = readAnswer(JSON.stringify(good(change)), FACTS);
    expect('faults' in read && read.faults.join('\n')).toContain(`actions.0.${fault}`);
  });

  test('anything else is a list of faults, never an exception', () => {
    fc.assert(
      fc.property(
        fc.oneof(
          fc.json(),
          fc.string(),
          fc.record({ reply: fc.string(), actions: fc.array(fc.object()) }).map((v) => JSON.stringify(v)),
        ),
        (text) => {
          const read = readAnswer(text, FACTS);
          expect('answer' in read || read.faults.length > 0).toBe(true);
        },
      ),
    );
  });

  test('the asked schema keeps to what every endpoint takes', () => {
    const text = JSON.stringify(wireSchema());
    expect(text).not.toMatch(
      /"(minLength|maxLength|minimum|maximum|minItems|maxItems|pattern|format|const|\$ref|\$defs|oneOf|allOf|default)"/,
    );
    expect(text.indexOf('"reply"')).toBeLessThan(text.indexOf('"actions"'));
    const objects = (schema: unknown): Record<string, unknown>[] => {
      if (typeof schema !== 'object' || schema === null) return [];
      const inner = Object.values(schema).flatMap(objects);
      return 'properties' in schema ? [schema, ...inner] : inner;
    };
    expect(objects(wireSchema())).toHaveLength(7);
    for (const { properties, required, additionalProperties } of objects(wireSchema())) {
      expect(additionalProperties).toBe(false);
      expect(required).toEqual(Object.keys(properties as object));
    }
  });
});
