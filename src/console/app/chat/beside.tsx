/** The calendar beside the conversation, where the window has the width for it: what was proposed is on it as ghosts. */
import { signal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { blocks, events, marked } from '../grid/blocks.ts';
import { Details } from '../grid/details.tsx';
import { TimeGrid } from '../grid/time-grid.tsx';
import { Elsewhere, heading, NotAll, Turn } from '../grid/turn.tsx';
import { change, screen } from '../state/address.ts';
import { Failure } from '../ui/failure.tsx';

const wide = matchMedia('(min-width: 1100px)');
export const isWide = signal(wide.matches);
wide.addEventListener('change', ({ matches }) => (isWide.value = matches));

/** Shows this day. Only the calendar changes, so it is no step of the browser's history. */
export const show = (date: string): void => {
  // The answer may come when another screen is open.
  if (screen.value === 'chat') change({ date }, true);
};

/** Scrolls to what was proposed as soon as it is there, once. */
const useScrollToMarked = (): void => {
  const scrolled = useRef(marked.value);
  useEffect(() => {
    if (!marked.value.size || scrolled.current === marked.value) return;
    const ghost = document.querySelector('.beside [data-marked]');
    if (!ghost) return;
    scrolled.current = marked.value;
    ghost.scrollIntoView({ block: 'center' });
  });
};

export const Beside = () => {
  useScrollToMarked();
  // Drawn again with the blocks, among which the marked ones may be new.
  void blocks.value;
  return (
    <aside class="beside" aria-label="Calendar" data-stale={events.stale.value ? '' : undefined}>
      <div class="toolbar">
        <h2>{heading()}</h2>
        <NotAll />
        <Turn />
      </div>
      {events.error.value !== undefined && <Failure error={events.error.value} />}
      <TimeGrid />
      <Elsewhere />
      <Details />
    </aside>
  );
};
