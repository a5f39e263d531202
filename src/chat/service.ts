/** Answers a prompt: plans it and stores prompt and reply as observations. */
import { randomUUIDv7 } from 'node:crypto';
import type { Planner } from '../agent/prompt-planner.ts';
import type { PlanContext } from '../agent/schemas.ts';
import type { Clock } from '../common/clock.ts';
import type { Db } from '../db/database.ts';
import type { Caller } from '../domain/access/caller.ts';
import { asContent, newTrace, type TraceDoc } from '../domain/record/trace.ts';
import type { Ledger } from '../ledger/ledger.ts';
import type { TraceStore } from '../ledger/trace-store.ts';
import { loadProfile } from '../user/profile.ts';
import type { Response } from './schemas.ts';

export type ChatDeps = {
  db: Db;
  ledger: Ledger;
  clock: Clock;
  traces: TraceStore;
  planner: Planner;
};

export const createChatService = ({ db, ledger, clock, traces, planner }: ChatDeps) => {
  const keep = async (
    caller: Caller,
    role: 'prompt' | 'reply',
    content: string,
    task_id: string | null,
    links: string[],
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
        tags: ['chat'],
        metadata: { role },
      });
      const [doc] = await traces.insert(writer, [{ trace }]);
      return doc as TraceDoc;
    });

  /** Plans the prompt. Prompt and reply are stored around it, so that the plans link to the words they come from. */
  const respond = async (
    caller: Caller,
    prompt: string,
    context: PlanContext | undefined,
    signal: AbortSignal,
    onText?: (text: string) => void,
  ): Promise<Response> => {
    // The client's Idempotency-Key belongs to the write of the plans. These records have no effect of their own.
    const aside = { ...caller, idempotency: undefined };
    const kept = (await loadProfile(db, caller.user_id)).profile.settings.memory.record_chat;
    const said = kept ? await keep(aside, 'prompt', prompt, null, []) : null;
    const links = said ? [said.uid] : [];
    const planned = await planner.plan(caller, prompt, { context, links, signal, onText, explained: true });
    const task_id = planned.plans[0]?.task_id ?? null;
    const about = [...links, ...planned.plans.map((p) => p.uid)];
    const replied = kept ? await keep(aside, 'reply', planned.reply, task_id, about) : null;
    return { ...planned, traces: [said, replied].filter((t) => t !== null) };
  };

  return { respond };
};

export type ChatService = ReturnType<typeof createChatService>;
