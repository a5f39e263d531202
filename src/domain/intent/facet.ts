/** Facets: what a stretch of words says about time, length and number. Readers find them, `when.ts` puts them together. */
import type { Instant } from '../time/time.ts';
import type { PartOfDay } from './types.ts';
import type { Token } from './words.ts';

/** A stretch of time: minutes on the clock, the rest on the calendar. */
export type Length = { minutes?: number; days?: number; weeks?: number; months?: number; years?: number };
/** `roll`: how to reach the next such day where this one is over ('Friday' on a Friday evening). `week`: said in weeks ('in two weeks'), so a weekday beside it is the day. `bare`: a weekday without 'this' or 'next'. */
export type Day = { date: Temporal.PlainDate; weekday?: number; roll?: Length; week?: true; bare?: true };
/** `fixed` where the half of the day is certain; otherwise `hour` is as said, 1 to 12. Hour 24 is the midnight that ends the day. */
export type Clock = { hour: number; minute: number; fixed: boolean; zone?: string };
/** Wall hours of a day, half-open. */
export type Part = { name: PartOfDay; from: number; to: number; label?: string };

export type Every = {
  kind: 'every';
  unit: 'day' | 'week' | 'month' | 'minute';
  step: number;
  weekdays?: readonly number[];
  monthday?: number;
  /** The nth of its weekday in the month, -1 the last. */
  nth?: number;
};

export type Facet =
  /** `each`: of all that was named, '45 minutes each'. */
  | { kind: 'duration'; minutes: number; each?: true }
  /** A stretch of calendar: 'for two weeks'. */
  | { kind: 'span'; length: Length }
  /** 'by 15 minutes', 'a week later', '10 minutes longer'. */
  | { kind: 'shift'; length: Length; way: 'by' | 'later' | 'earlier' | 'longer' | 'shorter' }
  /** 'an hour before ...', 'two days after ...': an event follows, or it is what was asked for before. */
  | { kind: 'gap'; length: Length; side: 'before' | 'after' }
  | { kind: 'count'; times: number; per?: 'day' | 'week' | 'month' }
  /** `till`: it goes on into that day, to that hour. */
  | { kind: 'days'; days: Day[]; choice?: true; till?: { day: Day; clock: Clock } }
  /** Half-open days; `ends` where it was said as 'from Monday to Friday', `open` as 'between Monday and Friday'. */
  | { kind: 'period'; from: Temporal.PlainDate; to: Temporal.PlainDate; ends?: [Day, Day]; open?: true }
  | {
      kind: 'edge';
      from?: Temporal.PlainDate;
      until?: Temporal.PlainDate;
      said: Day | null;
      period?: [Temporal.PlainDate, Temporal.PlainDate];
    }
  | { kind: 'clock'; times: Clock[]; choice?: true }
  /** `exact`: it begins and ends then; otherwise a window to find free time in, from now on where it is `due` by then. */
  | { kind: 'hours'; from?: Clock; to?: Clock; exact: boolean; due?: true; also?: [Clock, Clock][] }
  /** `loose`: a bare word, which stays in the title ('morning run'). */
  | { kind: 'part'; part: Part; loose?: true; plural?: true }
  | Every
  | { kind: 'instant'; at: Instant }
  /** Days and parts of days that are left out; the part only of some days where it has these. */
  | {
      kind: 'except';
      weekdays: number[];
      dates: Temporal.PlainDate[];
      parts: (Part & { days?: { weekdays: number[]; dates: Temporal.PlainDate[] } })[];
    }
  /** 'with at least a day between them' */
  | { kind: 'apart'; days: number }
  | { kind: 'whole' }
  | { kind: 'soon' }
  | { kind: 'past' }
  | { kind: 'fault'; ask: string };

export type FacetKind = Facet['kind'];
export type Scan = {
  tokens: readonly Token[];
  now: Instant;
  zone: string;
  today: Temporal.PlainDate;
  /** A day is known from before, so a bare number may be an hour. */
  dated?: boolean;
};

/** A word or mark (no facets), a tag, or a stretch that says facets. `kept`: it belongs to the title too. */
export type Item = { from: number; to: number; facets: Facet[]; kept?: boolean };

/** Facets that say when. */
export const WHEN: ReadonlySet<FacetKind> = new Set<FacetKind>([
  'days',
  'period',
  'edge',
  'clock',
  'hours',
  'part',
  'every',
  'instant',
  'whole',
  'past',
  'fault',
  'soon',
]);

const CLOCKS = new Set<FacetKind>(['clock', 'hours', 'instant', 'part']);
const DAYS = new Set<FacetKind>(['days', 'period', 'every']);
/** 'clock' and 'day', or the kind itself. */
export const groupOf = ({ kind }: Facet): string => (CLOCKS.has(kind) ? 'clock' : DAYS.has(kind) ? 'day' : kind);
export const groupsOf = (facets: readonly Facet[]): Set<string> => new Set(facets.map(groupOf));
