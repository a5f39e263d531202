/** Ellipsis: requests that leave out what the one before, or the one after, has said. */
import { groupOf, groupsOf, type Item } from './facet.ts';
import { asWords, facetsOf, type Frame } from './frame.ts';
import { phraseAt, setOf, type Token, wordAt } from './words.ts';

const plain = (item: Item): boolean => item.facets.length === 0 || item.kept === true;

/** Times without a subject, put into the request before: they complete it, or repeat it at another time. */
export const completed = (
  before: Frame,
  times: Frame,
  { restates = false, sameTime = false } = {},
): { merged: Frame; repeats: boolean } => {
  // 'every week' keeps the day that was named
  const weekly = facetsOf(times.items).every(
    (facet) => facet.kind === 'every' && facet.unit === 'week' && !facet.weekdays,
  );
  const said = weekly ? new Set<string>() : groupsOf(facetsOf(times.items));
  const known = groupsOf(facetsOf(before.items));
  const repeats = !restates && [...said].some((group) => known.has(group));
  const stays = (item: Item): boolean =>
    plain(item) ||
    !item.facets.some(
      (facet) =>
        said.has(groupOf(facet)) ||
        (repeats && (groupOf(facet) === 'day' || (groupOf(facet) === 'clock' && !sameTime))),
    );
  return {
    merged: {
      ...before,
      items: [...before.items.filter(stays), ...times.items.filter(({ facets }) => facets.length > 0)],
      before: 0,
    },
    repeats,
  };
};

const SHARED = setOf('with to about for of');

/** 'a call with Bob ... and one with Eve', 'lunch with Kim ... and with Ann': the words left out. */
const withHead = (tokens: readonly Token[], request: Frame, before: Frame | undefined): Frame => {
  const { clause } = request;
  const the = wordAt(tokens, clause.from) === 'the' && wordAt(tokens, clause.from + 1) === 'same' ? 1 : 0;
  const word = wordAt(tokens, clause.from + the);
  if (
    !before ||
    !clause.joined ||
    request.act !== null ||
    (!ONE.has(word) && !SHARED.has(word)) ||
    clause.items[0]?.facets.length !== 0
  )
    return request;
  const own = before.items.filter(plain);
  const size = the || (word === 'another' && wordAt(tokens, clause.from + 1) === 'one') ? 2 : 1;
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
  const opening = ONE.has(word) ? [] : asWords({ from: clause.from, to: clause.from + 1 });
  // 'the same with Ann on Saturday' is at the same hour
  const known = groupsOf(facetsOf(request.items));
  const kept =
    word === 'same' || isSameTime(tokens, clause)
      ? before.items.filter((item) => !plain(item) && !item.facets.some((facet) => known.has(groupOf(facet))))
      : [];
  return {
    ...request,
    items: [...rest.slice(0, request.before), ...head, ...opening, ...rest.slice(request.before), ...kept],
  };
};
const isSameTime = (tokens: readonly Token[], { from, to }: Frame['clause']): boolean =>
  tokens
    .slice(from, to)
    .some(({ word }, n) => word === 'same' && ['time', 'hour'].includes(wordAt(tokens, from + n + 1)));
const ONE = setOf('one another same');
const ANY_PREPOSITION = setOf('with to about for of on at');

const isDay = (item: Item): boolean =>
  !item.kept && item.facets.some(({ kind }) => kind === 'days' || kind === 'period');

const follows = (tokens: readonly Token[], { items }: Frame): boolean =>
  items.some(
    (item) =>
      plain(item) &&
      phraseAt(tokens, item.from, '(right/straight/directly/just/) after (it/that)|(right/) afterwards|right after') !==
        null,
  );

/** A day at the very end counts for those before it: 'gym at 7 and breakfast at 8 tomorrow'. */
const withDayBehind = (tokens: readonly Token[], request: Frame, next: Frame | undefined): Frame => {
  const last = next?.items.findLast(({ facets }) => facets.length > 0);
  const groups = groupsOf(facetsOf(request.items));
  const open = groups.size > 0 && !groups.has('day') && !groups.has('instant');
  const shares =
    next?.clause.joined &&
    next.act === null &&
    last &&
    isDay(last) &&
    (next.clause.after || follows(tokens, next) || groupsOf(facetsOf(next.items)).size > 1);
  return open && shares && (request.act === null || ['schedule', 'block', 'remind', 'have'].includes(request.act))
    ? { ...request, items: [...request.items, last] }
    : request;
};

/** 'Anna at 10, Ben at 11, 45 minutes each' */
const withEachLength = (request: Frame, next: Frame): Frame => {
  const isLong = facetsOf(request.items).some(({ kind }) => kind === 'duration');
  const each = next.clause.joined
    ? next.items.find(({ facets }) => facets.some((facet) => facet.kind === 'duration' && facet.each))
    : undefined;
  return each && !isLong && request.act === next.act ? { ...request, items: [...request.items, each] } : request;
};

/** Things of a list share the times at its end. */
const withTimesBehind = (request: Frame, last: Frame): Frame => ({
  ...request,
  items: [...request.items, ...last.items.filter(({ facets }) => facets.length > 0)],
});

/** 'Tomorrow: post the parcel, water the plants' */
const withTimesBefore = (request: Frame, previous: Frame): Frame => {
  const isOpen = request.clause.listed && request.clause.joined && facetsOf(request.items).length === 0;
  const times = isOpen ? previous.items.filter(({ facets }) => facets.length > 0) : [];
  return { ...request, items: [...times, ...request.items], before: request.before + times.length };
};

/** Fills in what neighbouring requests say for each other. */
export const filledIn = (tokens: readonly Token[], requests: readonly Frame[]): Frame[] => {
  const filled = [...requests];
  for (let i = filled.length - 2; i >= 0; i--) {
    const next = filled[i + 1]!;
    filled[i] = withEachLength(
      next.clause.listed && next.clause.joined && (next.act === null || next.act === filled[i]!.act)
        ? withTimesBehind(filled[i]!, next)
        : withDayBehind(tokens, filled[i]!, next),
      next,
    );
  }
  for (let i = 1; i < filled.length; i++) filled[i] = withTimesBefore(filled[i]!, filled[i - 1]!);
  return filled.map((request, i) => withHead(tokens, request, filled[i - 1]));
};
