/** Says in which zone times are shown where the browser is in another one, and offers that one. A new account is in UTC. */
import { signal } from '@preact/signals';
import { asOf } from '../state/address.ts';
import { profile } from '../state/data.ts';
import { touchAll } from '../state/live.ts';
import { attempt, say } from '../state/messages.ts';
import { client, person } from '../state/service.ts';

const KEPT = 'almanac-zone-kept';
const here = Intl.DateTimeFormat().resolvedOptions().timeZone;
/** Who has chosen a zone on this device, and in which zone the browser was then: as long as it is there, no other one is offered. */
const kept = signal(localStorage.getItem(KEPT));

const choice = (): string => `${person.value ?? ''} ${here}`;
export const keepZone = (): void => {
  kept.value = choice();
  localStorage.setItem(KEPT, kept.value);
};

const nameOf = (zone: string): string => zone.replaceAll('_', ' ');

const use = (timezone: string): void =>
  void attempt(async () => {
    await client.user.update({ updates: { timezone } });
    keepZone();
    touchAll();
    say(`Times are in ${nameOf(here)} now.`);
  });

export const ZoneBanner = () => {
  const zone = profile.data.value?.timezone;
  if (zone === undefined || zone === here || kept.value === choice() || asOf.value !== undefined) return null;
  return (
    <aside class="zone-banner" aria-label="Time zone">
      <p>
        All times are in {nameOf(zone)}. This browser is in {nameOf(here)}.
      </p>
      <div class="buttons">
        <button type="button" class="primary" onClick={() => use(here)}>
          Use {nameOf(here)}
        </button>
        <button type="button" onClick={keepZone}>
          Keep {nameOf(zone)}
        </button>
      </div>
    </aside>
  );
};
