/**
 * Writes a whole account as one zip: traces and calendar, which can be imported again, the profile, and the whole ledger. It is
 * true for one seq however long it takes. The scopes that a credential needs to read a kind of document elsewhere are required
 * here too.
 */
import { createHash } from 'node:crypto';
import { REFRESH_MINUTES } from '../../calendar/ics/feed.ts';
import type { EventResource } from '../../calendar/schemas.ts';
import { occurrenceAt } from '../../calendar/timeline.ts';
import { yieldingPieces } from '../../common/yielding.ts';
import type { Clock } from '../../common/clock.ts';
import type { Db } from '../../db/database.ts';
import type { Caller, Scope } from '../../domain/access/caller.ts';
import { writingCalendar } from '../../domain/calendar/ics/write-ics.ts';
import { everything, type Blanking } from '../../domain/record/blanking.ts';
import { headSeq } from '../../ledger/read-ledger.ts';
import { showEach, type Sensitive } from '../../ledger/sensitive-values.ts';
import { createView } from '../export/views.ts';
import { itemsAt, walkFull, type Walk } from '../export/walks.ts';
import { createLineOf, HASHED_COLUMNS, type HashedEntry } from '../ledger-lines.ts';
import { zipped, type ZippedFile } from './zip-stream.ts';

export type ArchiveDeps = { db: Db; sensitive: Sensitive; clock: Clock; versions: { almanac: string; api: string } };

/** The version of the archive's format. It rises when programs that read older archives would fail. */
const FORMAT = 1;
/** Lines are sent in chunks of this many characters. */
const CHUNK = 64 * 1024;
/** Ledger entries are found this many at a time. Their documents are read in smaller batches. */
const ENTRIES_AT_ONCE = 2_000;

/** What the manifest says of each file. */
type Written = { name: string; lines: number; bytes: number; sha256: string };

const inChunks = async function* (values: AsyncIterable<object>): AsyncGenerator<string> {
  let chunk = '';
  for await (const value of values) {
    chunk += `${JSON.stringify(value)}\n`;
    if (chunk.length < CHUNK) continue;
    yield chunk;
    chunk = '';
  }
  if (chunk) yield chunk;
};

/** Passes a file's text on and records its size and hash. */
const recorded = (written: Written[], { name, text }: ZippedFile): ZippedFile => ({
  name,
  text: async function* () {
    const digest = createHash('sha256');
    let [bytes, lines] = [0, 0];
    for await (const piece of text()) {
      digest.update(piece);
      bytes += Buffer.byteLength(piece);
      lines += piece.split('\n').length - 1;
      yield piece;
    }
    written.push({ name, lines, bytes, sha256: digest.digest('hex') });
  },
});

/** A text of one JSON value, which is built only when the file is written. */
const jsonText = (make: () => Promise<object>) =>
  async function* (): AsyncGenerator<string> {
    yield `${JSON.stringify(await make(), null, 2)}\n`;
  };

/** Pages of the ledger's entries up to a seq, without their documents. Uses the index ledger_pkey. */
const entries = async function* (db: Db, user_id: string, at: number) {
  for (let after = 0; after < at;) {
    const page = await db
      .selectFrom('ledger')
      .select(HASHED_COLUMNS)
      .where('user_id', '=', user_id)
      .where('seq', '>', after)
      .where('seq', '<=', at)
      .orderBy('seq')
      .limit(ENTRIES_AT_ONCE)
      .execute();
    if (!page.length) return;
    yield page;
    after = page.at(-1)?.seq ?? at;
  }
};

export const createArchive = ({ db, sensitive, clock, versions }: ArchiveDeps) => {
  /** Every ledger entry with its hashes, and with its document where the credential may read that kind. */
  const history = async function* (caller: Caller, w: Walk, show: Blanking, hashes: boolean) {
    const lineOf = createLineOf(caller, show, hashes);
    for await (const page of entries(db, w.user_id, w.at))
      for await (const [entry, payload] of itemsAt(w, page as HashedEntry[])) yield lineOf(entry, payload);
  };

  const traces = async function* (w: Walk, show: Blanking) {
    const view = createView({ show, feedback: true });
    for await (const { value } of walkFull(w, undefined)) yield view(value);
  };

  /** The text of GET /calendar/export.ics. Like there, it holds all events in memory. */
  const calendar = async function* (w: Walk, show: Blanking): AsyncGenerator<string> {
    const events: EventResource[] = [];
    for await (const { value } of walkFull({ ...w, subjects: ['event'] }, undefined)) {
      const event = value.doc as EventResource;
      events.push(event, ...Object.keys(event.overrides).map((id) => occurrenceAt(event, id)));
    }
    const options = { name: 'Almanac', now: clock.now(), refresh_minutes: REFRESH_MINUTES };
    yield* yieldingPieces(writingCalendar(await showEach(show, events), options));
  };

  const profile = async (w: Walk, show: Blanking): Promise<object> => {
    const { email } = await db
      .selectFrom('users')
      .select('email')
      .where('user_id', '=', w.user_id)
      .executeTakeFirstOrThrow();
    for await (const { value } of walkFull({ ...w, subjects: ['profile'] }, undefined))
      return { email, ...show(value.doc) };
    return { email };
  };

  const headOf = async (user_id: string, seq: number): Promise<string> => {
    const { hash } = await db
      .selectFrom('ledger')
      .select('hash')
      .where('user_id', '=', user_id)
      .where('seq', '=', seq)
      .executeTakeFirstOrThrow();
    return hash.toString('hex');
  };

  return {
    /** The zip, in pieces, and the seq it is true for. */
    archive: async (caller: Caller): Promise<{ at: number; bytes: AsyncIterable<Uint8Array> }> => {
      const { user_id } = caller;
      const generated_at = clock.now();
      const at = await headSeq(db, user_id);
      const hashes = await sensitive.mayVerify(caller);
      const head = { seq: at, ...(hashes ? { hash: await headOf(user_id, at) } : {}) };
      const [show, showVersions] = [await sensitive.viewOf(caller, at), await sensitive.viewOfVersions(caller)];
      const w: Walk = {
        ...{ db, user_id, at, filter: {}, group_by: undefined, zone: caller.zone },
        subjects: ['trace'],
        at_once: ENTRIES_AT_ONCE,
      };
      const parts: (ZippedFile & { needs?: Scope })[] = [
        { name: 'traces.jsonl', text: () => inChunks(traces(w, show)) },
        { name: 'calendar.ics', text: () => calendar(w, show), needs: 'calendar:read' },
        { name: 'profile.json', text: jsonText(() => profile(w, show)), needs: 'user:read' },
        { name: 'history.jsonl', text: () => inChunks(history(caller, w, showVersions, hashes)) },
      ];
      const mayRead = ({ needs }: { needs?: Scope }): boolean => needs === undefined || caller.scopes.has(needs);
      const files: Written[] = [];
      const manifest = async (): Promise<object> => ({
        format: FORMAT,
        versions,
        user_id,
        generated_at,
        head,
        sensitive_included: show === everything,
        files,
        left_out: parts.filter((part) => !mayRead(part)).map(({ name, needs }) => ({ name, needs })),
      });
      const all = [
        ...parts.filter(mayRead).map((part) => recorded(files, part)),
        { name: 'manifest.json', text: jsonText(manifest) },
      ];
      return { at, bytes: zipped(all, new Date(generated_at)) };
    },
  };
};

export type Archive = ReturnType<typeof createArchive>;
