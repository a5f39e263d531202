/** Where the two moments of the time machine are on the ledger, and what changed between them. */
import { computed, signal } from '@preact/signals';
import type { ChangesPage, DiffResult, LedgerEntry } from '../../../client/almanac-client.ts';
import { traceKind } from '../../../domain/record/trace-kind.ts';
import { asOf, NOW, reader, until } from './address.ts';
import { keys } from './data.ts';
import { asDoc, isShownField, type Doc } from './field-names.ts';
import { resource } from './resource.ts';
import { client, pastClient } from './service.ts';

export const isSeq = (moment: string): boolean => /^\d+$/.test(moment);

export type Position = {
  /** The first entry of the ledger, and the newest one of all. */
  first: LedgerEntry;
  head: LedgerEntry;
  /** The newest entry that was known then; undefined before the first one. */
  from: LedgerEntry | undefined;
  /** The newest entry that was known at the later moment. */
  until: LedgerEntry | undefined;
};

const newestAt = async (as_of?: string): Promise<LedgerEntry | undefined> => {
  const { items } = await client.memport.ledger({ limit: 1, ...(as_of === undefined ? {} : { as_of }) }).page();
  return items[0];
};

const head = resource(
  () => (asOf.value === undefined ? null : {}),
  ['plans', 'events', 'traces', 'profile'],
  () => newestAt(),
);

/** The later moment, where it is one of the past too. */
const laterThen = computed(() => (until.value === NOW ? undefined : until.value));

/** What was known then stays as it is, whatever is written now. */
const moments = resource<{ as_of: string; later: string | undefined }, Omit<Position, 'head'>>(
  () => (asOf.value === undefined ? null : { as_of: asOf.value, later: laterThen.value }),
  [],
  async ({ as_of, later }) => {
    const [first, from, named] = await Promise.all([
      newestAt('1'),
      newestAt(as_of),
      later === undefined ? undefined : newestAt(later),
    ]);
    return { first: first as LedgerEntry, from, until: named };
  },
);

export const position = {
  data: computed((): Position | undefined => {
    const [newest, known] = [head.data.value, moments.data.value];
    return newest && known && { ...known, head: newest, until: laterThen.value === undefined ? newest : known.until };
  }),
  error: computed(() => head.error.value ?? moments.error.value),
  stale: computed(() => head.stale.value || moments.stale.value),
};

/** Whether the list of changes is open. */
export const listing = signal(false);

export type Difference = DiffResult & { name: string; now: Doc | undefined };
export type Differences = { differences: Difference[]; more: boolean; from: number; to: number };
const MOST_SHOWN = 300;
const MOST_NAMED = 1000;

const NAMES = ['title', 'label', 'display_name', 'summary', 'content', 'name', 'tag', 'url'];
/** How a sentence names a document; empty where it has no name. */
export const nameOf = (document: Doc): string =>
  NAMES.map((field) => document[field]).find((one): one is string => typeof one === 'string' && one !== '') ?? '';

/** A document as it was at a seq of the ledger. */
export const documentAt = async (
  subject: LedgerEntry['subject'],
  uid: string,
  seq: number,
): Promise<Doc | undefined> => {
  const { items } = await pastClient.memport.ledger({ subject, uid, as_of: String(seq), limit: 1 }).page();
  return items[0]?.payload ?? undefined;
};

/** Whether the service wrote a trace by itself, as the record of a decision or of a change of the calendar. */
export const isOfService = (trace: { type: string; transition?: unknown }): boolean =>
  ['decision', 'event'].includes(traceKind({ ...trace, tags: [] }));

/**
 * The service's own records of a change of a plan or an event, whose change is listed itself, and changes of fields that mean nothing to
 * a person.
 */
const isBookkeeping = (difference: DiffResult): boolean => {
  if (difference.op === 'changed') return !difference.patch.some(({ path }) => isShownField(path));
  if (difference.op !== 'added' || !difference.trace) return false;
  const { type = '' } = difference.trace;
  return isOfService({ ...difference.trace, type });
};

/** The key of the agent as which the past is read. */
export const readerKey = computed(() => keys.data.value?.find(({ id }) => id === reader.value));
const mayRead = (scope: string): boolean =>
  reader.value === undefined || (readerKey.value?.scopes as string[] | undefined)?.includes(scope) === true;

const NO_NAMES: Pick<ChangesPage, 'changes'> = { changes: [] };

export const differences = resource<{ from: string; to: string; include: string; named: boolean }, Differences>(
  () => {
    const { data, stale } = position;
    if (until.value === undefined || !data.value?.until || stale.value) return null;
    if (reader.value !== undefined && !keys.data.value) return null;
    const include = [
      'traces',
      ...(mayRead('calendar:read') ? ['events'] : []),
      ...(mayRead('user:read') ? ['profile'] : []),
    ].join(',');
    const [from, to] = [String(data.value.from?.seq ?? 0), String(data.value.until.seq)];
    return { from, to, include, named: mayRead('plan:read') };
  },
  [],
  async ({ named, ...points }) => {
    const [{ results, next_cursor }, { changes }] = await Promise.all([
      pastClient.memport.export({ export_format: 'diff', ...points, limit: MOST_SHOWN }),
      named ? pastClient.agent.changes({ after: points.from, limit: MOST_NAMED }) : NO_NAMES,
    ]);
    // The patch of a difference does not say what it changes; the newest change does.
    const newest = new Map(changes.map(({ subject, data }) => [subject, asDoc(data)]));
    const found = results
      .filter((one) => !isBookkeeping(one))
      .map((one) => {
        const document = one.op === 'added' ? (one.trace ?? one.event ?? one.profile) : undefined;
        const now: Doc | undefined = document ? asDoc(document) : newest.get(one.uid);
        return { ...one, now, name: now ? nameOf(now) : '' };
      });
    return { differences: found, more: next_cursor !== null, from: Number(points.from), to: Number(points.to) };
  },
);
