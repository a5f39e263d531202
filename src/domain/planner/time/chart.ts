/**
 * Chart: finds every phrase of a list of tokens that a grammar knows, from the last token to the first. What begins later is
 * complete when it is needed, so each rule is tried once for each thing that it can begin with; the work is counted and ends.
 */
import type { Token } from './tokens.ts';

/** `from` and `to` are token indices. */
export type Phrase = { kind: string; from: number; to: number; value: unknown };
/** Makes the value of a rule of the constant that the rule names and the values of its parts; null is no reading. */
export type Production = (constant: string, ...values: never[]) => unknown;
export type Productions = Readonly<Record<string, Production>>;

/** `longest`: of the phrases of a kind only the longest, written {kind+}; so a list of n is not read in n ways. */
type Part = { word: string } | { kind: string; longest: boolean } | { glued: true };
type Rule = { kind: string; parts: readonly Part[]; make: Production; constant: string };
export type Grammar = { byWord: ReadonlyMap<string, readonly Rule[]>; byKind: ReadonlyMap<string, readonly Rule[]> };

/** Writes out the choices of a pattern: 'the (first/last/) day'. Choices may be nested. */
const expand = (pattern: string): string[] => {
  const choice = /\(([^()]*)\)/.exec(pattern);
  return choice
    ? choice[1]!.split('/').flatMap((one) => expand(pattern.replace(choice[0], one)))
    : [pattern.trim().replace(/ +/g, ' ')];
};

const MARKS: Readonly<Record<string, string>> = { SLASH: '/', OPEN: '(', CLOSE: ')', BAR: '|', ARROW: '>' };
const partOf = (text: string): Part => {
  if (text.startsWith('{')) return { kind: text.replace(/[{+}]/g, ''), longest: text.endsWith('+}') };
  return text === '^' ? { glued: true } : { word: MARKS[text] ?? text };
};

const rulesOf = (line: string, productions: Productions): Rule[] => {
  const [kind = '', rest = ''] = line.split(' <- ');
  const [patterns = '', made = 'same'] = rest.split(' -> ');
  const [name = '', ...constants] = made.trim().split(' ');
  const make = productions[name];
  if (!make) throw new Error(`The grammar names the production ${name}, which does not exist.`);
  return [...new Set(patterns.split(' | ').flatMap(expand))].map((pattern) => ({
    kind: kind.trim(),
    parts: pattern.split(' ').map(partOf),
    make,
    constant: constants.join(' '),
  }));
};

/** Reads 'kind <- pattern | pattern -> production constant', one rule a line; a line with # says something about the next. */
export const grammarOf = (text: string, productions: Productions): Grammar => {
  const [byWord, byKind] = [new Map<string, Rule[]>(), new Map<string, Rule[]>()];
  const add = (map: Map<string, Rule[]>, key: string, rule: Rule): void => {
    const rules = map.get(key);
    if (rules) rules.push(rule);
    else map.set(key, [rule]);
  };
  for (const line of text.split('\n')) {
    if (!line.trim() || line.startsWith('#')) continue;
    for (const rule of rulesOf(line, productions)) {
      const [first] = rule.parts;
      if (first && 'word' in first && first.word) add(byWord, first.word, rule);
      else if (first && 'kind' in first) add(byKind, first.kind, rule);
      else throw new Error(`A pattern begins with a word or a kind, which this one does not: ${line}`);
    }
  }
  return { byWord, byKind };
};

/** The phrases that begin at each token, by kind; at most one of a kind for each end, that of the first rule. */
export type Chart = readonly Readonly<Record<string, readonly Phrase[]>>[];

/** Steps at one token; an ordinary one takes some hundreds. */
const MOST_STEPS = 6000;
/** Phrases longer than this do not occur, and lists of lists would grow without end. */
const MOST_WORDS = 40;

const phrasesOf = (phrases: readonly Phrase[], longest: boolean): readonly Phrase[] =>
  longest && phrases.length > 1 ? [phrases.reduce((best, one) => (one.to > best.to ? one : best))] : phrases;

/** All phrases, and the steps that it took. `lexed` gives those of a single token. */
export const chartOf = (
  tokens: readonly Token[],
  grammar: Grammar,
  lexed: (token: Token) => [kind: string, value: unknown][],
): { chart: Chart; steps: number } => {
  const chart: Record<string, Phrase[]>[] = tokens.map(() => ({}));
  let steps = 0;
  for (let i = tokens.length - 1; i >= 0; i--) {
    const here = chart[i]!;
    const agenda: Phrase[] = [];
    const most = steps + MOST_STEPS;
    const offer = (phrase: Phrase): void => {
      const known = (here[phrase.kind] ??= []);
      if (phrase.to - phrase.from > MOST_WORDS || known.some(({ to }) => to === phrase.to)) return;
      known.push(phrase);
      agenda.push(phrase);
    };
    const matched = (rule: Rule, n: number, at: number, values: readonly unknown[]): void => {
      if (++steps > most) return;
      const part = rule.parts[n];
      if (!part) {
        const value = rule.make(rule.constant, ...(values as never[]));
        if (value !== null) offer({ kind: rule.kind, from: i, to: at, value });
      } else if ('word' in part) {
        if (tokens[at]?.word === part.word) matched(rule, n + 1, at + 1, values);
      } else if ('glued' in part) {
        if (tokens[at]?.glued) matched(rule, n + 1, at, values);
      } else
        for (const phrase of phrasesOf(chart[at]?.[part.kind] ?? [], part.longest))
          matched(rule, n + 1, phrase.to, withValue(values, phrase));
    };
    for (const [kind, value] of lexed(tokens[i]!)) offer({ kind, from: i, to: i + 1, value });
    for (const rule of grammar.byWord.get(tokens[i]!.word) ?? []) matched(rule, 1, i + 1, []);
    for (const next of agenda)
      for (const rule of grammar.byKind.get(next.kind) ?? []) matched(rule, 1, next.to, withValue([], next));
  }
  return { chart, steps };
};

/** Phrases without a value of their own, such as prepositions, are not passed to productions. */
const withValue = (values: readonly unknown[], { value }: Phrase): readonly unknown[] =>
  value === true ? values : [...values, value];
