/** Reads the repetition of a plan from a request: its rule, the starts that are left out, and the zone in which it repeats. */
import type { Caller } from '../../domain/access/caller.ts';
import type { ActionType } from '../../domain/plan/plan.ts';
import { ruleText } from '../../domain/calendar/rrule-text.ts';
import { instantOf, localStart, millis, readTime, zoned, type Instant } from '../../domain/time/time.ts';
import { instantAt, wallOf } from '../../domain/time/wall-time.ts';
import type { PlanDoc } from '../../domain/record/trace.ts';
import { invalid, type Fault } from '../../common/problem.ts';
import { endOf, firstOf, matchesStart, repeatingOf, ruleFault, type Repeating } from './plan-series.ts';
import type { Proposal } from '../propose/proposal.ts';

/** What a request says about the repetition of a plan. */
export type RepetitionIn = {
  rrule?: string | null | undefined;
  exdates?: string[] | undefined;
  on_conflict?: 'skip' | 'refuse' | undefined;
};

const WEEKDAYS = ['MO', 'TU', 'WE', 'TH', 'FR', 'SA', 'SU'];
const ONLY_SCHEDULE = 'is allowed for schedule only';
const ONLY_SERIES = 'is allowed with rrule only';
const NEEDS_START = 'must not name times of day, because scheduled_for is missing; name scheduled_for';
const TIMES_OF_DAY = /FREQ=(?:SECONDLY|MINUTELY|HOURLY)|BYHOUR|BYMINUTE|BYSECOND/i;

export const readInstants = (texts: readonly string[], zone: string): Instant[] =>
  [...new Set(texts.map((text) => instantOf(millis(readTime(text, zone) as Instant))))].sort();

/** Checks which of the fields may occur together. @param at a JSON Pointer to the action */
export const misplaced = (action_type: ActionType | undefined, asked: RepetitionIn, at: string): Fault[] => {
  const given = {
    rrule: asked.rrule != null,
    exdates: asked.exdates !== undefined && asked.exdates.length > 0,
    on_conflict: asked.on_conflict === 'refuse',
  };
  const names = (['rrule', 'exdates', 'on_conflict'] as const).filter((name) => given[name]);
  if (action_type !== 'schedule')
    return names.map((name) => ({ path: `${at}/${name}`, code: 'custom', message: ONLY_SCHEDULE }));
  if (given.rrule) return [];
  return names.map((name) => ({ path: `${at}/${name}`, code: 'custom', message: ONLY_SERIES }));
};

/** Checks that a proposal that repeats can occur. `now` stands for its start where it has none yet. */
export const repetitionFaults = (p: Proposal, zone: string, now: Instant, at: string): Fault[] => {
  const wrong = misplaced(p.action_type, { ...p, exdates: [...(p.exdates ?? [])] }, at);
  if (wrong.length || p.rrule == null) return wrong;
  const isOpen = p.scheduled_for === null;
  if (isOpen && TIMES_OF_DAY.test(p.rrule))
    return [{ path: `${at}/rrule`, code: 'invalid_rrule', message: NEEDS_START }];
  const series = repeatingOf({ ...p, scheduled_for: p.scheduled_for ?? now, timezone: p.timezone ?? zone });
  if (!series) return [];
  const why = ruleFault(series);
  if (why !== null) return [{ path: `${at}/rrule`, code: 'invalid_rrule', message: why }];
  return isOpen || firstOf(series) !== null ? [] : [noneLeft(at)];
};

const noneLeft = (at: string): Fault => ({
  path: `${at}/exdates`,
  code: 'no_occurrence',
  message: 'must leave an occurrence of the series',
});

/** The start of a series. @throws 422 where its rule is wrong or it has no occurrence */
const requireFirst = (series: Repeating, at: string): Instant => {
  const why = ruleFault(series);
  if (why !== null) throw invalid([{ path: `${at}/rrule`, code: 'invalid_rrule', message: why }]);
  const first = firstOf(series);
  if (first === null) throw invalid([noneLeft(at)]);
  return first;
};

/** The starts that an edited plan leaves out: those that the edit names, else the plan's own, moved with its start. */
const exdatesOf = (
  plan: PlanDoc,
  { scheduled_for }: Edited,
  named: { exdates: string[]; zone: string } | undefined,
  zone: string,
): Instant[] =>
  named
    ? readInstants(named.exdates, named.zone)
    : movedWith(plan.exdates ?? [], plan.scheduled_for, scheduled_for, zone);

/** Whether a plan expires at its start. An imported plan is a record and does not expire. */
const isWaiting = ({ status, origin }: PlanDoc): boolean => status === 'proposed' && origin !== 'import';

const NO_REPETITION: Partial<PlanDoc> = {
  rrule: null,
  exdates: [],
  on_conflict: 'skip',
  timezone: null,
  repeats_until: null,
};

type Edited = Pick<PlanDoc, 'scheduled_for' | 'duration_minutes' | 'arguments'>;

/**
 * The repetition of a plan after an edit. Where the start moves, the starts that are left out move by the same wall time.
 * @param at a JSON Pointer to the edit
 * @throws 422
 */
export const editedRepetition = (
  caller: Caller,
  plan: PlanDoc,
  edited: Edited,
  { timezone, ...asked }: RepetitionIn & { timezone?: string | undefined },
  at: string,
): Partial<PlanDoc> => {
  const rrule = asked.rrule === undefined ? (plan.rrule ?? null) : asked.rrule;
  const on_conflict = asked.on_conflict ?? plan.on_conflict ?? 'skip';
  const wrong = misplaced(plan.action_type, { ...asked, rrule }, at);
  if (wrong.length) throw invalid(wrong);
  if (rrule === null) return plan.rrule == null ? {} : NO_REPETITION;
  const own = plan.timezone ?? caller.zone;
  const zone = edited.scheduled_for === plan.scheduled_for ? own : (timezone ?? own);
  const named = asked.exdates && { exdates: asked.exdates, zone: timezone ?? zone };
  const exdates = exdatesOf(plan, edited, named, zone);
  const series = repeatingOf({ ...plan, ...edited, rrule, exdates, timezone: zone });
  if (!series) return { rrule, exdates, on_conflict, timezone: zone };
  const first = requireFirst(series, at);
  const expires = isWaiting(plan) ? { expires_at: first } : {};
  return { rrule, exdates, on_conflict, timezone: zone, repeats_until: endOf(series), ...expires };
};

/** The fields of a plan that follow from its repetition; none where it does not repeat. */
export const repetitionFields = (plan: Proposal): Partial<PlanDoc> => {
  const series = repeatingOf(plan);
  if (!series) return {};
  const { rrule, timezone } = series;
  return { rrule, timezone, exdates: [...series.exdates], expires_at: firstOf(series), repeats_until: endOf(series) };
};

/**
 * The rule of a series that gets another start. A rule for one day of the week follows the start.
 * @throws 422 where the rule does not apply to the start
 */
export const ruleFrom = (rrule: string, start: Instant | null, zone: string): string => {
  const own = { action_type: 'schedule' as const, arguments: {}, duration_minutes: null };
  const series = repeatingOf({ ...own, rrule, scheduled_for: start, timezone: zone });
  if (!series || matchesStart(series)) return rrule;
  const day = WEEKDAYS[zoned(series.scheduled_for, zone).dayOfWeek - 1] as string;
  const moved = /FREQ=WEEKLY/i.test(rrule) ? rrule.replace(/BYDAY=[A-Z]{2}(?=;|$)/i, `BYDAY=${day}`) : rrule;
  if (matchesStart({ ...series, rrule: moved })) return moved;
  throw invalid([
    {
      path: '/rrule',
      code: 'invalid_rrule',
      message: `repeats ${ruleText(rrule)}, which leaves out the new start; say how often it shall be then`,
    },
  ]);
};

/** Moves starts by the difference of the wall times of two starts. */
const movedWith = (exdates: readonly Instant[], from: Instant | null, to: Instant | null, zone: string): Instant[] => {
  if (from === null || to === null || from === to) return [...exdates];
  const wall = (at: Instant): number => wallOf(localStart(at, zone));
  const shift = wall(to) - wall(from);
  return exdates.map((at) => instantOf(instantAt(wall(at) + shift, zone)));
};
