/** What somebody else changed in a proposal since its card was opened. */
import { useRef } from 'preact/hooks';
import type { Waiting } from '../state/data.ts';
import { isOwn } from '../state/shown.ts';
import { differing, Values } from './meanwhile.tsx';

const FIELDS = ['title', 'scheduled_for', 'duration_minutes', 'rrule', 'exdates', 'reasoning', 'arguments'] as const;

/** It is behind what the person reads and presses, so that it moves nothing of that. */
export const ChangedSince = ({ plan }: { plan: Waiting }) => {
  const opened = useRef(plan);
  if (opened.current.uid !== plan.uid || isOwn(plan)) opened.current = plan;
  const { current: before } = opened;
  if (before.revision === plan.revision) return null;
  const changed = differing(FIELDS, before, plan);
  return (
    <div class="meanwhile" role="status">
      <p>It was changed while you had it open{changed.length ? '. It was before:' : '.'}</p>
      <Values of={before} fields={changed} />
    </div>
  );
};
