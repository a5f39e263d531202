/**
 * Notices a database that has stopped answering without closing its connections (frozen, or behind a cut cable): cuts them,
 * so that who waits is refused instead of hanging, and refuses at once until the database answers again.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Socket } from 'node:net';
import pg from 'pg';

/** Nothing heard for this long while somebody waits is worth a question. A slow statement is no reason: others are answered. */
const SILENCE_MS = 1_500;
/** How long the question may take. Together with the silence: what a request can hang. */
const ANSWER_MS = 2_000;
const LOOK_MS = 250;

export type WatchDeps = {
  /** For the question: a connection of its own, since all of the pool may be busy. */
  connection: pg.ClientConfig;
  /** Whether anybody waits for the database. */
  busy: () => boolean;
  onError: (error: Error) => void;
};

/** node-postgres types neither the connection of a client nor its socket. */
type Wired = { connection: { stream: Socket } };

export const wire = (client: pg.Client): Wired['connection']['stream'] =>
  (client as unknown as Wired).connection.stream;

/** An answer that refuses is an answer too (too many connections, a wrong password): only errors of the server carry a severity. */
const isAnswer = (error: unknown): boolean => typeof (error as { severity?: unknown }).severity === 'string';

export const createWatch = ({ connection, busy, onError }: WatchDeps) => {
  const clients = new Set<pg.Client>();
  let heard = performance.now();
  let away = false;
  let asking = false;

  const answers = async (): Promise<boolean> => {
    const probe = new pg.Client({ ...connection, connectionTimeoutMillis: ANSWER_MS });
    probe.on('error', () => undefined);
    const asked = (async () => {
      await probe.connect();
      await probe.query('select 1');
      return true;
    })().catch(isAnswer);
    // The pause lets in what came while this process was too busy to look.
    const late = sleep(ANSWER_MS, false, { ref: false }).then(() => sleep(10, false, { ref: false }));
    const answered = await Promise.race([asked, late]);
    wire(probe).destroy();
    return answered;
  };

  const ask = async (): Promise<void> => {
    asking = true;
    const since = performance.now();
    if ((await answers()) || heard > since) {
      heard = performance.now();
      away = false;
    } else {
      if (!away) onError(new Error('the database does not answer; its connections are cut'));
      away = true;
      for (const client of clients) wire(client).destroy();
    }
    asking = false;
  };

  const looking = setInterval(() => {
    if (!asking && (away || (busy() && performance.now() - heard > SILENCE_MS))) void ask();
  }, LOOK_MS).unref();

  return {
    /** Counts what comes in on a client's connection as a sign of life, and cuts it when there is none. */
    add: (client: pg.Client): void => {
      clients.add(client);
      // One that is lent out has no other listener, and an error nobody hears ends the process. Its next query fails, that is enough.
      client.on('error', () => undefined);
      wire(client).on('data', () => (heard = performance.now()));
      client.once('end', () => clients.delete(client));
    },
    /** Somebody begins to wait; until now there may have been nothing to hear. */
    begin: (): void => {
      if (!busy()) heard = performance.now();
    },
    /** True from the moment the database was found silent until it answers. */
    isAway: (): boolean => away,
    stop: (): void => clearInterval(looking),
  };
};

export type Watch = ReturnType<typeof createWatch>;

/** What is thrown instead of asking a database that does not answer; its code is one of the known ones (db/sqlstate.ts). */
export const silent = (): Error => Object.assign(new Error('the database does not answer'), { code: 'ETIMEDOUT' });
