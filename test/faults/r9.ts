/** R9: somebody with the database in hand changes what was recorded. The database refuses; with its triggers off, an audit finds the entry. */
import { sql } from 'kysely';
import { openDatabase, type DatabaseHandle } from '../../src/db/database.ts';
import { verifyLedger, type Verdict } from '../../src/ledger/audit.ts';
import { PROJECTIONS } from '../../src/process/all-projections.ts';
import { behindItsBack } from '../support/tamper.ts';
import { aPerson, audit, call, get, ok, patch, post, type Person } from './api.ts';
import type { Place } from './cluster.ts';
import { servers, type Server } from './server.ts';
import { randomTampering, type Victim } from './tamperings.ts';
import { check, oneOf, type Check, type Outcome, type Trial } from './trial.ts';
import { aWriter, quiet } from './writers.ts';

/** Entries of each person, about. */
const ENTRIES = 150;

/** What R1's writers leave out: ends of things, settings, checkpoints, series. */
const leaveTheRest = async ({ url }: Server, { key, user_id }: Person): Promise<void> => {
  const traces = Array.from({ length: 5 }, (_, i) => ({
    uid: `ended-${i}`,
    type: 'observation',
    content: `note ${i}`,
    authored_by: 'Jane',
  }));
  await ok(url, key, post('/memory/push', { traces }));
  for (const { uid } of traces.slice(0, 3)) {
    await ok(url, key, post('/agent/feedback', { uid, feedback_rating: 4, notes: 'good' }));
    await ok(url, key, { method: 'DELETE', path: `/memory/remove?uid=${uid}` });
  }
  const series = { uid: 'series', title: 'Daily', scheduled_for: '2030-01-01T09:00Z', duration_minutes: 15 };
  await ok(url, key, post('/calendar/create', { ...series, rrule: 'FREQ=DAILY;COUNT=9' }));
  await ok(url, key, patch('/calendar/edit', { uid: 'series', updates: { tags: ['#daily'] } }));
  const agent = await ok(url, key, post('/user/keys', { kind: 'agent', label: 'gone soon' }));
  await ok(url, key, { method: 'DELETE', path: `/user/keys?id=${agent.body.id}` });
  await ok(url, key, post('/user/webhooks', { url: 'https://hooks.example/path' }));
  await ok(url, key, get(`/memport/export?user_id=${user_id}&export_format=full&checkpoint=kept`));
  await ok(url, key, patch('/user/update', { updates: { display_name: 'Another' } }));
};

/** A person with a history of everything that leaves one. */
const someone = async (server: Server, number: number): Promise<Person> => {
  const person = await aPerson(server.url);
  const writer = aWriter(server.url, person, number);
  let entries = 0;
  const looking = setInterval(() => {
    void call(server.url, person.key, get('/agent/changes')).then(({ body }) => (entries = body.seq));
  }, 100);
  await writer.run(() => entries >= ENTRIES);
  clearInterval(looking);
  await leaveTheRest(server, person);
  await quiet(server.url, [person], 20_000);
  return person;
};

/** Statements that the triggers have to refuse, whatever is set. */
const refusals = async (handle: DatabaseHandle, { user_id }: Victim): Promise<Check> => {
  const columns = await handle.query(
    "select column_name as name from information_schema.columns where table_schema = current_schema() and table_name = 'ledger'",
    [],
  );
  const mine = `where user_id = '${user_id}'`;
  const erasing = `set local almanac.erasing = '${user_id}'`;
  const someoneElse = `set local almanac.erasing = 'somebody else'`;
  const statements = [
    ...columns.rows.map(({ name }) => [`update ledger set "${String(name)}" = "${String(name)}" ${mine} and seq = 3`]),
    [`update ledger set payload = null ${mine}`],
    [someoneElse, `update ledger set payload = null ${mine}`],
    [erasing, `update ledger set payload = '{}' ${mine}`],
    ...['seq', 'version'].map((name) => [erasing, `update ledger set payload = null, ${name} = ${name} + 9 ${mine}`]),
    ...['kind', 'subject', 'actor'].map((name) => [erasing, `update ledger set payload = null, ${name} = 'x' ${mine}`]),
    ...['hash', 'payload_hash'].map((name) => [erasing, `update ledger set payload = null, ${name} = '\\x00' ${mine}`]),
    [erasing, `update ledger set payload = null, recorded_at = now() ${mine}`],
    [`delete from ledger ${mine}`],
    [erasing, `delete from ledger ${mine}`],
    ['truncate ledger'],
    ['truncate ledger, traces cascade'],
    [erasing, 'truncate ledger'],
    [`update traces set seq = seq ${mine} and transition_of is not null`],
    [`update traces set transition_of = null ${mine} and transition_of is not null`],
    [erasing, `update traces set transition_of = null ${mine} and transition_of is not null`],
    [`delete from traces ${mine} and transition_of is not null`],
    [someoneElse, `delete from traces ${mine} and transition_of is not null`],
    ['truncate traces'],
    ['update erased_accounts set seq = seq + 1'],
    ['delete from erased_accounts'],
    ['truncate erased_accounts'],
    ['update accounts set position = position'],
    ['delete from accounts'],
    ['truncate accounts'],
  ];
  const passed: string[] = [];
  for (const list of statements) {
    const refused = await handle.db
      .transaction()
      .execute(async (tx) => {
        for (const statement of list) await sql.raw(statement).execute(tx);
      })
      .then(
        () => 'it went through',
        (error: { code?: string; message: string }) => (error.code === 'AL001' ? null : error.message),
      );
    if (refused !== null) passed.push(`${list.join('; ')}: ${refused}`);
  }
  return check('statements refused by the database', statements.length, { wrong: passed });
};

const verify = (db: Parameters<typeof verifyLedger>[0], user_id: string): Promise<Verdict> =>
  verifyLedger(db, user_id, { projections: PROJECTIONS });

/** unique_violation. */
const TAKEN = '23505';

/** Tampers many times, each undone afterwards, and asks an audit. */
const tamperings = async (
  handle: DatabaseHandle,
  victims: Victim[],
  times: number,
  say: (line: string) => void,
): Promise<Check[]> => {
  const checks = new Map<string, Check>();
  for (let i = 0; i < times; i++) {
    const victim = oneOf(victims);
    const tampering = randomTampering(victim);
    const outcome = await behindItsBack(handle.db, async (tx) => {
      // Both ways to switch the triggers off.
      if (i % 2) await sql`set local session_replication_role = replica`.execute(tx);
      const done = await tampering.work(tx);
      return { told: done, verdict: await verify(tx, victim.user_id) };
    }).catch((error: unknown) => {
      if ((error as { code?: string }).code !== TAKEN) throw error;
      return null;
    });
    if (!outcome) {
      i -= 1; // A key refused it, such as the uid and seq of another version: another is tried.
      continue;
    }
    const { told, verdict } = outcome;
    const one = checks.get(tampering.kind) ?? check(tampering.kind, 0);
    checks.set(tampering.kind, one);
    one.tried += 1;
    const { first_bad } = verdict;
    const said = `${told.what} of ${victim.erased ? 'an erased' : 'a living'} account, expected at ${told.at.slice(0, 5).join(' or ')}`;
    if (!first_bad) one.lost.push(`${said}: not found`);
    else if (!told.at.includes(first_bad.seq)) one.wrong.push(`${said}: ${first_bad.why} at ${first_bad.seq}`);
    if ((i + 1) % 250 === 0) say(`${i + 1} of ${times} tamperings`);
  }
  return [...checks.values()].toSorted((a, b) => (a.what < b.what ? -1 : 1));
};

const victimOf = async (handle: DatabaseHandle, user_id: string, erased: boolean): Promise<Victim> => {
  const { rows } = await sql<Victim['entries'][number]>`
    select seq, subject, subject_uid, version, kind, payload from ledger where user_id = ${user_id} order by seq`.execute(
    handle.db,
  );
  return { user_id, erased, entries: rows };
};

const run = async (place: Place, quick: boolean, say: (line: string) => void): Promise<Outcome> => {
  const times = quick ? 150 : 1500;
  const [server] = (await servers(1, place.env)) as [Server];
  const people = [await someone(server, 0), await someone(server, 1)];
  const gone = await someone(server, 2);
  const sound = await audit(server.url, [...people, gone]);
  const { body } = await ok(server.url, gone.key, {
    method: 'DELETE',
    path: '/user/account',
    body: { password: 'correct horse battery' },
  });
  await server.stop();
  const handle = await openDatabase({ DATA_DIR: '', DATABASE_POOL: 2, ...place.env }, () => undefined);
  try {
    const victims = [
      ...(await Promise.all(people.map(({ user_id }) => victimOf(handle, user_id, false)))),
      await victimOf(handle, gone.user_id, true),
    ];
    say(`${victims.map(({ entries }) => entries.length).join(', ')} entries`);
    const began = performance.now();
    const found = await tamperings(handle, victims, times, say);
    const seconds = (performance.now() - began) / 1000;
    const after: string[] = [];
    for (const { user_id } of victims) {
      const { ok: isWhole, first_bad } = await verify(handle.db, user_id);
      if (!isWhole) after.push(`${user_id}: ${JSON.stringify(first_bad)}`);
    }
    return {
      checks: [
        await refusals(handle, victims[0] as Victim),
        ...found,
        check('untouched ledgers, before and after', people.length + 2 * victims.length, {
          wrong: [...sound, ...after],
        }),
        check('erased accounts that say where they ended', 1, {
          wrong: victims[2]?.entries.length === body.head.seq ? [] : [JSON.stringify(body)],
        }),
        check('instances', 1, { wrong: server.accidents }),
      ],
      facts: [`${times} tamperings, each with an audit, in ${seconds.toFixed(0)} s.`],
    };
  } finally {
    await handle.close();
  }
};

export const R9: Trial = {
  id: 'R9',
  title: 'ledger and versions changed by hand in SQL',
  places: ['postgres', 'embedded'],
  embedded: true,
  run,
};
