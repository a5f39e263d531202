/** The reports on a collection: calendar-query, calendar-multiget, free-busy-query (RFC 4791), sync-collection (RFC 6578). */
import { freeBusyText } from '../calendar/freebusy.ts';
import type { CalendarObject } from '../calendar/objects/objects.ts';
import type { Problem } from '../common/problem.ts';
import { createYielder, runYielding } from '../common/yielding.ts';
import { intersectSpans, mergeSpans, toInterval, type Span } from '../domain/time/spans.ts';
import { instantOf, type Instant } from '../domain/time/time.ts';
import {
  LEDGER_POSITION,
  readLedgerPosition,
  writeLedgerPosition,
  type LedgerPositions,
} from '../ledger/ledger-position.ts';
import { CALENDAR_DATA, MOST_OCCURRENCES, readCalendarData, type DataText } from './calendar-data.ts';
import type { Collection, State } from './collections.ts';
import { readFilter } from './filter.ts';
import { timelineOfEvents } from './happenings.ts';
import { targetOf } from '../http/connection/address.ts';
import { collectionPath, nameAt, objectPath } from './paths.ts';
import { refusal } from './preconditions.ts';
import {
  countNames,
  namesIn,
  needsWhole,
  objectThing,
  responseOf,
  statusOf,
  type Context,
  type Wanted,
} from './properties.ts';
import { closedSpanOf, windowOf } from './time-range.ts';
import { isTooMuch, TOO_MANY, type Work } from './work.ts';
import { C, childOf, childrenOf, D, document, named, xml, type Element } from './xml.ts';

const SYNC = 'urn:almanac:sync:';

/** Resources are read in pages of this many. */
const PAGE = 100;

export const syncToken = (position: string): string => `${SYNC}${position}`;

export type ReportDeps = { positions: LedgerPositions; now: () => Instant };
export type Asked = { collection: Collection; root: Element; context: Context; work: Work };

/** What a report answers for each resource. */
type Data = { wanted: Wanted; text: DataText | null };

/** Reads which properties, and which form of the text, a report asks for. @throws 400, 403 */
const dataOf = (root: Element): Data => {
  const prop = childOf(root, named(D, 'prop'));
  const all = childOf(root, named(D, 'allprop')) !== undefined;
  const wanted: Wanted = { names: namesIn(prop), all, namesOnly: childOf(root, named(D, 'propname')) !== undefined };
  const data = childOf(prop, CALENDAR_DATA);
  return { wanted, text: data ? readCalendarData(data) : null };
};

const asResponse = async (
  object: CalendarObject,
  { wanted, text }: Data,
  { collection, context, work }: Asked,
  href?: string,
): Promise<string> => {
  countNames(wanted, work);
  const thing = await objectThing(collection, object, { wanted, work });
  return responseOf(thing, wanted, context, {
    ...(href === undefined ? {} : { href }),
    extra: text ? { [CALENDAR_DATA]: await runYielding(text(object, work)) } : {},
  });
};

async function* query(asked: Asked): AsyncGenerator<string> {
  const { collection, root, work } = asked;
  const data = dataOf(root);
  const { window, matching } = readFilter(childOf(root, named(C, 'filter')));
  for await (const page of collection.within(windowOf(window ?? [-Infinity, Infinity])))
    for (const object of page)
      if (await runYielding(matching(object.events, work))) yield asResponse(object, data, asked);
}

function* pagesOf<T>(list: readonly T[]): Generator<readonly T[]> {
  for (let at = 0; at < list.length; at += PAGE) yield list.slice(at, at + PAGE);
}

const pathOf = (href: string): string => targetOf(href)?.split('?', 1)[0] ?? href;

async function* multiget(asked: Asked): AsyncGenerator<string> {
  const { collection, root, context } = asked;
  const data = dataOf(root);
  const yieldToOthers = createYielder();
  // A path, and an address of it, are answered once.
  const hrefs = new Set(childrenOf(root, named(D, 'href')).map(({ text }) => pathOf(text.trim())));
  for (const page of pagesOf([...hrefs])) {
    const places = page.map((href) => ({ href, name: nameAt(href, context.caller.user_id, collection.id) }));
    const found = await collection.named(places.flatMap(({ name }) => name ?? []));
    const objects = new Map(found.map((object) => [object.name, object]));
    for (const { href, name } of places) {
      await yieldToOthers();
      const object = name === null ? undefined : objects.get(name);
      yield object ? asResponse(object, data, asked, href) : statusOf(href, '404 Not Found');
    }
  }
}

/** Writes the states of resources, and reads their documents only where a property needs them. */
async function* statesOf(states: readonly State[], data: Data, asked: Asked): AsyncGenerator<string> {
  const { collection, context, work } = asked;
  const yieldToOthers = createYielder();
  if (!data.text && !needsWhole(data.wanted)) {
    for (const { name, etag } of states) {
      await yieldToOthers();
      countNames(data.wanted, work);
      yield responseOf({ kind: 'object', collection, name, etag }, data.wanted, context);
    }
    return;
  }
  for (const page of pagesOf(states))
    for (const object of await collection.named(page.map(({ name }) => name))) {
      await yieldToOthers();
      yield asResponse(object, data, asked);
    }
}

const invalidToken = (): Problem =>
  refusal(named(D, 'valid-sync-token'), 'The sync token is unknown. Read the whole collection again.');

/** The seq of a token; 0 for a first report. @throws 403 where this ledger did not issue it */
const seqOf = async (
  token: string,
  { context: { caller, sync_token } }: Asked,
  { positions }: ReportDeps,
): Promise<number> => {
  if (token === '') return 0;
  const text = token.startsWith(SYNC) ? token.slice(SYNC.length) : '';
  if (!LEDGER_POSITION.test(text)) throw invalidToken();
  const { seq, mark } = readLedgerPosition(text);
  const head = readLedgerPosition(sync_token.slice(SYNC.length));
  if (seq > head.seq) throw invalidToken();
  if (seq > 0 && mark !== (await positions.markAt(caller.user_id, seq))) throw invalidToken();
  return seq;
};

type Change = { seq: number; name: string; etag: string | null };

const limitOf = (root: Element): number => {
  const text = childOf(childOf(root, named(D, 'limit')), named(D, 'nresults'))?.text.trim();
  return text !== undefined && /^[1-9]\d{0,8}$/.test(text) ? Number(text) : Infinity;
};

/** The last change of each resource after a seq, oldest first. A first report names nothing that is gone. */
const changesAfter = async (seq: number, collection: Collection): Promise<Change[]> => {
  const [changed, gone] = await Promise.all([
    collection.changed(seq),
    seq === 0 ? Promise.resolve([]) : collection.gone(seq),
  ]);
  const all: Change[] = [...gone.map((one) => ({ ...one, etag: null })), ...changed];
  // A name can be gone several times, and be there again for another event (RFC 4918 §14.24: each href once).
  const last = new Map(all.sort((a, b) => a.seq - b.seq).map((one) => [one.name, one]));
  return [...last.values()].sort((a, b) => a.seq - b.seq);
};

async function* sync(asked: Asked, deps: ReportDeps): AsyncGenerator<string> {
  const { collection, root, context } = asked;
  const { user_id } = context.caller;
  const data = dataOf(root);
  const after = await seqOf(childOf(root, named(D, 'sync-token'))?.text.trim() ?? '', asked, deps);
  const all = await changesAfter(after, collection);
  const limit = limitOf(root);
  // Changes of one seq stay together, because the next report continues after a seq.
  const last = all[limit - 1];
  const changes = last && all.length > limit ? all.filter(({ seq }) => seq <= last.seq) : all;
  yield* statesOf(
    changes.flatMap(({ etag, ...one }) => (etag === null ? [] : [{ ...one, etag }])),
    data,
    asked,
  );
  for (const { name, etag } of changes)
    if (etag === null) yield statusOf(objectPath(user_id, collection.id, name), '404 Not Found');
  const isWhole = changes.length === all.length || !last;
  if (!isWhole) yield statusOf(collectionPath(user_id, collection.id), '507 Insufficient Storage', TOO_MANY);
  const token = isWhole
    ? context.sync_token
    : syncToken(writeLedgerPosition({ seq: last.seq, mark: (await deps.positions.markAt(user_id, last.seq)) ?? null }));
  yield xml(named(D, 'sync-token'), token);
}

/** Busy and tentative time in a window, clipped to it. */
const freeBusy = async ({
  collection,
  root,
  work,
}: Asked): Promise<{ span: Span; busy: Span[]; tentative: Span[] }> => {
  const span = closedSpanOf(childOf(root, named(C, 'time-range')));
  const yieldToOthers = createYielder();
  const [busy, tentative]: [Span[], Span[]] = [[], []];
  for await (const page of collection.within(windowOf(span)))
    for (const { events } of page)
      for (const { start, end, override } of timelineOfEvents(events)({ window: span })) {
        await yieldToOthers();
        work.visit();
        const doc = override ?? events[0];
        if (!doc.busy || doc.status === 'cancelled' || start === end) continue;
        (doc.status === 'tentative' ? tentative : busy).push([start, end]);
        if (busy.length + tentative.length > MOST_OCCURRENCES)
          throw refusal(TOO_MANY, 'The time range has too many events. Ask for a shorter one.');
      }
  const clipped = (spans: Span[]): Span[] => intersectSpans([span], mergeSpans(spans.sort((a, b) => a[0] - b[0])));
  return { span, busy: clipped(busy), tentative: clipped(tentative) };
};

export type Report = { kind: 'multistatus'; pieces: AsyncIterable<string> } | { kind: 'calendar'; text: string };

/** What exceeds the limit of work after the answer has begun ends the answer, which says so (RFC 4791 §7.8, RFC 6578 §3.6). */
async function* untilTooMuch({ collection, context }: Asked, pieces: AsyncIterable<string>): AsyncGenerator<string> {
  let begun = false;
  try {
    for await (const piece of pieces) {
      begun = true;
      yield piece;
    }
  } catch (error) {
    if (!begun || !isTooMuch(error)) throw error;
    yield statusOf(collectionPath(context.caller.user_id, collection.id), '507 Insufficient Storage', TOO_MANY);
  }
}

/** Reads the first piece, so that what the report refuses is answered before the answer begins. */
const begun = async (asked: Asked, report: AsyncGenerator<string>): Promise<AsyncIterable<string>> => {
  const pieces = untilTooMuch(asked, report);
  const first = await pieces.next();
  return document(
    'multistatus',
    (async function* () {
      if (first.done) return;
      yield first.value;
      yield* pieces;
    })(),
  );
};

/** Runs a report. @throws 400, 403 */
export const runReport = async (asked: Asked, deps: ReportDeps): Promise<Report> => {
  const { root, context } = asked;
  switch (root.name) {
    case named(C, 'calendar-query'):
      return { kind: 'multistatus', pieces: await begun(asked, query(asked)) };
    case named(C, 'calendar-multiget'):
      return { kind: 'multistatus', pieces: await begun(asked, multiget(asked)) };
    case named(D, 'sync-collection'):
      return { kind: 'multistatus', pieces: await begun(asked, sync(asked, deps)) };
    case named(C, 'free-busy-query'): {
      const { span, busy, tentative } = await freeBusy(asked);
      const interval = { start: instantOf(span[0]), end: instantOf(span[1]) };
      const told = { ...interval, busy: busy.map(toInterval), tentative: tentative.map(toInterval) };
      return { kind: 'calendar', text: freeBusyText(told, deps.now(), context.caller.user_id) };
    }
    default:
      throw refusal(named(D, 'supported-report'), 'This collection has no such report.');
  }
};

export const NO_REPORT = (): Problem => refusal(named(D, 'supported-report'), 'Only calendars have reports.');
