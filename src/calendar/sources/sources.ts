/** Calendar sources as their routes use them: subscribe, list, change, remove, and read again at once. */
import { randomUUIDv7 } from 'node:crypto';
import { sql } from 'kysely';
import type { Clock } from '../../common/clock.ts';
import { invalidAt, notFound, problem } from '../../common/problem.ts';
import { countRows } from '../../db/count-rows.ts';
import type { Db } from '../../db/database.ts';
import type { Caller } from '../../domain/access/caller.ts';
import { attest, saltOf } from '../../ledger/attested.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import type { Writer } from '../../ledger/ledger-writer.ts';
import { versionsOf } from '../../ledger/read-ledger.ts';
import type { Outbound } from '../../outbound/guarded-fetch.ts';
import type { InTransaction } from '../in-transaction.ts';
import { eventsOfSource, findSources, GIVEN_BACK, type SourceRow } from './queries.ts';
import { MAX_SOURCES, type NewSource, type Source, type SourceEdit } from './schemas.ts';

export type SourcesDeps = { reads: Db; ledger: Ledger; clock: Clock; outbound: Outbound; inTransaction: InTransaction };

/** What the ledger shows of a source: of its address, which is a secret, the host and a digest (ledger/attested.ts). */
type SourceDoc = Pick<Source, 'id' | 'name' | 'busy' | 'color' | 'refresh_minutes' | 'created_at'> & { host: string };

/** Events are removed in groups of this many. */
const CHUNK = 500;

/** webcal: makes calendar programs subscribe; it means https. */
const addressOf = (url: string): string => url.trim().replace(/^webcals?:/i, 'https:');
const masked = (url: string): string => `${new URL(url).origin}/…`;
const docOf = ({ id, name, url, busy, color, refresh_minutes, created_at }: SourceRow): SourceDoc => ({
  ...{ id, host: new URL(url).host, name, busy, color, refresh_minutes, created_at },
});
const shown = (row: SourceRow): Source => ({
  ...row,
  url: masked(row.url),
  status: row.failing_since !== null ? 'failing' : row.last_success_at === null ? 'new' : 'ok',
});

const load = async (db: Db, user_id: string, id: string): Promise<SourceRow> => {
  const [row] = await findSources(db, user_id, { id });
  if (!row) throw notFound('source', id);
  return row;
};

const record = async (writer: Writer, what: 'created' | 'updated' | 'removed', row: SourceRow): Promise<void> => {
  const { user_id } = writer.author;
  const salt = await saltOf(writer.tx, user_id);
  const doc = { ...docOf(row), ...(salt ? { address: attest(salt, 'source', row.url) } : {}) };
  const last = what === 'created' ? [] : (await versionsOf(writer.tx, user_id, 'source', doc.id, { limit: 1 })).items;
  const version = (last[0]?.version ?? 0) + 1;
  writer.record({ kind: `source.${what}`, subject: 'source', uid: doc.id, version, payload: () => doc });
};

export const createSources = (
  { reads, ledger, clock, outbound, inTransaction }: SourcesDeps,
  /** Called when a source is due. */
  wake: () => void,
) => {
  const checkedAddress = async (url: string, path: string): Promise<string> => {
    const address = addressOf(url);
    const fault = await outbound.faultOf(address);
    if (fault !== null) throw invalidAt(path, 'url_refused', fault);
    return address;
  };

  const make = async (caller: Caller, wanted: NewSource): Promise<Source> => {
    const { name, busy, color, refresh_minutes } = wanted;
    const url = await checkedAddress(wanted.url, '/url');
    const [{ user_id }, id] = [caller, randomUUIDv7()];
    const made = await ledger.write(caller, async (writer) => {
      const { rows } = await sql<{ count: number }>`
        select count(*) as count from calendar_sources where user_id = ${user_id}`.execute(writer.tx);
      if ((rows[0]?.count ?? 0) >= MAX_SOURCES)
        throw problem('too_many_sources', `A user has at most ${MAX_SOURCES} calendar sources. Remove one first.`);
      const now = clock.now();
      // The turn of its user comes after those who wait already, also where they remove their sources and make them again.
      await sql`
        insert into calendar_sources (user_id, id, name, url, busy, color, refresh_minutes, refresh_at, claimed_until, created_at, updated_at)
        values (${user_id}, ${id}, ${name}, ${url}, ${busy}, ${color}, ${refresh_minutes}, ${now}, now(), ${now}, ${now})`.execute(
        writer.tx,
      );
      const row = await load(writer.tx, user_id, id);
      await record(writer, 'created', row);
      return { ...shown(row), url };
    });
    wake();
    return made;
  };

  /** Makes a source due at once. The whole file is read again where `whole`. An instance that reads it now loses its claim. */
  const makeDue = async (tx: Db, user_id: string, id: string, whole: boolean): Promise<void> => {
    await sql`
      update calendar_sources set refresh_at = ${clock.now()}, ${GIVEN_BACK}
        ${whole ? sql`, etag = null, last_modified = null` : sql``}
      where user_id = ${user_id} and id = ${id}`.execute(tx);
  };

  const update = async (caller: Caller, { id, updates }: SourceEdit): Promise<Source> => {
    const url = updates.url === undefined ? undefined : await checkedAddress(updates.url, '/updates/url');
    const { user_id } = caller;
    const changed = await ledger.write(caller, async (writer) => {
      const from = await load(writer.tx, user_id, id);
      const given = Object.fromEntries(Object.entries({ ...updates, url }).filter(([, value]) => value !== undefined));
      if (!Object.keys(given).length) return from;
      const to: SourceRow = { ...from, ...given };
      await record(writer, 'updated', to);
      await sql`
        update calendar_sources set url = ${to.url}, name = ${to.name}, busy = ${to.busy}, color = ${to.color},
          refresh_minutes = ${to.refresh_minutes}, updated_at = ${clock.now()}
        where user_id = ${user_id} and id = ${id}`.execute(writer.tx);
      const whole = to.url !== from.url || to.busy !== from.busy;
      if (whole || to.refresh_minutes !== from.refresh_minutes) await makeDue(writer.tx, user_id, id, whole);
      return load(writer.tx, user_id, id);
    });
    wake();
    return shown(changed);
  };

  /** Removes a source with its events, whose history stays. */
  const remove = (caller: Caller, id: string): Promise<{ id: string; removed: true }> =>
    ledger.write({ ...caller, origin: 'import' }, async (writer) => {
      const { user_id } = caller;
      const row = await load(writer.tx, user_id, id);
      await sql`delete from calendar_sources where user_id = ${user_id} and id = ${id}`.execute(writer.tx);
      await record(writer, 'removed', row);
      for (;;) {
        const events = await eventsOfSource(writer.tx, user_id, id, CHUNK);
        if (!events.length) return { id, removed: true };
        await inTransaction.writeImported(
          writer,
          events.map((event) => ({ what: 'removed', from: event, to: event })),
        );
      }
    });

  const refreshNow = async (caller: Caller, id: string): Promise<Source> => {
    const { user_id } = caller;
    const row = await ledger.write(caller, async ({ tx }) => {
      await load(tx, user_id, id);
      await makeDue(tx, user_id, id, true);
      return load(tx, user_id, id);
    });
    wake();
    return shown(row);
  };

  return {
    make,
    update,
    remove,
    refreshNow,
    list: async (user_id: string, after: string | undefined, limit: number): Promise<Source[]> =>
      (await findSources(reads, user_id, { after, limit })).map(shown),
    count: (user_id: string) => countRows(reads, sql`calendar_sources where user_id = ${user_id}`),
  };
};

export type Sources = ReturnType<typeof createSources>;
