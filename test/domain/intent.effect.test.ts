/** The reply says what happens: for random calendars and requests, what was asked, the intents, and the sentence shown make the same calendar. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { understand } from '../../src/domain/intent/intent.ts';
import type { Intent, KnownEvent } from '../../src/domain/intent/types.ts';
import { localStart, wallToInstant } from '../../src/domain/time/time.ts';
import { runs } from '../support/thoroughness.ts';

const ZONE = 'Europe/Berlin';
const TODAY = Temporal.PlainDate.from('2026-11-23');
const NOW = wallToInstant(TODAY.toPlainDateTime('08:00'), ZONE);
const WEEKDAYS = ['Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday', 'Sunday'];
const MONTHS = 'January February March April May June July August September October November December'.split(' ');
const TITLES = [
  'Dentist',
  'Budget review',
  'Piano lesson',
  'Haircut',
  'Call with the bank',
  'Yoga class',
  'Team dinner',
];

/** A calendar by title: wall time and minutes. */
type Calendar = Record<string, { at: string; minutes: number }>;
type Request = { say: string; meant: (before: Calendar) => Calendar };

const wall = (at: string): string => localStart(at, ZONE).slice(0, 16);
const without = (calendar: Calendar, title: string): Calendar =>
  Object.fromEntries(Object.entries(calendar).filter(([own]) => own !== title));
const shift = (at: string, minutes: number): string =>
  Temporal.PlainDateTime.from(at).add({ minutes }).toString().slice(0, 16);

/* ---------- requests with their meaning ---------- */

const time = fc.record({
  day: fc.integer({ min: 1, max: 20 }),
  hour: fc.integer({ min: 13, max: 19 }),
  minute: fc.constantFrom(0, 15, 30, 45),
});
const atOf = ({ day, hour, minute }: { day: number; hour: number; minute: number }): string =>
  TODAY.add({ days: day }).toPlainDateTime({ hour, minute }).toString().slice(0, 16);
const spoken = (at: string): string => {
  const date = Temporal.PlainDate.from(at.slice(0, 10));
  return `${date.day} ${MONTHS[date.month - 1]} at ${at.slice(11)}`;
};

const minutesOf = fc.constantFrom(15, 20, 30, 45, 60, 90, 120);
const aRequest = (titles: readonly string[]): fc.Arbitrary<Request> => {
  const title = fc.constantFrom(...titles);
  const edited = ({
    say,
    of,
    to,
  }: {
    say: string;
    of: string;
    to: Partial<Calendar[string]> | ((event: Calendar[string]) => Partial<Calendar[string]>);
  }): Request => ({
    say,
    meant: (before) => ({ ...before, [of]: { ...before[of]!, ...(typeof to === 'function' ? to(before[of]!) : to) } }),
  });
  return fc.oneof(
    fc.tuple(time, minutesOf).map(([when, minutes]): Request => {
      const at = atOf(when);
      return {
        say: `Plan chess with Ola on ${spoken(at)} for ${minutes} minutes`,
        meant: (before) => ({ ...before, 'Chess with Ola': { at, minutes } }),
      };
    }),
    fc
      .tuple(title, time)
      .map(([of, when]) => edited({ say: `move the ${of} to ${spoken(atOf(when))}`, of, to: { at: atOf(when) } })),
    fc
      .tuple(title, minutesOf)
      .map(([of, by]) =>
        edited({ say: `push the ${of} back by ${by} minutes`, of, to: ({ at }) => ({ at: shift(at, by) }) }),
      ),
    fc
      .tuple(title, minutesOf)
      .map(([of, minutes]) => edited({ say: `make the ${of} ${minutes} minutes long`, of, to: { minutes } })),
    fc
      .tuple(title, minutesOf)
      .map(([of, by]) =>
        edited({ say: `extend the ${of} by ${by} minutes`, of, to: ({ minutes }) => ({ minutes: minutes + by }) }),
      ),
    fc
      .tuple(title, fc.constantFrom(5, 10))
      .map(([of, by]) =>
        edited({ say: `shorten the ${of} by ${by} minutes`, of, to: ({ minutes }) => ({ minutes: minutes - by }) }),
      ),
    fc
      .tuple(title, minutesOf)
      .map(([of, by]) =>
        edited({ say: `bring the ${of} forward by ${by} minutes`, of, to: ({ at }) => ({ at: shift(at, -by) }) }),
      ),
    fc
      .tuple(title, fc.integer({ min: 1, max: 5 }))
      .map(([of, days]) =>
        edited({ say: `move the ${of} by ${days} days`, of, to: ({ at }) => ({ at: shift(at, days * 1440) }) }),
      ),
    fc.tuple(title, time).map(([of, when]) => {
      const to = ({ at }: Calendar[string]) => ({ at: `${at.slice(0, 10)}${atOf(when).slice(10)}` });
      return edited({ say: `move the ${of} to ${atOf(when).slice(11)}`, of, to });
    }),
    fc.tuple(title, time).map(([of, when]) => {
      const to = ({ at }: Calendar[string]) => ({ at: `${atOf(when).slice(0, 10)}${at.slice(10)}` });
      return edited({ say: `move the ${of} to ${spoken(atOf(when)).replace(/ at .*/, '')}`, of, to });
    }),
    fc.tuple(title, time, minutesOf).map(([of, when, minutes]) => {
      const to = { at: atOf(when), minutes };
      return edited({ say: `move the ${of} to ${spoken(to.at)} and make it ${minutes} minutes long`, of, to });
    }),
    fc.tuple(title, time, fc.boolean()).map(([of, when, first]): Request => {
      const to = spoken(atOf(when));
      const meant = (before: Calendar) => ({
        ...without(before, of),
        'Visit of Kim': { ...before[of]!, at: atOf(when) },
      });
      return first
        ? { say: `rename the ${of} to Visit of Kim and move it to ${to}`, meant }
        : { say: `move the ${of} to ${to} and call it Visit of Kim`, meant };
    }),
    fc.tuple(title, time, minutesOf).map(([of, when, by]) => {
      const to = ({ minutes }: Calendar[string]) => ({ at: atOf(when), minutes: minutes + by });
      return edited({ say: `move the ${of} to ${spoken(atOf(when))} and extend it by ${by} minutes`, of, to });
    }),
    fc.tuple(title, time, minutesOf).map(([of, when, minutes]): Request => {
      const at = atOf(when);
      return {
        say: `cancel the ${of} and schedule tea with Ola on ${spoken(at)} for ${minutes} minutes`,
        meant: (before) => ({ ...without(before, of), 'Tea with Ola': { at, minutes } }),
      };
    }),
    fc.tuple(time, time, minutesOf).map(([first, second, minutes]): Request => {
      const [a, b] = [atOf(first), atOf(second)];
      return {
        say: `Plan tea with Ola on ${spoken(a)} for ${minutes} minutes and a walk with Kim on ${spoken(b)} for 25 minutes`,
        meant: (before) => ({ ...before, 'Tea with Ola': { at: a, minutes }, 'Walk with Kim': { at: b, minutes: 25 } }),
      };
    }),
    title.map((of): Request => ({ say: `cancel the ${of}`, meant: (before) => without(before, of) })),
    title.map((of): Request => ({
      say: `rename the ${of} to Visit of Kim`,
      meant: (before) => ({ ...without(before, of), 'Visit of Kim': before[of]! }),
    })),
    fc.shuffledSubarray([...titles], { minLength: 2, maxLength: 2 }).map(([a, b]): Request => ({
      say: `swap the ${a} and the ${b}`,
      meant: (before) => ({
        ...before,
        [a!]: { ...before[a!]!, at: before[b!]!.at },
        [b!]: { ...before[b!]!, at: before[a!]!.at },
      }),
    })),
  );
};

/* ---------- what the intents do, and what the sentence says ---------- */

const effectOf = (before: Calendar, intents: readonly Intent[]): Calendar => {
  let after = before;
  for (const { title, scheduled_for, duration_minutes, duration_delta_minutes = 0, arguments: own } of intents) {
    const event = before[title] ?? { at: '', minutes: 0 };
    after = without(after, title);
    if (own.cancel) continue;
    after = {
      ...after,
      [own.title ?? title]: {
        at: scheduled_for ? wall(scheduled_for) : event.at,
        minutes: (duration_minutes ?? event.minutes) + duration_delta_minutes,
      },
    };
  }
  return after;
};

const TIME = `(?:${WEEKDAYS.join('|')}) (\\d+) (${MONTHS.join('|')}) at (\\d\\d:\\d\\d)`;
const atSaid = ([, day, month, clock]: RegExpExecArray): string =>
  `2026-${String(MONTHS.indexOf(month!) + 1).padStart(2, '0')}-${day!.padStart(2, '0')}T${clock}`;
const LENGTH = '((?:\\d+ hours? ?)?(?:\\d+ minutes?)?)';
const lengthSaid = (text: string): number =>
  Number(/(\d+) hour/.exec(text)?.[1] ?? 0) * 60 + Number(/(\d+) minute/.exec(text)?.[1] ?? 0);

const sentenceOf = (before: Calendar, reply: string): Calendar => {
  let after = before;
  const [, said = ''] = /^I propose: (.*?)\.(?: At the time .*)?$/.exec(reply) ?? [];
  for (const part of said.split('; ')) {
    const [, title = ''] = /“(.+?)”/.exec(part) ?? [];
    const event = before[title] ?? { at: '', minutes: 0 };
    const when = new RegExp(TIME).exec(part);
    after = without(after, title);
    if (part.startsWith('Cancel')) continue;
    const length = new RegExp(`(?:make it |, )${LENGTH}(?: long(?!er)|,)`).exec(part)?.[1];
    const [, by = '', way] = new RegExp(`make it ${LENGTH} (longer|shorter)`).exec(part) ?? [];
    const [, name = title] = /call it “(.+?)”/.exec(part) ?? [];
    const delta = way ? lengthSaid(by) * (way === 'longer' ? 1 : -1) : 0;
    after = {
      ...after,
      [name]: { at: when ? atSaid(when) : event.at, minutes: (length ? lengthSaid(length) : event.minutes) + delta },
    };
  }
  return after;
};

const calendars = fc
  .uniqueArray(fc.record({ title: fc.constantFrom(...TITLES), when: time, minutes: minutesOf }), {
    selector: ({ title }) => title,
    minLength: 2,
    maxLength: 6,
  })
  .map((all): Calendar =>
    Object.fromEntries(all.map(({ title, when, minutes }) => [title, { at: atOf(when), minutes }])),
  );

const timesOf = (calendar: Calendar): string[] =>
  Object.values(calendar)
    .map(({ at }) => at)
    .toSorted();

test('what was asked, what is proposed and what the reply says are the same', () => {
  const cases = calendars.chain((before) => fc.tuple(fc.constant(before), aRequest(Object.keys(before))));
  fc.assert(
    fc.property(cases, ([before, { say, meant }]) => {
      const events = Object.entries(before).map(([title, { at, minutes }], i): KnownEvent => ({
        uid: `e${i}`,
        title,
        scheduled_for: wallToInstant(Temporal.PlainDateTime.from(at), ZONE),
        duration_minutes: minutes,
      }));
      const { intents, reply, question } = understand(say, { now: NOW, zone: ZONE, events, pending: [] });
      // To move something to where it is changes nothing, so that is asked about, and nothing else is done.
      if (question?.includes('at that time already')) {
        expect(intents).toEqual([]);
        expect(timesOf(meant(before))).toEqual(timesOf(before));
        return;
      }
      expect(question).toBeUndefined();
      expect(effectOf(before, intents)).toEqual(meant(before));
      expect(sentenceOf(before, reply)).toEqual(meant(before));
    }),
    { numRuns: runs(1500), interruptAfterTimeLimit: 8_000 },
  );
});

test('what is cancelled gets no new name: the reply asks', () => {
  const event = {
    uid: 'e',
    title: 'Dentist',
    scheduled_for: wallToInstant(TODAY.add({ days: 4 }).toPlainDateTime('11:00'), ZONE),
    duration_minutes: 45,
  };
  const { intents, question } = understand('cancel the dentist and call it Checkup', {
    now: NOW,
    zone: ZONE,
    events: [event],
    pending: [],
  });
  expect(question).toContain('Which of the two do you want?');
  expect(intents).toMatchObject([{ title: 'Dentist', arguments: { cancel: true } }]);
});
