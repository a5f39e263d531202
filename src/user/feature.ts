/** Creates the user feature: accounts, their credentials and sessions. */
import type { Clock } from '../common/clock.ts';
import type { DatabaseHandle } from '../db/database.ts';
import type { Ledger } from '../ledger/ledger.ts';
import type { PlanHooks } from '../agent/plan-hooks.ts';
import { createAccounts } from './account-erasure.ts';
import { createKeys } from './api-keys.ts';
import { createAuthenticate } from './authenticate.ts';
import { createThrottle } from './login-throttle.ts';
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
  planHooks: PlanHooks;
  jwtSecret: string;
  /** The rounds of bcrypt. */
  passwordCost: number;
  /** One address may register this many accounts; 0 means no limit. */
  registrationsPerHour: number;
};

export const createUserFeature = (deps: UserFeatureDeps) => {
  const { handle, ledger, clock, planHooks } = deps;
  const { db, reads } = handle;
  const sessions = createSessions({ handle, clock, secret: deps.jwtSecret });
  const authenticate = createAuthenticate({ db: reads, clock, sessions });
  const passwords = createPasswords(deps.passwordCost);
  const throttle = createThrottle(handle, deps.registrationsPerHour);
  const links = createLoginLinks({ db, clock });
  const keys = createKeys({ db, ledger, clock });
  return {
    sessions,
    authenticate,
    throttle,
    keys,
    links,
    tickets: createTickets({ db, clock }),
    users: createUserService({ db, reads, ledger, sessions, links, throttle, passwords, authenticate, planHooks }),
    accounts: createAccounts({ db, ledger, throttle, passwords, authenticate }),
    recordAccounts: createAccountBaseline({ handle, ledger, sessions }),
    owner: createOwner({ db, ledger, keys, passwords, sessions }),
  };
};
