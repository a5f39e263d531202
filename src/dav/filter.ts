/** The filters of calendar-query (RFC 4791 §9.7): read from XML, then asked of each resource. */
import type { EventDoc } from '../domain/calendar/event-doc.ts';
import { readingComponents, type Component, type Property } from '../domain/calendar/ics/components.ts';
import { readable } from '../domain/calendar/ics/jcal-text.ts';
import { eventEnd, type Timeline } from '../domain/calendar/series-expansion.ts';
import type { Span } from '../domain/time/spans.ts';
import { millis } from '../domain/time/time.ts';
import { timelineOfEvents, type Events } from './happenings.ts';
import { alarmRings } from './alarm-times.ts';
import { textOf } from './object-text.ts';
import { refusal } from './preconditions.ts';
import { COLLATIONS } from './properties.ts';
import { spanOf } from './time-range.ts';
import { C, childOf, childrenOf, named, type Element } from './xml.ts';

type TextMatch = { text: string; collation: string; negate: boolean };
type Param = { name: string; absent: boolean; match: TextMatch | null };
type PropFilter = { name: string; absent: boolean; range: Span | null; match: TextMatch | null; params: Param[] };
type CompFilter = { name: string; absent: boolean; range: Span | null; props: PropFilter[]; comps: CompFilter[] };

export type Filter = {
  /** The window outside of which nothing matches; null where any time may match. */
  window: Span | null;
  matches: (events: Events) => boolean;
};

const c = (local: string): string => named(C, local);
const invalid = (why: string) => refusal(c('valid-filter'), why);

const nameIn = ({ attributes }: Element): string => {
  const name = attributes['name'];
  if (name === undefined) throw invalid('A filter needs a name.');
  return name.toLowerCase();
};
const isAbsent = (element: Element): boolean => childOf(element, c('is-not-defined')) !== undefined;
const rangeIn = (element: Element): Span | null => {
  const range = childOf(element, c('time-range'));
  return range ? spanOf(range) : null;
};
const matchIn = (element: Element): TextMatch | null => {
  const match = childOf(element, c('text-match'));
  if (!match) return null;
  const { collation = 'i;ascii-casemap', 'negate-condition': negate } = match.attributes;
  if (!COLLATIONS.includes(collation))
    throw refusal(c('supported-collation'), `The collations are ${COLLATIONS.join(', ')}.`);
  return { text: match.text, collation, negate: negate === 'yes' };
};

const readParam = (element: Element): Param => ({
  name: nameIn(element),
  absent: isAbsent(element),
  match: matchIn(element),
});
const readProp = (element: Element): PropFilter => ({
  name: nameIn(element),
  absent: isAbsent(element),
  range: rangeIn(element),
  match: matchIn(element),
  params: childrenOf(element, c('param-filter')).map(readParam),
});
const readComp = (element: Element): CompFilter => ({
  name: nameIn(element),
  absent: isAbsent(element),
  range: rangeIn(element),
  props: childrenOf(element, c('prop-filter')).map(readProp),
  comps: childrenOf(element, c('comp-filter')).map(readComp),
});

const folded = (text: string, collation: string): string => {
  if (collation === 'i;octet') return text;
  if (collation === 'i;unicode-casemap') return text.normalize('NFKC').toLowerCase();
  return text.replace(/[A-Z]+/g, (letters) => letters.toLowerCase());
};

const isMatch = (value: string, { text, collation, negate }: TextMatch): boolean =>
  folded(value, collation).includes(folded(text, collation)) !== negate;

const unescaped = (raw: string): string =>
  raw.replace(/\\(.)/g, (_all, mark: string) => (/n/i.test(mark) ? '\n' : mark));

const paramsOf = ({ kept }: Property): Record<string, string> =>
  Object.fromEntries(
    Object.entries(readable(kept)?.[1] ?? {}).map(([name, value]) => [name, [value].flat().join(',')]),
  );

const hasParam = (property: Property, { name, absent, match }: Param): boolean => {
  const value = paramsOf(property)[name];
  if (value === undefined || absent) return absent && value === undefined;
  return !match || isMatch(value, match);
};

const TIME = /^(\d{4})(\d\d)(\d\d)(?:T(\d\d)(\d\d)(\d\d)Z?)?$/;

const isInRange = ({ raw }: Property, [from, to]: Span): boolean => {
  const [, year, month, day, hour = '00', minute = '00', second = '00'] = TIME.exec(raw) ?? [];
  const at = Date.parse(`${year}-${month}-${day}T${hour}:${minute}:${second}Z`);
  return at >= from && at < to;
};

const hasProp = ({ properties }: Component, { name, absent, range, match, params }: PropFilter): boolean => {
  const found = properties.filter((property) => property.name === name);
  if (absent) return found.length === 0;
  return found.some(
    (property) =>
      (!range || isInRange(property, range)) &&
      (!match || isMatch(unescaped(property.raw), match)) &&
      params.every((param) => hasParam(property, param)),
  );
};

/** A VEVENT of the resource with what it is in Almanac. */
type Place = { doc: EventDoc; isFirst: boolean; timeline: Timeline<EventDoc> };

/** Whether the event happens in the range: the first one without its changed occurrences, and each of those by itself. */
const happensIn = ({ doc, isFirst, timeline }: Place, [from, to]: Span): boolean => {
  if (!isFirst) {
    const [start, end] = [millis(doc.scheduled_for), millis(eventEnd(doc))];
    return start < to && (end > from || start >= from);
  }
  for (const { override } of timeline({ window: [from, to] })) if (!override) return true;
  return false;
};

const hasAlarm = (event: Component, place: Place, filter: CompFilter): boolean => {
  const alarms = event.components.filter(({ name }) => name === filter.name);
  if (filter.absent) return alarms.length === 0;
  return alarms.some(
    (alarm) =>
      filter.props.every((prop) => hasProp(alarm, prop)) &&
      (!filter.range || filter.name !== 'valarm' || alarmRings(alarm, place, filter.range)),
  );
};

const isEvent = (event: Component, place: Place, { range, props, comps }: CompFilter): boolean =>
  (!range || happensIn(place, range)) &&
  props.every((prop) => hasProp(event, prop)) &&
  comps.every((comp) => hasAlarm(event, place, comp));

const calendarIn = (events: Events): Component => {
  const steps = readingComponents(textOf(events));
  for (let step = steps.next(); ; step = steps.next()) if (step.done) return step.value.components[0] as Component;
};

const NOTHING: Component = { line: 0, name: 'vevent', properties: [], components: [] };

const hasComponent = (events: Events, calendar: Component | null, filter: CompFilter): boolean => {
  if (filter.name !== 'vevent') {
    const isThere = calendar?.components.some(({ name }) => name === filter.name) ?? false;
    return isThere !== filter.absent;
  }
  if (filter.absent) return false;
  const components = calendar?.components.filter(({ name }) => name === 'vevent') ?? [];
  const timeline = timelineOfEvents(events);
  return events.some((doc, i) => isEvent(components[i] ?? NOTHING, { doc, isFirst: i === 0, timeline }, filter));
};

/** Whether the text of a resource has to be looked at. */
const asksText = ({ comps, props }: CompFilter): boolean =>
  props.length > 0 || comps.some((comp) => comp.name !== 'vevent' || comp.props.length > 0 || comp.comps.length > 0);

/** Each is asked of each resource. */
const MOST_FILTERS = 100;

const sizeOf = (element: Element): number => element.children.reduce((sum, child) => sum + sizeOf(child), 1);

/** Reads a filter. @throws 403 valid-filter, supported-collation */
export const readFilter = (element: Element | undefined): Filter => {
  if (element && sizeOf(element) > MOST_FILTERS) throw invalid(`A filter has at most ${MOST_FILTERS} elements.`);
  const [outer, ...more] = childrenOf(element, c('comp-filter')).map(readComp);
  if (!outer || more.length || outer.name !== 'vcalendar')
    throw invalid('The outermost filter must be one comp-filter of VCALENDAR.');
  const needsText = asksText(outer);
  const ranges = outer.comps.flatMap(({ name, range, absent }) =>
    name === 'vevent' && range && !absent ? [range] : [],
  );
  return {
    window: ranges[0] ?? null,
    matches: (events) => {
      const calendar = needsText ? calendarIn(events) : null;
      return (
        !outer.absent &&
        outer.props.every((prop) => calendar !== null && hasProp(calendar, prop)) &&
        outer.comps.every((comp) => hasComponent(events, calendar, comp))
      );
    },
  };
};
