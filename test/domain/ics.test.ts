/** iCalendar there and back: nothing is lost, and what Almanac has no field for is kept. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { EventDoc } from '../../src/domain/calendar/event-doc.ts';
import { addMinutes, localStart, wallToInstant } from '../../src/domain/time/time.ts';
import { aDay, anEvent, file, linesOf, NOW, vevent, write, ZONES } from '../support/events.ts';
import { readCalendar } from '../support/read-at-once.ts';
import { runs } from '../support/thoroughness.ts';

const BERLIN = { zone: 'Europe/Berlin' };
const readOne = (text: string | Uint8Array, options = BERLIN) => {
  const { events, report } = readCalendar(text, options);
  expect(report).toEqual([]);
  expect(events).toHaveLength(1);
  return events[0]!.event;
};

describe('what is kept', () => {
  const extras = [
    'ORGANIZER;CN="Müller, Hans":mailto:hans@example.org',
    'ATTENDEE;CUTYPE=INDIVIDUAL;PARTSTAT=ACCEPTED;CN=Ann;X-NUM-GUESTS=0:mailto:ann@example.org',
    'CLASS:PRIVATE',
    'GEO:48.137154;11.576124',
    'X-APPLE-STRUCTURED-LOCATION;X-TITLE="Hall: A";VALUE=URI:geo:48.1,11.5',
    'X-ALT-DESC;FMTTYPE=text/html:<b>a\\, b</b>\\nc',
  ];
  const alarm = [
    'BEGIN:VALARM',
    'ACTION:EMAIL',
    'TRIGGER:-PT30M',
    'ATTENDEE:mailto:a@example.org',
    'SUMMARY:s',
    'DESCRIPTION:d',
    'END:VALARM',
  ];
  const absolute = [
    'BEGIN:VALARM',
    'ACTION:AUDIO',
    'TRIGGER;VALUE=DATE-TIME:20260701T080000Z',
    'X-WR-ALARMUID:A1',
    'END:VALARM',
  ];
  const text = file(...vevent('DTSTART:20260701T100000Z', 'SUMMARY:Kept', ...extras, ...alarm, ...absolute));
  const kept = () => ({ ...anEvent(), ...readOne(text), created_at: NOW, updated_at: NOW });

  test('comes back out unchanged', () => {
    const out = write(kept()).replaceAll('\r\n ', '');
    for (const block of [...extras, alarm.join('\r\n'), absolute.join('\r\n')])
      expect(out).toContain(`\r\n${block}\r\n`);
  });

  test('a line that says more than its field stands for as long as the field says the same', () => {
    const lines = ['SUMMARY;LANGUAGE=de:Gespräch', 'LOCATION;ALTREP="http://x":Hier', 'DESCRIPTION;LANGUAGE=de:a\\, b'];
    const event = { ...anEvent(), ...readOne(file(...vevent('DTSTART:20260701T100000Z', ...lines))) };
    const out = { created_at: NOW, updated_at: NOW };
    expect(write({ ...event, ...out }).split('\r\n')).toEqual(expect.arrayContaining(lines));
    const renamed = write({ ...event, ...out, title: 'Call', description: null });
    expect(linesOf(renamed, 'SUMMARY')).toEqual(['SUMMARY:Call']);
    expect(linesOf(renamed, 'DESCRIPTION')).toEqual([]);
    expect(linesOf(renamed, 'LOCATION')).toEqual([lines[1]]);
  });

  test('an address that would run is no link, and stays in the file', () => {
    const event = readOne(file(...vevent('DTSTART:20260701T100000Z', 'URL:JavaScript:alert(1)')));
    expect(event.url).toBeNull();
    const written = { ...anEvent(), ...event, created_at: NOW, updated_at: NOW };
    expect(linesOf(write(written), 'URL')).toEqual(['URL:JavaScript:alert(1)']);
    expect(linesOf(write({ ...written, url: 'https://example.org' }), 'URL')).toEqual(['URL:https://example.org']);
  });

  test('a floating time floats until it is given a zone', () => {
    const lines = [
      'DTSTART:20261023T070000',
      'DTEND:20261023T073000',
      'RRULE:FREQ=DAILY;UNTIL=20261027T070000',
      'EXDATE:20261024T070000',
    ];
    const event = { ...anEvent(), ...readOne(file(...vevent(...lines))), created_at: NOW, updated_at: NOW };
    expect(write(event).split('\r\n')).toEqual(
      expect.arrayContaining([...lines, 'X-ALMANAC-TIMEZONE;VALUE=TEXT:Europe/Berlin']),
    );
    expect(write(event)).not.toContain('VTIMEZONE');
    expect(readOne(write(event), { zone: 'Asia/Tokyo' })).toMatchObject({
      timezone: 'Europe/Berlin',
      scheduled_for: event.scheduled_for,
    });
    expect(linesOf(write({ ...event, timezone: 'Asia/Tokyo' }), 'EXDATE')).toEqual([
      'EXDATE;TZID=Asia/Tokyo:20261024T140000',
    ]);
  });

  test('an all-day event is on the days of its own zone, wherever it is read', () => {
    const day = aDay('2026-11-03', { timezone: 'Asia/Tokyo' });
    expect(readOne(write(day), { zone: 'America/New_York' })).toMatchObject({
      timezone: 'Asia/Tokyo',
      scheduled_for: '2026-11-02T15:00:00.000Z',
    });
    expect(readOne(write(day).replace(/X-ALMANAC-TIMEZONE.*\r\n/, ''), { zone: 'America/New_York' })).toMatchObject({
      timezone: 'America/New_York',
      local_start: '2026-11-03T00:00:00',
    });
  });

  test('an alarm is a reminder too, and goes with it', () => {
    expect(kept().reminders).toEqual([30]);
    expect(write({ ...kept(), reminders: [10] })).not.toContain('ACTION:EMAIL');
    expect(linesOf(write({ ...kept(), reminders: [30, 10] }), 'TRIGGER')).toEqual([
      'TRIGGER:-PT30M',
      'TRIGGER;VALUE=DATE-TIME:20260701T080000Z',
      'TRIGGER:-PT10M',
    ]);
  });

  test.each([
    ['TRIGGER:-P1D', [1440]],
    ['TRIGGER:-P1W', [10_080]],
    ['TRIGGER;RELATED=START:-PT1H30M', [90]],
    ['TRIGGER:PT0S', [0]],
    ['TRIGGER:PT5M', []],
    ['TRIGGER;RELATED=END:-PT5M', []],
    ['TRIGGER:-PT90S', []],
  ])('%s is %j', (trigger, reminders) => {
    const lines = vevent(
      'DTSTART:20260701T100000Z',
      'BEGIN:VALARM',
      'ACTION:DISPLAY',
      trigger,
      'DESCRIPTION:x',
      'END:VALARM',
    );
    expect(readOne(file(...lines)).reminders).toEqual(reminders);
  });
});

describe('read(write(x)) is x', () => {
  const word = fc
    .string({ unit: 'grapheme', minLength: 1, maxLength: 60 })
    .map((text) => `a${text.replace(/[\p{Cc}]/gu, '')}`);
  const optional = fc.option(word, { nil: null });
  const event = fc
    .record({
      zone: fc.constantFrom(...ZONES, 'UTC'),
      day: fc.integer({ min: -400, max: 900 }),
      time: fc.constantFrom('00:00:00', '01:30:00', '01:45:00', '02:15:00', '02:30:00', '09:00:00', '23:59:30'),
      all_day: fc.boolean(),
      minutes: fc.integer({ min: 0, max: 3_000 }),
      secondPass: fc.boolean(),
      rrule: fc.constantFrom(
        null,
        'FREQ=DAILY',
        'FREQ=WEEKLY;BYDAY=MO,FR;COUNT=12',
        'FREQ=MONTHLY;BYDAY=-1SU;INTERVAL=2',
      ),
      dates: fc.uniqueArray(fc.integer({ min: 1, max: 300 }), { maxLength: 4 }),
      text: fc.record({
        title: word,
        description: optional,
        location: optional,
        task_id: optional,
        tempo_tag: optional,
      }),
      tags: fc.uniqueArray(
        word.map((tag) => tag.trim()),
        { maxLength: 4 },
      ),
      status: fc.constantFrom('confirmed', 'tentative', 'cancelled'),
      busy: fc.boolean(),
      reminders: fc.uniqueArray(fc.integer({ min: 0, max: 5_000 }), { maxLength: 3 }),
      sequence: fc.nat(1_000),
    })
    .map(({ zone, day, time, all_day, minutes, secondPass, rrule, dates, text, ...rest }): EventDoc => {
      const date = Temporal.PlainDate.from('2026-01-01').add({ days: day });
      const timezone = all_day ? BERLIN.zone : zone;
      const local_start = `${date.toString()}T${all_day ? '00:00:00' : time}`;
      const first = wallToInstant(local_start, timezone);
      const second = addMinutes(first, 60);
      const isSecond = secondPass && !rrule && localStart(second, timezone) === local_start;
      const others = dates.map((days) =>
        wallToInstant(`${date.add({ days }).toString()}${local_start.slice(10)}`, timezone),
      );
      return anEvent({
        ...rest,
        ...text,
        all_day,
        timezone,
        local_start,
        scheduled_for: isSecond ? second : first,
        duration_minutes: all_day ? (1 + (minutes % 5)) * 1440 : minutes,
        rrule,
        exdates: rrule ? [...new Set(others)].sort() : [],
        url: text.location === null ? null : 'https://example.org/?q=a,b;c',
      });
    });

  test('for any event', () => {
    fc.assert(
      fc.property(event, (written) => {
        expect(readOne(write(written))).toEqual(written);
      }),
      { numRuns: runs(400) },
    );
  });

  test('for a series with overrides', () => {
    fc.assert(
      fc.property(event, event, fc.integer({ min: 1, max: 100 }), (series, other, days) => {
        const whole: EventDoc = {
          ...series,
          rrule: 'FREQ=DAILY',
          scheduled_for: wallToInstant(series.local_start, series.timezone),
        };
        const date = Temporal.PlainDate.from(whole.local_start.slice(0, 10)).add({ days });
        const recurrence_id = wallToInstant(`${date.toString()}${whole.local_start.slice(10)}`, whole.timezone);
        // An EXDATE of a newer series removes the occurrence.
        const master = { ...whole, exdates: whole.exdates.filter((at) => at !== recurrence_id) };
        const override: EventDoc = { ...other, rrule: null, exdates: [], recurrence_id };
        const { events, report } = readCalendar(write(master, override), BERLIN);
        expect(report).toEqual([]);
        expect(events.map((read) => read.event)).toEqual([master, override]);
      }),
      { numRuns: runs(200) },
    );
  });

  test('and write(read(x)) of what was written is the same text', () => {
    fc.assert(
      fc.property(event, (written) => {
        const text = write(written);
        expect(
          write({ ...written, ...readOne(text), created_at: written.created_at, updated_at: written.updated_at }),
        ).toBe(text);
      }),
      { numRuns: runs(100) },
    );
  });
});
