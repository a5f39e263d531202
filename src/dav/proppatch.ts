/**
 * PROPPATCH (RFC 4918 §9.2): how programs show a calendar, which is kept for all programs of the person. All other properties follow
 * from Almanac. Either all changes of a request are made, or none.
 */
import { childOf, C, D, APPLE, escaped, named, xml, type Element } from './xml.ts';
import { readingComponents, textIn, type Component } from '../domain/calendar/ics/components.ts';
import { clocksOf, type Clock } from '../domain/calendar/ics/tzid-clocks.ts';
import { problem } from '../common/problem.ts';
import { runYielding } from '../common/yielding.ts';
import { CalendarLook, type LookChange } from '../user/schemas.ts';
import { refusal } from './preconditions.ts';
import { MOST_PROPERTIES, pathOf, type Context, type Thing } from './properties.ts';

/** Reads a value; undefined where it cannot be kept. */
type Reader = (value: Element) => LookChange | undefined | Promise<LookChange | undefined>;

/** A text as the profile keeps it; undefined where it keeps none like this. An empty one restores the default. */
const textOf = (name: 'name' | 'description' | 'color', { text }: Element): LookChange | undefined => {
  const trimmed = text.trim();
  return CalendarLook.shape[name].safeParse(trimmed || undefined).success ? { [name]: trimmed || null } : undefined;
};

function* clockOf(zones: Component[], tzid: string): Generator<undefined, Clock> {
  const clockFor = yield* clocksOf(zones, [], { zone: 'UTC', fallback: 'UTC', count: { searched: 0, compared: 0 } });
  return yield* clockFor(tzid, 1);
}

/** The zone of a VTIMEZONE; undefined where none has its rules. */
const zoneIn = async ({ text }: Element): Promise<string | undefined> => {
  const { components } = await runYielding(readingComponents(text));
  const zones = components
    .flatMap(({ name, components: inner }) => (name === 'vcalendar' ? inner : []))
    .filter(({ name }) => name === 'vtimezone');
  const tzid = zones[0] && textIn(zones[0], 'tzid');
  if (!tzid || zones.length > 1) return undefined;
  const { zone, doubt } = await runYielding(clockOf(zones, tzid));
  return doubt === null ? zone : undefined;
};

const READERS: Record<string, Reader> = {
  [named(D, 'displayname')]: (value) => textOf('name', value),
  [named(C, 'calendar-description')]: (value) => textOf('description', value),
  [named(APPLE, 'calendar-color')]: (value) => textOf('color', value),
  [named(APPLE, 'calendar-order')]: ({ text }) =>
    /^\s*[+-]?\d{1,9}\s*$/.test(text) ? { order: Number(text) } : undefined,
  [named(C, 'calendar-timezone')]: async (value) => {
    const timezone = await zoneIn(value);
    return timezone === undefined ? undefined : { timezone };
  },
  [named(C, 'schedule-calendar-transp')]: ({ children: [one, ...more] }) => {
    if (more.length || (one?.name !== named(C, 'opaque') && one?.name !== named(C, 'transparent'))) return undefined;
    return { transparent: one.name === named(C, 'transparent') };
  },
};
const NONE: Record<string, LookChange> = {
  [named(D, 'displayname')]: { name: null },
  [named(C, 'calendar-description')]: { description: null },
  [named(APPLE, 'calendar-color')]: { color: null },
  [named(APPLE, 'calendar-order')]: { order: null },
  [named(C, 'calendar-timezone')]: { timezone: null },
  [named(C, 'schedule-calendar-transp')]: { transparent: null },
};

/** One property of the request: what it changes, or the status of the refusal. */
type Step = { name: string; change: LookChange | null; status: '403 Forbidden' | '409 Conflict' };

const stepOf = async (element: Element, isRemoval: boolean, isCalendar: boolean): Promise<Step> => {
  const { name } = element;
  const reader = isCalendar && Object.hasOwn(READERS, name) ? READERS[name] : undefined;
  if (!reader) return { name, change: null, status: '403 Forbidden' };
  const change = isRemoval ? NONE[name] : await reader(element);
  return { name, change: change ?? null, status: '409 Conflict' };
};

const propstat = (names: string[], status: string, error = ''): string =>
  names.length === 0
    ? ''
    : xml(
        named(D, 'propstat'),
        xml(named(D, 'prop'), names.map((name) => xml(name)).join('')) +
          xml(named(D, 'status'), `HTTP/1.1 ${status}`) +
          error,
      );

const PROTECTED = xml(named(D, 'error'), xml(named(D, 'cannot-modify-protected-property')));

/** Changes properties, and answers how each went. @throws 400 */
export const proppatch = async (thing: Thing, root: Element | null, context: Context): Promise<string> => {
  if (root?.name !== named(D, 'propertyupdate'))
    throw refusal(named(D, 'valid-propertyupdate'), 'The body must be a propertyupdate.', 400);
  const isRemoval = new Map([
    [named(D, 'set'), false],
    [named(D, 'remove'), true],
  ]);
  const asked = root.children.flatMap((part) => {
    const removes = isRemoval.get(part.name);
    const elements = removes === undefined ? [] : (childOf(part, named(D, 'prop'))?.children ?? []);
    return elements.map((element) => ({ element, removes: removes === true }));
  });
  if (asked.length > MOST_PROPERTIES)
    throw problem('malformed_request', `Change at most ${MOST_PROPERTIES} properties at once.`);
  const steps: Step[] = [];
  for (const { element, removes } of asked) steps.push(await stepOf(element, removes, thing.kind === 'collection'));
  const namesOf = (wanted: (step: Step) => boolean): string[] => [
    ...new Set(steps.filter(wanted).map(({ name }) => name)),
  ];
  const isGood = steps.every(({ change }) => change !== null);
  if (isGood && steps.length && thing.kind === 'collection')
    await thing.collection.change(Object.assign({}, ...steps.map(({ change }) => change)) as LookChange);
  const stats = isGood
    ? propstat(
        namesOf(() => true),
        '200 OK',
      )
    : propstat(
        namesOf(({ change, status }) => !change && status === '403 Forbidden'),
        '403 Forbidden',
        PROTECTED,
      ) +
      propstat(
        namesOf(({ change, status }) => !change && status === '409 Conflict'),
        '409 Conflict',
      ) +
      propstat(
        namesOf(({ change }) => change !== null),
        '424 Failed Dependency',
      );
  return xml(named(D, 'response'), xml(named(D, 'href'), escaped(pathOf(thing, context))) + stats);
};
