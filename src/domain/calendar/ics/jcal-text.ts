/** Writes jCal as iCalendar text: content lines folded to 75 octets. Properties kept from a file are written unchanged. */
import ICAL from 'ical.js';
import type { JcalComponent, JcalProperty } from '../event-doc.ts';

// ical.js does not count the space at the beginning of a continuation line.
ICAL.foldLength = 74;

/** A value type beside those of RFC 7265, whose value is the whole unfolded line. */
const VERBATIM = 'x-line';

/** Makes a property that is written back unchanged, with the quotes of its parameters and the digits of its numbers. */
export const verbatim = (name: string, line: string): JcalProperty => [name, {}, VERBATIM, line];

/** Parses a kept property; null where ical.js can't parse it. */
export const readable = (property: JcalProperty): JcalProperty | null => {
  if (property[2] !== VERBATIM) return property;
  try {
    return ICAL.parse.property(String(property[3])) as JcalProperty;
  } catch {
    return null;
  }
};

/** Reads the parameters of a kept property, whose value is as it was written, without parsing that value. */
export const parametersOf = (property: JcalProperty, value: string): JcalProperty[1] => {
  if (property[2] !== VERBATIM) return property[1];
  const line = String(property[3]);
  return readable(verbatim(property[0], line.slice(0, line.length - value.length)))?.[1] ?? {};
};

/** Writes a property as an unfolded content line. */
export const contentLine = (property: JcalProperty): string =>
  property[2] === VERBATIM
    ? String(property[3])
    : ICAL.stringify.property(property, ICAL.design.icalendar, true /* unfolded */);

/** Writes a component and everything in it as unfolded content lines. */
export const contentLines = ([name, properties, components]: JcalComponent): string[] => [
  `BEGIN:${name.toUpperCase()}`,
  ...properties.map(contentLine),
  ...components.flatMap(contentLines),
  `END:${name.toUpperCase()}`,
];

/** Folds lines and ends each with CRLF. */
export const folded = (lines: string[]): string => lines.map((line) => `${fold(line)}\r\n`).join('');

/** A UTF-16 unit takes at most three octets, so most lines need not be measured. */
const fold = (line: string): string => (line.length <= 25 ? line : ICAL.helpers.foldline(line));
