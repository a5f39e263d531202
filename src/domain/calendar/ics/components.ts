/**
 * Parses iCalendar text into a tree of components with line numbers. Each line is parsed on its own, so an unreadable line is
 * reported and left out, and the rest is imported.
 */
import type { JcalComponent } from '../event-doc.ts';
import { linesOf, MAX_LINE, MAX_WRITTEN_LINES, type Line } from './content-lines.ts';
import { paceOf } from './pace.ts';
import { cutProperty, parsing, type Property } from './properties.ts';

export type { Property } from './properties.ts';

export type Finding = {
  /** The line in the file, from 1. */
  line: number;
  /** The component in upper case, `VEVENT`; empty outside of any component. */
  component: string;
  uid?: string;
  level: 'error' | 'warning';
  message: string;
};

export type Component = { line: number; name: string; properties: Property[]; components: Component[] };

/** A component that is not imported, and why. `line` is where it begins, `at` the line of its fault. */
export type LeftOut = {
  line: number;
  at: number;
  component: string;
  uid: string | null;
  outcome: 'skipped' | 'failed';
  reason: string;
};

/**
 * `open` are the components that have begun and not ended; the first is the file itself. `places` are their places in it by
 * name, because a file may open 50,000 and search one of them with each END.
 */
type State = {
  open: [Component, ...Component[]];
  places: Map<string, number[]>;
  report: Finding[];
  left: LeftOut[];
};

export type ReadComponents = { components: Component[]; report: Finding[]; left: LeftOut[] };

export const MAX_EVENTS = 20_000;
const MAX_COMPONENTS = 50_000;
/** A line takes some 350 bytes of memory beside its text. */
const MAX_LINES = 500_000;
/** Further properties of a component are not parsed. */
export const MAX_PROPERTIES = 5_000;
const MAX_DEPTH = 8;
const MAX_UNREADABLE = 10_000;
/** A line that begins or ends a component has not more characters. */
const MAX_NAME = 1_000;
/** The work for a line beside its characters. One that is parsed takes some 20 µs. */
const LINE_UNITS = 1_500;
/** This many findings show what is wrong; a hostile file can have a fault in every third byte. */
export const MAX_FINDINGS = 1_000;

/** The parts of a line that begins or ends a component, in small letters. */
const markIn = (text: string): string[] =>
  (text.length <= MAX_NAME && /^(begin|end)\s*:(.*)$/i.exec(text)?.map((part) => part.trim().toLowerCase())) || [];

/**
 * Parses the top-level components of a file and reports faults of its lines. Bytes are decoded as UTF-8 or UTF-16, else by
 * `charset`, else as Windows-1252. It yields from time to time, so that the caller can let other work run.
 */
export function* readingComponents(input: string | Uint8Array, charset?: string): Generator<undefined, ReadComponents> {
  const file: Component = { line: 1, name: '', properties: [], components: [] };
  const state: State = { open: [file], places: new Map(), report: [], left: [] };
  const count: Count = { written: 0, lines: 0, components: 0, events: 0, unreadable: 0 };
  const isDue = paceOf();
  for (const found of linesOf(input, charset)) {
    if (!found || isDue(LINE_UNITS + found.text.length)) yield;
    if (!found) continue;
    const { line, text, isJoined } = found;
    count.lines += 1;
    count.written = line;
    const [, verb = '', name = ''] = markIn(text);
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
    else if (verb === 'end') yield* ending(state, line, name);
    else if (!(yield* addProperty(state, found))) count.unreadable += 1;
  }
  // In a truncated file the complete components count.
  const calendars = state.open.filter(({ name }) => name === 'vcalendar').length;
  yield* closingDownTo(state, 1 + calendars);
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

type Count = Record<'written' | 'lines' | 'components' | 'events' | 'unreadable', number>;

const excess = ({ written, lines, components, events, unreadable }: Count): string | null => {
  if (lines > MAX_LINES) return `${MAX_LINES} lines`;
  if (written > MAX_WRITTEN_LINES) return `${MAX_WRITTEN_LINES} lines`;
  if (events > MAX_EVENTS) return `${MAX_EVENTS} events`;
  if (components > MAX_COMPONENTS) return `${MAX_COMPONENTS} components`;
  return unreadable > MAX_UNREADABLE ? `${MAX_UNREADABLE} lines that cannot be read` : null;
};

/** Reports everything after a limit as a single finding. */
const leaveOutRest = ({ report, left }: State, line: number, many: string): void => {
  const message = `The file has more than ${many}; everything from here on was ignored. Import it as another file.`;
  report.push({ line, component: '', level: 'error', message });
  left.push({ line, at: line, component: '', uid: null, outcome: 'failed', reason: message });
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
  const places = state.places.get(name);
  if (places) places.push(state.open.length);
  else state.places.set(name, [state.open.length]);
  state.open.push(begun);
};

const close = (state: State): void => {
  const closed = state.open.pop();
  if (closed) state.places.get(closed.name)?.pop();
};

function* ending(state: State, line: number, name: string): Generator<undefined> {
  const at = state.places.get(name)?.at(-1);
  if (at === undefined) return addFinding(state, line, 'warning', `END:${name.toUpperCase()} has no BEGIN.`);
  yield* closingDownTo(state, at + 1);
  nameFindings(state.report, topOf(state));
  close(state);
}

/** Leaves out the components that have no end. */
function* closingDownTo(state: State, depth: number): Generator<undefined> {
  const isDue = paceOf();
  while (state.open.length > depth) {
    if (isDue(100)) yield;
    const cut = topOf(state);
    const component = cut.name.toUpperCase();
    const reason = `${component} has no END and was ignored.`;
    addFinding(state, cut.line, 'error', reason);
    if (cut.name === 'vevent')
      state.left.push({
        line: cut.line,
        at: cut.line,
        component,
        uid: textIn(cut, 'uid')?.trim() ?? null,
        outcome: 'failed',
        reason,
      });
    close(state);
    const { components } = topOf(state);
    if (components.at(-1) === cut) components.pop();
  }
}

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

/** Adds the property of a line. @returns false where the line is not valid */
function* addProperty(state: State, { line, text, isCut, isNameless }: Line): Generator<undefined, boolean> {
  // One property more than the limit is kept, so that the event is refused.
  if (topOf(state).properties.length > MAX_PROPERTIES) return true;
  const found = isNameless ? null : isCut ? cutProperty(line, text) : yield* parsing(line, text);
  if (found) {
    topOf(state).properties.push(found);
    if (found.doubt !== undefined) addFinding(state, line, 'warning', found.doubt);
  } else if (isCut)
    addFinding(
      state,
      line,
      'error',
      `This line has more than ${MAX_LINE} characters and was ignored: ${text.slice(0, 60)}`,
    );
  else addFinding(state, line, 'warning', `This line is not valid and was ignored: ${text.slice(0, 60)}`);
  return found !== null;
}
