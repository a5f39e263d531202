/** What an approval of the rows in view would be refused for, by the rules of the service itself. */
import { signal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import type { DecisionResult } from '../../../client/almanac-client.ts';
import { asOf, screen } from '../state/address.ts';
import type { Waiting } from '../state/data.ts';
import { deciding, isOfVersions, isRefusal, tryApprovals } from '../state/decide.ts';
import { resource } from '../state/resource.ts';
import { list } from './reading.ts';
import { shownList } from './refused.tsx';

/** The uids of the rows that are in view. */
const inView = signal<ReadonlySet<string>>(new Set());

const uidOf = new WeakMap<Element, string>();
/** One for all rows, because each of 500 would act on every scroll. */
const watching = new IntersectionObserver((entries) => {
  const next = new Set(inView.peek());
  for (const { target, isIntersecting } of entries) {
    const uid = uidOf.get(target) ?? '';
    if (isIntersecting) next.add(uid);
    else next.delete(uid);
  }
  inView.value = next;
});

/** Says of a row whether it is in view, as long as it is drawn. */
export const useInView = (uid: string) => {
  const element = useRef<HTMLLIElement>(null);
  useEffect(() => {
    const row = element.current as HTMLLIElement;
    uidOf.set(row, uid);
    watching.observe(row);
    return () => {
      watching.unobserve(row);
      inView.value = new Set([...inView.peek()].filter((one) => one !== uid));
    };
  }, [uid]);
  return element;
};

/** More rows are in view only where the window is very high. */
const MOST_ASKED = 40;
/** Changes that come together, and the reads that they cause, are one question. */
const GATHER_MS = 250;
/** While changes go on, it is asked no more often. */
const LEAST_MS = 2_000;
let mayAsk = 0;

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

type Answers = ReadonlyMap<string, DecisionResult>;

const ask = async (): Promise<Answers> => {
  await pause(Math.max(GATHER_MS, mayAsk - performance.now()));
  const before = answers.data.peek() ?? new Map<string, DecisionResult>();
  const waiting = list.peek();
  const rows = waiting.filter(({ uid }) => inView.peek().has(uid)).slice(0, MOST_ASKED);
  // What a decision that is under way will change is asked after it.
  if (!rows.length || deciding.peek().size) return before;
  const asked = performance.now();
  mayAsk = asked + LEAST_MS;
  const results = await tryApprovals(rows);
  // A slow answer occupies the service for at most half of the time.
  mayAsk = Math.max(mayAsk, 2 * performance.now() - asked);
  const there = new Set(waiting.map(({ uid }) => uid));
  const known = new Map([...before].filter(([uid]) => there.has(uid)));
  for (const one of results) {
    // It has changed, and its new version is asked for as soon as the list has it.
    if (!one.problem || !isOfVersions(one.problem)) known.set(one.uid, one);
  }
  return known;
};

/** Asked again when the rows in view, the plans, the calendar or the limits change. */
const answers = resource<{ of: 'rows' }, Answers>(
  () => {
    const isShown = screen.value === 'queue' && shownList.value === 'waiting' && asOf.value === undefined;
    if (!isShown || deciding.value.size || !inView.value.size) return null;
    void list.value;
    return { of: 'rows' };
  },
  ['plans', 'events', 'profile'],
  ask,
);

export type Mark = { text: string; title?: string | undefined };

/** Why an approval would be refused, or how many want its time; undefined where nothing is known. */
export const markOf = ({ uid, conflicts_count: rivals = 0 }: Waiting): Mark | undefined => {
  const problem = asOf.value === undefined ? answers.data.value?.get(uid)?.problem : undefined;
  if (problem?.code === 'slot_taken') {
    const [first] = (problem as { busy?: { title?: string }[] }).busy ?? [];
    return first?.title === undefined ? { text: 'overlaps an event' } : { text: 'overlaps', title: first.title };
  }
  if (problem?.code === 'limit_reached') return { text: 'over a limit' };
  if (problem && (isRefusal(problem) || problem.code === 'event_not_found')) return { text: 'cannot be approved' };
  return rivals > 0 ? { text: `${rivals + 1} want this time` } : undefined;
};
