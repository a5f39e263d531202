/**
 * Decides whether a line of a file has a name (RFC 5545 §3.1), and what a line without one is: the rest of the text before it, or
 * a fault. Programs write names with underscores, bare line breaks in texts, and folds without their space.
 */
import ICAL from 'ical.js';

const NAME = /^([A-Za-z][A-Za-z0-9_-]*)[;:]/;
/** A name that is apart from its colon. */
const SPACED = /^([A-Za-z][A-Za-z0-9_-]*)\s+[;:]/;

/** A person writes these in several lines. */
const FREE_TEXTS = new Set(
  `summary description location comment contact resources categories name styled-description request-status
  x-alt-desc x-wr-calname x-wr-caldesc x-location x-description x-notes x-comment`.split(/\s+/),
);
/** A rest with a blank in it is not a part of these, so it cannot change which event it is, or when it happens. */
const IDENTIFYING =
  /^(uid|dtstamp|dtstart|dtend|duration|recurrence-id|rrule|exrule|rdate|exdate|tzid|sequence|status)$/;
/** A line of about this length was folded by a program that forgot the space. A shorter one contained a bare line break. */
const FOLDED_LENGTH = 70;

const isKnown = (name: string): boolean => {
  const lower = name.toLowerCase();
  return /^(begin$|end$|x-)/.test(lower) || Object.hasOwn(ICAL.design.icalendar.property, lower);
};

/** Names are usually upper case. In lower case only known ones count, so that `https://…` is not taken for one. */
export const isNamed = (line: string): boolean => {
  const name = NAME.exec(line)?.[1];
  if (name !== undefined) return name === name.toUpperCase() || isKnown(name);
  const apart = SPACED.exec(line)?.[1];
  return apart !== undefined && isKnown(apart);
};

/** How a line without a name continues the one before: as the rest of a fold, after a line break of its text, or not at all. */
export const continuationOf = (before: string, lastLength: number, line: string): 'fold' | 'break' | null => {
  const name = /^[A-Za-z0-9_-]+/.exec(before)?.[0].toLowerCase() ?? '';
  const isFold = lastLength >= FOLDED_LENGTH;
  if (FREE_TEXTS.has(name)) return isFold ? 'fold' : 'break';
  if (!isFold || name === 'begin' || name === 'end') return null;
  return IDENTIFYING.test(name) && /\s/.test(line) ? null : 'fold';
};

/** The line with its name in upper case, where its form is that of a property; else null. */
export const asProperty = (line: string): string | null => {
  const name = NAME.exec(line)?.[1];
  return name === undefined || line.startsWith('//', name.length + 1)
    ? null
    : name.toUpperCase() + line.slice(name.length);
};
