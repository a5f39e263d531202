/** Where the person is signed in, with a way to sign out there. */
import { signal } from '@preact/signals';
import { resource } from '../state/resource.ts';
import { attempt, say } from '../state/messages.ts';
import { client } from '../state/service.ts';
import { momentOf } from '../state/wall-time.ts';
import { Failure } from '../ui/failure.tsx';
import { askToSignOut } from '../ui/sign-out.tsx';
import { Foreign } from '../ui/text.tsx';

/** No change of the service announces a login, so what begins or ends one counts here. */
const reads = signal(0);
export const readLogins = (): void => {
  reads.value += 1;
};
const MOST_SHOWN = 100;
export const logins = resource(
  () => ({ reads: reads.value }),
  ['profile'],
  async () => {
    const { items } = await client.user.sessions({ limit: MOST_SHOWN }).page();
    return items.toSorted(
      (a, b) => Number(b.current) - Number(a.current) || (a.last_used_at < b.last_used_at ? 1 : -1),
    );
  },
);

const BROWSERS = [
  ['Edg/', 'Edge'],
  ['Firefox/', 'Firefox'],
  ['Chrome/', 'Chrome'],
  ['Safari/', 'Safari'],
] as const;
const SYSTEMS = ['Android', 'iPhone', 'iPad', 'Windows', 'Mac OS', 'Linux'];

/** A User-Agent in two words, where it is one of a browser. */
const deviceOf = (userAgent: string | null): string => {
  if (userAgent === null) return 'Unknown program';
  const browser = BROWSERS.find(([token]) => userAgent.includes(token))?.[1];
  const system = SYSTEMS.find((token) => userAgent.includes(token));
  return browser === undefined ? userAgent.slice(0, 80) : system === undefined ? browser : `${browser} on ${system}`;
};

const end = (which: { id: string } | { others: 'true' }): Promise<boolean> =>
  attempt(async () => {
    const { ended: count } = await client.user.endSessions(which as { id: string });
    readLogins();
    say(count === 1 ? 'One login is ended.' : `${count} logins are ended.`);
  });

export const Logins = () => {
  const all = logins.data.value;
  return (
    <section class="sheet" aria-labelledby="logins">
      <h2 id="logins">Where you are signed in</h2>
      {logins.error.value !== undefined && <Failure error={logins.error.value} />}
      <ul class="logins">
        {all?.map(({ id, current, client: userAgent, started_at, last_used_at }) => (
          <li key={id}>
            <span>
              <Foreign lines={1}>{deviceOf(userAgent)}</Foreign>
              <small>
                {current ? 'This page · ' : ''}since {momentOf(started_at)} · last used {momentOf(last_used_at)}
              </small>
            </span>
            <button type="button" onClick={() => void (current ? askToSignOut() : end({ id }))}>
              Sign out{current ? ' here' : ''}
            </button>
          </li>
        ))}
      </ul>
      {(all?.length ?? 0) > 1 && (
        <button type="button" onClick={() => void end({ others: 'true' })}>
          Sign out everywhere else
        </button>
      )}
    </section>
  );
};
