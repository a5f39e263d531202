/**
 * Stores the zone offsets of each release of the time zone data, so that the wall time of an older instant is known after rules
 * change.
 */
import { setImmediate } from 'node:timers/promises';
import { sql } from 'kysely';
import type { Db } from '../db/database.ts';
import { millis, type Instant } from '../domain/time/time.ts';
import { offsetPeriodsOf, type OffsetPeriod } from '../domain/time/wall-time.ts';

/** Events are planned in these years. Later instants have the last offset. */
const FROM = Date.UTC(2000, 0, 1);
const TO = Date.UTC(2060, 0, 1);

/** The release of the time zone data in this process, such as `2026c`. */
export const zoneRelease = (): string => process.versions['tz'] ?? 'unknown';

/** A zone's offsets in another release; null where that release did not have the zone. */
export type RulesOf = (zone: string) => OffsetPeriod[] | null;
type ReleaseRules = { release: string; since: Instant; rules: RulesOf };

/** Stores the rules of the current release, once per database. About 400 zones take half a second, so it yields after each. */
export const rememberZones = async (db: Db): Promise<void> => {
  const release = zoneRelease();
  const known = await db.selectFrom('zone_rules').select('release').where('release', '=', release).executeTakeFirst();
  if (known) return;
  const offsets: Record<string, [number | null, number][]> = {};
  for (const zone of Intl.supportedValuesOf('timeZone')) {
    offsets[zone] = offsetPeriodsOf(zone, FROM, TO).map(({ until, offset }) => [
      until === Infinity ? null : until,
      offset,
    ]);
    await setImmediate();
  }
  await sql`insert into zone_rules (release, offsets) values (${release}, ${JSON.stringify(offsets)}::jsonb)
    on conflict do nothing`.execute(db);
};

/**
 * Returns a function from the time a document was written to the rules in use then; null where they are unknown. A zone is also
 * found by its alias (`Asia/Calcutta`).
 */
export const storedRules = async (db: Db): Promise<(at: Instant) => Omit<ReleaseRules, 'since'> | null> => {
  const rows = await db.selectFrom('zone_rules').selectAll().orderBy('since', 'desc').execute();
  const releases = rows.map(({ release, since, offsets }): ReleaseRules => {
    const rules: RulesOf = (zone) => {
      const name = offsets[zone] ? zone : new Intl.DateTimeFormat('en', { timeZone: zone }).resolvedOptions().timeZone;
      return offsets[name]?.map(([until, offset]) => ({ until: until ?? Infinity, offset })) ?? null;
    };
    return { release, since, rules };
  });
  return (at) => releases.find(({ since }) => millis(since) <= millis(at)) ?? releases.at(-1) ?? null;
};
