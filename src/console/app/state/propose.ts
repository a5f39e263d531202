/** Proposes what a sentence says, and books it where the person asks for it and has read exactly that. Both can be taken back. */
import { AlmanacProblem, type Plan } from '../../../client/almanac-client.ts';
import { screen, go } from './address.ts';
import { waiting, type Waiting } from './data.ts';
import { touchAll } from './live.ts';
import { asLiteral } from './literal.ts';
import { complain, say, sayUndone, type Offer } from './messages.ts';
import { isCorrection, isRefused, isWithdrawn, MOST_SHOWN, readOf, type Preview } from './preview.ts';
import { inOwnTime, refusalsText, sentence } from './sentence.ts';
import { client } from './service.ts';
import { cancels, firstStart, isAllDay, repeats, startText } from './series.ts';
import { takeBack } from './undo.ts';
import { wallOf } from './wall-time.ts';
import { whenThere } from './when-there.ts';

/**
 * Goes to a day, and opens the card of a block on it where the calendar draws it.
 * @param key the key of a block, or the uid with which it begins
 */
export const showBlock = (date: string, key: string): void => {
  go('./', { date });
  const name = CSS.escape(key);
  const find = (): HTMLElement | null =>
    screen.value === '' ? document.querySelector(`main :is([data-block="${name}"], [data-block^="${name} "])`) : null;
  whenThere(find, (block) => {
    block.scrollIntoView({ block: 'center' });
    block.click();
  });
};

const dateOf = (plan: Plan): string | undefined => {
  const start = cancels(plan) ? null : firstStart(plan);
  if (start === null || (plan.action_type !== 'schedule' && plan.action_type !== 'reschedule')) return undefined;
  return wallOf(start, isAllDay(plan) ? (plan.timezone ?? undefined) : undefined).date;
};

/** What has no place on the calendar is shown in the queue. */
const showing = (plan: Plan): Offer => {
  const date = dateOf(plan);
  const { uid, linked_event_uid, status, target_event_uid } = plan;
  const block = status === 'proposed' ? uid : (linked_event_uid ?? target_event_uid ?? uid);
  if (date !== undefined) return { name: 'Show', run: () => showBlock(date, block) };
  return { name: 'Show', run: () => go('queue', status === 'proposed' ? { plan: uid } : { show: 'decided' }) };
};

const named = (plans: readonly Plan[]): string => {
  const [first, ...others] = plans;
  if (!first) return '';
  const when = cancels(first) ? '' : startText(first);
  return `${first.title}${when && `, ${when}`}${others.length ? ` and ${others.length} more` : ''}`;
};

const reasonOf = ({ decision }: Plan): string => inOwnTime(decision?.note ?? 'A limit or the calendar is against it');
export const whyNot = (plan: Plan): string => `Not possible: ${plan.title}. ${reasonOf(plan)}`;

/** Of two plans that exchange places, one stands for both. */
export const oneOfEach = (plans: readonly Plan[]): Plan[] =>
  plans.filter(({ uid, swaps_with }) => swaps_with === null || uid < swaps_with);

/** @param again does again what was undone, with the plans as they then wait */
const withdraw = async (plans: readonly Plan[], again: (back: Plan[]) => unknown): Promise<void> => {
  const of = oneOfEach(plans);
  if (!of.length) return;
  const results = await client.agent.withdraw({ uids: of.map(({ uid }) => uid) });
  const refused = refusalsText(results);
  if (refused !== undefined) return complain(refused);
  sayUndone(`Taken back: ${named(plans)}`, async () => {
    try {
      const { plans: back, refused } = await undone(of);
      if (refused === undefined) await again(back);
      else complain(refused);
    } finally {
      touchAll();
    }
  });
};

/** Takes the decisions on plans back, the last one first. */
const undone = async (of: readonly Plan[]): Promise<{ plans: Plan[]; refused: string | undefined }> => {
  const results = await client.agent.undo({ uids: of.map(({ uid }) => uid).toReversed() });
  return { plans: results.flatMap(({ plan }) => plan ?? []).toReversed(), refused: refusalsText(results) };
};

const sayDone = (deed: string, plans: readonly Plan[], why: string | undefined, undo: () => Promise<void>): void => {
  const [first] = plans;
  if (first) say(`${deed}: ${named(plans)}${why === undefined ? '' : `. ${why}`}`, undo, showing(first));
};

/** Plans that the sentence made, and not those that it changed. */
const sayNew = (plans: readonly Plan[], why?: string): void =>
  sayDone('Proposed', plans, why, () => withdraw(plans, sayNew).finally(touchAll));

type Made = { plan: Plan; before: Waiting | undefined };

/** A correction is undone by what the proposal was before. */
const restore = async ({ plan, before }: Made): Promise<void> => {
  if (isWithdrawn(plan)) return takeBack(plan);
  if (!before) return complain(`What ${plan.title} was before is not known. Its history in memory has it.`);
  const { uid, version } = plan;
  const fields = ['title', 'content', 'scheduled_for', 'duration_minutes', 'rrule', 'exdates'] as const;
  const changed = fields.filter((field) => String(before[field]) !== String(plan[field]));
  const updates = Object.fromEntries(changed.map((field) => [field, before[field]]));
  await client.memory.edit({ uid, updates }, { ifMatch: version });
  say(`Taken back: ${before.title} is as before.`);
};

const undoing = (made: readonly Made[]) => async (): Promise<void> => {
  try {
    for (const one of made.filter(({ plan }) => isCorrection(plan))) await restore(one);
    const others = made.map(({ plan }) => plan).filter((plan) => !isCorrection(plan));
    await withdraw(others, sayNew);
  } finally {
    touchAll();
  }
};

const CHANGED = 'It was changed meanwhile, so it waits in the queue for your decision.';

/** What was booked at once was never a proposal of its own for the person, so none is left. */
const unbooking = (plans: readonly Plan[], rest: readonly Plan[]) => async (): Promise<void> => {
  try {
    const { plans: back, refused } = await undone(plans);
    if (refused !== undefined) complain(refused);
    const all = [...back, ...rest];
    // Somebody may have changed it elsewhere, and nobody has read that here.
    await withdraw(all, (again) => (readOf(again) === readOf(all) ? book(again) : sayNew(again, CHANGED)));
  } finally {
    touchAll();
  }
};

/** Why plans are not booked at once; undefined where they are. */
const against = (made: readonly Made[], { plans: shown }: Preview, wasRead: boolean): string | undefined => {
  const plans = made.map(({ plan }) => plan);
  if (plans.some(repeats)) return 'A series waits in the queue for your decision.';
  if (plans.some(({ swaps_with }) => swaps_with !== null)) return 'A swap waits in the queue for your decision.';
  if (plans.some(cancels)) return 'A cancellation waits in the queue for your decision.';
  if (plans.some(isCorrection)) return 'A proposal that was changed waits in the queue for your decision.';
  if (readOf(plans) !== readOf(shown.filter((plan) => !isRefused(plan))))
    return 'It is not what the preview showed, so it waits in the queue for your decision.';
  if (shown.length > MOST_SHOWN) return 'The preview did not show all, so they wait in the queue for your decision.';
  return wasRead ? undefined : 'The preview had only just appeared, so it waits in the queue for your decision.';
};

export const sayProposed = (made: readonly Made[], why?: string): void => {
  const [first] = made;
  if (!first) return;
  const deed = isWithdrawn(first.plan) ? 'Withdrawn' : isCorrection(first.plan) ? 'Changed' : 'Proposed';
  sayDone(
    deed,
    made.map(({ plan }) => plan),
    why,
    undoing(made),
  );
};

/** Approves each plan at the version that was answered. Those that cannot be approved stay proposals. */
const book = async (plans: readonly Plan[]): Promise<void> => {
  const expected_versions = Object.fromEntries(plans.map(({ uid, version }) => [uid, version]));
  const results = await client.agent.approve({ uids: plans.map(({ uid }) => uid), expected_versions });
  const booked = results.flatMap(({ plan }) => plan ?? []);
  const left = plans.filter(({ uid }) => !booked.some((one) => one.uid === uid));
  const why = results.find(({ problem }) => problem)?.problem?.detail;
  const deed = booked.every(({ status }) => status === 'executed') ? 'Booked' : 'Approved';
  sayDone(deed, booked, undefined, unbooking(booked, left));
  sayNew(left, `It is not booked and waits in the queue: ${inOwnTime(why ?? '')}`);
};

/** The sentence whose answer was lost. Sent again under the same key, it is not proposed twice. */
let lost: { of: string; idempotencyKey: string } | undefined;
const send = async ({ of: prompt, literal }: Preview): Promise<Plan[]> => {
  const of = JSON.stringify([prompt, literal]);
  const { idempotencyKey } = lost?.of === of ? lost : { idempotencyKey: `palette-${Date.now()}-${Math.random()}` };
  lost = undefined;
  try {
    return await client.agent.plan({ prompt, ...asLiteral(literal) }, { idempotencyKey });
  } catch (error) {
    if (error instanceof AlmanacProblem && error.code === 'unreachable') lost = { of, idempotencyKey };
    throw error;
  }
};

/**
 * @param atOnce whether the person wants no further decision
 * @param wasRead whether the preview was there for long enough
 * @returns what failed, where nothing was proposed
 */
export const propose = async (shown: Preview, atOnce: boolean, wasRead: boolean): Promise<string | undefined> => {
  // As they are before the answer, which may arrive later than its changes.
  const before = new Map((waiting.data.value ?? []).map((plan) => [plan.uid, plan]));
  try {
    const answer = await send(shown);
    const made = answer.filter((plan) => !isRefused(plan)).map((plan) => ({ plan, before: before.get(plan.uid) }));
    const refused = answer.find(isRefused);
    if (!answer.length) return 'Nothing was proposed, because no plan is understood in this.';
    const why = atOnce ? against(made, shown, wasRead) : undefined;
    const problem = refused && whyNot(refused);
    if (!made.length) return problem;
    if (problem !== undefined) complain(problem);
    if (!atOnce || why !== undefined) sayProposed(made, why);
    else
      await book(made.map(({ plan }) => plan)).catch((error: unknown) =>
        sayProposed(made, `Not booked: ${sentence(error)}`),
      );
    return undefined;
  } catch (error) {
    return sentence(error);
  } finally {
    touchAll();
  }
};
