/** Maps the TZID names that calendar programs write to IANA names: paths, offsets, Windows names and display names. */
import { isZone } from './time.ts';
import { zoneByDisplay } from './zone-displays.ts';
import { zoneByWindowsName } from './windows-zones.ts';

/** A longer TZID is no name. */
const MAX_NAME = 1_000;

/** A zone, and what had to be assumed about it. */
export type NamedZone = { zone: string; doubt: string | null };

/** Returns a TZID without the quotes, blanks and escapes that files write in one place and not in another. */
export const bareTzid = (tzid: string): string => tzid.replaceAll(/["\\]/g, '').trim();

/**
 * Returns the IANA zone that a TZID names exactly, or null: `Europe/Berlin`, `/mozilla.org/20050126_1/Europe/Berlin`,
 * `W. Europe Standard Time`, `tzone://Microsoft/Utc`.
 */
export const zoneByExactName = (tzid: string): string | null => {
  if (tzid.length > MAX_NAME) return null;
  const name = bareTzid(tzid);
  return name === '' ? null : (zoneByPath(name) ?? zoneByWindowsName(name));
};

/**
 * Returns the IANA zone that a TZID means where it is no exact name, or null: `(UTC+01:00) Amsterdam, Berlin, Bern`, `GMT+0100`,
 * `US-Eastern`, `America/New_York-2`.
 */
export const zoneByMeaning = (tzid: string): NamedZone | null => {
  if (tzid.length > MAX_NAME) return null;
  const name = bareTzid(tzid);
  const alike = zoneByOffset(name) ?? zoneByPath(name.replace('-', '/')) ?? zoneByPath(name.replace(SUFFIX, ''));
  return alike ? { zone: alike, doubt: null } : zoneByDisplay(name, zoneByOffset);
};

/** Returns the IANA zone of a TZID by its exact name, or by its meaning; null where neither is known. */
export const zoneByName = (tzid: string): string | null => zoneByExactName(tzid) ?? zoneByMeaning(tzid)?.zone ?? null;

/** What programs add to a name: a number, another name in brackets, or "-New". */
const SUFFIX = /(?:[-_ ]\d{1,3}|-new| ?\([^()]*\))$/i;

/**
 * Returns an IANA zone that always has the offset in `GMT+0100`, `UTC-5`, `+05.30` or `Z` (positive is east of Greenwich); null
 * where the text is no offset.
 */
export const zoneByOffset = (tzid: string): string | null => {
  if (tzid.length > MAX_NAME) return null;
  const text = tzid.trim();
  if (/^z$/i.test(text)) return 'UTC';
  const [, sign, hours = '', minutes = '00'] = /^(?:GMT|UTC|Z)?\s*([+-])(\d{1,2})[:.]?(\d\d)?$/i.exec(text) ?? [];
  if (sign === undefined) return null;
  const size = Number(hours) * 60 + Number(minutes);
  const hourly = size === 0 ? 'UTC' : `Etc/GMT${sign === '+' ? '-' : '+'}${Number(hours)}`;
  if (minutes === '00') return isZone(hourly) ? hourly : null;
  return FIXED_ZONES[`${sign}${size}`] ?? null;
};

/** Zones without DST whose offset is not a whole hour, by minutes. */
const FIXED_ZONES: Record<string, string> = {
  '+270': 'Asia/Kabul',
  '+330': 'Asia/Kolkata',
  '+345': 'Asia/Kathmandu',
  '+390': 'Asia/Yangon',
  '+525': 'Australia/Eucla',
  '+570': 'Australia/Darwin',
  '-570': 'Pacific/Marquesas',
};

/** No zone has more: America/Argentina/Buenos_Aires. */
const MAX_STEPS = 3;

const zoneByPath = (name: string): string | null => {
  const steps = name.split('/').filter((step) => step !== '');
  for (let from = Math.max(0, steps.length - MAX_STEPS); from < steps.length; from += 1) {
    const zone = steps.slice(from).join('/');
    // The spelling of the zone database replaces that of the file.
    if (isZone(zone)) return new Temporal.ZonedDateTime(0n, zone).timeZoneId;
  }
  return null;
};
