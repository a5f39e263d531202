/** What can be done on the page by a key or by name. The palette, the list of shortcuts and the keys themselves read it here. */
import { signal } from '@preact/signals';
import { useLayoutEffect } from 'preact/hooks';

export type Command = {
  name: string;
  run: () => void;
  /** One key, as in `KeyboardEvent.key`. */
  keys?: string;
  /** Shown in the list of shortcuts only, because it needs something that is chosen or in view. */
  onlyKey?: boolean;
};
export type Group = { title: string; commands: () => Command[] };

export const groups = signal<readonly Group[]>([]);

/** The commands of a screen, as long as it is shown: keys work as soon as it can be seen. */
export const useCommands = (title: string, commands: () => Command[]): void =>
  useLayoutEffect(() => {
    const group = { title, commands };
    groups.value = [...groups.value, group];
    return () => {
      groups.value = groups.value.filter((one) => one !== group);
    };
  }, []);

/** Which of the two dialogs is open. */
export const dialog = signal<'palette' | 'shortcuts' | undefined>(undefined);

const KEY = 'almanac-single-keys';
/** Single keys can be switched off, because speech input may type them by accident (WCAG 2.1.4). */
export const singleKeys = signal(localStorage.getItem(KEY) !== 'off');
export const switchSingleKeys = (on: boolean): void => {
  singleKeys.value = on;
  localStorage.setItem(KEY, on ? 'on' : 'off');
};

const TYPING = 'input, textarea, select, dialog, .card, [role="menu"]';

/** @returns whether the key was one of ours */
const perform = (event: KeyboardEvent): boolean => {
  if ((event.ctrlKey || event.metaKey) && !event.altKey && event.key.toLowerCase() === 'k') {
    dialog.value = dialog.value === 'palette' ? undefined : 'palette';
    return true;
  }
  if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return false;
  if (!singleKeys.value || (event.target as Element).closest(TYPING)) return false;
  const command = groups.value.flatMap((group) => group.commands()).find(({ keys }) => keys === event.key);
  command?.run();
  return command !== undefined;
};

export const listenForKeys = (): void =>
  addEventListener('keydown', (event) => {
    if (perform(event)) event.preventDefault();
  });
