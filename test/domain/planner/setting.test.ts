/** What a rule for all plans makes of the settings, and what of it they cannot say. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { Limits } from '../../../src/domain/plan/limits.ts';
import type { PlanArguments } from '../../../src/domain/plan/plan-arguments.ts';
import { defaultTempo } from '../../../src/domain/plan/plan-settings.ts';
import { type TimeRange, TempoPreferences } from '../../../src/domain/plan/tempo.ts';
import { WEEKDAYS } from '../../../src/domain/plan/weekdays.ts';
import { hoursIn, weekHours, withHours, withoutHours } from '../../../src/domain/plan/tempo-hours.ts';
import { settingChange } from '../../../src/domain/planner/intents/setting.ts';
import { understand } from '../../../src/domain/planner/intents/understand.ts';
import type { IntentContext, KnownSettings } from '../../../src/domain/planner/intents/types.ts';
import { mergePatch } from '../../../src/domain/record/merge-patch.ts';
import { runs } from '../../support/thoroughness.ts';

const settings: KnownSettings = { limits: Limits.parse({}), tempo: defaultTempo() };
const context: IntentContext = {
  now: '2026-11-23T07:00:00.000Z',
  zone: 'Europe/Berlin',
  events: [],
  pending: [],
  settings,
};

const rangesSaid = (ranges: readonly TimeRange[]): string[] =>
  ranges.map(({ days, start, end }) => `${days.join()} ${start}-${end}`);
/** A change in short: the hours, the limits and the lengths that it sets; or why there is none. */
const said = (words: string, known = settings): string => {
  const change = settingChange(words, {}, known);
  if ('why' in change) return change.why;
  const { limits, tempo = {} } = change.arguments;
  const { time_ranges: ranges, ...rest } = tempo as { time_ranges?: TimeRange[] };
  return [
    ...(ranges ? rangesSaid(ranges) : []),
    ...(limits?.budget ? [JSON.stringify(limits.budget)] : []),
    ...(Object.keys(rest).length > 0 ? [JSON.stringify(rest)] : []),
    ...(limits?.only_in_tempo ? ['only'] : []),
  ].join('; ');
};

const ALL = 'MO,TU,WE,TH,FR,SA,SU';

test.each([
  ['From now on nothing before nine on weekdays', 'MO,TU,WE,TH,FR 09:00-20:00; SA,SU 08:00-20:00; only'],
  ['Fri after 1400 = off limits from now on', 'MO,TU,WE,TH,SA,SU 08:00-20:00; FR 08:00-14:00; only'],
  ['no mtgs wed ever', 'MO,TU,TH,FR,SA,SU 08:00-20:00; only'],
  ['I do not want anything before half past nine in the morning', `${ALL} 09:30-20:00; only`],
  ['no meetings after 16:00', `${ALL} 08:00-16:00; only`],
  ['never after six', `${ALL} 08:00-18:00; only`],
  ['never book me on a sunday unless i say so', 'MO,TU,WE,TH,FR,SA 08:00-20:00; only'],
  ['never on Sundays', 'MO,TU,WE,TH,FR,SA 08:00-20:00; only'],
  ['keep my Friday afternoons free from now on', 'MO,TU,WE,TH,SA,SU 08:00-20:00; FR 08:00-13:00; FR 18:00-20:00; only'],
  ['lunch 12 to 1 is mine, nobody books me then', `${ALL} 08:00-12:00; ${ALL} 13:00-20:00; only`],
  ['nobody books me over the lunch break anymore!!! 12 to 1 is mine', `${ALL} 08:00-12:00; ${ALL} 13:00-20:00; only`],
  [
    'nothing before 9 on Mondays and after 17 on Fridays',
    'MO 09:00-20:00; TU,WE,TH,SA,SU 08:00-20:00; FR 08:00-17:00; only',
  ],
  ['nothing before 9 and after 17', `${ALL} 09:00-17:00; only`],
  ['no meetings on Wednesdays, that is my day for writing', 'MO,TU,TH,FR,SA,SU 08:00-20:00; only'],
  ['avoid meetings before 10', `${ALL} 10:00-20:00`],
  ['my week of work is Sunday to Thursday', 'MO,TU,WE,TH,SU 08:00-20:00'],
  ['I work from 7 to 15', `${ALL} 07:00-15:00`],
  ['only between 10 and 16', `${ALL} 10:00-16:00; only`],
  ['meetings only on Tuesdays and Thursdays between 2 and 4', 'TU,TH 14:00-16:00; only'],
  ['on Fridays only from 9 to 1', 'MO,TU,WE,TH,SA,SU 08:00-20:00; FR 09:00-13:00; only'],
  ['At most three appointments a day', '{"per_day":3}'],
  ['max 6 meetings a day', '{"per_day":6}'],
  ["don't book more than three meetings a day", '{"per_day":3}'],
  ['office hours 9-17 Mon-Fri', 'MO,TU,WE,TH,FR 09:00-17:00'],
  ["don't let me work after 7", `${ALL} 08:00-19:00; only`],
  [
    "don't book me Mondays 9 to 11 and Thursdays 2 to 4",
    'MO 08:00-09:00; MO 11:00-20:00; TU,WE,FR,SA,SU 08:00-20:00; TH 08:00-14:00; TH 16:00-20:00; only',
  ],
  ['max 5 a week', '{"per_week":5}'],
  ['no more than two things per day', '{"per_day":2}'],
  ['max 3 meetings a day and nothing after 6pm', `${ALL} 08:00-18:00; {"per_day":3}; only`],
  ['default meeting length 25 min', '{"duration_biases":{"schedule":{"minutes":25}}}'],
  ['new mtgs: 25 min unless I say otherwise', '{"duration_biases":{"schedule":{"minutes":25}}}'],
  ['I never want anything after 6pm', `${ALL} 08:00-18:00; only`],
  ["I don't want to have meetings on Fridays", 'MO,TU,WE,TH,SA,SU 08:00-20:00; only'],
  ["I can't have anything before 9", `${ALL} 09:00-20:00; only`],
  ["I don't work on weekends", 'MO,TU,WE,TH,FR 08:00-20:00; only'],
  ["don't have me booked after six", `${ALL} 08:00-18:00; only`],
  ['I have nothing after 6pm from now on', `${ALL} 08:00-18:00; only`],
  ['I can have at most 3 meetings a day', '{"per_day":3}'],
  ["I'm available from 2 to 4 on weekdays", 'MO,TU,WE,TH,FR 14:00-16:00'],
  ["From now on I'm available from 10 to 4", `${ALL} 10:00-16:00`],
  ['keep my mornings free', `${ALL} 12:00-20:00; only`],
  ['keep Friday afternoons free', 'MO,TU,WE,TH,SA,SU 08:00-20:00; FR 08:00-13:00; FR 18:00-20:00; only'],
  ['keep 12 to 1 free every day', `${ALL} 08:00-12:00; ${ALL} 13:00-20:00; only`],
  ["I'm off after 3pm from now on", `${ALL} 08:00-15:00; only`],
  ['no meetings during lunch 12 to 1', `${ALL} 08:00-12:00; ${ALL} 13:00-20:00; only`],
  ['never schedule anything during lunch (12-13)', `${ALL} 08:00-12:00; ${ALL} 13:00-20:00; only`],
  [
    'nothing before 9 on Mondays, after 17 on Fridays',
    'MO 09:00-20:00; TU,WE,TH,SA,SU 08:00-20:00; FR 08:00-17:00; only',
  ],
  ['nothing before 9 p.m. on Fridays from now on', 'MO,TU,WE,TH,SA,SU 08:00-20:00; only'],
  ['Nothing before 9. Nothing after 5.', `${ALL} 09:00-17:00; only`],
  ['no meetings after 9am', `${ALL} 08:00-09:00; only`],
  ['nothing after 11 am', `${ALL} 08:00-11:00; only`],
  ['deep work 2 hours by default', '{"duration_biases":{"@deep_work":{"minutes":120}}}'],
])('%s', (words, expected) => {
  expect(said(words)).toBe(expected);
});

test('hours across midnight are left out on both days', () => {
  const tempo = {
    ...defaultTempo(),
    time_ranges: [{ name: 'all', days: [...WEEKDAYS], start: '00:00', end: '24:00' }],
  };
  expect(said('quiet hours 9pm to 7am', { ...settings, tempo })).toBe(`${ALL} 07:00-21:00; only`);
});

test.each([
  ...['no phone calls after eight', 'max 5 lessons a day', 'Anything with Alfie comes first', 'no meetings on Friday'],
  ...['from January no meetings before 9', 'nothing before 9 until the summer holidays', 'put choir in green'],
  ...[
    'no meetings on Wednesday mornings in December',
    '10 min buffer between calls as default',
    'max 2 evenings a week',
  ],
  ...[
    'no meetings after 4 except on Thursdays',
    'nothing on the days Priya does nights',
    'no meetings Mondays and after 5 or before 9',
  ],
  ...[
    "don't stop at 5",
    'I work Saturdays too',
    'On Mondays, nothing before 9 and max 3 meetings',
    'nothing before 9 their time',
  ],
  ...[
    'stop keeping my Fridays free',
    "don't keep 12-1 free any more",
    'no need to keep Fridays free',
    "I'm free on Fridays",
  ],
  ...[
    'no maximum of 3 meetings a day',
    'more than 3 a day',
    'no meetings for the next two weeks',
    'nothing on the 1st',
  ],
  ...['No meetings on Mondays. Fridays after 3pm are fine', 'No meetings on Mondays. Fridays are fine'],
  ...['No meetings on Mondays, Fridays are fine', 'No meetings on Mondays, Tuesday mornings are good'],
  ...['No meetings on Mondays. Fridays', 'No meetings on Mondays, Tuesdays work'],
  ...['I have nothing on Mondays', "I don't have anything after 5pm", 'I have no appointments on Mondays'],
  ...["I've no meetings on Tuesdays", "I don't have plans on Fridays", 'I have nothing scheduled after 4pm'],
  ...['I have no events in the evenings', 'I never have anything on Fridays', 'I always have nothing on Mondays'],
  ...['nothing is booked after 3pm', 'Nothing happens on Sundays', 'I might have no meetings after 5pm'],
  ...['I had no more than 3 meetings a day', 'I usually have at most 2 meetings a day', 'It was 45 minutes by default'],
  ...["I'm available from 2 to 4", 'I am available from 10 to 12', "I'm available between 3pm and 5pm"],
  ...['I am available only after 3pm', 'Keep 3 to 4 free', 'Keep 2pm to 3pm free please', 'Leave 5pm to 6pm clear'],
  ...['Keep the afternoon free', "I'm off after 3pm", "I'm unavailable from 2 to 4", "I'm not available after 4"],
  ...['I am unavailable in the afternoon', "I'm never unavailable after 4", 'Do not disturb from 2 to 4'],
  ...['No lunch before 1', 'No lunch after 2pm', 'No break before 10', 'No nap after 3pm', 'No prayer before 6'],
  ...['No lunch between 12 and 1', 'Stop the Monday meetings', 'Stop the Friday events'],
  ...['nothing before 9 London time', 'only after 9', 'allow meetings on Fridays again', 'I usually work 9 to 5'],
])('not said by settings: %s', (words) => {
  expect(said(words)).toBe('unsaid');
});

test('what the settings say already is not proposed', () => {
  const strict = { ...settings, limits: Limits.parse({ only_in_tempo: true, budget: { per_day: 3 } }) };
  expect(said('nothing before 8', strict)).toBe('same');
  expect(said('max 3 meetings a day', strict)).toBe('same');
  expect(said('I work from 8 to 20')).toBe('same');
  expect(said('meetings are 30 minutes by default')).toBe('same');
});

test.each(['no meetings between 10pm and 6am', 'No meetings after midnight', 'Never plan before 8', 'only after 7am'])(
  'a rule about time outside of the hours does not refuse all of it: %s',
  (words) => {
    expect(said(words)).toBe('outside');
    expect(understand(words, context)).toMatchObject({
      intents: [],
      question: /your hours leave this time out already/,
    });
  },
);

describe('ranges that tags and tasks use', () => {
  const tempo = TempoPreferences.parse({
    ...defaultTempo(),
    time_ranges: [
      { name: 'week', days: ['MO', 'TU'], start: '08:00', end: '18:00' },
      { name: 'end', days: ['SU'], start: '10:00', end: '12:00' },
    ],
    tag_mappings: {
      '@desk': { ranges: ['week'], duration_minutes: 20 },
      '@own': { ranges: [{ name: 'x', days: ['MO'], start: '11:00', end: '14:00' }] },
    },
    task_overrides: { trip: { ranges: ['end'] } },
  });
  const known = { ...settings, tempo };
  test('a range that is split keeps its name, and its users have all of its parts', () => {
    const change = settingChange('nothing between 12 and 1', {}, known) as { arguments: PlanArguments };
    expect(change.arguments.tempo).toEqual({
      time_ranges: [
        { name: 'week 2', days: ['MO', 'TU'], start: '08:00', end: '12:00' },
        { name: 'week', days: ['MO', 'TU'], start: '13:00', end: '18:00' },
        tempo.time_ranges[1],
      ],
      tag_mappings: {
        '@desk': { ranges: ['week 2', 'week'] },
        '@own': {
          ranges: [
            { name: 'x', days: ['MO'], start: '11:00', end: '12:00' },
            { name: 'x', days: ['MO'], start: '13:00', end: '14:00' },
          ],
        },
      },
    });
    expect(TempoPreferences.parse(mergePatch(tempo, change.arguments.tempo))).toBeDefined();
  });
  test('a range in use that would be gone stays', () => {
    expect(settingChange('never on Sundays', {}, known)).toEqual({ why: 'lost', name: 'trip' });
    const { intents, question } = understand('never on Sundays', { ...context, settings: known });
    expect(intents).toEqual([]);
    expect(question).toMatch(/would leave no hours for “trip”/);
  });
});

const arbClock = fc.integer({ min: 0, max: 48 });
const arbDays = fc.subarray([...WEEKDAYS], { minLength: 1 });
const clock = (half: number): string => `${String(Math.floor(half / 2)).padStart(2, '0')}:${half % 2 ? '30' : '00'}`;
const arbRanges = fc
  .array(
    fc
      .tuple(arbDays, arbClock, arbClock)
      .filter(([, a, b]) => a !== b)
      .map(([days, a, b]) => ({ days, start: clock(Math.min(a, b)), end: clock(Math.max(a, b)) })),
    { minLength: 1, maxLength: 5 },
  )
  .map((ranges) => ranges.map((range, i) => ({ ...range, name: i === 1 ? 'r 2' : `r${i || ''}` })));
/** The minutes of a week that a range has, by half hours. */
const halves = (ranges: readonly TimeRange[]): Set<number> =>
  new Set(
    WEEKDAYS.flatMap((day, i) =>
      (hoursIn(ranges)[day] ?? []).flatMap(([from, to]) =>
        Array.from({ length: to - from }, (_, n) => i * 1440 + from + n),
      ),
    ),
  );

test('the hours after a rule are those before it without the excluded ones, and the names exist', () => {
  const arbExcluded = fc.tuple(
    arbDays,
    fc.array(fc.tuple(arbClock, fc.integer({ min: 1, max: 40 })), { minLength: 1, maxLength: 3 }),
  );
  fc.assert(
    fc.property(arbRanges, arbExcluded, fc.boolean(), (time_ranges, [days, spans], isUsed) => {
      const tag_mappings = isUsed ? { '@x': { ranges: [time_ranges[0]!.name] } } : {};
      const before = TempoPreferences.parse({ ...defaultTempo(), time_ranges, tag_mappings });
      const hours = spans.map(([from, length]): [number, number] => [from * 30, (from + length) * 30]);
      const change = withoutHours(before, weekHours(days, hours));
      const gone = new Set(
        days.flatMap((day) =>
          hours.flatMap(([from, to]) =>
            Array.from({ length: to - from }, (_, n) => (WEEKDAYS.indexOf(day) * 1440 + from + n) % (7 * 1440)),
          ),
        ),
      );
      const left = (ranges: readonly TimeRange[]): Set<number> => halves(ranges).difference(gone);
      if ('lost' in change) {
        expect(left(change.lost ? [time_ranges[0]!] : time_ranges).size).toBe(0);
        return;
      }
      const after = TempoPreferences.parse(mergePatch(before, change.patch));
      expect(halves(after.time_ranges)).toEqual(left(time_ranges));
      if (!isUsed) return;
      const used = after.tag_mappings['@x']!.ranges!;
      expect(halves(after.time_ranges.filter(({ name }) => used.includes(name)))).toEqual(left([time_ranges[0]!]));
    }),
    { numRuns: runs(200) },
  );
});

test('hours that are stated hold for their days, and the others stay', () => {
  fc.assert(
    fc.property(arbRanges, arbDays, (time_ranges, days) => {
      const before = TempoPreferences.parse({ ...defaultTempo(), time_ranges });
      const change = withHours(before, weekHours(days, [[600, 900]]));
      if ('lost' in change) throw new Error('no hours');
      const after = hoursIn(TempoPreferences.parse(mergePatch(before, change.patch)).time_ranges);
      for (const day of WEEKDAYS)
        expect(after[day]).toEqual(days.includes(day) ? [[600, 900]] : hoursIn(time_ranges)[day]);
    }),
    { numRuns: runs(100) },
  );
});

describe('in a conversation', () => {
  const rule = 'From now on nothing before nine on weekdays';
  const first = understand(rule, context);
  const waits: IntentContext = {
    ...context,
    pending: [{ uid: 'p', title: 'Nothing before nine on weekdays', action_type: 'configure' }],
    before: { prompt: rule, proposed: true, plan_uids: ['p'], talk: first.talk! },
  };
  test('a rule is one proposal, beside others', () => {
    expect(first).toMatchObject({
      intents: [
        { action_type: 'configure', title: 'Nothing before nine on weekdays', reasoning: `You wrote “${rule}”.` },
      ],
      reply: 'I propose to change your settings: Nothing before nine on weekdays.',
    });
    const { intents } = understand(
      'book lunch with Sofia on Friday at 12, and from now on nothing before nine',
      context,
    );
    expect(intents.map(({ action_type }) => action_type)).toEqual(['schedule', 'configure']);
  });
  test.each([
    'a long flight on Friday, and nothing before eleven either',
    'gym tomorrow at 7, and nothing before noon',
  ])('a rule that may be about one day is not proposed: %s', (prompt) => {
    expect(understand(prompt, context).intents.filter(({ action_type }) => action_type === 'configure')).toEqual([]);
  });
  test('its reading says what it makes of the settings', () => {
    const meantIn = (prompt: string) =>
      understand(prompt, context).intents.flatMap(({ reading }) => reading?.stretches.map(({ means }) => means) ?? []);
    expect(meantIn(rule)).toEqual([
      'Agents outside your hours: refused; Hours: Monday to Friday 09:00 to 20:00; Saturday, Sunday 08:00 to 20:00',
    ]);
    expect(meantIn('at most three appointments a day')).toEqual(['Plans of agents per day: 3']);
  });
  test('it is taken back, and not changed in another way', () => {
    expect(understand('forget that', waits).intents).toMatchObject([
      { target_plan_uid: 'p', arguments: { cancel: true } },
    ]);
    for (const prompt of ['make it 10', 'move it to Friday', 'make it 45 minutes'])
      expect(understand(prompt, waits)).toMatchObject({
        intents: [],
        question: /^A change of settings has no time or length/,
      });
    expect(understand('dentist on Friday at 3', waits).intents).toMatchObject([{ action_type: 'schedule' }]);
  });
  test('a second change of the settings waits for the decision on the first', () => {
    expect(understand('never on Sundays', waits)).toMatchObject({ intents: [], question: /waits for a decision/ });
  });
  test('without the settings nothing is proposed', () => {
    const { settings: _, ...unknown } = context;
    expect(understand(rule, unknown)).toMatchObject({ intents: [], question: /is a rule that I can’t set/ });
  });
});
