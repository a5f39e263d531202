/** What somebody else changed in a proposal since its card was opened. */
import { useRef } from 'preact/hooks';
import type { Waiting } from '../state/data.ts';
import { isOwn } from '../state/shown.ts';
import { fieldName, valueText } from './fields-text.ts';
import { Foreign } from './text.tsx';

const FIELDS = ['title', 'scheduled_for', 'duration_minutes', 'rrule', 'exdates', 'reasoning', 'arguments'] as const;

/** It is behind what the person reads and presses, so that it moves nothing of that. */
export const ChangedSince = ({ plan }: { plan: Waiting }) => {
  const opened = useRef(plan);
  if (opened.current.uid !== plan.uid || isOwn(plan)) opened.current = plan;
  const { current: before } = opened;
  if (before.revision === plan.revision) return null;
  const textOf = (one: Waiting, field: (typeof FIELDS)[number]): string => valueText(one[field], `/${field}`);
  const changed = FIELDS.filter((field) => textOf(before, field) !== textOf(plan, field));
  return (
    <div class="meanwhile" role="status">
      <p>It was changed while you had it open{changed.length ? '. It was before:' : '.'}</p>
      <ul>
        {changed.map((field) => (
          <li key={field}>
            {fieldName(`/${field}`)}: <Foreign lines={4}>{textOf(before, field)}</Foreign>
          </li>
        ))}
      </ul>
    </div>
  );
};
