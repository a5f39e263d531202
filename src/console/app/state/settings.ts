/** Plans that change the settings. Few plans do, so what says that is loaded where there is one. */
import { signal } from '@preact/signals';
import type { Plan } from '../../../client/almanac-client.ts';
import type { SettingRows } from '../ui/setting-rows.tsx';

export const configures = ({ action_type }: { action_type?: unknown }): boolean => action_type === 'configure';

/** Undefined until it is loaded, null where the script did not arrive. */
export const shownRows = signal<typeof SettingRows | null>();

let loading: Promise<void> | undefined;
/** What is read for a decision does not change a moment later. */
export const loadRowsFor = async (plans: readonly Plan[]): Promise<void> => {
  if (!plans.some(configures)) return;
  loading ??= import('../ui/setting-rows.tsx').then(
    (loaded) => void (shownRows.value = loaded.SettingRows),
    () => {
      shownRows.value = null;
      loading = undefined;
    },
  );
  await loading;
};
