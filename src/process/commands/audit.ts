/**
 * `npm run audit -- --user <id|email|all> [--json]`: verifies ledgers from the command line, including those of erased accounts.
 */
import { sql } from 'kysely';
import type { Db } from '../../db/database.ts';
import { hasCitus } from '../../db/distribution.ts';
import { readRegister, type Register } from '../../ledger/account-register.ts';
import { verifyLedger, type Verdict } from '../../ledger/audit.ts';
import type { Projection } from '../../ledger/projections.ts';
import { UsageError, type BareContext, type DatabaseCommand, type Outcome } from './operator-command.ts';

/** Progress is reported after this many entries. */
const EVERY = 10_000;

type Audited = { user_id: string; email: string | null };

/** The users of all ledgers. Without Citus, which can't plan it, it skips from user to user through the index ledger_pkey. */
const writers = async (db: Db): Promise<string[]> => {
  const { rows } = await (
    (await hasCitus(db))
      ? sql<{ user_id: string }>`select distinct user_id from ledger`
      : sql<{ user_id: string }>`
        with recursive written as (
          (select user_id from ledger order by user_id limit 1)
          union all
          select (select l.user_id from ledger l where l.user_id > written.user_id order by l.user_id limit 1)
          from written where written.user_id is not null
        )
        select user_id from written where user_id is not null`
  ).execute(db);
  return rows.map(({ user_id }) => user_id);
};

/** Lists every user who has, had or should have a ledger. `registered` are all accounts that were ever made. */
const everybody = async (db: Db, registered: readonly string[]): Promise<Audited[]> => {
  const { rows: users } = await sql<Audited>`select user_id, email from users order by created_at, user_id`.execute(db);
  const { rows: ended } = await sql<{ user_id: string }>`
    select user_id from ledger_heads union select user_id from erased_accounts`.execute(db);
  const known = new Set(users.map(({ user_id }) => user_id));
  const others = new Set([...ended.map(({ user_id }) => user_id), ...(await writers(db)), ...registered]).difference(
    known,
  );
  return [...users, ...[...others].toSorted().map((user_id) => ({ user_id, email: null }))];
};

const named = async (db: Db, user: string): Promise<Audited[]> => {
  const { rows } = await sql<Audited>`
    select a.user_id, u.email
    from (select user_id from users where email = ${user.toLowerCase()} or user_id = ${user}
          union select user_id from erased_accounts where user_id = ${user}
          union (select user_id from ledger where user_id = ${user} limit 1)) a
    left join users u using (user_id)`.execute(db);
  if (!rows.length) throw new UsageError(`There is no user ${user}. Give a user_id, an e-mail address, or all.`);
  return rows;
};

const lineOf = ({ user_id, email }: Audited, verdict: Verdict, seconds: number): string => {
  const { checked, head, first_bad, outdated } = verdict;
  const who = `${user_id} ${email ?? (verdict.ok ? '(erased)' : '(no account)')}`;
  const rate = Math.round(checked / Math.max(seconds, 0.001)).toLocaleString('en');
  const took = `${checked.toLocaleString('en')} entries in ${seconds.toFixed(1)} s (${rate}/s)`;
  const waiting = outdated
    ? `; ${outdated.toLocaleString('en')} rows are of an earlier release, and the service indexes them again`
    : '';
  return first_bad
    ? `DAMAGED  ${who}: seq ${first_bad.seq}, ${first_bad.why}; ${took} are intact`
    : `ok       ${who}: ${took}, head ${head.seq} ${head.hash}${waiting}`;
};

const registerOf = ({ accounts, ...rest }: Register) => ({
  ...rest,
  ok: rest.first_bad === null,
  accounts: accounts.length,
});

const registerLine = ({ accounts, head, first_bad }: Register): string =>
  first_bad === null
    ? `ok       the register of accounts: ${accounts.length.toLocaleString('en')}, head ${head}`
    : `DAMAGED  the register of accounts: row ${first_bad} is not as it was written`;

type Told = Pick<BareContext, 'print' | 'progress'>;

/** Verifies the ledgers of these people one after the other. @returns how many are damaged */
const auditEach = async (
  db: Db,
  people: readonly Audited[],
  { print, progress, json, projections }: Told & { json: boolean; projections: readonly Projection[] },
): Promise<number> => {
  let damaged = 0;
  for (const person of people) {
    const began = performance.now();
    let reported = 0;
    const onProgress = (checked: number): void => {
      if (checked - reported < EVERY) return;
      reported = checked;
      progress(`${person.user_id}: ${checked.toLocaleString('en')} entries`);
    };
    const verdict = await verifyLedger(db, person.user_id, { projections, onProgress });
    const seconds = (performance.now() - began) / 1000;
    if (!verdict.ok) damaged += 1;
    print(json ? JSON.stringify({ ...person, ...verdict, seconds }) : lineOf(person, verdict, seconds));
  }
  return damaged;
};

type Asked = { user: string; json: boolean };

const audit = async (
  projections: readonly Projection[],
  db: Db,
  { print, progress }: Told,
  { user, json }: Asked,
): Promise<Outcome> => {
  const register = user === 'all' ? await readRegister(db) : null;
  const people = register ? await everybody(db, register.accounts) : await named(db, user);
  if (register) print(json ? JSON.stringify({ register: registerOf(register) }) : registerLine(register));
  const damaged = (register?.first_bad ? 1 : 0) + (await auditEach(db, people, { print, progress, json, projections }));
  progress(`${people.length} ${people.length === 1 ? 'ledger' : 'ledgers'}, ${damaged} damaged`);
  return damaged ? 'bad' : 'done';
};

/** What `npm run audit -- --user all` does, at the end of other commands. */
export const auditAll = (projections: readonly Projection[], db: Db, told: Told): Promise<Outcome> =>
  audit(projections, db, told, { user: 'all', json: false });

export const createAuditCommand = (projections: readonly Projection[]): DatabaseCommand => ({
  summary: 'Verify ledgers, and compare the projections with them',
  help: `  --user <id|email|all>  the user of the ledger (required)
  --json                 one JSON object per user instead of a line of text

It exits with 0 if everything is intact, with 1 if something is damaged (it prints the seq), and with 2 if it cannot run.
On a Postgres it works while the service runs. The embedded database allows one process, so stop the service first.`,
  options: { user: { type: 'string' }, json: { type: 'boolean', default: false } },
  run: async (context, { user, json }) => {
    if (typeof user !== 'string' || !user) throw new UsageError('Name the user with --user <id|email|all>.');
    return audit(projections, context.handle.db, context, { user, json: json === true });
  },
});
