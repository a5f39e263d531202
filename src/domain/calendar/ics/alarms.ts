/** VALARM (RFC 5545 §3.6.6) and reminders: an alarm a reminder can say in full is one, any other is kept as it came too. */
import type { JcalComponent } from '../event-doc.ts';
import { contentLines, readable } from './jcal-text.ts';

/** Whole minutes an alarm rings before the start, or null where it rings at a time, at the end, or after the start. */
export const alarmMinutes = ([, properties]: JcalComponent): number | null => {
  const kept = properties.find(([name]) => name === 'trigger');
  const trigger = kept && readable(kept);
  if (!trigger || trigger[2] !== 'duration' || String(trigger[1]['related'] ?? '').toUpperCase() === 'END') return null;
  try {
    const { weeks, days, hours, minutes, seconds, sign } = Temporal.Duration.from(String(trigger[3]));
    const before = -(((weeks * 7 + days) * 24 + hours) * 60 + minutes + seconds / 60);
    return sign <= 0 && Number.isInteger(before) ? before + 0 : null;
  } catch {
    return null;
  }
};

/** The alarm a reminder is written as. */
export const alarmOf = (minutes: number, title: string): JcalComponent => [
  'valarm',
  [
    ['action', {}, 'text', 'DISPLAY'],
    ['description', {}, 'text', title],
    ['trigger', {}, 'duration', `${minutes > 0 ? '-' : ''}PT${minutes}M`],
  ],
  [],
];

/** Whether an alarm is what a reminder is written as, to the letter, so that it need not be kept. */
export const isPlain = (alarm: JcalComponent, title: string): boolean => {
  const minutes = alarmMinutes(alarm);
  return minutes !== null && contentLines(alarm).join() === contentLines(alarmOf(minutes, title)).join();
};

/** An event's alarms: those kept while their reminder stands or none can stand for them, and one for each other reminder. */
export const alarmsOf = (reminders: number[], kept: JcalComponent[], title: string): JcalComponent[] => {
  const told = kept.map(alarmMinutes);
  const standing = kept.filter((_alarm, at) => told[at] === null || reminders.includes(told[at] ?? NaN));
  return [
    ...standing,
    ...reminders.filter((minutes) => !told.includes(minutes)).map((minutes) => alarmOf(minutes, title)),
  ];
};
