/** Routes under /memport: exports in four modes, their checkpoints, and the import of exported traces. */
import { LINES_TYPE } from '../http/body/body.ts';
import { ZIP_TYPE } from '../http/body/zip.ts';
import { KEYS, readCursor, writeCursor } from '../http/cursors.ts';
import { isKnown } from '../http/preconditions.ts';
import { MIB, reply, route, routes, Stream, type Route } from '../http/route.ts';
import { z } from 'zod';
import type { LedgerPositions } from '../ledger/ledger-position.ts';
import { ImportBody, ImportReport } from './import-schemas.ts';
import type { Import } from './import-traces.ts';
import { UserId } from '../http/shapes.ts';
import { textPage } from '../http/pages/text-pages.ts';
import { LedgerEntry, LedgerQuery } from './ledger-schemas.ts';
import {
  Checkpoint,
  CheckpointsQuery,
  CheckpointTag,
  Export,
  ExportLine,
  ExportQuery,
  MovedCheckpoint,
  NewCheckpoint,
} from './schemas.ts';
import type { MemportService } from './service.ts';

/** The key in a cursor. Each mode has its own form and checks it when it reads it. */
const WalkKey = z.array(z.union([z.string(), z.number()]));

/**
 * The validator is weak, since the same export differs in generated_at. Only the client itself may cache it, and revalidates
 * it.
 */
const validators = (etag: string): Record<string, string> => ({
  ETag: `W/"${etag}"`,
  'Cache-Control': 'private, no-cache',
});

// oxlint-disable-next-line eslint/max-lines-per-function -- This is a table of routes.
export const memportRoutes = ({
  memport,
  imports,
  positions,
}: {
  memport: MemportService;
  imports: Import;
  positions: LedgerPositions;
}): Route[] =>
  routes('memport', [
    route({
      id: 'exportMemory',
      method: 'get',
      path: '/memport/export',
      summary: 'Export memory',
      description:
        'Exports memory in one of four formats. summary has short texts for a prompt; that of a plan begins with its state, so the records of transitions are left out. full has the traces. linked has the traces that match and everything that their links lead to. diff has the changes between two points; applied to the full export of the earlier point, they give that of the later one. With `include`, full and diff contain events and the profile too, which is everything that an agent needs to stay in sync. The results are sorted oldest first, and all pages are for one seq. `Accept: application/x-ndjson` streams all results, one per line, with the seq in `Almanac-As-Of-Seq`. A summary has an ETag and X-Cache.',
      problems: ['checkpoint_not_found', 'tag_taken', 'too_many_checkpoints', 'cursor_gone', 'database_read_only'],
      scopes: ['export:read'],
      query: ExportQuery,
      otherStatuses: [304],
      response: Export,
      presented: true,
      list: {
        uncounted:
          'what an export has follows from its format and its links. GET /memory/pull counts the traces that match.',
      },
      onAccept: { [LINES_TYPE]: ExportLine },
      examples: { query: { export_format: 'summary', task_id: 'contract', max_token_count: 800 } },
      handler: async ({ caller, query, request }) => {
        const positionOf = (question: string) =>
          positions.checked(caller.user_id, readCursor(question, query.cursor, WalkKey));
        if (request.header('accept')?.toLowerCase().includes(LINES_TYPE)) {
          const { at, lines } = await memport.exportLines(caller, query, positionOf);
          return new Stream(LINES_TYPE, lines, { headers: { 'Almanac-As-Of-Seq': String(at) } });
        }
        const answer = await memport.exportPage(caller, query, positionOf, (etag) => isKnown(request, etag));
        if ('unchanged' in answer) return reply(null as never, { status: 304, headers: validators(answer.etag) });
        const { body, next, question, etag, cached } = answer;
        const next_cursor = next && writeCursor(question, await positions.sealed(caller.user_id, next));
        const headers = etag ? { ...validators(etag), 'X-Cache': cached ? 'hit' : 'miss' } : {};
        return reply({ ...body, next_cursor } as z.input<typeof Export>, { next: next_cursor, headers });
      },
    }),
    route({
      id: 'listLedger',
      method: 'get',
      path: '/memport/ledger',
      summary: 'List ledger entries',
      description:
        'Lists the entries of the ledger, newest first, with their documents and hashes, so that a client can verify the chain by itself. The entry before the one of seq 1 has a hash of zeros. Documents of some subjects need a scope, as in GET /user/archive: events and sources calendar:read; the profile, keys and webhooks user:read. A page with a filter can have fewer entries than `limit`, or none, although others follow; go on while there is a Link header.',
      problems: ['cursor_gone'],
      scopes: ['export:read'],
      query: LedgerQuery,
      response: z.array(LedgerEntry),
      list: 'counted',
      presented: true,
      examples: { query: { subject: 'event', limit: 2 } },
      handler: async ({ caller, query }) => {
        const { limit: _, cursor, ...question } = query;
        const from = await positions.checked(caller.user_id, readCursor(question, cursor, KEYS.seq));
        const below = from && { at: from.at, seq: from.key[0] };
        const { items, at, next, count } = await memport.ledgerPage(caller, query, below);
        return reply(items, {
          next:
            next === null ? null : writeCursor(question, await positions.sealed(caller.user_id, { at, key: [next] })),
          count,
        });
      },
    }),
    route({
      id: 'listCheckpoints',
      method: 'get',
      path: '/memport/checkpoints',
      summary: 'List checkpoints',
      description: 'Lists the checkpoints by tag.',
      scopes: ['export:read'],
      query: CheckpointsQuery,
      response: z.array(Checkpoint),
      list: 'counted',
      examples: { query: { limit: 20 } },
      handler: ({ caller: { user_id }, query }) =>
        textPage(query, {
          name: 'checkpoints',
          keyOf: ({ tag }) => tag,
          read: (after, limit) => memport.checkpoints(user_id, after, limit),
          count: () => memport.countCheckpoints(user_id),
        }),
    }),
    route({
      id: 'createCheckpoint',
      method: 'post',
      path: '/memport/checkpoints',
      summary: 'Make a checkpoint of an export',
      description:
        'Stores the parameters and the seq of an export under a tag. GET /memport/export?from_checkpoint=<tag> then answers the same export. An account can have 10,000 checkpoints; one agent key can have a fifth of them, and all agents together three fifths.',
      problems: ['checkpoint_not_found', 'tag_taken', 'too_many_checkpoints'],
      scopes: ['export:read'],
      body: NewCheckpoint,
      response: Checkpoint,
      status: 201,
      examples: { body: { tag: 'before-the-meeting', parameters: { export_format: 'full', task_id: 'contract' } } },
      handler: ({ caller, body }) => memport.keep(caller, body),
    }),
    route({
      id: 'moveCheckpoint',
      method: 'patch',
      path: '/memport/checkpoints',
      summary: 'Move a checkpoint',
      description:
        'Moves a checkpoint to now, or to another seq or time. Its parameters stay, and so does the earlier point of a diff. An agent can move its own checkpoints, a person all of them.',
      problems: ['checkpoint_not_found', 'not_yours_to_edit'],
      scopes: ['export:read', 'memory:write'],
      body: MovedCheckpoint,
      response: Checkpoint,
      examples: { body: { tag: 'before-the-meeting' } },
      handler: ({ caller, body }) => memport.move(caller, body),
    }),
    route({
      id: 'deleteCheckpoint',
      method: 'delete',
      path: '/memport/checkpoints',
      summary: 'Delete a checkpoint',
      description:
        'Deletes a checkpoint, so that its tag can be used again. An agent can delete its own checkpoints, a person all of them. The export can still be made from its seq.',
      problems: ['checkpoint_not_found', 'not_yours_to_edit'],
      scopes: ['export:read', 'memory:write'],
      query: z.strictObject({ user_id: UserId, tag: CheckpointTag }),
      response: z.object({ tag: z.string(), removed: z.literal(true) }),
      examples: { query: { tag: 'before-the-meeting' } },
      handler: ({ caller, query }) => memport.forget(caller, query.tag),
    }),
    route({
      id: 'importMemory',
      method: 'post',
      path: '/memport/import',
      summary: 'Import a full export',
      description:
        'Imports traces of an export. Send `{traces: [...]}` or an unchanged page of an export of the format full or linked, without events and the profile, with at most 16 MiB and 250,000 JSON values. Send the pages of a longer export one after the other, or its NDJSON in parts of whole lines (at most 50,000), in any order; or the archive of GET /user/archive as application/zip, of which the traces are imported (at most 24 MiB; POST /calendar/import imports its calendar.ics, best before). The imported traces have the origin import, and their history starts with the import. A trace that already exists does not change; the answer names it if its content differs. A proposal that waited for a decision (its origin is user or agent, and its time is ahead) waits again. All other plans become records, whatever their status: nobody can decide on them, nothing executes them, and their text cannot change, but feedback, tags and links can. The import of plans and their transitions needs plan:decide.',
      problems: ['other_user', 'user_not_found'],
      scopes: ['memory:write'],
      body: ImportBody,
      accepts: {
        types: ['application/json', LINES_TYPE, ZIP_TYPE],
        limit: 16 * MIB,
        lines: 'traces',
        zipped: { file: 'traces.jsonl', member: 'traces' },
      },
      concurrency_cost: 24,
      response: ImportReport,
      examples: {
        body: {
          traces: [{ uid: 'note-9', type: 'observation', content: 'Signed.', timestamp: '2026-11-20T10:00:00Z' }],
        },
      },
      handler: ({ caller, body }) => imports.importTraces(caller, body.sent),
    }),
  ]);
