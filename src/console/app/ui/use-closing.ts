/** What opens over the page closes by Escape, wherever the focus is, and by a press elsewhere. */
import { useEffect, useRef } from 'preact/hooks';

export const useClosing = <E extends HTMLElement>(close: () => void) => {
  const element = useRef<E>(null);
  useEffect(() => {
    const onPress = ({ target }: Event): void => {
      if (!element.current?.contains(target as Node)) close();
    };
    const onKey = ({ key }: KeyboardEvent): void => {
      if (key !== 'Escape') return;
      const toggle = element.current?.querySelector<HTMLElement>('[aria-expanded="true"], :scope[open] > summary');
      // The focus would go with what closes.
      if (element.current?.contains(document.activeElement)) toggle?.focus();
      close();
    };
    addEventListener('pointerdown', onPress);
    addEventListener('keydown', onKey);
    return () => {
      removeEventListener('pointerdown', onPress);
      removeEventListener('keydown', onKey);
    };
  }, []);
  return element;
};
