/** What a trace is: what somebody wrote, a plan, the record of a decision on one, or what happened on the calendar. */
export const TRACE_KINDS = ['note', 'plan', 'decision', 'event'] as const;
export type TraceKind = (typeof TRACE_KINDS)[number];

/** @returns the kind of a trace; `OF_KIND` of src/memory/queries.ts says the same in SQL */
export const traceKind = (trace: { type: string; transition?: unknown }): TraceKind => {
  if (trace.type === 'agent_plan') return 'plan';
  if (trace.type === 'calendar_event') return 'event';
  return trace.transition ? 'decision' : 'note';
};
