/** The sign-in screen. */
import { useSignal } from '@preact/signals';
import { fieldsOf } from './fields.ts';
import { sentence, signIn, who } from '../state/service.ts';

export const SignIn = () => {
  const fault = useSignal<string | undefined>(undefined);
  const busy = useSignal(false);
  const why = who.value.is === 'nobody' ? who.value.why : undefined;
  const onSubmit = async (event: SubmitEvent): Promise<void> => {
    const field = fieldsOf(event);
    busy.value = true;
    fault.value = undefined;
    try {
      await signIn(field('email'), field('password'));
    } catch (error) {
      fault.value = sentence(error);
    }
    busy.value = false;
  };
  return (
    <main class="sign-in">
      <h1>Almanac</h1>
      <p>What do your agents want? What will your week be like if you say yes?</p>
      {why && <p role="status">{why}</p>}
      <form onSubmit={(event) => void onSubmit(event)}>
        <label>
          E-mail <input name="email" type="email" autocomplete="username" required />
        </label>
        <label>
          Password <input name="password" type="password" autocomplete="current-password" required />
        </label>
        {fault.value && (
          <p class="failure" role="alert">
            {fault.value}
          </p>
        )}
        <button type="submit" class="primary" disabled={busy.value}>
          Sign in
        </button>
      </form>
      <p class="quiet">
        <code>npm start</code> prints a link that signs you in without a password.
      </p>
    </main>
  );
};
