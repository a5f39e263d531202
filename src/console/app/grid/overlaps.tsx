/** What of the calendar is at the time of a new event, as far as the page has read it. */
import { Foreign } from '../ui/text.tsx';
import { clockText, instantOf, momentOf, wallOf, type Wall } from '../state/wall-time.ts';
import { events } from './blocks.ts';

export type Stretch = { start: Wall; minutes: number };
const MOST_NAMED = 3;

export const Overlaps = ({ of }: { of: Stretch | undefined }) => {
  if (!of) return null;
  const from = instantOf(of.start);
  const until = from + of.minutes * 60_000;
  const found = (events.data.value ?? []).filter(
    ({ all_day, busy, scheduled_for, end }) =>
      !all_day && busy && Date.parse(scheduled_for) < until && Date.parse(end) > from,
  );
  if (!found.length) return null;
  return (
    <p class="against" role="status">
      {found.slice(0, MOST_NAMED).map(({ uid, title, scheduled_for, end }) => (
        <span key={`${uid} ${scheduled_for}`}>
          Overlaps <Foreign lines={1}>{title}</Foreign>, {momentOf(scheduled_for)} to {clockText(wallOf(end).minutes)}
        </span>
      ))}
      {found.length > MOST_NAMED && <span>and {found.length - MOST_NAMED} more</span>}
    </p>
  );
};
