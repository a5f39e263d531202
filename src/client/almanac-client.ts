/** The TypeScript client of Almanac: `createClient` gives every operation of the API as a typed function. */
import createFetchClient, { type Client as FetchClient } from 'openapi-fetch';
import { addressFault } from './almanac-problem.ts';
import { chatStream } from './chat-stream.ts';
import { followChanges, type ChangesOptions, type SocketClass } from './follow-changes.ts';
import type { Change, ChangesPage, paths, Reset, Session } from './openapi-types.ts';
import { DELETES_WITH_BODY, OPERATIONS, PUBLIC, type CallOptions, type Groups } from './operations.ts';
import { pageWalk } from './page-walk.ts';
import { createSend, newKey, type SendOptions } from './retries.ts';
import { tokenSource, type Credential } from './sign-in.ts';

export type * from './openapi-types.ts';
export type { CallOptions, ChangesOptions, Credential };
export type { ChatStream } from './chat-stream.ts';
export type { Page, PageWalk } from './page-walk.ts';
export type { Login, TokenSource } from './sign-in.ts';
export { AlmanacProblem } from './almanac-problem.ts';

export type ClientOptions = {
  /** The address of the service, such as `http://127.0.0.1:8080`. Another one than http or https throws an AlmanacProblem. */
  url: string;
  credential: Credential;
  /** For how many milliseconds a request that fails for a passing reason is repeated; 60,000 unless set. */
  retryFor?: number;
  /** After how many milliseconds without an answer one try is given up; 40,000 unless set. */
  timeout?: number;
  /** Sends the requests in place of the global fetch. */
  fetch?: typeof globalThis.fetch;
  /** The class of sockets in place of the global WebSocket, which Node 20 does not have. Null means long polling only. */
  WebSocket?: SocketClass | null;
};

export type Client = Groups & {
  /** Every change after a position, in order, each once. After a `reset`, read the current state again and go on iterating. */
  changes: (options?: ChangesOptions) => AsyncGenerator<Change | Reset, void, undefined>;
  /** The client of openapi-fetch underneath, for requests as openapi.yaml has them, with the same credential and retries. */
  http: FetchClient<paths>;
};

type Given = Record<string, unknown>;
/** openapi-fetch checks literal paths; here they come from the table. */
type AnyRequest = (method: string, path: string, init: object) => Promise<{ response: Response }>;

const valueOf = async (response: Response): Promise<unknown> => {
  const type = response.headers.get('Content-Type') ?? '';
  if (type.includes('json')) return response.json();
  return type.startsWith('text/') ? response.text() : response;
};

const headersOf = (
  type: string | undefined,
  { count, ifMatch, idempotencyKey, readAs, headers }: CallOptions,
): Record<string, string> => ({
  ...(type ? { 'Content-Type': type } : {}),
  ...(idempotencyKey === undefined ? {} : { 'Idempotency-Key': idempotencyKey }),
  ...(ifMatch === undefined ? {} : { 'If-Match': typeof ifMatch === 'number' ? `"${ifMatch}"` : ifMatch }),
  ...(readAs === undefined ? {} : { 'Read-As': readAs }),
  ...(count ? { Prefer: 'count=exact' } : {}),
  ...headers,
});

export const createClient = ({
  url,
  credential,
  retryFor = 60_000,
  timeout = 40_000,
  fetch = (request, init) => globalThis.fetch(request, init),
  WebSocket = (globalThis as { WebSocket?: SocketClass }).WebSocket ?? null,
}: ClientOptions): Client => {
  const wrong = addressFault(url);
  if (wrong) throw wrong;
  const source = tokenSource(
    credential,
    async (path, body) => (await valueOf(await request(`post ${path}`, { ...body }))) as Session,
  );
  const send = createSend(fetch, () => source, { retryFor, timeout });
  const http = createFetchClient<paths>({ baseUrl: url, fetch: (sent) => send(sent) });

  const request = async (
    entry: string,
    given: Given = {},
    options: CallOptions = {},
    cursor?: string,
  ): Promise<Response> => {
    const [method = '', path = '', type] = entry.split(' ');
    const { body: text, ...others } = given;
    const inQuery = type || method === 'get' || (method === 'delete' && !DELETES_WITH_BODY.has(path));
    const { signal, retryFor, timeout } = options;
    const sending: SendOptions = { retryFor, timeout, open: PUBLIC.has(path) };
    const { response } = await (http.request as unknown as AnyRequest)(method, path, {
      params: { query: { ...(inQuery ? others : {}), ...(cursor === undefined ? {} : { cursor }) } },
      ...(type ? { body: text, bodySerializer: String } : inQuery ? {} : { body: given }),
      headers: headersOf(type, options),
      ...(signal ? { signal } : {}),
      parseAs: 'stream',
      fetch: (sent: Request) => send(sent, sending),
    });
    return response;
  };

  const call = (entry: string) => (given?: Given, options?: CallOptions) => {
    if (entry.includes('*'))
      return pageWalk(async (cursor) => {
        const response = await request(entry.replace('*', ''), given, options, cursor);
        return { body: await valueOf(response), headers: response.headers };
      });
    if (given?.['stream'] !== true) return request(entry, given, options).then(valueOf);
    const once = { ...options, idempotencyKey: options?.idempotencyKey ?? newKey() };
    return chatStream(() => request(entry, given, once), options?.signal);
  };

  const groups = Object.fromEntries(
    Object.entries(OPERATIONS).map(([group, entries]) => [
      group,
      Object.fromEntries(Object.entries(entries).map(([name, entry]) => [name, call(entry)])),
    ]),
  ) as unknown as Groups;

  const changes: Client['changes'] = (options) =>
    followChanges(
      {
        // The iterator has retries of its own, which never end.
        ticket: async (signal) => (await groups.user.socketTicket({}, { signal, retryFor: 0 })).ticket,
        poll: (query, signal): Promise<ChangesPage> => groups.agent.changes(query, { signal, retryFor: 0 }),
        socketUrl: `${url.replace(/^http/, 'ws').replace(/\/$/, '')}/ws`,
        Socket: WebSocket ?? undefined,
      },
      options,
    );

  return { ...groups, changes, http };
};
