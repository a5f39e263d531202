/** The archive of everything, and the end of the account. */
import { useSignal } from '@preact/signals';
import { forgetKept } from '../state/kept.ts';
import { attempt, say } from '../state/messages.ts';
import { client, leave } from '../state/service.ts';
import type { Fields } from '../ui/fields.ts';
import { Form } from '../ui/form.tsx';

/** The credential is a header, so that a plain link cannot download it. */
const download = async (): Promise<void> => {
  const response = await client.user.archive({}, { timeout: 600_000 });
  const name = /filename="([\w.-]+)"/.exec(response.headers.get('Content-Disposition') ?? '')?.[1] ?? 'almanac.zip';
  const link = document.createElement('a');
  link.href = URL.createObjectURL(await response.blob());
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
  say(`Downloaded: ${name}`);
};

export const Take = () => {
  const busy = useSignal(false);
  const onClick = async (): Promise<void> => {
    busy.value = true;
    await attempt(download);
    busy.value = false;
  };
  return (
    <section class="sheet" aria-labelledby="take">
      <h2 id="take">Take everything along</h2>
      <p>One ZIP file with all traces, plans, events, settings and the ledger, in JSON and .ics.</p>
      <button type="button" disabled={busy.value} onClick={() => void onClick()}>
        {busy.value ? 'Preparing the archive…' : 'Download archive'}
      </button>
    </section>
  );
};

export const Erase = () => {
  const erase = ({ text }: Fields): Promise<boolean> =>
    attempt(async () => {
      await client.user.eraseAccount({ password: text('password') });
      forgetKept();
      leave('Your account is erased.');
    });
  return (
    <section class="sheet final" aria-labelledby="erase">
      <h2 id="erase">Erase the account</h2>
      <p>
        All traces, plans, events and settings are deleted, and every key ends at once. This cannot be undone. Download
        the archive first.
      </p>
      <Form onSend={erase}>
        <label>
          Password <input name="password" type="password" autocomplete="current-password" required />
        </label>
        <label class="choice">
          <input type="checkbox" required /> I want everything to be deleted
        </label>
        <button type="submit" class="danger">
          Erase my account
        </button>
      </Form>
    </section>
  );
};
