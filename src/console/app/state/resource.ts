/** What is read from the service and kept up to date: it is read again when its question or the ledger changes. */
import { effect, signal, type ReadonlySignal } from '@preact/signals';
import { reader } from './address.ts';
import { isAway } from './sentence.ts';
import { who } from './service.ts';

export type Resource<T> = {
  data: ReadonlySignal<T | undefined>;
  error: ReadonlySignal<unknown>;
  /** Whether the data answers an earlier question. */
  stale: ReadonlySignal<boolean>;
  /** Resolves when a read has ended, with or without an answer, that knew all changes until now. */
  settled: () => Promise<void>;
};

const until = (isTrue: () => boolean): Promise<void> =>
  new Promise((resolve) => {
    const stop = effect(() => {
      if (!isTrue()) return;
      resolve();
      queueMicrotask(() => stop());
    });
  });

/** Whether there was an answer, or a failure that says why there is none. */
export const isRead = ({ data, error }: Resource<unknown>): boolean =>
  data.value !== undefined || error.value !== undefined;

/** Rises with every change of the ledger that the page was informed of, by kind. */
export const changed = { plans: signal(0), events: signal(0), traces: signal(0), profile: signal(0) };

/** Rises when the service can be reached again: what could not be read is read then. */
export const reached = signal(0);

/**
 * While the service cannot be reached, an answer to the same question stays, and the header says that it may be old.
 * @param question depends on signals; null asks nothing
 * @param watched the parts of the ledger that the answer depends on
 */
export const resource = <Q, T>(
  question: () => Q | null,
  watched: (keyof typeof changed)[],
  read: (question: Q) => Promise<T>,
): Resource<T> => {
  const data = signal<T | undefined>(undefined);
  const error = signal<unknown>(undefined);
  const stale = signal(false);
  let wanted: { key: string; question: Q | null } = { key: '', question: null };
  let shown = '';
  let readAs = reader.peek();
  /** How many changes there were of the question or of the ledger, and how many of them the last read knew. */
  let changes = 0;
  const known = signal(0);
  let running = false;

  const readOnce = async (): Promise<void> => {
    const { key, question: asked } = wanted;
    if (asked === null) return;
    try {
      const answer = await read(asked);
      if (wanted.key === key) {
        data.value = answer;
        shown = key;
        error.value = undefined;
      }
    } catch (failure) {
      if (wanted.key === key && !(isAway(failure) && shown === key)) error.value = failure;
    }
    if (wanted.key === shown) stale.value = false;
  };

  /** Reads until the answer is that of the last question. Changes that come meanwhile cause one further read. */
  const pump = async (): Promise<void> => {
    if (running) return;
    running = true;
    while (known.peek() < changes) {
      const before = changes;
      await readOnce();
      known.value = before;
    }
    running = false;
  };

  effect(() => {
    const asked = who.value.is === 'person' ? question() : null;
    for (const part of watched) void changed[part].value;
    void reached.value;
    wanted = { key: JSON.stringify([asked, reader.value]), question: asked };
    // What one may read is not shown as what another may read.
    if (who.value.is === 'nobody' || reader.value !== readAs) {
      data.value = undefined;
      shown = '';
    }
    readAs = reader.value;
    stale.value = wanted.key !== shown;
    changes += 1;
    void pump();
  });
  const settled = (): Promise<void> => {
    const now = changes;
    return until(() => known.value >= now);
  };
  return { data, error, stale, settled };
};
