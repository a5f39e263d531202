/** The time machine: one control by which calendar, queue, memory and context show what was known at a moment. */
import { signal } from '@preact/signals';
import { asOf, travel } from '../state/address.ts';
import type { Fields } from './fields.ts';
import { Form } from './form.tsx';
import { Hidden } from './text.tsx';
import { useClosing } from './use-closing.ts';
import { addDays, today, wallText, wallOf, YEARS, zone } from '../state/wall-time.ts';

const QUICK: [string, () => string][] = [
  ['10 minutes ago', () => new Date(Date.now() - 600_000).toISOString()],
  ['An hour ago', () => new Date(Date.now() - 3_600_000).toISOString()],
  ['This morning', () => `${today()}T00:00`],
  ['Yesterday evening', () => `${addDays(today(), -1)}T18:00`],
  ['A week ago', () => `${addDays(today(), -7)}T${wallText(wallOf(Date.now())).slice(11)}`],
];

const open = signal(false);
export const openTimeMachine = (): void => void (open.value = true);

const close = (): void => void (open.value = false);

export const TimeMachine = () => {
  const place = useClosing<HTMLDivElement>(close);
  const leaveTo = (moment: string | undefined): void => {
    close();
    travel(moment);
  };
  const onSend = ({ text }: Fields): boolean => {
    leaveTo(text('seq') || text('time') || undefined);
    return true;
  };
  return (
    <div class="time-machine" ref={place}>
      <button
        type="button"
        aria-expanded={open.value}
        aria-controls="moments"
        onClick={() => (open.value = !open.value)}
      >
        <span aria-hidden="true">◷</span> <span class="label">Time machine</span>
        <Hidden>: </Hidden>
        <span class="moment">{asOf.value === undefined ? 'Now' : 'Past'}</span>
      </button>
      {open.value && (
        <div id="moments" class="panel">
          <p>
            See calendar, queue, memory and context as they were known at an earlier moment. Nothing can be changed
            there.
          </p>
          <div class="quick">
            {QUICK.map(([name, moment]) => (
              <button key={name} type="button" onClick={() => leaveTo(moment())}>
                {name}
              </button>
            ))}
          </div>
          <Form onSend={onSend}>
            <label>
              Date and time <small>({zone.value})</small>
              <input name="time" type="datetime-local" min={YEARS.min} max={wallText(wallOf(Date.now()))} />
            </label>
            <label>
              or ledger number <input name="seq" inputMode="numeric" pattern="\d*" />
            </label>
            <button type="submit" class="primary">
              Show
            </button>
          </Form>
        </div>
      )}
    </div>
  );
};
