/** The routes of realtime over HTTP: long polling, and the answer of GET /ws to a client that does not ask for a WebSocket. */
import { z } from 'zod';
import { Problem } from '../common/problem.ts';
import { route, routes, type Route } from '../http/route.ts';
import type { Poll } from './poll.ts';
import { ChangesPage, ChangesQuery, SocketMessage } from './schemas.ts';

const SOCKET = `A WebSocket (RFC 6455). The credential stands in the Authorization header, or \`?ticket=\` from POST /user/ws-ticket for browsers.

The client says \`{"subscribe": {"after": "41.9f86d081884c"}}\` once; without \`after\` it follows from now on, with 0 from the beginning. The server sends every change after that place as a CloudEvent, then \`{"type": "synced", "seq": 97, "position": "97.60303ae22b99"}\`, then changes as they happen: no gap, no duplicate, in order. After a reconnect, subscribe with the last \`position\` seen; a seq alone is good too, but does not show that the ledger was restored from a backup. \`{"type": "reset", "reason": "seq_ahead" | "seq_gone" | "restored", "seq": 97, "position": "97.60303ae22b99"}\` means that the ledger can’t be continued from there: read anew and subscribe after \`position\`. \`{"type": "problem", "problem": {...}}\` says what was wrong with a message.

Traces are shown to credentials with memory:read, events to those with calendar:read. The server pings every 30 seconds. Close codes: 1001 the instance is stopping, 1008 too many messages not understood, 1013 not reading fast enough (resume), 4401 the credential has expired or was revoked. At most 50 sockets per user and instance: 10 with one agent’s key, and 30 before agents open no more.`;

export const liveRoutes = ({ poll }: { poll: Poll }): Route[] =>
  routes('live', [
    route({
      method: 'get',
      path: '/agent/changes',
      summary: 'Follow changes by polling',
      description:
        'The same messages as on the socket, oldest first. With `wait` the answer is held until there is something to tell. Give `position` of the answer as `after` the next time. Beyond the ledger, older than what is kept, or from before it was restored from a backup, is 410 with its `reason`.',
      scopes: ['plan:read'],
      query: ChangesQuery,
      response: ChangesPage,
      concurrency_cost: 0,
      handler: ({ caller, query, request }) => poll(caller, query, request.signal),
    }),
    route({
      method: 'get',
      path: '/ws',
      summary: 'Follow changes on a socket',
      description: SOCKET,
      scopes: ['plan:read'],
      query: z.strictObject({
        ticket: z.string().max(500).optional().describe('Instead of the Authorization header; single use, 30 seconds.'),
      }),
      response: SocketMessage,
      status: 101,
      handler: () => {
        throw new Problem('malformed_request', 'Connect with a WebSocket client, or use GET /agent/changes.', {
          headers: { Upgrade: 'websocket' },
        });
      },
    }),
  ]);
