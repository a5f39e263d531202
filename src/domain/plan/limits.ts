/** Checks how many plans agents may propose per local day and ISO week. The functions only count; the caller loads the plans. */
import { z } from 'zod';
import { list } from '../record/bounded-collections.ts';
import { ACTION_TYPES } from './plan.ts';
import { dayBounds, instantOf, localDate, millis, weekBounds } from '../time/time.ts';
import { DAY_MS } from '../time/day-numbers.ts';
import type { Instant, Interval } from '../time/time.ts';
import { clockOf } from '../time/wall-time.ts';

const Max = z.int().min(0).max(100_000);

export const CadenceRule = z
  .strictObject({
    id: z
      .string()
      .regex(/^[a-z0-9][a-z0-9_-]{0,63}$/, 'must consist of lower-case letters, digits, - and _')
      .meta({ description: 'The name of the rule in the code `limit:cadence:<id>`.' }),
    action_type: z.enum(ACTION_TYPES),
    tag: z
      .string()
      .min(1)
      .max(255)
      .optional()
      .meta({ description: 'The rule counts only plans with this tag or tempo_tag.' }),
    max: Max,
    per: z.enum(['day', 'week']),
  })
  .meta({
    id: 'CadenceRule',
    description: 'Allows at most `max` plans of an action type per local day or ISO week.',
    examples: [{ id: 'one-reflection', action_type: 'reflect', max: 1, per: 'day' }],
  });
export type CadenceRule = z.infer<typeof CadenceRule>;

const Budget = z.strictObject({ per_day: Max.nullable().default(null), per_week: Max.nullable().default(null) });
const Cadence = list(CadenceRule, 50).refine(
  (rules) => new Set(rules.map(({ id }) => id)).size === rules.length,
  'must have ids that are unique',
);
const OnlyInTempo = z.boolean().meta({
  description:
    'Whether plans of agents must be in the tempo hours, which are those of the task, of the tag or of time_ranges. A whole day is in them where each of its days has some.',
});

/** The limits in the settings. A missing one is off, so a merge patch with null switches a limit off. */
export const Limits = z
  .strictObject({
    budget: Budget.prefault({}).meta({
      description: 'The largest number of plans per local day and per ISO week; null means that there is no limit.',
    }),
    cadence: Cadence.default([]),
    only_in_tempo: OnlyInTempo.default(false),
  })
  .meta({
    id: 'Limits',
    description: 'What agents may propose. Plans of the person are neither counted nor refused.',
  });
export type Limits = z.infer<typeof Limits>;

/** A JSON Merge Patch on Limits. Lists are replaced whole, so a valid patch gives valid limits. */
export const LimitsPatch = z
  .strictObject({
    budget: z.strictObject({ per_day: Max.nullable(), per_week: Max.nullable() }).partial().nullable(),
    cadence: Cadence.nullable(),
    only_in_tempo: OnlyInTempo.nullable(),
  })
  .partial()
  .meta({ id: 'LimitsPatch', description: 'A JSON Merge Patch (RFC 7396) on the limits; null switches a limit off.' });

/**
 * The part of a plan that limits count. `times`, in epoch milliseconds and sorted, are its scheduled_for, else the time of the
 * proposal; of a series they are its occurrences, and each counts in its own day and week.
 */
export type CountedPlan = {
  uid?: string | undefined;
  action_type: string;
  tempo_tag?: string | null | undefined;
  tags?: readonly string[] | undefined;
  times: readonly number[];
};

export type LimitCode = 'limit:budget_day' | 'limit:budget_week' | `limit:cadence:${string}`;
export type LimitFault = { code: LimitCode; detail: string };

const Count = z.int().min(0);

export const LimitUsage = z
  .array(
    z.strictObject({
      code: z.string().meta({ description: 'The code of the rejection of a proposal that exceeds this limit.' }),
      per: z.enum(['day', 'week']),
      max: Count,
      used: Count,
      left: Count,
      start: z.string().meta({ description: 'The first instant of the local day or ISO week that is counted.' }),
      end: z.string().meta({ description: 'The first instant of the next day or week, when the count starts again.' }),
    }),
  )
  .meta({
    id: 'LimitUsage',
    description: 'Each limit that is set, with the number of plans that agents have used and may still use.',
  });
export type LimitUsage = z.infer<typeof LimitUsage>;
export type PlanLimitUsage = LimitUsage[number] & { needed: number };

type Rule = {
  code: LimitCode;
  per: 'day' | 'week';
  max: number;
  what: string;
  counts: (plan: CountedPlan) => boolean;
};

const rulesOf = ({ budget, cadence }: Limits): Rule[] => {
  const all = { what: 'plans', counts: () => true };
  const rules: Rule[] = [];
  if (budget.per_day !== null) rules.push({ code: 'limit:budget_day', per: 'day', max: budget.per_day, ...all });
  if (budget.per_week !== null) rules.push({ code: 'limit:budget_week', per: 'week', max: budget.per_week, ...all });
  return [...rules, ...cadence.map(cadenceRule)];
};

const cadenceRule = ({ id, action_type, tag, max, per }: CadenceRule): Rule => ({
  code: `limit:cadence:${id}`,
  per,
  max,
  what: tag === undefined ? `${action_type} plans` : `${action_type} plans tagged ${tag}`,
  counts: (plan) =>
    plan.action_type === action_type &&
    (tag === undefined || plan.tempo_tag === tag || (plan.tags?.includes(tag) ?? false)),
});

/**
 * Returns a function from an instant to the number of its local day or ISO week. It does no calendar arithmetic, because a series
 * has thousands of occurrences.
 */
const numbering = (per: 'day' | 'week', zone: string): ((at: number) => number) => {
  const { wallAt } = clockOf(zone);
  const dayOf = (at: number): number => Math.floor(wallAt(at) / DAY_MS);
  // 1 January 1970 was a Thursday.
  return per === 'day' ? dayOf : (at) => Math.floor((dayOf(at) + 3) / 7);
};

type Period = Interval & { name: string };

const periodOf = (per: 'day' | 'week', at: Instant, zone: string): Period => {
  if (per === 'week') {
    const { key, start, end } = weekBounds(at, zone);
    return { name: `in week ${key}`, start, end };
  }
  const date = localDate(at, zone);
  return { name: `on ${date}`, ...dayBounds(date, zone) };
};

/** Returns the interval whose plans must be loaded to judge a proposal at `at`: its ISO week, which contains its day. */
export const countingWindow = (at: Instant, zone: string): Interval => {
  const { start, end } = weekBounds(at, zone);
  return { start, end };
};

/**
 * Counts plans by rule and by local day or ISO week, so that a check takes only the time of the plan that is checked.
 * @param counted the agents' plans that are not rejected, at least those of `countingWindow` of each time that is asked about,
 * without the plan that is checked
 */
export const createLimitCounts = (limits: Limits, zone: string, counted: readonly CountedPlan[] = []) => {
  const rules = rulesOf(limits).map((rule) => ({
    rule,
    numberOf: numbering(rule.per, zone),
    used: new Map<number, number>(),
  }));

  const add = (plan: CountedPlan): void => {
    for (const { rule, numberOf, used } of rules)
      if (rule.counts(plan)) for (const at of plan.times) used.set(numberOf(at), (used.get(numberOf(at)) ?? 0) + 1);
  };
  counted.forEach(add);

  /** The first limit that a proposal would exceed, or null: budgets first, then cadence rules in their order. */
  const check = (plan: CountedPlan): LimitFault | null => {
    for (const { rule, numberOf, used } of rules) {
      if (!rule.counts(plan)) continue;
      const own = new Map<number, number>();
      for (const at of plan.times) {
        const period = numberOf(at);
        const before = (used.get(period) ?? 0) + (own.get(period) ?? 0);
        own.set(period, (own.get(period) ?? 0) + 1);
        if (before < rule.max) continue;
        const { name } = periodOf(rule.per, instantOf(at), zone);
        const others = plan.times.length > 1 ? ', with the earlier occurrences of the series' : '';
        const detail = `at most ${rule.max} ${rule.what} per ${rule.per}, and there are already ${before} ${name} (${zone})${others}`;
        return { code: rule.code, detail };
      }
    }
    return null;
  };

  /**
   * The limits that a plan counts in, each with the day or week of the plan; of a series the one where least is left. `needed` is
   * what the plan takes itself.
   */
  const usageFor = (plan: CountedPlan): PlanLimitUsage[] =>
    rules.flatMap(({ rule, numberOf, used }) => {
      if (!rule.counts(plan)) return [];
      const periods = [...Map.groupBy(plan.times, numberOf)].map(([period, own]) => ({
        ...{ at: own[0] as number, needed: own.length, used: used.get(period) ?? 0 },
      }));
      const tightest = periods.reduce((a, b) => (b.used + b.needed > a.used + a.needed ? b : a));
      return { ...usageOf(rule, tightest.used, tightest.at), needed: tightest.needed };
    });

  const usageOf = ({ code, per, max }: Rule, used: number, at: number): LimitUsage[number] => {
    const { start, end } = periodOf(per, instantOf(at), zone);
    return { code, per, max, used, left: Math.max(0, max - used), start, end };
  };

  /** Every limit that is set, with the used and the remaining number in the day or week around a time. */
  const usageAt = (now: Instant): LimitUsage =>
    rules.map(({ rule, numberOf, used }) => usageOf(rule, used.get(numberOf(millis(now))) ?? 0, millis(now)));

  return { add, check, usageFor, usageAt };
};
export type LimitCounts = ReturnType<typeof createLimitCounts>;

/** Whether any limit counts plans. Without one, nothing needs to be counted. */
export const hasLimits = (limits: Limits): boolean => rulesOf(limits).length > 0;
