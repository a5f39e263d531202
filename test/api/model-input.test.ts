/** What reaches the model: every fact as marked data, and no text that gets out of its block. */
import { countTokens } from 'gpt-tokenizer/encoding/o200k_base';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { createModelPlanner } from '../../src/llm/ask-planner.ts';
import type { PlanningFacts } from '../../src/llm/model-planner.ts';
import { createLog } from '../../src/observability/log.ts';
import { HOSTILE } from '../support/hostile.ts';
import { aModel, answers, type StubModel } from '../support/model.ts';
import { FACTS, GOOD, good, NOW, READ } from '../support/planning.ts';

let stub: StubModel;
beforeAll(async () => {
  stub = await aModel();
});
afterAll(() => stub.close());
beforeEach(() => stub.script(GOOD));

const planner = () =>
  createModelPlanner({ baseURL: stub.baseURL, model: 'stub-1', timeoutSeconds: 10, log: createLog('silent') });

const NAMES = ['tempo', 'limits', 'now', 'traces', 'context', 'events', 'free', 'pending', 'turns', 'request'];

describe('what the model is told', () => {
  /** The data blocks of a request as the marker of its first line delimits them, and what stands outside of them. */
  const told = (request: StubModel['requests'][0] | undefined) => {
    const [system, user] = request?.body.messages ?? [];
    const nonce = /^The marker is (\d{15})\.\n/.exec(user?.content ?? '')?.[1] ?? 'no marker';
    const blocks = new Map<string, unknown>();
    const outside = (user?.content ?? '').replace(
      new RegExp(`^<<<${nonce} (\\w+)>>>\\n(.*)\\n<<<end ${nonce} \\1>>>\\n`, 'gm'),
      (_all, name: string, json: string) => {
        blocks.set(name, JSON.parse(json));
        return '';
      },
    );
    return { nonce, blocks, outside, system: system?.content ?? '', user: user?.content ?? '' };
  };
  const outsideOf = (nonce: string) => `The marker is ${nonce}.\nPlan what the block "request" asks for.`;

  const blocksFor = async (facts: Partial<PlanningFacts>, prompt = 'Plan deep work') => {
    await planner().plan(prompt, { ...FACTS, ...facts });
    return told(stub.requests.at(-1)).blocks;
  };

  test('all facts, in the user’s time', async () => {
    await planner().plan('Plan deep work', FACTS);
    const { blocks, outside, nonce } = told(stub.requests[0]);
    expect(outside).toBe(outsideOf(nonce));
    expect([...blocks.keys()]).toEqual(NAMES);
    expect(blocks.get('request')).toBe('Plan deep work');
    expect(blocks.get('now')).toMatchObject({ now: '2026-11-21T10:00:00+01:00', zone: 'Europe/Berlin' });
    const { coming_days } = blocks.get('now') as { coming_days: string[] };
    expect([coming_days[0], coming_days.at(-1), coming_days.length]).toEqual(['Sat 2026-11-21', 'Fri 2026-12-04', 14]);
    expect(blocks.get('events')).toEqual(['e1 Tue 2026-11-24 10:00-11:00: Dentist']);
    expect(blocks.get('pending')).toEqual([
      'p1 yours schedule without a time: Write',
      'p2 not yours schedule without a time: Call',
    ]);
    expect(blocks.get('free')).toEqual(['Mon 2026-11-23: 09:00-10:30']);
    expect(blocks.get('traces')).toEqual(['2026-11-21 10:00 observation #thesis: Chapter two is due.']);
  });

  test('free time of each day, also across midnight and where the clock changes', async () => {
    const free = [
      { start: '2026-11-23T08:00:00.000Z', end: '2026-11-23T09:30:00.000Z' },
      { start: '2026-11-23T22:00:00.000Z', end: '2026-11-24T23:00:00.000Z' },
      { start: '2027-03-28T00:30:00.000Z', end: '2027-03-28T01:30:00.000Z' },
    ];
    expect((await blocksFor({ free })).get('free')).toEqual([
      'Mon 2026-11-23: 09:00-10:30, 23:00-24:00',
      'Tue 2026-11-24: 00:00-24:00',
      'Sun 2027-03-28: 01:30-03:30',
    ]);
    expect((await blocksFor({ free: null })).get('free')).toBeNull();
  });

  test('events and series in a line each, what is over last', async () => {
    const sync = (day: number) => ({
      ...{ uid: 'sync', title: 'Sync', rrule: 'FREQ=DAILY', recurrence_id: `2026-11-${day}T08:00:00.000Z` },
      ...{ start: `2026-11-${day}T08:00:00.000Z`, end: `2026-11-${day}T08:15:00.000Z` },
    });
    const holiday = { start: '2026-12-20T23:00:00.000Z', end: '2026-12-31T23:00:00.000Z' };
    const events = [
      { uid: 'over', title: 'Over', start: '2026-11-20T09:00:00.000Z', end: '2026-11-20T10:00:00.000Z' },
      sync(20),
      { uid: 'soon', title: 'Soon', start: '2026-11-22T09:00:00.000Z', end: '2026-11-22T10:00:00.000Z' },
      ...[23, 24, 25, 26].map(sync),
      { ...sync(27), title: 'Long sync' },
      { uid: 'party', title: 'Party', start: '2026-11-28T19:00:00.000Z', end: '2026-11-29T01:00:00.000Z' },
      { uid: 'off', title: 'Off', ...holiday, whole_days: { from: '2026-12-21', to: '2026-12-31' } },
    ];
    expect((await blocksFor({ events })).get('events')).toEqual([
      'e1 Sun 2026-11-22 10:00-11:00: Soon',
      'e2 Mon 2026-11-23 09:00-09:15, 2026-11-24 09:00, 2026-11-25 09:00, repeats FREQ=DAILY: Sync',
      'e3 Fri 2026-11-27 09:00-09:15, repeats FREQ=DAILY: Long sync',
      'e4 Sat 2026-11-28 20:00 to 2026-11-29 02:00: Party',
      'e5 Mon 2026-12-21 to 2026-12-31 all day: Off',
      'e6 Fri 2026-11-20 10:00-11:00: Over',
    ]);
  });

  test('the same system message in each request, and a marker of its own', async () => {
    await planner().plan('Plan deep work', FACTS);
    await planner().plan('Other', { ...FACTS, now: '2026-11-22T09:00:00.000Z', zone: 'Asia/Tokyo', events: [] });
    const [one, other] = stub.requests.map(told);
    expect(one?.system).toBe(other?.system);
    expect(one?.nonce).not.toBe(other?.nonce);
  });

  test('there are 50 kinds of hostile text', () => {
    expect(new Set(HOSTILE).size).toBeGreaterThanOrEqual(50);
  });

  test.each(HOSTILE.map((text, i) => [i, text] as const))('hostile text %i stays in its block', async (_i, text) => {
    const facts: PlanningFacts = {
      ...FACTS,
      events: [{ uid: 'e', title: text, start: NOW, end: '2026-11-21T10:00:00.000Z' }],
      traces: [{ uid: 't', type: 'observation', task_id: text, timestamp: NOW, summary: text }],
      tempo: { tag_mappings: { [text]: {} } },
      turns: [{ prompt: text, reply: text }],
      context: { memory: [text], calendar: [{ [text]: text }] },
    };
    const answer = await planner().plan(text, facts);
    expect(answer.actions).toEqual([READ]);
    const { blocks, outside, system, user, nonce } = told(stub.requests[0]);
    expect(outside).toBe(outsideOf(nonce));
    const same = JSON.parse(JSON.stringify(text)) as string; // as JSON carries it
    const isStart = (shown = '') => shown === same || (shown.endsWith('…') && same.startsWith(shown.slice(0, -1)));
    const [event = ''] = blocks.get('events') as string[];
    expect(event.slice(0, 31)).toBe('e1 Sat 2026-11-21 10:00-11:00: ');
    expect(isStart(event.slice(31))).toBe(true);
    const [{ prompt, reply }] = blocks.get('turns') as [PlanningFacts['turns'][0]];
    expect([isStart(prompt), isStart(reply)]).toEqual([true, true]);
    expect(blocks.get('traces')).toHaveLength(1);
    expect(blocks.get('context')).toMatchObject({ memory: [same] });
    expect(blocks.get('request')).toBe(same);
    expect(user.split('\n')).toHaveLength(NAMES.length * 3 + 2);
    expect(user.match(/[<>]/g)).toHaveLength(NAMES.length * 2 * 6); // the markers' own, and no other
    expect(user).not.toMatch(/\[(INST|\/INST|SYSTEM)|\p{Cf}|[\u2028\u2029]/u);
    expect(system).not.toContain(text);
  });
});

describe('a full calendar', () => {
  const DAYS = 60;
  const at = (day: number, hour: number, minute = 0) =>
    new Date(Date.UTC(2026, 10, 21 + day, hour, minute)).toISOString();
  const span = (day: number, hour: number) => ({ start: at(day, hour), end: at(day, hour, 45) });
  const range = <T>(count: number, make: (n: number) => T): T[] => Array.from({ length: count }, (_, n) => make(n));

  /** 60 days of eight events, three of which are of series; and everything else in full. */
  const full = (text: string): PlanningFacts => {
    const long = `${text} `.repeat(500).slice(0, 500);
    const series = (day: number, n: number) => ({
      ...{ uid: `0199-series-${n}`, rrule: 'FREQ=DAILY;BYDAY=MO,TU,WE,TH,FR,SA,SU', recurrence_id: at(day, 7 + n) },
      ...{ title: long, ...span(day, 7 + n) },
    });
    const single = (day: number, n: number) => ({ uid: `0199-${day}-${n}`, title: long, ...span(day, 10 + n) });
    const hours = (n: number) => ({
      name: `hours ${n}`,
      days: ['MO', 'TU', 'WE', 'TH', 'FR'],
      start: '08:00',
      end: '20:00',
    });
    const settings = (count: number) =>
      Object.fromEntries(range(count, (n) => [`${text.slice(0, 20)} ${n}`, { ranges: ['hours 1'] }]));
    return {
      ...{ now: NOW, zone: 'Europe/Berlin', context: null },
      free: range(14, (day) =>
        range(6, (n) => ({ start: at(day, 8 + 2 * n, 45), end: at(day, 9 + 2 * n, 30) })),
      ).flat(),
      events: range(DAYS, (day) => [...range(3, (n) => series(day, n)), ...range(5, (n) => single(day, n))]).flat(),
      pending: range(20, (n) => ({
        ...{ uid: `0199-p${n}`, action_type: 'schedule' as const, title: long, scheduled_for: at(n, 9) },
        ...{ rrule: 'FREQ=WEEKLY;BYDAY=MO,TU,WE', yours: true },
      })),
      tempo: {
        time_ranges: range(50, hours),
        tag_mappings: settings(200),
        duration_biases: {},
        task_overrides: settings(500),
      },
      limits: {
        budget: { per_day: 5, per_week: 20 },
        cadence: range(50, (n) => ({
          id: `rule-${n}`,
          action_type: 'schedule',
          tag: text.slice(0, 20),
          max: 1,
          per: 'day',
        })),
        only_in_tempo: true,
      },
      traces: range(10, (n) => ({
        uid: `0199-t${n}`,
        type: 'observation',
        task_id: long,
        timestamp: at(-n, 9),
        summary: long,
      })),
      turns: range(3, () => ({ prompt: long.repeat(4), reply: long.repeat(4) })),
    };
  };

  const sent = async (facts: PlanningFacts, prompt = 'Plan deep work') => {
    await planner().plan(prompt, facts);
    return (stub.requests.at(-1)?.body.messages ?? []).map(({ content }) => content);
  };

  const TEXTS: [name: string, text: string][] = [
    ['English', 'Quarterly planning with everybody of the second floor'],
    ['German', 'Vierteljährliche Haushaltsplanung der Geschäftsführungsgesellschaft'],
    ['Chinese', '与二楼全体同事的季度规划会议，请带上笔记本电脑'],
    ['Arabic', 'اجتماع التخطيط الفصلي مع جميع الزملاء في الطابق الثاني'],
    ['emoji', '🎉👩🏽‍🚀🏳️‍🌈🦩🧬🪐'],
    ['figures', '3.14159-26535/89793#23846;26433:83279'],
    ['capitals', 'QWXZ-KJVB_PMTR'],
  ];
  const ALONE = { tempo: null, limits: null, traces: [], turns: [], pending: [] };

  test.each(TEXTS)('has at most 4,000 tokens, whatever it is full of: %s', async (_name, text) => {
    for (const facts of [full(text), { ...full(text), ...ALONE }, { ...full(text), ...ALONE, free: [] }]) {
      const tokens = (await sent(facts)).map((content) => countTokens(content));
      expect(tokens.reduce((sum, count) => sum + count)).toBeLessThanOrEqual(4_000);
      expect(tokens[1]).toBeGreaterThan(1_700); // What there is place for is used.
    }
  });

  test('what is cut says how much is missing', async () => {
    const [, user = ''] = await sent(full('Planning'));
    for (const what of [
      'events',
      'days',
      'proposals',
      'traces',
      'time_ranges',
      'tag_mappings',
      'task_overrides',
      'cadence',
    ])
      expect(user).toMatch(new RegExp(`"and \\d+ more ${what}"`));
    expect(user).toContain('"only_in_tempo":true');
  });

  test('a later event that the prompt seems to name is given, and can be named', async () => {
    const facts = full('Planning');
    const dentist = { uid: '0199-dentist', title: 'Dentist', ...span(DAYS, 9) };
    const named = { ...facts, events: [...facts.events, dentist] };
    expect((await sent(named))[1]).not.toContain('Dentist');
    const [, user = ''] = await sent(named, 'Cancel the dentist');
    const ref = /"(e\d+) Wed 2027-01-20 10:00-10:45: Dentist"/.exec(user)?.[1];
    const cancels = { action_type: 'reschedule', duration_minutes: null, cancel: true };
    stub.script(answers(good({ ...cancels, target_event_uid: ref })));
    const { actions } = await planner().plan('Cancel the dentist', named);
    expect(actions).toMatchObject([{ target_event_uid: '0199-dentist' }]);
  });

  test('what was not given can’t be named', async () => {
    const change = { action_type: 'reschedule', duration_minutes: null, cancel: true, target_event_uid: '0199-59-4' };
    stub.script(answers(good(change)), GOOD);
    await planner().plan('Plan deep work', full('Planning'));
    expect(stub.requests.at(-1)?.body.messages.at(-1)?.content).toContain('is no reference of the block events');
  });
});
