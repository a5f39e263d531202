/** Routes under /memport: exports in four modes, their checkpoints, and the import of exported traces. */
import { LINES_TYPE } from '../http/body.ts';
import { KEYS, readCursor, writeCursor } from '../http/cursors.ts';
import { isKnown } from '../http/preconditions.ts';
import { reply, route, routes, Stream, type Route } from '../http/route.ts';
import { z } from 'zod';
import type { LedgerPositions } from '../ledger/ledger-position.ts';
import { ImportBody, ImportReport } from './import-schemas.ts';
import type { Import } from './import-traces.ts';
import { UserId } from '../http/shapes.ts';
import { Checkpoint, CheckpointsQuery, CheckpointTag, Export, ExportQuery, NewCheckpoint } from './schemas.ts';
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
      method: 'get',
      path: '/memport/export',
      summary: 'Export memory context',
      description:
        'summary: token-optimised for prompts. full: the traces. linked: the traces that match and everything reachable through their links. diff: what changed between two points; applied to the full export of the earlier it gives that of the later. With `include` full and diff are of events and the profile too: all an agent runtime needs to keep in step. Oldest first, true for one seq over all pages. `Accept: application/x-ndjson` streams all results, one per line, with the seq in `Almanac-As-Of-Seq`. Summaries carry an ETag and X-Cache.',
      scopes: ['export:read'],
      query: ExportQuery,
      response: Export,
      presented: true,
      pages: true,
      produces: [LINES_TYPE],
      examples: { query: { user_id: 'me', export_format: 'summary', task_id: 'contract', max_token_count: 800 } },
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
        return reply({ ...body, next_cursor }, { next: next_cursor, headers });
      },
    }),
    route({
      method: 'get',
      path: '/memport/checkpoints',
      summary: 'List checkpoints',
      description: 'Exports that were kept, by tag.',
      scopes: ['export:read'],
      query: CheckpointsQuery,
      response: z.array(Checkpoint),
      pages: true,
      handler: async ({ caller, query }) => {
        const from = readCursor('checkpoints', query.cursor, KEYS.text);
        const found = await memport.checkpoints(caller.user_id, from?.key[0], query.limit + 1);
        const items = found.slice(0, query.limit);
        const last = items.at(-1);
        return reply(items, {
          next: found.length > items.length && last ? writeCursor('checkpoints', { at: 0, key: [last.tag] }) : null,
        });
      },
    }),
    route({
      method: 'post',
      path: '/memport/checkpoints',
      summary: 'Keep an export under a tag',
      description:
        'Keeps the parameters and the seq they stand for; GET /memport/export?from_checkpoint=<tag> then answers that export. An account holds 10,000; one agent’s key a fifth of them, all agents together three fifths.',
      scopes: ['export:read'],
      body: NewCheckpoint,
      response: Checkpoint,
      status: 201,
      examples: { body: { tag: 'before-the-meeting', parameters: { export_format: 'full', task_id: 'contract' } } },
      handler: ({ caller, body }) => memport.keep(caller, body),
    }),
    route({
      method: 'delete',
      path: '/memport/checkpoints',
      summary: 'Delete a checkpoint',
      description:
        'Agents delete their own, persons all. The tag is free again; what it stood for is still reached by its seq.',
      scopes: ['export:read', 'memory:write'],
      query: z.strictObject({ user_id: UserId, tag: CheckpointTag }),
      response: z.object({ tag: z.string(), removed: z.literal(true) }),
      handler: ({ caller, query }) => memport.forget(caller, query.tag),
    }),
    route({
      method: 'post',
      path: '/memport/import',
      summary: 'Take a full export back',
      description:
        'Send `{traces: [...]}` or a page of a full export as it came, up to 16 MiB and 250,000 JSON values; of a longer export one page after the other, or its NDJSON as it came, in parts of whole lines (50,000 at most), in any order. The same traces, their history starting anew, origin import. What is there with the same content stays, what is there with other content is reported and stays. Plans come as records, whatever their status: nobody decides on them, nothing carries them out, and what they say can’t be changed; feedback, tags and links can be added. Plans and their transitions need plan:decide.',
      scopes: ['memory:write'],
      body: ImportBody,
      accepts: { types: ['application/json', LINES_TYPE], limit: '16mb', lines: 'traces' },
      concurrency_cost: 24,
      response: ImportReport,
      examples: {
        body: {
          traces: [{ uid: 'note-1', type: 'observation', content: 'Signed.', timestamp: '2026-11-20T10:00:00Z' }],
        },
      },
      handler: ({ caller, body }) => imports.importTraces(caller, body.sent),
    }),
  ]);
