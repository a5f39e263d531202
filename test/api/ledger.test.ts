/** The ledger under attack: what the database refuses, and what the audit finds when somebody got past it. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { canonicalJson, entryHash, sha256Hex } from '../../src/domain/record/canonical-json.ts';
import { newTrace } from '../../src/domain/record/trace.ts';
import { verifyLedger } from '../../src/ledger/audit.ts';
import { canonicalEntry } from '../../src/ledger/ledger-writer.ts';
import { entriesFrom } from '../../src/ledger/read-ledger.ts';
import { PROJECTIONS } from '../../src/process/all-projections.ts';
import { createTraceStore } from '../../src/ledger/trace-store.ts';
import { anApp, aUser, TEST_START, type TestApp, type TestUser } from '../support/app.ts';
import { notes } from '../support/follower.ts';
import { damage, moved } from '../support/tamper.ts';

let app: TestApp;
beforeAll(async () => {
  app = await anApp();
});
afterAll(() => app.close());

const verify = (user: TestUser) => verifyLedger(app.database.handle.db, user.user_id, { projections: PROJECTIONS });

/** A person with twelve entries: profile, key, eight notes, of which the first was edited and the second removed. */
const anAuthor = async (): Promise<TestUser> => {
  const user = await aUser(app);
  const traces = Array.from({ length: 8 }, (_, i) => ({ type: 'observation', content: `note ${i}` }));
  const { body } = await user.post('/memory/push', { traces }).expect(201);
  await user.patch('/memory/edit', { uid: body[0].uid, updates: { content: 'edited' } }).expect(200);
  await user.delete(`/memory/remove?uid=${body[1].uid}`).expect(200);
  return user;
};
const LAST = 12;

/** Statements by somebody who owns the database. */
const behindItsBack = (...statements: string[]) => damage(app.database.handle.db, ...statements);

describe('an untouched ledger', () => {
  test('verifies, with its head', async () => {
    const user = await anAuthor();
    expect(await verify(user)).toEqual({
      ok: true,
      checked: LAST,
      outdated: 0,
      head: { seq: LAST, hash: expect.stringMatching(/^[0-9a-f]{64}$/) },
    });
  });

  test('is read in batches, also while it grows', async () => {
    const user = await aUser(app);
    for (let i = 0; i < 3; i++) await notes(user, 700);
    const progress: number[] = [];
    let writing: Promise<unknown> | undefined;
    const verdict = await verifyLedger(app.database.handle.db, user.user_id, {
      onProgress: (checked) => {
        progress.push(checked);
        writing ??= notes(user, 5);
      },
    });
    await writing;
    expect(verdict.ok).toBe(true);
    expect(progress.length).toBeGreaterThan(3);
    expect(progress).toEqual(progress.toSorted((a, b) => a - b));
    expect(verdict.checked).toBeGreaterThanOrEqual(2102);
  });

  test('can be left midway', async () => {
    const user = await anAuthor();
    await expect(verifyLedger(app.database.handle.db, user.user_id, { signal: AbortSignal.abort() })).rejects.toThrow(
      'gone',
    );
  });
});

describe('damage is found and located', () => {
  const at = (seq: number) => `where user_id = '$user' and seq = ${seq}`;
  const renumber = (from: number, to: number) => `update ledger set seq = ${to} ${at(from)}`;

  test.each<[string, string[], number, string]>([
    [
      'an altered payload',
      [`update ledger set payload = jsonb_set(payload, '{content}', '"forged"') ${at(5)}`],
      5,
      'payload_altered',
    ],
    ['a payload taken away', [`update ledger set payload = null ${at(5)}`], 5, 'payload_altered'],
    [
      'a payload with a number no service writes',
      [`update ledger set payload = jsonb_set(payload, '{feedback_rating}', '1e400') ${at(5)}`],
      5,
      'payload_altered',
    ],
    [
      'an altered payload with its hash',
      [`update ledger set payload = '{"a":1}', payload_hash = sha256('{"a":1}') ${at(5)}`],
      5,
      'entry_altered',
    ],
    ['an altered actor', [`update ledger set actor = 'user:session2' ${at(4)}`], 4, 'entry_altered'],
    ['an altered kind', [`update ledger set kind = 'trace.updated' ${at(4)}`], 4, 'entry_altered'],
    ['an altered version', [`update ledger set version = 7 ${at(4)}`], 4, 'entry_altered'],
    [
      'an altered time',
      [`update ledger set recorded_at = ${moved('recorded_at', '1 microsecond')} ${at(4)}`],
      4,
      'entry_altered',
    ],
    ['an altered uid', [`update ledger set subject_uid = 'other' ${at(4)}`], 4, 'entry_altered'],
    ['an altered link', [`update ledger set hash = sha256('x') ${at(4)}`], 4, 'entry_altered'],
    ['the first row deleted', [`delete from ledger ${at(1)}`], 1, 'missing'],
    ['a row deleted', [`delete from ledger ${at(6)}`], 6, 'missing'],
    ['the last row deleted', [`delete from ledger ${at(LAST)}`], LAST, 'missing'],
    [
      'the last three rows deleted',
      [`delete from ledger where user_id = '$user' and seq > ${LAST - 3}`],
      LAST - 2,
      'missing',
    ],
    ['a row deleted and the rest closed up', [`delete from ledger ${at(11)}`, renumber(12, 11)], 11, 'entry_altered'],
    ['two rows swapped', [renumber(7, 99), renumber(8, 7), renumber(99, 8)], 7, 'entry_altered'],
    ['the head’s hash', [`update ledger_heads set hash = sha256('x') where user_id = '$user'`], LAST, 'head_altered'],
    [
      'the head’s time',
      [`update ledger_heads set recorded_at = ${moved('recorded_at', '-1 second')} where user_id = '$user'`],
      LAST,
      'head_altered',
    ],
    ['the head set back', [`update ledger_heads set seq = seq - 1 where user_id = '$user'`], LAST, 'head_altered'],
    ['a projection that points elsewhere', [`update traces set seq = 6 ${at(7)}`], 7, 'projection_differs'],
    ['a projected row gone', [`delete from traces ${at(7)}`], 7, 'projection_differs'],
    [
      'an edit hidden from the projection',
      [`update traces set seq = 3, version = 1 ${at(11)}`],
      11,
      'projection_differs',
    ],
    [
      'a removed trace shown again',
      [
        `insert into traces (user_id, uid, seq, version, type, origin, "timestamp", search)
         select user_id, subject_uid, seq, version, 'observation', 'user', recorded_at, '' from ledger ${at(12)}`,
      ],
      12,
      'projection_differs',
    ],
    [
      'a trace that was never recorded',
      [
        `insert into traces (user_id, uid, seq, version, type, origin, "timestamp", search)
         values ('$user', 'ghost', 9, 1, 'observation', 'user', now(), '')`,
      ],
      9,
      'projection_without_entry',
    ],
    [
      'the newest entry cut off together with its place in the head',
      [
        `delete from ledger ${at(LAST)}`,
        `update ledger_heads h set (seq, hash, recorded_at) = (select seq, hash, recorded_at from ledger l where l.user_id = h.user_id and l.seq = 11) where user_id = '$user'`,
      ],
      4,
      'projection_differs',
    ],
  ])('%s', async (_name, statements, seq, why) => {
    const user = await anAuthor();
    await behindItsBack(...statements.map((s) => s.replaceAll('$user', user.user_id)));
    expect(await verify(user)).toMatchObject({ ok: false, checked: expect.any(Number), first_bad: { seq, why } });
  });

  test('an entry forged with all of its hashes breaks the link to the next', async () => {
    const user = await anAuthor();
    const { db } = app.database.handle;
    const [first, entry] = (await entriesFrom(db, user.user_id, 4, 1)).items;
    const before = (first as NonNullable<typeof first>).hash;
    const { subject_uid, payload, hash: _hash, ...rest } = entry as NonNullable<typeof entry>;
    const text = canonicalJson({ ...payload, content: 'forged' });
    const payload_hash = sha256Hex(text);
    const forged = { user_id: user.user_id, ...rest, subject_digest: sha256Hex(subject_uid), payload_hash };
    const hash = entryHash(before.toString('hex'), canonicalEntry(forged));
    await behindItsBack(
      `update ledger set payload = '${text}', payload_hash = '\\x${payload_hash}', hash = '\\x${hash}' where user_id = '${user.user_id}' and seq = 5`,
    );
    expect(await verify(user)).toMatchObject({ ok: false, checked: 5, first_bad: { seq: 6, why: 'entry_altered' } });
  });

  test('other people’s ledgers stay sound', async () => {
    const [victim, neighbour] = [await anAuthor(), await anAuthor()];
    await behindItsBack(`delete from ledger where user_id = '${victim.user_id}' and seq = 3`);
    expect((await verify(victim)).ok).toBe(false);
    expect((await verify(neighbour)).ok).toBe(true);
  });
});

test('nothing is written in the name of an agent as which a person reads', async () => {
  const user = await aUser(app);
  const author = { user_id: user.user_id, actor: 'agent:x', origin: 'agent', read_only: true } as const;
  await expect(app.services.ledger.write(author, () => Promise.resolve('done'))).rejects.toThrow('agent:x only reads');
});

describe('the database itself refuses', () => {
  let user: TestUser;
  beforeAll(async () => {
    user = await anAuthor();
    const traces = createTraceStore({ vectors: app.database.vectors });
    const transition = {
      plan_uid: 'p',
      from: 'proposed',
      to: 'approved',
      actor: 'user:session',
      code: 'user',
      note: null,
    } as const;
    const record = newTrace({
      uid: 'record',
      user_id: user.user_id,
      type: 'observation',
      content: 'approved',
      timestamp: TEST_START,
      origin: 'user',
      transition,
    });
    await app.services.ledger.write({ user_id: user.user_id, actor: 'user:session', origin: 'user' }, (writer) =>
      traces.insert(writer, [{ trace: record }]),
    );
  });

  test.each([
    ['an update of an entry', `update ledger set actor = 'x' where user_id = '$user' and seq = 3`],
    [
      'blanking a payload of an account that is not being erased',
      `update ledger set payload = null where user_id = '$user' and seq = 3`,
    ],
    ['deleting an entry', `delete from ledger where user_id = '$user' and seq = 3`],
    ['emptying the ledger', 'truncate ledger'],
    ['changing the record of a transition', `update traces set seq = 1 where user_id = '$user' and uid = 'record'`],
    [
      'making it an ordinary trace',
      `update traces set transition_of = null where user_id = '$user' and uid = 'record'`,
    ],
    [
      'making it an ordinary trace while its account is erased',
      `do 'begin perform set_config(''almanac.erasing'', ''$user'', true); update traces set transition_of = null where user_id = ''$user''; end'`,
    ],
    [
      'changing its search terms and something else',
      `update traces set terms = 9, version = 9 where user_id = '$user' and uid = 'record'`,
    ],
    ['an update that changes nothing', `update traces set seq = seq where user_id = '$user' and uid = 'record'`],
    ['deleting it', `delete from traces where user_id = '$user' and uid = 'record'`],
    ['emptying the traces', 'truncate traces'],
    ['emptying both', 'truncate ledger, traces cascade'],
  ])('%s', async (_name, statement) => {
    await expect(app.database.handle.exec(statement.replaceAll('$user', user.user_id))).rejects.toMatchObject({
      code: 'AL001',
    });
    expect((await verify(user)).ok).toBe(true);
  });
});
