/** What a person calls plans of each type. */
import type { ActionType } from './plan.ts';

export const KINDS: Record<ActionType, string> = {
  schedule: 'new events',
  reschedule: 'changes of events',
  reflect: 'reflections',
  log: 'notes',
  configure: 'changes of settings',
};

/** `1 reflection`, `2 changes of events`. */
export const countedKind = (count: number, type: ActionType): string =>
  `${count} ${count === 1 ? KINDS[type].replace(/s\b/, '') : KINDS[type]}`;
