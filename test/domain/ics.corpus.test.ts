/** Files as calendar programs write them (test/corpus): their instants, what is told of them, and that nothing in them is lost. */
import { describe, expect, test } from 'vitest';
import type { EventDoc } from '../../src/domain/calendar/event-doc.ts';
import { writeCalendar } from '../support/events.ts';
import { strictRrule } from '../../src/domain/calendar/series-expansion.ts';
import { bytesOf, CORPUS, eventsOf, happeningsOf, NOW, READER } from '../support/corpus.ts';
import { TABLE } from '../support/corpus-table.ts';
import { readCalendar } from '../support/read-at-once.ts';

/** Read into fields and written anew; everything else in an event comes back as it was. */
const REWRITTEN =
  /^(BEGIN|END|UID|DTSTAMP|DTSTART|DTEND|DURATION|RRULE|RDATE|EXDATE|RECURRENCE-ID|SUMMARY|DESCRIPTION|LOCATION|URL|CATEGORIES|STATUS|TRANSP|SEQUENCE|CREATED|LAST-MODIFIED)([;:]|$)/i;

const write = (name: string) => writeCalendar(eventsOf(bytesOf(name)), { name: 'Almanac', now: NOW });

const ENCODINGS: Record<string, string> = {
  latin1: 'windows-1252',
  'utf16-le-bom': 'utf-16le',
  'utf16-be-no-bom': 'utf-16be',
};

/** Content lines by number, read by another and simpler reader than the one under test. */
const linesOf = (text: string): { line: number; text: string }[] => {
  const lines: { line: number; text: string }[] = [];
  for (const [index, raw] of text.split(/\r\n|\n|\r/).entries()) {
    if (/^[ \t]/.test(raw)) lines.at(-1)!.text += raw.slice(1);
    else if (raw !== '') lines.push({ line: index + 1, text: raw });
  }
  return lines;
};

/** Of each event that was taken in the lines it should get back: of alarms and other components inside all, else what is not rewritten. */
const keptLines = (name: string): string[] => {
  const { events, report } = readCalendar(bytesOf(name), READER);
  const taken = new Set(events.map(({ line }) => line));
  const unread = new Set(report.filter(({ message }) => message.startsWith('This line')).map(({ line }) => line));
  const lines = linesOf(new TextDecoder(ENCODINGS[name]).decode(bytesOf(name)));
  const kept: string[] = [];
  let depth = 0;
  for (const { line, text } of lines) {
    if (/^BEGIN:/i.test(text) && (depth > 0 || taken.has(line))) depth += 1;
    // a trigger that other programs refuse is written in the form of the RFC
    if (/^TRIGGER:(-P15M|PT-15M)$/.test(text)) continue;
    if (depth > 1 || (depth === 1 && !REWRITTEN.test(text) && !unread.has(line))) kept.push(text);
    if (/^END:/i.test(text) && depth > 0) depth -= 1;
  }
  return kept;
};

test('the corpus and its table name the same files, at least 40', () => {
  expect(Object.keys(TABLE).toSorted()).toEqual(CORPUS);
  expect(CORPUS.length).toBeGreaterThanOrEqual(40);
});

describe.each(CORPUS)('%s', (name) => {
  const row = TABLE[name]!;

  test('happens when its program meant it, and what is wrong is told by line', () => {
    const { report, left } = readCalendar(bytesOf(name), READER);
    const told = happeningsOf(eventsOf(bytesOf(name)), undefined, 4).map(
      ({ start, end, doc }) => `${start.slice(0, 16)}/${end.slice(0, 16)} ${doc.title}`,
    );
    expect(told).toEqual(row.happens);
    expect(report.map(({ line, level, message }) => `${line} ${level} ${message}`)).toEqual(row.told ?? []);
    expect(left.map(({ line, outcome }) => `${line} ${outcome}`)).toEqual(row.left ?? []);
  });

  test('what Almanac has no field for comes back out to the letter', () => {
    const out = linesOf(write(name)).map(({ text }) => text);
    // broken lines are joined as they were meant
    const meant = name === 'broken-folding' ? ['X-AFTER:kept'] : keptLines(name);
    expect(out).toEqual(expect.arrayContaining(meant));
  });

  test('is the same when it is written and read again', () => {
    const text = write(name);
    for (const line of text.split('\r\n')) expect(Buffer.byteLength(line)).toBeLessThanOrEqual(75);
    const again = readCalendar(text, { zone: 'Pacific/Auckland' });
    // an EXRULE and a rule that is not computed are kept, and so told again
    const kept = /^EXRULE|its rule is kept as it is/;
    expect(again.report.filter(({ message }) => !kept.test(message))).toEqual([]);
    const strict = (event: EventDoc) => ({ ...event, rrule: strictRrule(event) });
    const events = again.events.map(({ event }) => ({ ...event, created_at: NOW, updated_at: NOW }));
    expect(events.map(strict)).toEqual(eventsOf(bytesOf(name)).map(strict));
  });
});
