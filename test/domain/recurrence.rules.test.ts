/** Rules one by one: the examples of RFC 5545 §3.8.5.3, parts that limit each other, and what a rule may cost. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { checkRrule } from '../../src/domain/calendar/series-expansion.ts';
import { partsOf } from '../../src/domain/calendar/rrule-parts.ts';
import { walkRule } from '../../src/domain/calendar/rrule.ts';
import { ruleOf } from '../../src/domain/calendar/rrule-period.ts';
import { wallOf, wallText } from '../../src/domain/time/wall-time.ts';
import { runs } from '../support/thoroughness.ts';

/** The first `count` wall times of a rule, without what all of them share. */
const walls = (rrule: string, start: string, count: number): string[] => {
  const found: string[] = [];
  for (const wall of walkRule(partsOf(rrule), wallOf(start)).walls(wallOf(start), Date.UTC(9000, 0))) {
    found.push(wallText(wall).slice(2, 16).replace('T09:00', ''));
    if (found.length === count) break;
  }
  return found;
};

const LABOR = '1997-09-02T09:00:00';

describe('the examples of RFC 5545', () => {
  test.each<[string, string, string[]]>([
    ['FREQ=DAILY;INTERVAL=2', LABOR, ['97-09-02', '97-09-04', '97-09-06']],
    ['FREQ=WEEKLY;COUNT=3', LABOR, ['97-09-02', '97-09-09', '97-09-16']],
    [
      'FREQ=WEEKLY;INTERVAL=2;WKST=SU;BYDAY=MO,WE,FR',
      '1997-09-01T09:00:00',
      ['97-09-01', '97-09-03', '97-09-05', '97-09-15'],
    ],
    ['FREQ=MONTHLY;COUNT=10;BYDAY=1FR', '1997-09-05T09:00:00', ['97-09-05', '97-10-03', '97-11-07', '97-12-05']],
    ['FREQ=MONTHLY;INTERVAL=2;BYDAY=1SU,-1SU', '1997-09-07T09:00:00', ['97-09-07', '97-09-28', '97-11-02', '97-11-30']],
    ['FREQ=MONTHLY;COUNT=6;BYDAY=-2MO', '1997-09-22T09:00:00', ['97-09-22', '97-10-20', '97-11-17', '97-12-22']],
    [
      'FREQ=MONTHLY;BYMONTHDAY=-3',
      '1997-09-28T09:00:00',
      ['97-09-28', '97-10-29', '97-11-28', '97-12-29', '98-01-29', '98-02-26'],
    ],
    ['FREQ=MONTHLY;BYMONTHDAY=1,-1', '1997-09-30T09:00:00', ['97-09-30', '97-10-01', '97-10-31', '97-11-01']],
    [
      'FREQ=MONTHLY;INTERVAL=18;BYMONTHDAY=10,11',
      '1997-09-10T09:00:00',
      ['97-09-10', '97-09-11', '99-03-10', '99-03-11'],
    ],
    ['FREQ=YEARLY;BYMONTH=6,7', '1997-06-10T09:00:00', ['97-06-10', '97-07-10', '98-06-10']],
    [
      'FREQ=YEARLY;INTERVAL=2;BYMONTH=1,2,3',
      '1997-03-10T09:00:00',
      ['97-03-10', '99-01-10', '99-02-10', '99-03-10', '01-01-10'],
    ],
    [
      'FREQ=YEARLY;INTERVAL=3;BYYEARDAY=1,100,200',
      '1997-01-01T09:00:00',
      ['97-01-01', '97-04-10', '97-07-19', '00-01-01', '00-04-09', '00-07-18', '03-01-01'],
    ],
    ['FREQ=YEARLY;BYDAY=20MO', '1997-05-19T09:00:00', ['97-05-19', '98-05-18', '99-05-17']],
    ['FREQ=YEARLY;BYWEEKNO=20;BYDAY=MO', '1997-05-12T09:00:00', ['97-05-12', '98-05-11', '99-05-17']],
    ['FREQ=YEARLY;BYMONTH=3;BYDAY=TH', '1997-03-13T09:00:00', ['97-03-13', '97-03-20', '97-03-27', '98-03-05']],
    ['FREQ=MONTHLY;BYDAY=FR;BYMONTHDAY=13', LABOR, ['98-02-13', '98-03-13', '98-11-13', '99-08-13', '00-10-13']],
    [
      'FREQ=MONTHLY;BYDAY=SA;BYMONTHDAY=7,8,9,10,11,12,13',
      '1997-09-13T09:00:00',
      ['97-09-13', '97-10-11', '97-11-08', '97-12-13', '98-01-10'],
    ],
    [
      'FREQ=YEARLY;INTERVAL=4;BYMONTH=11;BYDAY=TU;BYMONTHDAY=2,3,4,5,6,7,8',
      '1996-11-05T09:00:00',
      ['96-11-05', '00-11-07', '04-11-02'],
    ],
    ['FREQ=MONTHLY;BYDAY=TU,WE,TH;BYSETPOS=3', '1997-09-04T09:00:00', ['97-09-04', '97-10-07', '97-11-06']],
    [
      'FREQ=MONTHLY;BYDAY=MO,TU,WE,TH,FR;BYSETPOS=-2',
      '1997-09-29T09:00:00',
      ['97-09-29', '97-10-30', '97-11-27', '97-12-30', '98-01-29'],
    ],
    ['FREQ=HOURLY;INTERVAL=3', LABOR, ['97-09-02', '97-09-02T12:00', '97-09-02T15:00']],
    ['FREQ=MINUTELY;INTERVAL=90', LABOR, ['97-09-02', '97-09-02T10:30', '97-09-02T12:00']],
    [
      'FREQ=MINUTELY;INTERVAL=20;BYHOUR=9,10',
      LABOR,
      ['97-09-02', '97-09-02T09:20', '97-09-02T09:40', '97-09-02T10:00'],
    ],
    [
      'FREQ=WEEKLY;INTERVAL=2;BYDAY=TU,SU;WKST=MO',
      '1997-08-05T09:00:00',
      ['97-08-05', '97-08-10', '97-08-19', '97-08-24'],
    ],
    [
      'FREQ=WEEKLY;INTERVAL=2;BYDAY=TU,SU;WKST=SU',
      '1997-08-05T09:00:00',
      ['97-08-05', '97-08-17', '97-08-19', '97-08-31'],
    ],
    [
      'FREQ=MONTHLY;BYMONTHDAY=15,30;COUNT=5',
      '2007-01-15T09:00:00',
      ['07-01-15', '07-01-30', '07-02-15', '07-03-15', '07-03-30'],
    ],
  ])('%s', (rrule, start, expected) => {
    expect(walls(rrule, start, expected.length)).toEqual(expected);
  });
});

describe('parts that limit each other', () => {
  test.each<[string, string, string[]]>([
    // only where the first Monday is one of the first three days
    ['FREQ=YEARLY;BYMONTH=1;BYDAY=1MO;BYMONTHDAY=1,2,3', '2026-01-01T09:00:00', ['28-01-03', '29-01-01', '33-01-03']],
    ['FREQ=YEARLY;BYYEARDAY=1,2,3;BYDAY=MO', '2026-01-01T09:00:00', ['28-01-03', '29-01-01', '33-01-03']],
    ['FREQ=YEARLY;BYDAY=53SU', '2026-01-01T09:00:00', ['28-12-31', '34-12-31', '40-12-30']],
    ['FREQ=YEARLY;BYWEEKNO=25', '2026-08-07T09:00:00', ['27-06-25', '28-06-23', '29-06-22']],
    ['FREQ=YEARLY;BYWEEKNO=1;BYDAY=MO', '2026-01-02T09:00:00', ['27-01-04', '28-01-03', '29-01-01', '29-12-31']],
    ['FREQ=YEARLY;BYWEEKNO=53;BYMONTHDAY=1', '2026-01-02T09:00:00', ['27-01-01', '33-01-01']],
    ['FREQ=MONTHLY;BYDAY=WE,2FR', '2026-11-05T09:00:00', ['26-11-11', '26-11-13', '26-11-18']],
    ['FREQ=YEARLY;BYYEARDAY=-1;BYMONTHDAY=31', '2026-01-01T09:00:00', ['26-12-31', '27-12-31']],
    // the week began before the start: its Tuesday is the first of the set
    ['FREQ=WEEKLY;BYDAY=TU,TH;BYSETPOS=1', '2026-11-18T09:00:00', ['26-11-24', '26-12-01']],
  ])('%s', (rrule, start, expected) => {
    expect(walls(rrule, start, expected.length)).toEqual(expected);
  });

  test('far from its start a rule is where it would be by walking there', () => {
    for (const rrule of [
      'FREQ=MINUTELY;INTERVAL=97;BYDAY=MO',
      'FREQ=WEEKLY;INTERVAL=3;BYDAY=SU,MO',
      'FREQ=MONTHLY;INTERVAL=5',
    ]) {
      const walk = walkRule(partsOf(rrule), wallOf(LABOR));
      const [from, to] = [wallOf('2004-02-29T10:00:00'), wallOf('2005-01-01')];
      expect(walk.between(from, to)).toEqual(walk.between(wallOf(LABOR), to).filter((wall) => wall >= from));
    }
  });

  test('previous() is the one before, counted or not', () => {
    for (const rrule of [
      'FREQ=MONTHLY;BYDAY=-1FR',
      'FREQ=MONTHLY;BYDAY=-1FR;COUNT=30',
      'FREQ=HOURLY;INTERVAL=5;BYDAY=TU',
    ]) {
      const walk = walkRule(partsOf(rrule), wallOf(LABOR));
      const all = walk.between(wallOf(LABOR), wallOf('1999-09-02'));
      for (const [i, wall] of all.entries()) expect(walk.previous(wall)).toBe(all[i - 1] ?? null);
    }
  });
});

describe('what a rule leaves out', () => {
  const some = (name: string, values: readonly (number | string)[]) =>
    fc
      .option(fc.subarray([...values], { minLength: 1, maxLength: 4 }), { nil: null })
      .map((chosen) => (chosen === null ? [] : [`${name}=${chosen.join(',')}`]));
  const numbers = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, i) => from + i);
  const rules = fc
    .tuple(
      fc.constantFrom('WEEKLY', 'DAILY', 'HOURLY', 'MINUTELY', 'MONTHLY'),
      fc.constantFrom(1, 1, 2, 3, 5, 7, 24, 25, 97, 1439),
      some('BYMONTH', numbers(1, 12)),
      some('BYMONTHDAY', [-31, -30, -1, 1, 13, 28, 29, 30, 31]),
      some('BYDAY', ['MO', 'TU', 'FR', 'SU']),
      some('BYHOUR', numbers(0, 23)),
      some('BYMINUTE', [0, 15, 17, 59]),
    )
    .map(([freq, interval, months, monthDays, ...others]) =>
      [
        `FREQ=${freq}`,
        `INTERVAL=${interval}`,
        ...months,
        ...(freq === 'WEEKLY' ? [] : monthDays),
        ...others.flat(),
      ].join(';'),
    );

  test('is jumped over, forward and backward, and nothing else is', () => {
    fc.assert(
      fc.property(rules, fc.integer({ min: 0, max: 500 }), (rrule, days) => {
        const parts = partsOf(rrule);
        const start = wallOf(LABOR) + days * 86_400_000;
        const rule = ruleOf(parts, start);
        // every period of the interval for half a year, one after the other
        const end = start + 180 * 86_400_000;
        const all: number[] = [];
        for (let period = rule.periodOf(start); period <= rule.periodOf(end); period += rule.interval)
          all.push(...rule.wallsIn(period).filter((wall) => wall >= start && wall <= end));
        const walk = walkRule(parts, start);
        expect(walk.between(start, end)).toEqual(all);
        const back: number[] = [];
        for (let at = walk.previous(end + 1); at !== null; at = walk.previous(at)) back.unshift(at);
        expect(back).toEqual(all);
      }),
      { numRuns: runs(300) },
    );
  });

  test.each([
    ['FREQ=DAILY;BYMONTH=2;BYMONTHDAY=29', 3],
    ['FREQ=DAILY;BYMONTH=2;BYMONTHDAY=30', 3],
    ['FREQ=MINUTELY;BYMONTH=2;BYMONTHDAY=29;BYHOUR=9;BYMINUTE=0', 5],
    ['FREQ=MONTHLY;BYMONTH=2;BYMONTHDAY=29', 3],
    ['FREQ=HOURLY;BYMONTHDAY=13;BYDAY=FR;BYHOUR=9', 20],
    ['FREQ=MINUTELY;BYHOUR=9;BYMINUTE=0', 3 * 366],
  ])('of %s takes at most %i looks a year', (rrule, most) => {
    const rule = ruleOf(partsOf(rrule), wallOf(LABOR));
    const last = rule.periodOf(wallOf('2397-01-01'));
    let looks = 0;
    for (let period = rule.periodOf(wallOf('1997-01-01')); period <= last; looks += 1) {
      const next = rule.atOrAfter(period);
      period = next > period ? next : period + 1;
    }
    expect(looks).toBeLessThanOrEqual(400 * most);
  });

  test('is not walked for ever behind a window that ends', () => {
    const walk = walkRule(partsOf('FREQ=DAILY;BYMONTH=2;BYMONTHDAY=29'), wallOf(LABOR));
    expect(walk.between(wallOf('2026-01-01'), wallOf('2027-12-31'))).toEqual([]);
    expect(walk.between(wallOf('2097-01-01'), wallOf('2103-12-31'))).toEqual([]); // 2100 is no leap year
  });

  test('of a counted rule is counted once: the end is the same from wherever it is looked at', () => {
    const walk = walkRule(partsOf('FREQ=DAILY;BYMONTH=2,2;BYMONTHDAY=29,29;COUNT=100'), wallOf(LABOR));
    const all = walk.between(wallOf(LABOR), wallOf('9000-01-01'));
    expect(all).toHaveLength(100);
    expect(walk.previous(wallOf('9000-01-01'))).toBe(all.at(-1));
    expect(walk.between((all[98] as number) + 1, wallOf('9000-01-01'))).toEqual(all.slice(99));
  });
});

describe('what a rule may be', () => {
  test.each([
    ['FREQ=YEARLY;BYWEEKNO=3;BYDAY=1MO', 'BYDAY=1MO is not allowed with BYWEEKNO'],
    ['FREQ=MONTHLY;BYYEARDAY=3', 'BYYEARDAY is not allowed with FREQ=MONTHLY'],
    ['FREQ=WEEKLY;BYMONTHDAY=3', 'BYMONTHDAY is not allowed with FREQ=WEEKLY'],
    ['FREQ=MONTHLY;BYDAY=0MO', 'BYDAY=0MO cannot be read'],
    ['FREQ=YEARLY;BYDAY=54MO', 'BYDAY=54MO cannot be read'],
    ['FREQ=MONTHLY;BYDAY=MO;BYSETPOS=6', 'has no occurrence'],
    ['FREQ=HOURLY;INTERVAL=2;BYHOUR=8', 'has no occurrence'],
    ['FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=29;COUNT=300', 'COUNT reaches too far'],
  ])('not %s', (rrule, why) => {
    expect(checkRrule(rrule, '2026-01-01T09:00:00.000Z', 'UTC')).toContain(why);
  });
});
