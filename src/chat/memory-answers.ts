/** Answers questions about memory: what was decided, said or noted about something, and what was done in a time. */
import type { Db } from '../db/database.ts';
import type { AskedTime } from '../domain/planner/intents/types.ts';
import { CHAT } from '../domain/record/trace-kind.ts';
import { isPlan, type TraceDoc } from '../domain/record/trace.ts';
import { terms } from '../domain/text/search-words.ts';
import { instantOf, intoYears, millis, zoned, type Interval } from '../domain/time/time.ts';
import { findTraces } from '../ledger/trace-store.ts';
import { PullQuery, SearchBody } from '../memory/schemas.ts';
import type { Search } from '../memory/search/search.ts';
import type { MemoryService } from '../memory/service.ts';
import { count, MOST, named, only, type Answer, type Asking } from './answer.ts';
import { eventText, noteText, timeText } from './answer-text.ts';
import type { CalendarAnswers } from './calendar-answers.ts';

export type MemoryAnswersDeps = { db: Db; memory: MemoryService; search: Search; calendar: CalendarAnswers };

const NOTES_READ = 50;
const NOTES_SHOWN = 8;
const EVENTS_BESIDE = 3;
const TRACES_READ = 200;
/** A note must have this share of the words of the question, and this part of the share that the best one has. */
const LEAST_CONFIDENCE = 0.3;
const OF_THE_BEST = 0.6;

type Hit = { trace: TraceDoc; text: string };

/** A prompt or a reply. What they say is in memory itself, or on the calendar. */
const isChat = ({ tags, metadata }: TraceDoc): boolean =>
  tags.includes(CHAT) && (metadata['role'] === 'prompt' || metadata['role'] === 'reply');
/** Records that the service keeps of decisions, and of events, which the calendar has. */
const isBookkeeping = (trace: TraceDoc): boolean =>
  trace.transition !== undefined || trace.type === 'calendar_event' || isChat(trace);

/** A note can have 100,000 characters, and other requests wait while words are compared. */
const CONTENT_READ = 10_000;

/** Whether a trace, as it is shown, has all of the words: a hidden word that is found would be confirmed. */
const hasAll = ({ title, content }: { title?: string; content: string }, words: string): boolean => {
  const own = new Set(terms(`${title ?? ''} ${content.slice(0, CONTENT_READ)}`));
  return terms(words).every((term) => own.has(term));
};

/** @param others what was noted at another time than the question names; their text may have the words of that time */
const headOf = (asking: Asking, others: readonly Hit[], isSaid: boolean): string => {
  if (isSaid) return `This was said in the chat${named('about', asking)}:`;
  const { question, show, zone, now } = asking;
  const { time, timeWords = '' } = question;
  const isOther = others.length > 0 && !others.some(({ trace }) => hasAll(show(trace), timeWords));
  return time && isOther
    ? `I found nothing${named('about', asking)} ${timeText(time, zone, now)}, but this:`
    : `This is what I found${named('about', asking)}:`;
};

/** The ends of a half-open time as requests have them, with both ends included. An open end reaches beyond their years. */
const bothEnds = ({ start, end }: Interval) => ({
  start_time: intoYears(start),
  end_time: intoYears(instantOf(millis(end) - 1)),
});

/** Prompts with all of the words, without questions, which say nothing. */
const createSaid =
  ({ db, search }: Pick<MemoryAnswersDeps, 'db' | 'search'>) =>
  async ({ caller, question, prompt, show }: Asking): Promise<Hit[]> => {
    const { about, time } = question;
    const asked = { query: about, kind: 'chat' as const, limit: NOTES_READ, ...(time && bothEnds(time)) };
    const { items } = await search.search({ ...caller, scopes: new Set() }, SearchBody.parse(asked), undefined);
    const uids = items.map(({ uid }) => uid);
    const found = new Map((await findTraces(db, caller.user_id, uids)).map((trace) => [trace.uid, trace]));
    return uids.flatMap((uid) => {
      const trace = found.get(uid);
      const { content = '', metadata = {} } = trace ?? {};
      const isSaid = metadata['role'] === 'prompt' && content !== prompt && !/\?\s*$/.test(content);
      return trace && isSaid && hasAll(show(trace), about) ? [{ trace, text: show(content) }] : [];
    });
  };

/** What memory has on the words of a question. */
const createRemembered = ({ db, search }: Pick<MemoryAnswersDeps, 'db' | 'search'>) => {
  const said = createSaid({ db, search });

  const hitsOf = async ({ caller, question }: Asking, time: AskedTime | null, without?: string): Promise<Hit[]> => {
    const body = SearchBody.parse({ query: question.about, limit: NOTES_READ, ...(time && bothEnds(time)) });
    // The snippets are stored in the reply, so they are cut from text without sensitive values.
    const { items } = await search.search({ ...caller, scopes: new Set() }, body, undefined, without);
    const least = Math.max(LEAST_CONFIDENCE, OF_THE_BEST * (items[0]?.confidence ?? 0));
    const good = items.filter(({ confidence }) => confidence >= least);
    const uids = good.map(({ uid }) => uid);
    const found = new Map((await findTraces(db, caller.user_id, uids)).map((trace) => [trace.uid, trace]));
    return good.flatMap(({ uid, snippet }) => {
      const trace = found.get(uid);
      return trace && !isChat(trace) ? { trace, text: snippet.replaceAll('**', '') } : [];
    });
  };

  /** What a search finds: own notes, else the records of decisions. */
  const searched = async (asking: Asking, time: AskedTime | null): Promise<Hit[]> => {
    const hits = await hitsOf(asking, time, CHAT);
    // A person may have given the tag to notes of their own.
    const all = hits.length > 0 ? hits : await hitsOf(asking, time);
    const own = all.filter(({ trace }) => !isBookkeeping(trace));
    return own.length > 0 ? own : all.filter(({ trace }) => trace.type !== 'calendar_event');
  };

  /** What was noted in the time of a question, else at another time, else said in the chat. */
  return async (asking: Asking, isWhole: boolean) => {
    const { time, about } = asking.question;
    const then = time ? await searched(asking, time) : [];
    const found = then.length > 0 ? then : await searched(asking, null);
    // What has most of the words is first.
    const isWanted = ({ trace }: Hit): boolean => hasAll(asking.show(trace), about);
    const noted = isWhole ? found.slice(0, NOTES_SHOWN).filter(isWanted) : found;
    // Whoever may not see hidden values would find their own guess of one only where it is wrong.
    const isSaid = !isWhole && noted.length === 0 && asking.caller.scopes.has('export:sensitive');
    return { hits: isSaid ? await said(asking) : noted, isThen: then.length > 0, isSaid };
  };
};

export const createMemoryAnswers = ({ db, memory, search, calendar }: MemoryAnswersDeps) => {
  const remembered = createRemembered({ db, search });

  /**
   * What memory has on the words of a question, else what was said of it in the chat, and events with these words; null where there is nothing.
   * @param isWhole whether a note must have all of the words
   */
  const notes = async (asking: Asking, isWhole = false): Promise<Answer | null> => {
    const { caller, question, zone, now, show } = asking;
    const { time, about } = question;
    const mayRead = caller.scopes.has('memory:read');
    if (terms(about).length === 0)
      return question.kind === 'memory' && time && mayRead ? notedThen(asking, time) : null;
    const { hits, ...how } = mayRead ? await remembered(asking, isWhole) : { hits: [], isThen: false, isSaid: false };
    const events = caller.scopes.has('calendar:read') ? await calendar.beside(asking, EVENTS_BESIDE) : [];
    const shown = hits.slice(0, NOTES_SHOWN);
    if (shown.length + events.length === 0) return null;
    return {
      head: headOf(asking, how.isThen ? [] : shown, how.isSaid && shown.length > 0),
      lines: [
        ...shown.map(({ trace, text }) => noteText(show(trace), text, zone, now)),
        ...events.map((event) => eventText(show(event), zone, now)),
      ],
      more: hits.length - shown.length,
      events,
      traces: shown.map(({ trace }) => trace),
    };
  };

  const notedIn = async ({ caller }: Asking, window: Interval): Promise<TraceDoc[]> => {
    if (!caller.scopes.has('memory:read')) return [];
    const { items } = await memory.pull(
      caller,
      PullQuery.parse({ ...bothEnds(window), limit: TRACES_READ }),
      undefined,
    );
    return items.filter((trace) => !isBookkeeping(trace) && !isPlan(trace));
  };

  const notedThen = async (asking: Asking, time: AskedTime): Promise<Answer> => {
    const { now, zone, show } = asking;
    const when = timeText(time, zone, now);
    const notes = await notedIn(asking, time);
    if (notes.length === 0) return only(`Nothing was noted ${when}.`);
    const traces = notes.slice(0, NOTES_SHOWN);
    return {
      head: `${count(notes.length, 'note')} ${notes.length === 1 ? 'was' : 'were'} taken ${when}:`,
      lines: traces.map((trace) => show(trace)).map((trace) => noteText(trace, trace.summary, zone, now)),
      more: notes.length - traces.length,
      events: [],
      traces,
    };
  };

  /** What was on the calendar and what was noted in a time; by default today. */
  const done = async (asking: Asking): Promise<Answer> => {
    const { caller, question, now, zone, show } = asking;
    const time = question.time ?? { start: instantOf(zoned(now, zone).startOfDay()), end: now };
    const window = { start: time.start, end: millis(time.end) > millis(now) ? now : time.end };
    if (millis(window.end) <= millis(window.start))
      return only(`That time has not come yet: ${timeText(time, zone, now)}.`);
    const all = caller.scopes.has('calendar:read') ? await calendar.eventsIn(asking, window) : [];
    const notes = await notedIn(asking, window);
    const when = timeText(time, zone, now);
    if (all.length + notes.length === 0) return only(`Nothing was on your calendar, and nothing was noted, ${when}.`);
    const counts = [
      all.length > 0 && count(all.length, 'event'),
      notes.length > 0 && count(notes.length, 'note'),
    ].filter(Boolean);
    const events = all.slice(0, MOST);
    const traces = notes.slice(0, NOTES_SHOWN);
    return {
      head: `There ${(all.length || notes.length) === 1 ? 'was' : 'were'} ${counts.join(' and ')} ${when}:`,
      lines: [
        ...events.map((event) => eventText(show(event), zone, now)),
        ...traces.map((trace) => show(trace)).map((trace) => noteText(trace, trace.summary, zone, now)),
      ],
      more: all.length + notes.length - events.length - traces.length,
      events,
      traces,
    };
  };

  return { notes, done };
};
