/** Creates the user feature: accounts, their credentials and sessions. */
import type { Clock } from '../common/clock.ts';
import type { DatabaseHandle } from '../db/database.ts';
import type { Ledger } from '../ledger/ledger.ts';
import type { UserPlanPort } from './plan-port.ts';
import { createAccounts } from './account-erasure.ts';
import { createKeys } from './api-keys.ts';
import { createAuthenticate } from './authenticate.ts';
import { createThrottle } from './login-throttle.ts';
import { changeAccount } from './profile.ts';
import type { Author } from '../ledger/ledger-writer.ts';
import type { Storage } from '../ledger/storage.ts';
import { createInvitations } from './invitations.ts';
import { createOperator } from './operate-accounts.ts';
import { createLoginLinks } from './login-links.ts';
import { createAccountBaseline } from './account-baseline.ts';
import { createOwner } from './owner-reset.ts';
import { createPasswords } from './passwords.ts';
import { createUserService } from './service.ts';
import { createSessions } from './sessions.ts';
import { createTickets } from './socket-tickets.ts';

export type UserFeatureDeps = {
  handle: DatabaseHandle;
  ledger: Ledger;
  clock: Clock;
  planHooks: UserPlanPort;
  jwtSecret: string;
  /** The rounds of bcrypt. */
  passwordCost: number;
  /** One address may register this many accounts; 0 means no limit. */
  registrationsPerHour: number;
  registrationOpen: boolean;
  storage: Storage;
};

export const createUserFeature = (deps: UserFeatureDeps) => {
  const { handle, ledger, clock, planHooks, registrationOpen, storage } = deps;
  const { db, reads } = handle;
  const sessions = createSessions({ handle, clock, secret: deps.jwtSecret });
  const authenticate = createAuthenticate({ db: reads, clock, sessions });
  const passwords = createPasswords(deps.passwordCost);
  const throttle = createThrottle(handle, deps.registrationsPerHour);
  const links = createLoginLinks({ db, clock, secret: deps.jwtSecret });
  const keys = createKeys({ db, ledger, clock, forget: authenticate.forget });
  const invitations = createInvitations({ db, ledger, clock, secret: deps.jwtSecret });
  const accounts = createAccounts({ db, ledger, throttle, passwords, authenticate });
  return {
    sessions,
    authenticate,
    throttle,
    keys,
    links,
    tickets: createTickets({ db, clock, secret: deps.jwtSecret }),
    invitations,
    users: createUserService({
      ...{ db, reads, ledger, sessions, links, throttle, passwords, authenticate, planHooks },
      ...{ invitations, registrationOpen },
    }),
    accounts,
    limitStorage: async (author: Author, storage_limit: number | null): Promise<void> => {
      await ledger.write(author, (writer) => changeAccount(writer, { storage_limit }));
    },
    operator: createOperator({ db, ledger, storage, passwords, sessions, accounts }),
    recordAccounts: createAccountBaseline({ handle, ledger, sessions }),
    owner: createOwner({ db, ledger, keys, passwords, sessions }),
  };
};
