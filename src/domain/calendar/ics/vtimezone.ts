/**
 * Writes a VTIMEZONE (RFC 5545 §3.6.5) from the runtime's zone data: STANDARD and DAYLIGHT with yearly rules where the changes
 * repeat, and with dates where they do not (those of Morocco follow the moon).
 */

/** A change of the offset. `wall` is its wall time by the offset before; offsets are in seconds. */
type Change = { at: Temporal.Instant; wall: Temporal.PlainDateTime; from: number; to: number; isSummer: boolean };
/** The changes of one STANDARD or DAYLIGHT block, given by a rule or by their dates. */
type Observance = { changes: Change[]; rule: string | null };

/** Weekdays and dates repeat after 28 years, so a rule that fits 28 years fits all later ones. */
const CYCLE_YEARS = 28;
const SHORTEST_RUN_YEARS = 5;
const SUMMER_ENDS_WITHIN_MS = 300 * 86_400_000;
const WEEKDAYS = ['MO', 'TU', 'WE', 'TH', 'FR', 'SA', 'SU'];

/** The zone data lists single changes until 2087 (for Morocco); later ones repeat. */
const LAST_DATED_YEAR = 2090;

/** Most calendars have few zones, and writing one takes two milliseconds. */
const MAX_WRITTEN = 500;
const written = new Map<string, string>();

/**
 * Writes the VTIMEZONE of an IANA zone, which is correct from the year `since` on. Changes that repeat for 28 years from `until`
 * on are written as a rule without end.
 */
export const vtimezone = (zone: string, since: number, until: number): string => {
  const key = `${zone} ${since} ${until}`;
  const known = written.get(key) ?? writeZone(zone, since, until);
  if (written.size >= MAX_WRITTEN) written.clear();
  written.set(key, known);
  return known;
};

const writeZone = (zone: string, since: number, until: number): string => {
  const last = Math.min(Math.max(since, until), LAST_DATED_YEAR) + CYCLE_YEARS;
  const changes = changesOf(zone, since, last);
  const observances = observancesOf(changes, last).sort((a, b) =>
    Temporal.PlainDateTime.compare(firstOf(a).wall, firstOf(b).wall),
  );
  const blocks = observances.flatMap((observance) => linesOf(observance, zone));
  return ['BEGIN:VTIMEZONE', `TZID:${zone}`, ...blocks, 'END:VTIMEZONE'].join('\r\n');
};

/** Lists the change in force when `since` begins (or a start without one) and every change until the end of `last`. */
const changesOf = (zone: string, since: number, last: number): Change[] => {
  const start = Temporal.PlainDate.from({ year: since, month: 1, day: 1 }).toZonedDateTime(zone);
  const found: Change[] = [];
  let next = start.getTimeZoneTransition('previous');
  if (!next) {
    const offset = start.offsetNanoseconds / 1e9;
    found.push({ at: start.toInstant(), wall: start.toPlainDateTime(), from: offset, to: offset, isSummer: false });
    next = start.getTimeZoneTransition('next');
  }
  for (; next && next.year <= last + 1; next = next.getTimeZoneTransition('next')) found.push(changeOf(next));
  return found
    .map((change, index) => ({ ...change, isSummer: isSummer(change, found[index + 1]) }))
    .filter(({ wall }) => wall.year <= last);
};

const changeOf = (after: Temporal.ZonedDateTime): Change => {
  const from = after.subtract({ nanoseconds: 1 }).offsetNanoseconds / 1e9;
  const wall = after.withTimeZone('UTC').add({ seconds: from }).toPlainDateTime();
  return { at: after.toInstant(), wall, from, to: after.offsetNanoseconds / 1e9, isSummer: false };
};

/** The zone data has only offsets. DST is a change forward that is reversed in less than a year. */
const isSummer = (change: Change, next: Change | undefined): boolean =>
  change.to > change.from &&
  next !== undefined &&
  next.to < next.from &&
  next.at.epochMilliseconds - change.at.epochMilliseconds < SUMMER_ENDS_WITHIN_MS;

/** Groups changes of the same kind in consecutive years. */
const runsOf = (changes: Change[]): Change[][] => {
  const all: Change[][] = [];
  const open = new Map<string, Change[]>();
  for (const change of changes) {
    const { wall, from, to } = change;
    const kind = [wall.month, wall.dayOfWeek, wall.toPlainTime(), from, to, change.isSummer].join();
    const run = open.get(kind);
    if (run?.at(-1)?.wall.year === wall.year - 1) run.push(change);
    else {
      const begun = [change];
      open.set(kind, begun);
      all.push(begun);
    }
  }
  return all;
};

/**
 * Returns a rule for changes that repeat to the end. Earlier ones are written as dates, because their rule would need an UNTIL,
 * at which Debian's python3-icalendar fails.
 */
const ruleOf = (run: Change[], last: number): string | null => {
  const { wall } = run.at(-1)!;
  if (wall.year < last || run.length < SHORTEST_RUN_YEARS) return null;
  const days = daysOf(run.map((change) => change.wall));
  return days && `FREQ=YEARLY;BYMONTH=${wall.month};${days}`;
};

const observancesOf = (changes: Change[], last: number): Observance[] => {
  const all = runsOf(changes).map((run) => ({ changes: run, rule: ruleOf(run, last) }));
  const dated = all.filter(({ rule }) => rule === null).flatMap((run) => run.changes);
  const kinds = Map.groupBy(dated, ({ from, to, isSummer: summer }) => [from, to, summer].join());
  const byDate = [...kinds.values()].map((kind) => ({
    changes: kind.sort((a, b) => Temporal.Instant.compare(a.at, b.at)),
    rule: null,
  }));
  return [...all.filter(({ rule }) => rule !== null), ...byDate];
};

/** Returns the day of the month as a rule: the last Sunday, the second one, or the Saturday from the 24th to the 30th. */
const daysOf = (walls: Temporal.PlainDateTime[]): string | null => {
  const weekday = WEEKDAYS[walls[0]!.dayOfWeek - 1];
  if (walls.every((wall) => wall.day + 7 > wall.daysInMonth)) return `BYDAY=-1${weekday}`;
  const weeks = new Set(walls.map((wall) => Math.ceil(wall.day / 7)));
  if (weeks.size === 1) return `BYDAY=${[...weeks][0]}${weekday}`;
  const days = walls.map((wall) => wall.day);
  const first = Math.min(...days);
  const count = Math.max(...days) - first + 1;
  return count > 7
    ? null
    : `BYDAY=${weekday};BYMONTHDAY=${Array.from({ length: count }, (_, at) => first + at).join(',')}`;
};

const firstOf = (observance: Observance): Change => observance.changes[0]!;

const linesOf = (observance: Observance, zone: string): string[] => {
  const { wall, from, to, isSummer: summer, at } = firstOf(observance);
  const name = summer ? 'DAYLIGHT' : 'STANDARD';
  const dates = observance.changes.slice(1).map((change) => compact(change.wall.toString()));
  return [
    `BEGIN:${name}`,
    `DTSTART:${compact(wall.toString())}`,
    `TZOFFSETFROM:${offsetText(from)}`,
    `TZOFFSETTO:${offsetText(to)}`,
    `TZNAME:${shortName(zone, at)}`,
    ...(observance.rule ? [`RRULE:${observance.rule}`] : []),
    // Each date has a line of its own, because python3-vobject reads only the first of several in a line.
    ...(observance.rule ? [] : dates.map((date) => `RDATE:${date}`)),
    `END:${name}`,
  ];
};

/** Converts an ISO time to iCalendar's form, `20260329T020000`. */
const compact = (iso: string): string => iso.replace(/[-:]/g, '');

const offsetText = (seconds: number): string => {
  const size = Math.abs(seconds);
  const parts = [Math.floor(size / 3600), Math.floor(size / 60) % 60, ...(size % 60 ? [size % 60] : [])];
  return (seconds < 0 ? '-' : '+') + parts.map((part) => String(part).padStart(2, '0')).join('');
};

const shortName = (zone: string, at: Temporal.Instant): string =>
  new Intl.DateTimeFormat('en-US', { timeZone: zone, timeZoneName: 'short' })
    .formatToParts(at.epochMilliseconds)
    .find(({ type }) => type === 'timeZoneName')?.value ?? zone;
