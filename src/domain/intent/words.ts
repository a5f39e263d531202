/** Words: cuts a prompt into tokens in one pass and holds the small dictionaries every reader shares. */

type TokenKind = 'word' | 'number' | 'clock' | 'date' | 'iso' | 'tag' | 'quote' | 'mark' | 'break';
/** `word` is lower case without a possessive 's; `glued`: no space before it. Offsets are into the prompt. */
export type Token = {
  kind: TokenKind;
  text: string;
  word: string;
  start: number;
  end: number;
  glued: boolean;
  possessive: boolean;
};

// Sticky, tried in this order at each place. Every repetition is bounded or can't overlap its neighbour: no backtracking to speak of.
const PATTERNS: [TokenKind, RegExp][] = [
  ['break', /\n\s*/y],
  [
    'quote',
    /"[^"\n]{1,300}"|“[^”\n]{1,300}”|«[^»\n]{1,300}»|‘[^’\n]{2,300}’(?![\p{L}\p{N}])|(?<![\p{L}\p{N}])'(?=\S)[^'\n]{2,300}'(?![\p{L}\p{N}])/uy,
  ],
  ['word', /[ap]\.\s?m\.(?=\s+[a-z\d]|\s*[,;)])|[ap]\.m\b|[ap] m\b/iy],
  ['word', /(?:https?:\/\/|www\.)\S+/iy],
  ['word', /[\p{L}\p{N}._%+-]{1,64}@[\p{L}\p{N}-]{1,63}\.[\p{L}\p{N}.-]{1,190}/uy],
  ['tag', /(?:@\p{L}|#[\p{L}\p{N}_])(?:[\p{L}\p{M}\p{N}_]|-(?=[\p{L}\p{N}]))*/uy],
  [
    'iso',
    /\d{4}-\d{2}-\d{2}(?:[T ]\d{2}:\d{2}(?::\d{2}(?:[.,]\d{1,9})?)?(?:Z|[+-]\d{2}:?\d{2}(?::\d{2})?(?!\d))?(?:\[[^[\]\s]{1,64}\]){0,3})?(?!\d)/iy,
  ],
  ['date', /\d{1,2}\/\d{1,2}(?:\/(?:\d{4}|\d{2}))?(?!\d)|\d{1,2}\.\d{1,2}\.\d{4}(?!\d)/y],
  ['clock', /\d{1,2}:\d{2}(?::\d{2})?(?!\d)/y],
  ['word', /2(?:moro|morrow|nite)\b/iy],
  ['number', /\d{1,9}(?:(?:\.\d{1,2}|,5)(?!\d))?|[½¼¾]/y],
  ['word', /[\p{L}\p{M}_][\p{L}\p{M}\p{N}_]*(?:['’]\p{L}{1,6}){0,3}/uy],
  ['mark', /[\s\S]/uy],
];
/** Letters right after a number are its unit: '1h30' is 1, h, 30. */
const UNIT = /\p{L}+/uy;
const SPACE = /[^\S\n]+/y;
/** 's that is short for 'is' or 'us', not a possessive. */
const CONTRACTIONS = new Set("let's it's that's what's how's here's there's who's where's when's".split(' '));

const tokenOf = (kind: TokenKind, text: string, start: number, glued: boolean): Token => {
  const lower = text.toLowerCase().replaceAll('’', "'");
  const possessive = kind === 'word' && lower.endsWith("'s") && !CONTRACTIONS.has(lower);
  const dotted = /^[ap][. ]/.test(lower);
  const word = dotted ? `${lower[0]}m` : possessive ? lower.slice(0, -2) : lower;
  return { kind, text, word, start, end: start + text.length, glued, possessive };
};

/** Cuts text into tokens; linear in its length. */
export const tokenise = (text: string): Token[] => {
  const tokens: Token[] = [];
  let at = 0;
  let glued = false;
  while (at < text.length) {
    SPACE.lastIndex = at;
    if (SPACE.test(text)) {
      at = SPACE.lastIndex;
      glued = false;
      continue;
    }
    const afterNumber = glued && tokens.at(-1)?.kind === 'number' && !/^[ap]\./i.test(text.slice(at, at + 2));
    for (const [kind, pattern] of afterNumber ? [['word', UNIT] as const, ...PATTERNS] : PATTERNS) {
      pattern.lastIndex = at;
      const found = pattern.exec(text)?.[0];
      if (!found) continue;
      tokens.push(tokenOf(kind, found, at, glued));
      at += found.length;
      break;
    }
    glued = true;
  }
  return tokens;
};

export const wordAt = (tokens: readonly Token[], i: number): string => tokens[i]?.word ?? '';

/** Phrases by their first word, each the list of its words. */
type Phrases = ReadonlyMap<string, readonly (readonly string[])[]>;
const compiled = new Map<string, Phrases>();

/** Writes out the choices of a phrase: 'book (a/an/) slot' is 'book a slot', 'book an slot' and 'book slot'. */
const expand = (phrase: string): string[] => {
  const choice = /\(([^()]*)\)/.exec(phrase);
  return choice
    ? choice[1]!.split('/').flatMap((one) => expand(phrase.replace(choice[0], one)))
    : [phrase.replace(/ +/g, ' ').trim()];
};

const compile = (phrases: string): Phrases => {
  const byFirst = new Map<string, string[][]>();
  for (const phrase of phrases.split('|').flatMap(expand)) {
    const words = phrase.split(' ');
    const others = byFirst.get(words[0]!);
    if (others) others.push(words);
    else byFirst.set(words[0]!, [words]);
  }
  compiled.set(phrases, byFirst);
  return byFirst;
};

/** The words that `phrases` begin with. */
export const firstWords = (...lists: readonly string[]): ReadonlySet<string> =>
  new Set(lists.flatMap((phrases) => [...(compiled.get(phrases) ?? compile(phrases)).keys()]));

/** The index after the longest of `phrases` ('set up|book') that begins at `i`, else null. Only the code's own literals come here. */
export const phraseAt = (tokens: readonly Token[], i: number, phrases: string): number | null => {
  const first = tokens[i];
  const known = first && (compiled.get(phrases) ?? compile(phrases)).get(first.word);
  if (!known) return null;
  let best = i;
  for (const words of known) {
    let n = 1;
    while (n < words.length && tokens[i + n]?.word === words[n]) n++;
    if (n === words.length && i + n > best) best = i + n;
  }
  return best > i ? best : null;
};

/** Keeps what was read at each place of a list of tokens, as several readers begin at the same place. */
export const keptByPlace = <T>(): ((tokens: readonly Token[], i: number, read: () => T) => T) => {
  const kept = new WeakMap<readonly Token[], Map<number, T>>();
  return (tokens, i, read) => {
    const places = kept.get(tokens) ?? new Map<number, T>();
    if (places.size === 0) kept.set(tokens, places);
    const known = places.get(i);
    if (known !== undefined) return known;
    const found = read();
    places.set(i, found);
    return found;
  };
};

/** A record looked up by any word at all: without the prototype, 'constructor' is no entry of it. */
export const dictionary = <T>(entries: Record<string, T>): Readonly<Record<string, T>> =>
  Object.assign(Object.create(null) as Record<string, T>, entries);

export const setOf = (words: string): ReadonlySet<string> => new Set(words.split(' '));

const table = (rows: string): ReadonlyMap<string, number> =>
  new Map(rows.split('|').flatMap((row, i) => row.split(' ').map((word): [string, number] => [word, i + 1])));

export const WEEKDAYS = table(
  'monday mon|tuesday tue tues|wednesday wed weds|thursday thu thur thurs|friday fri|saturday sat|sunday sun',
);
export const WEEKDAY_PLURALS = table('mondays|tuesdays|wednesdays|thursdays|fridays|saturdays|sundays');
export const MONTHS = table(
  'january jan|february feb|march mar|april apr|may|june jun|july jul|august aug|september sep sept|october oct|november nov|december dec',
);
export const ORDINALS = table(
  'first|second|third|fourth|fifth|sixth|seventh|eighth|ninth|tenth|eleventh|twelfth|thirteenth|fourteenth|fifteenth|sixteenth|seventeenth|eighteenth|nineteenth|twentieth',
);
export const UNITS = table(
  'one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|thirteen|fourteen|fifteen|sixteen|seventeen|eighteen|nineteen',
);
export const TENS = table('|twenty|thirty|forty|fifty|sixty|seventy|eighty|ninety');

export const PREPOSITIONS = setOf(
  'on at in for by before after until till til from to with about around during over within of since through via near between without into onto',
);
const CONNECTORS = setOf('and then also plus but or & , ; . ! ? : ) ( - – — + / " @');
export const ARTICLES = setOf('a an the my our your his her their some this that another');

/** Abbreviations of weekdays and months that are everyday words too: only a neighbour makes them dates. */
export const DOUBTFUL = setOf('sat sun mar may march');

/** Names that a number belongs to: 'Chapter 3', 'gate 12'. */
export const NUMBERED = setOf(
  'chapter page pages room gate part phase section unit number no version step lesson level week day platform flight terminal act season episode grade year class sprint q building floor track issue ticket task exercise module volume figure item round stage group team area block zone line bus tram train route highway ward depot hall house bay table court pitch studio apollo iphone windows',
);

/** A number at `i - 1` is complete: what follows can't be the noun it counts. */
export const endsPhrase = (tokens: readonly Token[], i: number): boolean => {
  const token = tokens[i];
  if (!token || token.kind === 'break' || token.kind === 'tag' || token.kind === 'quote') return true;
  if (token.kind === 'number') return false;
  return (
    CONNECTORS.has(token.word) ||
    PREPOSITIONS.has(token.word) ||
    WEEKDAYS.has(token.word) ||
    MONTHS.has(token.word) ||
    TIME_WORDS.has(token.word) ||
    ['date', 'iso', 'clock'].includes(token.kind)
  );
};
const TIME_WORDS = setOf(
  'today tomorrow tonight every each this next the please instead daily weekly sharp again once twice latest',
);

/** One line of clean text: control characters and runs of space become one space. */
export const squash = (text: string): string => text.replace(/[\s\p{Cc}\p{Cs}]+/gu, ' ').trim();

export const capitalise = (text: string): string => {
  const [first = ''] = text;
  return first.toUpperCase() + text.slice(first.length);
};
