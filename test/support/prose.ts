/**
 * The words and phrases that no text of the project uses, and the search for them. CONTRIBUTING.md, Language, says why.
 * `node test/support/prose.ts [file ...]` lists what is found, by default in all texts.
 */
import { globSync, readFileSync } from 'node:fs';
import { relative } from 'node:path';

const ROOT = new URL('../..', import.meta.url).pathname;

/** What is not wanted, and what to write. */
const WORDS: [RegExp, string][] = [
  [/\bdoors?\b/gi, 'the name of the function or module'],
  [/\bwalls\b/gi, 'wall time, import rule'],
  [/\blanes?\b/gi, 'queue, pipeline'],
  [/\b(have|has|had|gets?) (its|their|a) turns?\b|\bturns in between\b/gi, 'yield to other requests'],
  [/\bbreaths?\b/gi, 'slice of work'],
  [/\bunhurried|\bhurr(y|ies|ied)\b/gi, 'yield, at once'],
  [/\btold\b|\btells? (of|how|itself|by how much)\b/gi, 'named, reported, says'],
  [/\b(stands?|stood|standing)\b(?! for\b)/gi, 'is, is written'],
  [/\bwithin(?=[.;,)])|`within`/gi, 'in the transaction'],
  [/\brides? on\b/gi, 'uses the index'],
  [/\b(he|him|his|himself|she|hers?|herself)\b(?!’)/gi, 'they'],
  [/\bmend(s|ed|ing)?\b/gi, 'fix, correct'],
  [/\bmemos?\b|\bwordmemo\b/gi, 'cache'],
  [/\bsays? again\b|\banew\b/gi, 'again, repeat'],
  [/\btak(e|es|en|ing) in\b|\btak(e|es) (a file|files) in\b/gi, 'import'],
  [/\blapse[sd]?\b/gi, 'expire'],
  [/\bhears?\b|\bheard\b/gi, 'is called, is informed'],
  [
    /\b(a|one|two|each|another|same|takes?) looks?\b(?! (at|for|up|a|u)\b)|\b(a|one|two) looks? at\b/gi,
    'a read, a query',
  ],
  [/\bpatience\b/gi, 'time limit'],
  [/\bin (its|the|their|another’s|nobody’s) way\b|\bway in\b|\bway back\b/gi, 'overlaps, blocks'],
  [/\broom\b/gi, 'space, free time, capacity'],
  [/\bis no more\b|\bare no more\b|\bthat is no more\b/gi, 'no longer exists'],
  [/\bliving\b/gi, 'valid, not removed'],
  [/\bcrowds?\b/gi, 'many at once'],
  [/\bas (had|may) be\b|\bas many as may\b|\bthan may\b/gi, 'the limit'],
  [/\bput into words\b|\bthe one (door|rule of time)\b/gi, 'a sentence with subject and verb'],
  [/\bat it\b/gi, 'working on it'],
  [/\bcomes? of it\b|\bbecomes of\b|\bbecame of\b|\bcome of\b/gi, 'the result'],
  [/\bthere is to\b|\bthere was to\b/gi, 'a sentence with subject and verb'],
  [/\bto be had\b/gi, 'available'],
  [/\bmade up\b/gi, 'generated'],
  [/\bby (its|their|the) own hand\b/gi, 'themselves'],
  [/\bout of the way\b|\bgives? way\b|\bgave way\b/gi, 'is moved, is displaced'],
  [/\bso many\b|\bso much\b/gi, 'the number'],
  [/\bas it came\b|\bas they came\b|\bto the letter\b/gi, 'unchanged'],
  [/\bno good\b/gi, 'not allowed'],
  [/\bFrom elsewhere\b|\bIt is elsewhere\b/gi, 'from another origin'],
  [/\bbinds? what was seen\b/gi, 'applies to the version that was read'],
  // Sentences that readers did not understand.
  [/a trial has nothing to lose/gi, 'say what a simulation does'],
  [/in which they stand/gi, 'in it they are'],
  [/behind the writes/gi, 'after the write'],
  [/names the .{0,20}alter database/gi, 'say which statement to run'],
  [/^Made\b/gm, 'say who makes it'],
  [/The version you saw/gi, 'the version of the resource that you have read'],
  [/Keeps the rest of its gap/gi, 'say what is rounded to what'],
  [/what stands about them/gi, 'what is known about them'],
  [/Of all series for one answer/gi, 'a sentence with subject and verb'],
  [/decisions §/gi, 'docs/decisions.md, <heading>'],
];

/** One unwanted word: where it is, and what to write. */
type Hit = { file: string; line: number; word: string; instead: string; kind: Kind };

/** The texts of a TypeScript file are its comments and strings; any other file is one document. */
type Kind = 'comment' | 'string' | 'document';

const TOKENS = /\/\*[\s\S]*?\*\/|\/\/[^\n]*|'(?:[^'\\\n]|\\.)*'|"(?:[^"\\\n]|\\.)*"|`(?:[^`\\]|\\.)*`/g;

/** Comments and strings with a space in them, without SQL and what `${}` holds; each with its place. */
const textsOf = (source: string): { text: string; at: number; kind: Kind }[] =>
  [...source.matchAll(TOKENS)]
    .filter(({ index }) => !/\bsql(<[^`]{0,400}>)?$/.test(source.slice(Math.max(0, index - 410), index)))
    .map(({ 0: token, index }) => ({
      text: token.replaceAll(/\$\{[^}]*\}/g, (inner) => ' '.repeat(inner.length)),
      at: index,
      kind: token.startsWith('/') ? ('comment' as const) : ('string' as const),
    }))
    .filter(({ text, kind }) => kind === 'comment' || text.includes(' '));

/** Their strings are lists of words to recognise. */
const WORD_LISTS = [
  'src/domain/text/irregular-forms.ts',
  'src/domain/text/search-words.ts',
  ...['act-words', 'rule-words', 'clocks', 'days', 'question-words', 'ranges', 'reply-words', 'time-words'].map(
    (name) => `src/domain/planner/words/${name}.ts`,
  ),
];

/** Every unwanted word in a text, which is TypeScript where the name of its file says so. */
export const unwanted = (file: string, source: string): Hit[] =>
  (file.endsWith('.ts') ? textsOf(source) : [{ text: source, at: 0, kind: 'document' as const }])
    .filter(({ kind }) => kind !== 'string' || !WORD_LISTS.includes(file))
    .flatMap(({ text, at, kind }) =>
      WORDS.flatMap(([pattern, instead]) =>
        [...text.matchAll(pattern)].map(({ 0: word, index }) => ({
          file,
          line: source.slice(0, at + index).split('\n').length,
          word: word.toLowerCase(),
          instead,
          kind,
        })),
      ),
    );

/** The files that people read, from the top of the repository. */
export const files = (): string[] =>
  globSync(['src/**/*.ts', '*.md', 'docs/*.md', '.env.example', 'openapi.yaml'], { cwd: ROOT }).toSorted();

export const unwantedIn = (file: string): Hit[] => unwanted(file, readFileSync(`${ROOT}${file}`, 'utf8'));

if (import.meta.main) {
  const asked = process.argv.slice(2).map((file) => relative(ROOT, file));
  const hits = (asked.length > 0 ? asked : files()).flatMap(unwantedIn);
  for (const { file, line, kind, word, instead } of hits)
    console.log(`${file}:${line} ${kind}: “${word}”; write: ${instead}`);
  const words = Object.entries(Object.groupBy(hits, (hit) => hit.word)).map(
    ([word, of]) => [of?.length ?? 0, word] as const,
  );
  console.log(
    `${hits.length} in all:`,
    words
      .toSorted(([a], [b]) => b - a)
      .map((pair) => pair.join(' '))
      .join(', '),
  );
  process.exitCode = hits.length > 0 ? 1 : 0;
}
