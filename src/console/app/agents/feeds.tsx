/** Calendar programs: addresses to subscribe to, and how to connect them by CalDAV. */
import { signal } from '@preact/signals';
import { touchAll } from '../state/live.ts';
import { attempt } from '../state/messages.ts';
import { address, client, who } from '../state/service.ts';
import { Form } from '../ui/form.tsx';
import { QrCode } from '../ui/qr.tsx';
import { Sheet } from '../ui/sheet.tsx';
import { ShownOnce } from '../ui/shown-once.tsx';
import { Foreign } from '../ui/text.tsx';
import { isValidKey, useSecret } from './secret.ts';

/** `calendar` is the address for programs that subscribe when they are given one. A password has none. */
type Made = { id: string; label: string; text: string; about: string; calendar?: string };
const made = signal<Made | undefined>(undefined);

/** What a calendar program may do, and the key that allows just that. */
const KINDS = {
  events: {
    name: 'Show my events',
    about: 'An address to subscribe to. Anybody who knows it can read the events.',
    make: { kind: 'feed', scopes: ['calendar:read'] },
    path: '/calendar/feed.ics',
  },
  proposals: {
    name: 'Show proposals',
    about: 'An address to subscribe to. Anybody who knows it can read the proposals.',
    make: { kind: 'feed', scopes: ['plan:read', 'calendar:read'] },
    path: '/calendar/proposals.ics',
  },
  deciding: {
    name: 'Show proposals, with links to decide',
    about: 'An address to subscribe to. Anybody who knows it can decide, so keep it secret.',
    make: { kind: 'feed', scopes: ['plan:read', 'calendar:read', 'plan:decide'] },
    path: '/calendar/proposals.ics',
  },
  reader: {
    name: 'CalDAV, only to read',
    about: 'A password for CalDAV. The program reads the calendar and the proposals.',
    make: { kind: 'user', scopes: ['calendar:read', 'plan:read'] },
    path: '',
  },
  caldav: {
    name: 'CalDAV, to read, write and decide',
    about:
      'A password for CalDAV. The program may change events; confirming a proposal approves it, and deleting one rejects it.',
    make: { kind: 'user', scopes: ['calendar:read', 'calendar:write', 'plan:read', 'plan:decide'] },
    path: '',
  },
} as const;
type Kind = keyof typeof KINDS;

const make = (kind: Kind, label: string): Promise<boolean> =>
  attempt(async () => {
    const { make: asked, path, about } = KINDS[kind];
    const { key, id } = await client.user.makeKey({ ...asked, scopes: [...asked.scopes], label });
    const feed = `${address}${path}?key=${key}`;
    const shown = path ? { text: feed, calendar: feed.replace(/^https?:/, 'webcal:') } : { text: key };
    made.value = { id, label, about, ...shown };
    touchAll();
  });

const NewFeed = () => (
  <Form draft="feed" onSend={({ text }) => make(text('kind') as Kind, text('label'))}>
    <div class="fields">
      <label>
        Name of the program <input name="label" required maxLength={200} placeholder="My phone" dir="auto" />
      </label>
      <label>
        What it may do{' '}
        <select name="kind">
          {Object.entries(KINDS).map(([kind, { name }]) => (
            <option key={kind} value={kind}>
              {name}
            </option>
          ))}
        </select>
      </label>
    </div>
    <div class="buttons">
      <button type="submit">Create address or password</button>
    </div>
  </Form>
);

const Subscribe = ({ calendar }: { calendar: string }) => (
  <>
    <p>
      <a href={calendar}>Subscribe on this device</a>
    </p>
    <h3>Subscribe on a phone</h3>
    <QrCode address={calendar} name="QR code of the calendar’s address" />
  </>
);

const Hints = () => {
  const email = who.value.is === 'person' ? who.value.user.email : '';
  return (
    <details>
      <summary>How to connect by CalDAV</summary>
      <dl>
        <dt>Server</dt>
        <dd>{address}/dav/</dd>
        <dt>User name</dt>
        <dd>{email}</dd>
        <dt>Password</dt>
        <dd>a password from above; the password of your account is refused</dd>
        <dt>Apple Calendar</dt>
        <dd>Settings, Accounts, Add, Other CalDAV Account, then “Advanced”.</dd>
        <dt>Thunderbird</dt>
        <dd>New Calendar, On the Network, then user name and server.</dd>
        <dt>DAVx5</dt>
        <dd>Add account, “Login with URL and user name”.</dd>
      </dl>
    </details>
  );
};

export const Feeds = () => {
  const { shown, gone } = useSecret(made, isValidKey);
  return (
    <Sheet title="Calendar programs" about="See the calendar, and decide, in the program that you already use.">
      {gone !== undefined && (
        <p role="status">
          The address or password of “<Foreign>{gone}</Foreign>” is no longer valid, so it is not shown any more.
        </p>
      )}
      {shown ? (
        <ShownOnce
          name="Address or password"
          what="the address or password"
          text={shown.text}
          about={shown.about}
          onCopied={() => (made.value = undefined)}
        >
          {shown.calendar && <Subscribe calendar={shown.calendar} />}
        </ShownOnce>
      ) : (
        <NewFeed />
      )}
      <Hints />
    </Sheet>
  );
};
