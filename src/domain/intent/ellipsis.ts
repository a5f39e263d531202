/** Ellipsis: requests that leave out what the one before, or the one after, has said. */
import type { Facet, Item } from './facet.ts';
import { facetsOf, type Request } from './request.ts';
import { phraseAt, setOf, type Token, wordAt } from './words.ts';

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
  const stays = (item: Item): boolean =>
    plain(item) ||
    !item.facets.some((facet) => said.has(groupOf(facet)) || (repeats && ['day', 'clock'].includes(groupOf(facet))));
  return {
    merged: {
      ...before,
      items: [...before.items.filter(stays), ...times.items.filter(({ facets }) => facets.length > 0)],
      before: 0,
    },
    repeats,
  };
};

const words = (from: number, to: number): Item[] =>
  Array.from({ length: Math.max(0, to - from) }, (_, n) => ({ from: from + n, to: from + n + 1, facets: [] }));

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
  if (
    !before ||
    !clause.joined ||
    request.act !== null ||
    (!ONE.has(word) && !SHARED.has(word)) ||
    clause.items[0]?.facets.length !== 0
  )
    return request;
  const own = before.items.filter(plain);
  const size = word === 'another' && wordAt(tokens, clause.from + 1) === 'one' ? 2 : 1;
  const preposition = ONE.has(word) ? wordAt(tokens, clause.from + size) : word;
  const cut = own.findIndex(({ from }) =>
    SHARED.has(preposition) ? wordAt(tokens, from) === preposition : ANY_PREPOSITION.has(wordAt(tokens, from)),
  );
  const whole = clause.items[size]?.facets.length !== 0 || preposition === 'with';
  const head =
    ONE.has(word) && clause.items[size]?.facets.length !== 0
      ? own
      : cut > 0
        ? own.slice(0, cut)
        : cut < 0 && whole
          ? own
          : [];
  if (head.length === 0 || (word === 'another' && size === 1)) return request;
  const rest = request.items.filter(({ from }) => from < clause.from || from >= clause.from + size);
  const opening = ONE.has(word) ? [] : words(clause.from, clause.from + 1);
  return { ...request, items: [...rest.slice(0, request.before), ...head, ...opening, ...rest.slice(request.before)] };
};
const ONE = setOf('one another');
const ANY_PREPOSITION = setOf('with to about for of on at');

const isDay = (item: Item): boolean =>
  !item.kept && item.facets.some(({ kind }) => kind === 'days' || kind === 'period');

/** A day at the very end counts for those before it: 'gym at 7 and breakfast at 8 tomorrow'. */
const withDayBehind = (request: Request, next: Request | undefined): Request => {
  const last = next?.items.findLast(({ facets }) => facets.length > 0);
  const groups = groupsOf(facetsOf(request.items));
  const open = groups.size > 0 && !groups.has('day') && !groups.has('instant');
  const shares =
    next?.clause.joined &&
    next.act === null &&
    last &&
    isDay(last) &&
    (next.clause.after || groupsOf(facetsOf(next.items)).size > 1);
  return open && shares && (request.act === null || ['schedule', 'block', 'remind', 'have'].includes(request.act))
    ? { ...request, items: [...request.items, last] }
    : request;
};

const AFTER_IT =
  'right after it|right after that|straight after it|directly after it|after it|after that|afterwards|right after|right afterwards';

/** 'and a debrief right after it': the words say only that it comes next. */
const withThen = (tokens: readonly Token[], request: Request): Request => {
  if (!request.clause.joined || request.act === 'log') return request;
  for (const [at, item] of request.items.entries()) {
    const next = plain(item) ? phraseAt(tokens, item.from, AFTER_IT) : null;
    const rest = next ? request.items.slice(at).filter(({ from }) => from >= next) : [];
    if (next && at > 0 && (rest[0] === undefined || !plain(rest[0])))
      return {
        ...request,
        clause: { ...request.clause, after: true },
        items: [...request.items.slice(0, at), ...rest],
      };
  }
  return request;
};

/** Fills in what neighbouring requests say for each other. */
export const filledIn = (tokens: readonly Token[], requests: readonly Request[]): Request[] => {
  const filled = requests.map((request) => withThen(tokens, request));
  for (let i = filled.length - 2; i >= 0; i--) filled[i] = withDayBehind(filled[i]!, filled[i + 1]);
  return filled.map((request, i) => withHead(tokens, request, filled[i - 1]));
};
