/** What plans change of the settings, in the words of the console. */
import { settingChanges, settingsAfter, settingsSet } from '../../../domain/plan/setting-changes.ts';
import type { PlanSettings } from '../../../domain/plan/plan-settings.ts';
import type { SettingsPatch } from '../../../domain/plan/setting-changes.ts';
import { lengthText } from '../state/wall-time.ts';
import { clockOf, dayName, type Day } from './hours-text.ts';

const WORDS = { day: (day: Day) => dayName(day), clock: clockOf, length: lengthText };

type SettingRow = { name: string; before?: string; after: string };
export type SettingRows = { rows: SettingRow[]; more: number };

/**
 * @param before the settings that it would change; where these are not known, it says only what the plan sets
 * @returns null where the settings cannot be changed like this
 */
export const settingRows = (given: SettingsPatch, before?: PlanSettings): SettingRows | null => {
  if (!before) return settingsSet(given, WORDS);
  const after = settingsAfter(before, given);
  return after && settingChanges(before, after, WORDS);
};
