/** The sign-in screen, and the form with which an invited person makes an account. */
import { useSignal, type Signal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { sayKept } from './draft.ts';
import type { Fields } from './fields.ts';
import { Form } from './form.tsx';
import { sentence } from '../state/sentence.ts';
import { useFocus } from './use-focus.ts';
import { answerOffer, invitation, offeredTicket, signIn, signUp, who } from '../state/service.ts';

type Sending = { fault: Signal<string | undefined>; busy: Signal<boolean> };

/** Sends a form, and shows what is wrong with it. */
const submit =
  ({ fault, busy }: Sending, send: (fields: Fields) => Promise<void>) =>
  async (fields: Fields): Promise<boolean> => {
    busy.value = true;
    fault.value = undefined;
    try {
      await send(fields);
    } catch (error) {
      fault.value = sentence(error);
    }
    busy.value = false;
    return false;
  };

const Submit = ({ fault, busy, label }: Sending & { label: string }) => (
  <>
    {fault.value && (
      <p class="failure" role="alert">
        {fault.value}
      </p>
    )}
    <button type="submit" class="primary" disabled={busy.value}>
      {label}
    </button>
  </>
);

const useSending = (): Sending => ({ fault: useSignal<string | undefined>(undefined), busy: useSignal(false) });

const SignUpForm = () => {
  const sending = useSending();
  const onSend = submit(sending, async ({ text }) => {
    const name = text('display_name').trim();
    await signUp({ email: text('email'), password: text('password'), ...(name ? { display_name: name } : {}) });
  });
  return (
    <>
      <p role="status">You are invited. Choose how you will sign in.</p>
      <Form onSend={onSend}>
        <label>
          Name <input name="display_name" autocomplete="name" maxLength={200} />
        </label>
        <label>
          E-mail <input name="email" type="email" autocomplete="username" required />
        </label>
        <label>
          Password <input name="password" type="password" autocomplete="new-password" minLength={10} required />
        </label>
        <Submit {...sending} label="Make an account" />
      </Form>
      <p class="quiet">
        <button type="button" onClick={() => (invitation.value = undefined)}>
          Sign in to an account that you have
        </button>
      </p>
    </>
  );
};

/** @param isFirst whether it takes the focus */
const SignInForm = ({ isFirst }: { isFirst: boolean }) => {
  const sending = useSending();
  const first = useFocus<HTMLInputElement>();
  const onSend = submit(sending, ({ text }) => signIn(text('email'), text('password')));
  return (
    <>
      <Form onSend={onSend}>
        <label>
          E-mail <input ref={isFirst ? first : null} name="email" type="email" autocomplete="username" required />
        </label>
        <label>
          Password <input name="password" type="password" autocomplete="current-password" required />
        </label>
        <Submit {...sending} label="Sign in" />
      </Form>
      <p class="quiet">
        <code>npm start</code> prints a link that signs you in without a password.
      </p>
    </>
  );
};

const Offer = () => (
  <>
    <p role="status">
      You have opened a login link, and this browser is signed in already. The link signs it in as the person who made
      the link.
    </p>
    <div class="buttons">
      <button type="button" class="primary" onClick={() => void answerOffer(false)}>
        Stay signed in
      </button>
      <button type="button" onClick={() => void answerOffer(true)}>
        Sign in with the link
      </button>
    </div>
  </>
);

const Ask = ({ isFirst }: { isFirst: boolean }) => {
  if (offeredTicket.value !== undefined) return <Offer />;
  return invitation.value === undefined ? <SignInForm isFirst={isFirst} /> : <SignUpForm />;
};

export const SignIn = () => {
  // It goes when somebody is signed in.
  useEffect(() => sayKept, []);
  const { why, isEnded = false } = who.value.is === 'nobody' ? who.value : {};
  const title = useFocus<HTMLHeadingElement>();
  return (
    <main class="sign-in">
      {/* A person whose session ended may go on typing, which must not arrive in a field. */}
      <h1 ref={title} tabIndex={isEnded ? -1 : undefined}>
        Almanac
      </h1>
      <p>What do your agents want? What will your week be like if you say yes?</p>
      {why && <p role="status">{why}</p>}
      <Ask isFirst={!isEnded} />
    </main>
  );
};
