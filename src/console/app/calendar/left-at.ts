/** Where a person left the calendar for another screen: coming back shows the same days, and scrolls to the same place. */
import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import { asOf, change, parameter, screen } from '../state/address.ts';
import { person } from '../state/service.ts';
import { whenThere } from '../state/when-there.ts';

type Days = { view: string | undefined; date: string | undefined };
type Place = Days & { of: string | undefined; asof: string | undefined };
let left: (Place & { scroll: number }) | undefined;

const here = (): Place => ({
  ...{ view: parameter('view'), date: parameter('date') },
  ...{ of: person.value, asof: asOf.value },
});

const scrolled = (): HTMLElement | null =>
  document.querySelector('.calendar .scroller, .calendar .month') ?? document.querySelector('main');

/** An address that names other days than those that were left counts. */
const comingBack = (): typeof left => {
  const now = here();
  if (!left || left.of !== now.of || left.asof !== now.asof) return undefined;
  const isNamed = now.view !== undefined || now.date !== undefined;
  return isNamed && (now.view !== left.view || now.date !== left.date) ? undefined : left;
};

/** @returns how far down the hours are shown, where that is not as at a first visit */
export const useLeftAt = (): number | undefined => {
  const [back] = useState(comingBack);
  const now = here();
  // When it goes, the address is that of the next screen already.
  useLayoutEffect(() => {
    if (screen.value === '') left = { ...now, scroll: left?.scroll ?? 0 };
  });
  useLayoutEffect(() => {
    if (back) {
      const { view, date, scroll } = back;
      change({ view, date }, true);
      // A list is as long as it was once its events are read. The hours are scrolled by the grid.
      whenThere(
        () => {
          const part = scrolled();
          return part && !part.matches('.scroller') && part.scrollHeight - part.clientHeight >= scroll ? part : null;
        },
        (part) => (part.scrollTop = scroll),
      );
    }
    return () => {
      if (left) left.scroll = scrolled()?.scrollTop ?? 0;
    };
  }, []);
  const first = useRef(true);
  useLayoutEffect(() => void (first.current = false), []);
  // Hours are at another place than the entries of a list. The address names the view that was left only after the first time.
  return first.current || back?.view === now.view ? back?.scroll : undefined;
};
