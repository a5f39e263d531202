/**
 * What full-text search stores and asks, as Postgres' tsvector and tsquery text. Made here and not by to_tsvector, so that every
 * Postgres finds the same, scripts without spaces included, snippets mark what matched, and a write spends less on it.
 */
import { terms } from './search-words.ts';

/** Fields of a trace that search reads; the weight tells where a word stood. */
export type Searchable = {
  title?: string | undefined;
  content: string;
  notes: string | null;
  task_id: string | null;
  tempo_tag: string | null;
  tags: readonly string[];
};

type Weight = 'A' | 'B' | 'D';

/** Longer words (encoded data, mostly) are found by their beginning: Postgres refuses lexemes over 2 KB. */
const LONGEST_TERM = 64;
/** Of a tsvector's 1 MiB; 100,000 characters of ordinary text need a third of it. */
const MAX_BYTES = 700_000;
/** Characters of a text whose lexemes need not be counted: title and tags have their own limits far below. */
const LONG = 50_000;
/** Bytes a lexeme or another position of it takes beside its text. */
const OVERHEAD = 6;

/** The term as it is indexed and asked. */
const fit = (term: string): string =>
  term.length <= LONGEST_TERM ? term : term.slice(0, LONGEST_TERM).replace(/[\ud800-\udbff]$/, '');

const quote = (lexeme: string): string =>
  `'${/['\\]/.test(lexeme) ? lexeme.replaceAll('\\', '\\\\').replaceAll("'", "''") : lexeme}'`;

/** A tag is one lexeme, whatever its sign and letter case: `@Deep_Work` is `#deep_work`. */
const tagLexeme = (tag: string): string =>
  fit(
    `#${tag
      .normalize('NFKC')
      .toLowerCase()
      .replace(/^[@#]+/, '')}`,
  );

/** The tsvector of a trace: title (A), tags and task (B), content and notes (D) by word; tags once more as a whole. */
export const searchVector = (trace: Searchable): string => {
  const places = new Map<string, string>();
  let position = 1;
  let bytes = 0;
  const isLong = trace.content.length + (trace.notes?.length ?? 0) > LONG;
  const add = (lexeme: string, weight: Weight): void => {
    const known = places.get(lexeme);
    if (isLong) {
      bytes += OVERHEAD + (known === undefined ? Buffer.byteLength(lexeme) : 0);
      if (bytes > MAX_BYTES) return;
    }
    const place = `${position++}${weight === 'D' ? '' : weight}`;
    places.set(lexeme, known === undefined ? place : `${known},${place}`);
  };
  const read = (text: string | null | undefined, weight: Weight): void => {
    for (const term of terms(text ?? '')) add(fit(term), weight);
    position++; // a phrase does not go on from one field into the next
  };
  const tags = [...trace.tags, ...(trace.tempo_tag ? [trace.tempo_tag] : [])];
  read(trace.title, 'A');
  for (const tag of tags) add(tagLexeme(tag), 'B');
  for (const label of [trace.task_id, ...tags]) read(label, 'B');
  read(trace.content, 'D');
  read(trace.notes, 'D');
  let vector = '';
  for (const [lexeme, at] of places) vector += `${vector && ' '}${quote(lexeme)}:${at}`;
  return vector;
};

/** tsquery texts: whatever is asked becomes quoted lexemes, never operators. */
export const termQuery = (term: string): string => quote(fit(term));

export const tagQuery = (tag: string): string => quote(tagLexeme(tag));

/** Traces with every one of the tags. */
export const tagsQuery = (tags: readonly string[]): string => tags.map(tagQuery).join(' & ');

/** The terms one after the other; with `inTitle` in the title only. */
export const phraseQuery = (terms: readonly string[], inTitle = false): string =>
  terms.map((term) => termQuery(term) + (inTitle ? ':A' : '')).join(' <-> ');
