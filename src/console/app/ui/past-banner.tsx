/** The banner of the time machine, on every screen as long as one is in the past. Its parts are loaded when somebody goes there. */
import { signal } from '@preact/signals';
import type { ComponentType } from 'preact';
import { useEffect } from 'preact/hooks';
import { asOf, travel } from '../state/address.ts';

const inside = signal<ComponentType<{ followed: boolean }> | undefined>(undefined);
const isBroken = signal(false);

const load = (): void => {
  if (inside.value) return;
  void import('./inside-past.tsx').then(
    ({ InsidePast }) => (inside.value = InsidePast),
    () => (isBroken.value = true),
  );
};

/** @param followed whether the screen shows the past; some have none */
export const PastBanner = ({ followed }: { followed: boolean }) => {
  const isPast = asOf.value !== undefined;
  useEffect(() => {
    if (isPast) load();
  }, [isPast]);
  if (!isPast) return null;
  const { value: Inside } = inside;
  return (
    <div class="past-banner" role="region" aria-label="Time machine">
      {Inside && <Inside followed={followed} />}
      {isBroken.value && (
        <>
          <p role="alert">You are in the past. The time machine could not be loaded; reload the page.</p>
          <button type="button" onClick={() => travel(undefined)}>
            Back to now
          </button>
        </>
      )}
    </div>
  );
};
