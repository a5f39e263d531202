/** The rows that are ticked, which all buttons and keys decide on together. */
import { signal } from '@preact/signals';
import type { Waiting } from '../state/data.ts';
import { decideAll, type Decision } from '../state/decide.ts';
import { useShown } from '../state/shown.ts';
import { ReasonLine } from '../ui/reason-line.tsx';
import { between, list } from './reading.ts';

const selected = signal<ReadonlySet<string>>(new Set());
/** Whether the reason is asked for which the selected ones are rejected. */
export const rejecting = signal(false);

export const isSelected = ({ uid }: Waiting): boolean => selected.value.has(uid);

export const select = (plans: readonly Waiting[]): void => {
  selected.value = new Set([...selected.value, ...plans.map(({ uid }) => uid)]);
};

const clear = (): void => {
  selected.value = new Set();
};

let lastToggled = '';
/** @param isRange with all between it and the last one, as with Shift in other lists */
export const toggle = (uid: string, isRange = false): void => {
  const next = new Set(selected.value);
  const isOn = !next.has(uid);
  for (const one of isRange ? between(lastToggled, uid) : [uid]) {
    if (isOn) next.add(one);
    else next.delete(one);
  }
  lastToggled = uid;
  selected.value = next;
};

/** A request decides at most this many. */
const BATCH = 100;
export const chosen = (): Waiting[] => list.value.filter(isSelected);
/** @returns whether all of them were decided on */
export const decideChosen = async (decision: Decision, note?: string): Promise<boolean> => {
  const plans = chosen();
  for (let i = 0; i < plans.length; i += BATCH)
    if (!(await decideAll(plans.slice(i, i + BATCH), decision, { place: 'row', note }))) return false;
  rejecting.value = false;
  clear();
  return true;
};

export const SelectAll = () => (
  <button type="button" onClick={() => select(list.value)}>
    Select all
  </button>
);

/** While rows are selected, all buttons and keys decide on these, and say so. */
export const Batch = () => {
  const plans = chosen();
  const count = plans.length;
  const ready = useShown('row', plans);
  if (rejecting.value)
    return (
      <ReasonLine
        name={`Reject ${count} selected`}
        about="selected"
        onReject={(note) => decideChosen('reject', note)}
        onKeep={() => (rejecting.value = false)}
      />
    );
  return (
    <div class="buttons" role="group" aria-label="Selected proposals">
      <button type="button" class="primary" aria-disabled={!ready} onClick={() => void decideChosen('approve')}>
        Approve {count} selected
      </button>
      <button type="button" class="danger" onClick={() => (rejecting.value = true)}>
        Reject {count} selected
      </button>
      <button type="button" onClick={clear}>
        Clear the selection
      </button>
    </div>
  );
};
