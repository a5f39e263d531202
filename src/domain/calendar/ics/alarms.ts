/**
 * Converts between VALARM (RFC 5545 §3.6.6) and reminders. An alarm that a reminder fully describes becomes one; any other alarm
 * is also kept unchanged.
 */
import type { JcalComponent, JcalProperty } from '../event-doc.ts';
import { durationText, readDuration, secondsOf } from '../durations.ts';
import { contentLine, contentLines, readable, verbatim } from './jcal-text.ts';

/**
 * Returns the whole minutes before the start at which an alarm rings, or null where it rings at a fixed time, relative to the
 * end, or after the start. A day has 24 hours here, as in reminders.
 */
export const alarmMinutes = ([, properties]: JcalComponent): number | null => {
  const kept = properties.find(([name]) => name === 'trigger');
  const trigger = kept && readable(kept);
  if (!trigger || trigger[2] !== 'duration' || String(trigger[1]['related'] ?? '').toUpperCase() === 'END') return null;
  const offset = readDuration(String(trigger[3]));
  if (!offset) return null;
  const before = -secondsOf(offset) / 60 + 0;
  return before >= 0 && Number.isInteger(before) ? before : null;
};

/** The durations that RFC 5545 §3.3.6 allows. */
const STRICT = /^[+-]?P(?:\d+W|(?=\d|T\d)(?:\d+D)?(?:T(?=\d)(?:\d+H)?(?:\d+M)?(?:\d+S)?)?)$/;

/** The alarm with its trigger as other programs read it: `PT-15M` becomes `-PT15M`. Some refuse a whole file for one of these. */
export const withStrictTrigger = (alarm: JcalComponent): JcalComponent => {
  const [name, properties, components] = alarm;
  const strict = properties.map((property): JcalProperty => {
    const read = property[0] === 'trigger' ? readable(property) : null;
    if (read?.[2] !== 'duration' || STRICT.test(String(read[3]))) return property;
    const offset = readDuration(String(read[3]));
    if (!offset) return property;
    const { days, seconds } = offset;
    const isBefore = days < 0 || seconds < 0;
    const text = durationText({ days: Math.abs(days), seconds: Math.abs(seconds) });
    return verbatim('trigger', contentLine(['trigger', read[1], 'duration', `${isBefore ? '-' : ''}${text}`]));
  });
  return [name, strict, components];
};

/** Makes the alarm of a reminder. */
export const alarmOf = (minutes: number, title: string): JcalComponent => [
  'valarm',
  [
    ['action', {}, 'text', 'DISPLAY'],
    ['description', {}, 'text', title],
    ['trigger', {}, 'duration', `${minutes > 0 ? '-' : ''}PT${minutes}M`],
  ],
  [],
];

/** Returns whether an alarm equals the one that its reminder would be written as, so that it need not be kept. */
export const isPlain = (alarm: JcalComponent, title: string): boolean => {
  const minutes = alarmMinutes(alarm);
  return minutes !== null && contentLines(alarm).join() === contentLines(alarmOf(minutes, title)).join();
};

/**
 * Lists an event's alarms: kept ones whose reminder still exists or that no reminder can describe, and one for each other
 * reminder.
 */
export const alarmsOf = (reminders: number[], kept: JcalComponent[], title: string): JcalComponent[] => {
  const minutesOfKept = kept.map(alarmMinutes);
  const valid = kept.filter((_alarm, at) => minutesOfKept[at] === null || reminders.includes(minutesOfKept[at] ?? NaN));
  return [
    ...valid,
    ...reminders.filter((minutes) => !minutesOfKept.includes(minutes)).map((minutes) => alarmOf(minutes, title)),
  ];
};
