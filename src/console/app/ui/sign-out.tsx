/** Signing out deletes what this tab keeps of a person. Where that is text which they typed and did not send, they are asked first. */
import { signal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { forgetKept } from '../state/kept.ts';
import { signOut } from '../state/service.ts';
import { Dialog } from './dialog.tsx';
import { unsent } from './draft.ts';
import { Question } from './ask-first.tsx';

/** What is not sent, as long as it is asked. */
const asked = signal<ReturnType<typeof unsent>>(undefined);

const leave = (): void => {
  asked.value = undefined;
  forgetKept();
  void signOut();
};

export const askToSignOut = (): void => {
  asked.value = unsent();
  if (!asked.value) leave();
};

export const SignOutQuestion = () => {
  const { value } = asked;
  const stay = (): void => void (asked.value = undefined);
  // A session that ends meanwhile keeps what was typed.
  useEffect(() => stay, []);
  if (!value) return null;
  const { what, count } = value;
  const them = count > 1 ? 'them' : 'it';
  return (
    <Dialog name="Sign out" onClose={stay}>
      <h2>Sign out and delete what is not sent?</h2>
      <p>
        You typed {what} and did not send {them}. Signing out deletes {them}.
      </p>
      <Question confirm="Delete and sign out" keep="Stay signed in" onConfirm={leave} onKeep={stay} />
    </Dialog>
  );
};
