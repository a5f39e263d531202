/** The time machine: one control by which every screen shows what was known at a moment. The banner cannot be overlooked. */
import { signal } from '@preact/signals';
import { asOf, change } from '../state/address.ts';
import { fieldsOf } from './fields.ts';
import { addDays, momentOf, today, wallText, wallOf, zone } from '../state/wall-time.ts';

/** A number of the ledger, or an instant. */
const isSeq = (text: string): boolean => /^\d+$/.test(text);
export const nameOfMoment = (moment: string): string =>
  isSeq(moment) ? `ledger number ${moment}` : moment.endsWith('Z') ? momentOf(moment) : moment.replace('T', ', ');

const QUICK: [string, () => string][] = [
  ['10 minutes ago', () => new Date(Date.now() - 600_000).toISOString()],
  ['An hour ago', () => new Date(Date.now() - 3_600_000).toISOString()],
  ['This morning', () => `${today()}T00:00`],
  ['Yesterday evening', () => `${addDays(today(), -1)}T18:00`],
  ['A week ago', () => `${addDays(today(), -7)}T${wallText(wallOf(Date.now())).slice(11)}`],
];

const open = signal(false);
export const openTimeMachine = (): void => void (open.value = true);

export const TimeMachine = () => {
  const travel = (moment: string | undefined): void => {
    open.value = false;
    change({ asof: moment });
  };
  const onSubmit = (event: SubmitEvent): void => {
    const field = fieldsOf(event);
    travel(field('seq') || field('time') || undefined);
  };
  return (
    <div
      class="time-machine"
      onKeyDown={(event) => {
        if (event.key === 'Escape') open.value = false;
      }}
    >
      <button
        type="button"
        aria-expanded={open.value}
        aria-controls="moments"
        onClick={() => (open.value = !open.value)}
      >
        <span aria-hidden="true">◷</span> {asOf.value === undefined ? 'Now' : 'In the past'}
      </button>
      {open.value && (
        <div id="moments" class="panel">
          <p>Show what was known at an earlier moment. Nothing can be changed there.</p>
          <div class="quick">
            {QUICK.map(([name, moment]) => (
              <button key={name} type="button" onClick={() => travel(moment())}>
                {name}
              </button>
            ))}
          </div>
          <form onSubmit={onSubmit}>
            <label>
              Date and time <small>({zone.value})</small>
              <input name="time" type="datetime-local" max={wallText(wallOf(Date.now()))} />
            </label>
            <label>
              or ledger number <input name="seq" inputMode="numeric" pattern="\d*" />
            </label>
            <button type="submit" class="primary">
              Show
            </button>
          </form>
        </div>
      )}
    </div>
  );
};

export const PastBanner = () =>
  asOf.value === undefined ? null : (
    <div class="past-banner" role="status">
      <p>
        You see what was known at <strong>{nameOfMoment(asOf.value)}</strong>. Nothing can be changed here.
      </p>
      <button type="button" onClick={() => change({ asof: undefined })}>
        Back to now
      </button>
    </div>
  );
