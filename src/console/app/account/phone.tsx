/** Signs a phone in by a link that it reads from the screen. */
import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import type { NewLoginLink } from '../../../client/almanac-client.ts';
import { attempt } from '../state/messages.ts';
import { client } from '../state/service.ts';
import { timeOf } from '../state/wall-time.ts';
import { Copied } from '../ui/copied.tsx';
import { QrCode } from '../ui/qr.tsx';
import { Sheet } from '../ui/sheet.tsx';
import { readLogins } from './logins.tsx';

const Code = ({ made: { link, expires_at }, onDone }: { made: NewLoginLink; onDone: () => void }) => (
  <>
    <p>Read this code with the camera of the phone, and open the link there.</p>
    <QrCode address={link} name="QR code of the login link" />
    <Copied text={link} name="the login link" />
    <p class="quiet">
      It works once, until {timeOf(expires_at)}. Whoever opens it is signed in as you, so show it to nobody else.
    </p>
    <div class="buttons">
      <button type="button" onClick={onDone}>
        Done
      </button>
    </div>
  </>
);

export const Phone = () => {
  const made = useSignal<NewLoginLink | undefined>(undefined);
  const hasExpired = useSignal(false);
  const link = made.value;
  useEffect(() => {
    if (!link) return undefined;
    const end = (): void => {
      made.value = undefined;
      hasExpired.value = true;
    };
    const timer = setTimeout(end, Math.max(0, Date.parse(link.expires_at) - Date.now()));
    return () => clearTimeout(timer);
  }, [link]);

  const make = (): Promise<boolean> =>
    attempt(async () => {
      made.value = await client.user.makeLoginLink({});
      hasExpired.value = false;
    });
  const close = (): void => {
    made.value = undefined;
    // The phone that has used it is one of the logins now.
    readLogins();
  };
  return (
    <Sheet title="Sign in a phone" about="A phone that reads a QR code is signed in without a password.">
      {link ? (
        <Code made={link} onDone={close} />
      ) : (
        <>
          {hasExpired.value && <p role="status">The code has expired. Show another one.</p>}
          <div class="buttons">
            <button type="button" onClick={() => void make()}>
              Show a QR code
            </button>
          </div>
        </>
      )}
    </Sheet>
  );
};
