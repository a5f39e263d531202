/**
 * Makes both drivers return the same JavaScript values: int8 and numeric as numbers, instants as ISO strings, bytea as Buffer.
 */

/**
 * Converts `2026-11-21 09:00:00.000123+00` to `2026-11-21T09:00:00.000123Z`. It gives three digits where the microseconds are
 * zero, else six.
 */
export const parseInstant = (text: string): string => {
  const [date, rest = ''] = text.split(' ');
  const time = rest.replace(/[+-]\d.*$/, '');
  const [clock, fraction = ''] = time.split('.');
  const micros = fraction.padEnd(6, '0');
  return `${date}T${clock}.${micros.endsWith('000') ? micros.slice(0, 3) : micros}Z`;
};

/** A number is exact here, since seq and counts stay far below 2^53. */
const parseNumber = (text: string): number => Number(text);

const parseBytes = (text: string): Buffer => Buffer.from(text.slice(2), 'hex');

const INT8 = 20;
const NUMERIC = 1700;
const TIMESTAMPTZ = 1184;
const BYTEA = 17;

export const PARSERS: Record<number, (text: string) => unknown> = {
  [INT8]: parseNumber,
  [NUMERIC]: parseNumber,
  [TIMESTAMPTZ]: parseInstant,
  [BYTEA]: parseBytes,
};

/** Converts an instant string to microseconds since the epoch, exactly for every year that the API accepts. */
export const micros = (at: string): number => {
  const fraction = /\.(\d+)Z$/.exec(at)?.[1] ?? '';
  return Math.floor(Date.parse(at) / 1000) * 1_000_000 + Number(fraction.padEnd(6, '0').slice(0, 6));
};

/**
 * Shows a recorded time with six digits, `2026-11-21T09:00:00.000000Z`, so that these times sort as text. Hashes are computed
 * from the shorter form that instantFromMicros gives.
 */
export const inMicroseconds = (at: string): string => (at.length === 24 ? `${at.slice(0, -1)}000Z` : at);

/** Converts microseconds since the epoch to an instant string, the inverse of micros(). */
export const instantFromMicros = (at: number): string => {
  const text = new Date(Math.floor(at / 1000)).toISOString();
  const rest = at % 1000;
  return rest === 0 ? text : `${text.slice(0, -1)}${String(rest).padStart(3, '0')}Z`;
};
