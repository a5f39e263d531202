/** Checks how many plans agents may propose per local day and ISO week. The functions only count; the caller loads the plans. */
import { z } from 'zod';
import { list } from '../record/bounded-collections.ts';
import { InstantOut } from '../record/field-shapes.ts';
import { KINDS } from './kinds.ts';
import { ACTION_TYPES } from './plan.ts';
import { dayBounds, instantOf, localDate, millis, weekBounds, zoned } from '../time/time.ts';
import { dayName } from '../time/say.ts';
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
  /** Whether it is a proposal that waits for a decision. */
  waits?: boolean;
};

export type LimitCode = 'limit:budget_day' | 'limit:budget_week' | `limit:cadence:${string}`;
export type LimitFault = { code: LimitCode; detail: string };

const Count = z.int();

/** One limit that is set, and how much of it agents have used. */
export const LimitUsage = z
  .object({
    code: z.string().describe('The code of the limit: limit:budget_day, limit:budget_week or limit:cadence:<id>.'),
    per: z.enum(['day', 'week']),
    start: InstantOut.describe('The start of the local day or ISO week that is counted.'),
    end: InstantOut.describe('The start of the next one.'),
    max: Count,
    used: Count.describe('Approved plans of agents.'),
    waiting: Count.describe('Proposals of agents that wait.'),
    left: Count,
  })
  .meta({
    id: 'LimitUsage',
    description: 'One rule of the limits, with what is used of it in the user’s current local day or ISO week.',
  });
export type LimitUsage = z.infer<typeof LimitUsage>;
export type PlanLimitUsage = LimitUsage & { needed: number };

type Rule = {
  code: LimitCode;
  per: 'day' | 'week';
  max: number;
  /** Which plans, as in ` tagged @call`. */
  of: string;
  counts: (plan: CountedPlan) => boolean;
};

const rulesOf = ({ budget, cadence }: Limits): Rule[] => {
  const all = { of: '', counts: () => true };
  const rules: Rule[] = [];
  if (budget.per_day !== null) rules.push({ code: 'limit:budget_day', per: 'day', max: budget.per_day, ...all });
  if (budget.per_week !== null) rules.push({ code: 'limit:budget_week', per: 'week', max: budget.per_week, ...all });
  return [...rules, ...cadence.map(cadenceRule)];
};

const cadenceRule = ({ id, action_type, tag, max, per }: CadenceRule): Rule => ({
  code: `limit:cadence:${id}`,
  per,
  max,
  of: ` for ${KINDS[action_type]}${tag === undefined ? '' : ` tagged ${tag}`}`,
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

const dateName = (date: Temporal.PlainDate | Temporal.ZonedDateTime): string => `${dayName(date)} ${date.year}`;

const periodOf = (per: 'day' | 'week', at: Instant, zone: string): Period => {
  if (per === 'week') {
    const { start, end } = weekBounds(at, zone);
    return { name: `in the week of ${dateName(zoned(start, zone))}`, start, end };
  }
  const date = localDate(at, zone);
  return { name: `on ${dateName(Temporal.PlainDate.from(date))}`, ...dayBounds(date, zone) };
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
    waiting: new Map<number, number>(),
  }));

  const add = (plan: CountedPlan): void => {
    for (const { rule, numberOf, used, waiting } of rules) {
      const counts = plan.waits ? waiting : used;
      if (rule.counts(plan)) for (const at of plan.times) counts.set(numberOf(at), (counts.get(numberOf(at)) ?? 0) + 1);
    }
  };
  counted.forEach(add);

  /**
   * The first limit that a plan would exceed, or null: budgets first, then cadence rules in their order.
   * @param only `decided` checks an approval, for which proposals that wait do not count
   */
  const check = (plan: CountedPlan, only?: 'decided'): LimitFault | null => {
    for (const { rule, numberOf, used, waiting } of rules) {
      if (!rule.counts(plan)) continue;
      const own = new Map<number, number>();
      for (const at of plan.times) {
        const period = numberOf(at);
        const [decided, wait] = [used.get(period) ?? 0, only ? 0 : (waiting.get(period) ?? 0)];
        const before = own.get(period) ?? 0;
        own.set(period, before + 1);
        if (decided + wait + before < rule.max) continue;
        const there = [
          ...[`${decided} approved`, ...(only ? [] : [`${wait} waiting`])],
          ...(plan.times.length > 1 ? [`${before} of this series`] : []),
        ];
        const { name } = periodOf(rule.per, instantOf(at), zone);
        const detail = `at most ${rule.max} ${rule.max === 1 ? 'plan' : 'plans'}${rule.of} per ${rule.per}; ${name} (${zone}): ${there.join(', ')}`;
        return { code: rule.code, detail };
      }
    }
    return null;
  };

  const usageOf = ({ rule: { code, per, max }, used, waiting }: (typeof rules)[number], period: number, at: number) => {
    const { start, end } = periodOf(per, instantOf(at), zone);
    return { code, per, start, end, max, used: used.get(period) ?? 0, waiting: waiting.get(period) ?? 0 };
  };
  const leftOf = (max: number, taken: number): number => Math.max(0, max - taken);

  /**
   * The limits that a plan counts in, each with the day or week of the plan; of a series the one where least is left for its
   * approval. `needed` is what the plan takes itself.
   */
  const usageFor = (plan: CountedPlan): PlanLimitUsage[] =>
    rules.flatMap((counted) => {
      const { rule, numberOf, used } = counted;
      if (!rule.counts(plan)) return [];
      const periods = [...Map.groupBy(plan.times, numberOf)].map(([period, own]) => ({
        ...{ period, at: own[0] as number, needed: own.length, taken: used.get(period) ?? 0 },
      }));
      const tightest = periods.reduce((a, b) => (b.taken + b.needed > a.taken + a.needed ? b : a));
      const usage = usageOf(counted, tightest.period, tightest.at);
      return { ...usage, left: leftOf(rule.max, usage.used), needed: tightest.needed };
    });

  /** Every limit that is set, with the used and the remaining number in the day or week around a time, for the next proposal. */
  const usageAt = (now: Instant): LimitUsage[] =>
    rules.map((counted) => {
      const usage = usageOf(counted, counted.numberOf(millis(now)), millis(now));
      return { ...usage, left: leftOf(usage.max, usage.used + usage.waiting) };
    });

  return { add, check, usageFor, usageAt };
};
export type LimitCounts = ReturnType<typeof createLimitCounts>;

/** Whether any limit counts plans. Without one, nothing needs to be counted. */
export const hasLimits = (limits: Limits): boolean => rulesOf(limits).length > 0;
