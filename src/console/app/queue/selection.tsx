/** The rows that are ticked, which all buttons and keys decide on together. */
import { computed, effect, signal, untracked } from '@preact/signals';
import type { Waiting } from '../state/data.ts';
import { decideEach, reject, wereRead, type Decision } from '../state/decide.ts';
import { advise, complain, trying } from '../state/messages.ts';
import { quoted } from '../state/quoted.ts';
import { HASTY_MS, isOwn, useShown } from '../state/shown.ts';
import { Question } from '../ui/ask-first.tsx';
import { ReasonLine } from '../ui/reason-line.tsx';
import { sureText } from '../ui/sure.ts';
import { Foreign } from '../ui/text.tsx';
import { between, current, list, read } from './reading.ts';

/** By uid, with the revision that the person ticked. What somebody else changes since is not what they ticked. */
const selected = signal<ReadonlyMap<string, number>>(new Map());
/** What is asked before the selected ones are decided on: the reason of the rejection, or whether the series among them are meant. */
export const asking = signal<Decision | undefined>(undefined);

/** Whether the person has turned to one proposal since they ticked the last row. */
const isReading = signal(false);
/** The uid of the one that they decide on alone, beside the ticked ones. */
const alone = signal<string | undefined>(undefined);
const turn = (isOne: boolean): void => {
  isReading.value = isOne;
  alone.value = undefined;
};

export const isSelected = (plan: Waiting): boolean => {
  const revision = selected.value.get(plan.uid);
  return revision !== undefined && (revision === plan.revision || isOwn(plan));
};

/** Another selection is another question. A reason that is written stays as long as something is selected. */
const setSelected = (entries: Iterable<readonly [string, number]>): void => {
  selected.value = new Map(entries);
  turn(false);
  if (asking.value === 'approve' || !selected.value.size) asking.value = undefined;
};

/** The person reads one proposal. */
export const turnTo = (): void => {
  turn(true);
  if (asking.value === 'approve') asking.value = undefined;
};

export const turnBack = (): void => turn(false);

export const chosen = (): Waiting[] => list.value.filter(isSelected);

const entriesOf = (plans: readonly Waiting[]) => plans.map(({ uid, revision }) => [uid, revision] as const);
export const select = (plans: readonly Waiting[]): void => setSelected([...selected.value, ...entriesOf(plans)]);

export const clear = (): void => setSelected([]);

let lastToggled = '';
/** @param isRange with all between it and the last one, as with Shift in other lists */
export const toggle = (uid: string, isRange = false): void => {
  const meant = isRange ? between(lastToggled, uid) : [uid];
  const others = [...selected.value].filter(([one]) => !meant.includes(one));
  const those = selected.value.has(uid) ? [] : list.value.filter((plan) => meant.includes(plan.uid));
  lastToggled = uid;
  setSelected([...others, ...entriesOf(those)]);
};

export const isSelecting = computed(() => chosen().length > 0);
/** Whether the buttons decide on the ticked rows. */
export const isBatch = computed(() => isSelecting.value && alone.value !== current.value?.uid);
/** Whether the person reads a proposal that is not ticked. A key could mean that one or the ticked ones, so it only leads to the buttons. */
export const isApart = computed(
  () => isBatch.value && isReading.value && current.value !== undefined && !isSelected(current.value),
);
/**
 * What is refused stays selected, so that the person can do something else with it.
 * @returns whether there was an answer for all of them
 */
const decideChosen = async (decision: Decision, note?: string): Promise<boolean> => {
  const plans = chosen();
  const { worked, refused } = await decideEach(plans, decision, { place: 'row', note });
  if (!worked) return false;
  // Of one that is left the card has all that can be done with it.
  setSelected(refused.size === 1 ? [] : entriesOf(plans.filter(({ uid }) => refused.has(uid))));
  asking.value = undefined;
  const [only, ...others] = list.value.filter(({ uid }) => refused.has(uid));
  if (only && !others.length) read(only);
  return true;
};

effect(() => {
  const changed = list.value.filter((plan) => selected.value.has(plan.uid) && !isSelected(plan));
  if (!changed.length) return;
  untracked(() => {
    const uids = changed.map(({ uid }) => uid);
    selected.value = new Map([...selected.value].filter(([uid]) => !uids.includes(uid)));
    if (asking.value === 'approve' || !selected.value.size) asking.value = undefined;
    const [are, it] = changed.length === 1 ? ['was changed and is', 'it'] : ['were changed and are', 'them'];
    const titles = quoted(changed.map(({ title }) => title));
    complain(`${titles} ${are} no longer selected. Read ${it}, then select ${it} again.`, uids);
  });
});

/** Approves what is selected. Where a series or a cancellation is among it, it asks first. */
export const approveChosen = async (): Promise<void> => {
  if (sureText(chosen())) asking.value = 'approve';
  else await decideChosen('approve');
};

/** While another proposal is decided on, the way back to the ticked ones. */
export const SelectAll = () =>
  isSelecting.value && !isBatch.value ? (
    <button type="button" onClick={turnBack}>
      Back to the {chosen().length} selected
    </button>
  ) : (
    <button type="button" onClick={() => select(list.value)}>
      Select all
    </button>
  );

const decideAlone = (): void => {
  alone.value = current.value?.uid;
  // The button that was pressed is gone.
  document.querySelector('main')?.focus({ preventScroll: true });
};

/** When a key led to the buttons: an Enter that follows at once is not for them. */
let ledAt = -Infinity;

/** Answers the key that approves, while a proposal is read that is not ticked. */
export const leadToSelected = (): void => {
  void trying('selected', () => {
    document.querySelector<HTMLElement>('.queue .detail [data-selected]')?.focus();
    ledAt = performance.now();
    advise('Other proposals than this one are selected. Press Enter for these, or choose “Decide on this one alone”.');
  });
};

const rejectAlone = async (note: string): Promise<boolean> => {
  const isRejected = current.value !== undefined && (await reject(current.value, { note }));
  if (isRejected) asking.value = undefined;
  return isRejected;
};

const Names = ({ plans }: { plans: readonly Waiting[] }) => (
  <span class="why">
    {isApart.value && 'This one is not selected. '}Selected:{' '}
    <Foreign>{quoted(plans.map(({ title }) => title))}</Foreign>
  </span>
);

/** The button of a card that was decided on a moment ago was at this place. A second click on that one does not mean the ticked rows. */
const mayApprove = (): boolean =>
  !isApart.value ||
  (current.value !== undefined && performance.now() - ledAt > HASTY_MS && wereRead('card', [current.value]));

/**
 * While rows are selected, all buttons and keys decide on these, and say so.
 * @param isRead whether the card that they are in was shown for long enough to decide on it alone
 */
export const Batch = ({ isRead = false }: { isRead?: boolean }) => {
  const plans = chosen();
  const count = plans.length;
  const sure = sureText(plans);
  const ready = useShown('row', plans);
  if (asking.value === 'approve' && sure)
    return (
      <Question
        label={`Approve ${count} selected?`}
        why={`Selected: ${quoted(plans.map(({ title }) => title))}`}
        confirm={`Approve ${count}, ${sure}`}
        keep="Not yet"
        onConfirm={() => void decideChosen('approve')}
        onKeep={() => (asking.value = undefined)}
      />
    );
  if (asking.value === 'reject')
    return (
      <>
        {isApart.value && <Names plans={plans} />}
        <ReasonLine
          name={`Reject ${count} selected`}
          about="selected"
          of={plans.map(({ uid }) => uid).join(' ')}
          onReject={(note) => decideChosen('reject', note)}
          onKeep={() => (asking.value = undefined)}
          other={isApart.value ? { name: 'Reject this one alone', onReject: rejectAlone, isReady: isRead } : undefined}
        />
      </>
    );
  return (
    <div class="buttons" role="group" aria-label="Selected proposals">
      <Names plans={plans} />
      <button
        type="button"
        class="primary"
        data-selected=""
        aria-disabled={!ready}
        onClick={() => mayApprove() && void approveChosen()}
      >
        Approve {count} selected
      </button>
      <button type="button" class="danger" onClick={() => (asking.value = 'reject')}>
        Reject {count} selected
      </button>
      {isApart.value ? (
        <button type="button" onClick={decideAlone}>
          Decide on this one alone
        </button>
      ) : (
        <button type="button" onClick={clear}>
          Clear the selection
        </button>
      )}
    </div>
  );
};
