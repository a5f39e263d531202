/** A database that accepts connections and then says nothing, as one does whose machine hangs. */
import { once } from 'node:events';
import { createServer, type AddressInfo, type Socket } from 'node:net';
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { openDatabase } from '../../src/db/database.ts';
import { isDatabaseAway } from '../../src/db/sqlstate.ts';

test('a connection that is being opened is cut with the others', { timeout: 20_000 }, async () => {
  const sockets: Socket[] = [];
  const silent = createServer((socket) => sockets.push(socket.on('error', () => undefined))).listen(0, '127.0.0.1');
  await once(silent, 'listening');
  const told: string[] = [];
  const handle = await openDatabase(
    {
      DATABASE_URL: `postgres://almanac@127.0.0.1:${(silent.address() as AddressInfo).port}/almanac`,
      DATA_DIR: '',
      DATABASE_POOL: 4,
    },
    ({ message }) => told.push(message),
  );
  try {
    const error = await sql`select 1`.execute(handle.db).catch((e: unknown) => e);
    expect(told).toEqual(['the database does not answer, so its connections are closed']);
    // The pool itself would give up later, with "due to connection timeout".
    expect(String(error)).toContain('Connection terminated unexpectedly');
    expect(isDatabaseAway(error)).toBe(true);
    const later = await sql`select 1`.execute(handle.db).catch((e: unknown) => e);
    expect(String(later)).toContain('the database does not answer');
    expect(isDatabaseAway(later)).toBe(true);
  } finally {
    for (const socket of sockets) socket.destroy();
    await handle.close();
    silent.close();
  }
});
