/** Schemas of the tempo requests. The schema of the profile is in domain/plan/tempo.ts. */
import { z } from 'zod';
import { dictionary } from '../domain/record/bounded-collections.ts';
import { PageQuery } from '../http/cursors.ts';
import { UserId } from '../http/shapes.ts';

export const TagsQuery = z.strictObject({ user_id: UserId, ...PageQuery });

/** A JSON Merge Patch. Its shape is checked after merging, since a patch of a profile is no profile. */
export const AdjustBody = z.strictObject({
  user_id: UserId,
  preferences: dictionary(z.string().max(255), z.unknown(), 100).describe(
    'A JSON Merge Patch (RFC 7396) on time_ranges, tag_mappings, duration_biases, task_overrides, use_learned and timezone; null restores a default.',
  ),
});
