/** How large an element is, as it changes. */
import { useLayoutEffect, useRef, useState } from 'preact/hooks';

export const useSize = <E extends HTMLElement>() => {
  const element = useRef<E>(null);
  const [size, setSize] = useState({ width: 0, height: 0 });
  useLayoutEffect(() => {
    const measured = element.current as E;
    const measure = (): void => setSize({ width: measured.clientWidth, height: measured.clientHeight });
    measure();
    const observer = new ResizeObserver(measure);
    observer.observe(measured);
    return () => observer.disconnect();
  }, []);
  return { element, ...size };
};
