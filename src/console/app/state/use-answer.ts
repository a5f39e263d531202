/** An answer of the service that one part of a screen needs as long as it is shown. Resources are for what stays. */
import { effect, useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { changed } from './resource.ts';

type Answer<T> = { key?: string; data?: T; error?: unknown };

/** @param key what the answer depends on besides the ledger; undefined asks nothing */
export const useAnswer = <T>(
  key: string | undefined,
  watched: (keyof typeof changed)[],
  read: () => Promise<T>,
): Omit<Answer<T>, 'key'> => {
  const answer = useSignal<Answer<T>>({});
  useEffect(() => {
    if (key === undefined) return undefined;
    let last = 0;
    const stop = effect(() => {
      for (const part of watched) void changed[part].value;
      const turn = (last += 1);
      read().then(
        (data) => turn === last && (answer.value = { key, data }),
        (error: unknown) => turn === last && (answer.value = { key, error }),
      );
    });
    return () => {
      last = -1;
      stop();
    };
  }, [key]);
  return answer.value.key === key ? answer.value : {};
};
