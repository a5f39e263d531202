/** The refusal of a disabled account. */
import { problem, type Problem } from '../common/problem.ts';

export const accountDisabled = (): Problem =>
  problem('account_disabled', 'The account is disabled. Ask the operator of this service to enable it.');
