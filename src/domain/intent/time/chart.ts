/**
 * Chart: finds every span of a list of tokens that a grammar knows, from the last token to the first. What begins later is
 * complete when it is needed, so each rule is tried once for each thing that it can begin with; the work is counted and ends.
 */
import type { Scan } from '../facet.ts';

/** `from` and `to` are token indices. */
export type Span = { kind: string; from: number; to: number; value: unknown };
/** What counts only where a neighbour makes it firm: a span of it has the kind 'latent'. */
export type Latent = { latent: unknown };
const isLatent = (value: unknown): value is Latent => typeof value === 'object' && value !== null && 'latent' in value;
/** Where a rule has matched: its spans, the index behind it, and the constant that the rule names. */
export type Place = Scan & { from: number; to: number; spans: readonly Span[]; arg: string };
export type Production = (place: Place, ...values: never[]) => unknown;
export type Productions = Readonly<Record<string, Production>>;
/** A condition at a place of a pattern: the place, where the pattern begins, and what was found behind it. */
export type Condition = (scan: Scan, at: number, from: number, chart: Chart) => boolean;
export type Conditions = Readonly<Record<string, Condition>>;

/** `longest`: of the spans of a kind only the longest, written {kind+}; so a list of n is not read in n ways. */
type Part = { word: string } | { kind: string; longest: boolean } | { test: Condition };
type Rule = { kind: string; parts: readonly Part[]; make: Production; arg: string };
export type Grammar = { byWord: ReadonlyMap<string, readonly Rule[]>; byKind: ReadonlyMap<string, readonly Rule[]> };

/** Writes out the choices of a pattern: 'the (first/last/) day'. Choices may be nested. */
const expand = (pattern: string): string[] => {
  const choice = /\(([^()]*)\)/.exec(pattern);
  return choice
    ? choice[1]!.split('/').flatMap((one) => expand(pattern.replace(choice[0], one)))
    : [pattern.trim().replace(/ +/g, ' ')];
};

const partOf = (text: string, conditions: Conditions): Part => {
  if (text.startsWith('{')) return { kind: text.replace(/[{+}]/g, ''), longest: text.endsWith('+}') };
  if (text.length > 1 && text.startsWith('?')) return { test: conditions[text.slice(1)]! };
  return { word: text === 'SLASH' ? '/' : text };
};

/** Reads 'kind <- pattern | pattern -> production constant', one rule a line. */
export const grammarOf = (text: string, productions: Productions, conditions: Conditions): Grammar => {
  const [byWord, byKind] = [new Map<string, Rule[]>(), new Map<string, Rule[]>()];
  const add = (map: Map<string, Rule[]>, key: string, rule: Rule): void => {
    map.set(key, [...(map.get(key) ?? []), rule]);
  };
  for (const line of text.split('\n')) {
    if (!line.trim() || line.startsWith('#')) continue;
    const [kind = '', rest = ''] = line.split(' <- ');
    const [patterns = '', made = 'same'] = rest.split(' -> ');
    const [name = '', ...args] = made.trim().split(' ');
    const make = productions[name];
    if (!make) throw new Error(`The grammar names the production ${name}, which does not exist.`);
    for (const pattern of new Set(patterns.split('|').flatMap(expand))) {
      const parts = pattern.split(' ').map((one) => partOf(one, conditions));
      const [first] = parts;
      const rule = { kind: kind.trim(), parts, make, arg: args.join(' ') };
      if (first && 'word' in first && first.word) add(byWord, first.word, rule);
      else if (first && 'kind' in first) add(byKind, first.kind, rule);
      else throw new Error(`A pattern begins with a word or a kind, which this one does not: ${line}`);
    }
  }
  return { byWord, byKind };
};

const spansOf = (spans: readonly Span[], longest: boolean): readonly Span[] =>
  longest && spans.length > 1 ? [spans.reduce((best, span) => (span.to > best.to ? span : best))] : spans;

/** Spans without a value of their own, such as prepositions, are not passed to productions. */
const valued = (spans: readonly Span[], span: Span): readonly Span[] =>
  span.value === true ? spans : [...spans, span];

/** The spans that begin at each token, by kind; at most one of a kind for each end. */
export type Chart = readonly Readonly<Record<string, readonly Span[]>>[];

/** Steps at one token; an ordinary one takes some dozens. */
const MOST_STEPS = 4000;

/** All spans. `lexed` gives those of a single word or number. */
export const chartOf = (scan: Scan, grammar: Grammar, lexed: (scan: Scan, i: number) => Span[]): Chart => {
  const { tokens } = scan;
  const chart: Record<string, Span[]>[] = tokens.map(() => ({}));
  let steps = 0;
  for (let i = tokens.length - 1; i >= 0; i--) {
    const here = chart[i]!;
    const agenda: Span[] = [];
    const most = steps + MOST_STEPS;
    const offer = (span: Span): void => {
      const known = (here[span.kind] ??= []);
      if (known.some(({ to }) => to === span.to)) return;
      known.push(span);
      agenda.push(span);
    };
    const matched = (rule: Rule, n: number, at: number, spans: readonly Span[]): void => {
      if (++steps > most) return;
      const { kind, parts, make, arg } = rule;
      const part = parts[n];
      if (!part) {
        const place = { ...scan, from: i, to: at, spans, arg };
        const value = make(place, ...(spans.map((span) => span.value) as never[]));
        if (value !== null) offer({ kind: isLatent(value) ? 'latent' : kind, from: i, to: at, value });
      } else if ('word' in part) {
        if (tokens[at]?.word === part.word) matched(rule, n + 1, at + 1, spans);
      } else if ('test' in part) {
        if (part.test(scan, at, i, chart)) matched(rule, n + 1, at, spans);
      } else
        for (const span of spansOf(chart[at]?.[part.kind] ?? [], part.longest))
          matched(rule, n + 1, span.to, valued(spans, span));
    };
    for (const span of lexed(scan, i)) offer(span);
    for (const rule of grammar.byWord.get(tokens[i]!.word) ?? []) matched(rule, 1, i + 1, []);
    for (const next of agenda)
      for (const rule of grammar.byKind.get(next.kind) ?? []) matched(rule, 1, next.to, valued([], next));
  }
  return chart;
};
