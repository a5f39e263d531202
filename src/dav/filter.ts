/** The filters of calendar-query (RFC 4791 §9.7): read from XML, then asked of each resource. */
import type { EventDoc } from '../domain/calendar/event-doc.ts';
import { readingComponents, type Component, type Property } from '../domain/calendar/ics/components.ts';
import { parametersOf } from '../domain/calendar/ics/jcal-text.ts';
import { eventEnd, type Timeline } from '../domain/calendar/series-expansion.ts';
import type { Span } from '../domain/time/spans.ts';
import { millis } from '../domain/time/time.ts';
import { timelineOfEvents, type Events } from './happenings.ts';
import { ringing } from './alarm-times.ts';
import { joined, writingText } from './object-text.ts';
import { refusal } from './preconditions.ts';
import { isMatch, readTextMatch, type TextMatch } from './text-match.ts';
import { spanOf } from './time-range.ts';
import type { Work } from './work.ts';
import { C, childOf, childrenOf, named, type Element } from './xml.ts';

type Param = { name: string; absent: boolean; match: TextMatch | null };
type PropFilter = { name: string; absent: boolean; range: Span | null; match: TextMatch | null; params: Param[] };
type CompFilter = { name: string; absent: boolean; range: Span | null; props: PropFilter[]; comps: CompFilter[] };

/** A question about one resource, which counts its work and yields. @throws 403 */
type Asking = Generator<undefined, boolean>;

export type Filter = {
  /** The window outside of which nothing matches; null where any time may match. */
  window: Span | null;
  matching: (events: Events, work: Work) => Asking;
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
const readParam = (element: Element): Param => ({
  name: nameIn(element),
  absent: isAbsent(element),
  match: readTextMatch(element),
});
const readProp = (element: Element): PropFilter => ({
  name: nameIn(element),
  absent: isAbsent(element),
  range: rangeIn(element),
  match: readTextMatch(element),
  params: childrenOf(element, c('param-filter')).map(readParam),
});
const readComp = (element: Element): CompFilter => ({
  name: nameIn(element),
  absent: isAbsent(element),
  range: rangeIn(element),
  props: childrenOf(element, c('prop-filter')).map(readProp),
  comps: childrenOf(element, c('comp-filter')).map(readComp),
});

/** Whether one of a list is as asked, or each. Both stop at the first that decides. */
function* some<T>(list: Iterable<T>, ask: (one: T) => Asking): Asking {
  for (const one of list) if (yield* ask(one)) return true;
  return false;
}
function* every<T>(list: Iterable<T>, ask: (one: T) => Asking): Asking {
  for (const one of list) if (!(yield* ask(one))) return false;
  return true;
}

type Params = Record<string, string>;
/** The parameters of each property that a filter has asked for. Several filters ask for them. */
const known = new WeakMap<Property, Params>();

/** Of a property that is kept as its line, only the part before the value is parsed. */
const paramsOf = (property: Property): Params => {
  const found = known.get(property);
  if (found) return found;
  const read = parametersOf(property.kept, property.raw);
  const params = Object.entries(read).map(([name, value]) => [name, [value].flat().join(',')]);
  const made = Object.fromEntries(params) as Params;
  known.set(property, made);
  return made;
};

function* hasParam(property: Property, { name, absent, match }: Param, work: Work): Asking {
  work.visit(4);
  const params = paramsOf(property);
  const value = Object.hasOwn(params, name) ? params[name] : undefined;
  if (value === undefined || absent) return absent && value === undefined;
  return !match || (yield* isMatch(value, match, work));
}

const TIME = /^(\d{4})(\d\d)(\d\d)(?:T(\d\d)(\d\d)(\d\d)Z?)?$/;

const isInRange = ({ raw }: Property, [from, to]: Span): boolean => {
  const [, year, month, day, hour = '00', minute = '00', second = '00'] = TIME.exec(raw) ?? [];
  const at = Date.parse(`${year}-${month}-${day}T${hour}:${minute}:${second}Z`);
  return at >= from && at < to;
};

function* hasProp({ properties }: Component, { name, absent, range, match, params }: PropFilter, work: Work): Asking {
  work.visit(properties.length / 8);
  const found = properties.filter((property) => property.name === name);
  if (absent) return found.length === 0;
  return yield* some(found, function* (property) {
    work.visit();
    yield;
    return (
      (!range || isInRange(property, range)) &&
      (!match || (yield* isMatch(property.raw, match, work))) &&
      (yield* every(params, (param) => hasParam(property, param, work)))
    );
  });
}

/** A VEVENT of the resource with what it is in Almanac. */
type Place = { doc: EventDoc; isFirst: boolean; timeline: Timeline<EventDoc> };

/** Whether the event happens in the range: the first one without its changed occurrences, and each of those by itself. */
function* happensIn({ doc, isFirst, timeline }: Place, [from, to]: Span, work: Work): Asking {
  work.visit();
  if (!isFirst) {
    const [start, end] = [millis(doc.scheduled_for), millis(eventEnd(doc))];
    return start < to && (end > from || start >= from);
  }
  for (const { override } of timeline({ window: [from, to] })) {
    work.visit();
    yield;
    if (!override) return true;
  }
  return false;
}

function* hasAlarm(event: Component, place: Place, filter: CompFilter, work: Work): Asking {
  const alarms = event.components.filter(({ name }) => name === filter.name);
  if (filter.absent) return alarms.length === 0;
  const { range } = filter;
  return yield* some(alarms, function* (alarm) {
    work.visit();
    yield;
    return (
      (yield* every(filter.props, (prop) => hasProp(alarm, prop, work))) &&
      (!range || filter.name !== 'valarm' || (yield* ringing(alarm, place, range, work)))
    );
  });
}

function* isEvent(event: Component, place: Place, { range, props, comps }: CompFilter, work: Work): Asking {
  yield;
  return (
    (!range || (yield* happensIn(place, range, work))) &&
    (yield* every(props, (prop) => hasProp(event, prop, work))) &&
    (yield* every(comps, (comp) => hasAlarm(event, place, comp, work)))
  );
}

function* calendarIn(events: Events, work: Work): Generator<undefined, Component> {
  const text = yield* joined(writingText(events));
  work.text(text.length);
  const { components } = yield* readingComponents(text);
  return components[0] as Component;
}

const NOTHING: Component = { line: 0, name: 'vevent', properties: [], components: [] };

function* hasComponent(events: Events, calendar: Component | null, filter: CompFilter, work: Work): Asking {
  if (filter.name !== 'vevent') {
    const isThere = calendar?.components.some(({ name }) => name === filter.name) ?? false;
    return isThere !== filter.absent;
  }
  if (filter.absent) return false;
  const components = calendar?.components.filter(({ name }) => name === 'vevent') ?? [];
  work.visit(events.length);
  const timeline = timelineOfEvents(events);
  return yield* some(events.entries(), ([i, doc]) =>
    isEvent(components[i] ?? NOTHING, { doc, isFirst: i === 0, timeline }, filter, work),
  );
}

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
    *matching(events, work) {
      if (outer.absent) return false;
      const calendar = needsText ? yield* calendarIn(events, work) : null;
      work.visit();
      return (
        (yield* every(outer.props, (prop) => hasProp(calendar ?? NOTHING, prop, work))) &&
        (yield* every(outer.comps, (comp) => hasComponent(events, calendar, comp, work)))
      );
    },
  };
};
