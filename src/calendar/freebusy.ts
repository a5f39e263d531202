/** Writes busy time as VFREEBUSY (RFC 5545 §3.6.4), for programs that plan meetings. Pure. */
import { folded } from '../domain/calendar/ics/jcal-text.ts';
import type { Instant, Interval } from '../domain/time/time.ts';

const utc = (at: Instant): string => `${at.slice(0, 19).replace(/[-:]/g, '')}Z`;

export type FreeBusy = Interval & { busy: readonly Interval[]; tentative?: readonly Interval[] };

/** Writes a calendar that shows when time is taken and not by what. */
export const freeBusyText = ({ start, end, busy, tentative = [] }: FreeBusy, now: Instant, user_id: string): string =>
  folded([
    'BEGIN:VCALENDAR',
    'VERSION:2.0',
    'PRODID:-//Almanac//Almanac//EN',
    'BEGIN:VFREEBUSY',
    `UID:freebusy-${user_id}`,
    `DTSTAMP:${utc(now)}`,
    `DTSTART:${utc(start)}`,
    `DTEND:${utc(end)}`,
    ...busy.map((one) => `FREEBUSY;FBTYPE=BUSY:${utc(one.start)}/${utc(one.end)}`),
    ...tentative.map((one) => `FREEBUSY;FBTYPE=BUSY-TENTATIVE:${utc(one.start)}/${utc(one.end)}`),
    'END:VFREEBUSY',
    'END:VCALENDAR',
  ]);
