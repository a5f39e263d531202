/**
 * Prepared statements by name (measured 2x on single-row selects): each connection keeps those it used last, and closes the others, so
 * that odd filters of one client neither fill the server's memory nor keep the usual statements from being prepared.
 */
import { createHash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import pg from 'pg';

/** A connection keeps so many; the service itself has some 250. Far more than are ever under way on one connection (pipelined-pool.ts). */
const MOST_PREPARED = 500;
/** Texts of which is known whether they came before. */
const MOST_TEXTS = 1_000;

const names = new LRUCache<string, string>({ max: MOST_TEXTS });
const ONCE = '';

/**
 * The name of a text, of its hash: behind a pooler the processes share the server's connections, and one name must not stand for two
 * texts. Nothing for a text that comes for the first time: most odd ones never come again.
 */
const nameOf = (text: string): string | undefined => {
  const known = names.get(text);
  if (known) return known;
  const name = known === ONCE ? `a${createHash('sha256').update(text).digest('base64url').slice(0, 22)}` : ONCE;
  names.set(text, name);
  return name || undefined;
};

/** Of the connection, which node-postgres does not type. */
type Wire = {
  parsedStatements: Record<string, string>;
  close: (statement: { type: 'S'; name: string }) => void;
  sync: () => void;
};

/**
 * Closes a statement (protocol 3, Close), after all that was sent before and in front of all that is sent later: from the moment this is
 * sent, its text is parsed anew. Unlike DEALLOCATE it works in a failed transaction, and for a name that is not there.
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

/** A pg client that prepares and reuses parameterised statements. */
export class PreparingClient extends pg.Client {
  /** Told of each of them that fails. */
  failed: (error: unknown) => void = () => undefined;
  readonly #prepared = new LRUCache<string, true>({
    max: MOST_PREPARED,
    dispose: (_, name, reason) => {
      if (reason === 'evict') void super.query(new Close(name));
    },
  });

  // oxlint-disable-next-line typescript/no-explicit-any -- pg's overloads can't be extended otherwise
  override query(...args: any[]): any {
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
    // Not the promise of pg: it leads from one result to the next, and what it leads to outlives two collections (measured: an
    // export of 100,000 rows took 90 MB of old space, and takes 5).
    return new Promise((resolve, reject) => {
      super.query(query as pg.QueryConfig, (error: Error | null, result: unknown) => {
        if (!error) return resolve(result);
        this.failed(error);
        reject(error);
      });
    });
  }
}
