/** The audit: every column that the ledger tells is compared with it, erased accounts verify, and operators have a command for it. */
import type { Caller } from '../../src/domain/access/caller.ts';
import { createTickets } from '../../src/user/socket-tickets.ts';
import { randomUUID } from 'node:crypto';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Db } from '../../src/db/database.ts';
import { openDatabase } from '../../src/db/database.ts';
import { ensureVectors } from '../../src/db/vectors.ts';
import { readRegister } from '../../src/ledger/account-register.ts';
import { verifyLedger } from '../../src/ledger/audit.ts';
import { PROJECTIONS } from '../../src/process/all-projections.ts';
import { anApp, aUser, client, TEST_START, type TestApp, type TestUser } from '../support/app.ts';
import { commandHere, commandProcess } from '../support/commands.ts';
import { migratedDirectory } from '../support/db.ts';
import { notes } from '../support/follower.ts';
import { aLife, type Life } from '../support/life.ts';
import { some } from '../support/thoroughness.ts';
import { behindItsBack, columnsOf, damage, hashAgain, otherValue, type Column } from '../support/tamper.ts';

const app: TestApp = await anApp();
const life: Life = await aLife(app);
afterAll(() => app.close());

const verify = (db: Db, user_id: string) => verifyLedger(db, user_id, { projections: PROJECTIONS });

/** Columns no document tells: whose it is, and what is decided by settings, the clock or use. */
const OTHERWISE = [
  ...['traces', 'traces_past', 'events', 'events_past', 'api_keys', 'checkpoints', 'users'].map(
    (table) => `${table}.user_id`,
  ),
  ...['traces.due_at', 'api_keys.last_used_at', 'events_past.span'],
  // Digests of the secret and of the address are compared (below); how far sending has come is not recorded.
  ...[
    'user_id',
    'secret',
    'previous_secret',
    'previous_until',
    'paused_reason',
    'seq',
    'failures',
    'failing_since',
    'retry_at',
    'last_delivery_at',
  ].map((column) => `webhooks.${column}`),
  ...['log', 'claim', 'claimed_until', 'served_at', 'updated_at'].map((column) => `webhooks.${column}`),
  // An invitation with another seal makes no account.
  ...['invitations.user_id', 'invitations.seal'],
  // The digest of the address is compared (below); what came of reading it is not recorded.
  ...[
    'user_id',
    'url',
    'etag',
    'last_modified',
    'events',
    'unread',
    'unread_components',
    'warnings',
    'failures',
    'failing_since',
    'last_error',
  ].map((column) => `calendar_sources.${column}`),
  ...['last_success_at', 'refresh_at', 'claim', 'claimed_until', 'updated_at'].map(
    (column) => `calendar_sources.${column}`,
  ),
  // Without the right salt no digest fits, so the first entry with one is told.
  ...['epoch', 'created_at', 'salt'].map((column) => `users.${column}`),
];
/** The entry a row stands on. */
const ENTRY: Record<string, string> = {
  traces: 't.seq',
  traces_past: 't.seq',
  events: 't.seq',
  events_past: 't.seq',
  users: 't.profile_seq',
  api_keys: `(select seq from ledger l where l.user_id = t.user_id and subject = 'key' and subject_uid = t.id)`,
  calendar_sources: `(select seq from ledger l where l.user_id = t.user_id and subject = 'source' and subject_uid = t.id)`,
  webhooks: `(select seq from ledger l where l.user_id = t.user_id and subject = 'webhook' and subject_uid = t.id)`,
  invitations: `(select seq from ledger l where l.user_id = t.user_id and subject = 'invitation' and subject_uid = t.id)`,
  checkpoints: `(select seq from ledger l where l.user_id = t.user_id and subject = 'checkpoint' and subject_uid = t.tag)`,
};

/** With the user, what names a row. */
const NAME: Record<string, string> = {
  traces: 'uid',
  traces_past: 'seq',
  events: 'uid',
  events_past: 'seq',
  users: 'user_id',
  api_keys: 'id',
  calendar_sources: 'id',
  webhooks: 'id',
  invitations: 'id',
  checkpoints: 'tag',
};

/** A random row: the entry it stands on, and the condition that names it. */
const randomRow = async (tx: Db, table: string) => {
  const name = sql.ref(NAME[table] as string);
  const { rows } = await sql<{ name: string | number; seq: number }>`
    select t.${name} as name, ${sql.raw(ENTRY[table] as string)} as seq from ${sql.table(table)} t
    where user_id = ${life.user_id} order by random() limit 1`.execute(tx);
  const [row] = rows;
  if (!row) throw new Error(`there is nothing in ${table}`);
  return { seq: row.seq, named: sql`user_id = ${life.user_id} and ${name} = ${row.name}` };
};

const columns = await columnsOf(app.database.handle.db, Object.keys(ENTRY));
const compared = columns.filter(({ table, column }) => !OTHERWISE.includes(`${table}.${column}`));

describe('what is shown is what was recorded', () => {
  /** Tampers with one value of a random row. @returns the entry it stands on, and what an audit says. */
  const tamper = ({ table, column, type }: Column) =>
    behindItsBack(app.database.handle.db, async (tx) => {
      const { seq, named } = await randomRow(tx, table);
      await sql`update ${sql.table(table)} set ${sql.ref(column)} = ${sql.raw(otherValue(column, type))} where ${named}`.execute(
        tx,
      );
      return { seq, verdict: await verify(tx, life.user_id) };
    });

  test('in an untouched account', async () => {
    expect(await verify(app.database.handle.db, life.user_id)).toMatchObject({ ok: true });
  });

  test.each(some(compared).map((one) => [`${one.table}.${one.column}`, one] as const))('%s', async (name, column) => {
    const { seq, verdict } = await tamper(column);
    const why = /\.(search|terms)$/.test(name) ? 'index_differs' : 'projection_differs';
    expect(verdict).toMatchObject({ ok: false, first_bad: { seq, why } });
  });

  test.each([
    'traces',
    'traces_past',
    'events',
    'events_past',
    'api_keys',
    'checkpoints',
    'webhooks',
    'calendar_sources',
  ])('a row of %s gone', async (table) => {
    const { seq, verdict } = await behindItsBack(app.database.handle.db, async (tx) => {
      const { seq, named } = await randomRow(tx, table);
      await sql`delete from ${sql.table(table)} where ${named}`.execute(tx);
      return { seq, verdict: await verify(tx, life.user_id) };
    });
    expect(verdict).toMatchObject({ ok: false, first_bad: { seq, why: 'projection_differs' } });
  });

  test('a key that nobody made', async () => {
    const verdict = await behindItsBack(app.database.handle.db, async (tx) => {
      await sql`insert into api_keys (user_id, id, kind, label, scopes, secret_hash, created_at)
        values (${life.user_id}, 'slipped in', 'user', '', '{plan:decide}', sha256('x'), now())`.execute(tx);
      return verify(tx, life.user_id);
    });
    expect(verdict).toMatchObject({ ok: false, first_bad: { why: 'projection_without_entry' } });
  });
});

describe('a ledger whose hashes all fit', () => {
  const before = 'select p.recorded_at from ledger p where p.user_id = l.user_id and p.seq = l.seq - 1';
  test.each([
    ['untouched', 'false', 'seq = seq', undefined],
    ['a time that is not later than the one before', 'l.seq = 5', `recorded_at = (${before})`, 'time_not_increasing'],
    ['a version that was left out', 'l.version > 1', 'version = version + 1', 'version_gap'],
  ])('%s', async (_name, which, assignment, why) => {
    const { seq, verdict } = await behindItsBack(app.database.handle.db, async (tx) => {
      const { rows } = await sql<{ seq: number }>`
        update ledger l set ${sql.raw(assignment)} where l.user_id = ${life.user_id} and l.seq =
          (select max(l.seq) from ledger l where l.user_id = ${life.user_id} and ${sql.raw(which)}) returning l.seq`.execute(
        tx,
      );
      await hashAgain(tx, life.user_id);
      return { seq: rows[0]?.seq, verdict: await verify(tx, life.user_id) };
    });
    expect(verdict).toMatchObject(why === undefined ? { ok: true } : { ok: false, first_bad: { seq, why } });
  });
});

describe('who may do what is what was recorded', () => {
  const audited = (statement: string) =>
    behindItsBack(app.database.handle.db, async (tx) => {
      await sql.raw(statement.replaceAll('$user', life.user_id)).execute(tx);
      return verify(tx, life.user_id);
    });
  const of = `where user_id = '$user'`;

  test.each([
    ['an admin that nobody made', `update users set admin = true ${of}`],
    ['another address', `update users set email = 'thief@example.org' ${of}`],
    ['another password', `update users set password_hash = '$2b$12$another' ${of}`],
    ['another salt', `update users set salt = sha256('x') ${of}`],
    ['a salt removed, to have the account recorded anew', `update users set salt = null, admin = true ${of}`],
    ['a key with another secret', `update api_keys set secret_hash = sha256('x') ${of}`],
    ['a webhook with another host', `update webhooks set url = 'https://thief.example/' ${of}`],
    ['a webhook with another path', `update webhooks set url = url || 'x' ${of}`],
    ['a webhook with another secret', `update webhooks set secret = secret || 'x' ${of}`],
    ['a source of another host', `update calendar_sources set url = 'https://thief.example/' ${of}`],
    ['a source of another path', `update calendar_sources set url = url || 'x' ${of}`],
    ['a webhook beyond the end', `update webhooks set seq = 1000000 ${of}`],
    ['a webhook from before it was made', `update webhooks set seq = 0 ${of}`],
  ])('%s is found', async (_name, statement) => {
    expect(await audited(statement)).toMatchObject({ ok: false, first_bad: { why: 'projection_differs' } });
  });

  test('a refresh token that somebody inserted is no login', async () => {
    const user = await aUser(app);
    const own = 'a'.repeat(43);
    const { db } = app.database.handle;
    const insert = (id: string, seal: string) =>
      damage(
        db,
        `insert into refresh_tokens (user_id, id, family, hash, expires_at, seal)
         values ('${user.user_id}', '${id}', 'forged', sha256('${own}'), '2027-01-01', ${seal})`,
      );
    await insert('unsealed', 'null');
    await insert(
      'sealed',
      `(select seal from refresh_tokens where user_id = '${user.user_id}' and seal is not null limit 1)`,
    );
    for (const id of ['unsealed', 'sealed'])
      await client(app, null)
        .post('/user/refresh', { refresh_token: `${user.user_id}.${id}.${own}` })
        .expect(401);
    await client(app, null).post('/user/refresh', { refresh_token: user.refresh_token }).expect(200);
  });

  test('a ticket that somebody inserted or changed opens nothing', async () => {
    const user = await aUser(app);
    const { db } = app.database.handle;
    const own = `${user.user_id}.${'a'.repeat(43)}`;
    await damage(
      db,
      `insert into tickets (user_id, hash, credential, expires_at, seal)
       values ('${user.user_id}', sha256('login ${own}'), '{"epoch": 0}', '2027-01-01', sha256('x'))`,
    );
    await client(app, null).post('/user/login-link', { ticket: own }).expect(401);

    const tickets = createTickets({ db, clock: app.clock, secret: 'a secret of the service' });
    const agent = {
      ...user,
      actor: 'agent:one',
      origin: 'agent',
      credential_id: 'one',
      scopes: new Set(['plan:read']),
    };
    const issue = async () => (await tickets.issue(agent as unknown as Caller)).ticket;
    const changed = async (ticket: string, change: string): Promise<unknown> => {
      await damage(db, `update tickets set ${change} where user_id = '${user.user_id}'`);
      return tickets.redeem(ticket);
    };
    expect(await changed(await issue(), 'expires_at = expires_at')).toMatchObject({ actor: 'agent:one' });
    for (const change of [
      `credential = credential || '{"scopes": ["plan:read", "plan:decide"]}'`,
      `expires_at = '2027-01-01'`,
      'seal = null',
      `seal = sha256('x')`,
    ])
      expect(await changed(await issue(), change)).toBeNull();
  });

  test('a new password is recorded, and no entry has its hash', async () => {
    const user = await aUser(app);
    const updates = { password: 'a stapler of another horse', current_password: user.password };
    await user.patch('/user/update', { updates }).expect(200);
    const { db } = app.database.handle;
    expect(await verify(db, user.user_id)).toMatchObject({ ok: true });
    const { rows } = await sql<{ payload: { account: object } }>`
      select payload from ledger where user_id = ${user.user_id} and subject = 'profile' order by seq`.execute(db);
    expect(rows).toHaveLength(2);
    expect(rows[1]?.payload.account).not.toEqual(rows[0]?.payload.account);
    const account = await db
      .selectFrom('users')
      .selectAll()
      .where('user_id', '=', user.user_id)
      .executeTakeFirstOrThrow();
    for (const secret of [account.email, account.password_hash, account.salt?.toString('hex') ?? 'none'])
      expect(JSON.stringify(rows)).not.toContain(secret);
  });

  /** An account as an earlier release has left it: no entry has a digest, and there is no salt. */
  const anOlderAccount = async (): Promise<string> => {
    const user_id = randomUUID();
    const { db } = app.database.handle;
    const row = { email: `${user_id}@example.org`, password_hash: 'x', admin: false, salt: Buffer.alloc(32) };
    await app.services.ledger.open({ user_id, actor: 'user:session', origin: 'user' }, row, async (writer) => {
      const profile = { user_id, display_name: 'Ada', timezone: 'UTC', settings: {}, tempo: {} };
      writer.record({ kind: 'profile.created', subject: 'profile', uid: user_id, version: 1, payload: () => profile });
      const key = {
        id: `key-${user_id}`,
        kind: 'user',
        label: '',
        scopes: [],
        expires_at: null,
        created_at: TEST_START,
      };
      writer.record({ kind: 'key.created', subject: 'key', uid: key.id, version: 1, payload: () => key });
      await sql`insert into api_keys (user_id, id, kind, label, scopes, secret_hash, created_at)
        values (${user_id}, ${key.id}, 'user', '', '{}', sha256('x'), ${TEST_START})`.execute(writer.tx);
      await sql`update users set profile_seq = 1, salt = null where user_id = ${user_id}`.execute(writer.tx);
    });
    await damage(db, `delete from accounts where account = '${user_id}'`);
    return user_id;
  };

  test('an account of an earlier release passes, is recorded once, and what is changed after that is found', async () => {
    const user_id = await anOlderAccount();
    const { db } = app.database.handle;
    expect(await verify(db, user_id)).toMatchObject({ ok: true, checked: 2 });
    await app.services.recordAccounts();
    await app.services.recordAccounts();
    expect(await verify(db, user_id)).toMatchObject({ ok: true, checked: 3 });
    expect((await readRegister(db)).accounts).toContain(user_id);
    await damage(db, `update api_keys set secret_hash = sha256('y') where user_id = '${user_id}'`);
    expect(await verify(db, user_id)).toMatchObject({ ok: false, first_bad: { seq: 2 } });
    await damage(db, `update api_keys set secret_hash = sha256('x') where user_id = '${user_id}'`);
    await damage(db, `update users set salt = null, admin = true where user_id = '${user_id}'`);
    await app.services.recordAccounts();
    expect(await verify(db, user_id)).toMatchObject({ ok: false });
  });
});

describe('the register of accounts', () => {
  const registered = (work: (tx: Db) => Promise<unknown>) =>
    behindItsBack(app.database.handle.db, async (tx) => {
      await work(tx);
      return readRegister(tx);
    });

  test('is a chain', async () => {
    const register = await readRegister(app.database.handle.db);
    expect(register.first_bad).toBeNull();
    expect(register.accounts).toContain(life.user_id);
    const at = register.accounts.indexOf(life.user_id) + 1;
    const gone = await registered((tx) => sql`delete from accounts where account = ${life.user_id}`.execute(tx));
    expect(gone.first_bad).toBe(at);
    const other = await registered((tx) =>
      sql`update accounts set account = 'x' where account = ${life.user_id}`.execute(tx),
    );
    expect(other.first_bad).toBe(at);
  });

  test('stays as it was written', async () => {
    for (const statement of ['update accounts set position = position', 'delete from accounts', 'truncate accounts'])
      await expect(app.database.handle.exec(statement)).rejects.toMatchObject({ code: 'AL001' });
  });
});

describe('an erased account', () => {
  let erased: TestUser;
  let head: { seq: number; hash: string };
  beforeAll(async () => {
    erased = await aUser(app);
    await notes(erased, 5);
    head = (await erased.delete('/user/account', { password: erased.password }).expect(200)).body.head;
  });

  test('verifies to the end it was told', async () => {
    expect(await verify(app.database.handle.db, erased.user_id)).toEqual({
      ok: true,
      outdated: 0,
      checked: head.seq,
      head,
    });
  });

  const of = (more = '') => `where user_id = '$user' ${more}`;
  test.each<[string, string, number, string]>([
    ['a digest changed', `update ledger set subject_uid = repeat('0', 64) ${of('and seq = 3')}`, 3, 'entry_altered'],
    ['a text put back', `update ledger set payload = '{"a": 1}' ${of('and seq = 4')}`, 4, 'payload_altered'],
    ['an actor changed', `update ledger set actor = 'x' ${of('and seq = 4')}`, 4, 'entry_altered'],
    ['an entry gone', `delete from ledger ${of('and seq = 5')}`, 5, 'missing'],
    ['its last entry gone', `delete from ledger ${of('and kind = $erased')}`, 8, 'missing'],
    ['its end changed', `update erased_accounts set hash = sha256('x') ${of()}`, 8, 'head_altered'],
    ['its end gone', `delete from erased_accounts ${of()}`, 1, 'payload_altered'],
    [
      'an event that came back',
      `insert into events (user_id, uid, seq, version, during, span, recurring, busy, lane)
       values ('$user', 'ghost', 4, 1, tstzrange(now(), null), tstzrange(now(), null), false, false, '[1,2)')`,
      4,
      'projection_without_entry',
    ],
  ])('%s is found', async (_name, statement, seq, why) => {
    const verdict = await behindItsBack(app.database.handle.db, async (tx) => {
      await sql.raw(statement.replaceAll('$user', erased.user_id).replace('$erased', `'account.erased'`)).execute(tx);
      return verify(tx, erased.user_id);
    });
    expect(verdict).toMatchObject({ ok: false, first_bad: { seq, why } });
  });

  test('a living one is not made one by blanking it', async () => {
    const verdict = await behindItsBack(app.database.handle.db, async (tx) => {
      await sql`update ledger set payload = null, subject_uid = encode(sha256(subject_uid::bytea), 'hex')
        where user_id = ${life.user_id}`.execute(tx);
      await sql`insert into erased_accounts select user_id, seq, hash, recorded_at from ledger_heads where user_id = ${life.user_id}`.execute(
        tx,
      );
      await sql`delete from ledger_heads where user_id = ${life.user_id}`.execute(tx);
      return verify(tx, life.user_id);
    });
    expect(verdict).toMatchObject({ ok: false, checked: 0, first_bad: { seq: 1, why: 'payload_altered' } });
  });

  test('its end stays as it was written', async () => {
    for (const statement of [
      'update erased_accounts set seq = 1',
      'delete from erased_accounts',
      'truncate erased_accounts',
    ])
      await expect(app.database.handle.exec(statement)).rejects.toMatchObject({ code: 'AL001' });
  });
});

describe('npm run audit', () => {
  const folder = mkdtempSync(join(tmpdir(), 'almanac-audit-'));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  const process = (args: string[]) => commandProcess(args, { DATA_DIR: folder });
  const here = (args: string[], env: Record<string, string> = { DATA_DIR: folder }) => commandHere(args, env);

  test('says what it can, and what is wrong with how it was called', async () => {
    const missing = { DATA_DIR: join(folder, 'nothing') };
    const nothing = await process([]);
    const help = await here(['audit', '--help']);
    const unknown = await here(['divine']);
    const option = await here(['audit', '--users', 'all']);
    const place = await here(['audit', '--user', 'all'], missing);
    const variable = await here(['audit', '--user', 'all'], { DATABASE_POOL: 'x' });
    expect(nothing).toMatchObject({ code: 0, stdout: expect.stringContaining('audit') });
    expect(help).toMatchObject({ code: 0, stdout: expect.stringContaining('--user') });
    expect(unknown).toMatchObject({ code: 2, stderr: expect.stringContaining('no command divine') });
    expect(option).toMatchObject({ code: 2, stderr: expect.stringContaining('--users') });
    expect(place).toMatchObject({ code: 2, stderr: expect.stringMatching(/^There is no database in/) });
    expect(existsSync(missing.DATA_DIR)).toBe(false);
    expect(variable).toMatchObject({ code: 2, stderr: expect.stringContaining('DATABASE_POOL') });
  });

  test('verifies everybody, erased accounts too, and exits with 1 when something is damaged', async () => {
    await migratedDirectory(folder);
    const handle = await openDatabase({ DATA_DIR: folder, DATABASE_POOL: 2 }, () => undefined);
    const own = await anApp({
      database: { handle, ...(await ensureVectors(handle.db)), again: async () => handle, close: handle.close },
    });
    const [one, two] = [await aUser(own), await aUser(own)];
    await notes(one, 20);
    await two.delete('/user/account', { password: two.password }).expect(200);
    const used = await process(['audit', '--user', 'all']);
    expect(used).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(
        /^Another process \(\d+\) uses .*: the service, or another command\. Stop it, or wait until it ends\.$/m,
      ),
    });
    await own.close();
    await handle.close();

    const sound = await process(['audit', '--user', 'all', '--json']);
    expect(sound.stderr).toBe('2 ledgers, 0 damaged\n');
    expect(sound.code).toBe(0);
    expect(
      sound.stdout
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line)),
    ).toEqual([
      { register: { ok: true, accounts: 2, first_bad: null, head: expect.stringMatching(/^[0-9a-f]{64}$/) } },
      expect.objectContaining({ user_id: one.user_id, email: one.email, ok: true, checked: 22 }),
      expect.objectContaining({ user_id: two.user_id, email: null, ok: true, checked: 3 }),
    ]);
    const again = await openDatabase({ DATA_DIR: folder, DATABASE_POOL: 2 }, () => undefined);
    await damage(again.db, `update ledger set actor = 'x' where user_id = '${one.user_id}' and seq = 7`);
    await again.close();
    expect(await here(['audit', '--user', one.email.toUpperCase()])).toMatchObject({
      code: 1,
      stdout: expect.stringMatching(/^DAMAGED .*: seq 7, entry_altered; 6 entries/),
    });
    const third = await openDatabase({ DATA_DIR: folder, DATABASE_POOL: 2 }, () => undefined);
    const tables = ['ledger', 'traces', 'embeddings', 'api_keys', 'refresh_tokens', 'ledger_heads', 'users'];
    await damage(third.db, ...tables.map((table) => `delete from ${table} where user_id = '${one.user_id}'`));
    await third.close();
    expect(await here(['audit', '--user', 'all'])).toMatchObject({
      code: 1,
      stdout: expect.stringContaining(`DAMAGED  ${one.user_id} (no account): seq 0, head_altered`),
    });
    expect(await here(['audit', '--user', 'nobody'])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('no user nobody'),
    });
  });
});
