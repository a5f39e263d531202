/** The route GET /user/archive, which downloads everything of an account as a zip. */
import { z } from 'zod';
import { route, routes, Stream, type Route } from '../http/route.ts';
import { UserId } from '../http/shapes.ts';
import type { Archive } from './archive.ts';

const TYPE = 'application/zip';

const DESCRIPTION = `A zip, streamed, true for the one seq in \`Almanac-As-Of-Seq\` and manifest.json:

- \`traces.jsonl\`: the traces, one a line, as POST /memport/import takes them back (\`{"traces": [...]}\`).
- \`calendar.ics\`: as GET /calendar/export.ics, for POST /calendar/import. Needs calendar:read.
- \`profile.json\`: e-mail address, name, time zone, settings and timing preferences. Needs user:read.
- \`history.jsonl\`: every entry of the ledger, what was removed too, with what its hash is made of: sha256 of the hash before (32 bytes; zeros before the first) and the RFC 8785 text of the line without hash, subject_uid and payload.
- \`manifest.json\`: lines, bytes and SHA-256 of each file, the head of the ledger, versions, and what was left out for want of a scope.

Without export:sensitive, authored_by and chat_url are left out and their values blanked, as in exports: those documents are then not the ones that were hashed.`;

export const archiveRoutes = ({ archive }: Archive): Route[] =>
  routes('user', [
    route({
      method: 'get',
      path: '/user/archive',
      summary: 'Download the whole account',
      description: DESCRIPTION,
      scopes: ['export:read'],
      query: z.strictObject({ user_id: UserId }),
      response: z.string(),
      produces: [TYPE],
      handler: async ({ caller }) => {
        const { at, bytes } = await archive(caller);
        return new Stream(TYPE, bytes, {
          headers: {
            'Content-Disposition': `attachment; filename="almanac-${at}.zip"`,
            'Almanac-As-Of-Seq': String(at),
          },
        });
      },
    }),
  ]);
