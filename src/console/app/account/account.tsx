/** The account: who one is, where one is signed in, and how to take everything along or end it. */
import { profile } from '../state/data.ts';
import { attempt, complain, say } from '../state/messages.ts';
import { save } from '../state/save.ts';
import { client, signIn } from '../state/service.ts';
import { Failure } from '../ui/failure.tsx';
import type { Fields } from '../ui/fields.ts';
import { Form } from '../ui/form.tsx';
import { Sheets } from '../ui/sheet.tsx';
import { ThemeChoice } from '../ui/theme.tsx';
import { keepZone } from '../ui/zone-banner.tsx';
import { Erase, Take } from './leave.tsx';
import { Logins, logins } from './logins.tsx';
import { Phone } from './phone.tsx';
import { zoneFault, ZONES, zonesFor } from './zones.ts';

const Profile = () => {
  const known = profile.data.value;
  if (!known) return profile.error.value === undefined ? <p class="empty">Loading…</p> : null;
  const change = ({ text }: Fields): Promise<boolean> => {
    const [zone = text('zone').trim(), ...others] = zonesFor(text('zone'));
    if (others.length) {
      complain(`“${text('zone')}” is the city of several time zones. Choose ${[zone, ...others].join(' or ')}.`);
      return Promise.resolve(false);
    }
    const updates = { display_name: text('name'), timezone: zone };
    const more = zone === known.timezone ? '' : ` Times are in ${zone.replaceAll('_', ' ')} now.`;
    const send = async (): Promise<void> => {
      await client.user.update({ updates });
      if (more) keepZone();
    };
    return save(send, `The profile is saved.${more}`);
  };
  return (
    <Form draft="profile" stays onSend={change}>
      <label>
        Name <input name="name" required maxLength={200} defaultValue={known.display_name} dir="auto" />
      </label>
      <label>
        E-mail <input value={known.email} readOnly />
      </label>
      <label>
        Time zone or city{' '}
        <input
          name="zone"
          list="zones"
          required
          defaultValue={known.timezone}
          autocomplete="off"
          spellcheck={false}
          onInput={({ currentTarget: field }) => field.setCustomValidity(zoneFault(field.value))}
        />
      </label>
      <datalist id="zones">
        {ZONES.map((zone) => (
          <option key={zone} value={zone} />
        ))}
      </datalist>
      <p class="quiet">The zone decides what a day and a week are. Events stay at their moment when it changes.</p>
      <button type="submit" class="primary">
        Save profile
      </button>
    </Form>
  );
};

const Password = () => {
  const change = ({ text }: Fields): Promise<boolean> =>
    attempt(async () => {
      const password = text('password');
      const { email } = await client.user.update({ updates: { password, current_password: text('current') } });
      // A new password ends every login, also that of this page.
      await signIn(email, password);
      say('The password is changed. All other logins are ended.');
    });
  return (
    <Form onSend={change}>
      <input name="username" autocomplete="username" hidden value={profile.data.value?.email ?? ''} readOnly />
      <label>
        Current password <input name="current" type="password" autocomplete="current-password" required />
      </label>
      <label>
        New password (10 characters or more){' '}
        <input name="password" type="password" autocomplete="new-password" required minLength={10} />
      </label>
      <button type="submit">Change password</button>
    </Form>
  );
};

export const Account = () => (
  <section class="account">
    <div class="toolbar">
      <h1>Account</h1>
    </div>
    {profile.error.value !== undefined && <Failure error={profile.error.value} />}
    <Sheets of={[profile, logins]}>
      <section class="sheet" aria-labelledby="profile">
        <h2 id="profile">Profile</h2>
        <Profile />
        <ThemeChoice />
      </section>
      <section class="sheet" aria-labelledby="password">
        <h2 id="password">Password</h2>
        <Password />
      </section>
      <Logins />
      <Phone />
      <Take />
      <Erase />
    </Sheets>
  </section>
);
