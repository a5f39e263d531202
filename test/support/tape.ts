/**
 * Tapes: what a model answered to requests, to be played again. An answer names events and proposals by uids, which differ from run
 * to run, so a tape names an event by its title and start, and a proposal of the same dialogue p1, p2 in the order of proposing.
 */
import { readFileSync } from 'node:fs';
import type { Effect } from './effects.ts';
import type { Verdict } from './requests.ts';

type Action = Record<string, unknown> & { action_type?: string; title?: string; scheduled_for?: string | null };
export type ModelJson = Record<string, unknown> & { actions?: Action[] };
/**
 * One prompt. A turn 0 begins an entry, and may have the effects that are wanted of it, and what comes of it where that is not right
 * yet.
 */
export type Line = { say: string; turn: number; answer: ModelJson; want?: Effect[][]; now?: Verdict };

export const readTape = (file: string): Line[][] => {
  const entries: Line[][] = [];
  for (const text of readFileSync(file, 'utf8').split('\n')) {
    if (text.trim() === '') continue;
    const line = JSON.parse(text) as Line;
    if (line.turn === 0) entries.push([]);
    entries.at(-1)!.push(line);
  }
  return entries;
};

type ShownEvent = { name: string; target: Action };
type ShownPlan = { uid: string; title: string; action_type: string; start: string };
/** What a prompt shows, as far as an answer can name it. */
export type Shown = { request: string; events: ShownEvent[]; pending: ShownPlan[] };

const BLOCK = /^<<<(\S+) (\w+)>>>\n([\s\S]*?)\n<<<end \1 \2>>>$/gm;
type Fact = Record<'uid' | 'title' | 'start' | 'action_type', string> & {
  recurrence_id: string | null;
  scheduled_for: string | null;
};

/** Reads the blocks of a prompt (src/llm/prompt.ts). Whoever changes their form changes this. */
export const shownIn = (prompt: string): Shown => {
  const blocks = new Map([...prompt.matchAll(BLOCK)].map(([, , name, text]) => [name, JSON.parse(text!) as unknown]));
  const facts = (name: string): Fact[] => (blocks.get(name) ?? []) as Fact[];
  return {
    request: blocks.get('request') as string,
    events: facts('events').map(({ uid, recurrence_id, title, start }) => ({
      name: `${title} ${start.slice(0, 16)}`,
      target: { target_event_uid: uid, ...(recurrence_id && { target_recurrence_id: recurrence_id }) },
    })),
    pending: facts('pending').map(({ uid, title, action_type, scheduled_for }) => ({
      ...{ uid, title, action_type },
      start: scheduled_for?.slice(0, 16) ?? '',
    })),
  };
};

/** Follows which proposals of a dialogue the model made, in which order. Each prompt may name them otherwise. */
export const aDialogue = () => {
  const made: { action: Action; uid?: string | undefined; isGone?: true }[] = [];
  const look = ({ pending }: Shown): void => {
    for (const one of made) one.uid = undefined;
    const isLeft = ({ uid }: ShownPlan): boolean => made.every((one) => one.uid !== uid);
    const fits: ((plan: ShownPlan, action: Action) => boolean)[] = [
      (plan, action) => plan.title === action.title && plan.start === action.scheduled_for?.slice(0, 16),
      (plan, action) => plan.title === action.title,
      (plan, action) => plan.action_type === action.action_type,
    ];
    for (const isFitting of fits)
      for (const one of made.filter(({ isGone }) => !isGone))
        one.uid ??= pending.find((own) => isLeft(own) && isFitting(own, one.action))?.uid;
  };
  const named = (name: unknown) => made[Number(/^p(\d+)$/.exec(String(name))?.[1]) - 1];
  /** The proposal as it should be after a change. */
  const changed = (before: Action, change: Action): Action => {
    const { target_plan_uid: _plan, new_title: title = before.title, ...changes } = change;
    return { ...before, ...changes, title } as Action;
  };
  const nameOf = (uid: unknown): string | undefined => {
    const at = made.findIndex((one) => uid && one.uid === uid);
    return at < 0 ? undefined : `p${at + 1}`;
  };
  /** The answer with the uids of this prompt. */
  const withUids = (answer: ModelJson, shown: Shown): ModelJson => {
    look(shown);
    const actions = answer.actions?.flatMap((action): Action[] => {
      const event = shown.events.find(({ name }) => name === action['target_event_uid']);
      const plan = named(action['target_plan_uid']);
      // What does not wait, because its time was taken, is proposed again as it should be now.
      if (plan && !plan.uid) return action['cancel'] ? [] : [changed(plan.action, action)];
      return [{ ...action, ...event?.target, ...(plan && { target_plan_uid: plan.uid }) }];
    });
    const isEmptied = actions?.length === 0 && answer.actions!.length > 0;
    return { ...answer, ...(actions && { actions }), ...(isEmptied && { reply: 'That was not proposed.' }) };
  };
  /** The answer with names instead of uids. */
  const withNames = (answer: ModelJson, shown: Shown): ModelJson => {
    look(shown);
    const actions = answer.actions?.map(({ target_recurrence_id: occurrence, ...action }) => {
      const event = shown.events.find(
        ({ target }) =>
          target['target_event_uid'] === action['target_event_uid'] &&
          (target['target_recurrence_id'] ?? null) === (occurrence || null),
      );
      const plan = nameOf(action['target_plan_uid']);
      const kept = !event && occurrence ? { target_recurrence_id: occurrence } : {};
      return {
        ...action,
        ...kept,
        ...(event && { target_event_uid: event.name }),
        ...(plan && { target_plan_uid: plan }),
      };
    });
    return { ...answer, ...(actions && { actions }) };
  };
  /** Notes what an answer, with names, proposes, changes and takes back. */
  const take = ({ actions = [] }: ModelJson): void => {
    for (const action of actions) {
      const target = named(action['target_plan_uid']);
      if (!action['target_plan_uid']) made.push({ action });
      else if (target && action['cancel']) target.isGone = true;
      else if (target) target.action = changed(target.action, action);
    }
  };
  return { withUids, withNames, take };
};
