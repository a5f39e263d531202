/** What the banner of the time machine says: when it is, the way there and back, and what changed. */
import { asOf, change, NOW, travel, until } from '../state/address.ts';
import { differences, isSeq, listing, position, readerKey } from '../state/past.ts';
import { momentOf } from '../state/wall-time.ts';
import { Deed } from './deed.tsx';
import { Differences } from './differences.tsx';
import { Failure } from './failure.tsx';
import { Foreign } from './text.tsx';
import { Timeline } from './timeline.tsx';
import { counted } from './words.ts';

const nameOfMoment = (moment: string): string => {
  if (moment === NOW) return moment;
  if (isSeq(moment)) return `ledger number ${moment}`;
  return moment.endsWith('Z') ? momentOf(moment) : moment.replace('T', ', ');
};

const Entry = () => {
  const from = position.data.value?.from;
  if (!from) return null;
  return (
    <span class="entry">
      Last change, {momentOf(from.recorded_at)}: <Deed entry={from} />
    </span>
  );
};

const countText = (): string => {
  const found = differences.data.value;
  if (!found || differences.stale.value) return 'Comparing…';
  return `${counted(found.differences.length, 'change')}${found.more ? ' or more' : ''}`;
};

const Compare = () =>
  until.value === undefined ? (
    <button type="button" onClick={() => change({ until: NOW })}>
      Compare with now
    </button>
  ) : (
    <>
      {differences.error.value === undefined && (
        <button type="button" onClick={() => (listing.value = true)}>
          {countText()}
        </button>
      )}
      <button
        type="button"
        onClick={() => {
          listing.value = false;
          change({ until: undefined });
        }}
      >
        Stop comparing
      </button>
    </>
  );

/** @param followed whether the screen shows the past; some have none */
export const InsidePast = ({ followed }: { followed: boolean }) => {
  if (asOf.value === undefined) return null;
  const fault = position.error.value ?? (until.value === undefined ? undefined : differences.error.value);
  return (
    <>
      <div class="about">
        <p role="status">
          {followed ? (
            <>
              As known
              {readerKey.value && (
                <>
                  {' '}
                  to{' '}
                  <strong>
                    <Foreign>{readerKey.value.label}</Foreign>
                  </strong>
                </>
              )}{' '}
              at <strong>{nameOfMoment(asOf.value)}</strong>
              {until.value !== undefined && (
                <>
                  , compared with <strong>{nameOfMoment(until.value)}</strong>
                </>
              )}
              . Read only.
            </>
          ) : (
            <>
              You are at <strong>{nameOfMoment(asOf.value)}</strong>, but <strong>this screen always shows now</strong>.
            </>
          )}
        </p>
        <Entry />
      </div>
      {fault !== undefined && <Failure error={fault} />}
      <div class="buttons">
        <Compare />
        <button type="button" class="primary" onClick={() => travel(undefined)}>
          Back to now
        </button>
      </div>
      <Timeline />
      {listing.value && until.value !== undefined && <Differences />}
    </>
  );
};
