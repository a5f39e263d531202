/**
 * Builds the tsvector and tsquery texts of full-text search. They are made here and not by to_tsvector so that every Postgres
 * gives the same results, scripts without spaces are found, snippets mark exactly the matches, and writes take less time.
 */
import { terms } from './search-words.ts';
import { speechOf } from './speech.ts';

/** The fields of a trace that search reads. The weight says in which field a word occurs. */
export type Searchable = {
  title?: string | undefined;
  content: string;
  notes: string | null;
  task_id: string | null;
  tempo_tag: string | null;
  tags: readonly string[];
  metadata?: Record<string, unknown>;
  /** The days, months and years that the content names relative to its own day. */
  dates?: readonly string[];
};

/** Signs of a text. No word begins like them: a tag begins with #, and the name of a speaker with @. */
export const SIGN = { asks: '?', endsAsking: '?.', tellsTime: '~time', tellsAmount: '~amount' } as const;

type Weight = 'A' | 'B' | 'D';

/** A longer word (mostly encoded data) is found by its beginning, because Postgres refuses lexemes over 2 KB. */
const LONGEST_TERM = 64;
/** A tsvector may have 1 MiB; 100,000 characters of ordinary text need a third of this limit. */
const MAX_BYTES = 700_000;
/** The lexemes of a shorter text need not be counted. Title and tags have limits far below it. */
const LONG = 50_000;
/** A lexeme takes this many bytes beside its text, and so does each further position. */
const OVERHEAD = 6;
/** Postgres keeps this many positions of a lexeme, and takes all beyond the last one for the last one. */
const MOST_PLACES = 256;
const LAST_PLACE = 16_383;

/** Shortens a term to its indexed form. */
export const lexemeOf = (term: string): string =>
  term.length <= LONGEST_TERM ? term : term.slice(0, LONGEST_TERM).replace(/[\ud800-\udbff]$/, '');

const quote = (lexeme: string): string =>
  `'${/['\\]/.test(lexeme) ? lexeme.replaceAll('\\', '\\\\').replaceAll("'", "''") : lexeme}'`;

/** Makes one lexeme of a tag, whatever its sign and letter case: `@Deep_Work` becomes `#deep_work`. */
export const tagLexeme = (tag: string): string =>
  lexemeOf(
    `#${tag
      .normalize('NFKC')
      .toLowerCase()
      .replace(/^[@#]+/, '')}`,
  );

const speakerLexeme = (term: string): string => lexemeOf(`@${term}`);

const dateLexeme = (date: string): string => `~${date}`;

const LONGEST_NAME = 200;

/** The speaker whom the metadata names, beside one whom the content names. */
const namedSpeaker = ({ metadata }: Searchable): string | undefined => {
  const speaker = metadata?.['speaker'];
  return typeof speaker === 'string' ? speaker.slice(0, LONGEST_NAME) : undefined;
};

/** The lexemes that say who speaks, whether the text asks, and what times it names. */
const signsOf = (trace: Searchable): string[] => {
  const { content, dates = [] } = trace;
  const { speaker, ...signs } = speechOf(content);
  return [
    ...[speaker, namedSpeaker(trace)].flatMap((name) => terms(name ?? '').map(speakerLexeme)),
    ...(Object.keys(SIGN) as (keyof typeof SIGN)[]).filter((name) => signs[name]).map((name) => SIGN[name]),
    ...dates.map(dateLexeme),
  ];
};

/**
 * Builds the tsvector of a trace: title (A), tags and task (B), content and notes (D) by word, each tag also as a whole, and
 * the signs of the content.
 */
export const searchVector = (trace: Searchable): string => {
  const places = new Map<string, string[]>();
  let position = 1;
  let bytes = 0;
  const isLong = trace.content.length + (trace.notes?.length ?? 0) > LONG;
  const add = (lexeme: string, weight: Weight): void => {
    const known = places.get(lexeme);
    if (isLong) {
      bytes += OVERHEAD + (known === undefined ? Buffer.byteLength(lexeme) : 0);
      if (bytes > MAX_BYTES) return;
    }
    const place = `${Math.min(position++, LAST_PLACE)}${weight === 'D' ? '' : weight}`;
    if (known === undefined) places.set(lexeme, [place]);
    else if (known.length < MOST_PLACES && known.at(-1) !== place) known.push(place);
  };
  const read = (text: string | null | undefined, weight: Weight): void => {
    for (const term of terms(text ?? '')) add(lexemeOf(term), weight);
    position++; // A phrase must not continue from one field into the next.
  };
  const tags = [...trace.tags, ...(trace.tempo_tag ? [trace.tempo_tag] : [])];
  read(trace.title, 'A');
  for (const tag of tags) add(tagLexeme(tag), 'B');
  for (const label of [trace.task_id, ...tags]) read(label, 'B');
  read(trace.content, 'D');
  read(trace.notes, 'D');
  read(namedSpeaker(trace), 'D');
  for (const sign of signsOf(trace)) add(sign, 'D');
  let vector = '';
  for (const [lexeme, at] of places) vector += `${vector && ' '}${quote(lexeme)}:${at.join(',')}`;
  return vector;
};

/** Finds traces that have any of the lexemes. The user's text becomes quoted lexemes, never operators. */
export const anyQuery = (lexemes: readonly string[]): string => lexemes.map(quote).join(' | ');

/** Finds traces that have all of the lexemes. */
export const allQuery = (lexemes: readonly string[]): string => lexemes.map(quote).join(' & ');

/** Leaves out traces that have the lexeme. */
export const noneQuery = (lexeme: string): string => `!${quote(lexeme)}`;

/** Finds traces that somebody of this name says. */
export const speakerQuery = (term: string): string => quote(speakerLexeme(term));

/** Finds traces that name a day, month or year, given as 2026-11-21, 2026-11 or 2026. */
export const dateQuery = (date: string): string => `${quote(dateLexeme(date))}:*`;

/** Finds the terms in sequence; with `inTitle` only in the title. */
export const phraseQuery = (terms: readonly string[], inTitle = false): string =>
  terms.map((term) => quote(lexemeOf(term)) + (inTitle ? ':A' : '')).join(' <-> ');
