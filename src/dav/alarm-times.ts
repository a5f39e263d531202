/** When the alarms of an event ring (RFC 5545 §3.6.6), for queries by VALARM. */
import type { EventDoc } from '../domain/calendar/event-doc.ts';
import { readDuration, secondsOf } from '../domain/calendar/durations.ts';
import { textIn, type Component } from '../domain/calendar/ics/components.ts';
import { readable } from '../domain/calendar/ics/jcal-text.ts';
import { eventEnd, type Timeline } from '../domain/calendar/series-expansion.ts';
import type { Span } from '../domain/time/spans.ts';
import { millis } from '../domain/time/time.ts';
import type { Work } from './work.ts';

type Trigger = { offset: number; from: 'start' | 'end' } | { at: number };

/** An alarm that repeats more often is looked at only so far. */
const MOST_REPEATS = 100;

const millisIn = (text: string): number => {
  const read = readDuration(text);
  return read ? secondsOf(read) * 1000 : NaN;
};

/** The instant of a fixed time. Some programs write it without its type, and so it keeps the form of the file. */
const fixedTime = (text: string): number =>
  Date.parse(text.trim().replace(/^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)/i, '$1-$2-$3T$4:$5:$6'));

const triggerOf = (alarm: Component): Trigger | null => {
  const property = alarm.properties.find(({ name }) => name === 'trigger');
  const trigger = property && (readable(property.kept) ?? property.jcal);
  if (!trigger) return null;
  const [, params, type, value] = trigger;
  const offset = type === 'duration' ? millisIn(String(value)) : NaN;
  if (Number.isNaN(offset)) {
    const at = fixedTime(String(value));
    return Number.isNaN(at) ? null : { at };
  }
  return { offset, from: String(params['related'] ?? '').toUpperCase() === 'END' ? 'end' : 'start' };
};

/** How long after the first time an alarm rings again. */
const repeatsOf = (alarm: Component): number[] => {
  const raw = (name: string) => alarm.properties.find((one) => one.name === name)?.raw ?? textIn(alarm, name) ?? '';
  const each = millisIn(raw('duration'));
  const count = Math.min(Number(raw('repeat')) || 0, MOST_REPEATS);
  return Number.isNaN(each) ? [0] : Array.from({ length: count + 1 }, (_, i) => i * each);
};

type Place = { doc: EventDoc; isFirst: boolean; timeline: Timeline<EventDoc> };

/** Whether an alarm of an event, or of one of its occurrences, rings in the range. @throws 403 */
export function* ringing(
  alarm: Component,
  { doc, isFirst, timeline }: Place,
  [from, to]: Span,
  work: Work,
): Generator<undefined, boolean> {
  const trigger = triggerOf(alarm);
  if (!trigger) return false;
  const repeats = repeatsOf(alarm);
  const isIn = (at: number): boolean => {
    work.visit(1 + repeats.length / 16);
    return repeats.some((later) => at + later >= from && at + later < to);
  };
  if ('at' in trigger) return isIn(trigger.at);
  const { offset } = trigger;
  const base = (one: { start: number; end: number }): number => (trigger.from === 'end' ? one.end : one.start);
  if (!isFirst) return isIn(base({ start: millis(doc.scheduled_for), end: millis(eventEnd(doc)) }) + offset);
  const last = repeats.at(-1) ?? 0;
  // One millisecond more, since an event that ends when the window begins does not overlap it.
  for (const one of timeline({ window: [from - offset - last - 1, to - offset + 1] })) {
    work.visit();
    yield;
    if (!one.override && isIn(base(one) + offset)) return true;
  }
  return false;
}
