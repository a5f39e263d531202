/** Routes under /tempo: tags for scheduling, and the profile of timing preferences. */
import { z } from 'zod';
import { TempoProfile } from '../domain/plan/tempo.ts';
import { ifMatch } from '../http/preconditions.ts';
import { reply, route, routes, type Route } from '../http/route.ts';
import { UserId } from '../http/shapes.ts';
import { textPage } from '../http/pages/text-pages.ts';
import { AdjustBody, TagsQuery } from './schemas.ts';
import type { TempoService } from './service.ts';

export const tempoRoutes = ({ tempo }: { tempo: TempoService }): Route[] =>
  routes('tempo', [
    route({
      id: 'listTempoTags',
      method: 'get',
      path: '/tempo/tags',
      summary: 'List tempo tags',
      description:
        'Lists the built-in tags, those of the tempo profile, and every tempo_tag of traces and events. They are sorted, and each occurs once.',
      scopes: ['tempo:read'],
      query: TagsQuery,
      response: z.array(z.string()),
      list: 'counted',
      examples: { query: { limit: 5 } },
      handler: ({ caller: { user_id }, query }) =>
        textPage(query, {
          name: 'tags',
          keyOf: (tag) => tag,
          read: (after, limit) => tempo.tags(user_id, after, limit),
          count: () => tempo.countTags(user_id),
        }),
    }),
    route({
      id: 'adjustTempo',
      method: 'post',
      path: '/tempo/adjust',
      summary: 'Change timing preferences',
      description:
        'Applies a JSON Merge Patch (RFC 7396) to the tempo profile of the user, or to the task_overrides of one task, and answers the whole profile. `timezone` is also that of the user’s profile; `learned` is read-only. With If-Match, a change of an older version is 412.',
      problems: ['version_mismatch'],
      scopes: ['tempo:write', 'tempo:read'],
      body: AdjustBody,
      response: TempoProfile,
      examples: {
        body: {
          preferences: {
            time_ranges: [{ name: 'early', days: ['MO', 'TU', 'WE', 'TH', 'FR'], start: '06:30', end: '11:30' }],
            tag_mappings: { '@deep_work': { ranges: ['early'], duration_minutes: 90 } },
            task_overrides: { thesis: { duration_minutes: 120 } },
          },
        },
      },
      handler: async ({ caller, body, request }) => {
        const { profile, version } = await tempo.adjust(caller, body.preferences, ifMatch(request));
        return reply(profile, { etag: version });
      },
    }),
    route({
      id: 'getTempoProfile',
      method: 'get',
      path: '/tempo/profile',
      summary: 'Read the tempo profile',
      description:
        'Answers time ranges, tag mappings, duration biases, task overrides, and what was learned, with the counts that support it.',
      scopes: ['tempo:read'],
      query: z.strictObject({ user_id: UserId }),
      response: TempoProfile,
      handler: async ({ caller }) => {
        const { profile, version } = await tempo.profile(caller.user_id);
        return reply(profile, { etag: version });
      },
    }),
  ]);
