/** Which days are shown, and the way to earlier and later ones. */
import { change } from '../state/address.ts';
import { MOST_SHOWN, notShown } from '../state/data.ts';
import { firstStart } from '../state/series.ts';
import { addDays, longDate, monthName, shortDate, today, wallOf } from '../state/wall-time.ts';
import { day, proposals, shown, view } from './blocks.ts';

export const step = (by: 1 | -1): string => {
  if (view.value !== 'month') return addDays(day.value, shown.value.days * by);
  const [year = 0, month = 1] = day.value.split('-').map(Number);
  return new Date(Date.UTC(year, month - 1 + by, 1)).toISOString().slice(0, 10);
};

export const heading = (): string => {
  const { first, days } = shown.value;
  if (view.value === 'day') return longDate(first);
  if (view.value === 'month') return monthName(day.value);
  return `${shortDate(first)} – ${shortDate(addDays(first, days - 1))}`;
};

/** On a calendar, later proposals that were not read would be missed without a word. */
export const NotAll = () =>
  notShown.value > 0 ? (
    <p class="quiet">
      Only the soonest {MOST_SHOWN} proposals are drawn; {notShown.value} later ones wait.
    </p>
  ) : null;

/** Proposals that the shown days do not have would otherwise be overlooked. */
export const Elsewhere = () => {
  const { first, days } = shown.value;
  const last = addDays(first, days);
  // What cancels an event has no time of its own, and lapses with the event.
  const later = proposals.value
    .flatMap((plan) => firstStart(plan) ?? plan.expires_at ?? [])
    .map((at) => wallOf(at).date)
    .filter((date) => date >= last);
  const [next] = later.toSorted();
  if (next === undefined) return null;
  return (
    <button type="button" class="later" onClick={() => change({ date: next })}>
      {later.length === 1 ? '1 proposal' : `${later.length} proposals`} later: {shortDate(next)} ›
    </button>
  );
};

export const Turn = () => (
  <div class="group">
    <button type="button" aria-label="Earlier" onClick={() => change({ date: step(-1) })}>
      ‹
    </button>
    <button type="button" onClick={() => change({ date: undefined })} aria-disabled={day.value === today()}>
      Today
    </button>
    <button type="button" aria-label="Later" onClick={() => change({ date: step(1) })}>
      ›
    </button>
  </div>
);
