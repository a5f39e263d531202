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

type ShownEvent = { ref: string; title: string; start: string; repeats: boolean };
type ShownPlan = { ref: string; title: string; action_type: string; start: string };
/** What a prompt shows, as far as an answer can name it. */
export type Shown = { request: string; events: ShownEvent[]; pending: ShownPlan[] };

const BLOCK = /^<<<(\S+) (\w+)>>>\n([\s\S]*?)\n<<<end \1 \2>>>$/gm;
/** 'e1 Mon 2026-11-23 09:00-09:30, 2026-11-30 09:00, repeats FREQ=WEEKLY: Choir'. */
const EVENT = /^(e\d+) \w+ (\d{4}-\d\d-\d\d)(?: (\d\d:\d\d))?(.*?): (.*)$/;
/** 'p1 yours schedule 2026-11-23 09:00: Choir'. */
const PLAN = /^(p\d+) (?:not )?yours (\w+) (?:(\d{4}-\d\d-\d\d) (\d\d:\d\d)|without a time).*?: (.*)$/;

/** Reads the blocks of a prompt (src/llm/fact-lines.ts). Whoever changes their form changes this. */
export const shownIn = (prompt: string): Shown => {
  const blocks = new Map([...prompt.matchAll(BLOCK)].map(([, , name, text]) => [name, JSON.parse(text!) as unknown]));
  const linesOf = (name: string, form: RegExp): RegExpExecArray[] =>
    ((blocks.get(name) ?? []) as string[]).map((line) => form.exec(line)).filter((found) => found !== null);
  return {
    request: blocks.get('request') as string,
    events: linesOf('events', EVENT).map(([, ref, day, hour = '00:00', more, title]) => ({
      ...{ ref: ref!, title: title!, start: `${day}T${hour}`, repeats: more!.includes(', repeats') },
    })),
    pending: linesOf('pending', PLAN).map(([, ref, action_type, day, hour, title]) => ({
      ...{ ref: ref!, title: title!, action_type: action_type!, start: day ? `${day}T${hour}` : '' },
    })),
  };
};

/** The event that a tape names, and its occurrence: 'Choir 2026-11-30T09:00'. */
const targetOf = (name: unknown, { events }: Shown): Action => {
  const [, title, start] = /^(.*) (\S+)$/.exec(String(name)) ?? [];
  const event = events.find((one) => isTitle(one, title) && (one.repeats || one.start === start));
  if (!event) return {};
  return { target_event_uid: event.ref, ...(event.repeats && { target_recurrence_id: start }) };
};

/** A long title is cut in a prompt. */
const isTitle = ({ title }: { title: string }, whole = ''): boolean =>
  title === whole || (title.endsWith('…') && whole.startsWith(title.slice(0, -1)));

/** Follows which proposals of a dialogue the model made, in which order. Each prompt may name them otherwise. */
export const aDialogue = () => {
  const made: { action: Action; uid?: string | undefined; isGone?: true }[] = [];
  const look = ({ pending }: Shown): void => {
    for (const one of made) one.uid = undefined;
    const isLeft = ({ ref }: ShownPlan): boolean => made.every((one) => one.uid !== ref);
    const fits: ((plan: ShownPlan, action: Action) => boolean)[] = [
      (plan, action) => isTitle(plan, action.title) && plan.start === action.scheduled_for?.slice(0, 16),
      (plan, action) => isTitle(plan, action.title),
      (plan, action) => plan.action_type === action.action_type,
    ];
    for (const isFitting of fits)
      for (const one of made.filter(({ isGone }) => !isGone))
        one.uid ??= pending.find((own) => isLeft(own) && isFitting(own, one.action))?.ref;
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
      const target = targetOf(action['target_event_uid'], shown);
      const plan = named(action['target_plan_uid']);
      // What does not wait, because its time was taken, is proposed again as it should be now.
      if (plan && !plan.uid) return action['cancel'] ? [] : [changed(plan.action, action)];
      return [{ ...action, ...target, ...(plan && { target_plan_uid: plan.uid }) }];
    });
    const isEmptied = actions?.length === 0 && answer.actions!.length > 0;
    return { ...answer, ...(actions && { actions }), ...(isEmptied && { reply: 'That was not proposed.' }) };
  };
  /** The answer with names instead of uids. */
  const withNames = (answer: ModelJson, shown: Shown): ModelJson => {
    look(shown);
    const actions = answer.actions?.map(({ target_recurrence_id: occurrence, ...action }) => {
      const event = shown.events.find(({ ref }) => ref === action['target_event_uid']);
      const start = event?.repeats ? String(occurrence).slice(0, 16) : event?.start;
      const plan = nameOf(action['target_plan_uid']);
      const kept = !event && occurrence ? { target_recurrence_id: occurrence } : {};
      return {
        ...action,
        ...kept,
        ...(event && { target_event_uid: `${event.title} ${start}` }),
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
