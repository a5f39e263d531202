/** A form that keeps what was typed until it is sent, and reads its fields. */
import { createContext, type ComponentChildren, type FormHTMLAttributes } from 'preact';
import { useSignal, type Signal } from '@preact/signals';
import { useContext, useLayoutEffect, useMemo, useRef } from 'preact/hooks';
import { conflict } from '../state/conflict.ts';
import { trying } from '../state/messages.ts';
import { connection } from '../state/service.ts';
import { forgetDraft, MOST_OFFERED, startAgain, useDraft, type Back, type Offered } from './draft.ts';
import { fieldsOf, following, type Fields } from './fields.ts';
import { Foreign } from './text.tsx';

type Props = Omit<FormHTMLAttributes, 'onSubmit' | 'ref' | 'children'> & {
  /** The name under which it keeps what is typed; missing where nothing may be kept, as of passwords. */
  draft?: string;
  /** The version of what it changes. */
  version?: number | undefined;
  /** Whether the fields show what was sent, also afterwards, and follow what they are given; else they are as they were given again. */
  stays?: boolean;
  /** Whether it is for a new thing each time. What was typed for another one is then offered, and not filled in. */
  fresh?: boolean;
  /** @returns whether it was sent */
  onSend: (fields: Fields) => boolean | Promise<boolean>;
  children: ComponentChildren;
};

const Offer = ({ text, bringBack, forget }: Offered) => (
  <>
    <button type="button" aria-label={`Bring it back: ${text}`} onClick={bringBack}>
      Bring it back
    </button>
    <button type="button" class="plain" aria-label={`Forget it: ${text}`} onClick={forget}>
      Forget it
    </button>
  </>
);

const Offers = ({ offered }: { offered: Offered[] }) => {
  const [first, ...others] = offered;
  if (!first) return null;
  if (!others.length)
    return (
      <div class="quiet draft" role="status">
        <p>
          You typed “<Foreign>{first.text}</Foreign>” before and did not send it.
        </p>
        <Offer {...first} />
      </div>
    );
  return (
    <div class="quiet draft" role="status">
      <p>
        You typed these before and did not send them.
        {offered.length === MOST_OFFERED && ` Almanac keeps the newest ${MOST_OFFERED}.`}
      </p>
      <ul>
        {offered.map((one, n) => (
          <li key={n}>
            <Foreign lines={1}>{one.text}</Foreign>
            <Offer {...one} />
          </li>
        ))}
      </ul>
    </div>
  );
};

/** Marks a form that shows unsent text, so that nobody takes that for what is saved. */
const Filled = ({ back, onDiscard }: { back: Signal<Back>; onDiscard: () => void }) =>
  back.value === 'no' ? null : (
    <div class="draft" data-filled="" role="status">
      <p>
        This is what you typed before. It is not sent yet.
        {back.value === 'changed' && ' Since then it was changed, so compare before you save.'}
      </p>
      <button type="button" onClick={onDiscard}>
        Discard
      </button>
    </div>
  );

/** Whether the answer of a form is late, and whether its buttons say so; they may be the only part in view. */
const Slow = createContext<{ isSlow: Signal<boolean>; isSaid: Signal<boolean> } | undefined>(undefined);

const SlowLine = ({ isSlow }: { isSlow: Signal<boolean> }) =>
  isSlow.value && !conflict.value ? (
    <p class="quiet slow" role="status">
      {connection.value === 'away' || !navigator.onLine
        ? 'Not sent yet: there is no connection.'
        : 'Sent. Almanac has not answered yet.'}
    </p>
  ) : null;

/** A new line in a text takes Enter, so that Enter with Ctrl sends the form. */
const sendByKey = (event: KeyboardEvent): void => {
  if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey) || event.isComposing || event.repeat) return;
  if (event.defaultPrevented || !(event.target instanceof HTMLTextAreaElement)) return;
  event.preventDefault();
  event.target.form?.requestSubmit();
};

/** The second click of a double click: the answer to the first may have come between them, and it would be sent again. */
const sendOnce = (event: MouseEvent): void => {
  if (event.detail > 1 && (event.target as Element).closest('[type="submit"]')) event.preventDefault();
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
    if (form.current) startAgain(form.current);
  };
  /** Sent, and not answered yet: sent again it would be done twice. */
  const isUnderWay = useRef(false);
  const own = useRef({});
  const cause = draft ?? own.current;
  const isSlow = useSignal(false);
  const isSaid = useSignal(false);
  const given = useMemo(following, []);
  useLayoutEffect(() => {
    if (stays && form.current) given.follow(form.current);
  });
  const onSubmit = async (event: SubmitEvent): Promise<void> => {
    event.preventDefault();
    if (isUnderWay.current) return;
    isUnderWay.current = true;
    const element = event.currentTarget as HTMLFormElement;
    const fields = fieldsOf(element);
    given.sent(element);
    const slow = setTimeout(() => (isSlow.value = true), SLOW_MS);
    const isSent = await trying(cause, () => onSend(fields)).finally(() => {
      clearTimeout(slow);
      isUnderWay.current = false;
      isSlow.value = false;
    });
    if (isSent) (stays ? forget : startOver)();
    else given.refused(element);
  };
  return (
    <form onKeyDown={sendByKey} onClick={sendOnce} {...rest} ref={form} onSubmit={(event) => void onSubmit(event)}>
      <Filled back={back} onDiscard={startOver} />
      <Offers offered={offered} />
      <Slow.Provider value={{ isSlow, isSaid }}>{children}</Slow.Provider>
      {!isSaid.value && <SlowLine isSlow={isSlow} />}
    </form>
  );
};

type ButtonsProps = {
  action: string;
  draft: string;
  isReady?: boolean | undefined;
  onDone: () => void;
  more?: ComponentChildren;
};

/** Sends a form, or closes it and gives up what was typed. Where the form goes in another way, that is kept. */
export const FormButtons = ({ action, draft, isReady = true, onDone, more }: ButtonsProps) => {
  const slow = useContext(Slow);
  useLayoutEffect(() => void (slow && (slow.isSaid.value = true)), []);
  return (
    <div class="buttons" data-closes="">
      {slow && <SlowLine isSlow={slow.isSlow} />}
      <button type="submit" class="primary" aria-disabled={!isReady}>
        {action}
      </button>
      {more}
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
};
