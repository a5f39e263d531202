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

export const memoryRoutes = ({ memory, positions }: { memory: MemoryService; positions: LedgerPositions }): Route[] =>
  routes('memory', [
    route({
      method: 'post',
      path: '/memory/push',
      summary: 'Store traces',
      description:
        '1 to 1,000 traces, all or nothing, answered in order. Pushing a uid again with the same body is the same answer; with another body 409. A trace of type agent_plan is a proposal and goes through the planner queue’s checks.',
      scopes: ['memory:write'],
      body: z.strictObject({ user_id: UserId, traces: list(TraceIn, 1000).min(1) }),
      response: z.array(Saved),
      status: 201,
      examples: {
        body: {
          traces: [
            {
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
      method: 'get',
      path: '/memory/pull',
      summary: 'List traces',
      description:
        'By timestamp, newest first unless order=asc. Both ends of the window are included. A walk with the cursor shows each trace as it was at the first page, whose seq is told in `Almanac-As-Of-Seq`; `as_of` beyond the newest entry, or a time that has not come, means the newest.',
      scopes: ['memory:read'],
      query: PullQuery,
      response: z.array(Trace),
      pages: true,
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
        });
      },
    }),
    route({
      method: 'patch',
      path: '/memory/edit',
      summary: 'Change a trace',
      description:
        'Makes a new version. Records of transitions can’t be changed (409). If-Match guards against a stale write (412). Plans: proposed ones by the credential that proposed them or plan:decide, approved and executed ones by plan:decide only, rejected ones by nobody. What an approved plan becomes must have room in the calendar and in the limits, as for an approval. A plan must stay one that can be carried out (422). Where a move becomes a cancellation, or the other way round, title and content are made anew.',
      scopes: ['memory:write'],
      body: z.strictObject({ user_id: UserId, uid: Uid, updates: TraceUpdates }),
      response: Trace,
      examples: { body: { uid: '0199f0f0-0000-7000-8000-000000000000', updates: { content: 'Signed on Thursday.' } } },
      handler: async ({ caller, body, request }) => {
        const doc = await memory.edit(caller, body.uid, body.updates, ifMatch(request));
        return reply(doc, { etag: doc.version });
      },
    }),
    route({
      method: 'delete',
      path: '/memory/remove',
      summary: 'Remove a trace',
      description: 'Ends it with a last version “removed”; its history stays readable.',
      scopes: ['memory:write'],
      query: z.strictObject({ user_id: UserId, uid: Uid }),
      response: z.object({ uid: z.string(), removed: z.literal(true), version: z.number().int() }),
      handler: ({ caller, query, request }) => memory.remove(caller, query.uid, ifMatch(request)),
    }),
    route({
      method: 'get',
      path: '/memory/history',
      summary: 'List the versions of a trace',
      description: 'Newest first, each with the RFC 6902 patch from the version before.',
      scopes: ['memory:read'],
      query: z.strictObject({ user_id: UserId, uid: Uid, as_of: AsOf, ...PageQuery }),
      response: z.array(HistoryEntry),
      pages: true,
      handler: async ({ caller, query }) => {
        const question = { uid: query.uid, as_of: query.as_of };
        const from = readCursor(question, query.cursor, KEYS.version);
        const { items, more } = await memory.history(caller, query.uid, {
          as_of: query.as_of,
          below: from?.key[0],
          limit: query.limit,
        });
        const last = items.at(-1);
        return reply(items, {
          etag: items[0]?.version ?? 0,
          next: more && last ? writeCursor(question, { at: 0, key: [last.version] }) : null,
        });
      },
    }),
  ]);
