/** Tempo: lists the tags, and reads and changes the tempo profile, the part of a person's profile that says when and how long. */
import { sql, type RawBuilder } from 'kysely';
import { countRows } from '../db/count-rows.ts';
import type { Db } from '../db/database.ts';
import type { Caller } from '../domain/access/caller.ts';
import { learn } from '../domain/plan/tempo-learning.ts';
import { BUILT_IN_TAGS, type TempoProfile } from '../domain/plan/tempo.ts';
import { isZone } from '../domain/time/time.ts';
import { zoneFault } from '../domain/time/zone-suggestions.ts';
import { checkSeenVersion, type SeenVersions } from '../common/problem.ts';
import type { Ledger } from '../ledger/ledger.ts';
import type { Authenticate } from '../user/authenticate.ts';
import { changeProfile, loadProfile, type ProfileRow } from '../user/profile.ts';
import { learnedFrom } from './decision-samples.ts';
import { patchedTempo } from './patched-tempo.ts';

export type TempoDeps = {
  db: Db;
  ledger: Ledger;
  authenticate: Authenticate;
};

/**
 * Built-in tags, those that the user maps, and those in use, without duplicates. It reads one entry of the index traces_tempo for
 * each tag, however many traces have it.
 */
const tagsOf = (user_id: string): RawBuilder<unknown> => sql`(
  with recursive used as (
    (select tempo_tag as tag from traces where user_id = ${user_id} and tempo_tag is not null order by tempo_tag limit 1)
    union all
    select (select t.tempo_tag from traces t where t.user_id = ${user_id} and t.tempo_tag > used.tag order by t.tempo_tag limit 1)
    from used where used.tag is not null
  )
  select distinct tag collate "C" as tag from (
    select unnest(${[...BUILT_IN_TAGS]}::text[]) as tag
    union select jsonb_object_keys(l.payload->'tempo'->'tag_mappings')
          from users u join ledger l on l.user_id = u.user_id and l.seq = u.profile_seq where u.user_id = ${user_id}
    union select tag from used
    union select tempo_tag from events where user_id = ${user_id}
  ) every_tag
  where tag is not null) tags`;

export const createTempoService = ({ db, ledger, authenticate }: TempoDeps) => {
  const tempoOf = async (user_id: string, { profile }: ProfileRow): Promise<TempoProfile> => ({
    user_id,
    timezone: profile.timezone,
    ...profile.tempo,
    learned: await learnedFrom(db, user_id, profile.timezone),
  });

  return {
    /** The tempo profile of a person whose profile is loaded, with what was learned. */
    tempoOf,

    /**
     * The profile for planning. It includes what was learned only where the user enabled it, since that reads every decision.
     * Callers in a transaction pass it.
     * @throws 404 user_not_found
     */
    profileOf: async (user_id: string, tx: Db = db): Promise<TempoProfile> => {
      const { profile } = await loadProfile(tx, user_id);
      const learned = profile.tempo.use_learned
        ? await learnedFrom(tx, user_id, profile.timezone)
        : learn([], profile.timezone);
      return { user_id, timezone: profile.timezone, ...profile.tempo, learned };
    },

    /** The profile and its version. */
    profile: async (user_id: string): Promise<{ profile: TempoProfile; version: number }> => {
      const row = await loadProfile(db, user_id);
      return { profile: await tempoOf(user_id, row), version: row.version };
    },

    /**
     * Applies a merge patch. `timezone` changes the person's own.
     * @param expected the version that the caller has read (If-Match)
     * @throws 412, 422
     */
    adjust: async (
      caller: Caller,
      preferences: Record<string, unknown>,
      expected?: SeenVersions,
    ): Promise<{ profile: TempoProfile; version: number }> => {
      const { timezone, ...patch } = preferences;
      const zone = typeof timezone === 'string' && isZone(timezone) ? timezone : undefined;
      const message = typeof timezone === 'string' ? zoneFault(timezone.slice(0, 64)) : 'must be a string';
      const faults =
        timezone === undefined || zone ? [] : [{ path: '/preferences/timezone', code: 'invalid_zone', message }];
      const row = await changeProfile(ledger, caller, (current, version) => {
        checkSeenVersion('profile', caller.user_id, expected, version);
        return {
          ...current,
          timezone: zone ?? current.timezone,
          tempo: patchedTempo(current.tempo, patch, { at: ['preferences'], others: faults }),
        };
      });
      authenticate.forget(caller.user_id); // Their zone may have changed.
      return { profile: await tempoOf(caller.user_id, row), version: row.version };
    },

    /** Tags after `after`, sorted by code point. */
    tags: async (user_id: string, after: string | undefined, limit: number): Promise<string[]> => {
      const { rows } = await sql<{ tag: string }>`
        select tag from ${tagsOf(user_id)} where tag > ${after ?? ''} order by tag limit ${limit}`.execute(db);
      return rows.map((row) => row.tag);
    },

    countTags: (user_id: string) => countRows(db, tagsOf(user_id)),
  };
};

export type TempoService = ReturnType<typeof createTempoService>;
