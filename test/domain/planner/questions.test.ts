/** Questions: what is asked about and of which time; small talk; and what must hold for any text. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { understand } from '../../../src/domain/planner/intents/understand.ts';
import { readQuestion } from '../../../src/domain/planner/questions/question.ts';
import { smallTalkReply } from '../../../src/domain/planner/replies/small-talk.ts';
import { QUESTION_KINDS } from '../../../src/domain/planner/intents/types.ts';
import { localStart, millis } from '../../../src/domain/time/time.ts';
import { runs } from '../../support/thoroughness.ts';

/** It is Wednesday 25 November 2026, 08:00 in Berlin. */
const ENV = { now: '2026-11-25T07:00:00.000Z', zone: 'Europe/Berlin' };

const wall = (at: string): string => localStart(at, ENV.zone).slice(0, 16).replace('T', ' ').replace(' 00:00', '');

/** A question as one line of the table: kind, what it is about, its time, and what else is said. */
const line = (text: string): string => {
  const { kind, about, time, isPast, status, byAgents, minutes, ask } = readQuestion(text, ENV);
  return [
    kind,
    about && `"${about}"`,
    time && (time.isPoint ? `at ${wall(time.start)}` : `${wall(time.start)}..${wall(time.end)}`),
    time?.hours && `${time.hours.from / 60}-${time.hours.to / 60}h`,
    time?.weekdays && `weekdays ${time.weekdays.join()}`,
    isPast && 'past',
    status,
    byAgents && 'agents',
    minutes && `${minutes}m`,
    ask && `ask: ${ask}`,
  ]
    .filter(Boolean)
    .join(' ');
};

const TABLE: [group: string, rows: [question: string, expected: string][]][] = [
  [
    'what is on the calendar',
    [
      ['what is on Tuesday?', 'agenda 2026-12-01..2026-12-02'],
      ['what did I plan for tomorrow?', 'agenda 2026-11-26..2026-11-27'],
      ['what have I planned for next week?', 'agenda 2026-11-30..2026-12-07'],
      ['what did I have on Monday?', 'done 2026-11-23..2026-11-24 past'],
      ["what's on my plate tomorrow?", 'agenda 2026-11-26..2026-11-27'],
      ['what do I have on the weekend', 'agenda 2026-11-28..2026-11-30'],
      ['who am I meeting on Monday', 'agenda 2026-11-30..2026-12-01'],
      ['do I have anything on Friday evening?', 'agenda 2026-11-27 17:30..2026-11-27 22:00'],
      ['do I have a meeting with Tom on Monday?', 'agenda "Tom" 2026-11-30..2026-12-01'],
      ['how many meetings do I have on Friday?', 'agenda 2026-11-27..2026-11-28'],
      ['is there anything on Sunday', 'agenda 2026-11-29..2026-11-30'],
      ['how does tomorrow look', 'agenda 2026-11-26..2026-11-27'],
      ["what's happening in December", 'agenda 2026-12-01..2027-01-01'],
      ['what do I have between 2 and 4 on Friday', 'agenda 2026-11-27 14:00..2026-11-27 16:00'],
      ['have I got anything on today?', 'agenda 2026-11-25..2026-11-26'],
      ['show me my week', 'agenda'],
      ["what's next?", 'next'],
      ['what is my next meeting', 'next'],
    ],
  ],
  [
    'events',
    [
      ['how long is the dentist', 'how_long "dentist"'],
      ['when is my next piano lesson', 'when "piano lesson"'],
      ['When is my flight?', 'when "flight"'],
      ['what time does the team dinner start?', 'when "team dinner"'],
      ['when was my last haircut?', 'when "haircut" past'],
      ['where is the parent evening', 'where "parent evening"'],
      ['what is the address of the dentist', 'where "dentist"'],
    ],
  ],
  [
    'free time',
    [
      ['When am I free on Thursday?', 'free 2026-11-26..2026-11-27'],
      ['am I free at 3 on Wednesday', 'free at 2026-12-02 15:00'],
      ['am I free on Thursday at 4?', 'free at 2026-11-26 16:00'],
      ['am I free right now?', 'free at 2026-11-25 08:00'],
      ['is Thursday free?', 'free 2026-11-26..2026-11-27'],
      ['when do I have two hours free next week', 'free 2026-11-30..2026-12-07 120m'],
      ['am I free in the mornings next week', 'free 2026-11-30..2026-12-07 7-12h'],
      ['was I free last Friday?', 'free 2026-11-20..2026-11-21 past'],
    ],
  ],
  [
    'proposals and limits',
    [
      ['what is waiting for my approval', 'queue'],
      ['what did the agents propose for tomorrow', 'queue 2026-11-26..2026-11-27 agents'],
      ['what did the agents propose for Monday', 'queue 2026-11-30..2026-12-01 agents'],
      ['are there any proposals?', 'queue'],
      ['what did I approve today?', 'queue 2026-11-25..2026-11-26 approved'],
      ['what did I reject yesterday', 'queue 2026-11-24..2026-11-25 rejected'],
      ['how many plans may agents make today?', 'limits 2026-11-25..2026-11-26'],
      ['what are my limits', 'limits'],
    ],
  ],
  [
    'memory',
    [
      ['what did I decide about the kitchen?', 'memory "kitchen" past'],
      ['remind me what the landlord said about the deposit', 'memory "landlord deposit"'],
      ['remind me what we agreed with the landlord', 'memory "landlord"'],
      ['what do you know about Lena', 'memory "Lena"'],
      ['tell me about Lena', 'memory "Lena"'],
      ['why did we choose the grey tiles', 'memory "grey tiles" past'],
      ['What did Anna say in the meeting last Tuesday?', 'memory "Anna" 2026-11-24..2026-11-25 past'],
      ['what happened with the boiler', 'memory "boiler" past'],
      ["what's the wifi password?", 'other "wifi password"'],
      ['Did I go to the gym last week?', 'other "gym" 2026-11-16..2026-11-23 past'],
    ],
  ],
  [
    'what was done',
    [
      ['What did I do yesterday?', 'done 2026-11-24..2026-11-25 past'],
      ['what did I do on Monday', 'done 2026-11-23..2026-11-24 past'],
      ['what did we get done last week?', 'done 2026-11-16..2026-11-23 past'],
      ['What did I do this week?', 'done 2026-11-23..2026-11-30 past'],
      ['What did I do three days ago?', 'done 2026-11-22..2026-11-23 past'],
      ['what did I do on the 5th of November?', 'done 2026-11-05..2026-11-06 past'],
      ['what did I do last night?', 'done 2026-11-24 18:00..2026-11-25 past'],
    ],
  ],
  [
    'times that can’t be read are asked about',
    [
      ["what's on wensday?", 'agenda 2026-12-02..2026-12-03'],
      ['am I free on Mondays?', 'free 2026-11-25..2026-12-23 weekdays 1'],
      [
        'what is on Monday and Friday?',
        'agenda ask: I look at one day or one period at a time. Which one do you mean?',
      ],
    ],
  ],
];

describe.each(TABLE)('reads questions: %s', (_group, rows) => {
  test.each(rows)('%s', (question, expected) => {
    expect(line(question)).toBe(expected);
  });
});

test('several questions of a prompt are read, and propose nothing', () => {
  const understood = understand('What is on Friday? And when is my flight?', { ...ENV, events: [], pending: [] });
  expect(understood).toMatchObject({ intents: [], reply: '', questions: [{ kind: 'agenda' }, { kind: 'when' }] });
  expect(understood.question).toBeUndefined();
});

describe('small talk', () => {
  test.each([
    ['thanks', /welcome/],
    ["thanks, that's all for today", /welcome/],
    ['Great, thank you so much!', /welcome/],
    ['Hello!', /^Hello/],
    ['good morning', /^Hello/],
    ['How are you?', /ready/],
    ['good night', /Goodbye/],
  ])('%s', (prompt, reply) => {
    expect(smallTalkReply(prompt, false)).toMatch(reply);
    expect(understand(prompt, { ...ENV, events: [], pending: [] })).toMatchObject({ intents: [], questions: [] });
  });

  test.each(['thanks to Anna for the cake', 'hello world party on Friday', 'Good morning run at 7', 'great wall trip'])(
    'a request is none: %s',
    (prompt) => expect(smallTalkReply(prompt, false)).toBeNull(),
  );

  test('praise of a proposal is not small talk, since it may mean an approval', () => {
    expect(smallTalkReply('perfect', true)).toBeNull();
    expect(smallTalkReply('perfect', false)).toBe('Good.');
  });
});

test('any text is read as some question, with a time that does not end before it starts', () => {
  const words = fc.constantFrom(
    ...'what when is on last next Monday 5 at pm yesterday free am I 3 days ago week the March did between and 2 my'.split(
      ' ',
    ),
  );
  const texts = fc.oneof(
    fc.string({ unit: 'grapheme' }),
    fc.array(words, { maxLength: 12 }).map((list) => list.join(' ')),
  );
  fc.assert(
    fc.property(texts, (text) => {
      const { kind, time } = readQuestion(text, ENV);
      expect(QUESTION_KINDS).toContain(kind);
      if (time) expect(millis(time.end)).toBeGreaterThan(millis(time.start));
    }),
    { numRuns: runs(2_000) },
  );
});
