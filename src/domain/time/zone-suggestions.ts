/** Suggests the nearest IANA names for a text that is not a time zone. */
import { editDistance } from '../text/edit-distance.ts';
import { zoneByName } from './tzid-names.ts';

/**
 * Zones by the abbreviation of their clocks. Most abbreviations stand for several zones, because people of different countries
 * use the same letters.
 */
const ABBREVIATIONS: Record<string, string> = {
  ACDT: 'Australia/Adelaide',
  ACST: 'Australia/Adelaide Australia/Darwin',
  ADT: 'America/Halifax',
  AEDT: 'Australia/Sydney Australia/Melbourne',
  AEST: 'Australia/Sydney Australia/Brisbane',
  AET: 'Australia/Sydney Australia/Brisbane',
  AKDT: 'America/Anchorage',
  AKST: 'America/Anchorage',
  ART: 'America/Argentina/Buenos_Aires',
  AST: 'America/Halifax America/Puerto_Rico Asia/Riyadh',
  AWST: 'Australia/Perth',
  BRT: 'America/Sao_Paulo',
  BST: 'Europe/London Asia/Dhaka',
  CAT: 'Africa/Maputo',
  CDT: 'America/Chicago America/Havana',
  CEST: 'Europe/Berlin Europe/Paris Europe/Madrid',
  CST: 'America/Chicago Asia/Shanghai America/Havana',
  CT: 'America/Chicago',
  EAT: 'Africa/Nairobi',
  EDT: 'America/New_York',
  EEST: 'Europe/Helsinki Europe/Athens Europe/Kyiv',
  ET: 'America/New_York',
  GST: 'Asia/Dubai',
  HKT: 'Asia/Hong_Kong',
  ICT: 'Asia/Bangkok',
  IDT: 'Asia/Jerusalem',
  IST: 'Asia/Kolkata Europe/Dublin Asia/Jerusalem',
  JST: 'Asia/Tokyo',
  KST: 'Asia/Seoul',
  MDT: 'America/Denver',
  MSK: 'Europe/Moscow',
  MT: 'America/Denver',
  NDT: 'America/St_Johns',
  NST: 'America/St_Johns',
  NZDT: 'Pacific/Auckland',
  NZST: 'Pacific/Auckland',
  PDT: 'America/Los_Angeles',
  PHT: 'Asia/Manila',
  PKT: 'Asia/Karachi',
  PST: 'America/Los_Angeles Asia/Manila',
  PT: 'America/Los_Angeles',
  SAST: 'Africa/Johannesburg',
  SGT: 'Asia/Singapore',
  SST: 'Pacific/Pago_Pago',
  WAT: 'Africa/Lagos',
  WEST: 'Europe/Lisbon',
  WIB: 'Asia/Jakarta',
};

const MOST = 3;
/** At most a third of the letters may be wrong; a text with more is another name. */
const TOLERANCE = 3;

const plain = (name: string): string => name.toLowerCase().replaceAll(/[^a-z0-9]/g, '');

/** Lists names that differ in at most a third of their letters, by the whole name or by its place (`Berlin`), nearest first. */
const misspelt = (text: string): string[] => {
  const asked = plain(text);
  const place = plain(text.split('/').at(-1) ?? '');
  const near = Intl.supportedValuesOf('timeZone').map((zone) => {
    const last = plain(zone.split('/').at(-1) ?? '');
    return { zone, distance: Math.min(editDistance(asked, plain(zone)), editDistance(place, last)) };
  });
  return near
    .filter(({ distance }) => distance <= Math.floor(place.length / TOLERANCE))
    .sort((a, b) => a.distance - b.distance)
    .map(({ zone }) => zone);
};

/** Lists at most three IANA names that may be meant, likeliest first. */
export const nearestZones = (text: string): string[] => {
  const known = ABBREVIATIONS[text.trim().toUpperCase()]?.split(' ');
  const named = known ?? [zoneByName(text) ?? []].flat();
  return (named.length ? named : misspelt(text.slice(0, 64))).slice(0, MOST);
};

/** Says why a text is not a time zone and what to write instead, as the end of a sentence that begins with the field's name. */
export const zoneFault = (text: string): string => {
  const near = nearestZones(text);
  const instead = near.length ? `write ${near.join(' or ')}` : 'write a name such as Europe/Berlin';
  return `must be an IANA time zone; ${instead}`;
};
