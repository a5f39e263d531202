/** The route GET /user/archive, which downloads everything of an account as a zip. */
import { z } from 'zod';
import { route, routes, Stream, type Route } from '../../http/route.ts';
import { UserId } from '../../http/shapes.ts';
import type { Archive } from './archive.ts';

const TYPE = 'application/zip';

const DESCRIPTION = `Streams a zip file with the whole account at one seq, which is in \`Almanac-As-Of-Seq\` and in manifest.json:

- \`traces.jsonl\` has one trace per line. POST /memport/import imports them again; it takes the whole zip (\`Content-Type: application/zip\`).
- \`calendar.ics\` is the answer of GET /calendar/export.ics. POST /calendar/import imports it again. It needs calendar:read.
- \`profile.json\` has the e-mail address, name, time zone, settings and timing preferences. It needs user:read.
- \`history.jsonl\` has every entry of the ledger, including what was removed, with everything that its hash is made from: it is the SHA-256 of the previous hash (32 bytes, zeros before the first entry) and the RFC 8785 text of the line without hash, subject_uid and payload.
- \`manifest.json\` has the lines, bytes and SHA-256 of each file, the head of the ledger, versions, and the files that are missing because the credential lacks a scope.

Without export:sensitive, authored_by and chat_url are missing and their values are blanked, as in exports. Those documents then differ from the ones that were hashed.`;

export const archiveRoutes = ({ archive }: Archive): Route[] =>
  routes('user', [
    route({
      id: 'downloadArchive',
      method: 'get',
      path: '/user/archive',
      summary: 'Download the whole account',
      description: DESCRIPTION,
      scopes: ['export:read'],
      query: z.strictObject({ user_id: UserId }),
      response: z.string(),
      produces: TYPE,
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
