/** Reads events as the resources of calendar programs: by name, in a window, and what changed after a seq. */
import { sql, type RawBuilder } from 'kysely';
import type { Db } from '../../db/database.ts';
import { eachKey, entryOf, onlyKey } from '../../db/rows-by-key.ts';
import { markOf, writeLedgerPosition } from '../../ledger/ledger-position.ts';
import type { Instant } from '../../domain/time/time.ts';
import type { EventResource } from '../schemas.ts';

/** A calendar: null for the person’s own, or the id of a source. */
export type CalendarId = string | null;

const SUFFIX = '.ics';

/** The name of an event’s resource. */
export const nameOf = ({ uid, href }: { uid: string; href?: string | null | undefined }): string =>
  href ?? `${uid}${SUFFIX}`;

type Row = { uid: string; href: string | null; seq: number; hash: Buffer };

/** A resource without its text. `etag` is the ledger position of its last change, which stays unique after a restored backup. */
export type ObjectState = { uid: string; name: string; seq: number; etag: string };
export type ObjectDocument = ObjectState & { event: EventResource };

const stateOf = ({ uid, href, seq, hash }: Row): ObjectState => ({
  uid,
  name: nameOf({ uid, href }),
  seq,
  etag: writeLedgerPosition({ seq, mark: markOf(hash) }),
});
const documentOf = (row: Row & { payload: EventResource }): ObjectDocument => ({ ...stateOf(row), event: row.payload });

const inCalendar = (calendar: CalendarId): RawBuilder<unknown> =>
  calendar === null ? sql`source_uid is null` : sql`source_uid = ${calendar}`;

/** The states of all resources, or of those that changed after a seq, sorted by seq. Uses the indexes events_seq, ledger_pkey. */
export const objectStates = async (
  db: Db,
  user_id: string,
  calendar: CalendarId,
  after = 0,
): Promise<ObjectState[]> => {
  const { rows } = await sql<Row>`
    select e.uid, e.href, e.seq, l.hash
    from (select uid, href, seq from events where user_id = ${user_id} and seq > ${after} and ${inCalendar(calendar)}) e
    cross join ${entryOf(user_id, 'e', sql`hash`)}
    order by e.seq`.execute(db);
  return rows.map(stateOf);
};

/** The resources that were removed after a seq and do not exist now, by their last removal. Uses the indexes ledger_edits, events_pkey. */
export const removedObjects = async (
  db: Db,
  user_id: string,
  calendar: CalendarId,
  after: number,
): Promise<{ name: string; seq: number }[]> => {
  const { rows } = await sql<{ uid: string; href: string | null; seq: number }>`
    select l.subject_uid as uid, l.payload->>'href' as href, max(l.seq) as seq from ledger l
    where l.user_id = ${user_id} and l.subject = 'event' and l.version > 1 and l.seq > ${after} and l.kind = 'event.removed'
      and l.payload->>'source_uid' is not distinct from ${calendar}
      and not exists (select from events e where e.user_id = ${user_id} and e.uid = l.subject_uid
                      and e.href is not distinct from l.payload->>'href')
    group by 1, 2 order by 3`.execute(db);
  return rows.map(({ uid, href, seq }) => ({ name: nameOf({ uid, href }), seq }));
};

/** Resources by name, in no particular order; unknown names are missing. Uses the indexes events_href, events_pkey, ledger_pkey. */
export const objectsByName = async (
  db: Db,
  user_id: string,
  calendar: CalendarId,
  names: readonly string[],
): Promise<ObjectDocument[]> => {
  const uids = names.flatMap((name) => (name.endsWith(SUFFIX) ? name.slice(0, -SUFFIX.length) : []));
  const found = (keys: readonly string[], key: RawBuilder<unknown>) => sql`
    select e.uid, e.href, e.seq, l.hash, l.payload from ${eachKey(
      keys,
      sql`select uid, href, seq, source_uid from events where user_id = ${user_id} and ${key}`,
      'e',
    )} cross join ${entryOf(user_id, 'e', sql`hash, payload`)} where ${inCalendar(calendar)}`;
  const { rows } = await sql<Row & { payload: EventResource }>`
    ${found(names, sql`href = key.uid`)} union all ${found(uids, sql`href is null and ${onlyKey()}`)}`.execute(db);
  return rows.map(documentOf);
};

/** A page of the resources that overlap a window, sorted by uid. Uses the indexes events_pkey or events_span, ledger_pkey. */
export const objectsPage = async (
  db: Db,
  user_id: string,
  calendar: CalendarId,
  { start, end }: { start: Instant | null; end: Instant | null },
  { after, limit }: { after: string; limit: number },
): Promise<ObjectDocument[]> => {
  const { rows } = await sql<Row & { payload: EventResource }>`
    select e.uid, e.href, e.seq, l.hash, l.payload
    from (select uid, href, seq from events
           where user_id = ${user_id} and uid > ${after} and ${inCalendar(calendar)} and span && tstzrange(${start}, ${end})
           order by uid limit ${limit}) e
    cross join ${entryOf(user_id, 'e', sql`hash, payload`)}
    order by e.uid`.execute(db);
  return rows.map(documentOf);
};
