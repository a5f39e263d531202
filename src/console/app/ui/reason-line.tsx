/** Asks why a proposal is rejected, in one line: a chip or own words. The agent can read the note. */
import { useSignal } from '@preact/signals';
import { useFocus } from './use-focus.ts';

const CHIPS = ['not in the evening', 'too long', 'not now'];

type Props = { name: string; onReject: (note: string) => void; onKeep: () => void };

export const ReasonLine = ({ name, onReject, onKeep }: Props) => {
  const note = useSignal('');
  const field = useFocus<HTMLInputElement>();
  const onSubmit = (event: SubmitEvent): void => {
    event.preventDefault();
    onReject(note.value.trim());
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.key !== 'Escape') return;
    event.stopPropagation();
    onKeep();
  };
  const take = (chip: string): void => {
    note.value = note.value.trim() ? `${note.value.trim()}, ${chip}` : chip;
    field.current?.focus();
  };
  return (
    <form class="reason" aria-label={name} onSubmit={onSubmit} onKeyDown={onKeyDown}>
      <span class="chips">
        {CHIPS.map((chip) => (
          <button key={chip} type="button" onClick={() => take(chip)}>
            {chip}
          </button>
        ))}
      </span>
      <input
        ref={field}
        aria-label="Reason, which the agent can read"
        placeholder="Why? (the agent can read it)"
        maxLength={1000}
        dir="auto"
        value={note.value}
        onInput={(event) => (note.value = event.currentTarget.value)}
      />
      <span class="buttons">
        <button type="submit" class="danger">
          {name}
        </button>
        <button type="button" onClick={onKeep}>
          Keep
        </button>
      </span>
    </form>
  );
};
