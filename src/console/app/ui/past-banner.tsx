/** The banner of the time machine, which is on every screen as long as one is in the past: when, what was last recorded, and the way back. */
import { useSignal } from '@preact/signals';
import { asOf, change } from '../state/address.ts';
import { comparing, isSeq, nameOf, position } from '../state/past.ts';
import { momentOf } from '../state/wall-time.ts';
import { Failure } from './failure.tsx';
import { Since } from './since.tsx';
import { Foreign } from './text.tsx';

const nameOfMoment = (moment: string): string =>
  isSeq(moment) ? `ledger number ${moment}` : moment.endsWith('Z') ? momentOf(moment) : moment.replace('T', ', ');

const goTo = (seq: number): void => change({ asof: String(seq) }, true);

const Entry = () => {
  const at = position.data.value;
  if (!at?.entry) return null;
  const { type, time, data } = at.entry;
  return (
    <span class="entry">
      Last recorded: {type.replaceAll(/[._]/g, ' ')} “<Foreign>{nameOf(data).slice(0, 80)}</Foreign>”, {momentOf(time)}
    </span>
  );
};

const Steps = () => {
  const at = position.data.value;
  const pulled = useSignal<number | undefined>(undefined);
  if (!at) return null;
  return (
    <div class="steps" role="group" aria-label="Ledger number">
      <button type="button" aria-label="One change earlier" disabled={at.seq <= 1} onClick={() => goTo(at.seq - 1)}>
        ‹
      </button>
      <input
        type="range"
        aria-label="Ledger number"
        min={1}
        max={at.head}
        value={pulled.value ?? at.seq}
        onInput={(event) => (pulled.value = Number(event.currentTarget.value))}
        onChange={(event) => {
          goTo(Number(event.currentTarget.value));
          pulled.value = undefined;
        }}
      />
      <button type="button" aria-label="One change later" disabled={at.seq >= at.head} onClick={() => goTo(at.seq + 1)}>
        ›
      </button>
      <output>
        {pulled.value ?? at.seq} of {at.head}
      </output>
    </div>
  );
};

/** @param followed whether the screen shows the past; some have none */
export const PastBanner = ({ followed }: { followed: boolean }) => {
  if (asOf.value === undefined) return null;
  const fault = position.error.value;
  return (
    <div class="past-banner" role="region" aria-label="Time machine">
      <p role="status">
        {followed ? (
          <>
            You see what was known at <strong>{nameOfMoment(asOf.value)}</strong>. Nothing can be changed here.
          </>
        ) : (
          <>
            You are at <strong>{nameOfMoment(asOf.value)}</strong>, but <strong>this screen always shows now</strong>.
          </>
        )}
      </p>
      <Entry />
      {fault !== undefined && <Failure error={fault} />}
      <div class="buttons">
        <Steps />
        <button type="button" onClick={() => (comparing.value = true)}>
          What changed since
        </button>
        <button type="button" class="primary" onClick={() => change({ asof: undefined })}>
          Back to now
        </button>
      </div>
      {comparing.value && <Since />}
    </div>
  );
};
