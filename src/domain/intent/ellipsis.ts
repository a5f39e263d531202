/** Ellipsis: requests that leave out what the one before, or the one after, has said. */
import type { Facet, Item } from './facet.ts';
import { facetsOf, type Request } from './request.ts';
import { setOf, type Token, wordAt } from './words.ts';

const CLOCKS = setOf('clock hours instant part');
const DAYS = setOf('days period edge every');
/** 'clock' and 'day', or the kind itself. */
const groupOf = ({ kind }: Facet): string => (CLOCKS.has(kind) ? 'clock' : DAYS.has(kind) ? 'day' : kind);
export const groupsOf = (facets: readonly Facet[]): Set<string> => new Set(facets.map(groupOf));

const plain = (item: Item): boolean => item.facets.length === 0 || item.kept === true;

/** Times without a subject, put into the request before: they complete it, or repeat it at another time. */
export const completed = (before: Request, times: Request): { merged: Request; repeats: boolean } => {
  const said = groupsOf(facetsOf(times.items));
  const known = groupsOf(facetsOf(before.items));
  const repeats = [...said].some((group) => known.has(group));
  const stays = (item: Item): boolean => plain(item) || !item.facets.some((facet) => said.has(groupOf(facet)) || (repeats && ['day', 'clock'].includes(groupOf(facet))));
  return { merged: { ...before, items: [...before.items.filter(stays), ...times.items.filter(({ facets }) => facets.length > 0)], before: 0 }, repeats };
};

const words = (from: number, to: number): Item[] => Array.from({ length: Math.max(0, to - from) }, (_, n) => ({ from: from + n, to: from + n + 1, facets: [] }));

/** The request with its verb as part of the title: 'Bring cake'. */
export const withVerb = (request: Request): Request => {
  const rest = request.items.slice(request.before);
  const first = rest[0]?.from ?? request.clause.to;
  const start = Math.max(request.clause.from, first - request.lead.split(' ').length);
  return { ...request, act: null, items: [...request.items.slice(0, request.before), ...words(start, first), ...rest] };
};

const SHARED = setOf('with to about for of');

/** 'a call with Bob ... and one with Eve', 'lunch with Kim ... and with Ann': the words left out. */
const withHead = (tokens: readonly Token[], request: Request, before: Request | undefined): Request => {
  const { clause } = request;
  const word = wordAt(tokens, clause.from);
  if (!before || !clause.joined || request.act !== null || (word !== 'one' && !SHARED.has(word)) || clause.items[0]?.facets.length !== 0) return request;
  const own = before.items.filter(plain);
  const preposition = word === 'one' ? wordAt(tokens, clause.from + 1) : word;
  const cut = own.findIndex(({ from }) => (SHARED.has(preposition) ? wordAt(tokens, from) === preposition : ANY_PREPOSITION.has(wordAt(tokens, from))));
  const head = cut > 0 ? own.slice(0, cut) : cut < 0 && (word === 'one' || word === 'with') ? own : [];
  if (head.length === 0) return request;
  const rest = request.items.filter(({ from }) => from !== clause.from);
  const opening = word === 'one' ? [] : words(clause.from, clause.from + 1);
  return { ...request, items: [...rest.slice(0, request.before), ...head, ...opening, ...rest.slice(request.before)] };
};
const ANY_PREPOSITION = setOf('with to about for of on at');

const isDay = (item: Item): boolean => !item.kept && item.facets.some(({ kind }) => kind === 'days' || kind === 'period');

/** A day at the very end counts for those before it: 'gym at 7 and breakfast at 8 tomorrow'. */
const withDayBehind = (request: Request, next: Request | undefined): Request => {
  const last = next?.items.findLast(({ facets }) => facets.length > 0);
  const groups = groupsOf(facetsOf(request.items));
  const open = groups.size > 0 && !groups.has('day') && !groups.has('instant');
  const shares = next?.clause.joined && next.act === null && last && isDay(last) && groupsOf(facetsOf(next.items)).size > 1;
  return open && shares && (request.act === null || ['schedule', 'block', 'remind', 'have'].includes(request.act)) ? { ...request, items: [...request.items, last] } : request;
};

/** Fills in what neighbouring requests say for each other. */
export const filledIn = (tokens: readonly Token[], requests: readonly Request[]): Request[] => {
  const filled = [...requests];
  for (let i = filled.length - 2; i >= 0; i--) filled[i] = withDayBehind(filled[i]!, filled[i + 1]);
  return filled.map((request, i) => withHead(tokens, request, requests[i - 1]));
};
