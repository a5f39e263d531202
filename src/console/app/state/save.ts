/** A write whose success is said, with undo where there is one, and redo after that. What the page shows is read again afterwards. */
import { touchAll } from './live.ts';
import { attempt, say, sayUndone } from './messages.ts';

type Back = {
  /** Takes the write back. */
  undo: () => Promise<unknown>;
  /** What is said then. */
  undone: string;
  /** Does it again after that, where that is another write than the first one. */
  redo?: () => Promise<unknown>;
};

/** @returns whether it worked */
export const save = (work: () => Promise<unknown>, done: string, back?: Back): Promise<boolean> => {
  const run = async (write: () => Promise<unknown>): Promise<void> => {
    await write();
    touchAll();
    say(done, back && (() => goBack(back)));
  };
  const goBack = async ({ undo, undone, redo = work }: Back): Promise<void> => {
    await undo().finally(touchAll);
    sayUndone(undone, () => run(redo));
  };
  return attempt(() => run(work));
};
