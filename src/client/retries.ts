/** Sends a request with a credential until it is answered: a write has one Idempotency-Key, which all of its tries share. */
import { type AlmanacProblem, problemOf, unreachable } from './almanac-problem.ts';
import type { TokenSource } from './sign-in.ts';

export type SendOptions = {
  /** The request is sent without a credential. */
  open?: boolean;
  retryFor?: number | undefined;
  timeout?: number | undefined;
};

export type Send = (request: Request, options?: SendOptions) => Promise<Response>;

const FIRST_WAIT_MS = 250;
const LONGEST_WAIT_MS = 8_000;
/** 502 and 504 come from proxies. A 409 `idempotency_running` means that an earlier try is still at work. */
const PASSING = new Set([0, 429, 502, 503, 504]);
/** Without a credential there is no Idempotency-Key, and these must not take effect twice. */
const ONCE = /\/user\/(register|login-link)$/;
/** These bodies are handed on as they arrive. */
const STREAMED = /^(text\/event-stream|application\/(zip|x-ndjson))/;

/** Works in pages without HTTPS too, where browsers have no randomUUID. */
export const newKey = (): string =>
  Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, '0')).join('');

/** Gives a write the key that all of its tries share. */
const setKey = ({ method, headers }: Request): void => {
  if (method !== 'GET' && !headers.has('Idempotency-Key')) headers.set('Idempotency-Key', newKey());
};

/** For how long to wait before the next try, in milliseconds: as the service says, else twice as long as before it. */
const waitAfter = ({ retryAfter }: AlmanacProblem, tries: number): number =>
  retryAfter ?? Math.min(LONGEST_WAIT_MS, FIRST_WAIT_MS * 2 ** tries) * (0.5 + Math.random() / 2);

/** @throws the signal's reason when it aborts */
export const sleep = (milliseconds: number, signal?: AbortSignal): Promise<void> =>
  new Promise((resolve, reject) => {
    signal?.throwIfAborted();
    const stop = (): void => {
      clearTimeout(timer);
      reject(signal?.reason as Error);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', stop);
      resolve();
    }, milliseconds);
    signal?.addEventListener('abort', stop, { once: true });
  });

/** Reads the whole body, so that a connection that breaks in it is a failed try too. */
const buffered = async (response: Response): Promise<Response> => {
  if (!response.body || STREAMED.test(response.headers.get('Content-Type') ?? '')) return response;
  const { status, statusText, headers } = response;
  return new Response(await response.arrayBuffer(), { status, statusText, headers });
};

export const createSend = (
  fetch: (request: Request, init: RequestInit) => Promise<Response>,
  token: () => TokenSource,
  defaults: { retryFor: number; timeout: number },
): Send => {
  const attempt = async (request: Request, timeout: number): Promise<Response> => {
    const late = new AbortController();
    const timer = setTimeout(() => late.abort(new Error(`none within ${timeout} ms`)), timeout);
    try {
      return await buffered(await fetch(request.clone(), { signal: AbortSignal.any([request.signal, late.signal]) }));
    } finally {
      clearTimeout(timer);
    }
  };

  /** @returns the answer, or the problem that came instead */
  const outcome = async (request: Request, timeout: number): Promise<Response | AlmanacProblem> => {
    try {
      const response = await attempt(request, timeout);
      return response.ok || response.status === 304 ? response : await problemOf(response);
    } catch (error) {
      request.signal.throwIfAborted();
      return unreachable(error);
    }
  };

  const canRepeat = ({ status, code }: AlmanacProblem, request: Request): boolean =>
    (PASSING.has(status) && !(status !== 429 && status !== 503 && ONCE.test(new URL(request.url).pathname))) ||
    code === 'idempotency_running';

  return async (request, { open = false, retryFor = defaults.retryFor, timeout = defaults.timeout } = {}) => {
    const deadline = Date.now() + retryFor;
    setKey(request);
    let sent = open ? undefined : await token()();
    let renewed = false;
    for (let tries = 0; ; tries++) {
      if (sent !== undefined) request.headers.set('Authorization', `Bearer ${sent}`);
      const answer = await outcome(request, timeout);
      if (answer instanceof Response) return answer;
      if (answer.status === 401 && sent !== undefined && !renewed) {
        renewed = true;
        const next = await token()(sent);
        if (next !== sent) {
          sent = next;
          continue;
        }
      }
      const wait = waitAfter(answer, tries);
      if (!canRepeat(answer, request) || Date.now() + wait > deadline) throw answer;
      await sleep(wait, request.signal);
    }
  };
};
