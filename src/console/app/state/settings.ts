/** Says what plans change of the settings. Few plans do, so it is loaded where there is one. */
import { signal } from '@preact/signals';
import type { Plan } from '../../../client/almanac-client.ts';
import type { settingRows } from '../ui/setting-rows.ts';

export const configures = ({ action_type }: { action_type?: unknown }): boolean => action_type === 'configure';

/** Undefined until it is loaded, and where the script does not arrive. */
export const rowsOf = signal<typeof settingRows>();

let loading: Promise<void> | undefined;
/** What is read for a decision does not change a moment later. */
export const loadRowsFor = async (plans: readonly Plan[]): Promise<void> => {
  if (!plans.some(configures)) return;
  loading ??= import('../ui/setting-rows.ts').then(
    (loaded) => void (rowsOf.value = loaded.settingRows),
    () => undefined,
  );
  await loading;
};
