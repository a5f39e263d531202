/** `npm run owner -- --reset`: gives an owner who has lost them a new password and API key. */
import { UsageError, type DatabaseCommand, type CommandContext } from './operator-command.ts';

/** The part of user/owner-reset.ts that the command calls. */
type Owner = {
  find: () => Promise<{ email: string } | undefined>;
  reset: () => Promise<{ email: string; password: string; key: string; disabled: boolean } | null>;
};

const NOBODY =
  'There is no owner account. Start the service, which makes one. If the last account was erased, set OWNER_EMAIL first.';

/** @param ownerOf returns the owner's account on the command's database (app.services.owner) */
export const createOwnerCommand = (ownerOf: (context: CommandContext) => Owner): DatabaseCommand => ({
  summary: 'Give the owner a new password and API key',
  help: `  --reset           makes both and shows them once; without it, only the e-mail address is shown

The old password and all logins of the owner end. API keys go on working until they are revoked (DELETE /user/keys).
On a Postgres it works while the service runs. The embedded database allows one process, so stop the service first.`,
  options: { reset: { type: 'boolean', default: false } },
  run: async (context, { reset }) => {
    const owner = ownerOf(context);
    if (!reset) {
      const found = await owner.find();
      if (!found) throw new UsageError(NOBODY);
      context.print(`The owner is ${found.email}. --reset gives this account a new password and API key.`);
      return 'done';
    }
    const made = await owner.reset();
    if (!made) throw new UsageError(NOBODY);
    context.print('These are shown only once:');
    context.print(`  e-mail    ${made.email}`);
    context.print(`  password  ${made.password}`);
    context.print(`  API key   ${made.key}`);
    if (made.disabled) context.print(`The account is disabled: npm run users -- enable ${made.email}`);
    return 'done';
  },
});
