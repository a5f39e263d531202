/** Whether a line of a long list was in view. What only one that is read needs is asked for then. */
import { useSignal, type ReadonlySignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';

export const useSeen = <E extends HTMLElement>() => {
  const element = useRef<E>(null);
  const isSeen = useSignal(false);
  useEffect(() => {
    const watching = new IntersectionObserver((entries) => {
      if (!entries.some(({ isIntersecting }) => isIntersecting)) return;
      isSeen.value = true;
      watching.disconnect();
    });
    if (element.current) watching.observe(element.current);
    return () => watching.disconnect();
  }, []);
  return { element, isSeen: isSeen as ReadonlySignal<boolean> };
};
