/** An answer of the service that one part of a screen needs as long as it is shown. Resources are for what stays. */
import { effect, useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { asOf, reader } from './address.ts';
import { changed, reached } from './resource.ts';
import { isAway } from './sentence.ts';

type Answer<T> = { key?: string; data?: T; error?: unknown };

/**
 * While the service cannot be reached, an answer stays, and the header says that it may be old.
 * Changes that come while an answer is awaited cause one further read. It waits as long as the answer took, so that a slow read occupies
 * the service for at most half of the time, however often the ledger changes.
 * @param of what the answer depends on besides the ledger and the time machine; undefined asks nothing
 * @param isPaused whether changes cause no read for now; the last answer stays
 */
export const useAnswer = <T>(
  of: string | undefined,
  watched: (keyof typeof changed)[],
  read: () => Promise<T>,
  isPaused = false,
): Omit<Answer<T>, 'key'> => {
  const key = of === undefined ? undefined : `${of} ${asOf.value ?? ''} ${reader.value ?? ''}`;
  const answer = useSignal<Answer<T>>({});
  useEffect(() => {
    if (key === undefined || isPaused) return undefined;
    const gone = new AbortController();
    let isDirty = false;
    let isReading = false;
    const pump = async (): Promise<void> => {
      if (isReading) return;
      isReading = true;
      while (isDirty && !gone.signal.aborted) {
        isDirty = false;
        const asked = performance.now();
        const before = answer.peek();
        const next = await read().then(
          (data): Answer<T> => ({ key, data }),
          (error: unknown): Answer<T> => (isAway(error) && before.key === key ? before : { key, error }),
        );
        if (!gone.signal.aborted) answer.value = next;
        const took = performance.now() - asked;
        await new Promise((resolve) => setTimeout(resolve, took));
      }
      isReading = false;
    };
    const stop = effect(() => {
      for (const part of watched) void changed[part].value;
      void reached.value;
      isDirty = true;
      void pump();
    });
    return () => {
      gone.abort();
      stop();
    };
  }, [key, isPaused]);
  return answer.value.key === key ? answer.value : {};
};
