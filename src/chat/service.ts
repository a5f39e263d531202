/** Answers a prompt: plans what it requests, answers what it asks, and stores prompt and reply as observations. */
import { randomUUIDv7 } from 'node:crypto';
import type { Planner } from '../agent/prompt/planner.ts';
import type { PlanContext } from '../agent/schemas.ts';
import type { Clock } from '../common/clock.ts';
import type { Db } from '../db/database.ts';
import type { Caller } from '../domain/access/caller.ts';
import type { TalkItem } from '../domain/planner/intents/types.ts';
import { CHAT } from '../domain/record/trace-kind.ts';
import { asContent, newTrace, type TraceDoc } from '../domain/record/trace.ts';
import type { Ledger } from '../ledger/ledger.ts';
import type { ShowSoFar } from '../llm/model-prose.ts';
import type { TraceStore } from '../ledger/trace-store.ts';
import { loadProfile } from '../user/profile.ts';
import type { AnswerQuestions, Answered } from './answer-questions.ts';
import { beforeOf, offerable } from './conversation.ts';
import type { Response } from './schemas.ts';

export type ChatDeps = {
  db: Db;
  ledger: Ledger;
  clock: Clock;
  traces: TraceStore;
  planner: Planner;
  answerQuestions: AnswerQuestions;
};

type Prompted = {
  prompt: string;
  literal?: [number, number][] | undefined;
  context?: PlanContext | undefined;
  in_reply_to?: string | undefined;
};
type Kept = { task_id?: string | null; links?: string[]; choices?: Response['choices']; talk?: readonly TalkItem[] };

/** What is answered where nothing was asked. */
const UNASKED: Answered = { reply: '', events: [], traces: [], model: null, warnings: [] };

export const createChatService = ({ db, ledger, clock, traces, planner, answerQuestions }: ChatDeps) => {
  const keep = async (
    caller: Caller,
    role: 'prompt' | 'reply',
    content: string,
    { task_id = null, links = [], choices = [], talk = [] }: Kept = {},
  ): Promise<TraceDoc> =>
    ledger.write(caller, async (writer) => {
      const trace = newTrace({
        uid: randomUUIDv7(),
        user_id: caller.user_id,
        type: 'observation',
        task_id,
        timestamp: clock.now(),
        origin: role === 'prompt' ? caller.origin : 'system',
        content: asContent(content),
        linked_trace_ids: links,
        tags: [CHAT],
        // A choice that is made later is what was offered, whatever has changed since.
        metadata: { role, ...(choices.length ? { choices } : {}), ...(talk.length ? { talk } : {}) },
      });
      const [doc] = await traces.insert(writer, [{ trace }]);
      return doc as TraceDoc;
    });

  /**
   * Plans the prompt. Prompt and reply are stored around it, so that the plans link to the words they come from. `show` gets the
   * beginning of the reply while a model writes it.
   */
  const respond = async (
    caller: Caller,
    { prompt, literal, context, in_reply_to }: Prompted,
    signal: AbortSignal,
    show?: ShowSoFar,
  ): Promise<Response> => {
    // What is read again does not go on from how it was read before.
    const isAnew = literal !== undefined && in_reply_to === undefined;
    const before = (!isAnew && (await beforeOf(db, caller, clock.now(), in_reply_to))) || undefined;
    // The client's Idempotency-Key belongs to the write of the plans. These records have no effect of their own.
    const aside = { ...caller, idempotency: undefined };
    const kept = (await loadProfile(db, caller.user_id)).profile.settings.memory.record_chat;
    const said = kept ? await keep(aside, 'prompt', prompt) : null;
    const links = said ? [said.uid] : [];
    const planned = await planner.plan(caller, prompt, { context, literal, links, before, signal, explained: true });
    const choices = kept ? offerable(planned.choices) : [];
    const { questions, talk = [], ...made } = planned;
    const behindMade = (text: string): string => [made.reply, text].filter(Boolean).join('\n\n');
    const showAnswer = show && ((soFar: string) => show(behindMade(soFar)));
    const asking = { signal, show: showAnswer, hasEffect: made.plans.length > 0 };
    const answered = questions.length ? await answerQuestions(caller, prompt, questions, asking) : UNASKED;
    const reply = behindMade(answered.reply);
    const grounds = answered.traces;
    const task_id = made.plans[0]?.task_id ?? null;
    const about = [...links, ...[...made.plans, ...grounds].map(({ uid }) => uid)];
    const replied = kept ? await keep(aside, 'reply', reply, { task_id, links: about, choices, talk }) : null;
    return {
      ...made,
      questions: questions.map(({ kind, about, time }) => ({
        ...{ kind, about },
        time: time && { start: time.start, end: time.end },
      })),
      ...{ choices, reply },
      traces: [...[said, replied].filter((trace) => trace !== null), ...grounds],
      events: answered.events,
      planner: answered.model ? { mode: 'model', model: answered.model } : made.planner,
      warnings: [...made.warnings, ...answered.warnings],
    };
  };

  return { respond };
};

export type ChatService = ReturnType<typeof createChatService>;
