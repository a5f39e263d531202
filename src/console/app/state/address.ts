/** The address of the page: which screen, with which parameters. The moments of the time machine are kept from screen to screen. */
import { computed, signal } from '@preact/signals';

const read = (): { screen: string; query: URLSearchParams } => ({
  screen: location.pathname.split('/').pop() ?? '',
  query: new URLSearchParams(location.search),
});

const address = signal(read());
addEventListener('popstate', () => (address.value = read()));

export const screen = computed(() => address.value.screen);
export const parameter = (name: string): string | undefined => address.value.query.get(name) ?? undefined;

/** The moment in the past that every screen shows: a time or a number of the ledger. Undefined means now. */
export const asOf = computed(() => parameter('asof'));

export const NOW = 'now';
/** The later moment with which the past is compared: `now`, or as `asof`. Undefined compares nothing. */
export const until = computed(() => (asOf.value === undefined ? undefined : parameter('until')));

export const linkTo = (to: string, parameters: Record<string, string | undefined> = {}): string => {
  const { until: later, ...all }: Record<string, string | undefined> = {
    ...{ asof: asOf.value, until: until.value },
    ...parameters,
  };
  if (all['asof'] !== undefined) all['until'] = later;
  const query = new URLSearchParams(Object.entries(all).filter((one): one is [string, string] => one[1] !== undefined));
  return `${new URL(to, document.baseURI).pathname}${query.size ? `?${query.toString()}` : ''}`;
};

/** @param replace without an entry in the history of the browser */
export const go = (to: string, parameters: Record<string, string | undefined> = {}, replace = false): void => {
  history[replace ? 'replaceState' : 'pushState'](null, '', linkTo(to, parameters));
  address.value = read();
};

/** Changes parameters of this screen and keeps the others. */
export const change = (parameters: Record<string, string | undefined>, replace = false): void =>
  go(screen.value || './', { ...Object.fromEntries(address.value.query), ...parameters }, replace);

/** Shows another moment, or now. It may be after the one that it is compared with, which is kept only where it is now. */
export const travel = (moment: string | undefined): void =>
  change({ asof: moment, until: until.value === NOW ? NOW : undefined });
