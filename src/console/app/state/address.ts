/** The address of the page: which screen, with which parameters. The moments of the time machine are kept from screen to screen. */
import { computed, signal } from '@preact/signals';

const read = (): { screen: string; query: URLSearchParams } => ({
  screen: location.pathname.split('/').pop() ?? '',
  query: new URLSearchParams(location.search),
});

const address = signal(read());

/** What lies over the screen and goes first when the person goes back, such as a sheet on a phone. */
let closeFirst: () => boolean = () => false;
/** @param close returns whether there was something to close */
export const onBack = (close: () => boolean): void => {
  closeFirst = close;
};
let shownAt = location.href;
addEventListener('popstate', () => {
  // The browser has left the address already.
  if (closeFirst()) history.pushState(null, '', shownAt);
  else show();
});
const show = (): void => {
  shownAt = location.href;
  address.value = read();
};

export const screen = computed(() => address.value.screen);
export const parameter = (name: string): string | undefined => address.value.query.get(name) ?? undefined;

/** The moment in the past that every screen shows: a time or a number of the ledger. Undefined means now. */
export const asOf = computed(() => parameter('asof'));

export const NOW = 'now';
/** The later moment with which the past is compared: `now`, or as `asof`. Undefined compares nothing. */
export const until = computed(() => (asOf.value === undefined ? undefined : parameter('until')));

/** The id of the agent’s key as which the past is read. Undefined reads as the person. */
export const reader = computed(() => (asOf.value === undefined ? undefined : parameter('reader')));
/** What a question about the past carries. */
export const past = computed((): { as_of?: string } => (asOf.value === undefined ? {} : { as_of: asOf.value }));

export const linkTo = (to: string, parameters: Record<string, string | undefined> = {}): string => {
  const all = { asof: asOf.value, until: until.value, reader: reader.value, ...parameters };
  // Without a moment, the others mean nothing.
  if (all.asof === undefined) all.until = all.reader = undefined;
  const query = new URLSearchParams(Object.entries(all).filter((one): one is [string, string] => one[1] !== undefined));
  return `${new URL(to, document.baseURI).pathname}${query.size ? `?${query.toString()}` : ''}`;
};

/** @param replace without an entry in the history of the browser */
export const go = (to: string, parameters: Record<string, string | undefined> = {}, replace = false): void => {
  history[replace ? 'replaceState' : 'pushState'](null, '', linkTo(to, parameters));
  show();
};

/** Changes parameters of this screen and keeps the others. */
export const change = (parameters: Record<string, string | undefined>, replace = false): void =>
  go(screen.value || './', { ...Object.fromEntries(address.value.query), ...parameters }, replace);

/** Shows another moment, or now. The later moment stays only where it is now: another one could be before the new moment. */
export const travel = (moment: string | undefined): void =>
  change({ asof: moment, until: until.value === NOW ? NOW : undefined });
