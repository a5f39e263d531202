/** Asks why a proposal is rejected, in one line: a chip or own words. The agent can read the note. */
import { useLayoutEffect, useRef } from 'preact/hooks';
import { complain, trying } from '../state/messages.ts';
import { HASTY_MS } from '../state/shown.ts';
import { forgetDraft } from './draft.ts';
import { Form } from './form.tsx';
import { useFocus } from './use-focus.ts';

/** The reasons that were given in this tab, by what they are about: after an undo the person may mean the same again. */
const given = new Map<string, string>();

const CHIPS = ['not in the evening', 'too long', 'not now'];

type Props = {
  name: string;
  /** What is rejected, by which the words are kept that were written and not sent. */
  about: string;
  /** For what it was given before, where another one may be rejected under the same name. */
  of?: string;
  /** @returns whether it was rejected */
  onReject: (note: string) => Promise<boolean>;
  onKeep: () => void;
  /** What else the reason may be for. Then Enter in the line leads to the buttons, of which the person presses one. */
  other?: (Pick<Props, 'name' | 'onReject'> & { isReady: boolean }) | undefined;
  /** Whether it can still be rejected; else what was written only stays to be read and copied. */
  isOpen?: boolean;
};

export const ReasonLine = ({ name, about, of = about, onReject, onKeep, other, isOpen = true }: Props) => {
  const draft = `reason ${about}`;
  const submit = useRef<HTMLButtonElement>(null);
  /** When Enter in the line led to the buttons: a second Enter may be meant for the line too. */
  const ledAt = useRef(-Infinity);
  const field = useFocus<HTMLInputElement>();
  const { current: before } = useRef(given.get(of) ?? '');
  // What is typed replaces it.
  useLayoutEffect(() => {
    if (before && field.current?.value === before) field.current.select();
  }, []);
  const send = async (note: string): Promise<boolean> => {
    const isRejected = await onReject(note);
    if (isRejected) given.set(of, note);
    return isRejected;
  };
  const isHasty = (): boolean => performance.now() - ledAt.current < HASTY_MS;
  const rejectOther = async (): Promise<void> => {
    if (await other?.onReject(field.current?.value.trim() ?? '')) forgetDraft(draft);
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.key === 'Enter' && other && event.target === field.current && !event.isComposing) {
      event.preventDefault();
      submit.current?.focus();
      ledAt.current = performance.now();
      const why = `Nothing is rejected yet. Press Enter for “${name}”, or choose “${other.name}”.`;
      void trying(draft, () => complain(why));
    }
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
      draft={draft}
      onSend={({ text }) => isOpen && !isHasty() && send(text('note').trim())}
      onKeyDown={onKeyDown}
    >
      {isOpen && (
        <span class="chips">
          {CHIPS.map((chip) => (
            <button key={chip} type="button" onClick={() => take(chip)}>
              {chip}
            </button>
          ))}
        </span>
      )}
      <input
        ref={field}
        name="note"
        defaultValue={before}
        aria-label="Reason, which the agent can read"
        placeholder="Why? (the agent can read it)"
        maxLength={1000}
        dir="auto"
      />
      {isOpen ? (
        <small>
          {other ? (
            `Nothing is rejected yet. The reason may be for “${name}” or for “${other.name}”.`
          ) : (
            <>
              Nothing is rejected yet. <kbd>Enter</kbd> or “{name}” does it.
            </>
          )}
        </small>
      ) : (
        <small>This reason was not sent. You can copy it.</small>
      )}
      <span class="buttons">
        {isOpen && (
          <button ref={submit} type="submit" class="danger">
            {name}
          </button>
        )}
        {isOpen && other && (
          <button type="button" class="danger" aria-disabled={!other.isReady} onClick={() => void rejectOther()}>
            {other.name}
          </button>
        )}
        <button type="button" onClick={onKeep}>
          {isOpen ? 'Keep' : 'Close'}
        </button>
      </span>
    </Form>
  );
};
