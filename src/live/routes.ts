/** The routes of realtime over HTTP: long polling, and the answer of GET /ws to a client that does not ask for a WebSocket. */
import { z } from 'zod';
import { Problem } from '../common/problem.ts';
import { route, routes, type Route } from '../http/route.ts';
import type { Poll } from './poll.ts';
import { ChangesPage, ChangesQuery, SocketMessage, Subscribe } from './schemas.ts';

const SOCKET = `A WebSocket (RFC 6455). Send the credential in the Authorization header; a browser sends \`?ticket=\` from POST /user/ws-ticket instead.

The client sends \`{"subscribe": {"after": "41.9f86d081884c"}}\` once. Without \`after\` it follows from now on; with 0 it follows from the beginning. The server sends every change after that position as a CloudEvent, then \`{"type": "synced", "seq": 97, "position": "97.60303ae22b99"}\`, then changes as they happen, in order and without gaps or duplicates. After a reconnect, subscribe with the last \`position\` that you have received. A plain seq is accepted too, but then the server cannot find out that the ledger was restored from a backup. \`{"type": "reset", "reason": "seq_ahead" | "seq_gone" | "restored", "seq": 97, "position": "97.60303ae22b99"}\` means that the ledger cannot be continued from there. Read the current state again, then subscribe after \`position\`. \`{"type": "problem", "problem": {...}}\` says what is wrong with a message of the client.

The server sends changes of traces to credentials with memory:read, and changes of events to those with calendar:read. It pings every 30 seconds. The close codes are 1001 (the instance is stopping), 1008 (too many messages were not valid), 1013 (the client reads too slowly; it may resume) 4401 (the credential is missing, unknown, expired or revoked), 4403 (it lacks plan:read, or pages of this origin may not open a socket) and 4429 (too many sockets). The service refuses a handshake with a problem; a browser, which cannot read that, gets a socket that closes at once with one of these codes and the reason. A user may open 50 sockets on an instance: 10 of them with one agent key, 30 with all agent keys.`;

export const liveRoutes = ({ poll }: { poll: Poll }): Route[] =>
  routes('live', [
    route({
      id: 'listChanges',
      method: 'get',
      path: '/agent/changes',
      summary: 'Follow changes by polling',
      description:
        'Answers the same messages as the socket, oldest first. With `wait` the answer comes when there is a change, or after that time. Send `position` of the answer as `after` of the next request. If the ledger cannot be continued from `after`, the answer is 410 with the `reason`.',
      problems: ['seq_gone'],
      scopes: ['plan:read'],
      query: ChangesQuery,
      response: ChangesPage,
      concurrency_cost: 0,
      // The type of a ledger entry decides its document, so a message is one of the union.
      examples: { query: { after: '0', limit: 4 } },
      handler: async ({ caller, query, request }) => (await poll(caller, query, request.signal)) as ChangesPage,
    }),
    route({
      id: 'openSocket',
      method: 'get',
      path: '/ws',
      summary: 'Follow changes on a socket',
      description: SOCKET,
      problems: ['forbidden_origin', 'too_many_sockets', 'shutting_down'],
      scopes: ['plan:read'],
      query: z.strictObject({
        ticket: z
          .string()
          .max(500)
          .optional()
          .describe(
            'A ticket from POST /user/ws-ticket, in place of the Authorization header. It can be used once, within 30 seconds.',
          ),
      }),
      response: SocketMessage,
      clientMessages: Subscribe,
      status: 101,
      handler: () => {
        throw new Problem(
          'malformed_request',
          'This route needs a WebSocket client. Use GET /agent/changes without one.',
          {
            headers: { Upgrade: 'websocket' },
          },
        );
      },
    }),
  ]);
