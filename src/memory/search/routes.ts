/** The route POST /memory/search. */
import { z } from 'zod';
import { Cursor, readCursor, writeCursor, type Position } from '../../http/cursors.ts';
import { reply, route, routes, type Route } from '../../http/route.ts';
import type { LedgerPositions } from '../../ledger/ledger-position.ts';
import { SearchBody, SearchHit } from '../schemas.ts';
import type { SearchPosition } from './read-question.ts';
import type { Search } from './search.ts';

const Whole = z.number().int().min(0);
/** The cursor: the number of results so far, and the embedder of the first page with the seq up to which it had read. */
const SearchKey = z.union([z.tuple([Whole]), z.tuple([Whole, z.string().max(500), Whole])]);

const positionOf = ({ at, key: [offset, embedder, upto] }: Position<z.infer<typeof SearchKey>>): SearchPosition => ({
  at,
  offset,
  semantic: embedder !== undefined && upto !== undefined ? { embedder, upto } : undefined,
});

export const searchRoutes = ({ search, positions }: { search: Search; positions: LedgerPositions }): Route[] =>
  routes('memory', [
    route({
      id: 'searchMemory',
      method: 'post',
      path: '/memory/search',
      reads: true,
      summary: 'Search traces',
      description:
        'Finds traces, best first. Task, tempo tag, tags, type and times exclude traces; recency and feedback change the score a little. A `"phrase"` counts more in traces that contain it as quoted. A day, month or year in the query raises traces of that time. A match in a trace also raises the traces before and after it in its task, and the whole task; an answer that follows a question is raised more. What somebody says counts more where the query has their name: content begins with `Name: `, or `metadata.speaker` names them. "Yesterday" in a trace is a day in the zone of the user, and a query for that day finds it. Mode `hybrid` also compares the meaning of what words have found with the query, and adds traces by meaning alone only where words find fewer than ten; mode `semantic` compares all traces. Each mode ranks its best 1,000 traces. For the next page, send the same body with `cursor`; all pages are for the seq of the first page. An embedding model reads new traces after they are written. `explain` names the embedder that was used, the reason if it was not the model, and the number of entries that the model has not read.',
      problems: ['cursor_gone', 'semantic_unavailable'],
      scopes: ['memory:read'],
      query: z.strictObject({ cursor: Cursor }),
      body: SearchBody,
      response: z.array(SearchHit),
      list: { uncounted: 'a search ranks the best traces of each mode and does not look for all that match.' },
      examples: { body: { query: 'supplier contract', limit: 5 } },
      handler: async ({ caller, query, body }) => {
        const from = await positions.checked(caller.user_id, readCursor(body, query.cursor, SearchKey));
        const { items, next } = await search.search(caller, body, from && positionOf(from));
        if (!next) return reply(items);
        const { at, offset, semantic } = next;
        const key = semantic ? [offset, semantic.embedder, semantic.upto] : [offset];
        return reply(items, { next: writeCursor(body, await positions.sealed(caller.user_id, { at, key })) });
      },
    }),
  ]);
