/** Stretches of days: 'this week', 'early next month', 'the end of December', 'within three days'. */
import type { Facet, Length, Reader, Scan } from './facet.ts';
import { readAmount } from './amount.ts';
import { compareDays } from './calendar.ts';
import { isClear, readAtom } from './dates.ts';
import { phraseAt, MONTHS, setOf, type Token, wordAt } from './words.ts';

type Unit = 'week' | 'month' | 'year' | 'weekend';
type Core = { unit: Unit; from: Temporal.PlainDate; to: Temporal.PlainDate; next: number; past?: true };

const UNIT_WORDS = setOf('week month year weekend');
const MODIFIERS: [string, number][] = [
  ['this|the current|the|this coming|this very', 0],
  ['next|the next|the coming|coming|the following|following|upcoming|the upcoming', 1],
  ['last|the last|the past|past|previous|the previous', -1],
];

const unitStart = (today: Temporal.PlainDate, unit: Unit): Temporal.PlainDate =>
  unit === 'month'
    ? today.with({ day: 1 })
    : unit === 'year'
      ? today.with({ day: 1, month: 1 })
      : today.subtract({ days: today.dayOfWeek - 1 });

const stepOf = (unit: Unit, n: number): Length =>
  unit === 'month' ? { months: n } : unit === 'year' ? { years: n } : { weeks: n };

const coreOf = (today: Temporal.PlainDate, unit: Unit, offset: number, next: number): Core => {
  const start = unitStart(today, unit).add(stepOf(unit, offset));
  const to = start.add(stepOf(unit, 1));
  return {
    unit,
    from: unit === 'weekend' ? start.add({ days: 5 }) : start,
    to,
    next,
    ...(offset < 0 && { past: true as const }),
  };
};

/** 'this week', 'next month', 'the week after next', 'the weekend'. A bare 'the week' only behind 'end of' and the like. */
const readUnit = ({ tokens, today }: Scan, i: number, inside: boolean): Core | null => {
  for (const [phrases, offset] of MODIFIERS) {
    const at = phraseAt(tokens, i, phrases);
    const word = wordAt(tokens, at ?? -1);
    if (!at || !UNIT_WORDS.has(word)) continue;
    const unit = word as Unit;
    const vague = wordAt(tokens, i) === 'the' && at === i + 1;
    if (phraseAt(tokens, at + 1, 'after next')) return coreOf(today, unit, 2, at + 3);
    if (vague && unit !== 'weekend' && !inside) return weekOf({ tokens, today }, at);
    return coreOf(today, unit, offset, at + 1);
  }
  return wordAt(tokens, i) === 'weekend' && (inside || WEEKEND_LEADS.has(wordAt(tokens, i - 1)))
    ? coreOf(today, 'weekend', 0, i + 1)
    : null;
};
const WEEKEND_LEADS = setOf('at on over for during this');

/** 'the week of 7 December'. */
const weekOf = ({ tokens, today }: Pick<Scan, 'tokens' | 'today'>, at: number): Core | null => {
  const day = ['of', 'starting', 'beginning'].includes(wordAt(tokens, at + 1))
    ? readAtom({ tokens, today, now: '', zone: '' }, at + 2)
    : null;
  if (!day || day.fault || wordAt(tokens, at) !== 'week') return null;
  return coreOf(day.day.date, 'week', 0, day.next);
};

/** 'December', 'next March', 'January 2027'; the present month counts as coming. */
const readMonth = (scan: Scan, i: number): Core | null => {
  const { tokens, today } = scan;
  const at = ['next', 'this', 'early', 'late', 'mid'].includes(wordAt(tokens, i)) ? i + 1 : i;
  const month = MONTHS.get(wordAt(tokens, at));
  if (!month || tokens[at]!.possessive) return null;
  const said = /^20\d\d$/.test(tokens[at + 1]?.text ?? '') ? Number(tokens[at + 1]!.text) : null;
  const from = Temporal.PlainDate.from({ year: said ?? today.year + (month < today.month ? 1 : 0), month, day: 1 });
  return { unit: 'month', from, to: from.add({ months: 1 }), next: at + (said ? 2 : 1) };
};

type Section = 'start' | 'middle' | 'end' | 'rest';
const SECTIONS: [Section, string][] = [
  [
    'start',
    'the start of|start of|the beginning of|beginning of|early|early in|the first half of|first half of|at the start of|at the beginning of|early on in',
  ],
  ['middle', 'the middle of|middle of|mid|mid -|midway through|half way through'],
  [
    'end',
    'the end of|end of|late|late in|the second half of|second half of|at the end of|towards the end of|toward the end of',
  ],
  ['rest', 'the rest of|rest of|the remainder of|the remaining|later|later in'],
];

const sectionOf = (
  { unit, from, to }: Core,
  section: Section,
  today: Temporal.PlainDate,
): [Temporal.PlainDate, Temporal.PlainDate] => {
  if (section === 'rest') return [compareDays(today, from) > 0 ? today : from, to];
  if (unit === 'week') {
    const [a, b] = { start: [0, 2], middle: [1, 4], end: [3, 5] }[section] as [number, number];
    return [from.add({ days: a }), from.add({ days: b })];
  }
  const days = from.until(to).days || from.until(to, { largestUnit: 'day' }).days;
  const [a, b] = { start: [0, 0.25], middle: [0.3, 0.7], end: [0.75, 1] }[section] as [number, number];
  return [from.add({ days: Math.round(days * a) }), from.add({ days: Math.max(1, Math.round(days * b)) })];
};

/** 'the next three days', 'the next two weeks' (from today). */
const readNextFew = ({ tokens, today }: Scan, i: number): Core | null => {
  const at = phraseAt(tokens, i, 'the next|next|the coming|the following|the upcoming');
  const amount = at ? readAmount(tokens, at) : null;
  if (amount?.calendar && wordAt(tokens, amount.next - 1).endsWith('s'))
    return { unit: 'week', from: today, to: today.add(amount.calendar).add({ days: 1 }), next: amount.next };
  const coming = phraseAt(tokens, i, 'the coming days|the next days|the coming weeks');
  return coming
    ? {
        unit: 'week',
        from: today,
        to: today.add({ days: wordAt(tokens, coming - 1) === 'weeks' ? 21 : 5 }),
        next: coming,
      }
    : null;
};

/** 'within three days', 'within a week'. */
const readWithin = ({ tokens, today }: Scan, i: number): Core | null => {
  const at = phraseAt(tokens, i, 'within|inside');
  const amount = at ? readAmount(tokens, at) : null;
  return amount?.calendar
    ? { unit: 'week', from: today, to: today.add(amount.calendar).add({ days: 1 }), next: amount.next }
    : null;
};

type Lead = 'in' | 'until' | 'before' | 'after' | 'from';
const LEADS: [Lead, string][] = [
  [
    'in',
    'in|during|for|over|within|sometime|sometime in|some time|some time in|at some point|at some point in|at|on|anytime|any time|in the course of|to|into|onto|of|throughout|all|sometime over',
  ],
  ['until', 'by|until|till|til|through|up to|until the|no later than|till the'],
  ['before', 'before'],
  ['after', 'after'],
  ['from', 'from|starting|beginning|as of|from the|starting in|starting from'],
];

const leadAt = (tokens: readonly Token[], i: number): { lead: Lead | null; next: number } =>
  LEADS.reduce<{ lead: Lead | null; next: number }>(
    (best, [lead, phrases]) => {
      const next = phraseAt(tokens, i, phrases);
      return next && next > best.next ? { lead, next } : best;
    },
    { lead: null, next: i },
  );

const readCore = (scan: Scan, i: number, lead: Lead | null): Core | null => {
  const sections = SECTIONS.map(([section, phrases]) => ({ section, next: phraseAt(scan.tokens, i, phrases) }));
  const section = sections.reduce<(typeof sections)[number] | null>(
    (best, each) => (each.next && each.next > (best?.next ?? 0) ? each : best),
    null,
  );
  const inside = section?.next
    ? (readUnit(scan, section.next, true) ?? readMonth(scan, section.next) ?? bareUnit(scan, section.next))
    : null;
  if (section && inside && !inside.past) {
    const [from, to] = sectionOf(inside, section.section, scan.today);
    return { ...inside, from, to };
  }
  const month = lead || ['next', 'this'].includes(wordAt(scan.tokens, i)) ? readMonth(scan, i) : null;
  return (
    readNextFew(scan, i) ??
    readUnit(scan, i, lead === 'until' || lead === 'before') ??
    (month && isClear(scan, month.next - 1) ? month : null)
  );
};

/** 'later this week' is read by its unit; 'end of week', 'end of month' without article here. */
const bareUnit = ({ tokens, today }: Scan, i: number): Core | null =>
  UNIT_WORDS.has(wordAt(tokens, i)) ? coreOf(today, wordAt(tokens, i) as Unit, 0, i + 1) : null;

const LATER_TODAY =
  'later today|later on today|rest of today|the rest of today|the rest of the day|rest of the day|some time today|sometime today';
const END_OF_DAY =
  '(by/before/at/) (the/) end of (the/) day|(by/) (eod/cob)|by the end of today|by end of today|by close of business|by tonight';

/** Periods with the words before them that say which side of them is meant. */
export const readPeriod: Reader = (scan, i) => {
  const { tokens, today } = scan;
  const later = phraseAt(tokens, i, LATER_TODAY);
  const todayOnly: Facet = { kind: 'days', days: [{ date: today }] };
  if (later) return { facets: [todayOnly], next: later };
  const eod = phraseAt(tokens, i, END_OF_DAY);
  if (eod && !['by', 'before', 'at'].includes(wordAt(tokens, i)))
    return { facets: [{ kind: 'part', part: { name: 'afternoon', from: 15, to: 18 } }], next: eod };
  if (eod)
    return {
      facets: [
        {
          kind: 'hours',
          to: { hour: wordAt(tokens, eod - 1) === 'tonight' ? 22 : 18, minute: 0, fixed: true },
          exact: false,
        },
      ],
      next: eod,
    };
  const midweek = phraseAt(tokens, i, 'midweek|mid - week');
  if (midweek) return { facets: [periodFacet(today.subtract({ days: today.dayOfWeek - 2 }), 3)], next: midweek };
  const { lead, next } = leadAt(tokens, i);
  const core = readWithin(scan, i) ?? readCore(scan, next, lead);
  if (!core) return null;
  if (core.past) return { facets: [{ kind: 'past' }], next: core.next };
  const said = { date: core.from };
  const period: [Temporal.PlainDate, Temporal.PlainDate] = [core.from, core.to];
  if (lead === 'until') return { facets: [{ kind: 'edge', until: core.to, said: null, period }], next: core.next };
  if (lead === 'before') return { facets: [{ kind: 'edge', until: core.from, said: null, period }], next: core.next };
  if (lead === 'after') return { facets: [{ kind: 'edge', from: core.to, said: null }], next: core.next };
  if (lead === 'from') return { facets: [{ kind: 'edge', from: core.from, said }], next: core.next };
  return { facets: [{ kind: 'period', from: core.from, to: core.to }], next: core.next };
};

const periodFacet = (from: Temporal.PlainDate, days: number): Facet => ({
  kind: 'period',
  from,
  to: from.add({ days }),
});
