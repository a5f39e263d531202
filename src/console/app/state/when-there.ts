/** Waits for a part of the page that is drawn a moment later, such as of a screen that is still loaded. */

const WAIT_MS = 5_000;

/** Does nothing where the part does not come, or where the person does something else first. */
export const whenThere = (find: () => HTMLElement | null | undefined, work: (part: HTMLElement) => void): void => {
  const end = performance.now() + WAIT_MS;
  const turned = new AbortController();
  const look = (): void => {
    const part = turned.signal.aborted ? undefined : find();
    if (part) work(part);
    if (part || turned.signal.aborted || performance.now() > end) turned.abort();
    else requestAnimationFrame(look);
  };
  const { signal } = turned;
  // The key or click that asked for it is still under way.
  setTimeout(() => {
    for (const type of ['keydown', 'pointerdown'])
      addEventListener(type, () => turned.abort(), { signal, capture: true });
    look();
  });
};
