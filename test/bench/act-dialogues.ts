/** Compares what stands proposed after dialogues with what is wanted (../shared/planner-trial/effects.md has their notation). */
import type { Action, Change, Creation, Move, Target } from '../../src/domain/planner/act/actions.ts';
import type { Known, KnownPlan } from '../../src/domain/planner/act/known.ts';
import type { Item, Step } from '../../src/domain/planner/dialogue/item.ts';
import { turn } from '../../src/domain/planner/dialogue/turn.ts';
import type { Request } from '../../src/domain/planner/request.ts';
import { readRoles } from '../../src/domain/planner/roles/reader.ts';
import { annotated, written } from '../support/annotated.ts';
import { type Effect, isRight } from '../support/effects.ts';
import { effectOf, KNOWN, linesOf } from './act-effects.ts';

const MORNING = 540;
const HOUR = 60;

type Waiting = { plans: Map<string, Action>; items: Item[]; next: number };

const isCreation = (action: Action): action is Action & Creation =>
  action.do === 'create' || action.do === 'remind' || action.do === 'find';

const wall = (date: Creation['date'], at: Creation['at']): Temporal.PlainDateTime => {
  const minute = typeof at === 'number' ? at : (at?.after ?? MORNING);
  return ('from' in date ? date.from : date).toPlainDateTime().add({ minutes: minute });
};

/** The proposal as the calendar shows it. What is to find its own place has been put at the first. */
const planOf = (uid: string, action: Action): KnownPlan[] => {
  if (isCreation(action)) {
    const { title, date, at, minutes = HOUR, days } = action;
    return [{ uid, title, start: wall(date, days ? 0 : at), minutes: days ? days * 1440 : minutes }];
  }
  if (!('target' in action)) return [];
  const event = KNOWN.events.find(
    (one) => one.uid === action.target.uid && one.recurrence_id === action.target.recurrence_id,
  );
  if (!event) return [];
  const { title, start, minutes } = event;
  return [{ uid, title, start: action.do === 'move' ? wall(action.date, action.at) : start, minutes, of: event.uid }];
};

const knownOf = ({ plans }: Waiting): Known => ({
  ...KNOWN,
  pending: [...plans].flatMap(([uid, action]) => planOf(uid, action)),
});

/** Changes a proposal that waits. */
const changed = (before: Action, act: Action & { target: Target }): Action => {
  if (act.do === 'resize') return { ...before, minutes: act.minutes } as Action;
  if (act.do === 'change') {
    const { title, place, notes } = act as Change;
    return { ...before, ...(title && { title }), ...(place && { place }), ...(notes && { notes }) };
  }
  // a cancellation that gets a time is a move
  if (before.do === 'cancel') return { ...act, target: before.target } as Action;
  const { date, at, minutes, series } = act as Move;
  const { days, ...rest } = before as Creation;
  const isTimed = typeof at === 'number' && !(days && at === 0);
  return {
    ...rest,
    date,
    ...(isTimed || !days ? { at } : { at: null, days }),
    ...(minutes && { minutes }),
    ...(series && { series }),
  } as Action;
};

const take = (waiting: Waiting, { actions, pieces, isSame, replaces }: Step): Action[] => {
  const left = [...replaces];
  const made: string[] = [];
  const others: Action[] = [];
  for (const action of actions) {
    if ('target' in action && action.target.isPending) {
      const { uid } = action.target;
      const before = waiting.plans.get(uid);
      if (action.do === 'cancel') waiting.plans.delete(uid);
      else if (before) waiting.plans.set(uid, changed(before, action));
    } else if (['ask', 'answer', 'nothing', 'setting'].includes(action.do)) others.push(action);
    else {
      const uid = left.shift() ?? `plan ${waiting.next++}`;
      waiting.plans.set(uid, action);
      made.push(uid);
    }
  }
  const isMade = made.length > 0;
  const isAsked = ({ pieces: said }: Pick<Item, 'pieces'>): boolean => said.some(({ role }) => role === 'ask');
  if (isSame) while (waiting.items.length > 1 && isAsked(waiting.items.at(-1)!)) waiting.items.pop();
  if (isMade) for (const uid of left) waiting.plans.delete(uid);
  const last = waiting.items.at(-1);
  const plans = isMade ? made : isSame ? (last?.plans ?? []).filter((uid) => waiting.plans.has(uid)) : [];
  if (isSame) waiting.items.pop();
  const isTalk = actions.every((one) => one.do === 'answer' || one.do === 'nothing' || one.do === 'setting');
  if (pieces.length > 0 && (!isTalk || isSame || isAsked({ pieces }))) waiting.items.push({ pieces, plans });
  return others;
};

/** What stands proposed after the turns of a dialogue. */
export const standing = (turns: readonly Request[]): Effect[] => {
  const waiting: Waiting = { plans: new Map(), items: [], next: 1 };
  let others: Action[] = [];
  for (const request of turns)
    others = turn(request, waiting.items, knownOf(waiting)).flatMap((step) => take(waiting, step));
  const made = [...waiting.plans.values()].map(effectOf);
  if (made.length > 0) return made;
  const last = others.map(effectOf).filter(({ do: kind }) => kind !== 'nothing');
  return last.length > 0 ? last : [{ do: 'nothing' }];
};

export const judgeDialogues = (
  files: readonly string[],
  { isVerbose, isRead }: { isVerbose: boolean; isRead: boolean },
): void => {
  for (const file of files) {
    const lines = linesOf(file);
    let right = 0;
    for (const line of lines) {
      const { turns, want } = JSON.parse(line) as { turns: string[]; want: Effect[][] };
      const read = turns.map((text): Request => {
        const given = annotated(text);
        return isRead ? { text: given.text, spans: readRoles(given.text).best.spans } : given;
      });
      const got = standing(read);
      if (isRight(got, want)) right += 1;
      else if (isVerbose)
        console.log(`${read.map(written).join('\n')}\n   got  ${JSON.stringify(got)}\n   want ${JSON.stringify(want)}`);
    }
    console.log(
      `${file}: ${right} of ${lines.length} dialogues right (${((100 * right) / lines.length).toFixed(1)} %)`,
    );
  }
};
