/**
 * Notices a database that has stopped answering without closing its connections (frozen, or behind a cut cable). It then cuts the
 * connections, so that waiting requests fail instead of hanging, and refuses new ones until the database answers again.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Socket } from 'node:net';
import pg from 'pg';

/**
 * The watch probes the database when nothing has arrived for this long while somebody waits. A slow statement alone does not
 * trigger it, since other answers arrive.
 */
const SILENCE_MS = 1_500;
/** The probe may take this long. A request hangs for at most this time plus the silence. */
const ANSWER_MS = 2_000;
const CHECK_EVERY_MS = 250;

export type WatchDeps = {
  /** The probe opens a connection of its own, since all those of the pool may be busy. */
  connection: pg.ClientConfig;
  /** Returns whether any statement waits for an answer. */
  busy: () => boolean;
  onError: (error: Error) => void;
};

/** node-postgres has no types for a client's connection and its socket. */
type Wired = { connection: { stream: Socket } };

export const wire = (client: pg.Client): Wired['connection']['stream'] =>
  (client as unknown as Wired).connection.stream;

/** A refusal is an answer too (too many connections, a wrong password). Only errors from the server carry a severity. */
const isAnswer = (error: unknown): boolean => typeof (error as { severity?: unknown }).severity === 'string';

export const createWatch = ({ connection, busy, onError }: WatchDeps) => {
  const clients = new Set<pg.Client>();
  let lastData = performance.now();
  let away = false;
  let checking = false;

  const answers = async (): Promise<boolean> => {
    const probe = new pg.Client({ ...connection, connectionTimeoutMillis: ANSWER_MS });
    probe.on('error', () => undefined);
    const asked = (async () => {
      await probe.connect();
      await probe.query('select 1');
      return true;
    })().catch(isAnswer);
    // The pause lets the event loop read what arrived while this process was too busy to read it.
    const late = sleep(ANSWER_MS, false, { ref: false }).then(() => sleep(10, false, { ref: false }));
    const answered = await Promise.race([asked, late]);
    wire(probe).destroy();
    return answered;
  };

  const check = async (): Promise<void> => {
    checking = true;
    const since = performance.now();
    if ((await answers()) || lastData > since) {
      lastData = performance.now();
      away = false;
    } else {
      if (!away) onError(new Error('the database does not answer, so its connections are closed'));
      away = true;
      for (const client of clients) wire(client).destroy();
    }
    checking = false;
  };

  const timer = setInterval(() => {
    if (!checking && (away || (busy() && performance.now() - lastData > SILENCE_MS))) void check();
  }, CHECK_EVERY_MS).unref();

  return {
    /**
     * Cuts the connection when the database is silent, and counts its incoming data as a sign of life. Called before the client
     * connects, because a silent database also accepts connections and then says nothing.
     */
    add: (client: pg.Client): void => {
      clients.add(client);
      // A client that is lent out has no other error listener, and an unhandled error ends the process. Its next query fails,
      // which is enough.
      client.on('error', () => undefined);
      client.once('connect', () => wire(client).on('data', () => (lastData = performance.now())));
      client.once('end', () => clients.delete(client));
    },
    /** A statement starts to wait. Before that, silence meant nothing. */
    begin: (): void => {
      if (!busy()) lastData = performance.now();
    },
    /** True from the moment when silence was noticed until the database answers. */
    isAway: (): boolean => away,
    stop: (): void => clearInterval(timer),
  };
};

export type Watch = ReturnType<typeof createWatch>;

/** The error that is thrown instead of asking a silent database. Its code is one that db/sqlstate.ts knows. */
export const silentError = (): Error => Object.assign(new Error('the database does not answer'), { code: 'ETIMEDOUT' });
