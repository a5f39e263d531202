/** Bodies of DAV requests and calendar files at the largest, for the generator of R15. */
import type { Person } from './api.ts';
import { RULES, textOf, type Expensive } from './r15-expensive.ts';
import { icsOf, veventOf } from './r15-scene.ts';
import { HOSTILE_FILES } from '../support/hostile-ics.ts';

/** As much as a body of 1 MiB holds. */
export const MOST_BODY = 0.95 * 1024 * 1024;

const escaped = (text: string): string => text.replace(/[&<>"\r]/g, (mark) => `&#${mark.charCodeAt(0)};`);
const XML = 'xmlns:d="DAV:" xmlns:c="urn:ietf:params:xml:ns:caldav"';
const query = (filter: string): string =>
  `<c:calendar-query ${XML}><d:prop><d:getetag/><c:calendar-data/></d:prop><c:filter><c:comp-filter name="VCALENDAR">${filter}</c:comp-filter></c:filter></c:calendar-query>`;
const bytesFor = (value: Expensive, bytes: number): string => {
  const share = Buffer.byteLength(escaped(textOf(value, 1_000))) / 1_000;
  return escaped(textOf(value, Math.floor(bytes / share)));
};
/** The value in lines, as long as fits. */
const ofBytes = (value: Expensive, bytes: number): string =>
  textOf(value, Math.floor((bytes * 1_000) / Buffer.byteLength(textOf(value, 1_000)))).replace(/[\r\n]/g, ' ');
const event = (inside: string): string => query(`<c:comp-filter name="VEVENT">${inside}</c:comp-filter>`);
const match = (text: string, collation: string): string =>
  `<c:text-match collation="${collation}">${text}</c:text-match>`;
const range = (start: string, end: string): string => `<c:time-range start="${start}" end="${end}"/>`;

/** Reports and property requests at the largest. `name` says what of the body is large. */
export const davBodies = (value: Expensive, person: Person): { name: string; method: string; body: () => string }[] => {
  const home = `/dav/calendars/${person.user_id}/calendar/`;
  const collations = ['i;ascii-casemap', 'i;octet', 'i;unicode-casemap'];
  const fits = (one: string): number => Math.floor(MOST_BODY / Buffer.byteLength(one));
  const many = (one: string): string => one.repeat(fits(one));
  return [
    ...collations.flatMap((collation) =>
      ['COMMENT', 'SUMMARY'].map((name) => ({
        name: `a text-match on ${name} in ${collation}: ${value.name}`,
        method: 'REPORT',
        body: () =>
          event(`<c:prop-filter name="${name}">${match(bytesFor(value, MOST_BODY), collation)}</c:prop-filter>`),
      })),
    ),
    {
      name: `text-matches of many properties: ${value.name}`,
      method: 'REPORT',
      body: () =>
        event(
          many(`<c:prop-filter name="COMMENT">${match(bytesFor(value, 900), 'i;unicode-casemap')}</c:prop-filter>`),
        ),
    },
    {
      name: 'filters within filters',
      method: 'REPORT',
      body: () => event('<c:comp-filter name="VALARM">'.repeat(9_000) + '</c:comp-filter>'.repeat(9_000)),
    },
    {
      name: `many filters of parameters: ${value.name}`,
      method: 'REPORT',
      body: () =>
        event(
          `<c:prop-filter name="COMMENT">${many(`<c:param-filter name="X">${match(bytesFor(value, 90), 'i;octet')}</c:param-filter>`)}</c:prop-filter>`,
        ),
    },
    ...[
      ['20260101T000000Z', '20270101T000000Z'],
      ['21000101T000000Z', '21000102T000000Z'],
      ['99990101T000000Z', '99991231T000000Z'],
      ['19000101T000000Z', '99991231T000000Z'],
    ].map(([start = '', end = '']) => ({
      name: `alarms from ${start} to ${end}`,
      method: 'REPORT',
      body: () => event(`<c:comp-filter name="VALARM">${range(start, end)}</c:comp-filter>`),
    })),
    {
      name: 'all with their occurrences',
      method: 'REPORT',
      body: () =>
        event(range('20200101T000000Z', '20400101T000000Z')).replace(
          '<c:calendar-data/>',
          '<c:calendar-data><c:expand start="20260101T000000Z" end="20280101T000000Z"/></c:calendar-data>',
        ),
    },
    {
      name: 'free and busy of a century',
      method: 'REPORT',
      body: () => `<c:free-busy-query ${XML}>${range('20000101T000000Z', '21000101T000000Z')}</c:free-busy-query>`,
    },
    {
      name: 'many names',
      method: 'REPORT',
      body: () =>
        `<c:calendar-multiget ${XML}><d:prop><c:calendar-data/></d:prop>${many(`<d:href>${home}commented.ics</d:href>`)}</c:calendar-multiget>`,
    },
    {
      name: 'many other names',
      method: 'REPORT',
      body: () =>
        `<c:calendar-multiget ${XML}><d:prop><c:calendar-data/></d:prop>${Array.from({ length: fits(`<d:href>${home}0000000.ics</d:href>`) }, (_, n) => `<d:href>${home}${n}.ics</d:href>`).join('')}</c:calendar-multiget>`,
    },
    {
      name: 'a sync from the beginning',
      method: 'REPORT',
      body: () =>
        `<d:sync-collection ${XML}><d:sync-token/><d:sync-level>1</d:sync-level><d:prop><c:calendar-data/></d:prop></d:sync-collection>`,
    },
    {
      name: 'many properties',
      method: 'PROPFIND',
      body: () =>
        `<d:propfind ${XML}><d:prop>${Array.from({ length: fits('<c:p00000/>') }, (_, n) => `<c:p${n}/>`).join('')}</d:prop></d:propfind>`,
    },
    { name: 'all properties', method: 'PROPFIND', body: () => `<d:propfind ${XML}><d:allprop/></d:propfind>` },
    {
      name: `a long name: ${value.name}`,
      method: 'PROPPATCH',
      body: () =>
        `<d:propertyupdate ${XML}><d:set><d:prop><d:displayname>${bytesFor(value, MOST_BODY)}</d:displayname></d:prop></d:set></d:propertyupdate>`,
    },
    {
      name: `many changes of properties: ${value.name}`,
      method: 'PROPPATCH',
      body: () =>
        `<d:propertyupdate ${XML}>${many(`<d:set><d:prop><d:displayname>${bytesFor(value, 60)}</d:displayname></d:prop></d:set>`)}</d:propertyupdate>`,
    },
    {
      name: 'elements within elements',
      method: 'PROPFIND',
      body: () => `${'<d:propfind xmlns:d="DAV:">'.repeat(9_000)}${'</d:propfind>'.repeat(9_000)}`,
    },
  ];
};

const folded = (text: string): string => text.replace(/\\/g, '\\\\').replace(/\r?\n/g, '\\n').replace(/[;,]/g, '\\$&');
const TIMED = ['DTSTART:20261201T100000Z', 'DURATION:PT30M'];
const fitting = (one: string, bytes: number): number => Math.floor(bytes / (Buffer.byteLength(one) + 2));

/** Files of events at the largest. */
export const files = (
  value: Expensive,
  bytes: number,
): { name: string; body: () => string | Uint8Array<ArrayBuffer> }[] => {
  const text = folded(textOf(value, 5_000));
  const long = veventOf('long-00000', [...TIMED, `SUMMARY:${text.slice(0, 400)}`, `DESCRIPTION:${text}`]);
  const many = (one: string, limit = 50_000): string =>
    icsOf(Array.from({ length: Math.min(limit, fitting(one, bytes)) }, (_, n) => one.replace('-00000', `-${n}`)));
  return [
    { name: `events with long texts: ${value.name}`, body: () => many(long) },
    {
      name: `an event with many comments: ${value.name}`,
      body: () =>
        icsOf([
          veventOf('many', [
            ...TIMED,
            ...Array.from({ length: fitting(`COMMENT:${text}`, bytes) }, () => `COMMENT:${text}`),
          ]),
        ]),
    },
    ...RULES.map((rule, n) => ({
      name: `series of the ${n + 1}th rule`,
      body: () =>
        many(
          veventOf('rule-00000', ['DTSTART:20240229T090000Z', 'DURATION:PT5M', `RRULE:${rule}`, 'SUMMARY:Rule']),
          2_000,
        ),
    })),
    {
      name: `a long line: ${value.name}`,
      body: () =>
        icsOf([veventOf('line', [...TIMED, `SUMMARY:${bytesFor(value, bytes / 2).replace(/[\r\n]/g, ' ')}`])]),
    },
    // The same value where iCalendar has parameters and lists, neither escaped nor folded.
    ...[
      'X-A;TZID=',
      'SUMMARY;ALTREP="',
      'EXDATE;TZID=Europe/Berlin:',
      'RDATE:',
      'CATEGORIES:',
      'RRULE:FREQ=DAILY;',
    ].map((begin) => ({
      name: `a line that begins with ${begin}: ${value.name}`,
      body: () => icsOf([veventOf('inside', [...TIMED, begin + ofBytes(value, bytes * 0.9)])]),
    })),
    ...HOSTILE_FILES.map(({ name, most, make }) => ({
      name,
      body: () => {
        const whole = make(most);
        return whole.length <= bytes ? whole : make(Math.floor((most * bytes * 0.9) / whole.length));
      },
    })),
    {
      name: 'components within components',
      body: () => icsOf(['BEGIN:VEVENT\r\n'.repeat(fitting('BEGIN:VEVENT', bytes))]),
    },
    {
      name: 'a time zone with many rules',
      body: () =>
        icsOf([
          `BEGIN:VTIMEZONE\r\nTZID:Own\r\n${'BEGIN:STANDARD\r\nDTSTART:19700101T000000\r\nRRULE:FREQ=YEARLY;BYMONTH=10;BYDAY=-1SU\r\nTZOFFSETFROM:+0200\r\nTZOFFSETTO:+0100\r\nEND:STANDARD\r\n'.repeat(5_000)}END:VTIMEZONE`,
          veventOf('zoned', ['DTSTART;TZID=Own:20261201T100000', 'RRULE:FREQ=DAILY', 'SUMMARY:Zoned']),
        ]),
    },
    {
      name: 'an event with many exceptions',
      body: () =>
        icsOf([
          veventOf('except', [
            ...TIMED,
            'RRULE:FREQ=DAILY',
            ...Array.from(
              { length: 9_000 },
              (_, n) => `EXDATE:${new Date(Date.UTC(2027, 0, 1 + n, 10)).toISOString().replace(/[-:]|\.\d+/g, '')}`,
            ),
          ]),
        ]),
    },
  ];
};
