/** A text to take elsewhere, such as a command, with a button that copies it. */
import { useSignal } from '@preact/signals';

const copy = async (text: string): Promise<boolean> => {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return false; // Only pages on https or localhost may.
  }
};

export const Copied = ({ text, name }: { text: string; name: string }) => {
  const state = useSignal<'' | 'done' | 'failed'>('');
  return (
    <div class="copied">
      <pre tabIndex={0} aria-label={name}>
        {text}
      </pre>
      <button
        type="button"
        aria-label={`Copy ${name}`}
        onClick={() => void copy(text).then((worked) => (state.value = worked ? 'done' : 'failed'))}
      >
        {state.value === 'done' ? 'Copied' : 'Copy'}
      </button>
      <span role="status" class="quiet">
        {state.value === 'failed' && 'The browser did not allow it. Select the text and copy it.'}
      </span>
    </div>
  );
};
