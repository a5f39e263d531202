/**
 * iCalendar text as a tree of components in which everything knows its line. Each line is read on its own: what cannot be
 * read is told and left out, and the rest goes in.
 */
import ICAL from 'ical.js';
import type { JcalComponent, JcalProperty } from '../calendar.ts';
import { linesOf } from './lines.ts';

export type Finding = {
  /** Line of the file, from 1. */
  line: number;
  /** Upper case: `VEVENT`; empty outside of any. */
  component: string;
  uid?: string;
  level: 'error' | 'warning';
  message: string;
};

/** `raw` is the value as written, still escaped. */
export type Property = { line: number; name: string; raw: string; jcal: JcalProperty };
export type Component = { line: number; name: string; properties: Property[]; components: Component[] };

/** `open` are the components begun and not ended, the file itself first. */
type State = { open: [Component, ...Component[]]; report: Finding[] };

const MAX_COMPONENTS = 20_000;
const MAX_DEPTH = 8;
/** Characters of a property before its value; ical.js takes quadratic time for them. */
const MAX_HEAD = 10_000;
const MAX_UNREADABLE = 10_000;
/** An event without these would be another one: unreadable ones stay, for the event to be refused. */
const NEEDED = /^(dtstart|dtend|duration|recurrence-id|rrule)(?=[;:])/i;
/** Enough to see what is wrong; a hostile file has a fault in every third byte. */
export const MAX_FINDINGS = 1_000;

/** The top components of a file, and what was wrong with its lines. Bytes are read as UTF-8, or else as Latin-1. */
export const readComponents = (input: string | Uint8Array): { components: Component[]; report: Finding[] } => {
  const file: Component = { line: 1, name: '', properties: [], components: [] };
  const state: State = { open: [file], report: [] };
  let count = 0;
  let unreadable = 0;
  for (const { line, text, isJoined } of linesOf(input)) {
    const [, verb = '', name = ''] =
      /^(begin|end):\s*([a-z0-9-]+)\s*$/i.exec(text)?.map((part) => part.toLowerCase()) ?? [];
    if (verb === 'begin') count += 1;
    if (count > MAX_COMPONENTS || unreadable > MAX_UNREADABLE) {
      const many =
        count > MAX_COMPONENTS ? `${MAX_COMPONENTS} components` : `${MAX_UNREADABLE} lines that cannot be read`;
      state.report.push({ line, component: '', level: 'error', message: `More than ${many}; the rest is left out.` });
      break;
    }
    if (isJoined) tell(state, line, 'warning', 'Lines without a name were taken for its continuation.');
    if (verb === 'begin') begin(state, line, name);
    else if (verb === 'end') end(state, line, name);
    else if (!addProperty(state, line, text)) unreadable += 1;
  }
  // a file cut off: what is whole in it counts
  const calendars = state.open.filter(({ name }) => name === 'vcalendar').length;
  closeDownTo(state, 1 + calendars);
  return { components: file.components, report: state.report };
};

/** The jCal form, for what is kept. */
export const jcalOf = ({ name, properties, components }: Component): JcalComponent => [
  name,
  properties.map(({ jcal }) => jcal),
  components.map(jcalOf),
];

/** The first value of a property, where it is text or a time. */
export const textIn = ({ properties }: Component, name: string): string | null => {
  const value = properties.find((property) => property.name === name)?.jcal[3];
  return typeof value === 'string' ? value : null;
};

const topOf = ({ open }: State): Component => open.at(-1) ?? open[0];

const tell = (state: State, line: number, level: Finding['level'], message: string): void => {
  if (state.report.length >= MAX_FINDINGS) return;
  state.report.push({ line, component: topOf(state).name.toUpperCase(), level, message });
};

const begin = (state: State, line: number, name: string): void => {
  const begun: Component = { line, name, properties: [], components: [] };
  if (state.open.length > MAX_DEPTH)
    tell(state, line, 'error', 'Components are nested too deeply; this one is left out.');
  else topOf(state).components.push(begun);
  state.open.push(begun);
};

const end = (state: State, line: number, name: string): void => {
  const at = state.open.findLastIndex((component) => component.name === name);
  if (at < 1) return tell(state, line, 'warning', `END:${name.toUpperCase()} ends nothing.`);
  closeDownTo(state, at + 1);
  nameFindings(state.report, topOf(state));
  state.open.pop();
};

/** Leaves out the components that have no end. */
const closeDownTo = (state: State, depth: number): void => {
  while (state.open.length > depth) {
    const cut = topOf(state);
    tell(state, cut.line, 'error', `${cut.name.toUpperCase()} has no end and is left out.`);
    state.open.pop();
    topOf(state).components = topOf(state).components.filter((component) => component !== cut);
  }
};

/** Puts an event's uid to what was found in it. */
const nameFindings = (report: Finding[], component: Component): void => {
  const uid = textIn(component, 'uid')?.trim();
  if (component.name !== 'vevent' || !uid) return;
  for (let at = report.length - 1; at >= 0; at -= 1) {
    const finding = report[at];
    if (!finding || finding.line < component.line) return;
    finding.uid ??= uid;
  }
};

const addProperty = (state: State, line: number, text: string): boolean => {
  // name and parameters, up to the first colon outside of quotes
  const [head = ''] = /^(?:"[^"]*"|[^":]+)*/.exec(text) ?? [];
  const raw = text.slice(head.length + 1);
  const jcal = head.length > MAX_HEAD ? null : jcalProperty(text, raw);
  if (jcal) topOf(state).properties.push({ line, name: jcal[0], raw, jcal });
  else tell(state, line, 'warning', `This line cannot be read and is left out: ${text.slice(0, 60)}`);
  return jcal !== null;
};

const jcalProperty = (text: string, raw: string): JcalProperty | null => {
  const needed = NEEDED.exec(text)?.[0].toLowerCase();
  // rules are read from their text: ical.js knows upper case only, and throws where people should hear why
  if (needed === 'rrule') return [needed, {}, 'unknown', raw];
  try {
    return ICAL.parse.property(text) as JcalProperty;
  } catch {
    return needed === undefined ? null : [needed, {}, 'unknown', raw];
  }
};
