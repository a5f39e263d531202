/** A request: one clause with its lead taken off, its facets and tags collected, and the words that are left. */
import type { Clause } from './clauses.ts';
import { type Facet, type Item, WHEN } from './facet.ts';
import { type Act, leadAt, politeAt } from './lead.ts';
import { type Tags, tagsOf } from './title.ts';
import type { Token } from './words.ts';
import { phraseAt, setOf, wordAt } from './words.ts';

export type Request = {
  clause: Clause;
  act: Act | null;
  /** The lead as written, for the reasoning: 'Plan'. */
  lead: string;
  /** What follows the lead, times said before it included. */
  items: Item[];
  /** How many of `items` were said before the lead. */
  before: number;
  tags: Tags & { minutes?: number };
  /** Said with 'that' or a colon: what follows is told, not asked for. */
  told: boolean;
  /** Opens with 'no', 'actually', or has 'instead', 'rather': corrects what was said or proposed before. */
  corrects: boolean;
};

const CORRECTIVE = setOf('no nope actually instead rather sorry better wait not');
const CORRECTIVE_PHRASES = setOf('mean meant');
const SKIPPED = setOf(', : - – — . ! " ( )');

const firstFrom = (items: readonly Item[], i: number, token: number): number => {
  let at = i;
  while (at < items.length && items[at]!.to <= token) at++;
  return at;
};

/** Time words right behind 'reflect on' are what is reflected on: 'on today', 'how last week went'. */
const isObject = (item: Item): boolean =>
  item.facets.length > 0 &&
  item.facets.every(
    (facet) =>
      facet.kind === 'past' ||
      facet.kind === 'period' ||
      (facet.kind === 'days' && facet.days.every(({ weekday, roll }) => weekday === undefined && !roll)),
  );

const asWords = (item: Item): Item[] =>
  Array.from({ length: item.to - item.from }, (_, n) => ({ from: item.from + n, to: item.from + n + 1, facets: [] }));

/** All of a clause as plain words. */
export const wordsOf = ({ from, to }: Clause): Item[] => asWords({ from, to, facets: [] });

type Found = { act: Act; start: number; next: number };

/** The items behind a lead that ends at token `next`; a facet it cuts into is split or given back. */
const behind = (items: readonly Item[], i: number, found: Found, tokens: readonly Token[]): Item[] => {
  const at = firstFrom(items, i, found.next);
  const rest = items.slice(at);
  const [first] = rest;
  const keepLead = found.act === 'reflect';
  const lead = keepLead
    ? asWords({
        from: found.start,
        to: first && first.from < found.next && !isObject(first) ? first.from : found.next,
        facets: [],
      })
    : [];
  if (!first) return lead;
  if (
    keepLead &&
    isObject(first) &&
    (first.from < found.next || (rest.length > 1 && wordAt(tokens, found.next - 1) === 'how'))
  ) {
    const words = asWords(first).filter(({ from }) => from >= found.next);
    return [...lead, ...words, ...rest.slice(1)];
  }
  return [...lead, ...rest];
};

const strip = (tokens: readonly Token[], clause: Clause): { found: Found | null; before: Item[]; rest: Item[] } => {
  const { items } = clause;
  const before: Item[] = [];
  let i = 0;
  for (let n = 0; n < 40 && i < items.length; n++) {
    const item = items[i]!;
    const lead = item.facets.length > 0 && !item.kept ? null : leadAt(tokens, item.from);
    // 'Half an hour is enough' asks nothing
    if (lead && !(lead.act === 'ask' && before.length > 0)) {
      const nested = lead.act === 'remind' ? reflectBehind(tokens, lead.next) : null;
      const found: Found = nested ?? { act: lead.act, start: item.from, next: lead.next };
      return { found, before, rest: behind(items, i, found, tokens) };
    }
    const polite = item.facets.length > 0 ? null : politeAt(tokens, item.from);
    if (polite) i = firstFrom(items, i, polite);
    else if (item.facets.length > 0 && !item.kept) {
      before.push(item);
      i++;
    } else if (SKIPPED.has(wordAt(tokens, item.from))) i++;
    else break;
    if (items[i] && polite && items[i]!.from < polite) i++;
  }
  return { found: null, before, rest: items.slice(i) };
};

/** 'Remind me to reflect': the reminder is a reflection. Only directly behind, so 'remind me tomorrow to reflect' is looked for too. */
const reflectBehind = (tokens: readonly Token[], next: number): Found | null => {
  const at = wordAt(tokens, next) === 'to' ? next + 1 : next;
  const lead = leadAt(tokens, at);
  return lead?.act === 'reflect' ? { act: 'reflect', start: at, next: lead.next } : null;
};

/** 'remind me on Friday to reflect on the week', 'schedule a reflection on', 'plan to reflect on'. */
const laterReflect = (tokens: readonly Token[], items: readonly Item[]): Found | null => {
  for (const item of items.slice(0, 6)) {
    if (item.facets.length > 0) continue;
    const lead = leadAt(tokens, item.from);
    if (lead?.act === 'reflect') return { act: 'reflect', start: item.from, next: lead.next };
    if (!['to', 'a', 'some', 'me', ',', 'time'].includes(wordAt(tokens, item.from))) return null;
    if (wordAt(tokens, item.from) === 'time') return null;
  }
  return null;
};

const isPlain = (item: Item): boolean => item.facets.length === 0;

const PASSIVE: [Act, string][] = [
  [
    'move',
    'needs to move|need to move|has to move|have to move|should move|must move|needs to be moved|has to be moved|should be moved|must be moved|needs moving|needs to be rescheduled|has to be rescheduled|should be rescheduled|was moved|has been moved|got moved|is moved|has moved|moved',
  ],
  [
    'cancel',
    'needs to be cancelled|needs to be canceled|has to be cancelled|has to be canceled|should be cancelled|should be canceled|is cancelled|is canceled|was cancelled|was canceled|got cancelled|got canceled|has been cancelled|has been canceled|is off|is called off',
  ],
];

/** 'The dentist needs to move to Friday': the verb behind its object. */
const readPassive = (
  tokens: readonly Token[],
  items: readonly Item[],
): { act: Act; lead: string; items: Item[] } | null => {
  for (const [at, item] of items.slice(0, 12).entries())
    for (const [act, phrases] of at === 0 || !isPlain(item) ? [] : PASSIVE) {
      const next = phraseAt(tokens, item.from, phrases);
      if (next)
        return {
          act,
          lead: tokens
            .slice(item.from, next)
            .map(({ text }) => text)
            .join(' '),
          items: [...items.slice(0, at), ...items.filter(({ from }) => from >= next)],
        };
    }
  return null;
};

/** Reads one clause as a request. */
export const readRequest = (tokens: readonly Token[], clause: Clause): Request => {
  const { found, before, rest } = strip(tokens, clause);
  const reflect = found && ['remind', 'schedule', 'block'].includes(found.act) ? laterReflect(tokens, rest) : null;
  const act = reflect ?? found;
  const index = reflect ? rest.findIndex(({ from }) => from === reflect.start) : 0;
  const own = reflect
    ? [...rest.slice(0, index).filter((item) => !isPlain(item)), ...behind(rest, index, reflect, tokens)]
    : rest;
  const words = tokens.slice(clause.from, clause.to).map(({ word }) => word);
  const opening = tokens.slice(clause.from, Math.min(clause.to, clause.from + 3));
  const passive = act === null ? readPassive(tokens, rest) : null;
  const told =
    act?.act === 'log' &&
    ['that', ':'].some((mark) => wordAt(tokens, act.next - 1) === mark || wordAt(tokens, act.next) === mark);
  return {
    clause,
    act: act?.act ?? passive?.act ?? null,
    lead: passive
      ? passive.lead
      : found
        ? tokens
            .slice(found.start, found.next)
            .map(({ text }) => text)
            .join(' ')
        : '',
    items: [...before, ...(passive?.items ?? own)],
    before: before.length,
    tags: tagsOf(tokens, clause.from, clause.to),
    told,
    corrects:
      opening.some(({ word }) => CORRECTIVE.has(word) || CORRECTIVE_PHRASES.has(word)) ||
      words.includes('instead') ||
      words.includes('rather'),
  };
};

const DAY_KINDS = new Set(['days', 'period', 'edge', 'every', 'instant']);

/** The facets that count: a day that only describes a noun ("Friday's standup") gives way to a day that was named as such. */
export const facetsOf = (items: readonly Item[]): Facet[] => {
  const named = items.some((item) => !item.kept && item.facets.some(({ kind }) => DAY_KINDS.has(kind)));
  return items.flatMap((item) =>
    item.facets.filter(
      ({ kind }) =>
        !(item.kept && (kind === 'days' || kind === 'past') && (named || kind === 'past')) &&
        !(kind === 'past' && named),
    ),
  );
};

/** Items for the title: facets that count are gaps in it; 'yesterday' beside another time is a word. */
export const titleItems = (items: readonly Item[], act: Act | null): Item[] => {
  const other = items.some((item) => !item.kept && item.facets.some(({ kind }) => DAY_KINDS.has(kind)));
  return items.flatMap((item) =>
    item.facets.length === 1 && item.facets[0]!.kind === 'past' && (other || act === 'reflect')
      ? asWords(item)
      : [item],
  );
};

export const hasWhen = (facets: readonly Facet[]): boolean => facets.some(({ kind }) => WHEN.has(kind));
