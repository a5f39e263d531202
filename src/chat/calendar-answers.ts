/** Answers questions about the calendar: what is on, what is next, when, where and how long, and when there is free time. */
import type { Occurrence } from '../calendar/schemas.ts';
import type { CalendarService } from '../calendar/service.ts';
import type { Db } from '../db/database.ts';
import type { AskedTime } from '../domain/planner/intents/types.ts';
import { tempoWindows } from '../domain/plan/tempo.ts';
import { WEEKDAYS } from '../domain/plan/weekdays.ts';
import { terms } from '../domain/text/search-words.ts';
import { intersectSpans, mergeSpans, subtractSpans, toInterval, toSpan } from '../domain/time/spans.ts';
import { lengthName, minutesName } from '../domain/time/say.ts';
import { addMinutes, millis, minutesBetween, zoned, type Interval } from '../domain/time/time.ts';
import { presentEach, type Sensitive } from '../ledger/sensitive-values.ts';
import type { TempoService } from '../tempo/service.ts';
import { count, MOST, named, only, type Answer, type Asking } from './answer.ts';
import { eventText, freeText, hourText, lengthText, placeText, timeText } from './answer-text.ts';

export type CalendarAnswersDeps = { db: Db; calendar: CalendarService; tempo: TempoService; sensitive: Sensitive };

const DAY = 1440;
/** Questions about events look so far ahead, or back, where they name no time: first near, as most events are there. */
const NEAR_DAYS = 62;
const FAR_DAYS = 366;
const COMING_DAYS = 7;
const NEXT_SHOWN = 3;
/** Shorter gaps are no free time. */
const LEAST_FREE_MINUTES = 15;
const MAX_TERMS = 32;
const DESCRIPTION_READ = 2_000;

/** Whether an event has all of the words. */
const has = (asked: readonly string[], { title, location, description, task_id, tags }: Occurrence): boolean => {
  const own = terms([title, location, description?.slice(0, DESCRIPTION_READ), task_id, ...tags].join(' '));
  return asked.every((term) => own.includes(term));
};

const matching = (events: Occurrence[], about: string): Occurrence[] => {
  const asked = terms(about, MAX_TERMS);
  return asked.length === 0 ? events : events.filter((event) => has(asked, event));
};

/** The events whose titles have most of the words, where some have any: 'fly to Lisbon' may be “Flight to Lisbon”. */
const withSomeWord = (events: Occurrence[], about: string): Occurrence[] => {
  const wordsOf = (text: string): string[] => text.toLowerCase().match(/[\p{L}\p{N}]{3,}/gu) ?? [];
  const asked = wordsOf(about).slice(0, MAX_TERMS);
  const scored = events.map((event) => {
    const own = wordsOf(event.title);
    return { event, score: asked.filter((word) => own.includes(word)).length };
  });
  const best = Math.max(0, ...scored.map(({ score }) => score));
  return best === 0 ? [] : scored.filter(({ score }) => score === best).map(({ event }) => event);
};

/** Of each series the first one in the list. */
const oneOfEach = (events: Occurrence[]): Occurrence[] => {
  const seen = new Set<string>();
  return events.filter(({ uid }) => !seen.has(uid) && seen.add(uid));
};

/** Whether something is in the hours, and on the weekdays, that a question names. */
export const isWithinHours = (
  { start, end }: Interval,
  { hours, weekdays }: Pick<AskedTime, 'hours' | 'weekdays'>,
  zone: string,
): boolean => {
  const { hour, minute, dayOfWeek } = zoned(start, zone);
  if (weekdays && !weekdays.includes(dayOfWeek)) return false;
  const from = hour * 60 + minute;
  return !hours || (from < hours.to && from + minutesBetween(start, end) > hours.from);
};

const withinHours = (events: Occurrence[], time: AskedTime, zone: string): Occurrence[] =>
  events.filter(
    ({ scheduled_for: start, end, all_day }) => !(all_day && time.hours) && isWithinHours({ start, end }, time, zone),
  );

const isWholeDays = ({ start, end }: Interval, zone: string): boolean =>
  hourText(start, zone) === '00:00' && hourText(end, zone) === '00:00';

const listed = (
  { zone, now, show }: Asking,
  head: string,
  events: Occurrence[],
  text: typeof eventText = eventText,
): Answer => {
  const shown = events.slice(0, MOST);
  const lines = shown.map((event) => text(show(event), zone, now));
  return { head, lines, more: events.length - shown.length, events: shown, traces: [] };
};

const textFor = ({ question }: Asking): typeof eventText =>
  question.kind === 'how_long' ? lengthText : question.kind === 'where' ? placeText : eventText;

/** The time of a question; where it names none, the coming days. */
export const timeOf = ({ question, now, zone }: Asking): { time: AskedTime; when: string } =>
  question.time
    ? { time: question.time, when: timeText(question.time, zone, now) }
    : { time: { start: now, end: addMinutes(now, COMING_DAYS * DAY) }, when: `in the next ${COMING_DAYS} days` };

export const createCalendarAnswers = ({ db, calendar, tempo, sensitive }: CalendarAnswersDeps) => {
  /** As the caller may see them: events that are found by a hidden word would confirm it. */
  const eventsIn = async ({ caller }: Asking, window: Interval): Promise<Occurrence[]> => {
    const all = await calendar.inTransaction.overview(db, caller.user_id, window);
    const shown = await presentEach(sensitive, caller, all);
    return shown.filter(({ status }) => status !== 'cancelled');
  };

  const agenda = async (asking: Asking): Promise<Answer> => {
    const { about, isPast } = asking.question;
    const { time, when } = timeOf(asking);
    const all = withinHours(await eventsIn(asking, time), time, asking.zone);
    const events = matching(all, about);
    const of = named('for', asking);
    const others =
      about && all.length > 0 ? `; ${count(all.length, 'other event')} ${all.length === 1 ? 'is' : 'are'}` : '';
    if (events.length === 0) return only(`Nothing${of} ${isPast ? 'was' : 'is'} on your calendar ${when}${others}.`);
    const verb = isPast ? ['was', 'were'] : ['is', 'are'];
    return listed(
      asking,
      `There ${verb[events.length === 1 ? 0 : 1]} ${count(events.length, 'event')}${of} ${when}:`,
      events,
    );
  };

  const next = async (asking: Asking): Promise<Answer> => {
    const { question, now } = asking;
    const window = question.time ?? { start: now, end: addMinutes(now, NEAR_DAYS * DAY) };
    const all = await eventsIn(asking, window);
    const first = question.isAfter
      ? matching(all, question.about).find(({ end }) => millis(end) > millis(now))
      : undefined;
    const events = (first ? all : matching(all, question.about)).filter(
      ({ scheduled_for }) => millis(scheduled_for) >= millis(first?.end ?? now),
    );
    return events.length === 0
      ? only(`Nothing is coming up on your calendar${named('for', asking)} in the next ${NEAR_DAYS} days.`)
      : { ...listed(asking, 'Next on your calendar:', events.slice(0, NEXT_SHOWN)), more: 0 };
  };

  /**
   * Events by their words, the nearest first. Where none has all of them, the sentence that says so, and events with some.
   */
  const events = async (asking: Asking): Promise<{ answer: Answer } | { none: string; near: Answer | null }> => {
    const { question, now, zone } = asking;
    const { time, isPast, about } = question;
    const reach = (days: number): Interval =>
      isPast ? { start: addMinutes(now, -days * DAY), end: now } : { start: now, end: addMinutes(now, days * DAY) };
    for (const window of time ? [time] : [reach(NEAR_DAYS), reach(FAR_DAYS)]) {
      const all = matching(await eventsIn(asking, window), about);
      const found = oneOfEach(isPast ? all.toReversed() : all);
      const head = found.length === 1 ? '' : `There are ${count(found.length, 'event')}${named('for', asking)}:`;
      if (found.length > 0) return { answer: listed(asking, head, found, textFor(asking)) };
    }
    const when = time ? timeText(time, zone, now) : `in the ${isPast ? 'last' : 'next'} ${FAR_DAYS} days`;
    const none = `I found no event${named('for', asking)} ${when}`;
    const near = oneOfEach(withSomeWord(await eventsIn(asking, time ?? reach(NEAR_DAYS)), about));
    return {
      none: `${none}.`,
      near: near.length > 0 ? listed(asking, `${none}, but this:`, near, textFor(asking)) : null,
    };
  };

  /** The hours in which free time is looked for: those that were named, else those of the tempo profile. */
  const hoursIn = async ({ caller, question, zone }: Asking, window: Interval) => {
    const { time } = question;
    if (time && !time.hours && !isWholeDays(time, zone)) return { hours: [window], within: '' };
    const profile = await tempo.profileOf(caller.user_id);
    if (!time?.hours) return { hours: tempoWindows(profile, {}, window), within: ', within your tempo hours' };
    const [start, end] = [minutesName(time.hours.from), minutesName(time.hours.to)];
    const asked = { name: 'asked', days: [...WEEKDAYS], start, end };
    return { hours: tempoWindows({ ...profile, timezone: zone, time_ranges: [asked] }, {}, window), within: '' };
  };

  const free = async (asking: Asking): Promise<Answer> => {
    const { caller, question, now, zone } = asking;
    const { time, when } = timeOf(asking);
    const busyEvents = (await eventsIn(asking, time)).filter(({ busy }) => busy);
    const { minutes, isPast } = question;
    if (time.isPoint && busyEvents.length === 0)
      return only(`Yes: nothing ${isPast ? 'was' : 'is'} on your calendar ${when}.`);
    if (time.isPoint) return listed(asking, `No, you ${isPast ? 'were' : 'are'} not free ${when}:`, busyEvents);
    const start = millis(time.start) < millis(now) && !isPast ? now : time.start;
    if (millis(time.end) <= millis(start)) return only(`That time is over: ${when}.`);
    const window = { start, end: time.end };
    const { hours, within } = await hoursIn(asking, window);
    const busy = await calendar.inTransaction.busy(db, caller.user_id, window, { apart: [] });
    const open = subtractSpans(mergeSpans(hours.map(toSpan)), mergeSpans(busy.map(toSpan)));
    const gaps = intersectSpans(open, [toSpan(window)])
      .map(toInterval)
      .filter((gap) => minutesBetween(gap.start, gap.end) >= (minutes ?? LEAST_FREE_MINUTES));
    const long = minutes ? ` for ${lengthName(minutes)}` : '';
    const were = isPast ? 'were' : 'are';
    if (gaps.length === 0) return listed(asking, `You ${were} not free${long} ${when}${within}:`, busyEvents);
    const lines = freeText(gaps, zone, now);
    return {
      ...listed(asking, `You ${were} free${long} at these times ${when}${within}:`, busyEvents),
      lines: lines.slice(0, MOST),
      more: Math.max(0, lines.length - MOST),
    };
  };

  /** Events with the words of a question, in the time that it names or in the near days. */
  const beside = async (asking: Asking, most: number): Promise<Occurrence[]> => {
    const { question, now } = asking;
    const near = { start: addMinutes(now, -NEAR_DAYS * DAY), end: addMinutes(now, NEAR_DAYS * DAY) };
    const all = matching(await eventsIn(asking, question.time ?? near), question.about);
    const isAhead = ({ end }: Occurrence): boolean => millis(end) > millis(now);
    return oneOfEach([...all.filter(isAhead), ...all.filter((event) => !isAhead(event)).toReversed()]).slice(0, most);
  };

  return { agenda, next, events, free, beside, eventsIn };
};

export type CalendarAnswers = ReturnType<typeof createCalendarAnswers>;
