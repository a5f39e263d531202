/**
 * Finds the zone that a display name means: `(UTC-05:00) Eastern Time (US & Canada)`, `(GMT+01.00) Sarajevo/Warsaw/Zagreb`,
 * `Paris, Madrid`. Its places decide, and the offset in brackets says which of them are meant.
 */
import { COMMON_ZONES, plainName, zoneByWindowsName } from './windows-zones.ts';
import { wallAt } from './wall-time.ts';

/** Places that Windows shows, and that are not in the zone database. */
const PLACES: Record<string, string> = {
  'abu dhabi': 'Asia/Dubai',
  alaska: 'America/Anchorage',
  arizona: 'America/Phoenix',
  astana: 'Asia/Almaty',
  'baja california': 'America/Tijuana',
  beijing: 'Asia/Shanghai',
  bern: 'Europe/Zurich',
  berne: 'Europe/Zurich',
  brasilia: 'America/Sao_Paulo',
  canberra: 'Australia/Sydney',
  chennai: 'Asia/Kolkata',
  chetumal: 'America/Cancun',
  chokurdakh: 'Asia/Srednekolymsk',
  chongqing: 'Asia/Shanghai',
  'city of buenos aires': 'America/Argentina/Buenos_Aires',
  'coordinated universal time': 'UTC',
  edinburgh: 'Europe/London',
  guadalajara: 'America/Mexico_City',
  hanoi: 'Asia/Bangkok',
  hawaii: 'Pacific/Honolulu',
  indiana: 'America/Indiana/Indianapolis',
  'international date line west': 'Etc/GMT+12',
  islamabad: 'Asia/Karachi',
  kiev: 'Europe/Kyiv',
  mumbai: 'Asia/Kolkata',
  'new caledonia': 'Pacific/Noumea',
  'new delhi': 'Asia/Kolkata',
  "nuku'alofa": 'Pacific/Tongatapu',
  nukualofa: 'Pacific/Tongatapu',
  osaka: 'Asia/Tokyo',
  'petropavlovsk-kamchatsky': 'Asia/Kamchatka',
  'port louis': 'Indian/Mauritius',
  pretoria: 'Africa/Johannesburg',
  quito: 'America/Bogota',
  salvador: 'America/Bahia',
  sapporo: 'Asia/Tokyo',
  saskatchewan: 'America/Regina',
  'solomon is.': 'Pacific/Guadalcanal',
  'sri jayawardenepura': 'Asia/Colombo',
  'st. petersburg': 'Europe/Moscow',
  wellington: 'Pacific/Auckland',
  'west central africa': 'Africa/Lagos',
};

const placeOf = (zone: string): string => (zone.split('/').at(-1) ?? '').replaceAll('_', ' ').toLowerCase();

let places: Map<string, string> | undefined;

/** Maps each place (`berlin`) to its zone. It is computed once, as the list has some 500 names. */
const zonesByPlace = (): Map<string, string> =>
  (places ??= new Map([
    ...[...Intl.supportedValuesOf('timeZone'), ...COMMON_ZONES].map((zone) => [placeOf(zone), zone] as const),
    ...Object.entries(PLACES),
  ]));

const BRACKETS = /^\(([^()]*)\)(.*)$/;
const OFFSET = /^(?:UTC|GMT|Z)?(?:[+-]\d{1,2}(?:[:.]?\d\d)?)?$/i;
/** What may be behind a place, beside words in brackets. */
const ADDED = /(?: - old| - new| islands| island| is\.)$/;
const MOST_PLACES = 20;
/** Days on which the offsets of zones are compared, in the winter and summer of one year. */
const DAYS = [Date.UTC(2026, 0, 15), Date.UTC(2026, 6, 15)];

const minutesOn = (zone: string): number[] => DAYS.map((day) => (wallAt(day, zone) - day) / 60_000);

/** Returns the zones of the places in a text, in their order. */
const zonesIn = (text: string, marks: RegExp): string[] => {
  const whole = plainName(text);
  return [whole, ...whole.split(marks).slice(0, MOST_PLACES)].flatMap((part) => {
    const place = part.trim();
    const bare = (place.split('(')[0] ?? '').trim().replace(ADDED, '');
    if (bare === '') return [];
    return zonesByPlace().get(place) ?? zonesByPlace().get(bare) ?? zoneByWindowsName(bare) ?? [];
  });
};

/** Prefers the zones that CLDR gives for Windows: of "Amsterdam, Berlin, Bern" Berlin. */
const firstCommon = (zones: string[]): string | null =>
  zones.find((zone) => COMMON_ZONES.includes(zone)) ?? zones[0] ?? null;

/** Without an offset, more than half of the places must have the same one. */
const byMajority = (zones: string[]): string | null => {
  const groups = Map.groupBy(zones, (zone) => minutesOn(zone).join());
  return firstCommon([...groups.values()].find((group) => group.length * 2 > zones.length) ?? []);
};

/** Returns the minutes of `UTC-05:00` or `GMT`. */
const minutesOf = (offset: string): number => {
  const [, sign = '+', hours = 0, minutes = 0] = /([+-])(\d{1,2})[:.]?(\d\d)?$/.exec(offset) ?? [];
  return (sign === '-' ? -1 : 1) * (Number(hours) * 60 + Number(minutes));
};

/** Splits a name into the offset in brackets and what is behind it. */
const partsOf = (name: string): { offset: string | null; behind: string } => {
  const [, inside = '', behind = ''] = BRACKETS.exec(name) ?? [];
  const offset = inside.replaceAll(/\s/g, '');
  return offset !== '' && OFFSET.test(offset) ? { offset, behind: behind.trim() } : { offset: null, behind: name };
};

/** @param zoneByOffset returns the zone that always has an offset such as `UTC-05:00` */
export const zoneByDisplay = (
  name: string,
  zoneByOffset: (text: string) => string | null,
): { zone: string; doubt: string | null } | null => {
  const { offset, behind } = partsOf(name);
  const zones = zonesIn(behind, offset === null ? /[,;&]/ : /[,;&:/]|\sand\s/);
  const likely = byMajority(zones);
  if (offset === null) return likely === null ? null : { zone: likely, doubt: null };
  const fixed = /\d/.test(offset) ? zoneByOffset(offset) : 'UTC';
  if (behind === '' || /^coordinated universal time[-+]/i.test(behind))
    return fixed === null ? null : { zone: fixed, doubt: null };
  const zone = firstCommon(zones.filter((one) => minutesOn(one).includes(minutesOf(offset))));
  if (zone !== null) return { zone, doubt: null };
  const shown = name.slice(0, 60);
  if (likely !== null)
    return { zone: likely, doubt: `The time zone ${shown} was read as ${likely}, which has another offset today.` };
  if (fixed === null) return null;
  return { zone: fixed, doubt: `The place of the time zone ${shown} is unknown; only its offset was used.` };
};
