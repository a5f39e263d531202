/**
 * The settings that plans can change, and those of a new user. The types are those of the schemas in limits.ts and tempo.ts, which
 * the console does not load.
 */
import type { ActionType } from './plan.ts';
import { WEEKDAYS, type Weekday } from './weekdays.ts';

export type Hours = { name: string; days: Weekday[]; start: string; end: string };
/** When work of a tag or a task happens, and how long it takes. */
export type Timing = {
  ranges?: (string | Hours)[] | undefined;
  duration_minutes?: number | undefined;
  tempo_tag?: string | undefined;
};
export type Bias = { factor?: number | undefined; minutes?: number | undefined };
export type Rule = { id: string; action_type: ActionType; tag?: string | undefined; max: number; per: 'day' | 'week' };

export type PlanSettings = {
  limits: {
    budget: { per_day: number | null; per_week: number | null };
    cadence: Rule[];
    only_in_tempo: boolean;
  };
  tempo: {
    time_ranges: Hours[];
    tag_mappings: Record<string, Omit<Timing, 'tempo_tag'>>;
    duration_biases: Record<string, Bias>;
    task_overrides: Record<string, Timing>;
    use_learned: boolean;
  };
};

export const NO_LIMITS: PlanSettings['limits'] = {
  budget: { per_day: null, per_week: null },
  cadence: [],
  only_in_tempo: false,
};

export const defaultTempo = (): PlanSettings['tempo'] => ({
  time_ranges: [{ name: 'day', days: [...WEEKDAYS], start: '08:00', end: '20:00' }],
  tag_mappings: {},
  duration_biases: { schedule: { minutes: 30 } },
  task_overrides: {},
  use_learned: false,
});
