/**
 * What a trace is: what somebody wrote, a plan, the record of a decision on one, what happened on the calendar, or what was said in
 * the chat.
 */
export const TRACE_KINDS = ['note', 'plan', 'decision', 'event', 'chat'] as const;
export type TraceKind = (typeof TRACE_KINDS)[number];

/** The tag of prompts and replies. */
export const CHAT = 'chat';

/** @returns the kind of a trace; `OF_KIND` of src/memory/queries.ts says the same in SQL */
export const traceKind = (trace: { type: string; transition?: unknown; tags: readonly string[] }): TraceKind => {
  if (trace.type === 'agent_plan') return 'plan';
  if (trace.type === 'calendar_event') return 'event';
  if (trace.transition) return 'decision';
  return trace.tags.includes(CHAT) ? 'chat' : 'note';
};
