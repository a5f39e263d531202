/** Says in which zone times are shown where the browser is in another one, and offers that one. A new account is in UTC. */
import { signal } from '@preact/signals';
import { asOf } from '../state/address.ts';
import { profile } from '../state/data.ts';
import { touchAll } from '../state/live.ts';
import { attempt, say } from '../state/messages.ts';
import { client } from '../state/service.ts';

const KEPT = 'almanac-zone-kept';
const here = Intl.DateTimeFormat().resolvedOptions().timeZone;
/** The two zones for which the person wants to keep that of the profile. */
const kept = signal(localStorage.getItem(KEPT));

const nameOf = (zone: string): string => zone.replaceAll('_', ' ');

const use = (timezone: string): void =>
  void attempt(async () => {
    await client.user.update({ updates: { timezone } });
    touchAll();
    say(`Times are in ${nameOf(here)} now.`);
  });

export const ZoneBanner = () => {
  const zone = profile.data.value?.timezone;
  const pair = `${zone ?? ''} ${here}`;
  if (zone === undefined || zone === here || kept.value === pair || asOf.value !== undefined) return null;
  const keep = (): void => {
    localStorage.setItem(KEPT, pair);
    kept.value = pair;
  };
  return (
    <aside class="zone-banner" aria-label="Time zone">
      <p>
        All times are in {nameOf(zone)}. This browser is in {nameOf(here)}.
      </p>
      <div class="buttons">
        <button type="button" class="primary" onClick={() => use(here)}>
          Use {nameOf(here)}
        </button>
        <button type="button" onClick={keep}>
          Keep {nameOf(zone)}
        </button>
      </div>
    </aside>
  );
};
