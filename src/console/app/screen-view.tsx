/** The screen that the address names, loaded when it is opened. */
import { signal } from '@preact/signals';
import type { ComponentType } from 'preact';
import { useEffect } from 'preact/hooks';
import { linkTo } from './state/address.ts';
import { SCREENS, type Entry } from './screens.ts';

type Loaded = { Screen?: ComponentType; failed?: true };
const loaded = signal<Readonly<Record<string, Loaded>>>({});
const underWay = new Set<string>();

/** Also called when the pointer is on a link, so that the screen is there at the click. */
export const load = async ({ address, load: read }: Entry): Promise<void> => {
  if (loaded.value[address]?.Screen || underWay.has(address)) return;
  underWay.add(address);
  const result: Loaded = await read().then(
    (Screen) => ({ Screen }),
    () => ({ failed: true as const }),
  );
  underWay.delete(address);
  loaded.value = { ...loaded.value, [address]: result };
};

export const NotFound = () => (
  <section class="broken">
    <h1>There is no such screen</h1>
    <a href={linkTo('./')}>Go to the calendar</a>
  </section>
);

/** A browser keeps the failure of a script, so only a new page can try again. */
const NotLoaded = () => (
  <section class="broken" role="alert">
    <h1>This screen could not be loaded</h1>
    <p>Almanac does not answer, or it was updated meanwhile.</p>
    <button type="button" onClick={() => location.reload()}>
      Reload
    </button>
  </section>
);

export const ScreenView = ({ address }: { address: string }) => {
  const entry = SCREENS.find((one) => one.address === address);
  useEffect(() => {
    if (entry) void load(entry);
  }, [entry]);
  if (!entry) return <NotFound />;
  const { Screen, failed } = loaded.value[address] ?? {};
  if (Screen) return <Screen />;
  return failed ? <NotLoaded /> : <p class="starting">Loading…</p>;
};
