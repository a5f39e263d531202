/** Ways to change by hand what was recorded, each with the seqs at which an audit may say so. */
import { sql } from 'kysely';
import type { Db } from '../../src/db/database.ts';
import { canonicalJson, GENESIS_HASH, sha256Hex } from '../../src/domain/record/canonical-json.ts';
import { readRegister } from '../../src/ledger/account-register.ts';
import { columnsOf, forgedHash, otherValue } from '../support/tamper.ts';
import { between, oneOf, random } from './trial.ts';

export type Victim = {
  user_id: string;
  erased: boolean;
  entries: {
    seq: number;
    subject: string;
    subject_uid: string;
    version: number;
    kind: string;
    payload: Record<string, unknown> | null;
  }[];
};

/** What was done, and where it may be found. */
type Done = { what: string; at: number[] };
export type Tampering = { kind: string; work: (tx: Db) => Promise<Done> };

const from = (first: number, last: number): number[] => Array.from({ length: last - first + 1 }, (_, i) => first + i);

/** The value with one thing in it changed, added or taken away. */
const changed = (value: unknown): unknown => {
  if (Array.isArray(value))
    return value.length && random() < 0.7 ? value.with(between(0, value.length - 1), 'forged') : [...value, 'forged'];
  if (value !== null && typeof value === 'object') {
    const keys = Object.keys(value);
    if (!keys.length || random() < 0.1) return { ...value, forged: true };
    const key = oneOf(keys);
    const { [key]: inner, ...rest } = value as Record<string, unknown>;
    return random() < 0.1 ? rest : { ...rest, [key]: changed(inner) };
  }
  if (typeof value === 'string') return `${value}x`;
  if (typeof value === 'number') return value + 1;
  return value === null ? 'forged' : !value;
};

type Full = Victim['entries'][number] & {
  user_id: string;
  actor: string;
  recorded_at: string;
  hash: Buffer;
  payload_hash: Buffer;
};

/** Hashes of an entry as a forger works them out who knows how. */
const forge = async (tx: Db, { user_id, erased }: Victim, seq: number, payload?: unknown): Promise<void> => {
  const { rows } = await sql<Full>`
    select * from ledger where user_id = ${user_id} and seq in (${seq}, ${seq - 1}) order by seq desc`.execute(tx);
  const [entry, before] = rows as [Full, Full?];
  const payload_hash = payload === undefined ? entry.payload_hash.toString('hex') : sha256Hex(canonicalJson(payload));
  const subject_digest = erased ? entry.subject_uid : sha256Hex(entry.subject_uid);
  const hash = forgedHash(before?.hash.toString('hex') ?? GENESIS_HASH, entry, { subject_digest, payload_hash });
  await sql`update ledger set payload_hash = decode(${payload_hash}, 'hex'), hash = decode(${hash}, 'hex')
    where user_id = ${user_id} and seq = ${seq}`.execute(tx);
};

/** Where an entry waits while others move. */
const ASIDE = 1_000_000;

const randomEntry = ({ entries }: Victim): Victim['entries'][number] => oneOf(entries);

/** Entries at and after `seq` move by `by`; through negative numbers, since the key is checked row by row. */
const shift = async (tx: Db, user_id: string, seq: number, by: number): Promise<void> => {
  await sql`update ledger set seq = -(seq + ${by}) where user_id = ${user_id} and seq >= ${seq}`.execute(tx);
  await sql`update ledger set seq = -seq where user_id = ${user_id} and seq < 0`.execute(tx);
};

const insertGhost = (tx: Db, user_id: string, seq: number) =>
  sql`insert into ledger select user_id, ${seq}, kind, subject, 'ghost', 1, actor, recorded_at, payload, payload_hash, hash
      from ledger where user_id = ${user_id} and seq = 3`.execute(tx);

/** Entries of the ledger. */
const ledgerTamperings = (victim: Victim): Tampering[] => {
  const { user_id, erased, entries } = victim;
  const last = entries.length;
  const set = async (tx: Db, seq: number, assignment: string) => {
    await sql`update ledger set ${sql.raw(assignment)} where user_id = ${user_id} and seq = ${seq}`.execute(tx);
  };
  const column = (name: string, value: string): Tampering => ({
    kind: 'columns of an entry',
    work: async (tx) => {
      const { seq } = randomEntry(victim);
      await set(tx, seq, `${name} = ${value}`);
      return { what: `${name} of ${seq}`, at: [seq] };
    },
  });
  const payload = (forged: 'no' | 'digest' | 'hash'): Tampering => ({
    kind: 'documents',
    work: async (tx) => {
      const { seq, payload } = randomEntry(victim);
      const next = changed(payload ?? {});
      await sql`update ledger set payload = ${JSON.stringify(next)}::jsonb where user_id = ${user_id} and seq = ${seq}`.execute(
        tx,
      );
      if (forged === 'digest')
        await sql`update ledger set payload_hash = decode(${sha256Hex(canonicalJson(next))}, 'hex') where user_id = ${user_id} and seq = ${seq}`.execute(
          tx,
        );
      if (forged === 'hash') await forge(tx, victim, seq, next);
      // With all its own hashes right, the next entry does not follow it any more; of the last one, the head.
      return {
        what: `the document of ${seq}, forged: ${forged}`,
        at: forged === 'hash' && !erased ? [Math.min(seq + 1, last)] : [seq],
      };
    },
  });
  const deleted = (first: number, until: number): Tampering => ({
    kind: 'entries deleted',
    work: async (tx) => {
      await sql`delete from ledger where user_id = ${user_id} and seq between ${first} and ${until}`.execute(tx);
      return { what: `${first} to ${until} deleted`, at: [first] };
    },
  });
  const some = randomEntry(victim).seq;
  return [
    column('kind', `kind || 'x'`),
    column('subject', `case subject when 'trace' then 'event' else 'trace' end`),
    column('subject_uid', `case when length(subject_uid) = 64 then repeat('0', 64) else subject_uid || 'x' end`),
    column('version', 'version + 1000'),
    column('actor', `actor || 'x'`),
    column('recorded_at', `recorded_at + interval '1 microsecond'`),
    column('recorded_at', `recorded_at - interval '1 day'`),
    column('hash', 'sha256(hash)'),
    column('user_id', `'thief'`),
    column('seq', 'seq + 100000'),
    { ...column('payload', `case when payload is null then '{}'::jsonb end`), kind: 'documents' },
    ...(erased ? [] : [column('payload_hash', 'sha256(payload_hash)')]),
    payload('no'),
    payload('digest'),
    payload('hash'),
    deleted(some, some),
    deleted(some, Math.min(last, some + between(0, 20))),
    deleted(1, some),
    deleted(some, last),
    {
      kind: 'entries deleted',
      work: async (tx) => {
        await sql`delete from ledger where user_id = ${user_id} and seq = ${some}`.execute(tx);
        await shift(tx, user_id, some, -1);
        return { what: `${some} deleted and the gap closed`, at: [some] };
      },
    },
    {
      kind: 'entries reordered',
      work: async (tx) => {
        const a = between(1, last - 1);
        const b = between(a + 1, last);
        await set(tx, a, 'seq = -1');
        await set(tx, b, `seq = ${a}`);
        await set(tx, -1, `seq = ${b}`);
        return { what: `${a} and ${b} swapped`, at: [a] };
      },
    },
    {
      kind: 'entries reordered',
      work: async (tx) => {
        const a = between(1, last - 1);
        const b = between(a + 1, last);
        await set(tx, a, `seq = ${-ASIDE}`);
        await sql`update ledger set seq = -(seq - 1) where user_id = ${user_id} and seq > ${a} and seq <= ${b}`.execute(
          tx,
        );
        await set(tx, -ASIDE, `seq = ${b}`);
        await sql`update ledger set seq = -seq where user_id = ${user_id} and seq < 0`.execute(tx);
        return { what: `${a} moved behind ${b}`, at: [a] };
      },
    },
    {
      kind: 'entries inserted',
      work: async (tx) => {
        await shift(tx, user_id, some, 1);
        const isForged = random() < 0.5;
        await sql`insert into ledger select user_id, ${some}, kind, subject, repeat('9', 64), 1, actor, recorded_at, payload, payload_hash, hash
          from ledger where user_id = ${user_id} and seq = ${some === 1 ? 2 : 1}`.execute(tx);
        if (isForged) await forge(tx, victim, some);
        // Its own hashes may be right: then its time is not, or the entry after it breaks the chain.
        return { what: `one inserted at ${some}, forged: ${isForged}`, at: isForged ? [some, some + 1] : [some] };
      },
    },
    {
      kind: 'entries inserted',
      work: async (tx) => {
        await insertGhost(tx, user_id, last + 1);
        if (random() < 0.5) await forge(tx, victim, last + 1);
        return { what: 'one added at the end', at: [last + 1] };
      },
    },
  ];
};

/** The end of the chain, as it is kept beside it. */
const headTamperings = ({ user_id, erased, entries }: Victim): Tampering[] => {
  const table = sql.table(erased ? 'erased_accounts' : 'ledger_heads');
  const last = entries.length;
  const head = (what: string, assignment: string, at: number[]): Tampering => ({
    kind: 'the head',
    work: async (tx) => {
      await sql`update ${table} set ${sql.raw(assignment)} where user_id = ${user_id}`.execute(tx);
      return { what, at };
    },
  });
  return [
    head('the head’s hash', 'hash = sha256(hash)', [last]),
    head('the head’s time', `recorded_at = recorded_at + interval '1 second'`, [last]),
    head('the head set back', 'seq = seq - 1', [last]),
    head('the head set forward', 'seq = seq + 1', [last + 1]),
    {
      kind: 'the head',
      work: async (tx) => {
        await sql`delete from ${table} where user_id = ${user_id}`.execute(tx);
        return { what: 'the head gone', at: erased ? [1] : [last] };
      },
    },
    ...['version = version + 7', `recorded_at = recorded_at - interval '1 day'`].map((assignment): Tampering => ({
      kind: 'the last entry and the head, with the hashes they should have',
      work: async (tx) => {
        await sql`update ledger set ${sql.raw(assignment)} where user_id = ${user_id} and seq = ${last}`.execute(tx);
        await forge(tx, { user_id, erased, entries }, last);
        await sql`update ${table} h set (hash, recorded_at) =
            (select l.hash, l.recorded_at from ledger l where l.user_id = ${user_id} and l.seq = ${last}) where h.user_id = ${user_id}`.execute(
          tx,
        );
        return { what: `${assignment} of the last entry`, at: [last] };
      },
    })),
    ...(erased
      ? []
      : [
          {
            kind: 'the end cut off, the head set back',
            work: async (tx: Db): Promise<Done> => {
              const cut = between(Math.max(3, last - 20), last);
              await sql`delete from ledger where user_id = ${user_id} and seq >= ${cut}`.execute(tx);
              await sql`update ledger_heads h set (seq, hash, recorded_at) =
                (select l.seq, l.hash, l.recorded_at from ledger l where l.user_id = ${user_id} and l.seq = ${cut - 1}) where h.user_id = ${user_id}`.execute(
                tx,
              );
              // The rows that stood on what is gone: what they show now differs at the version before, or stands for nothing.
              const lost = entries.slice(cut - 1);
              const versions = entries.filter(
                (e) => e.seq < cut && lost.some((l) => l.subject === e.subject && l.subject_uid === e.subject_uid),
              );
              return { what: `everything from ${cut} on`, at: [...versions.map((e) => e.seq), ...from(cut - 1, last)] };
            },
          },
        ]),
  ];
};

/** Tables that show what was recorded: the column that is the uid, and what names the entry a row stands on. */
const SHOWN: Record<string, { subject: string; uid: string; seq: string }> = {
  traces: { subject: 'trace', uid: 'uid', seq: 'seq' },
  traces_past: { subject: 'trace', uid: 'uid', seq: 'seq' },
  events: { subject: 'event', uid: 'uid', seq: 'seq' },
  events_past: { subject: 'event', uid: 'uid', seq: 'seq' },
  users: { subject: 'profile', uid: 'user_id', seq: 'profile_seq' },
  api_keys: { subject: 'key', uid: 'id', seq: '' },
  checkpoints: { subject: 'checkpoint', uid: 'tag', seq: '' },
};
/** What no document tells. */
const OTHERWISE = new Set([
  ...['user_id', 'due_at', 'last_used_at', 'epoch', 'salt'], // without the salt no digest fits: see mayDoTamperings
  ...['users.created_at', 'events_past.span'], // the latter is by the time zone data of then
]);

/** The entry a row stands on. */
const entryOf = ({ entries }: Victim, table: string, row: Record<string, unknown>): number => {
  const { subject, uid, seq } = SHOWN[table] as { subject: string; uid: string; seq: string };
  if (seq) return Number(row[seq]);
  return entries.findLast((e) => e.subject === subject && e.subject_uid === row[uid])?.seq ?? 0;
};

/** Rows of the tables that show what was recorded. */
const shownTamperings = (victim: Victim): Tampering[] => {
  const { user_id, erased, entries } = victim;
  const randomRow = async (tx: Db, table: string) => {
    const { rows } = await sql<{ place: string; row: Record<string, unknown> }>`
      select t.ctid::text as place, to_jsonb(t) as row from ${sql.table(table)} t where user_id = ${user_id} order by random() limit 1`.execute(
      tx,
    );
    return rows[0];
  };
  const value: Tampering = {
    kind: 'values of versions shown',
    work: async (tx) => {
      const columns = (await columnsOf(tx, Object.keys(SHOWN))).filter(
        ({ table, column }) => !OTHERWISE.has(column) && !OTHERWISE.has(`${table}.${column}`),
      );
      const { table, column, type } = oneOf(columns);
      const found = await randomRow(tx, table);
      if (!found) throw new Error(`there is nothing in ${table} to tamper with`);
      await sql`update ${sql.table(table)} set ${sql.ref(column)} = ${sql.raw(otherValue(column, type))} where ctid = ${found.place}::tid`.execute(
        tx,
      );
      return {
        what: `${table}.${column} of ${JSON.stringify(found.row).slice(0, 120)}`,
        at: [entryOf(victim, table, found.row)],
      };
    },
  };
  const gone: Tampering = {
    kind: 'versions shown deleted',
    work: async (tx) => {
      const table = oneOf(Object.keys(SHOWN).filter((name) => name !== 'users'));
      const found = await randomRow(tx, table);
      if (!found) throw new Error(`there is nothing in ${table} to tamper with`);
      await sql`delete from ${sql.table(table)} where ctid = ${found.place}::tid`.execute(tx);
      return { what: `a row of ${table}`, at: [entryOf(victim, table, found.row)] };
    },
  };
  const ghost = (table: 'traces' | 'traces_past' | 'events' | 'api_keys'): Tampering => ({
    kind: 'versions shown that nobody wrote',
    work: async (tx) => {
      const { seq } = randomEntry(victim);
      if (table === 'events')
        await sql`insert into events (user_id, uid, seq, version, during, span, recurring, busy, lane)
          values (${user_id}, 'ghost', ${seq}, 1, tstzrange(now(), null), tstzrange(now(), null), false, false, '[1,2)')`.execute(
          tx,
        );
      else if (table === 'api_keys')
        await sql`insert into api_keys (user_id, id, kind, label, scopes, secret_hash, created_at)
          values (${user_id}, 'ghost', 'user', '', '{plan:decide}', sha256('x'), now())`.execute(tx);
      else
        await sql`insert into ${sql.table(table)} (user_id, uid, seq, ${sql.raw(table === 'traces' ? 'version' : 'until')}, type, tags, origin, "timestamp", search)
          values (${user_id}, 'ghost', ${seq}, ${entries.length + 1}, 'observation', '{}', 'user', now(), '')`.execute(
          tx,
        );
      return { what: `a row in ${table} at ${seq}`, at: [table === 'api_keys' ? entries.length : seq] };
    },
  });
  const ghosts = (['traces', 'traces_past', 'events'] as const).map(ghost);
  // Of an erased account nothing is shown; a key of it can't even be inserted.
  return erased ? ghosts : [value, value, value, value, value, gone, gone, ...ghosts, ghost('api_keys')];
};

/** Who may do what: the account, its keys, its webhooks; and the account as a whole. */
const mayDoTamperings = (victim: Victim): Tampering[] => {
  const { user_id, erased, entries } = victim;
  const newest = (subject: string): number[] =>
    entries.filter((e) => e.subject === subject && e.payload !== null).map(({ seq }) => seq);
  const last = (subject: string): number[] => newest(subject).slice(-1);
  const changed = (table: string, assignment: string, at: number[]): Tampering => ({
    kind: 'who may do what',
    work: async (tx) => {
      await sql`update ${sql.table(table)} set ${sql.raw(assignment)} where user_id = ${user_id}`.execute(tx);
      return { what: `${table}: ${assignment}`, at };
    },
  });
  const removed: Tampering = {
    kind: 'an account removed from every table',
    work: async (tx) => {
      const { rows } = await sql<{ name: string }>`
        select c.table_name as name from information_schema.columns c join information_schema.tables t using (table_schema, table_name)
        where c.table_schema = current_schema() and c.column_name = 'user_id' and t.table_type = 'BASE TABLE'`.execute(
        tx,
      );
      for (const { name } of rows) await sql`delete from ${sql.table(name)} where user_id = ${user_id}`.execute(tx);
      const { accounts } = await readRegister(tx);
      return { what: 'the account', at: accounts.includes(user_id) ? [0] : [] };
    },
  };
  if (erased) return [removed];
  return [
    changed('users', 'admin = not admin', last('profile')),
    changed('users', `email = email || 'x'`, last('profile')),
    changed('users', `password_hash = password_hash || 'x'`, last('profile')),
    changed('users', `salt = null, admin = true`, [...newest('key'), ...newest('webhook'), ...newest('profile')]),
    changed('api_keys', 'secret_hash = sha256(secret_hash)', newest('key')),
    changed('webhooks', `url = 'https://thief.example/'`, last('webhook')),
    changed('webhooks', `url = url || 'x'`, last('webhook')),
    changed('webhooks', `secret = secret || 'x'`, last('webhook')),
    changed('webhooks', 'seq = seq + 1000000', last('webhook')),
    changed('webhooks', 'seq = 0', last('webhook')),
    removed,
  ];
};

export const randomTampering = (victim: Victim): Tampering =>
  oneOf(oneOf([ledgerTamperings, ledgerTamperings, headTamperings, shownTamperings, mayDoTamperings])(victim));
