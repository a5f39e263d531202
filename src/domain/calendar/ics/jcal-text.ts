/** jCal as iCalendar text: content lines, and lines folded to 75 octets. What was kept of a file goes out as it came in. */
import ICAL from 'ical.js';
import type { JcalComponent, JcalProperty } from '../event-doc.ts';

// ical.js counts the space a folded line begins with on top
ICAL.foldLength = 74;

/** A type of our own beside RFC 7265's: the value is the whole unfolded line. */
const VERBATIM = 'x-line';

/** A property that goes back out to the letter: neither its parameters' quotes nor its numbers' digits change. */
export const verbatim = (name: string, line: string): JcalProperty => [name, {}, VERBATIM, line];

/** A kept property in readable form; null where ical.js makes nothing of it. */
export const readable = (property: JcalProperty): JcalProperty | null => {
  if (property[2] !== VERBATIM) return property;
  try {
    return ICAL.parse.property(String(property[3])) as JcalProperty;
  } catch {
    return null;
  }
};

/** The content line of a property, unfolded. */
export const contentLine = (property: JcalProperty): string =>
  property[2] === VERBATIM
    ? String(property[3])
    : ICAL.stringify.property(property, ICAL.design.icalendar, true /* unfolded */);

/** The content lines of a component and what is in it, unfolded. */
export const contentLines = ([name, properties, components]: JcalComponent): string[] => [
  `BEGIN:${name.toUpperCase()}`,
  ...properties.map(contentLine),
  ...components.flatMap(contentLines),
  `END:${name.toUpperCase()}`,
];

/** Lines as they stand in a file: folded, each with its CRLF. */
export const folded = (lines: string[]): string => lines.map((line) => `${fold(line)}\r\n`).join('');

/** No UTF-16 unit takes more than three octets, so most lines need not be counted. */
const fold = (line: string): string => (line.length <= 25 ? line : ICAL.helpers.foldline(line));
