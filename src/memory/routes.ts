/** Routes under /memory: push, list, change and remove traces, and list their versions. */
import { z } from 'zod';
import { list } from '../domain/record/bounded-collections.ts';
import { KEYS, PageQuery, readCursor, writeCursor } from '../http/cursors.ts';
import { ifMatch } from '../http/preconditions.ts';
import { reply, route, routes, type Route } from '../http/route.ts';
import { Uid } from '../domain/record/field-shapes.ts';
import { AsOf, UserId } from '../http/shapes.ts';
import type { LedgerPositions } from '../ledger/ledger-position.ts';
import { HistoryEntry, PullQuery, Saved, Trace, TraceIn, TraceUpdates } from './schemas.ts';
import type { MemoryService } from './service.ts';

// oxlint-disable-next-line eslint/max-lines-per-function -- This is a table of routes.
export const memoryRoutes = ({ memory, positions }: { memory: MemoryService; positions: LedgerPositions }): Route[] =>
  routes('memory', [
    route({
      id: 'pushMemory',
      method: 'post',
      path: '/memory/push',
      summary: 'Store traces',
      description:
        'Stores 1 to 1,000 traces and answers them in order. If one cannot be stored, none is. Pushing the same uid again with the same body gives the same answer; with another body the answer is 409. A trace of type agent_plan is a proposal, which the limits and the calendar can refuse.',
      problems: [
        'event_not_found',
        'source_event',
        'uid_taken',
        'illegal_transition',
        'too_many_pending',
        'too_many_occurrences',
      ],
      scopes: ['memory:write'],
      body: z.strictObject({ user_id: UserId, traces: list(TraceIn, 1000).min(1) }),
      response: z.array(Saved),
      status: 201,
      examples: {
        body: {
          traces: [
            {
              uid: 'note-1',
              type: 'observation',
              content: 'The supplier wants the contract signed by Friday.',
              task_id: 'contract',
              tags: ['#supplier'],
            },
          ],
        },
      },
      handler: ({ caller, body }) => memory.push(caller, body.traces),
    }),
    route({
      id: 'pullMemory',
      method: 'get',
      path: '/memory/pull',
      summary: 'List traces',
      description:
        'Lists traces by timestamp, newest first unless order=asc. Both ends of the window are included. Following pages show each trace as it was at the first page, whose seq is in `Almanac-As-Of-Seq`. An `as_of` after the newest entry means the newest entry.',
      problems: ['cursor_gone'],
      scopes: ['memory:read'],
      query: PullQuery,
      response: z.array(Trace),
      list: 'counted',
      examples: { query: { task_id: 'contract', start_time: '2026-11-01', limit: 20 } },
      handler: async ({ caller, query }) => {
        const { cursor, limit: _, ...question } = query;
        const from = await positions.checked(caller.user_id, readCursor(question, cursor, KEYS.time));
        const { items, at, more } = await memory.pull(caller, query, from && { at: from.at, after: from.key });
        const last = items.at(-1);
        return reply(items, {
          next:
            more && last
              ? writeCursor(question, await positions.sealed(caller.user_id, { at, key: [last.timestamp, last.uid] }))
              : null,
          headers: { 'Almanac-As-Of-Seq': String(at) },
          at,
          count: () => memory.count(caller, query, at),
        });
      },
    }),
    route({
      id: 'editMemory',
      method: 'patch',
      path: '/memory/edit',
      summary: 'Change a trace',
      description:
        'Makes a new version of a trace. The record of a transition cannot be changed (409). With If-Match, a change of an older version is 412. With If-Match of its last version, a removed trace is brought back. A proposed plan can be changed by the credential that proposed it or with plan:decide, an approved or executed plan with plan:decide only, and a rejected plan not at all. An approved plan must still fit the calendar and the limits after the change, as for an approval. It must still be possible to execute the plan (422). If a move becomes a cancellation or the reverse, the title and the content are written again.',
      problems: [
        'trace_not_found',
        'event_not_found',
        'source_event',
        'not_yours_to_edit',
        'immutable_trace',
        'illegal_transition',
        'part_of_swap',
        'time_pinned',
        'slot_taken',
        'limit_reached',
        'series_limit',
        'redacted_field',
        'version_mismatch',
        'too_many_occurrences',
      ],
      scopes: ['memory:write', 'memory:read'],
      body: z.strictObject({ user_id: UserId, uid: Uid, updates: TraceUpdates }),
      response: Trace,
      examples: { body: { uid: 'note-1', updates: { content: 'The supplier signed the contract on Thursday.' } } },
      handler: async ({ caller, body, request }) => {
        const doc = await memory.edit(caller, body.uid, body.updates, ifMatch(request));
        return reply(doc, { etag: doc.version });
      },
    }),
    route({
      id: 'removeMemory',
      method: 'delete',
      path: '/memory/remove',
      summary: 'Remove a trace',
      description:
        'Writes a last version “removed”. The history of the trace can still be read. A trace with authored_by or chat_url is removed by who may read them or has set them.',
      problems: [
        'trace_not_found',
        'not_yours_to_edit',
        'redacted_field',
        'immutable_trace',
        'illegal_transition',
        'version_mismatch',
      ],
      scopes: ['memory:write'],
      query: z.strictObject({ user_id: UserId, uid: Uid }),
      response: z.object({ uid: z.string(), removed: z.literal(true), version: z.number().int() }),
      examples: { query: { uid: 'note-2' } },
      handler: ({ caller, query, request }) => memory.remove(caller, query.uid, ifMatch(request)),
    }),
    route({
      id: 'getMemoryHistory',
      method: 'get',
      path: '/memory/history',
      summary: 'List the versions of a trace',
      description:
        'Lists the versions of a trace, newest first, each with the JSON Patch (RFC 6902) from the version before.',
      problems: ['trace_not_found'],
      scopes: ['memory:read'],
      query: z.strictObject({ user_id: UserId, uid: Uid, as_of: AsOf, ...PageQuery }),
      response: z.array(HistoryEntry),
      list: 'counted',
      examples: { query: { uid: 'note-1' } },
      handler: async ({ caller, query }) => {
        const question = { uid: query.uid, as_of: query.as_of };
        const from = readCursor(question, query.cursor, KEYS.version);
        const { items, more, count } = await memory.history(caller, query.uid, {
          as_of: query.as_of,
          below: from?.key[0],
          limit: query.limit,
        });
        const last = items.at(-1);
        return reply(items, {
          etag: items[0]?.version ?? 0,
          next: more && last ? writeCursor(question, { at: 0, key: [last.version] }) : null,
          count,
        });
      },
    }),
  ]);
