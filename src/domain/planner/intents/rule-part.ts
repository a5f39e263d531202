/** A part of a rule for all plans: the kinds of its words, and what is left of them, which is a time. */
import { readTime } from '../time/read-time.ts';
import type { Item } from '../time/types.ts';
import { LONGEST_PHRASE, REASONS, RULE_WORDS, type RuleKind } from '../words/rule-words.ts';

export type Part = { kinds: ReadonlySet<RuleKind>; items: readonly Item[]; words: string; time: string };

export const hasKind = ({ kinds }: Part, ...wanted: RuleKind[]): boolean => wanted.some((kind) => kinds.has(kind));
export const isExcluding = (part: Part): boolean => hasKind(part, 'not', 'stop', 'avoid', 'free', 'off');

const TOKEN = /[\p{L}\p{M}']+|[^\p{L}\p{M}']+/gu;
const folded = (text: string): string => text.toLowerCase().replace(/[’‘`´]/g, "'");
const isWord = (token: string | undefined): boolean => token !== undefined && /^[\p{L}\p{M}']/u.test(token);

/** The longest phrase of the table that begins at a token: its kind, and the token behind it. */
const phraseAt = (tokens: readonly string[], at: number): { kind: RuleKind; end: number } | null => {
  let found: { kind: RuleKind; end: number } | null = null;
  let phrase = '';
  for (let i = at, n = 0; n < LONGEST_PHRASE && isWord(tokens[i]); i += 2, n++) {
    phrase += n === 0 ? tokens[i] : ` ${tokens[i]}`;
    const kind = RULE_WORDS.get(phrase);
    if (kind) found = { kind, end: i + 1 };
    if (!/^[\s-]+$/.test(tokens[i + 1] ?? '')) break;
  }
  return found;
};

/** The tokens of a text without what is behind 'because'. */
const tokensOf = (text: string): readonly string[] => {
  const tokens = folded(text).match(TOKEN) ?? [];
  const end = tokens.findIndex((token) => REASONS.has(token));
  return end < 0 ? tokens : tokens.slice(0, end);
};

/** The kinds of the words, and the others; 'only' leaves a mark, as it parts what is around it. */
const sorted = (tokens: readonly string[]): { kinds: Set<RuleKind>; time: string } => {
  const kinds = new Set<RuleKind>();
  let time = '';
  for (let i = 0; i < tokens.length;) {
    const { kind, end } = phraseAt(tokens, i) ?? { end: i + 1 };
    if (kind) kinds.add(kind);
    if (kind === undefined || kind === 'kept') time += tokens.slice(i, end).join('');
    else time += kind === 'only' ? ' ; ' : ' ';
    i = end;
  }
  return { kinds, time };
};

/**
 * 'Keep Fridays free', but not 'Fridays are free', which may be a time for plans; and not 'stop keeping Fridays free'. 'I have
 * nothing on Mondays' says what is.
 */
const isClear = (kinds: Set<RuleKind>): boolean => {
  const isKept = kinds.has('vacant') && (kinds.has('keep') || kinds.has('lasting'));
  if (isKept) kinds.add('off');
  const isTurned = (kinds.has('free') || kinds.has('off')) && (kinds.has('not') || kinds.has('stop'));
  const isStated = kinds.has('state') && !kinds.has('ask') && !kinds.has('lasting');
  return !kinds.has('other') && !isTurned && !isStated && kinds.has('vacant') === isKept;
};

const NOTHING = { items: [], names: [], unread: [] };

/** Null where not every word is understood. */
export const partOf = (text: string): Part | null => {
  const { kinds, time } = sorted(tokensOf(text));
  if (!isClear(kinds)) return null;
  const { items, names, unread } = /[\p{L}\p{N}]/u.test(time) ? readTime(time) : NOTHING;
  if (names.length + unread.length > 0 || (kinds.has('back') && items.length > 0)) return null;
  return { kinds, items, words: folded(text), time };
};

/** Whether a text says 'from now on' or the like. */
export const isLastingIn = (text: string): boolean => sorted(tokensOf(text)).kinds.has('lasting');

/** The words of a rule without 'from now on' ahead of them, which each rule means. */
export const ruleName = (text: string): string => {
  const tokens = text.match(TOKEN) ?? [];
  const found = phraseAt(tokens.map(folded), 0);
  const name =
    found?.kind === 'lasting'
      ? tokens
          .slice(found.end)
          .join('')
          .replace(/^[\s.;,:–-]+/, '')
      : '';
  return name || text;
};
