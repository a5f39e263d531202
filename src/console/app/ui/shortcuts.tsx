/** The list of keys, on `?`. It is loaded when it is first asked for. */
import { signal } from '@preact/signals';
import type { ComponentType } from 'preact';
import { useEffect } from 'preact/hooks';
import { dialog } from '../state/commands.ts';
import { complain } from '../state/messages.ts';

const list = signal<ComponentType>();

const load = (): Promise<unknown> =>
  import('./shortcut-list.tsx').then(
    ({ ShortcutList }) => (list.value = ShortcutList),
    () => {
      dialog.value = undefined;
      complain('The list of keys could not be loaded. Reload the page.');
    },
  );

export const Shortcuts = () => {
  const isAsked = dialog.value === 'shortcuts';
  const { value: List } = list;
  useEffect(() => {
    if (isAsked && !List) void load();
  }, [isAsked]);
  return isAsked && List ? <List /> : null;
};
