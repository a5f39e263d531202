/** The address of the page: which screen, with which parameters. `asof` is kept from screen to screen. */
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

export const linkTo = (to: string, parameters: Record<string, string | undefined> = {}): string => {
  const all = { ...parameters, ...('asof' in parameters ? {} : { asof: asOf.value }) };
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
