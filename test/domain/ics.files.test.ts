/** Files as they come: encodings, broken lines, bad components, bombs. */
import { hash } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { aDay, anEvent, at, file, vevent, write } from '../support/events.ts';
import { readCalendar, readComponents } from '../support/read-at-once.ts';
import { runs } from '../support/thoroughness.ts';

const BERLIN = { zone: 'Europe/Berlin' };
const readOne = (text: string | Uint8Array, options = BERLIN) => {
  const { events, report } = readCalendar(text, options);
  expect(report).toEqual([]);
  expect(events).toHaveLength(1);
  return events[0]!.event;
};

describe('files as they come', () => {
  const simple = vevent('DTSTART:20260701T100000Z', 'SUMMARY:Größe');
  const text = file(...simple);

  test.each<[string, string | Uint8Array]>([
    ['a byte order mark', `\uFEFF${text}`],
    ['a byte order mark in bytes', new TextEncoder().encode(`\uFEFF${text}`)],
    ['bare LF', text.replaceAll('\r\n', '\n')],
    ['bare CR', text.replaceAll('\r\n', '\r')],
    ['blank lines', text.replaceAll('\r\n', '\r\n\r\n')],
    ['no line break at the end, no END:VCALENDAR', text.slice(0, text.lastIndexOf('\r\n'))],
    ['folds with tabs', text.replace('SUMMARY:Grö', 'SUMM\r\n\tARY:Gr\n\tö')],
    ['Latin-1', Uint8Array.from(text, (char) => char.charCodeAt(0))],
    [
      'lower case',
      text.replace('BEGIN:VEVENT', 'begin:vevent').replace('SUMMARY', 'summary').replace('END:VEVENT', 'End:VEvent'),
    ],
  ])('%s', (_name, input) => {
    expect(readOne(input).title).toBe('Größe');
  });

  test('lines are numbered as an editor numbers them, whatever ends them', () => {
    const breaks = fc
      .array(fc.constantFrom('\r\n', '\n', '\r'), { minLength: 1, maxLength: 4 })
      .map((ends) => ends.join(''));
    fc.assert(
      fc.property(fc.array(breaks, { minLength: 1, maxLength: 12 }), (ends) => {
        const input = `BEGIN:VCALENDAR\n${ends.map((end, n) => `X-${n}:v${end}`).join('')}END:VCALENDAR`;
        const [calendar] = readComponents(input).components;
        const lines = input.split(/\r\n|\n|\r/);
        for (const { line, name } of calendar!.properties) expect(lines[line - 1]).toBe(`${name.toUpperCase()}:v`);
        expect(calendar!.properties).toHaveLength(ends.length);
      }),
    );
  });

  test('a fold within a character', () => {
    const bytes = new TextEncoder().encode(text);
    const within = bytes.indexOf(0xc3) + 1;
    const folded = [...bytes.slice(0, within), 13, 10, 32, ...bytes.slice(within)];
    expect(readOne(Uint8Array.from(folded)).title).toBe('Größe');
  });

  test.each([
    [
      'a line break in a text',
      ['DESCRIPTION:First line', 'second line', 'https://example.org'],
      'First line\nsecond line\nhttps://example.org',
    ],
    ['a fold without its space', [`DESCRIPTION:${'x'.repeat(70)}`, 'rest of it'], `${'x'.repeat(70)}rest of it`],
  ])('%s is joined and told', (_name, lines, description) => {
    const { events, report } = readCalendar(file(...vevent('DTSTART:20260701T100000Z', ...lines)), BERLIN);
    expect(events[0]?.event.description).toBe(description);
    expect(report).toMatchObject([{ line: 8, component: 'VEVENT', uid: 'one@example.org', level: 'warning' }]);
  });

  test('bad components are told by line, good ones go in', () => {
    const bad = (uid: string, ...lines: string[]) => ['BEGIN:VEVENT', `UID:${uid}`, ...lines, 'END:VEVENT'];
    const { events, report } = readCalendar(
      file(
        ...bad('no-start', 'SUMMARY:x'), // 4
        ...bad('bad-start', 'DTSTART:20261345T100000Z'), // 8
        ...bad('backwards', 'DTSTART:20260701T100000Z', 'DTEND:20260701T090000Z'), // 12
        ...bad('bomb', 'DTSTART:20260701T100000Z', 'RRULE:FREQ=SECONDLY'), // 17
        ...bad('never', 'DTSTART:20260701T100000Z', 'RRULE:FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=30'), // 22
        ...bad('bad-line', 'DTSTART:20260701T100000Z', 'X-A;B="c:d'), // 27
        'BEGIN:VTODO', // 32
        'UID:todo',
        'END:VTODO',
        ...simple, // 35
        'BEGIN:VEVENT', // 41
        'UID:cut',
        'DTSTART:20260701T100000Z',
      ),
      BERLIN,
    );
    expect(report.map(({ line, uid, level }) => [line, uid, level])).toEqual([
      [4, 'no-start', 'error'],
      [10, 'bad-start', 'error'],
      [15, 'backwards', 'error'],
      [20, 'bomb', 'warning'],
      [25, 'never', 'warning'],
      [30, 'bad-line', 'warning'],
      [32, undefined, 'warning'],
      [41, undefined, 'error'],
    ]);
    expect(events.map(({ line, event }) => [line, event.uid])).toEqual([
      [17, 'bomb'],
      [22, 'never'],
      [27, 'bad-line'],
      [35, 'one@example.org'],
    ]);
  });

  test.each([
    ['RECURRENCE-ID;TZID="Europe/Berlin:20260701T100000', 'is not a time.'],
    ['DTEND;X="Y:20260701T100000Z', 'is not a time.'],
    ['DURATION:soon', 'soon is not a duration.'],
  ])('an event whose %s cannot be read is not half read', (line, reason) => {
    const { events, report } = readCalendar(file(...vevent('DTSTART:20260701T100000Z', line)), BERLIN);
    expect(events).toEqual([]);
    expect(report).toMatchObject([{ line: 8, level: 'error', message: expect.stringContaining(reason) }]);
  });

  test('text that is no calendar', () => {
    for (const input of ['', 'hello', '<html>', '{"a":1}', 'BEGIN:VEVENT\nEND:VEVENT']) {
      expect(readCalendar(input, BERLIN)).toMatchObject({ events: [], report: [{ level: 'error' }] });
    }
  });

  test('the same event twice: the higher SEQUENCE counts', () => {
    const version = (title: string, sequence: number) =>
      vevent('DTSTART:20260701T100000Z', `SUMMARY:${title}`, `SEQUENCE:${sequence}`);
    const { events, report } = readCalendar(file(...version('new', 2), ...version('old', 1)), BERLIN);
    expect(events.map(({ event }) => event.title)).toEqual(['new']);
    expect(report).toMatchObject([{ line: 11, level: 'warning' }]);
  });

  test('an event without UID gets the same one each time', () => {
    const uids = [1, 2].map(
      () =>
        readCalendar(file('BEGIN:VEVENT', 'DTSTART:20260701T100000Z', 'SUMMARY:x', 'END:VEVENT'), BERLIN).events[0]
          ?.event.uid,
    );
    expect(uids[0]).toMatch(/@without-uid$/);
    expect(uids[0]).toBe(uids[1]);
  });

  test('the one of a long event is that of all its text, wherever a piece of it ends', () => {
    for (const value of ['', 'a'].map((first) => first + '📅'.repeat(70_000))) {
      const text = file('BEGIN:VEVENT', 'DTSTART:20260701T100000Z', `X-A:${value}`, 'END:VEVENT');
      const whole = JSON.stringify([
        ['dtstart', '20260701T100000Z'],
        ['x-a', value],
      ]);
      const uid = `${hash('sha256', whole).slice(0, 32)}@without-uid`;
      expect(readCalendar(text, BERLIN).events[0]?.event.uid).toBe(uid);
    }
  });

  test('METHOD:CANCEL cancels', () => {
    expect(readOne(file('METHOD:CANCEL', ...simple)).status).toBe('cancelled');
  });

  test.each([
    ['two attachments in an alarm', `BEGIN:VALARM\r\n${`ATTACH:${'A'.repeat(3_100_000)}\r\n`.repeat(2)}END:VALARM`],
    ['two attachments in two alarms', `BEGIN:VALARM\r\nATTACH:${'A'.repeat(3_100_000)}\r\nEND:VALARM\r\n`.repeat(2)],
    ['a thousand components in an alarm', `BEGIN:VALARM\r\n${'BEGIN:X\r\nEND:X\r\n'.repeat(1_000)}END:VALARM`],
    ['more components than alarms', 'BEGIN:X\r\nEND:X\r\n'.repeat(1_001)],
  ])('%s are more than an event may have', (_name, inside) => {
    const { events, left } = readCalendar(file(...vevent('DTSTART:20260701T100000Z', inside.trimEnd())), BERLIN);
    expect(events).toEqual([]);
    expect(left).toMatchObject([
      { outcome: 'failed', reason: expect.stringMatching(/at most (6000000 characters|1000 components)/) },
    ]);
  });

  test('bombs end soon', () => {
    const alarms = file(...Array.from({ length: 60_000 }, () => 'BEGIN:VALARM\r\nEND:VALARM'));
    expect(readCalendar(alarms, BERLIN).left.at(-1)).toMatchObject({
      component: '',
      reason: expect.stringContaining('50000'),
    });
    const nested = 'BEGIN:X\r\n'.repeat(30_000);
    expect(readCalendar(nested, BERLIN).events).toEqual([]);
    const never = Array.from({ length: 500 }, (_, n) =>
      vevent(`UID:${n}`, 'DTSTART:20260701T100000Z', 'RRULE:FREQ=DAILY;BYMONTH=2;BYMONTHDAY=30'),
    );
    const { report: said } = readCalendar(file(...never.flat()), BERLIN);
    expect(said.filter(({ message }) => /^The (rule|component)/.test(message))).toHaveLength(500);
    const parameters = file(...vevent('DTSTART:20260701T100000Z', `X-A${';B=c'.repeat(500_000)}:x`));
    expect(readCalendar(parameters, BERLIN).report).toHaveLength(1);
  });

  test.each([
    ['millions of dates in one line', `RDATE:${'20260701T100000Z,'.repeat(900_000)}20260701T100000Z`],
    ['many dates in many lines', `EXDATE:${'20260701T100000Z,'.repeat(999)}20260701T100000Z\r\n`.repeat(11).trimEnd()],
    ['ten thousand properties', 'X-A:b\r\n'.repeat(10_000).trimEnd()],
  ])('%s are refused, and the rest goes in', (_what, line) => {
    const other = vevent('DTSTART:20260701T100000Z').map((one) => one.replace('one@', 'other@'));
    const { events, left } = readCalendar(file(...vevent('DTSTART:20260701T100000Z', line), ...other), BERLIN);
    expect(events.map(({ event }) => event.uid)).toEqual(['other@example.org']);
    expect(left).toMatchObject([{ line: 4, uid: 'one@example.org', outcome: 'failed' }]);
  });

  test.each([
    ['RRULE:FREQ=OFTEN'],
    ['RRULE:FREQ=DAILY;COUNT=1000000000'],
    ['RRULE:FREQ=SECONDLY;COUNT=5000'],
    [`RRULE:FREQ=DAILY;BYHOUR=${Array(24).keys().toArray().join()};BYMINUTE=0,1,2,3,4,5`],
  ])('of %s only the start happens, and the rule is kept', (line) => {
    const { events, report } = readCalendar(file(...vevent('DTSTART:20260701T100000Z', line)), BERLIN);
    expect(report).toMatchObject([{ line: 8, level: 'warning' }]);
    expect(events).toMatchObject([{ event: { rrule: null, ics: { properties: [['rrule', {}, 'x-line', line]] } } }]);
  });

  test('of more than 20,000 events the rest is told, with its line', () => {
    const many = Array.from({ length: 20_010 }, (_, n) => [
      'BEGIN:VEVENT',
      `UID:${n}`,
      'DTSTART:20260701T100000Z',
      'END:VEVENT',
    ]);
    const { events, left, report } = readCalendar(file(...many.flat()), BERLIN);
    expect(events).toHaveLength(20_000);
    expect(left).toMatchObject([
      { line: 4 + 20_000 * 4, outcome: 'failed', reason: expect.stringContaining('20000 events') },
    ]);
    expect(report).toHaveLength(1);
  });

  test('no input makes it throw', () => {
    const whole = write(
      anEvent({ rrule: 'FREQ=WEEKLY', exdates: [at('2026-11-28T09:00')], reminders: [5], tags: ['a'] }),
      aDay('2026-01-01'),
    );
    const cut = fc.record({ from: fc.nat(whole.length), length: fc.nat(40), insert: fc.string({ maxLength: 12 }) });
    fc.assert(
      fc.property(fc.array(cut, { maxLength: 8 }), (cuts) => {
        const input = cuts.reduce(
          (text, { from, length, insert }) => text.slice(0, from) + insert + text.slice(from + length),
          whole,
        );
        const { events, report } = readCalendar(input, BERLIN);
        expect(events.every(({ event }) => event.uid !== '' && !Number.isNaN(Date.parse(event.scheduled_for)))).toBe(
          true,
        );
        expect(report.every(({ line, message }) => line > 0 && message !== '')).toBe(true);
      }),
      { numRuns: runs(500) },
    );
  });
});
