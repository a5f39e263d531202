/** Goals: where in a change the event is named, and where what is to become of it begins. */
import { readAmount, readNumber } from './time/read-times.ts';
import type { Work as Whole } from './build.ts';
import type { Facet, Item } from './facet.ts';
import type { Act } from './verbs.ts';
import { phraseAt, setOf, wordAt } from './words.ts';

type Work = Pick<Whole, 'tokens'>;

export const isPlain = (item: Item): boolean => item.facets.length === 0;
/** 'Friday's standup' says when it is; the part of the day in 'the parent evening' belongs to its name. */
export const isName = ({ facets, kept }: Item): boolean =>
  facets.length === 0 || (kept === true && facets.every(({ kind }) => kind === 'part' || kind === 'every'));

export const INTO = setOf('to until till til onto into');
const UNTIL = setOf('until till til');
const DETERMINERS = setOf('the my our this that');

/** 'until 5' after a verb of moving is where it goes, not a window. */
export const untilAsGoal = ({ tokens }: Work, items: readonly Item[]): Item[] =>
  items.map((item) => ({
    ...item,
    facets: item.facets.map((facet) =>
      UNTIL.has(wordAt(tokens, item.from)) && facet.kind === 'hours' && facet.to && !facet.from
        ? { kind: 'clock', times: [facet.to] }
        : facet,
    ),
  }));

/** Where the goal begins: behind 'to' and the like, else at the first time that follows the name. */
const boundaryOf = ({ tokens }: Work, items: readonly Item[], act: Act): number => {
  const resizes = act === 'shorten' || act === 'extend';
  const into = items.findIndex((item, i) => {
    const word = wordAt(tokens, item.from);
    if (i === 0 || !(INTO.has(word) || (word === 'for' && !resizes))) return false;
    if (item.facets.length > 0) return !item.kept;
    return (
      items.slice(i + 1, i + 4).some((next) => next.facets.length > 0) ||
      phraseAt(tokens, item.from, 'to (the/) same time|to the same') !== null ||
      readNumber(tokens, item.from + 1) !== null
    );
  });
  if (into >= 0) return into;
  const named = items.findIndex((item) => isName(item) && !DETERMINERS.has(wordAt(tokens, item.from)));
  const isWhich = (item: Item): boolean =>
    wordAt(tokens, item.from) === 'from' || DETERMINERS.has(wordAt(tokens, item.from - 1));
  const after = items.findIndex(
    (item, i) => i > named && named >= 0 && item.facets.length > 0 && !item.kept && !isWhich(item),
  );
  return after < 0 ? items.length : after;
};

/** 'from 2 to 3', 'from Monday to Wednesday': where it is and where it goes in one stretch. */
const splitRange = ({ facets: [facet, ...more] }: Item): [which: Facet[], goal: Facet[]] | null => {
  if (facet?.kind === 'days' && facet.till)
    return [
      [{ kind: 'days', days: facet.days }, ...more.filter(({ kind }) => kind === 'clock')],
      [
        { kind: 'days', days: [facet.till.day] },
        { kind: 'clock', times: [facet.till.clock] },
      ],
    ];
  if (facet?.kind === 'hours' && facet.exact && facet.from && facet.to)
    return [[{ kind: 'clock', times: [facet.from] }], [{ kind: 'clock', times: [facet.to] }]];
  return facet?.kind === 'period' && facet.ends
    ? [[{ kind: 'days', days: [facet.ends[0]] }], [{ kind: 'days', days: [facet.ends[1]] }]]
    : null;
};

/** The items that name the event, further times that say which, the items of the goal, and what these say. */
type Parted = { source: Item[]; which: Facet[]; goalItems: Item[]; goal: Facet[] };

export const RESIZING = setOf('duration shift span');
export const partItems = (work: Work, items: readonly Item[], act: Act): Parted => {
  const { tokens } = work;
  const at = items.findIndex(
    (item) =>
      !INTO.has(wordAt(tokens, item.from)) &&
      splitRange(item) &&
      tokens.slice(item.from, item.to).some(({ word }) => INTO.has(word)),
  );
  const split = at < 0 ? null : splitRange(items[at]!);
  if (split) {
    const goalItems = items.slice(at + 1);
    return {
      source: items.slice(0, at),
      which: split[0],
      goalItems,
      goal: [...split[1], ...goalItems.flatMap(({ facets }) => facets)],
    };
  }
  const boundary = boundaryOf(work, items, act);
  const goalItems = items.slice(boundary);
  const isSize = ({ kept, facets }: Item): boolean => !kept && facets.some(({ kind }) => RESIZING.has(kind));
  return {
    source: items.slice(0, boundary).filter((item) => !isSize(item)),
    which: [],
    goalItems,
    // 'from 2 hours to 3 hours' has one new length
    goal: [...(goalItems.some(isSize) ? [] : items.slice(0, boundary).filter(isSize)), ...goalItems].flatMap(
      ({ facets }) => facets,
    ),
  };
};

/** Calendar amounts that are alone here: 'push the dentist back a week'. */
export const bareAmount = ({ tokens }: Work, items: readonly Item[]): { facets: Facet[]; at: number } | null => {
  for (const [at, item] of items.entries()) {
    const amount = isPlain(item) ? readAmount(tokens, item.from) : null;
    if (amount?.calendar) return { facets: [{ kind: 'span', length: amount.calendar }], at };
  }
  return null;
};

/** 'move it half an hour back' means later, 'forward' earlier. */
export const directed = ({ tokens }: Work, items: readonly Item[], act: Act): Act => {
  const words = items.filter(isPlain).map(({ from }) => wordAt(tokens, from));
  if (act !== 'move') return act;
  return words.includes('back') ? 'later' : words.includes('forward') ? 'earlier' : act;
};
export const MOVERS = setOf('back forward up off out short down by instead now actually');

/** 'make it 45', 'make it 4': a bare number is minutes from 13 on, else an hour. */
export const bareNumber = ({ tokens }: Work, items: readonly Item[]): Facet[] => {
  const numbers = items.flatMap(({ facets, from }) =>
    facets.length === 0 && !['one', 'a'].includes(wordAt(tokens, from)) ? (readNumber(tokens, from)?.n ?? []) : [],
  );
  const [n = 0] = numbers;
  if (numbers.length !== 1 || !Number.isInteger(n) || n < 1 || n > 1440) return [];
  return n > 12
    ? [{ kind: 'duration', minutes: n }]
    : [{ kind: 'clock', times: [{ hour: n, minute: 0, fixed: false }] }];
};

const SAME_DAY = '(on/) (the/that) same day';
/** Leaves out what is replaced: '45 minutes [instead of an hour]', '[not Thursday] but Friday'. */
export const withoutReplaced = ({ tokens }: Work, all: readonly Item[]): Item[] => {
  const same = all.findIndex((item) => isPlain(item) && phraseAt(tokens, item.from, SAME_DAY) !== null);
  const sameTo = same < 0 ? 0 : phraseAt(tokens, all[same]!.from, SAME_DAY)!;
  const items = all.filter(({ from }, i) => same < 0 || i < same || from >= sameTo);
  const at = items.findIndex(
    (item) => isPlain(item) && phraseAt(tokens, item.from, '(instead/rather) (of/than)|and not|not|than') !== null,
  );
  const next = at < 0 ? at : items.findIndex(({ facets }, i) => i > at && facets.length > 0);
  const isOpening = !items.slice(0, Math.max(0, at)).some(({ facets }) => facets.length > 0);
  if (at < 0) return items.filter(({ from }) => wordAt(tokens, from) !== 'instead');
  if (isOpening) return next < 0 ? [...items] : [...items.slice(0, at), ...items.slice(next + 1)];
  return items.slice(0, at);
};
