/** A button for what cannot be undone: the first press asks, the second does it. */
import { useSignal } from '@preact/signals';
import { useFocus } from './use-focus.ts';

type Props = { name: string; label?: string; confirm: string; onConfirm: () => void };

const Question = ({ label, confirm, onConfirm, onKeep }: Omit<Props, 'name'> & { onKeep: () => void }) => {
  const keep = useFocus<HTMLButtonElement>();
  return (
    <span class="buttons" role="group" aria-label={label}>
      <button type="button" class="danger" onClick={onConfirm}>
        {confirm}
      </button>
      <button type="button" ref={keep} onClick={onKeep}>
        Keep
      </button>
    </span>
  );
};

export const AskFirst = ({ name, label = name, confirm, onConfirm }: Props) => {
  const asked = useSignal(false);
  if (asked.value) return <Question {...{ label, confirm, onConfirm }} onKeep={() => (asked.value = false)} />;
  return (
    <button type="button" class="danger" onClick={() => (asked.value = true)} aria-label={label}>
      {name}
    </button>
  );
};
