/** A secret that is shown once goes with the thing that it opens. */
import { useSignal, type Signal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { keys } from '../state/data.ts';
import { isOver } from './key-list.ts';

/** What was made is missing in a list that was read before, so only what the list had can be gone. */
const seen = new Set<string>();

type Made = { id: string; label: string };

/** @returns what is shown, or the name of the last one that is gone */
export const useSecret = <T extends Made>(made: Signal<T | undefined>, isThere: (id: string) => boolean) => {
  const gone = useSignal<string | undefined>(undefined);
  const { value: one } = made;
  if (one && isThere(one.id)) seen.add(one.id);
  const isGone = one !== undefined && seen.has(one.id) && !isThere(one.id);
  useEffect(() => {
    if (!one) return;
    gone.value = isGone ? one.label : undefined;
    if (isGone) made.value = undefined;
  }, [one, isGone]);
  return { shown: isGone ? undefined : one, gone: gone.value };
};

export const isValidKey = (asked: string): boolean =>
  keys.data.value?.some((key) => key.id === asked && !isOver(key)) ?? false;
