/** The service, and who is signed in. The access token is only in memory; the refresh token is in a cookie that no script can read. */
import { computed, signal } from '@preact/signals';
import { AlmanacProblem, createClient, type Session } from '../../../client/almanac-client.ts';
import { reader } from './address.ts';
import { sentence } from './sentence.ts';

/** The folder above the console, so that the service may have any address. */
export const address = new URL('..', document.baseURI).href.replace(/\/$/, '');

export type Who =
  | { is: 'unknown' }
  /** `why` says what ended a session that the person had. */
  | { is: 'nobody'; why?: string; /** Whether a session ended that the person did not end here. */ isEnded?: boolean }
  | { is: 'person'; user: Session['user'] };

export const who = signal<Who>({ is: 'unknown' });
/** It stays the same where only the access token is another one. */
export const person = computed(() => (who.value.is === 'person' ? who.value.user.user_id : undefined));

/** `live`: changes arrive. `away`: no answer comes. `waiting`: the first connection is not open yet. */
export const connection = signal<'waiting' | 'live' | 'away'>('waiting');

/** While no answer comes, one request in this time asks whether the service is there again, for all that want to read. */
const PROBE_MS = 5_000;
let probed = -PROBE_MS;
/** A ticket is for a socket, and a simulated decision changes nothing. */
const onlyAsks = async (request: Request): Promise<boolean> => {
  if (request.method === 'GET' || request.url.endsWith('/ws-ticket')) return true;
  const isJson = request.headers.get('content-type')?.startsWith('application/json') ?? false;
  const body = isJson ? await request.clone().text() : '';
  return body !== '' && (JSON.parse(body) as { simulate?: boolean }).simulate === true;
};
const isSpared = async (request: RequestInfo | URL): Promise<boolean> => {
  if (connection.value !== 'away' || !(request instanceof Request) || !(await onlyAsks(request))) return false;
  const now = performance.now();
  if (now - probed < PROBE_MS) return true;
  probed = now;
  return false;
};
addEventListener('online', () => (probed = -PROBE_MS));

/**
 * Without an open socket, each request says whether the service is there. One that began before the connection was lost does not say
 * that it is back: its answer may only have come late.
 */
const watchedFetch: typeof fetch = async (request, init) => {
  if (await isSpared(request)) throw new TypeError('There is no connection.');
  const wasAway = connection.value === 'away';
  try {
    const response = await fetch(request, init);
    if (wasAway && connection.value === 'away' && response.status < 500) connection.value = 'waiting';
    return response;
  } catch (error) {
    if (connection.value === 'waiting' && !init?.signal?.aborted) connection.value = 'away';
    throw error;
  }
};

const open = createClient({
  url: address,
  credential: '',
  // The page may be closed while the answer is under way; its cookie is stored nevertheless.
  fetch: (request, init) => fetch(request, { ...init, keepalive: true }),
});

let token: string | undefined;

/** Says that this browser had a session, so that a first visit does not ask for one in vain. It is no secret. */
const VISITED = 'almanac-visited';

const enter = ({ token: access, user }: Session): string => {
  token = access;
  localStorage.setItem(VISITED, '1');
  who.value = { is: 'person', user };
  return access;
};

/** All pages of this browser share the cookie, and it can be used once: one page after the other refreshes. */
const inTurn = <T>(work: () => Promise<T>): Promise<T> =>
  'locks' in navigator ? navigator.locks.request('almanac-refresh', work) : work();

let renewal: Promise<string> | undefined;
const renew = (): Promise<string> => {
  renewal ??= inTurn(() => open.user.refresh({}))
    .then(enter)
    .catch((error: unknown) => {
      if (error instanceof AlmanacProblem && error.status === 401) leave();
      throw error;
    })
    .finally(() => {
      renewal = undefined;
    });
  return renewal;
};

export const leave = (why?: string): void => {
  const { value: before } = who;
  token = undefined;
  localStorage.removeItem(VISITED);
  // Requests that were under way are refused one after the other; the reason stays.
  const known = before.is === 'nobody' ? before.why : undefined;
  const isEnded = before.is === 'nobody' ? (before.isEnded ?? false) : why === undefined && before.is === 'person';
  const reason =
    why ??
    (before.is === 'person'
      ? 'Your session was ended. Sign in again. What you typed and did not send is kept.'
      : known);
  who.value = reason === undefined ? { is: 'nobody' } : { is: 'nobody', why: reason, isEnded };
};

/** One socket may say only after the next one is open that it is closed. */
let sockets = 0;

/** Reports whether the socket is open, by which the header says what the page shows. */
class WatchedSocket extends WebSocket {
  constructor(address: string) {
    super(address);
    const number = ++sockets;
    this.addEventListener('open', () => (connection.value = 'live'));
    this.addEventListener('close', () => {
      // Where no socket can be had, the changes come without one.
      if (who.value.is === 'person' && number === sockets && connection.value === 'live') connection.value = 'away';
    });
  }
}

const options = {
  url: address,
  credential: (rejected?: string) => (token !== undefined && token !== rejected ? token : renew()),
  // A person who waits wants to know after seconds that nothing happens.
  ...{ retryFor: 6_000, timeout: 20_000 },
};
export const client = createClient({ ...options, WebSocket: WatchedSocket, fetch: watchedFetch });

/** Reads what the time machine shows: as the agent that it names, if it names one. */
export const pastClient = createClient({
  ...options,
  WebSocket: null,
  fetch: (request, init) => {
    const sent = new Request(request, init);
    if (reader.value !== undefined) sent.headers.set('Read-As', reader.value);
    return watchedFetch(sent);
  },
});

export const signIn = (email: string, password: string): Promise<void> =>
  // A refresh that is under way must not end the new session by its late answer.
  inTurn(async () => void enter(await open.user.login({ email, password, refresh_in: 'cookie' })));

/** The invitation by whose link the page was opened; the sign-in screen makes an account with it. */
export const invitation = signal<string | undefined>(undefined);

export type NewAccount = { email: string; password: string; display_name?: string };

export const signUp = (account: NewAccount): Promise<void> =>
  inTurn(async () => {
    const { timeZone: timezone } = Intl.DateTimeFormat().resolvedOptions();
    const invited = invitation.value === undefined ? {} : { invitation: invitation.value };
    enter(await open.user.register({ ...account, timezone, ...invited, refresh_in: 'cookie' }));
    invitation.value = undefined;
  });

/** Takes a secret from the address. It can be used once, and history would keep it. */
const secretOfAddress = (name: 'ticket' | 'invitation'): string | undefined => {
  const secret = new RegExp(`^#${name}=([\\w.-]+)$`).exec(location.hash)?.[1];
  if (secret !== undefined) history.replaceState(null, '', location.pathname + location.search);
  return secret;
};

// A link that is opened where the console is open already changes only the part behind the #.
addEventListener('hashchange', () => {
  if (/^#(ticket|invitation)=/.test(location.hash)) location.reload();
});

/** The ticket of a login link that was opened where somebody is signed in. The link may be of another person, so it is asked first. */
export const offeredTicket = signal<string | undefined>(undefined);

const enterByCookie = async (): Promise<void> => {
  try {
    await (localStorage.getItem(VISITED) === null ? leave() : renew());
  } catch (error) {
    if (!(error instanceof AlmanacProblem) || error.status !== 401) leave(sentence(error));
  }
};

const enterByTicket = async (ticket: string): Promise<void> => {
  try {
    await inTurn(async () => void enter(await open.user.loginWithLink({ ticket, refresh_in: 'cookie' })));
  } catch (error) {
    if (!(error instanceof AlmanacProblem) || error.status !== 401) return leave(sentence(error));
    // A used link in a browser that is signed in is no reason to sign in again.
    await renew().catch(() => leave('That link was used or is older than ten minutes. Sign in with your password.'));
  }
};

/** @param isTaken whether the person wants to be signed in by the link, or to stay signed in */
export const answerOffer = async (isTaken: boolean): Promise<void> => {
  const { value: ticket } = offeredTicket;
  await (isTaken && ticket !== undefined ? enterByTicket(ticket) : enterByCookie());
  offeredTicket.value = undefined;
};

/** Uses the link or the cookie of an earlier visit. */
export const start = async (): Promise<void> => {
  const ticket = secretOfAddress('ticket');
  const isSignedIn = localStorage.getItem(VISITED) !== null;
  invitation.value = secretOfAddress('invitation');
  offeredTicket.value = isSignedIn ? ticket : undefined;
  if (invitation.value !== undefined || offeredTicket.value !== undefined) who.value = { is: 'nobody' };
  else await (ticket === undefined ? enterByCookie() : enterByTicket(ticket));
};

export const signOut = async (): Promise<void> => {
  await client.user.logout({}).catch(() => undefined);
  leave('You are signed out.');
};
