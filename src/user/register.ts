/** Makes an account for a person who registers: where registration is open, or with an invitation. */
import { problem, type Problem } from '../common/problem.ts';
import type { Account, Prepare } from './create-account.ts';
import type { Invitations } from './invitations.ts';
import type { Passwords } from './passwords.ts';
import type { Session } from './schemas.ts';
import type { Sessions } from './sessions.ts';
import type { Throttle } from './login-throttle.ts';
import { refuseGuessable } from './update-profile.ts';

export type RegistrationDeps = {
  prepare: Prepare;
  invitations: Invitations;
  /** Whether anybody may make an account. */
  registrationOpen: boolean;
  passwords: Passwords;
  throttle: Throttle;
  sessions: Sessions;
  /** The refusal where the account was changed or erased in between. */
  gone: () => Problem;
};

const nothing = async (): Promise<void> => undefined;

export const createRegistration =
  ({ prepare, invitations, registrationOpen, passwords, throttle, sessions, gone }: RegistrationDeps) =>
  /** @throws 404, 409 email_taken, 422, 429 */
  async (
    { invitation, ...account }: Account & { invitation?: string | undefined },
    { ip, client }: { ip: string; client: string | undefined },
  ): Promise<Session> => {
    if (invitation === undefined && !registrationOpen)
      throw problem(
        'registration_closed',
        'Registration is closed. Ask the operator of this service for an invitation, and send it as `invitation`.',
      );
    refuseGuessable('/password', account.password, account.email);
    passwords.admit();
    await throttle.registration(ip);
    // Strangers cannot make the service hash passwords.
    if (invitation !== undefined) await invitations.requireOpen(invitation);
    const make = await prepare(account, false);
    const { user, epoch } =
      invitation === undefined
        ? await make(nothing)
        : await invitations.use(invitation, ({ tx }) => make(nothing, { tx }));
    const tokens = await sessions.start(user.user_id, epoch, client);
    if (!tokens) throw gone();
    return { ...tokens, user };
  };
