/** The requests of outsiders with wanted effects (effects.ts), through the whole service: their calendar, and what plans would do. */
import { readFileSync } from 'node:fs';
import { localStart } from '../../src/domain/time/time.ts';
import { partsOf, textOf } from '../../src/domain/calendar/rrule-parts.ts';
import { annotated } from './annotated.ts';
import { calendarText, vevent } from './calendar.ts';
import { CALENDAR, type Effect, isRight, NOW } from './effects.ts';
import type { Happening, Outcome, Plan, Verdict, World } from './requests.ts';

const ZONE = 'Europe/Berlin';
const DAY = 1440;

/** Requests with effects, and dialogues, as they are typed. */
export type Wanted = { say: string | string[]; want: Effect[][] };

export const OUTSIDE: World & { now: string } = {
  today: NOW.toPlainDate(),
  days: 60,
  now: NOW.toZonedDateTime(ZONE).toInstant().toString(),
  calendar: calendarText(
    ...CALENDAR.map(([title, at, minutes, weekly], i) =>
      vevent(
        `UID:given-${i}`,
        `DTSTART;TZID=${ZONE}:${at.replaceAll(/[-:]/g, '')}00`,
        `DURATION:PT${minutes}M`,
        `SUMMARY:${title}`,
        ...(weekly ? ['RRULE:FREQ=WEEKLY'] : []),
      ),
    ),
  ),
  memory: [],
  tempo: { time_ranges: [{ name: 'work', days: ['MO', 'TU', 'WE', 'TH', 'FR'], start: '09:00', end: '17:30' }] },
};

/** Reads a file in the notation of effects.md. */
export const wantedIn = (file: string): Wanted[] =>
  readFileSync(file, 'utf8')
    .split('\n')
    .filter((line) => line.trim())
    .map((line) => {
      const { text, turns, want } = JSON.parse(line) as { text?: string; turns?: string[]; want: Effect[][] };
      const plain = (said: string): string => annotated(said).text;
      return { say: turns ? turns.map(plain) : plain(text!), want };
    });

const wallOf = (at: string): Temporal.PlainDateTime => Temporal.PlainDateTime.from(localStart(at, ZONE).slice(0, 16));
const dayOf = (at: string): string => wallOf(at).toPlainDate().toString();
const clockOf = (wall: Temporal.PlainDateTime): string => wall.toPlainTime().toString().slice(0, 5);

/** The last day of a rule, of which UNTIL has a date, a wall time, or an instant. */
const untilOf = (text: string): string => {
  const [, year, month, day, time] = /^(\d{4})(\d\d)(\d\d)(?:T(\d{6})Z)?/.exec(text) ?? [];
  const date = `${year}-${month}-${day}`;
  return time === undefined ? date : dayOf(`${date}T${time.replace(/(..)(..)(..)/, '$1:$2:$3')}.000Z`);
};

const creation = (plan: Plan, left: readonly string[]): Effect => {
  const { title, content, scheduled_for, duration_minutes, rrule, arguments: own } = plan;
  const { UNTIL, COUNT, ...rule } = partsOf(rrule ?? '');
  const at = wallOf(scheduled_for!);
  return {
    ...{ do: 'create', title, date: at.toPlainDate().toString(), notes: content },
    ...(own.location && { place: own.location }),
    ...(own.all_day ? { days: Math.round((duration_minutes ?? DAY) / DAY) } : { at: clockOf(at) }),
    ...(!own.all_day && duration_minutes && { minutes: duration_minutes }),
    ...(rrule && { repeat: textOf(rule) }),
    ...(UNTIL && { until: untilOf(UNTIL) }),
    ...(COUNT && { times: Number(COUNT) }),
    ...(left.length > 0 && { except: left.map(dayOf) }),
  };
};

/** What a plan makes of an event: it is cancelled, or gets another time, another length or other texts. */
const changes = (plan: Plan, event: Happening): Effect[] => {
  const { title: name, location: place, description: notes, cancel } = plan.arguments;
  const date = event.at.toPlainDate().toString();
  if (cancel) return [{ do: 'cancel', event: event.title, date }];
  const at = plan.scheduled_for ? wallOf(plan.scheduled_for) : event.at;
  const minutes = plan.duration_minutes ?? event.minutes;
  const until = clockOf(at.add({ minutes }));
  const isMoved = !at.equals(event.at);
  const moved = { do: 'move', event: event.title, date: at.toPlainDate().toString(), at: clockOf(at), minutes };
  const texts = { ...(name && { title: name }), ...(place && { place }), ...(notes && { notes }) };
  return [
    ...(isMoved
      ? [moved]
      : minutes === event.minutes
        ? []
        : [{ do: 'resize', event: event.title, date, minutes, until }]),
    ...(Object.keys(texts).length > 0 ? [{ do: 'change', event: event.title, date, ...texts }] : []),
  ];
};

const effectsOfPlan = (plan: Plan, { given, leftOut }: Outcome): Effect[] => {
  const { action_type: type, title, content, target_event_uid: uid, scheduled_for: at } = plan;
  if (type === 'configure') return [{ do: 'setting', text: title }];
  if (type === 'log') return [{ do: 'note', text: `${title} ${content}` }];
  if (type === 'reflect') return [{ do: 'reflect', text: title }];
  const { recurrence_id = null } = plan.arguments;
  const event = given.find((one) => one.uid === uid && (recurrence_id === null || one.recurrence_id === recurrence_id));
  if (event) return changes(plan, event);
  return at === null ? [{ do: type, title }] : [creation(plan, leftOut.get(plan.uid) ?? [])];
};

/** What is proposed, or would be if its time were free; else what was said. */
export const effectsOf = (outcome: Outcome, isDialogue: boolean): Effect[] => {
  const { proposed, refused, questions, reply } = outcome;
  const made = [...proposed, ...refused].flatMap((plan) => effectsOfPlan(plan, outcome));
  if (questions > 0 && !(isDialogue && made.length > 0)) made.push({ do: 'answer' });
  return made.length > 0 ? made : [{ do: reply.includes('?') ? 'ask' : 'nothing' }];
};

/** Whether it is said that something was not understood, not possible, or has to be decided. */
export const isDoubted = ({ reply, warnings, isRefused }: Outcome): boolean =>
  isRefused ||
  warnings.length > 0 ||
  /\?|not possible|stays as it is|proposed nothing|Nothing was proposed/.test(reply);

/** Right, unclear (the last prompt led to no proposal, and the reply says so) or wrong. */
export const judgeEffects = ({ say, want }: Wanted, outcome: Outcome): Verdict => {
  if (isRight(effectsOf(outcome, Array.isArray(say)), want)) return 'right';
  const { proposed, made, reply } = outcome;
  return proposed.length === 0 || (made === 0 && /\?|proposed nothing/.test(reply)) ? 'unclear' : 'wrong';
};
