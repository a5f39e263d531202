/** A write whose success is said, with undo where there is one. What the page shows is read again afterwards. */
import { touchAll } from './live.ts';
import { attempt, say } from './messages.ts';

/**
 * @param undone what is said when it was undone, where `undo` does not say it
 * @returns whether it worked
 */
export const save = (
  work: () => Promise<unknown>,
  done: string,
  undo?: () => Promise<unknown>,
  undone?: string,
): Promise<boolean> =>
  attempt(async () => {
    await work();
    touchAll();
    const goBack = async (): Promise<void> => {
      await undo?.().finally(touchAll);
      if (undone !== undefined) say(undone);
    };
    say(done, undo && goBack);
  });
