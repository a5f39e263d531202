/** Calendar files that are expensive to read: each was, or could be, for some reader. R15 sends them too. */

/** A file that grows with `size`; `most` is its size near 16 MB, or where a hostile tester stopped a release with it. */
export type HostileFile = { name: string; most: number; make: (size: number) => string | Uint8Array<ArrayBuffer> };

const calendar = (inside: string): string =>
  `BEGIN:VCALENDAR\r\nVERSION:2.0\r\nPRODID:x\r\n${inside}\r\nEND:VCALENDAR\r\n`;
const event = (inside: string, n = 0): string =>
  `BEGIN:VEVENT\r\nUID:hostile-${n}\r\nDTSTAMP:20261101T000000Z\r\nSUMMARY:x\r\n${inside}\r\nEND:VEVENT`;
const START = 'DTSTART:20261201T090000Z\r\nDURATION:PT1H';
const BERLIN = 'DTSTART;TZID=Europe/Berlin:20261201T090000\r\nDURATION:PT1H\r\nRRULE:FREQ=DAILY';
const list = (size: number, one: (n: number) => string, between = '\r\n'): string =>
  Array.from({ length: size }, (_, n) => one(n)).join(between);
const day = (n: number): string => new Date(Date.UTC(2026, 11, 1 + n)).toISOString().slice(0, 10).replaceAll('-', '');
const observance = (n: number, rule: string): string =>
  `BEGIN:STANDARD\r\nDTSTART:${1970 + (n % 60)}1025T030000\r\nTZOFFSETFROM:+0200\r\nTZOFFSETTO:+0117\r\n${rule}\r\nEND:STANDARD`;
const AUTUMN = 'RRULE:FREQ=YEARLY;BYDAY=-1SU;BYMONTH=10';
const zone = (tzid: string, inside: string): string => `BEGIN:VTIMEZONE\r\nTZID:${tzid}\r\n${inside}\r\nEND:VTIMEZONE`;
const inZone = (tzid: string, n = 0): string => event(`DTSTART;TZID=${tzid}:20261201T090000`, n);

const oneEvent = (name: string, most: number, inside: (size: number) => string): HostileFile => ({
  name,
  most,
  make: (size) => calendar(event(inside(size))),
});

/** Values inside of lines: parameters, lists, texts and rules. */
const lines: HostileFile[] = [
  oneEvent('a TZID and commas', 240_000, (size) => `${START}\r\nX-A;TZID=a:${','.repeat(size)}`),
  oneEvent('a TZID and colons', 240_000, (size) => `${START}\r\nX-A;TZID=a,${':'.repeat(size)}`),
  oneEvent('a TZID and parameters', 240_000, (size) => `${START}\r\nX-A;TZID=a${';TZID=a,'.repeat(size / 8)}:20261201`),
  oneEvent('a TZID and digits', 1_000_000, (size) => `${START}\r\nRDATE;TZID=a,b:${'1'.repeat(size)}!`),
  ...['EXDATE', 'RDATE'].flatMap((name) => [
    oneEvent(
      `${name} with a TZID`,
      100_000,
      (size) => `${BERLIN}\r\n${name};TZID=Europe/Berlin:${list(size, (n) => `${day(n)}T090000`, ',')}`,
    ),
    oneEvent(`${name} in UTC`, 100_000, (size) => `${START}\r\n${name}:${list(size, (n) => `${day(n)}T090000Z`, ',')}`),
    oneEvent(
      `${name} of days`,
      10_000,
      (size) => `DTSTART;VALUE=DATE:20261201\r\n${name};VALUE=DATE:${list(size, day, ',')}`,
    ),
    oneEvent(`${name} in lines`, 100_000, (size) => `${START}\r\n${list(size, (n) => `${name}:${day(n)}T090000Z`)}`),
  ]),
  oneEvent('a long text', 10_000_000, (size) => `${START}\r\nDESCRIPTION:${'a'.repeat(size)}`),
  oneEvent('a text of escapes', 900_000, (size) => `${START}\r\nDESCRIPTION:${'\\\\\\n'.repeat(size / 4)}`),
  oneEvent('an attachment', 10_000_000, (size) => `${START}\r\nATTACH;ENCODING=BASE64:${'A'.repeat(size)}`),
  oneEvent('many attachments', 15_000_000, (size) => `${START}\r\n${list(size / 1e6, () => `X-A:${'A'.repeat(1e6)}`)}`),
  oneEvent('many categories', 900_000, (size) => `${START}\r\nCATEGORIES:${list(size / 8, (n) => `t${n}`, ',')}`),
  oneEvent('a uid of slashes', 900_000, (size) => `${START}\r\nX-WR-TIMEZONE:${'a/'.repeat(size / 2)}`),
  oneEvent('a TZID of slashes', 9_900, (size) => `DTSTART;TZID=${'a/'.repeat(size / 2)}:20261201T090000`),
  oneEvent('many parameters', 1_000_000, (size) => `${START}\r\nSUMMARY${';A=b'.repeat(size / 4)}:v`),
  oneEvent(
    'many parameters after a long one',
    1_000_000,
    (size) => `${START}\r\nLOCATION;ALTREP="${'x'.repeat(10_001)}"${';A=b'.repeat(size / 4)}:v`,
  ),
  oneEvent('quotes', 15_000_000, (size) => `${START}\r\nX-A;B="${'","'.repeat(size / 3)}":v`),
  oneEvent('a rule of semicolons', 15_000_000, (size) => `${START}\r\nRRULE:FREQ=DAILY${'; '.repeat(size / 2)}`),
  oneEvent('a long duration', 15_000_000, (size) => `DTSTART:20261201T090000Z\r\nDURATION:P${'1'.repeat(size)}D`),
  oneEvent('a start of colons', 15_000_000, (size) => `DTSTART:20261201T${':'.repeat(size)}`),
  {
    name: 'an END of spaces',
    most: 15_000_000,
    make: (size) => calendar(`${event(START)}\r\nEND:${' '.repeat(size / 2)}a${' '.repeat(size / 2)}!`),
  },
  {
    name: 'an event without UID',
    most: 15_000_000,
    make: (size) =>
      calendar(`BEGIN:VEVENT\r\n${START}\r\n${list(size / 1e6, () => `X-A:${'é'.repeat(5e5)}`)}\r\nEND:VEVENT`),
  },
];

/** Bytes and line ends. */
const texts: HostileFile[] = [
  { name: 'bytes of 0xD8', most: 15_000_000, make: (size) => new Uint8Array(size).fill(0xd8) },
  { name: 'bytes of 0', most: 15_000_000, make: (size) => new Uint8Array(size) },
  { name: 'line ends', most: 15_000_000, make: (size) => new Uint8Array(size).fill(10) },
  { name: 'carriage returns', most: 15_000_000, make: (size) => new Uint8Array(size).fill(13) },
  { name: 'spaces', most: 15_000_000, make: (size) => new Uint8Array(size).fill(32) },
  { name: 'colons', most: 15_000_000, make: (size) => new Uint8Array(size).fill(58) },
  {
    name: 'lines of 0xE9',
    most: 15_000_000,
    make: (size) => Buffer.from(calendar(event(`${START}\r\n${'X-A:é\r\n'.repeat(size / 7)}X-B:b`)), 'latin1'),
  },
  oneEvent(
    'a line folded before each character',
    1_000_000,
    (size) => `${START}\r\nDESCRIPTION:a${'\r\n b'.repeat(size)}`,
  ),
  oneEvent('empty continuations', 5_000_000, (size) => `${START}\r\nDESCRIPTION:a${'\r\n '.repeat(size)}`),
  oneEvent('lines without a name', 5_000_000, (size) => `${START}\r\nDESCRIPTION:a${'\r\nb'.repeat(size)}`),
  oneEvent('lines that are not valid', 1_000_000, (size) => `${START}\r\n${'A;:b\r\n'.repeat(size)}X-B:b`),
];

/** Components. */
const components: HostileFile[] = [
  { name: 'BEGIN lines', most: 900_000, make: (size) => 'BEGIN:VCALENDAR\r\n'.repeat(size) },
  {
    name: 'BEGIN lines, then END lines of another name',
    most: 800_000,
    make: (size) =>
      `BEGIN:VCALENDAR\r\nBEGIN:B\r\n${'BEGIN:A\r\n'.repeat(Math.min(size / 2, 49_000))}${'END:B\r\nBEGIN:B\r\n'.repeat(size / 4)}`,
  },
  {
    name: 'END lines of nothing below many BEGIN lines',
    most: 450_000,
    make: (size) => `BEGIN:VCALENDAR\r\n${'BEGIN:A\r\n'.repeat(Math.min(size / 9, 49_000))}${'END:B\r\n'.repeat(size)}`,
  },
  { name: 'empty events', most: 500_000, make: (size) => calendar('BEGIN:VEVENT\r\nEND:VEVENT\r\n'.repeat(size)) },
  { name: 'other components', most: 49_000, make: (size) => calendar('BEGIN:VTODO\r\nEND:VTODO\r\n'.repeat(size)) },
  {
    name: 'calendars',
    most: 49_000,
    make: (size) => `${calendar(event(START))}${'BEGIN:VCALENDAR\r\nEND:VCALENDAR\r\n'.repeat(size)}`,
  },
  oneEvent(
    'alarms',
    48_000,
    (size) =>
      `${START}\r\n${'BEGIN:VALARM\r\nACTION:DISPLAY\r\nDESCRIPTION:x\r\nTRIGGER:-PT15M\r\nEND:VALARM\r\n'.repeat(size)}X-B:b`,
  ),
  {
    name: 'events of a thousand alarms',
    most: 48,
    make: (size) =>
      calendar(
        list(size, (n) =>
          event(
            `${START}\r\n${list(1_000, (m) => `BEGIN:VALARM\r\nACTION:DISPLAY\r\nDESCRIPTION:x\r\nTRIGGER:-PT${m}M\r\nEND:VALARM`)}`,
            n,
          ),
        ),
      ),
  },
];

/** Time zones. */
const zones: HostileFile[] = [
  {
    name: 'a time zone of many observances',
    most: 20_000,
    make: (size) =>
      calendar(
        `${zone(
          'Z',
          list(size, (n) => observance(n, 'RRULE:FREQ=SECONDLY')),
        )}\r\n${list(200, (n) => inZone('Z', n))}`,
      ),
  },
  {
    name: 'a time zone of many dates',
    most: 200_000,
    make: (size) =>
      calendar(
        `${zone('Z', observance(0, `RDATE:${list(size, () => '19801025T030000', ',')}`))}\r\n${list(500, (n) => inZone('Z', n))}`,
      ),
  },
  {
    name: 'a time zone of many lines of dates',
    most: 200_000,
    make: (size) =>
      calendar(
        `${zone(
          'Z',
          observance(
            0,
            list(size / 50, () => `RDATE:${list(50, () => '19801025T030000', ',')}`),
          ),
        )}\r\n${inZone('Z')}`,
      ),
  },
  {
    name: 'many time zones',
    most: 2_000,
    make: (size) =>
      calendar(
        `${list(size, (n) => zone(`Z${n}`, observance(n, AUTUMN)))}\r\n${list(size, (n) => inZone(`Z${n}`, n))}`,
      ),
  },
  {
    name: 'many time zones of many calendars',
    most: 2_000,
    make: (size) =>
      list(size, (n) =>
        calendar(
          `${zone(
            'Z',
            list(5, (m) => observance(m, AUTUMN)),
          )}\r\n${inZone('Z', n)}`,
        ),
      ),
  },
  {
    name: 'a time zone of all years',
    most: 50,
    make: (size) =>
      calendar(
        `${zone(
          'Z',
          list(size, (n) =>
            observance(n, 'RRULE:FREQ=YEARLY;BYMONTHDAY=1,2,3,4,5,6,7,8,9').replace(/\d{4}1025T/, '00010101T'),
          ),
        )}\r\n${event('DTSTART;TZID=Z:00010101T090000')}\r\n${event('DTSTART;TZID=Z:99990101T090000', 2)}`,
      ),
  },
  {
    name: 'many unknown time zones',
    most: 20_000,
    make: (size) => calendar(list(size, (n) => inZone(`Unknown/${n}${'x'.repeat(200)}`, n))),
  },
];

export const HOSTILE_FILES: HostileFile[] = [...lines, ...texts, ...components, ...zones];
