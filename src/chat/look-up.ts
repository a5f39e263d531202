/**
 * Looks up what a question asks for, in the calendar, the queue, the limits or memory. It reads what the credential may read and
 * no more, a bounded number of rows, and changes nothing.
 */
import type { Clock } from '../common/clock.ts';
import type { Caller, Scope } from '../domain/access/caller.ts';
import type { Question, QuestionKind } from '../domain/planner/intents/types.ts';
import { BLANK } from '../domain/record/redact.ts';
import type { Sensitive } from '../ledger/sensitive-values.ts';
import { named, only, type Answer, type Asking } from './answer.ts';
import { timeText, whenText } from './answer-text.ts';
import { createCalendarAnswers, type CalendarAnswersDeps } from './calendar-answers.ts';
import { createMemoryAnswers, type MemoryAnswersDeps } from './memory-answers.ts';
import { createQueueAnswers } from './queue-answers.ts';
import type { AgentService } from '../agent/service.ts';

export type LookUpDeps = CalendarAnswersDeps &
  Omit<MemoryAnswersDeps, 'calendar'> & { agent: AgentService; clock: Clock; sensitive: Sensitive };

const CAN_ANSWER =
  'I can answer what is on the calendar, when you are free, which proposals wait, which limits agents have, and what is in memory.';
const READS: Partial<Record<Scope, string>> = {
  'calendar:read': 'the calendar',
  'plan:read': 'proposals and limits',
  'memory:read': 'memory',
};

export const createLookUp = (deps: LookUpDeps) => {
  const { clock, sensitive } = deps;
  const calendar = createCalendarAnswers(deps);
  const memory = createMemoryAnswers({ ...deps, calendar });
  const queue = createQueueAnswers(deps);

  /** What is said where nothing was found: where was looked. */
  const nothing = (asking: Asking): Answer => {
    const { caller, question, zone, now } = asking;
    const looked = (['memory:read', 'calendar:read'] as const).filter((scope) => caller.scopes.has(scope));
    if (question.about === '' || looked.length === 0) return only(CAN_ANSWER);
    const when = question.time ? ` ${timeText(question.time, zone, now)}` : '';
    const places = looked.map((scope) => READS[scope]).join(' and in ');
    const found = `I looked in ${places} and found nothing${named('about', asking)}${when}.`;
    return only(question.kind === 'other' ? `${found} ${CAN_ANSWER}` : found);
  };

  const notes = async (asking: Asking): Promise<Answer> => (await memory.notes(asking)) ?? nothing(asking);

  const events = async (asking: Asking): Promise<Answer> => {
    if (asking.question.about === '') return asking.question.time ? calendar.agenda(asking) : calendar.next(asking);
    const found = await calendar.events(asking);
    if ('answer' in found) return found.answer;
    const { none, near } = found;
    // A note with all of the words knows more than an event with some.
    const known = await memory.notes(asking, near !== null);
    if (!known) return near ?? only(none);
    const beside = near ?? only('');
    return {
      head: `${none} ${known.head}`,
      lines: [...known.lines, ...beside.lines],
      more: known.more + beside.more,
      events: [...known.events, ...beside.events],
      traces: known.traces,
    };
  };

  /** What is on the calendar, and what waits for a decision and may come there. */
  const agenda = async (asking: Asking): Promise<Answer> => {
    const { about, time, isPast } = asking.question;
    if (about && !time) return notes(asking);
    const answer = await calendar.agenda(asking);
    const waiting =
      isPast || !asking.caller.scopes.has('plan:read') ? null : await queue.waiting(asking, answer.events);
    if (!waiting) return answer;
    return {
      head: `${answer.head.replace(/[.:]$/, '')}; ${waiting.head}`,
      lines: [...answer.lines, ...waiting.lines],
      more: answer.more + waiting.more,
      events: answer.events,
      traces: [...answer.traces, ...waiting.traces],
    };
  };

  type Way = { needs?: Scope; answer: (asking: Asking) => Promise<Answer> };
  const WAYS: Record<QuestionKind, Way> = {
    agenda: { needs: 'calendar:read', answer: agenda },
    next: { needs: 'calendar:read', answer: calendar.next },
    free: { needs: 'calendar:read', answer: calendar.free },
    when: { needs: 'calendar:read', answer: events },
    how_long: { needs: 'calendar:read', answer: events },
    where: { needs: 'calendar:read', answer: events },
    queue: { needs: 'plan:read', answer: queue.queue },
    limits: { needs: 'plan:read', answer: queue.limits },
    memory: { needs: 'memory:read', answer: notes },
    done: { answer: memory.done },
    now: {
      answer: async ({ now, zone }) => only(`It is ${whenText({ start: now, end: now }, zone, now)} (${zone}).`),
    },
    other: { answer: notes },
  };

  return async (caller: Caller, question: Question, prompt: string): Promise<Answer> => {
    if (question.ask) return only(question.ask);
    const { needs, answer } = WAYS[question.kind];
    if (needs && !caller.scopes.has(needs))
      return only(`This credential may not read ${READS[needs]} (${needs}), so I can’t answer that.`);
    const show = await sensitive.viewOf({ user_id: caller.user_id, scopes: new Set() });
    const shown = show(question.about);
    const mayBePart = shown === question.about && show(prompt) !== prompt;
    const quotable = mayBePart ? BLANK : shown;
    return answer({ caller, question, prompt, quotable, now: clock.now(), zone: caller.zone, show });
  };
};

export type LookUp = ReturnType<typeof createLookUp>;
