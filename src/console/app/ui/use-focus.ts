/** Gives the focus to what takes the place of the button that was pressed, which would otherwise lose it. */
import { useLayoutEffect, useRef } from 'preact/hooks';

export const useFocus = <T extends HTMLElement>() => {
  const element = useRef<T>(null);
  // Before the next key arrives, which would else go to the page.
  useLayoutEffect(() => element.current?.focus(), []);
  return element;
};
