/** Words of a prompt that are not read, and how the others were read. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Intent, IntentContext, Ranges } from '../../../src/domain/planner/intents/types.ts';
import { understand } from '../../../src/domain/planner/intents/understand.ts';
import { runs } from '../../support/thoroughness.ts';

/** Monday, 23 November 2026, 08:00 in Berlin. */
const context: IntentContext = {
  now: '2026-11-23T07:00:00.000Z',
  zone: 'Europe/Berlin',
  events: [
    { uid: 'dentist', title: 'Dentist', scheduled_for: '2026-11-27T10:00:00.000Z', duration_minutes: 45 },
    { uid: 'late', title: 'Late dinner Friday', scheduled_for: '2026-11-26T19:00:00.000Z', duration_minutes: 90 },
  ],
  pending: [],
};

/** The words in braces are not read. */
const parsed = (written: string): { prompt: string; literal: Ranges } => {
  const literal: [number, number][] = [];
  const prompt = written.replaceAll(/\{([^}]*)\}/g, (_, words: string, at: number) => {
    const from = at - 2 * literal.length;
    literal.push([from, from + words.length]);
    return words;
  });
  return { prompt, literal };
};
const read = (written: string, from: IntentContext = context) => {
  const { prompt, literal } = parsed(written);
  return { prompt, ...understand(prompt, { ...from, literal }) };
};

describe('words that are not read', () => {
  test.each([
    ['book {black friday} shopping on saturday at 10', 'Black friday shopping', '2026-11-28T09:00:00.000Z'],
    ['{cancel culture} talk on Tuesday at 18:00', 'Cancel culture talk', '2026-11-24T17:00:00.000Z'],
    ['watch {the 9 to 5 show} tomorrow at 20:00', 'Watch the 9 to 5 show', '2026-11-24T19:00:00.000Z'],
    ['plan {#thesis draft} on Tuesday at 9', '#thesis draft', '2026-11-24T08:00:00.000Z'],
    ['meet {May} at {Noon Street} on Tuesday at 16:00', 'Meet May at Noon Street', '2026-11-24T15:00:00.000Z'],
    ['call {dinner Friday} at 15:00 tomorrow', 'Call dinner Friday', '2026-11-24T14:00:00.000Z'],
  ])('%s', (written, title, at) => {
    expect(read(written).intents).toMatchObject([{ title, scheduled_for: at }]);
  });

  test('they name an event that is changed', () => {
    expect(read('move {late dinner Friday} to Saturday at 20:00').intents).toMatchObject([
      { target_event_uid: 'late', scheduled_for: '2026-11-28T19:00:00.000Z' },
    ]);
  });

  test.each([
    ['cancel {the friday drinks}', 'drinks'],
    ['cancel {friday drink}', 'drinks'],
    ['cancel {the Red Lion} thing', 'drinks'],
  ])('they may have an article, or be its plural or its place: %s', (written, uid) => {
    const drinks = {
      ...{ uid, title: 'Friday drinks', location: 'Red Lion' },
      ...{ scheduled_for: '2026-11-26T18:00:00.000Z', duration_minutes: 60 },
    };
    const { intents } = read(written, { ...context, events: [...context.events, drinks] });
    expect(intents).toMatchObject([{ target_event_uid: uid, arguments: { cancel: true } }]);
  });

  test('a choice leaves them unread too', () => {
    const reviews = ['Budget', 'Board'].map((name, i) => ({
      ...{ uid: name, title: `${name} May review`, scheduled_for: `2026-11-2${4 + i}T14:00:00.000Z` },
      duration_minutes: 60,
    }));
    const { choices = [] } = read('move the {May review} to Thursday at 10', { ...context, events: reviews });
    expect(choices.flatMap(({ intents }) => intents)).toMatchObject([
      { target_event_uid: 'Budget', scheduled_for: '2026-11-26T09:00:00.000Z' },
      { target_event_uid: 'Board', scheduled_for: '2026-11-26T09:00:00.000Z' },
    ]);
  });

  test('they have no tempo', () => {
    expect(read('book {deep work podcast} tomorrow at 9').intents[0]).not.toHaveProperty('tempo_tag');
    expect(read('book deep work tomorrow at 9').intents).toMatchObject([{ tempo_tag: '@deep_work' }]);
  });

  test('a prompt of nothing else is no choice, no small talk and no consent', () => {
    const pending = [{ uid: 'p', title: 'Gym', action_type: 'schedule', proposal_id: 'a' }] as const;
    const before = { prompt: 'gym', proposed: true, plan_uids: ['p'] };
    const waits: IntentContext = { ...context, pending: [...pending], before };
    expect(understand('thanks', waits).reply).not.toBe(read('{thanks}', waits).reply);
    expect(read('{thanks}', waits).intents).toEqual([]);
  });

  test('a later turn keeps the name', () => {
    const { prompt, talk = [], intents } = read('book {black friday} shopping on saturday at 10');
    const [{ title, scheduled_for }] = intents as [Intent];
    const pending = [{ uid: 'p', title, action_type: 'schedule' as const, scheduled_for: scheduled_for! }];
    const later = { ...context, pending, before: { prompt, proposed: true, plan_uids: ['p'], talk } };
    expect(understand('sunday instead', later).intents).toMatchObject([
      { target_plan_uid: 'p', title: 'Black friday shopping', scheduled_for: '2026-11-29T09:00:00.000Z' },
    ]);
  });

  test('a value that is hidden from others stays whole, where a part of it is left unread', () => {
    const prompt = 'Lunch with Ottoline Farnsworth Friday at noon';
    const [start, end] = [prompt.indexOf('Ottoline'), prompt.indexOf(' at noon')];
    const literal: Ranges = [[prompt.indexOf('Friday'), end]];
    const { intents } = understand(prompt, { ...context, whole: [[start, end]], literal });
    expect(intents.map(({ title }) => title)).toEqual(['Lunch with Ottoline Farnsworth Friday']);
  });

  test('two parts of a value that is hidden from others are one', () => {
    const prompt = 'Lunch with Ottoline Friday Farnsworth at noon tomorrow';
    const [start, end] = [prompt.indexOf('Ottoline'), prompt.indexOf(' at noon')];
    const literal: Ranges = [
      [start, start + 3],
      [end - 3, end],
    ];
    const { intents } = understand(prompt, { ...context, whole: [[start, end]], literal });
    expect(intents.map(({ title }) => title)).toEqual(['Lunch with Ottoline Friday Farnsworth']);
  });

  test('two stretches side by side are one', () => {
    expect(read('Dinner with Jo {for an hour} {tomorrow 7pm}')).toMatchObject({
      intents: [],
      reply: 'When should it be?',
    });
    expect(read('Dinner with Jo {for an hour} {on Friday} at 7pm').intents).toMatchObject([
      { title: 'Dinner with Jo for an hour on Friday', scheduled_for: '2026-11-23T18:00:00.000Z' },
    ]);
  });

  test('blanks, and what is behind the part that is read, change nothing', () => {
    const long = `Dentist tomorrow at 3. ${'And so on. '.repeat(400)}`;
    const asRead = understand(long, context);
    const literal: Ranges = [
      [7, 8],
      [3_000, 3_100],
    ];
    expect(understand(long, { ...context, literal })).toEqual(asRead);
    expect(asRead.intents).toMatchObject([{ title: 'Dentist' }]);
  });

  const words = fc.constantFrom(
    ...['book', 'move', 'the dentist', 'Anna', 'lunch', 'with', 'tomorrow', 'friday', 'at 3', '9-11', 'for an hour'],
    ...[
      'every week',
      'until Christmas',
      'before',
      'not',
      'and',
      'then',
      'no',
      'cancel',
      'remind me',
      'yoga',
      '#thesis',
    ],
    ...['half', 'in the evening', 'instead', ',', '?', 'please', 'deep work', 'May', '10 minutes'],
  );
  const timesOf = (prompt: string, literal: Ranges) =>
    understand(prompt, { ...context, events: [], literal }).intents.map(
      ({ scheduled_for, between, duration_minutes, rrule, exdates, action_type }) => ({
        scheduled_for,
        between,
        duration_minutes,
        rrule,
        exdates,
        action_type,
      }),
    );

  test('what they say changes no time', () => {
    fc.assert(
      fc.property(fc.array(words, { minLength: 2, maxLength: 12 }), fc.nat(), fc.nat(), (all, a, b) => {
        const first = a % all.length;
        const count = 1 + (b % (all.length - first));
        const from = all.slice(0, first).join(' ').length + (first ? 1 : 0);
        const literal: Ranges = [[from, from + all.slice(first, first + count).join(' ').length]];
        const others = all.map((word, i) =>
          i >= first && i < first + count
            ? word.replaceAll(/\b(?!the\b)[\p{L}\p{N}]+/gu, (one) => 'q'.repeat(one.length))
            : word,
        );
        expect(timesOf(all.join(' '), literal)).toEqual(timesOf(others.join(' '), literal));
      }),
      { numRuns: runs(500) },
    );
  });

  test('any stretches of any text are answered in the words of the text', () => {
    const texts = fc.oneof(
      fc.array(words, { maxLength: 20 }).map((all) => all.join(' ')),
      fc.string({ unit: 'binary', maxLength: 60 }),
    );
    const ends = fc.array(fc.nat({ max: 200 }), { maxLength: 8 });
    fc.assert(
      fc.property(texts, ends, ends, (prompt, some, others) => {
        const at = [...some, ...others].map((end) => end % (prompt.length + 1)).toSorted((a, b) => a - b);
        const literal = at.flatMap((to, i): [number, number][] => (i % 2 && at[i - 1]! < to ? [[at[i - 1]!, to]] : []));
        const { intents, reply, talk } = understand(prompt, { ...context, literal });
        const strange = JSON.stringify([intents, reply, talk]).match(/[\u3400-\u4dbf\ue000-\uf8ff]/g) ?? [];
        expect(strange.filter((one) => !prompt.includes(one))).toEqual([]);
      }),
      { numRuns: runs(500) },
    );
  });
});

describe('how the words were read', () => {
  const readingOf = (written: string) => {
    const { prompt, intents } = read(written);
    return intents.map(({ reading }) =>
      reading?.stretches.map(({ role, from, to, means }) => [role, prompt.slice(from, to), ...(means ? [means] : [])]),
    );
  };

  test.each<[string, string[][]]>([
    [
      'hair cut tue 9-1',
      [
        ['title', 'hair cut'],
        ['when', 'tue 9-1', 'on Tuesday 24 November at 09:00 to 13:00'],
      ],
    ],
    [
      'yoga every monday 9-10 until Christmas',
      [
        ['title', 'yoga'],
        ['repeat', 'every monday', 'every week on Monday, until 25 December 2026'],
        ['when', '9-10', 'on Monday 23 November at 09:00 to 10:00'],
        ['repeat', 'until Christmas'],
      ],
    ],
    [
      '30 min call with Jo tomorrow at 9',
      [
        ['dur', '30 min', '30 minutes'],
        ['title', 'call with Jo'],
        ['when', 'tomorrow at 9', 'on Tuesday 24 November at 09:00'],
      ],
    ],
    [
      'conference from friday 9am to sunday 5pm',
      [
        ['title', 'conference'],
        ['when', 'from friday 9am to sunday 5pm', 'on Friday 27 November at 09:00 to Sunday 29 November at 17:00'],
      ],
    ],
    [
      'holiday from monday to friday',
      [
        ['title', 'holiday'],
        ['when', 'from monday to friday', 'all day on Monday 30 November to Friday 4 December'],
      ],
    ],
    [
      'run every morning',
      [
        ['title', 'run'],
        ['repeat', 'every morning', 'every day; first in free time on Monday 23 November, 08:00 to 12:00'],
      ],
    ],
    [
      'move the dentist to 3pm and make it two hours',
      [
        ['move', 'move'],
        ['target', 'the dentist'],
        ['when', '3pm', 'on Friday 27 November at 15:00'],
        ['resize', 'make'],
        ['target', 'it'],
        ['dur', 'two hours', '2 hours'],
      ],
    ],
  ])('%s', (written, stretches) => {
    expect(readingOf(written)).toEqual([stretches]);
  });

  test('words of which several proposals are made mean all of their times', () => {
    const said = [
      ['title', 'gym'],
      ['when', 'monday at 9', 'on Monday 30 November at 09:00; on Wednesday 2 December at 10:00'],
      ['when', 'wednesday at 10'],
    ];
    expect(readingOf('gym monday at 9, wednesday at 10')).toEqual([said, said]);
    const [first] = readingOf('gym monday at 9, tuesday at 10, wednesday at 11, thursday at 12, friday at 13');
    expect(JSON.stringify(first)).toContain(' and 2 more');
  });

  test('a doubtful reading asks for a check of its words, and a sure one does not', () => {
    const { intents, reply } = read('ring the dentist abt the crown sometime before the trip on thursday if poss');
    expect(intents[0]?.reading?.probability).toBeLessThan(0.3);
    expect(reply).toMatch(/Please check how I read “sometime before the trip”/);
    const sure = read('dentist tomorrow at 3');
    expect(sure.intents[0]?.reading?.probability).toBeGreaterThan(0.7);
    expect(sure.reply).not.toMatch(/check/);
  });

  test('a choice that is offered has none, as it is made in a later turn', () => {
    const reviews = ['Budget', 'Board'].map((name, i) => ({
      ...{ uid: name, title: `${name} review`, scheduled_for: `2026-11-2${4 + i}T14:00:00.000Z` },
      duration_minutes: 60,
    }));
    const { choices = [] } = understand('cancel the review', { ...context, events: reviews });
    expect(choices.map(({ intents }) => intents.map(({ reading }) => reading))).toEqual([[undefined], [undefined]]);
  });

  test('many stretches for many proposals make no long answer and no long work', () => {
    const days = ['monday', 'tuesday', 'wednesday', 'thursday', 'friday'];
    const times = Array.from({ length: 100 }, (_, i) => `${days[i % 5]} at ${(i % 12) + 1}`);
    const { intents } = understand(`gym ${times.join(', ')}`, context);
    expect(intents.length).toBeGreaterThan(20);
    expect(new Set(intents.map(({ reading }) => reading)).size).toBe(1);
    expect(intents[0]?.reading?.stretches).toHaveLength(50);
  });
});

describe('a value that is hidden from others', () => {
  const SENTENCES = [
    'move the call with % to Friday',
    'move % to Friday at 10',
    'cancel %',
    'is % on Friday?',
    'note that % rang',
    'book % tomorrow at 9 for 30 minutes',
    'rename % to Lunch',
    'remind me to ring % on Tuesday',
  ];
  const VALUES = ['Zarquon and Vexley', 'Zarquon & Vexley', 'Zarquon, Vexley', 'Zarquon to Vexley', 'Zarquon/Vexley'];
  const CASES = SENTENCES.flatMap((sentence) => VALUES.map((value): [string, string] => [sentence, value]));

  test.each(CASES)('is whole in all that is said of it: %s, %s', (sentence, value) => {
    const prompt = sentence.replace('%', value);
    const from = prompt.indexOf(value);
    const understood = understand(prompt, { ...context, whole: [[from, from + value.length]] });
    const said = JSON.stringify([understood.intents, understood.question, understood.choices, understood.reply]);
    for (const part of ['Zarquon', 'Vexley'])
      expect(said.toLowerCase().split(part.toLowerCase())).toHaveLength(said.split(value).length);
  });
});
