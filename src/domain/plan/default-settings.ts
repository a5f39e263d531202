/** The settings of a new user. It has no schemas, so that the console can load it. */
import type { Limits } from './limits.ts';
import type { TempoPreferences } from './tempo.ts';
import { WEEKDAYS } from './weekdays.ts';

export const NO_LIMITS: Limits = { budget: { per_day: null, per_week: null }, cadence: [], only_in_tempo: false };

export const defaultTempo = (): TempoPreferences => ({
  time_ranges: [{ name: 'day', days: [...WEEKDAYS], start: '08:00', end: '20:00' }],
  tag_mappings: {},
  duration_biases: { schedule: { minutes: 30 } },
  task_overrides: {},
  use_learned: false,
});
