/** A write whose success is said, with undo where there is one. What the page shows is read again afterwards. */
import { touchAll } from './live.ts';
import { attempt, say } from './messages.ts';

/** @returns whether it worked */
export const save = (work: () => Promise<unknown>, done: string, undo?: () => Promise<unknown>): Promise<boolean> =>
  attempt(async () => {
    await work();
    touchAll();
    say(done, undo && (() => undo().finally(touchAll)));
  });
