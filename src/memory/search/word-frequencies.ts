/**
 * Chooses which words of a query are looked up. In a long ledger they are the rarest, by an estimate from a sample of the traces.
 * The samples are kept in memory, because reading one takes as long as a third of a search.
 */
import { sql, type RawBuilder } from 'kysely';
import { LRUCache } from 'lru-cache';
import type { Db } from '../../db/database.ts';
import { oneByOne } from '../../db/rows-by-key.ts';
import { ALL_ROWS, heldAt } from '../queries.ts';
import { fromColumns, inColumns, type Columns } from './columns.ts';
import { isFiltered, type Question } from './question.ts';
import type { Frequencies } from './rank.ts';

/** In a ledger of up to this many entries, every trace with any of the words is examined. */
export const FEW_ENTRIES = 10_000;
/**
 * Once the rarest words are expected to find this many traces, commoner words are not looked up: an arm ranks no more results.
 */
const ENOUGH = 1_000;
/** The rarest word is looked up only where at most this many traces have it. */
const MOST = 4_000;
/** All words that are looked up may find this many traces that the filters do not select. The index of words reads those too. */
const MOST_READ = 2 * MOST;
/** A sample has this many stretches, evenly spread over the ledger, of this many entries each. */
const STRETCHES = 100;
const STRETCH = 5;
/** A sample serves until the ledger has grown by at most one in this many parts. */
const PARTS = 16;
/** Where the sampled traces have more words than this together, words are read from a part of them only. */
const WORDS_OF_SAMPLE = 100_000;
/** Samples in memory hold at most this many words in all, at about 30 bytes each: those of 25 people with notes of 40 words. */
const MOST_WORDS = 500_000;
/** An erased account leaves the memory of every process within this time. */
const KEPT_MS = 10 * 60_000;

type SampledTrace = {
  type: string;
  task_id: string | null;
  tempo_tag: string | null;
  /** Seconds since the epoch. */
  time: number;
  /** null where the sample has enough words already. */
  lexemes: string[] | null;
};

/** The places of traces in a sample. Most words occur once, and a number takes no memory of its own. */
type Places = number | number[];

/** The sampled traces, by lexeme the places of those that have it, and the number of entries they were chosen from. */
type Sample = { traces: SampledTrace[]; having: Map<string, Places>; entries: number };

/**
 * The seq up to which the sample of a ledger reaches: the last multiple of a power of two. It follows from the seq of the search
 * alone, so that the pages of a search, and the same search later, use the same sample.
 */
const sampledUpTo = (at: number): number => at - (at % 2 ** Math.floor(Math.log2(at / PARTS)));

const COLUMNS = ['type', 'task_id', 'tempo_tag', 'time', 'lexemes'];

/**
 * The newest entries alone would not do, since they may all be about one subject. An entry that is not a trace, or not its
 * version at the seq, yields none.
 */
const sampled = (user_id: string, at: number): RawBuilder<unknown> => {
  const entries = sql`
    select l.seq, l.subject_uid as uid from ledger l
    where l.user_id = ${user_id} and l.seq > point and l.seq <= point + ${sql.lit(STRETCH)} and l.subject = 'trace'
    order by l.seq limit ${sql.lit(STRETCH)}`;
  const trace = sql`
    select t.type, t.task_id, t.tempo_tag, date_part('epoch', t."timestamp") as time, t.search
    from ${ALL_ROWS} t where ${heldAt(user_id, at)} and t.uid = l.uid and t.seq = l.seq`;
  // In the order of the window, any first part of the stretches is spread over the ledger too.
  return sql`
    select t.type, t.task_id, t.tempo_tag, t.time,
           case when sum(length(t.search)) over (order by p.i % 10, p.i, l.seq rows unbounded preceding) <= ${sql.lit(WORDS_OF_SAMPLE)}
                then tsvector_to_array(t.search) end as lexemes
    from (select i, ${at}::bigint * i / ${sql.lit(STRETCHES)} as point from generate_series(0, ${sql.lit(STRETCHES - 1)}) i) p
    cross join lateral (${entries}) l
    cross join ${oneByOne(trace, 't')}`;
};

const sampleOf = (list: SampledTrace[]): Sample => {
  const having = new Map<string, Places>();
  const traces = list.filter((trace) => trace.lexemes !== null);
  for (const [place, trace] of traces.entries()) {
    for (const lexeme of trace.lexemes ?? []) {
      const places = having.get(lexeme);
      if (places === undefined) having.set(lexeme, place);
      else if (typeof places === 'number') having.set(lexeme, [places, place]);
      else places.push(place);
    }
    trace.lexemes = null; // They are in the map now.
  }
  // Where one trace alone has too many words, nothing is known of any: all words count as rare.
  const part = list.length ? Math.max(1, traces.length) / list.length : 1;
  return { traces, having, entries: STRETCHES * STRETCH * part };
};

const wordsIn = ({ having }: Sample): number =>
  having.values().reduce<number>((sum, places) => sum + (typeof places === 'number' ? 1 : places.length), 1);

/** The places of the traces that have any of the lexemes. */
const placesOf = ({ having }: Sample, lexemes: readonly string[]): readonly number[] => {
  const lists = lexemes.map((lexeme) => having.get(lexeme) ?? []);
  const [first = []] = lists;
  return lists.length === 1 && typeof first !== 'number' ? first : [...new Set(lists.flat())];
};

/** Whether the filters of a search select the trace at a place; undefined where they select all. */
const selectedIn = (sample: Sample, question: Question): ((place: number) => boolean) | undefined => {
  if (!isFiltered(question)) return undefined;
  const { type, task_id, tempo_tag, start, end } = question.filter;
  const from = start === undefined ? -Infinity : Date.parse(start) / 1000;
  const to = end === undefined ? Infinity : Date.parse(end) / 1000;
  const tagged = question.tags.map((tag) => new Set(placesOf(sample, [tag])));
  const selected = sample.traces.map(
    (trace, place) =>
      (type === undefined || trace.type === type) &&
      (task_id === undefined || trace.task_id === task_id) &&
      (tempo_tag === undefined || trace.tempo_tag === tempo_tag) &&
      trace.time >= from &&
      trace.time <= to &&
      tagged.every((places) => places.has(place)),
  );
  return (place) => selected[place] === true;
};

/** How many traces are expected to have a word: of those that the filters select, and of all. */
type Estimate = { selected: number; all: number };

/** Chooses the rarest until they are expected to find enough. Of equals, the first of the query. */
const rarest = (estimates: readonly (Estimate | null)[]): Frequencies[] => {
  const rare = new Set<Estimate>();
  let found = 0;
  let read = 0;
  const order = estimates.filter((one) => one !== null).toSorted((a, b) => a.selected - b.selected);
  for (const [place, one] of order.entries()) {
    const isFew = found + one.selected < 2 * ENOUGH || (place === 0 && one.selected < MOST);
    if (found >= ENOUGH || !isFew) break;
    if (read + one.all > MOST_READ) continue;
    rare.add(one);
    found += one.selected;
    read += one.all;
  }
  return estimates.map((one) => ({ rare: one !== null && rare.has(one), expected: one?.selected ?? null }));
};

export const createWordFrequencies = (db: Db) => {
  const samples = new LRUCache<string, Sample, { user_id: string; upto: number }>({
    maxSize: MOST_WORDS,
    sizeCalculation: wordsIn,
    ttl: KEPT_MS,
    // Of several searches at once, the first reads the sample for all.
    fetchMethod: async (_key, _stale, { context: { user_id, upto } }) => {
      const { rows } = await sql<Columns>`${inColumns(COLUMNS, sampled(user_id, upto))}`.execute(db);
      return sampleOf(fromColumns(rows[0], COLUMNS));
    },
  });

  /** For each thing asked for: whether it is looked up (a phrase need not be, since its words find it), and in a long ledger how many of the selected traces are expected to have it. */
  return async (question: Question): Promise<Frequencies[]> => {
    const { user_id, at, asked } = question;
    if (at <= FEW_ENTRIES || !asked.length) return asked.map((one) => ({ rare: 'lexemes' in one, expected: null }));
    const upto = sampledUpTo(at);
    const sample = await samples.forceFetch(`${user_id} ${upto}`, { context: { user_id, upto } });
    const isSelected = selectedIn(sample, question);
    return rarest(
      asked.map((one) => {
        if (!('lexemes' in one)) return null;
        const places = placesOf(sample, one.lexemes);
        const selected = isSelected ? places.filter(isSelected) : places;
        const each = at / sample.entries;
        return { selected: each * selected.length, all: each * places.length };
      }),
    );
  };
};

export type WordFrequencies = ReturnType<typeof createWordFrequencies>;
