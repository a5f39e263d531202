/**
 * The order in which the queue is read. What is shown keeps its place: new proposals are announced and join the list when the
 * person asks for them, and the one that is read stays until the person moves on, also when somebody else decided on it.
 */
import { computed, effect, signal, untracked } from '@preact/signals';
import { asOf, change, parameter, screen } from '../state/address.ts';
import { MOST_SHOWN, proposerId, waiting, type Waiting } from '../state/data.ts';
import { deciding } from '../state/decide.ts';
import { unseen } from '../state/ended.ts';
import { person } from '../state/service.ts';
import { comesNext } from '../state/shown.ts';
import { cameBack } from '../state/undo.ts';

/** Back in the present, what waited at an earlier moment is no list to decide on. */
export const isOfAnotherMoment = computed(() => asOf.value === undefined && waiting.stale.value);

/** Soonest first; the plans of one request are together, where the first of them is. */
const soonestFirst = computed(() => {
  const groups = new Map<string, Waiting[]>();
  for (const plan of isOfAnotherMoment.value ? [] : (waiting.data.value ?? [])) {
    const key = plan.proposal_id ?? plan.uid;
    const group = groups.get(key);
    if (group) group.push(plan);
    else groups.set(key, [plan]);
  }
  return [...groups.values()].flat();
});

/** The uids in the order in which they are shown. */
const order = signal<readonly string[]>([]);

/** The `proposerId` whose proposals are shown alone. */
export const shownProposer = computed(() => parameter('by'));
const isShown = (plan: Waiting): boolean =>
  shownProposer.value === undefined || proposerId(plan) === shownProposer.value;

export const list = computed(() => {
  // The past does not change, so it is shown as it was.
  if (asOf.value !== undefined) return soonestFirst.value.filter(isShown);
  const byUid = new Map(soonestFirst.value.map((plan) => [plan.uid, plan]));
  return order.value.flatMap((uid) => (deciding.value.has(uid) ? [] : (byUid.get(uid) ?? []))).filter(isShown);
});

/** Those that came since, which the list does not show yet. */
export const fresh = computed(() => {
  if (asOf.value !== undefined) return [];
  const known = new Set(order.value);
  return soonestFirst.value.filter(({ uid }) => !known.has(uid) && !deciding.value.has(uid)).filter(isShown);
});

effect(() => {
  unseen.value = new Set(screen.value === 'queue' ? fresh.value.map(({ uid }) => uid) : []);
});

export const showFresh = (): void => {
  if (asOf.value === undefined) order.value = soonestFirst.value.map(({ uid }) => uid);
};

export const groupOf = (plan: Waiting): Waiting[] =>
  plan.proposal_id === null ? [plan] : list.value.filter(({ proposal_id }) => proposal_id === plan.proposal_id);

/** The proposal that is read, as it was known last: that of the present, which is there again after a visit to the past, and that of the past. */
const [chosenNow, chosenThen] = [signal<Waiting>(), signal<Waiting>()];
const chosen = computed(() => (asOf.value === undefined ? chosenNow : chosenThen).value);
const choose = (plan: Waiting | undefined): void => {
  (asOf.peek() === undefined ? chosenNow : chosenThen).value = plan;
};

/** Whether its card is open on a phone, where it lies over the list: a tap on a row, a key or a link opens it. */
export const isOpened = signal(false);

export const isWaiting = (plan: Waiting): boolean => list.value.some(({ uid }) => uid === plan.uid);

/** The waiting proposals before and behind one, which itself may wait no longer. */
const around = (uid: string): { before: Waiting[]; behind: Waiting[] } => {
  const shown = asOf.value === undefined ? order.value : list.value.map((plan) => plan.uid);
  const place = new Map(shown.map((one, n) => [one, n]));
  const at = place.get(uid) ?? -1;
  const placeOf = (plan: Waiting): number => place.get(plan.uid) as number;
  return {
    before: list.value.filter((plan) => placeOf(plan) < at),
    behind: list.value.filter((plan) => placeOf(plan) > at),
  };
};

/**
 * It may have been decided on elsewhere. The next one follows one that the person has decided on: a decision that does not work moves
 * nothing, so that the same key repeats it and decides on no other one.
 */
export const current = computed<Waiting | undefined>(() => {
  const plan = chosen.value;
  if (!plan) return list.value[0];
  const { before, behind } = around(plan.uid);
  if (deciding.value.get(plan.uid)?.isDone) return behind[0] ?? before.at(-1);
  const found = list.value.find(({ uid }) => uid === plan.uid);
  return found ?? (asOf.value === undefined ? plan : list.value[0]);
});
effect(() => {
  const { value: plan } = current;
  const before = chosen.peek();
  if (plan && before && plan.uid !== before.uid && deciding.peek().get(before.uid)?.isDone) comesNext(plan.uid);
  choose(plan);
});

/** From the one that was selected last to this one, in the order that is shown. */
export const between = (from: string, to: string): string[] => {
  const uids = list.value.map(({ uid }) => uid);
  const [a, b] = [uids.indexOf(from), uids.indexOf(to)];
  return a < 0 || b < 0 ? [to] : uids.slice(Math.min(a, b), Math.max(a, b) + 1);
};

export const read: (plan: Waiting) => void = choose;

export const readNext = (by: 1 | -1): void => {
  const plan = current.value;
  if (!plan) return;
  const { before, behind } = around(plan.uid);
  const next = by > 0 ? behind[0] : before.at(-1);
  if (next) read(next);
  else if (!isWaiting(plan)) choose(list.value[0]);
};

effect(() => {
  void shownProposer.value;
  choose(undefined);
});
effect(() => {
  // The list of another moment is another list.
  void asOf.value;
  chosenThen.value = undefined;
});
effect(() => {
  // The next person in this tab sees nothing of what the last one read.
  void person.value;
  order.value = [];
  chosenNow.value = undefined;
  chosenThen.value = undefined;
});
effect(() => {
  // A full list goes on with the next ones, at its end, where they move nothing.
  const { value: plans } = soonestFirst;
  if (plans.length < MOST_SHOWN || asOf.value !== undefined) return;
  const known = new Set(order.peek());
  const end = plans.slice(plans.findLastIndex(({ uid }) => known.has(uid)) + 1);
  if (known.size && end.length) order.value = [...order.peek(), ...end.map(({ uid }) => uid)];
});
/** Nobody has read anything so soon after the screen was opened. */
const OPENING_MS = 500;
let openedAt = -Infinity;

/** The screen was opened: it shows all. */
export const open = (): void => {
  openedAt = performance.now();
  const plan = asOf.peek() === undefined && waiting.data.peek() ? current.peek() : undefined;
  // It was read before another screen, and waits no longer.
  if (plan && !isWaiting(plan)) choose(undefined);
  showFresh();
};

effect(() => {
  // Where nothing is read, nothing can move.
  const isRead = current.value && performance.now() - openedAt > OPENING_MS;
  if (fresh.value.length && !isRead) showFresh();
});

effect(() => {
  // A link names the proposal to read. It counts once, so that nothing changes under the reader later.
  const uid = screen.value === 'queue' ? parameter('plan') : undefined;
  if (uid === undefined || !waiting.data.value) return;
  const plan = waiting.data.value.find((one) => one.uid === uid);
  untracked(() => {
    if (plan) {
      read(plan);
      isOpened.value = true;
    }
    change({ plan: undefined }, true);
  });
});

effect(() => {
  // It is read again at once, so that no key is for its neighbour; the list has it with the next read.
  const plan = cameBack.value;
  untracked(() => {
    if (!plan || asOf.value !== undefined) return;
    deciding.value = new Map([...deciding.value].filter(([uid]) => uid !== plan.uid));
    read(plan);
  });
});
effect(() => {
  const uid = cameBack.value?.uid;
  if (uid === undefined || !soonestFirst.value.some((plan) => plan.uid === uid)) return;
  if (fresh.peek().some((plan) => plan.uid === uid)) showFresh();
  cameBack.value = undefined;
});
