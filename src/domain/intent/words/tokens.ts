/** Tokens: cuts a prompt into words, numbers and marks in one pass. */

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
  ['word', /[-–—=]{1,2}>|[→⇒➔➜👉]/uy],
  // '1:1' is a meeting of two, 'x3' three times
  ['word', /\d:\d(?!\d)|1on1\b|x(?=\d{1,2}(?![\p{L}\d]))|['’]n['’]?(?!\p{L})/iuy],
  ['word', /2(?:moro|morrow|nite|day)\b/iy],
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

/** One line of clean text: control characters and runs of space become one space. */
export const squash = (text: string): string => text.replace(/[\s\p{Cc}\p{Cs}]+/gu, ' ').trim();

export const capitalise = (text: string): string => {
  const [first = ''] = text;
  return first.toUpperCase() + text.slice(first.length);
};
