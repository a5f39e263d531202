/** What the rules of follow-ups share: what is said of the conversation, and which clauses ask for something. */
import { latestPending } from '../correct.ts';
import type { Frame } from '../frame.ts';
import type { Reading, ReadPrompt } from '../read-prompt.ts';
import type { Intent, IntentContext, PendingPlan } from '../types.ts';

/** What is said of the conversation: the prompt before with its clauses, the present one, and what waits. */
export type Talk = {
  said: string;
  prompt: string;
  context: IntentContext;
  earlier: Reading;
  alone: ReadPrompt;
  plans: PendingPlan[];
  proposed: boolean;
};
/** Takes the pending proposal back, because it is made again otherwise. */
export const withdrawn = (plan: PendingPlan): Intent => ({
  action_type: 'reschedule',
  title: plan.title,
  content: `Withdraw “${plan.title}”.`,
  tags: [],
  target_plan_uid: plan.uid,
  arguments: { cancel: true },
  reasoning: `You say it otherwise, so the proposal “${plan.title}” is taken back.`,
});

const isWithoutVerb = ({ act, kind }: Frame): boolean => act === null && kind !== 'report' && kind !== 'aside';
export const isBeside = ({ kind }: Frame): boolean => kind === 'aside' || kind === 'report';
export const isPlain = (frames: readonly Frame[]): boolean => {
  const said = frames.filter((frame) => !isBeside(frame));
  return said.length > 0 && said.every(isWithoutVerb);
};

export const talkOf = (prompt: string, context: IntentContext, alone: ReadPrompt, earlier: Reading): Talk => {
  const { proposed = false, refused } = context.before ?? {};
  // What waits is of an earlier request then.
  const waits = proposed && !refused;
  return {
    ...{ said: earlier.text, prompt, context, earlier, alone },
    plans: waits ? latestPending(context) : [],
    proposed: waits,
  };
};
