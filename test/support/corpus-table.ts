/** What each file of test/corpus says: the first occurrences of each event, and what is told of the file by line. */

type Row = {
  /** `start/end title` in UTC minutes; of a series the first four. */
  happens: string[];
  /** `line level message`. */
  told?: string[];
  /** `line outcome` of what is not taken in. */
  left?: string[];
};

export const TABLE: Record<string, Row> = {
  airline: {
    happens: [
      '2026-10-24T23:00/2026-10-25T08:15 Flight EX 101 BER - JFK',
      '2026-11-01T08:30/2026-11-01T18:25 Flight EX 202 HND - LAX, arriving "before" it leaves',
    ],
  },
  'apple-outlook-companions': {
    happens: [
      '2026-11-02T08:00/2026-11-02T09:00 Planning',
      '2026-11-09T08:00/2026-11-09T09:00 Planning',
      '2026-11-16T10:00/2026-11-16T11:00 Planning elsewhere',
      '2026-11-23T08:00/2026-11-23T09:00 Planning',
    ],
  },
  'attach-base64': { happens: ['2026-10-29T08:00/2026-10-29T08:30 With an attachment'] },
  attendees: { happens: ['2026-10-29T08:00/2026-10-29T08:00 Everybody'] },
  backwards: {
    happens: [
      '2026-10-24T10:00/2026-10-25T13:00 A day and two hours across the change',
      '2026-10-29T08:00/2026-10-29T08:00 Lasts nothing',
    ],
    told: [
      '8 error The event ends before it starts.',
      '15 error The event ends before it starts.',
      '18 error DTSTART is missing or cannot be read.',
      '26 error 20261301T080000Z is not a time.',
    ],
    left: ['4 failed', '11 failed', '18 failed', '23 failed'],
  },
  'blanks-around-times': {
    happens: [
      '2026-10-29T08:00/2026-10-29T09:00 Around the values',
      '2026-10-30T09:00/2026-10-30T09:30 In the parameters and lists',
      '2026-11-02T09:00/2026-11-02T09:30 In the parameters and lists',
    ],
  },
  'bom-lf': { happens: ['2026-10-29T07:00/2026-10-29T08:00 Café crème à l’hôtel'] },
  'broken-folding': {
    happens: ['2026-10-29T08:00/2026-10-29T08:00 Broken folds', '2026-10-30T08:00/2026-10-30T08:00 Bare line breaks'],
    told: [
      '9 warning Lines without a name were read as the continuation of the line before.',
      '18 warning Lines without a name were read as the continuation of the line before.',
    ],
  },
  'detached-overrides': {
    happens: [
      '2026-10-27T10:00/2026-10-27T11:00 You were invited to one',
      '2026-11-02T08:00/2026-11-02T09:00 And to another',
    ],
  },
  'duplicate-uids': {
    happens: [
      '2026-10-29T08:00/2026-10-29T08:00 Newer by SEQUENCE',
      '2026-10-31T08:00/2026-10-31T08:00 Modified later',
      '2026-11-03T08:00/2026-11-03T08:00 Last in the file',
    ],
    told: [
      '11 warning The file contains this event twice; the newer one was used.',
      '25 warning The file contains this event twice; the newer one was used.',
      '32 warning The file contains this event twice; the newer one was used.',
    ],
    left: ['11 skipped', '25 skipped', '32 skipped'],
  },
  empty: { happens: [] },
  'end-in-another-zone': {
    happens: [
      '2026-10-22T22:00/2026-10-23T05:00 Every week',
      '2026-10-29T22:00/2026-10-30T06:00 New York - London',
      '2026-10-29T22:00/2026-10-30T05:00 Every week',
      '2026-10-30T08:00/2026-10-30T09:00 From UTC to Tokyo',
      '2026-10-31T08:00/2026-10-31T09:00 From Tokyo to UTC',
      '2026-11-01T08:00/2026-11-01T09:00 In one zone',
      '2026-11-06T00:00/2026-11-06T07:30 Every week, to Dublin',
    ],
  },
  evolution: { happens: ['2026-10-24T20:00/2026-10-25T03:00 Night shift'] },
  'exchange-all-day': {
    happens: ['2026-10-23T22:00/2026-10-25T23:00 Messe', '2026-11-27T14:30/2026-11-27T15:00 Call'],
  },
  'exchange-display-zone': {
    happens: [
      '2026-10-13T07:30/2026-10-13T08:00 Jour fixe',
      '2026-10-27T08:30/2026-10-27T09:00 Jour fixe',
      '2026-11-03T08:30/2026-11-03T09:00 Jour fixe',
    ],
  },
  'exdate-forms': {
    happens: [
      '2026-10-22T07:00/2026-10-22T07:30 Left over',
      '2026-10-29T08:00/2026-10-29T08:30 Left over',
      '2026-10-30T08:00/2026-10-30T08:30 Left over',
      '2026-11-01T08:00/2026-11-01T08:00 With an EXDATE nobody can read',
      '2026-11-02T08:00/2026-11-02T08:00 With an EXDATE nobody can read',
    ],
    told: ['40 warning EXDATE cannot be read and was ignored.'],
  },
  'exrule-rfc2445': {
    happens: [
      '2026-11-05T08:00/2026-11-05T08:00 EXRULE of RFC 2445',
      '2026-11-06T08:00/2026-11-06T08:00 EXRULE of RFC 2445',
      '2026-11-07T08:00/2026-11-07T08:00 EXRULE of RFC 2445',
    ],
    told: ['9 warning EXRULE is not supported; the occurrences that it excludes are shown.'],
  },
  fastmail: {
    happens: [
      '2026-10-01T00:00/2026-10-01T00:45 Book club',
      '2026-11-04T23:00/2026-11-04T23:45 Book club',
      '2026-12-02T23:00/2026-12-02T23:45 Book club',
    ],
  },
  floating: {
    happens: [
      '2026-10-23T05:00/2026-10-23T05:30 Medicine',
      '2026-10-25T06:00/2026-10-25T06:30 Medicine',
      '2026-10-26T07:00/2026-10-26T07:30 Medicine, an hour later',
      '2026-10-27T06:00/2026-10-27T06:30 Medicine',
    ],
  },
  'floating-beside-wr-timezone': {
    happens: [
      '2026-10-28T23:00/2026-10-29T23:00 A day',
      '2026-10-29T10:00/2026-10-29T11:00 Without a zone',
      '2026-10-29T15:00/2026-10-29T16:00 In UTC',
      '2026-10-30T10:00/2026-10-30T17:00 Only the end is in UTC',
    ],
    told: [
      '18 warning Times without a time zone were read in Europe/Berlin, although the calendar is in America/Chicago.',
    ],
  },
  'football-lf-no-dtstamp': {
    happens: ['2026-10-24T13:30/2026-10-24T15:15 Union – Hertha', '2026-10-31T14:30/2026-10-31T14:30 Hertha – Union'],
  },
  'gmt-named-rules': {
    happens: ['2026-10-20T07:00/2026-10-20T08:00 By rules', '2026-10-27T08:00/2026-10-27T09:00 By rules'],
  },
  'google-cancel-one': { happens: ['2026-11-09T14:00/2026-11-09T14:30 Team sync'] },
  'google-export': {
    happens: [
      '2026-10-26T13:00/2026-10-26T13:30 Team sync',
      '2026-11-03T19:00/2026-11-03T19:30 Team sync (after the vote)',
      '2026-11-09T14:00/2026-11-09T14:30 Team sync',
      '2026-11-16T14:00/2026-11-16T14:30 Team sync',
      '2026-11-19T21:30/2026-11-19T22:30 Dinner',
      '2026-11-25T23:00/2026-11-27T23:00 Thanksgiving trip',
    ],
  },
  holidays: {
    happens: [
      '2000-10-02T22:00/2000-10-03T22:00 Tag der Deutschen Einheit',
      '2001-10-02T22:00/2001-10-03T22:00 Tag der Deutschen Einheit',
      '2002-10-02T22:00/2002-10-03T22:00 Tag der Deutschen Einheit',
      '2003-10-02T22:00/2003-10-03T22:00 Tag der Deutschen Einheit',
      '2026-11-21T23:00/2026-11-22T23:00 Totensonntag',
      '2026-11-25T23:00/2026-11-26T23:00 Thanksgiving',
      '2026-12-23T23:00/2026-12-26T23:00 Weihnachten',
      '2027-11-24T23:00/2027-11-25T23:00 Thanksgiving',
      '2028-11-22T23:00/2028-11-23T23:00 Thanksgiving',
      '2029-11-21T23:00/2029-11-22T23:00 Thanksgiving',
    ],
  },
  icloud: {
    happens: [
      '2026-10-24T08:30/2026-10-24T10:00 Orchestra',
      '2026-12-24T23:00/2026-12-25T23:00 Grandma’s birthday',
      '2027-12-24T23:00/2027-12-25T23:00 Grandma’s birthday',
      '2028-12-24T23:00/2028-12-25T23:00 Grandma’s birthday',
      '2029-12-24T23:00/2029-12-25T23:00 Grandma’s birthday',
    ],
  },
  latin1: { happens: ['2026-11-12T09:00/2026-11-12T10:00 Größenänderung für 5 €'] },
  'loose-times': {
    happens: [
      '2026-10-29T09:00/2026-10-29T09:30 With dashes, and without seconds',
      '2026-10-30T10:00/2026-10-30T11:00 With milliseconds, and in small letters',
      '2026-10-31T09:00/2026-10-31T10:30 With an offset, and a blank',
      '2026-11-01T22:00/2026-11-01T23:00 Until the end of the day',
      '2026-11-01T23:00/2026-11-02T23:00 A day with dashes',
    ],
    told: [
      '7 warning 2026-10-29T10:00:00 was read as 20261029T100000.',
      '14 warning 20261030T100000.000Z was read as 20261030T100000Z.',
      '21 warning 20261031T100000+0100 was read as 20261031T090000Z.',
      '22 warning 2026-10-31 10:30:00Z was read as 20261031T103000Z.',
      '29 warning 20261101T240000 was read as 20261102T000000.',
      '35 warning 2026-11-02 was read as 20261102.',
      '41 error 20261103T100000+0100 has an offset, which times have not here: write them in UTC (Z), or with a TZID.',
    ],
    left: ['38 failed'],
  },
  'lower-case': {
    happens: ['2026-10-29T07:00/2026-10-29T08:00 Lower case', '2026-10-30T07:00/2026-10-30T08:00 Lower case'],
  },
  'macos-ical-old': {
    happens: [
      '2026-10-23T18:00/2026-10-23T20:00 Choir',
      '2026-10-30T19:00/2026-10-30T21:00 Choir',
      '2026-11-06T19:00/2026-11-06T21:00 Choir',
    ],
  },
  meetup: { happens: ['2026-11-19T18:00/2026-11-19T20:30 Types, types, types'] },
  'mixed-line-ends': { happens: ['2026-10-29T08:00/2026-10-29T09:00 Mixed line ends'] },
  nextcloud: { happens: ['2026-10-31T19:00/2026-11-01T00:30 Halloween 🎃'] },
  'no-uid': {
    happens: ['2026-11-10T11:00/2026-11-10T12:00 Table for two', '2026-11-11T11:00/2026-11-11T11:00 Table for three'],
    told: [
      '3 warning UID is missing; Almanac made one from the content.',
      '9 warning UID is missing; Almanac made one from the content.',
    ],
  },
  'odd-names': {
    happens: [
      '2026-10-29T08:00/2026-10-29T08:00 A blank before the colon',
      '2026-10-30T08:00/2026-10-30T08:00 Lines without a name',
      '2026-10-31T08:00/2026-10-31T08:00 Lines without a name',
    ],
    told: [
      '9 warning This line is not valid and was ignored: X-FOO BAR:kept',
      '15 warning This line is not valid and was ignored: no name here',
      '18 warning This line is not valid and was ignored: 10:30 is no name',
      '20 warning This line is not valid and was ignored: https://example.org/nothing',
    ],
  },
  'offset-and-unknown-zones': {
    happens: [
      '2026-07-01T11:00/2026-07-01T12:00 GMT+0100',
      '2026-10-29T06:30/2026-10-29T07:30 UTC+05:30',
      '2026-10-29T11:00/2026-10-29T12:00 Atlantis',
      '2026-10-30T16:00/2026-10-30T17:00 A Windows name without VTIMEZONE',
      '2026-10-30T19:00/2026-10-30T20:00 A display name without VTIMEZONE',
    ],
    told: ['21 warning The time zone Atlantis/Capital is unknown; its times were read in Europe/Berlin.'],
  },
  'outlook-2016': {
    happens: [
      '2026-11-02T08:30/2026-11-02T10:00 Monatsgespräch',
      '2026-12-07T08:30/2026-12-07T10:00 Monatsgespräch',
      '2027-01-04T08:30/2027-01-04T10:00 Monatsgespräch',
    ],
  },
  'outlook-custom-zone': {
    happens: [
      '2026-10-30T20:00/2026-10-30T21:00 Review',
      '2026-10-31T20:00/2026-10-31T21:00 Review',
      '2026-11-01T21:00/2026-11-01T22:00 Review',
      '2026-11-02T21:00/2026-11-02T22:00 Review',
    ],
  },
  'past-and-future': {
    happens: [
      '1970-01-01T11:00/1970-01-01T12:00 London, a year of summer time',
      '2006-03-28T17:00/2006-03-28T18:00 New York before its new rules',
      '2050-06-15T12:00/2050-06-15T13:00 Casablanca after Ramadan',
      '2087-07-15T10:00/2087-07-15T11:00 Berlin in sixty years',
    ],
  },
  proton: {
    happens: [
      '2026-10-22T07:15/2026-10-22T07:30 Standup',
      '2026-10-23T07:15/2026-10-23T07:30 Standup',
      '2026-10-24T07:15/2026-10-24T07:30 Standup',
      '2026-10-25T08:15/2026-10-25T08:30 Standup',
    ],
  },
  'days-until-midnight': {
    happens: [
      '2026-10-19T22:00/2026-10-20T22:00 Once',
      '2026-11-30T23:00/2026-12-01T23:00 Until midnight here',
      '2026-12-01T23:00/2026-12-02T23:00 Until midnight here',
      '2026-12-02T23:00/2026-12-03T23:00 Until midnight here',
      '2026-12-07T23:00/2026-12-08T23:00 Until the end of a day',
      '2026-12-08T23:00/2026-12-09T23:00 Until the end of a day',
    ],
  },
  'quoted-printable': {
    happens: ['2026-12-01T10:00/2026-12-01T12:00 Flug nach Zürich'],
    told: [
      '9 warning The text was decoded from QUOTED-PRINTABLE.',
      '10 warning The text was decoded from QUOTED-PRINTABLE.',
    ],
  },
  'rdate-period': {
    happens: [
      '2026-10-19T22:00/2026-10-20T22:00 Duty',
      '2026-10-20T07:00/2026-10-20T08:00 Seminar',
      '2026-10-23T07:00/2026-10-23T08:00 Seminar',
      '2026-10-24T22:00/2026-10-25T23:00 Duty',
      '2026-10-27T10:00/2026-10-27T11:00 Seminar',
      '2026-10-31T23:00/2026-11-01T23:00 Duty',
      '2026-11-10T08:00/2026-11-10T09:30 Seminar',
    ],
  },
  'removed-after-moved': {
    happens: [
      '2026-11-02T08:00/2026-11-02T09:00 Weekly',
      '2026-11-17T10:00/2026-11-17T11:00 Removed and then invited again',
    ],
    told: ['14 warning A newer version of the series has removed this occurrence.'],
    left: ['14 skipped'],
  },
  'rfc7986-rfc9073': { happens: ['2026-10-29T07:00/2026-10-29T08:00 Conference'] },
  rules: {
    happens: [
      '2026-10-06T09:00/2026-10-06T09:00 WKST Monday',
      '2026-10-06T10:00/2026-10-06T10:00 WKST Sunday',
      '2026-10-11T09:00/2026-10-11T09:00 WKST Monday',
      '2026-10-18T10:00/2026-10-18T10:00 WKST Sunday',
      '2026-10-20T09:00/2026-10-20T09:00 WKST Monday',
      '2026-10-20T10:00/2026-10-20T10:00 WKST Sunday',
      '2026-10-25T09:00/2026-10-25T09:00 WKST Monday',
      '2026-10-30T15:00/2026-10-30T16:00 Last weekday',
      '2026-10-31T08:00/2026-10-31T08:00 The 31st',
      '2026-11-01T10:00/2026-11-01T10:00 WKST Sunday',
      '2026-11-03T08:00/2026-11-03T08:00 Never',
      '2026-11-03T08:00/2026-11-03T08:00 A bomb',
      '2026-11-03T08:00/2026-11-03T08:00 A rule with spaces',
      '2026-11-04T08:00/2026-11-04T08:00 A rule with spaces',
      '2026-11-30T15:00/2026-11-30T16:00 Last weekday',
      '2026-12-31T08:00/2026-12-31T08:00 The 31st',
      '2026-12-31T15:00/2026-12-31T16:00 Last weekday',
    ],
    told: [
      '44 warning A rule must have at most 96 occurrences a day. The event was read as a single one; its rule is kept as it is.',
      '51 warning The rule has no occurrence, or none in thousands of its periods. The event was read as a single one; its rule is kept as it is.',
    ],
  },
  'rules-older-than-the-law': {
    happens: [
      '2026-12-01T17:00/2026-12-01T18:00 In winter they agree',
      '2027-07-06T17:00/2027-07-06T18:00 In summer the law has changed',
    ],
    told: [
      '29 warning The file has other rules for America/Mexico_City; its times were read by those of America/Mexico_City.',
    ],
  },
  'this-and-future': {
    happens: [
      '2026-10-19T07:00/2026-10-19T08:00 Class',
      '2026-10-26T08:00/2026-10-26T09:00 Class',
      '2026-11-02T13:00/2026-11-02T14:00 Class in the afternoon',
      '2026-11-09T08:00/2026-11-09T09:00 Class',
    ],
    told: ['33 warning RANGE is not supported; only one occurrence was changed.'],
  },
  thunderbird: {
    happens: [
      '2026-10-21T16:00/2026-10-21T17:00 Yoga',
      '2026-10-28T14:00/2026-10-28T15:00 Yoga (outside)',
      '2026-11-02T17:00/2026-11-02T18:00 Yoga',
      '2026-11-11T17:00/2026-11-11T18:00 Yoga',
    ],
  },
  'todo-journal-freebusy': {
    happens: ['2026-10-29T08:00/2026-10-29T08:00 The only event'],
    told: [
      '4 warning VTODO is not an event and was ignored.',
      '12 warning VJOURNAL is not an event and was ignored.',
      '18 warning VFREEBUSY is not an event and was ignored.',
      '23 warning X-FUTURE is not an event and was ignored.',
    ],
    left: ['4 skipped', '12 skipped', '18 skipped', '23 skipped'],
  },
  truncated: {
    happens: ['2026-10-29T08:00/2026-10-29T08:00 Whole'],
    told: ['10 error VEVENT has no END and was ignored.'],
    left: ['10 failed'],
  },
  'two-calendars': {
    happens: [
      '2026-10-29T08:00/2026-10-29T08:00 Cancelled by its message',
      '2026-10-29T23:00/2026-10-29T23:00 Of a calendar in Tokyo',
    ],
    told: ['19 warning The time zone Unheard-of is unknown; its times were read in Asia/Tokyo.'],
  },
  'unreadable-lines': {
    happens: ['2026-10-29T08:00/2026-10-29T08:00 Bad lines are told'],
    told: ['8 warning This line is not valid and was ignored: X-BROKEN;B="c:d', '15 warning END:VALARM has no BEGIN.'],
  },
  'until-forms': {
    happens: [
      '2026-10-24T07:00/2026-10-24T07:30 UNTIL is a date',
      '2026-10-25T08:00/2026-10-25T08:30 UNTIL is a date',
      '2026-10-26T08:00/2026-10-26T08:30 UNTIL is a date',
      '2026-10-31T00:00/2026-10-31T00:30 UNTIL is local',
      '2026-11-01T00:00/2026-11-01T00:30 UNTIL is local',
      '2026-11-02T01:00/2026-11-02T01:30 UNTIL is local',
      '2026-11-09T23:00/2026-11-10T23:00 UNTIL is a time',
      '2026-11-10T23:00/2026-11-11T23:00 UNTIL is a time',
      '2026-11-11T23:00/2026-11-12T23:00 UNTIL is a time',
      '2026-11-16T08:00/2026-11-16T08:00 COUNT and UNTIL',
      '2026-11-17T08:00/2026-11-17T08:00 COUNT and UNTIL',
      '2026-11-18T08:00/2026-11-18T08:00 COUNT and UNTIL',
    ],
    told: [
      '31 warning COUNT and UNTIL exclude each other; the earlier end was used.',
      '38 warning UNTIL is before the start, so the series has no occurrence.',
    ],
  },
  'utf16-be-no-bom': { happens: ['2026-10-29T08:00/2026-10-29T09:00 日本語 🎌'] },
  'utf16-le-bom': { happens: ['2026-10-29T08:00/2026-10-29T09:00 日本語 🎌'] },
  'web-page': { happens: [], told: ['1 error The text contains no VCALENDAR.'] },
  'zone-of-nowhere': {
    happens: ['2026-10-29T09:40/2026-10-29T10:40 Nowhere'],
    told: [
      '22 warning No IANA time zone has the rules of Nowhere. Single times follow those rules; recurrences follow Europe/Berlin.',
    ],
  },
  'zones-beside-the-start': {
    happens: [
      '2026-07-01T14:00/2026-07-01T15:00 EST that has summer time',
      '2026-10-26T15:00/2026-10-26T15:30 Call',
      '2026-10-28T16:00/2026-10-28T16:30 Call, an hour later',
      '2026-10-29T09:00/2026-10-29T17:00 Flight',
      '2026-10-29T10:00/2026-10-29T11:00 Ends nowhere',
      '2026-10-30T10:00/2026-10-30T12:00 Ends in Atlantis',
      '2026-10-31T11:00/2026-10-31T12:00 Is in Atlantis',
      '2026-11-07T15:00/2026-11-07T15:30 Call',
    ],
    told: [
      '13 warning The time of an alarm must be in UTC; it was changed to 20261029T070000Z.',
      '45 warning No IANA time zone has the rules of Nowhere. Single times follow those rules; recurrences follow Europe/Berlin.',
      '52 warning The time zone Atlantis is unknown; its times were read in Europe/Berlin.',
    ],
  },
  'zones-by-display-name': {
    happens: [
      '2026-12-01T10:00/2026-12-01T11:00 Z and TZID',
      '2027-07-01T03:00/2027-07-01T04:00 tzone://Microsoft/Custom',
      '2027-07-01T03:00/2027-07-01T04:00 (UTC+09:00) Atlantis',
      '2027-07-01T06:30/2027-07-01T07:30 (UTC+05:30) Chennai, Kolkata, Mumbai, New Delhi',
      '2027-07-01T09:00/2027-07-01T10:00 (UTC+02:00) Istanbul',
      '2027-07-01T10:00/2027-07-01T11:00 (GMT+01.00) Sarajevo/Warsaw/Zagreb',
      '2027-07-01T10:00/2027-07-01T11:00 Amsterdam, Belgrade, Berlin, Brussels',
      '2027-07-01T10:00/2027-07-01T11:00 Mitteleuropäische Zeit',
      '2027-07-01T11:00/2027-07-01T12:00 (GMT +01:00)',
      '2027-07-01T15:00/2027-07-01T16:00 (UTC-03:00) Brasilia',
      '2027-07-01T16:00/2027-07-01T17:00 (UTC-05:00) Eastern Time (US and Canada)',
      '2027-07-01T16:00/2027-07-01T17:00 US-Eastern',
    ],
    told: [
      '50 warning The time zone (UTC+02:00) Istanbul was read as Europe/Istanbul, which has another offset today.',
      '57 warning The place of the time zone (UTC+09:00) Atlantis is unknown; only its offset was used.',
      '78 warning The time zone tzone://Microsoft/Custom is unknown; its times were read in Asia/Tokyo.',
      '85 warning DTSTART is in UTC (Z), so its TZID was ignored.',
    ],
  },
  'zones-half-defined': {
    happens: [
      '2026-07-01T16:00/2026-07-01T17:00 Offsets to but not from',
      '2026-10-20T10:00/2026-10-20T11:00 Dates instead of rules',
      '2026-10-27T11:00/2026-10-27T12:00 Dates instead of rules',
      '2026-12-01T06:30/2026-12-01T07:30 Only a location',
      '2026-12-01T06:30/2026-12-01T07:30 Two definitions',
      '2026-12-01T17:00/2026-12-01T18:00 An empty definition',
    ],
    told: [
      '59 warning The file defines the time zone Twice in two ways; the last one was used.',
      '66 warning The time zone (UTC-05:00) Eastern Time (US & Canada) cannot be read; its times were read in America/New_York.',
      '80 warning The time zone Located cannot be read; its times were read in Asia/Kolkata.',
    ],
  },
  zoom: { happens: ["2026-11-03T01:00/2026-11-03T02:00 Ada's Zoom Meeting"] },
  durations: {
    happens: [
      '2026-12-01T09:00/2026-12-01T09:15 Months are minutes',
      '2026-12-02T09:00/2026-12-02T09:00 No length',
      '2026-12-03T09:00/2026-12-03T09:00 No length after the T',
      '2026-12-04T09:00/2026-12-05T09:00 A day after the T',
      '2026-12-05T09:00/2026-12-12T09:00 A week after the T',
      '2026-12-06T09:00/2026-12-15T09:00 A week and two days',
      '2026-12-07T09:00/2026-12-07T10:30 Lower case and a plus',
      '2026-12-08T09:00/2026-12-08T10:30 A fraction',
      '2026-12-09T09:00/2026-12-09T10:00 An alarm of minutes',
      '2026-12-10T09:00/2026-12-10T10:00 An alarm of Java',
    ],
    told: [
      '8 warning A duration has no months, so the M of P15M was read as minutes.',
      '15 warning The duration P names no length and was read as zero.',
      '22 warning The duration PT names no length and was read as zero.',
      '68 warning A duration has no months, so the M of -P15M was read as minutes.',
      '88 error The event ends before it starts.',
    ],
    left: ['84 failed'],
  },
  'nominal-days': {
    happens: [
      '2026-03-21T11:00/2026-03-22T11:00 An exact end each week',
      '2026-03-28T09:00/2026-03-29T08:00 A day each week',
      '2026-03-28T10:00/2026-03-29T10:00 24 hours each week',
      '2026-03-28T11:00/2026-03-29T11:00 An exact end each week',
      '2026-03-28T12:00/2026-03-29T11:00 A day, once',
      '2026-04-04T08:00/2026-04-05T08:00 A day each week',
      '2026-04-04T09:00/2026-04-05T09:00 24 hours each week',
      '2026-10-17T08:00/2026-10-18T10:00 A day and two hours',
      '2026-10-24T10:00/2026-10-25T13:00 A day and two hours, later',
    ],
  },
  'ends-with-seconds': {
    happens: [
      '2026-11-30T23:00/2026-12-01T22:59 A day to its last second',
      '2026-12-02T09:00/2026-12-02T09:59 An hour to its last second',
      '2026-12-03T22:00/2026-12-03T22:59 Each night',
      '2026-12-04T22:00/2026-12-04T22:59 Each night',
      '2026-12-05T09:00/2026-12-05T10:00 From a second on',
      '2026-12-05T23:00/2026-12-07T23:00 Days with a time as end',
    ],
  },
  'odd-rules': {
    happens: [
      '2026-12-01T09:00/2026-12-01T09:00 Rule 0',
      '2026-12-01T09:00/2026-12-01T09:00 Rule 1',
      '2026-12-01T09:00/2026-12-01T09:00 Rule 10',
      '2026-12-01T09:00/2026-12-01T09:00 Rule 11',
      '2026-12-01T09:00/2026-12-01T09:00 Rule 12',
      '2026-12-01T09:00/2026-12-01T09:00 Rule 13',
      '2026-12-01T09:00/2026-12-01T09:00 Rule 14',
      '2026-12-01T09:00/2026-12-01T09:00 Rule 15',
      '2026-12-01T09:00/2026-12-01T09:00 Rule 16',
      '2026-12-01T09:00/2026-12-01T09:00 Rule 17',
      '2026-12-01T09:00/2026-12-01T09:00 Rule 18',
      '2026-12-01T09:00/2026-12-01T09:00 Rule 19',
      '2026-12-01T09:00/2026-12-01T09:00 Rule 2',
      '2026-12-01T09:00/2026-12-01T09:00 Rule 3',
      '2026-12-01T09:00/2026-12-01T09:00 Rule 4',
      '2026-12-01T09:00/2026-12-01T09:00 Rule 5',
      '2026-12-01T09:00/2026-12-01T09:00 Rule 6',
      '2026-12-01T09:00/2026-12-01T09:00 Rule 7',
      '2026-12-01T09:00/2026-12-01T09:00 Rule 8',
      '2026-12-01T09:00/2026-12-01T09:00 Rule 9',
      '2026-12-01T09:00/2026-12-01T09:00 Rule 10',
      '2026-12-02T09:00/2026-12-02T09:00 Rule 14',
      '2026-12-02T09:00/2026-12-02T09:00 Rule 16',
      '2026-12-02T09:00/2026-12-02T09:00 Rule 10',
      '2026-12-07T09:00/2026-12-07T09:00 Rule 7',
      '2026-12-08T09:00/2026-12-08T09:00 Rule 1',
      '2026-12-08T09:00/2026-12-08T09:00 Rule 11',
      '2026-12-08T09:00/2026-12-08T09:00 Rule 12',
      '2026-12-08T09:00/2026-12-08T09:00 Rule 13',
      '2026-12-08T09:00/2026-12-08T09:00 Rule 17',
      '2026-12-08T09:00/2026-12-08T09:00 Rule 18',
      '2026-12-08T09:00/2026-12-08T09:00 Rule 19',
      '2026-12-08T09:00/2026-12-08T09:00 Rule 2',
      '2026-12-08T09:00/2026-12-08T09:00 Rule 3',
      '2026-12-08T09:00/2026-12-08T09:00 Rule 4',
      '2026-12-08T09:00/2026-12-08T09:00 Rule 5',
      '2026-12-08T09:00/2026-12-08T09:00 Rule 6',
      '2026-12-08T09:00/2026-12-08T09:00 Rule 8',
      '2026-12-14T09:00/2026-12-14T09:00 Rule 7',
      '2026-12-15T09:00/2026-12-15T09:00 Rule 4',
      '2026-12-15T09:00/2026-12-15T09:00 Rule 5',
      '2026-12-15T09:00/2026-12-15T09:00 Rule 8',
      '2026-12-22T09:00/2026-12-22T09:00 Rule 4',
      '2026-12-22T09:00/2026-12-22T09:00 Rule 5',
      '2027-01-01T09:00/2027-01-01T09:00 Rule 15',
      '2027-01-05T09:00/2027-01-05T09:00 Rule 9',
      '2027-02-01T09:00/2027-02-01T09:00 Rule 15',
    ],
    told: [
      '8 warning The rule is empty and was left out.',
      '15 warning RSCALE=GREGORIAN has no meaning in a rule and was left out.',
      '22 warning SKIP=OMIT has no meaning in a rule and was left out.',
      '29 warning X-A=B has no meaning in a rule and was left out.',
      '36 warning COUNT=0 has no meaning in a rule and was left out.',
      '43 warning COUNT=-1 has no meaning in a rule and was left out.',
      '50 warning INTERVAL=0 has no meaning in a rule and was left out.',
      '57 warning BYDAY=0MO was read as BYDAY=MO.',
      '85 warning BYDAY=TU,XX was read as BYDAY=TU.',
      '92 warning COUNT occurs twice in the rule; the first was used.',
      '113 warning UNTIL=20270231 was read as UNTIL=20270228.',
      '120 warning UNTIL=20261202T120000+0100 was read as UNTIL=20261202T110000Z.',
      '127 warning BYMONTHDAY=1 has no meaning in this rule and was left out.',
      '134 warning BYDAY=2TU was read as BYDAY=TU.',
      '141 warning BYSETPOS=1 has no meaning in this rule and was left out.',
    ],
  },
  'rules-of-others': {
    happens: [
      '2026-12-01T09:00/2026-12-01T09:00 Rule 0',
      '2026-12-01T09:00/2026-12-01T09:00 Rule 1',
      '2026-12-01T09:00/2026-12-01T09:00 Rule 2',
      '2026-12-01T09:00/2026-12-01T09:00 Rule 3',
      '2026-12-01T09:00/2026-12-01T09:00 Rule 4',
    ],
    told: [
      '8 warning RSCALE=HEBREW is not supported. The event was read as a single one; its rule is kept as it is.',
      '15 warning SKIP=BACKWARD is not supported. The event was read as a single one; its rule is kept as it is.',
      '22 warning FREQ is missing. The event was read as a single one; its rule is kept as it is.',
      '29 warning A rule must have at most 96 occurrences a day. The event was read as a single one; its rule is kept as it is.',
      '36 warning BYEASTER is not supported. The event was read as a single one; its rule is kept as it is.',
    ],
  },
  'empty-series': {
    happens: [
      '2026-12-02T09:00/2026-12-02T09:00 Ends on its first day',
      '2026-12-10T09:00/2026-12-10T09:00 Only a single date',
    ],
    told: [
      '8 warning UNTIL is before the start, so the series has no occurrence.',
      '22 warning UNTIL is before the start, so the series has no occurrence.',
      '29 warning UNTIL is before the start, so the series has no occurrence.',
      '36 warning UNTIL is before the start, so the series has no occurrence.',
      '43 warning UNTIL is before the start, so the series has no occurrence.',
    ],
  },
};
