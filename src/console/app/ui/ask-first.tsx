/** A button for what cannot be undone: the first press asks, the second does it. */
import { useSignal } from '@preact/signals';

type Props = { name: string; label?: string; confirm: string; onConfirm: () => void };

export const AskFirst = ({ name, label = name, confirm, onConfirm }: Props) => {
  const asked = useSignal(false);
  if (!asked.value)
    return (
      <button type="button" class="danger" onClick={() => (asked.value = true)} aria-label={label}>
        {name}
      </button>
    );
  return (
    <span class="buttons" role="group" aria-label={label}>
      <button type="button" class="danger" onClick={onConfirm}>
        {confirm}
      </button>
      <button type="button" onClick={() => (asked.value = false)}>
        Keep
      </button>
    </span>
  );
};
