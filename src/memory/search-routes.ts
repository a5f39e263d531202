/** The route POST /memory/search. */
import { z } from 'zod';
import { Cursor, readCursor, writeCursor, type Position } from '../http/cursors.ts';
import { reply, route, routes, type Route } from '../http/route.ts';
import type { LedgerPositions } from '../ledger/ledger-position.ts';
import { SearchBody, SearchHit } from './schemas.ts';
import type { Search, SearchPosition } from './search.ts';

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
      method: 'post',
      path: '/memory/search',
      summary: 'Search traces',
      description:
        'Best first. Task, tempo tag, tags, type and times are hard filters; recency and feedback only nudge. `"phrases"` count more where they stand as quoted; days, months and years named in the query favour what is of that time. What was found in a trace counts for those beside it in its task too, and for the task. Each way of searching ranks its best 1,000; the next page is this address with `cursor` and the same body, true for the seq of the first page. Where a model embeds, it does so behind the writes; `explain` tells which embedder took part, why it was not the model, and how much that has not read.',
      scopes: ['memory:read'],
      query: z.strictObject({ cursor: Cursor }),
      body: SearchBody,
      response: z.array(SearchHit),
      pages: true,
      examples: { body: { query: 'supplier contract #legal', limit: 5, explain: true } },
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
