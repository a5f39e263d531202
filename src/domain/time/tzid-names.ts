/** Maps the TZID names that calendar programs write to IANA names: Windows names, paths, and display names with cities. */
import { isZone } from './time.ts';

/** The zones that Unicode CLDR gives for Windows zone names, which Outlook and Exchange write (here without "Standard Time"). */
const WINDOWS: Record<string, string> = {
  Dateline: 'Etc/GMT+12',
  'UTC-11': 'Etc/GMT+11',
  Aleutian: 'America/Adak',
  Hawaiian: 'Pacific/Honolulu',
  Marquesas: 'Pacific/Marquesas',
  Alaskan: 'America/Anchorage',
  'UTC-09': 'Etc/GMT+9',
  'Pacific (Mexico)': 'America/Tijuana',
  'UTC-08': 'Etc/GMT+8',
  Pacific: 'America/Los_Angeles',
  'US Mountain': 'America/Phoenix',
  'Mountain (Mexico)': 'America/Mazatlan',
  Mountain: 'America/Denver',
  Yukon: 'America/Whitehorse',
  'Central America': 'America/Guatemala',
  Central: 'America/Chicago',
  'Easter Island': 'Pacific/Easter',
  'Central (Mexico)': 'America/Mexico_City',
  'Canada Central': 'America/Regina',
  'SA Pacific': 'America/Bogota',
  'Eastern (Mexico)': 'America/Cancun',
  Eastern: 'America/New_York',
  Haiti: 'America/Port-au-Prince',
  Cuba: 'America/Havana',
  'US Eastern': 'America/Indiana/Indianapolis',
  'Turks And Caicos': 'America/Grand_Turk',
  Paraguay: 'America/Asuncion',
  Atlantic: 'America/Halifax',
  Venezuela: 'America/Caracas',
  'Central Brazilian': 'America/Cuiaba',
  'SA Western': 'America/La_Paz',
  'Pacific SA': 'America/Santiago',
  Newfoundland: 'America/St_Johns',
  Tocantins: 'America/Araguaina',
  'E. South America': 'America/Sao_Paulo',
  'SA Eastern': 'America/Cayenne',
  Argentina: 'America/Argentina/Buenos_Aires',
  Greenland: 'America/Nuuk',
  Montevideo: 'America/Montevideo',
  Magallanes: 'America/Punta_Arenas',
  'Saint Pierre': 'America/Miquelon',
  Bahia: 'America/Bahia',
  'UTC-02': 'Etc/GMT+2',
  'Mid-Atlantic': 'Etc/GMT+2',
  Azores: 'Atlantic/Azores',
  'Cape Verde': 'Atlantic/Cape_Verde',
  UTC: 'UTC',
  GMT: 'Europe/London',
  Greenwich: 'Atlantic/Reykjavik',
  'Sao Tome': 'Africa/Sao_Tome',
  Morocco: 'Africa/Casablanca',
  'W. Europe': 'Europe/Berlin',
  'Central Europe': 'Europe/Budapest',
  Romance: 'Europe/Paris',
  'Central European': 'Europe/Warsaw',
  'W. Central Africa': 'Africa/Lagos',
  Jordan: 'Asia/Amman',
  GTB: 'Europe/Bucharest',
  'Middle East': 'Asia/Beirut',
  Egypt: 'Africa/Cairo',
  'E. Europe': 'Europe/Chisinau',
  Syria: 'Asia/Damascus',
  'West Bank': 'Asia/Hebron',
  'South Africa': 'Africa/Johannesburg',
  FLE: 'Europe/Kyiv',
  Israel: 'Asia/Jerusalem',
  'South Sudan': 'Africa/Juba',
  Kaliningrad: 'Europe/Kaliningrad',
  Sudan: 'Africa/Khartoum',
  Libya: 'Africa/Tripoli',
  Namibia: 'Africa/Windhoek',
  Arabic: 'Asia/Baghdad',
  Turkey: 'Europe/Istanbul',
  Arab: 'Asia/Riyadh',
  Belarus: 'Europe/Minsk',
  Russian: 'Europe/Moscow',
  'E. Africa': 'Africa/Nairobi',
  Iran: 'Asia/Tehran',
  Arabian: 'Asia/Dubai',
  Astrakhan: 'Europe/Astrakhan',
  Azerbaijan: 'Asia/Baku',
  'Russia Time Zone 3': 'Europe/Samara',
  Mauritius: 'Indian/Mauritius',
  Saratov: 'Europe/Saratov',
  Georgian: 'Asia/Tbilisi',
  Volgograd: 'Europe/Volgograd',
  Caucasus: 'Asia/Yerevan',
  Afghanistan: 'Asia/Kabul',
  'West Asia': 'Asia/Tashkent',
  Ekaterinburg: 'Asia/Yekaterinburg',
  Pakistan: 'Asia/Karachi',
  Qyzylorda: 'Asia/Qyzylorda',
  India: 'Asia/Kolkata',
  'Sri Lanka': 'Asia/Colombo',
  Nepal: 'Asia/Kathmandu',
  'Central Asia': 'Asia/Bishkek',
  Bangladesh: 'Asia/Dhaka',
  Omsk: 'Asia/Omsk',
  Myanmar: 'Asia/Yangon',
  'SE Asia': 'Asia/Bangkok',
  Altai: 'Asia/Barnaul',
  'W. Mongolia': 'Asia/Hovd',
  'North Asia': 'Asia/Krasnoyarsk',
  'N. Central Asia': 'Asia/Novosibirsk',
  Tomsk: 'Asia/Tomsk',
  China: 'Asia/Shanghai',
  'North Asia East': 'Asia/Irkutsk',
  Singapore: 'Asia/Singapore',
  'W. Australia': 'Australia/Perth',
  Taipei: 'Asia/Taipei',
  Ulaanbaatar: 'Asia/Ulaanbaatar',
  'Aus Central W.': 'Australia/Eucla',
  Transbaikal: 'Asia/Chita',
  Tokyo: 'Asia/Tokyo',
  'North Korea': 'Asia/Pyongyang',
  Korea: 'Asia/Seoul',
  Yakutsk: 'Asia/Yakutsk',
  'Cen. Australia': 'Australia/Adelaide',
  'AUS Central': 'Australia/Darwin',
  'E. Australia': 'Australia/Brisbane',
  'AUS Eastern': 'Australia/Sydney',
  'West Pacific': 'Pacific/Port_Moresby',
  Tasmania: 'Australia/Hobart',
  Vladivostok: 'Asia/Vladivostok',
  'Lord Howe': 'Australia/Lord_Howe',
  Bougainville: 'Pacific/Bougainville',
  'Russia Time Zone 10': 'Asia/Srednekolymsk',
  Magadan: 'Asia/Magadan',
  Norfolk: 'Pacific/Norfolk',
  Sakhalin: 'Asia/Sakhalin',
  'Central Pacific': 'Pacific/Guadalcanal',
  'Russia Time Zone 11': 'Asia/Kamchatka',
  Kamchatka: 'Asia/Kamchatka',
  'New Zealand': 'Pacific/Auckland',
  'UTC+12': 'Etc/GMT-12',
  Fiji: 'Pacific/Fiji',
  'Chatham Islands': 'Pacific/Chatham',
  'UTC+13': 'Etc/GMT-13',
  Tonga: 'Pacific/Tongatapu',
  Samoa: 'Pacific/Apia',
  'Line Islands': 'Pacific/Kiritimati',
};

const BY_WINDOWS_NAME = new Map(Object.entries(WINDOWS).map(([name, zone]) => [name.toLowerCase(), zone]));

/** The likeliest zones where only offsets are known: those that have a Windows name. */
export const COMMON_ZONES: string[] = [...new Set(Object.values(WINDOWS))];

/** A longer TZID is no name. */
const MAX_NAME = 1_000;

const placeOf = (zone: string): string => (zone.split('/').at(-1) ?? '').replaceAll('_', ' ').toLowerCase();

let places: Map<string, string> | undefined;

/** Maps the place of each zone (`berlin`) to its name. It is computed once, as the list has some 420 names. */
const zonesByPlace = (): Map<string, string> =>
  (places ??= new Map(Intl.supportedValuesOf('timeZone').map((zone) => [placeOf(zone), zone])));

/**
 * Returns the IANA zone of a TZID, or null where the name is unknown: `Europe/Berlin`, `/mozilla.org/20050126_1/Europe/Berlin`,
 * `W. Europe Standard Time`, `(UTC+01:00) Amsterdam, Berlin, Bern`, `tzone://Microsoft/Utc`.
 */
export const zoneByName = (tzid: string): string | null => {
  if (tzid.length > MAX_NAME) return null;
  const name = tzid.trim().replace(/^"|"$/g, '');
  return zoneByPath(name) ?? zoneByWindowsName(name) ?? zoneByCity(name);
};

/**
 * Returns an IANA zone that always has the offset in `GMT+0100`, `UTC-5` or `+05:30` (positive is east of Greenwich); null where
 * the text is no offset.
 */
export const zoneByOffset = (tzid: string): string | null => {
  if (tzid.length > MAX_NAME) return null;
  const [, sign, hours = '', minutes = '00'] = /^(?:GMT|UTC|Z)?\s*([+-])(\d{1,2}):?(\d\d)?$/i.exec(tzid.trim()) ?? [];
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

const zoneByWindowsName = (name: string): string | null => {
  const plain = name.toLowerCase().replace(/^\((utc|gmt)[^)]*\) |( \(us & canada\)| \d)$/g, '');
  const bare = plain.replace(/ (standard|daylight|summer) time/, '').replace(/ time$/, '');
  return BY_WINDOWS_NAME.get(bare) ?? BY_WINDOWS_NAME.get(plain) ?? null;
};

const zoneByCity = (name: string): string | null => {
  const [, cities] = /^\((?:UTC|GMT)[^)]*\)(.+)$/i.exec(name) ?? [];
  for (const city of cities?.split(/[,&]/) ?? []) {
    const zone = zonesByPlace().get(city.trim().toLowerCase());
    if (zone) return zone;
  }
  return null;
};
