/**
 * Hides sensitive values: a credential without export:sensitive sees neither authored_by and chat_url nor their values in other
 * text. All readers get their view here.
 */
import { sql, type RawBuilder } from 'kysely';
import { LRUCache } from 'lru-cache';
import { currentHolder } from '../common/fair-shares.ts';
import { createTogether } from '../common/together.ts';
import { runYielding } from '../common/yielding.ts';
import type { Db } from '../db/database.ts';
import { only } from '../db/rows-by-key.ts';
import type { Caller } from '../domain/access/caller.ts';
import { canonicalJson } from '../domain/record/canonical-json.ts';
import {
  blanking,
  blankingInSteps,
  everything,
  holdsText,
  showing,
  type Blanking,
  type FinderOfPlace,
} from '../domain/record/blanking.ts';
import { findAny, type Find } from '../domain/record/redact.ts';
import { writtenBack } from '../domain/record/written-back.ts';
import { problem } from '../common/problem.ts';
import type { Author } from './ledger-writer.ts';
import { createHiddenValues, type HiddenValues, type Moment, type ValueRow } from './hidden-values.ts';

type Reader = Pick<Caller, 'user_id' | 'scopes'>;
/** Who writes. The service itself has no scopes, and sees everything. */
type Writing = Pick<Author, 'user_id' | 'scopes'>;

/** How many users’ values are cached, how large they are together in bytes, and for how long they are kept unused. */
const KEPT = { max: 1_000, maxSize: 256_000_000, ttl: 600_000, updateAgeOnGet: true };
/**
 * Of the traces on which agents set a value, the newest count, until their values have this number of characters. The values of an
 * older one are blanked in that trace only.
 */
const MOST_OF_AGENTS = { traces: 10_000, characters: 2_000_000 };

export const isTrusted = ({ scopes }: Reader): boolean => scopes.has('export:sensitive');

/** More than these two limits let in at once. Then all is read again, so that what agents set over time does not stay in memory. */
const TOO_MANY_CHARACTERS = 3 * MOST_OF_AGENTS.characters;

const NOW: Moment = { now: true, at: [] };

const ignore = (): void => undefined;
const never = (): boolean => false;

/** What blanks for a reader, and what may be said of what it hides. */
type ViewWithWords = {
  show: Blanking;
  isHidden: (word: string) => boolean;
  mayGoOn: (text: string) => boolean;
  hides: boolean;
};

type Row = Omit<ValueRow, 'agent'> & { of_agents: boolean };

/** A value that an agent set, as it is stored: the actor, a space and the value. */
const ofAgent = ({ seq, until, values }: Row): ValueRow[] => {
  const by = Map.groupBy(values, (value) => value.slice(0, value.indexOf(' ')));
  return Array.from(by, ([agent, list]) => {
    const own = list.map((value) => value.slice(agent.length + 1));
    return { seq, until, agent, values: own };
  });
};

/** A character has at most 4 bytes, and an array of two values, as a trace has them, 40 more. */
const MOST_BYTES = 4 * MOST_OF_AGENTS.characters + 40 * MOST_OF_AGENTS.traces;

/**
 * Those that count of the rows with values of agents. The stored size, which is read without the value, leaves out most that do not
 * count: of 10,000 values of 5,000 characters the newest are found in 111 ms, and in 346 where the characters of all are counted.
 */
const newestOfAgents = (rows: RawBuilder<unknown>, order: RawBuilder<unknown>): RawBuilder<unknown> => {
  const running = sql`over (order by ${order} rows unbounded preceding)`;
  return sql`
  (select seq, until, to_json(agent_values), true from (
    select *, sum(length(array_to_string(agent_values, ''))) ${running} as characters from (
      select *, sum(pg_column_size(agent_values)) ${running} as stored
      from (${rows} order by ${order} limit ${sql.lit(MOST_OF_AGENTS.traces)}) t) t
     where stored <= ${sql.lit(MOST_BYTES)}) t
   where characters <= ${sql.lit(MOST_OF_AGENTS.characters)})`;
};

/**
 * What was set or ended after a seq, in one statement. Rows of earlier releases do not say who set a value: a version that an
 * agent made as the first one has the agent's, which are hidden in that trace only. PGlite reads a megabyte of text[] in 130 ms, and
 * of JSON in 5. Uses the indexes traces_sensitive, traces_agent_values, traces_past_sensitive_until, traces_past_agent_values.
 */
const valuesAfter = async (db: Db, user_id: string, after: number): Promise<ValueRow[]> => {
  const { rows } = await sql<Row>`
    select seq, null::bigint as until, to_json(sensitive) as values, false as of_agents from traces
    where user_id = ${user_id} and seq > ${after} and sensitive is not null
      and not (agent_values is null and origin = 'agent' and version = 1)
    union all
    select seq, until, to_json(sensitive), false from traces_past t
    where user_id = ${user_id} and until > ${after} and sensitive is not null
      and not (agent_values is null and origin = 'agent'
               and (select version from ledger where user_id = ${user_id} and ${only('seq', sql`t.seq`)}) = 1)
    union all
    ${newestOfAgents(
      sql`select seq, null::bigint as until, agent_values from traces
      where user_id = ${user_id} and seq > ${after} and agent_values <> '{}'`,
      sql`seq desc`,
    )}
    union all
    ${newestOfAgents(
      sql`select seq, until, agent_values from traces_past
      where user_id = ${user_id} and until > ${after} and agent_values <> '{}'`,
      sql`until desc`,
    )}`.execute(db);
  return rows.flatMap((row) => (row.of_agents ? ofAgent(row) : { ...row, agent: null }));
};

/** What is hidden at one moment in all that is shown. */
const hiddenAt = (known: HiddenValues, moment: Moment): FinderOfPlace => {
  const finds = new Map<string | null, Find>();
  return ({ agent }) => {
    const find = finds.get(agent) ?? known.finderAt(agent, moment);
    finds.set(agent, find);
    return find;
  };
};

/** Finds what is hidden now in texts of this author. */
const findFor = ({ actor, origin }: Author, known: readonly HiddenValues[]): Find =>
  findAny(known.map((values) => values.finderAt(origin === 'agent' ? actor : null, NOW)));

const shownAt = (known: HiddenValues, moment: Moment): Blanking => blanking(hiddenAt(known, moment));

/**
 * What somebody means who replaces the whole of a resource: a text that is sent back as it was shown stays as it is stored.
 * @throws 409 redacted_field with the members where a text was changed that the writer does not see whole
 */
export const restored = <T extends object>(sent: T, shown: object, stored: object): T => {
  const [seen, there] = [shown as Record<string, unknown>, stored as Record<string, unknown>];
  const hidden: string[] = [];
  const back = Object.entries(sent).map(([name, value]) => {
    const meant = writtenBack(value, seen[name], there[name]);
    if (meant === null) hidden.push(name);
    return [name, meant === null ? value : meant.value];
  });
  if (hidden.length) throw redactedField(hidden);
  return Object.fromEntries(back) as T;
};

export const createSensitive = ({ reads }: { reads: Db }) => {
  const underway = new Map<string, Promise<void>>();
  const together = createTogether<HiddenValues>();
  const kept = new LRUCache<string, HiddenValues>({ ...KEPT, sizeCalculation: (values) => values.size() });

  const update = async (user_id: string): Promise<HiddenValues> => {
    const before = kept.get(user_id);
    const after = before?.upto() ?? 0;
    const rows = await valuesAfter(reads, user_id, after);
    if (before && !rows.length) return before;
    // The person and their agents add what they have found one after the other. What was added meanwhile is not added again.
    const adding = (underway.get(user_id) ?? Promise.resolve()).then(async () => {
      const known = kept.get(user_id) ?? before ?? createHiddenValues();
      await known.add(rows.filter(({ seq, until }) => Math.max(seq, until ?? 0) > known.upto()));
      if (known.ofAgents() > TOO_MANY_CHARACTERS) kept.delete(user_id);
      else kept.set(user_id, known);
      return known;
    });
    const done = adding.then(ignore, ignore).finally(() => {
      if (underway.get(user_id) === done) underway.delete(user_id);
    });
    underway.set(user_id, done);
    return adding;
  };

  /**
   * The values up to the present. Call it after reading what is to be shown, so that no value is newer than these. Usually there
   * is nothing new. Requests of the same share read together: after a start, ten of an agent would each read megabytes.
   */
  const knownOf = (user_id: string): Promise<HiddenValues> =>
    together(JSON.stringify([user_id, currentHolder()]), () => update(user_id));

  /**
   * The function that shows this reader what was read so far: what is set now is hidden.
   * @param at the earlier moment that is shown, whose values are hidden too
   */
  const viewOf = async (reader: Reader, at?: number): Promise<Blanking> =>
    isTrusted(reader) ? everything : shownAt(await knownOf(reader.user_id), { now: true, at: [at] });

  /** The function that shows versions, old and new: in each is hidden what was set when it was made, too. */
  const viewOfVersions = async (reader: Reader): Promise<Blanking> => {
    if (isTrusted(reader)) return everything;
    const known = await knownOf(reader.user_id);
    return blanking(({ agent, seq }) => known.finderAt(agent, { now: true, at: [seq] }));
  };

  /**
   * The view of a transaction, which sees its own writes. It reads with the transaction's connection only: the embedded database
   * has no other. What it reads may be rolled back, so it is not cached.
   */
  const knownIn = async (tx: Db, user_id: string): Promise<HiddenValues[]> => {
    const known = kept.get(user_id) ?? createHiddenValues();
    const rows = await valuesAfter(tx, user_id, known.upto());
    if (!rows.length) return [known];
    const own = createHiddenValues();
    await own.add(rows);
    return [known, own];
  };

  const viewIn = async (tx: Db, user_id: string): Promise<Blanking> => {
    const known = await knownIn(tx, user_id);
    const [before, after = everything] = known.map((values) => shownAt(values, NOW)) as [Blanking, Blanking?];
    return (value) => after(before(value));
  };

  const viewInWrite = async (tx: Db, { user_id, scopes }: Writing): Promise<Blanking> =>
    scopes === undefined || isTrusted({ user_id, scopes }) ? everything : viewIn(tx, user_id);

  return {
    viewOf,
    viewOfVersions,
    viewInWrite,

    /**
     * The views of both ends of a difference, what a reader saw at the earlier end then, and whether documents that did not change
     * look different.
     */
    viewsBetween: async (reader: Reader, since: number, at: number) => {
      const known = isTrusted(reader) ? null : await knownOf(reader.user_id);
      if (!known) return { before: everything, earlier: everything, after: everything, differ: false };
      const [before, earlier, after] = [
        { now: true, at: [since] },
        { now: false, at: [since] },
        { now: true, at: [at] },
      ];
      const differ = known.differ(before, after) || known.differ(earlier, after);
      return { before: shownAt(known, before), earlier: shownAt(known, earlier), after: shownAt(known, after), differ };
    },

    /**
     * Whether this reader is shown the hashes of entries: where no value was ever hidden. With the hash of a document that is shown in
     * part, a reader could test candidates for the rest without a request.
     */
    mayVerify: async (reader: Reader): Promise<boolean> =>
      isTrusted(reader) || (await knownOf(reader.user_id)).upto() === 0,

    /** Says what a cached answer was blanked by: it changes with every value that is set or removed. */
    stateOf: async (reader: Reader): Promise<number> =>
      isTrusted(reader) ? 0 : (await knownOf(reader.user_id)).upto(),

    /** Blanks part of an answer for this reader. It queries the database only where the part contains text. */
    present: async <T>(reader: Reader, value: T, at?: number): Promise<T> => {
      if (isTrusted(reader) || !holdsText(value)) return value;
      const known = await knownOf(reader.user_id);
      return runYielding(blankingInSteps(hiddenAt(known, { now: true, at: [at] }))(value));
    },

    /**
     * The view, functions that say whether a word is part of what this reader must not see and whether that may go on behind a
     * text, and whether there may be anything that is hidden.
     */
    viewWithWords: async (reader: Reader, at?: number): Promise<ViewWithWords> => {
      if (isTrusted(reader)) return { show: everything, isHidden: never, mayGoOn: never, hides: false };
      const known = await knownOf(reader.user_id);
      const { hasWord: isHidden, mayGoOn } = known;
      return { show: shownAt(known, { now: true, at: [at] }), isHidden, mayGoOn, hides: known.upto() > 0 };
    },

    /** Blanks text that a write will cut and store. A sensitive value that is cut in two could not be recognised later. */
    beforeCutting: viewIn,

    /**
     * Finds in texts of this author what is hidden from others, so that they are not cut there (cutting.ts).
     * @param tx the transaction that writes the texts, where there is one
     */
    hiddenIn: async (author: Author, tx?: Db): Promise<Find> =>
      findFor(author, tx ? await knownIn(tx, author.user_id) : [await knownOf(author.user_id)]),

    /**
     * Refuses to change a text that the reader does not see whole, since that would replace the hidden value by blanks.
     * @throws 409 redacted_field with the members
     */
    refuseHiddenChanges: async (tx: Db, reader: Reader, from: object, updates: object): Promise<void> => {
      if (isTrusted(reader)) return;
      const stored = from as Record<string, unknown>;
      const shown = (await viewIn(tx, reader.user_id))(stored);
      const hidden = Object.entries(updates).flatMap(([name, value]) =>
        value !== undefined && canonicalJson([shown[name] ?? null]) !== canonicalJson([stored[name] ?? null])
          ? name
          : [],
      );
      if (hidden.length) throw redactedField(hidden);
    },
  };
};

const redactedField = (fields: string[]) =>
  problem(
    'redacted_field',
    `This credential is not shown the whole value of ${fields.join(', ')}, so it cannot replace it. Leave it out or send it as it was shown, or change it with a credential that has export:sensitive.`,
    { fields },
  );

export type Sensitive = ReturnType<typeof createSensitive>;

function* showingEach<T>(show: Blanking, list: readonly T[]): Generator<undefined, T[]> {
  const shown: T[] = [];
  for (const item of list) shown.push(yield* showing(show, item));
  return shown;
}

/** Blanks a long list, and yields to other requests. */
export const showEach = <T>(show: Blanking, list: readonly T[]): Promise<T[]> => runYielding(showingEach(show, list));

export const presentEach = async <T>(sensitive: Sensitive, reader: Reader, list: readonly T[]): Promise<T[]> =>
  showEach(await sensitive.viewOf(reader), list);
