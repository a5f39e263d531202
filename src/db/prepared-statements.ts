/**
 * Prepares statements by name, which doubled the speed of single-row selects. Each connection keeps those that it used last and
 * closes the others, so that a client's rare filters neither fill the server's memory nor displace the usual statements.
 */
import { createHash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import pg from 'pg';
import { wire } from './answer-watch.ts';

/**
 * A connection keeps this many. The service itself has some 250, and far fewer are ever under way on one connection
 * (pipelined-pool.ts).
 */
export const MOST_PREPARED = 500;
/** The client remembers this many texts, to know which ones occur again. */
const MOST_TEXTS = 1_000;

const names = new LRUCache<string, string>({ max: MOST_TEXTS });
const ONCE = '';

/**
 * A statement is named after the hash of its text: behind a pooler, processes share the server's connections, and one name must
 * not mean two texts. A text that occurs for the first time gets no name, since most rare ones never occur again.
 */
export const nameOf = (text: string): string | undefined => {
  const known = names.get(text);
  if (known) return known;
  const name = known === ONCE ? `a${createHash('sha256').update(text).digest('base64url').slice(0, 22)}` : ONCE;
  names.set(text, name);
  return name || undefined;
};

/** node-postgres has no types for a client's connection. */
type Wire = {
  parsedStatements: Record<string, string>;
  close: (statement: { type: 'S'; name: string }) => void;
  sync: () => void;
};

/**
 * Closes a statement (protocol 3, Close) between what was sent before and what is sent later; from then on its text is parsed
 * again. Unlike DEALLOCATE it works in a failed transaction, and for a name that does not exist.
 */
class Close extends pg.Query {
  override submit: (connection: unknown) => void;
  constructor(name: string) {
    super('', () => undefined);
    this.submit = (connection) => {
      const wire = connection as Wire;
      delete wire.parsedStatements[name];
      wire.close({ type: 'S', name });
      wire.sync();
    };
  }
}

/**
 * Makes statements leave in one write that are sent before `next` runs: before other code does, unless it is said otherwise. Of
 * the time that a push took in this process, half were writes to the socket.
 */
export const sendTogether = (
  client: pg.ClientBase,
  next: (send: () => void) => unknown = (send) => process.nextTick(send),
): void => {
  const stream = wire(client as pg.Client);
  if (stream.writableCorked) return;
  stream.cork();
  next(() => stream.uncork());
};

/** A pg client that prepares and reuses parameterised statements. */
export class PreparingClient extends pg.Client {
  /** Receives the error of each statement that fails. */
  failed: (error: unknown) => void = () => undefined;
  readonly #prepared = new LRUCache<string, true>({
    max: MOST_PREPARED,
    dispose: (_, name, reason) => {
      if (reason === 'evict') void super.query(new Close(name));
    },
  });

  // oxlint-disable-next-line typescript/no-explicit-any -- pg's overloads can't be extended otherwise
  override query(...args: any[]): any {
    sendTogether(this);
    const [text, values, callback] = args;
    const isPrepared = typeof text === 'string' && Array.isArray(values) && values.length > 0;
    if (!isPrepared) return super.query(...(args as [string]));
    const name = nameOf(text);
    if (name) this.#prepared.set(name, true);
    const query = name ? { name, text, values } : { text, values };
    if (callback)
      return super.query(query as pg.QueryConfig, (error: Error | null, result: unknown) => {
        if (error) this.failed(error);
        (callback as (error: Error | null, result: unknown) => void)(error, result);
      });
    // This is not the promise of pg, because that one links each result to the next and keeps them through garbage collection: an
    // export of 100,000 rows took 90 MB of old space with it, and takes 5 MB without.
    return new Promise((resolve, reject) => {
      super.query(query as pg.QueryConfig, (error: Error | null, result: unknown) => {
        if (!error) return resolve(result);
        this.failed(error);
        reject(error);
      });
    });
  }
}
