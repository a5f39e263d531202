/** What of the calendar is at the time of a new event, as far as the page has read it. */
import { Foreign } from '../ui/text.tsx';
import { cut, MOST_OF_TITLE } from '../ui/words.ts';
import { takesTime } from '../state/overlap.ts';
import { clockText, instantOf, momentOf, wallOf } from '../state/wall-time.ts';
import { events } from './blocks.ts';
import type { TypedTime } from './card.ts';

const MOST_NAMED = 3;

export const Overlaps = ({ of }: { of: TypedTime | undefined }) => {
  if (!of) return null;
  const from = instantOf(of.start);
  const until = from + of.minutes * 60_000;
  const found = (events.data.value ?? []).filter((event) => takesTime(event, from, until));
  if (!found.length) return null;
  return (
    <p class="against" role="status">
      {found.slice(0, MOST_NAMED).map(({ uid, title, scheduled_for, end }) => (
        <span key={`${uid} ${scheduled_for}`}>
          Overlaps <Foreign>{cut(title, MOST_OF_TITLE)}</Foreign>, {momentOf(scheduled_for)} to{' '}
          {clockText(wallOf(end).minutes)}
        </span>
      ))}
      {found.length > MOST_NAMED && <span>and {found.length - MOST_NAMED} more</span>}
    </p>
  );
};
