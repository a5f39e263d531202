/** A form that keeps what was typed until it is sent, and reads its fields. */
import type { ComponentChildren, FormHTMLAttributes } from 'preact';
import { useSignal } from '@preact/signals';
import { useRef } from 'preact/hooks';
import { conflict } from '../state/conflict.ts';
import { forgetDraft, useDraft, type Offered } from './draft.ts';
import { announce, fieldsIn, fieldsOf, type Fields } from './fields.ts';
import { Foreign } from './text.tsx';

type Props = Omit<FormHTMLAttributes, 'onSubmit' | 'ref' | 'children'> & {
  /** The name under which it keeps what is typed; missing where nothing may be kept, as of passwords. */
  draft?: string;
  /** The version of what it changes. */
  version?: number | undefined;
  /** Whether the fields show what was sent, also afterwards; else they are as they were given again. */
  stays?: boolean;
  /** Whether it is for a new thing each time. What was typed for another one is then offered, and not filled in. */
  fresh?: boolean;
  /** @returns whether it was sent */
  onSend: (fields: Fields) => boolean | Promise<boolean>;
  children: ComponentChildren;
};

const Offer = ({ text, bringBack, forget }: Offered) => (
  <p class="quiet draft" role="status">
    You typed “<Foreign>{text.length > 40 ? `${text.slice(0, 40)}…` : text}</Foreign>” before and did not send it.
    <button type="button" class="plain" onClick={bringBack}>
      Bring it back
    </button>
    <button type="button" class="plain" onClick={forget}>
      Forget it
    </button>
  </p>
);

/** A new line in a text takes Enter, so that Enter with Ctrl sends the form. */
const sendByKey = (event: KeyboardEvent): void => {
  if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey) || event.isComposing || event.repeat) return;
  if (event.defaultPrevented || !(event.target instanceof HTMLTextAreaElement)) return;
  event.preventDefault();
  event.target.form?.requestSubmit();
};

/** After this a person wonders whether anything happens. */
const SLOW_MS = 700;

export const Form = ({ draft, version, stays = false, fresh = false, onSend, children, ...rest }: Props) => {
  const form = useRef<HTMLFormElement>(null);
  const { back, offered } = useDraft(form, draft, version, fresh);
  const forget = (): void => {
    if (draft !== undefined) forgetDraft(draft);
    back.value = 'no';
  };
  const startOver = (): void => {
    forget();
    form.current?.reset();
    for (const field of form.current ? fieldsIn(form.current) : []) announce(field);
  };
  /** Sent, and not answered yet: sent again it would be done twice. */
  const isUnderWay = useRef(false);
  const isSlow = useSignal(false);
  const onSubmit = async (event: SubmitEvent): Promise<void> => {
    event.preventDefault();
    if (isUnderWay.current) return;
    isUnderWay.current = true;
    const slow = setTimeout(() => (isSlow.value = true), SLOW_MS);
    const isSent = await Promise.resolve(onSend(fieldsOf(event.currentTarget as HTMLFormElement))).finally(() => {
      clearTimeout(slow);
      isUnderWay.current = false;
      isSlow.value = false;
    });
    if (isSent) (stays ? forget : startOver)();
  };
  return (
    <form onKeyDown={sendByKey} {...rest} ref={form} onSubmit={(event) => void onSubmit(event)}>
      {back.value !== 'no' && (
        <p class="quiet draft" role="status">
          What you typed before is here again.
          {back.value === 'changed' && ' Since then it was changed, so compare before you save.'}
          <button type="button" class="plain" onClick={startOver}>
            Start over
          </button>
        </p>
      )}
      {offered && <Offer {...offered} />}
      {children}
      {isSlow.value && !conflict.value && (
        <p class="quiet" role="status">
          Sent. Almanac has not answered yet.
        </p>
      )}
    </form>
  );
};

/** Sends a form, or closes it and gives up what was typed. Where the form goes in another way, that is kept. */
export const FormButtons = ({ action, draft, onDone }: { action: string; draft: string; onDone: () => void }) => (
  <div class="buttons">
    <button type="submit" class="primary">
      {action}
    </button>
    <button
      type="button"
      onClick={() => {
        forgetDraft(draft);
        onDone();
      }}
    >
      Cancel
    </button>
  </div>
);
