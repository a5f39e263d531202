/** What releases of the time zone data said: kept, so that the wall time an instant meant is known after the rules have changed. */
import { setImmediate } from 'node:timers/promises';
import { sql } from 'kysely';
import type { Db } from '../db/database.ts';
import { millis, type Instant } from '../domain/time/time.ts';
import { offsetPeriodsOf, type OffsetPeriod } from '../domain/time/wall-time.ts';

/** Years in which events are planned; what lies beyond keeps the last offset. */
const FROM = Date.UTC(2000, 0, 1);
const TO = Date.UTC(2060, 0, 1);

/** The release this process reads zones by, `2026c`. */
export const zoneRelease = (): string => process.versions['tz'] ?? 'unknown';

/** What a zone's offsets were by another release; null where it did not know the zone. */
export type RulesOf = (zone: string) => OffsetPeriod[] | null;
type Kept = { release: string; since: Instant; rules: RulesOf };

/** Keeps what the release in use says, once per database; some 400 zones take half a second, in slices. */
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
 * By which rules a document was written, from when it was; null where that is not known. A zone by another name (`Asia/Calcutta`)
 * is the zone it stands for.
 */
export const rulesKept = async (db: Db): Promise<(at: Instant) => Omit<Kept, 'since'> | null> => {
  const rows = await db.selectFrom('zone_rules').selectAll().orderBy('since', 'desc').execute();
  const releases = rows.map(({ release, since, offsets }): Kept => {
    const rules: RulesOf = (zone) => {
      const name = offsets[zone] ? zone : new Intl.DateTimeFormat('en', { timeZone: zone }).resolvedOptions().timeZone;
      return offsets[name]?.map(([until, offset]) => ({ until: until ?? Infinity, offset })) ?? null;
    };
    return { release, since, rules };
  });
  return (at) => releases.find(({ since }) => millis(since) <= millis(at)) ?? releases.at(-1) ?? null;
};
