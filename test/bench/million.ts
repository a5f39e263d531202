/** Tables full of traces in minutes: texts of a Zipf vocabulary, filled past the service and the same every time. */
import { searchVector } from '../../src/domain/text/lexemes.ts';
import { TERMS } from '../../src/ledger/trace-rows.ts';
import { newTrace } from '../../src/domain/record/trace.ts';
import type { Query } from '../faults/cluster.ts';

/** Somebody the service knows, and how many traces they get. */
export type Share = { user_id: string; traces: number };

/** How the traces are spread: what filters can ask for. */
export const TYPES = ['observation', 'reflection', 'calendar_event'];
export const TAGS = ['@deep_work', '@meeting', '@morning', '@recovery', '#legal', '#family', '#travel', '#health'];
const TEMPO = 4;
/** Traces of a task, one after the other; every tenth trace belongs to none. */
export const TASK_SIZE = 50;
const NO_TASK = 10;
const FIRST = Date.UTC(2024, 0, 1);
/** Between two traces of one user. */
const STEP_MS = 10 * 60_000;

const VOCABULARY = 50_000;
/** The commonest word stands in about every second text, as no stop word does: names, the name of the firm. */
const OFFSET = 5;
const SHORTEST = 10;
const LONGEST = 70;
const BATCH = 2_000;
const INDEXES = ['traces_search', 'traces_tags'];

/** A generator of numbers from 0 to 1 that gives the same every time (mulberry32). */
export const random = (seed: number) => (): number => {
  seed = (seed + 0x6d2b79f5) | 0;
  let t = Math.imul(seed ^ (seed >>> 15), 1 | seed);
  t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
  return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296;
};

/** The word of a rank, 0 the commonest: letters, and a digit that keeps the stemmer off. */
export const wordOf = (rank: number): string => `${rank.toString(36).replace(/\d/g, (d) => 'ghijklmnop'[+d] ?? d)}0`;

/** A rank by Zipf and Mandelbrot: of rank r with a probability in proportion to 1 / (r + OFFSET). */
export const zipf = (next: () => number): number =>
  Math.min(VOCABULARY - 1, Math.floor(OFFSET * ((VOCABULARY + OFFSET) / OFFSET) ** next() - OFFSET));

type Text = { i: number; doc: object; search: string };

const textOf = (i: number, next: () => number): Text => {
  const length = SHORTEST + Math.floor(next() * (LONGEST - SHORTEST));
  const content = Array.from({ length }, () => wordOf(zipf(next))).join(' ');
  const tags = i % 5 ? [] : [TAGS[i % TAGS.length] as string];
  const tempo_tag = i % 7 ? null : (TAGS[i % TEMPO] as string);
  const doc = newTrace({
    ...{ uid: '', user_id: '', timestamp: '', origin: 'user', content, tags, tempo_tag },
    type: i % 10 ? 'observation' : (TYPES[1 + (i % 2)] ?? 'reflection'),
    feedback_rating: i % 11 ? null : 1 + (i % 5),
  });
  return { i, doc, search: searchVector(doc) };
};

/** Texts for the largest share; the others have the first of the same. */
const fillTexts = async (query: Query, count: number, say: (line: string) => void): Promise<void> => {
  const next = random(1);
  await query('create table million_texts (i integer primary key, doc jsonb not null, search tsvector not null)');
  for (let from = 0; from < count; from += BATCH) {
    const texts = Array.from({ length: Math.min(BATCH, count - from) }, (_, k) => textOf(from + k, next));
    await query(
      `insert into million_texts select i, doc, search::tsvector
       from json_to_recordset($1::json) as t(i integer, doc jsonb, search text)`,
      [JSON.stringify(texts)],
    );
    if ((from + BATCH) % 20_000 === 0) say(`${from + BATCH} texts`);
  }
};

/** Traces of one user after what the ledger holds already, each with its entry; hashes are dummies: no audit of these. */
const FILL = `
  with head as (select seq from ledger_heads where user_id = $1),
  fresh as (
    select t.i, h.seq + 1 + t.i as seq, $1 || ':' || t.i as uid, t.search,
           case when t.i % ${NO_TASK} > 0 then 'task-' || t.i / ${TASK_SIZE} end as task_id,
           to_timestamp($3::float8 / 1000 + t.i * ${STEP_MS / 1000}::float8) as at, t.doc
    from million_texts t cross join head h where t.i < $2
  ), entries as (
    insert into ledger (user_id, seq, kind, subject, subject_uid, version, actor, recorded_at, payload, payload_hash, hash)
    select $1, seq, 'trace.created', 'trace', uid, 1, 'user:bench', at,
           doc || jsonb_build_object('uid', uid, 'user_id', $1::text, 'task_id', task_id, 'timestamp', to_json(at), 'version', 1,
                                     'seq', seq, 'recorded_at', to_json(at), 'updated_at', to_json(at)),
           '\\x00', '\\x00'
    from fresh order by i
  ), moved as (
    update ledger_heads set seq = (select max(seq) from fresh) where user_id = $1
  )
  insert into traces (user_id, uid, seq, version, type, task_id, tempo_tag, tags, origin, "timestamp", rating, search, terms)
  select $1, uid, seq, 1, doc->>'type', task_id, doc->>'tempo_tag', array(select jsonb_array_elements_text(doc->'tags')),
         'user', at, (doc->>'feedback_rating')::real, search, ${TERMS}
  from fresh order by i`;

/**
 * Gives each their traces: uid \`<user_id>:<i>\`, in tasks \`task-<i / 50>\`, ten minutes apart. GIN indexes are built at the end, at a
 * tenth of the time.
 */
export const fillTraces = async (query: Query, shares: Share[], say: (line: string) => void): Promise<void> => {
  await fillTexts(query, Math.max(...shares.map((s) => s.traces)), say);
  const indexes = await query<{ indexname: string; indexdef: string }>(
    'select indexname, indexdef from pg_indexes where indexname = any($1::text[])',
    [INDEXES],
  );
  for (const { indexname } of indexes) await query(`drop index ${indexname}`);
  for (const { user_id, traces } of shares) {
    await query(FILL, [user_id, traces, FIRST]);
    say(`${traces} traces of ${user_id}`);
  }
  for (const { indexname, indexdef } of indexes) {
    say(`index ${indexname}`);
    await query(indexdef);
  }
  await query('drop table million_texts');
  for (const table of ['traces', 'ledger', 'ledger_heads']) await query(`vacuum analyze ${table}`);
};
