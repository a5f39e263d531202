/** Asks why a proposal is rejected, in one line: a chip or own words. The agent can read the note. */
import { useLayoutEffect, useRef } from 'preact/hooks';
import { Form } from './form.tsx';
import { useFocus } from './use-focus.ts';

/** The reasons that were given in this tab, by what they are about: after an undo the person may mean the same again. */
const given = new Map<string, string>();

const CHIPS = ['not in the evening', 'too long', 'not now'];

type Props = {
  name: string;
  /** What is rejected, by which the words are kept that were written and not sent. */
  about: string;
  /** @returns whether it was rejected */
  onReject: (note: string) => Promise<boolean>;
  onKeep: () => void;
};

export const ReasonLine = ({ name, about, onReject, onKeep }: Props) => {
  const field = useFocus<HTMLInputElement>();
  const { current: before } = useRef(given.get(about) ?? '');
  // What is typed replaces it.
  useLayoutEffect(() => {
    if (before && field.current?.value === before) field.current.select();
  }, []);
  const send = async (note: string): Promise<boolean> => {
    const isRejected = await onReject(note);
    if (isRejected) given.set(about, note);
    return isRejected;
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.key !== 'Escape') return;
    event.stopPropagation();
    onKeep();
  };
  const take = (chip: string): void => {
    const { current: input } = field;
    if (!input) return;
    const written = input.value.trim();
    input.value = written ? `${written}, ${chip}` : chip;
    input.dispatchEvent(new Event('input', { bubbles: true }));
    // It only fills the line, which is sent by Enter.
    input.focus();
  };
  return (
    <Form
      class="reason"
      aria-label={name}
      draft={`reason ${about}`}
      onSend={({ text }) => send(text('note').trim())}
      onKeyDown={onKeyDown}
    >
      <span class="chips">
        {CHIPS.map((chip) => (
          <button key={chip} type="button" onClick={() => take(chip)}>
            {chip}
          </button>
        ))}
      </span>
      <input
        ref={field}
        name="note"
        defaultValue={before}
        aria-label="Reason, which the agent can read"
        placeholder="Why? (the agent can read it)"
        maxLength={1000}
        dir="auto"
      />
      <small>
        Nothing is rejected yet. <kbd>Enter</kbd> or “{name}” does it.
      </small>
      <span class="buttons">
        <button type="submit" class="danger">
          {name}
        </button>
        <button type="button" onClick={onKeep}>
          Keep
        </button>
      </span>
    </Form>
  );
};
