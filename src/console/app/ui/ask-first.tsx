/** A button for what cannot be undone: the first press asks, the second does it. */
import { useSignal } from '@preact/signals';
import { HASTY_MS, useKeysShown } from '../state/shown.ts';
import { useFocus } from './use-focus.ts';

type Props = { name: string; label?: string; confirm: string; onConfirm: () => void };

type QuestionProps = Omit<Props, 'name'> & { why?: string; keep?: string; onKeep: () => void };

/** The question in place of a button. The answer that changes nothing has the focus, and is where the button was. */
export const Question = ({ label, why, confirm, keep = 'Keep', onConfirm, onKeep }: QuestionProps) => {
  const safe = useFocus<HTMLButtonElement>();
  // A second click on the button that asked may hit the one that does it.
  const isReady = useKeysShown([`question ${confirm}`], undefined, HASTY_MS);
  return (
    <span class="buttons" role="group" aria-label={label}>
      {why !== undefined && <span class="why">{why}</span>}
      <button type="button" ref={safe} data-keep="" onClick={onKeep}>
        {keep}
      </button>
      <button
        type="button"
        class="danger"
        aria-disabled={!isReady}
        onClick={() => {
          if (isReady) onConfirm();
        }}
      >
        {confirm}
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
