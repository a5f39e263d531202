/**
 * Parses iCalendar text into a tree of components with line numbers. Each line is parsed on its own, so an unreadable line is
 * reported and left out, and the rest is imported.
 */
import ICAL from 'ical.js';
import type { JcalComponent, JcalProperty } from '../event-doc.ts';
import { linesOf } from './content-lines.ts';
import { verbatim } from './jcal-text.ts';

export type Finding = {
  /** The line in the file, from 1. */
  line: number;
  /** The component in upper case, `VEVENT`; empty outside of any component. */
  component: string;
  uid?: string;
  level: 'error' | 'warning';
  message: string;
};

/**
 * `raw` is the value as written, with its escapes. `jcal` is parsed where Almanac reads the property; for others it holds the
 * unchanged line.
 */
export type Property = { line: number; name: string; raw: string; jcal: JcalProperty; kept: JcalProperty };
export type Component = { line: number; name: string; properties: Property[]; components: Component[] };

/** A component that is not imported, and why. */
export type LeftOut = {
  line: number;
  component: string;
  uid: string | null;
  outcome: 'skipped' | 'failed';
  reason: string;
};

/** `open` are the components that have begun and not ended; the first is the file itself. */
type State = { open: [Component, ...Component[]]; report: Finding[]; left: LeftOut[] };

export type ReadComponents = { components: Component[]; report: Finding[]; left: LeftOut[] };

export const MAX_EVENTS = 20_000;
const MAX_COMPONENTS = 50_000;
/** A line takes some 350 bytes of memory beside its text. */
const MAX_LINES = 500_000;
/** Further properties of a component are not parsed. */
export const MAX_PROPERTIES = 5_000;
const MAX_DEPTH = 8;
/** A property may have this many characters before its value, because ical.js takes quadratic time for them. */
const MAX_HEAD = 10_000;
/** A property that is read may have this many characters. One that is only kept may be longer (attachments). */
const MAX_READ = 1_000_000;
const MAX_UNREADABLE = 10_000;
/** An event without these would be another event. Where one can't be parsed it is kept, so that the event is refused. */
const NEEDED = /^(dtstart|dtend|duration|recurrence-id|rrule|rdate|exdate)$/;
/** The properties that Almanac reads. All others are kept unchanged. */
const READ =
  /^(uid|dtstamp|dtstart|dtend|duration|recurrence-id|rrule|rdate|exdate|summary|description|location|url|categories|status|transp|sequence|created|last-modified|trigger|method|tzid|tzoffsetfrom|tzoffsetto|x-wr-timezone|x-microsoft-cdo-alldayevent|x-almanac-.*)$/;
/** The name and parameters of RFC 5545 §3.1. */
const HEAD = /^[a-z0-9-]+(?:;[a-z0-9-]+=(?:"[^"]*"|[^";:,]*)(?:,(?:"[^"]*"|[^";:,]*))*)*$/i;
/** Exchange writes zone names that contain colons and commas without quotes. */
const BARE_TZID = /;TZID=([^";]*[:,][^";]*):(?=\d{8}[\dTZ,]*$)/i;
/** This many findings show what is wrong; a hostile file can have a fault in every third byte. */
export const MAX_FINDINGS = 1_000;

/**
 * Parses the top-level components of a file and reports faults of its lines. Bytes are decoded as UTF-8 or UTF-16, else by
 * `charset`, else as Windows-1252. It yields from time to time, so that the caller can let other work run.
 */
export function* readingComponents(input: string | Uint8Array, charset?: string): Generator<undefined, ReadComponents> {
  const file: Component = { line: 1, name: '', properties: [], components: [] };
  const state: State = { open: [file], report: [], left: [] };
  const count = { lines: 0, components: 0, events: 0, unreadable: 0 };
  for (const { line, text, isJoined } of linesOf(input, charset)) {
    if ((count.lines += 1) % 256 === 0) yield;
    const [, verb = '', name = ''] =
      /^(begin|end):\s*([a-z0-9-]+)\s*$/i.exec(text)?.map((part) => part.toLowerCase()) ?? [];
    if (verb === 'begin') {
      count.components += 1;
      if (name === 'vevent') count.events += 1;
    }
    const tooMany = excess(count);
    if (tooMany !== null) {
      leaveOutRest(state, line, tooMany);
      break;
    }
    if (isJoined)
      addFinding(state, line, 'warning', 'Lines without a name were read as the continuation of the line before.');
    if (verb === 'begin') begin(state, line, name);
    else if (verb === 'end') end(state, line, name);
    else if (!addProperty(state, line, text)) count.unreadable += 1;
  }
  // In a truncated file the complete components count.
  const calendars = state.open.filter(({ name }) => name === 'vcalendar').length;
  closeDownTo(state, 1 + calendars);
  return { components: file.components, report: state.report, left: state.left };
}

/** Returns the component in the form in which it is kept, with its lines unchanged. */
export const keptOf = ({ name, properties, components }: Component): JcalComponent => [
  name,
  properties.map(({ kept }) => kept),
  components.map(keptOf),
];

/** Returns the first value of a property that is read, where it is text or a time. */
export const textIn = ({ properties }: Component, name: string): string | null => {
  const value = properties.find((property) => property.name === name)?.jcal[3];
  return typeof value === 'string' ? value : null;
};

const excess = ({
  lines,
  components,
  events,
  unreadable,
}: Record<'lines' | 'components' | 'events' | 'unreadable', number>) => {
  if (lines > MAX_LINES) return `${MAX_LINES} lines`;
  if (events > MAX_EVENTS) return `${MAX_EVENTS} events`;
  if (components > MAX_COMPONENTS) return `${MAX_COMPONENTS} components`;
  return unreadable > MAX_UNREADABLE ? `${MAX_UNREADABLE} lines that cannot be read` : null;
};

/** Reports everything after a limit as a single finding. */
const leaveOutRest = ({ report, left }: State, line: number, many: string): void => {
  const message = `The file has more than ${many}; everything from here on was ignored. Import it as another file.`;
  report.push({ line, component: '', level: 'error', message });
  left.push({ line, component: '', uid: null, outcome: 'failed', reason: message });
};

const topOf = ({ open }: State): Component => open.at(-1) ?? open[0];

const addFinding = (state: State, line: number, level: Finding['level'], message: string): void => {
  if (state.report.length >= MAX_FINDINGS) return;
  state.report.push({ line, component: topOf(state).name.toUpperCase(), level, message });
};

const begin = (state: State, line: number, name: string): void => {
  const begun: Component = { line, name, properties: [], components: [] };
  if (state.open.length > MAX_DEPTH)
    addFinding(state, line, 'error', 'Components are nested too deeply; this one was ignored.');
  else topOf(state).components.push(begun);
  state.open.push(begun);
};

const end = (state: State, line: number, name: string): void => {
  const at = state.open.findLastIndex((component) => component.name === name);
  if (at < 1) return addFinding(state, line, 'warning', `END:${name.toUpperCase()} has no BEGIN.`);
  closeDownTo(state, at + 1);
  nameFindings(state.report, topOf(state));
  state.open.pop();
};

/** Leaves out the components that have no end. */
const closeDownTo = (state: State, depth: number): void => {
  while (state.open.length > depth) {
    const cut = topOf(state);
    const component = cut.name.toUpperCase();
    const reason = `${component} has no END and was ignored.`;
    addFinding(state, cut.line, 'error', reason);
    if (cut.name === 'vevent')
      state.left.push({
        line: cut.line,
        component,
        uid: textIn(cut, 'uid')?.trim() ?? null,
        outcome: 'failed',
        reason,
      });
    state.open.pop();
    topOf(state).components = topOf(state).components.filter((component) => component !== cut);
  }
};

/** Adds the event's uid to the findings about it. */
const nameFindings = (report: Finding[], component: Component): void => {
  const uid = textIn(component, 'uid')?.trim();
  if (component.name !== 'vevent' || !uid) return;
  for (let at = report.length - 1; at >= 0; at -= 1) {
    const finding = report[at];
    if (!finding || finding.line < component.line) return;
    finding.uid ??= uid;
  }
};

const addProperty = (state: State, line: number, written: string): boolean => {
  // One property more than the limit is kept, so that the event is refused.
  if (topOf(state).properties.length > MAX_PROPERTIES) return true;
  const text = /^[^:;]+;TZID=[^"]/i.test(written) ? written.replace(BARE_TZID, ';TZID="$1":') : written;
  // The name and parameters end at the first colon outside of quotes.
  const [head = ''] = /^(?:"[^"]*"|[^":]+)*/.exec(text.slice(0, MAX_HEAD + 1)) ?? [];
  const raw = text.slice(head.length + 1);
  const name = /^[a-z0-9-]*/i.exec(head)?.[0].toLowerCase() ?? '';
  const found = head.length > MAX_HEAD ? null : propertyOf(name, text, raw, head);
  if (found) topOf(state).properties.push({ line, name, raw, ...found });
  else addFinding(state, line, 'warning', `This line is not valid and was ignored: ${text.slice(0, 60)}`);
  return found !== null;
};

const propertyOf = (name: string, text: string, raw: string, head: string): Pick<Property, 'jcal' | 'kept'> | null => {
  const isSound = HEAD.test(head) && text[head.length] === ':';
  const kept = verbatim(name, text);
  if (!READ.test(name) && isSound) return { jcal: kept, kept };
  // Rules are parsed elsewhere, because ical.js accepts only upper case and throws where the user needs an explanation.
  const unread: JcalProperty | null = NEEDED.test(name) ? [name, {}, 'unknown', raw] : null;
  if (name === 'rrule' || raw.length > MAX_READ) return unread && { jcal: unread, kept };
  try {
    const jcal = ICAL.parse.property(text) as JcalProperty;
    return { jcal, kept: isSound ? kept : jcal };
  } catch {
    return unread && { jcal: unread, kept };
  }
};
