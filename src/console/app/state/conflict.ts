/** What agents have on the calendar, with the approval of the person, where an event of the person is to be: the person is asked. */
import { signal } from '@preact/signals';
import { AlmanacProblem } from '../../../client/almanac-client.ts';

export type Taken = { uid: string; title: string; start: string; end: string };
/** What the person chooses; undefined where they leave everything as it is. */
export type Choice = 'displace' | 'keep' | undefined;

type Question = { taken: Taken[]; choose: (choice: Choice) => void };
export const conflict = signal<Question | undefined>(undefined);

const takenOf = (error: unknown): Taken[] | undefined =>
  error instanceof AlmanacProblem && error.code === 'slot_taken' ? (error.problem['busy'] as Taken[]) : undefined;

const ask = (taken: Taken[]): Promise<Choice> =>
  new Promise((resolve) => {
    const question: Question = {
      taken,
      choose: (choice) => {
        // A dialog that has been answered also says that it is closed, which is no answer to the next question.
        if (conflict.value !== question) return;
        conflict.value = undefined;
        resolve(choice);
      },
    };
    conflict.value = question;
  });

/** What was saved, and what it displaced. */
export type Saved<T> = { value: T; moved: Taken[] };

/**
 * Saves something that may need time which agents have. The person is asked first, and again where something else is there by the time
 * they answer: only what they were shown loses its time.
 * @returns undefined where they leave everything as it is
 */
export const savingWith = async <T>(
  save: (on_conflict: 'refuse' | 'displace' | 'keep') => Promise<T>,
): Promise<Saved<T> | undefined> => {
  let asked: { about: string; choice: Choice } | undefined;
  for (;;)
    try {
      return { value: await save('refuse'), moved: [] };
    } catch (error) {
      const taken = takenOf(error);
      if (!taken) throw error;
      const about = JSON.stringify(taken);
      if (asked?.about === about && asked.choice)
        return { value: await save(asked.choice), moved: asked.choice === 'displace' ? taken : [] };
      asked = { about, choice: await ask(taken) };
      if (!asked.choice) return undefined;
    }
};

/** What a message says of what was displaced. */
export const movedText = (moved: readonly Taken[]): string => {
  const titles = [...new Set(moved.map(({ title }) => `“${title}”`))];
  return titles.length ? ` ${titles.join(', ')} lost its time and is proposed again in the queue.` : '';
};
