/**
 * Prepares the statements of the embedded database by name, as prepared-statements.ts does on a server. PGlite alone parses and plans
 * each statement each time, in six messages that enter WebAssembly one by one: a select of ten traces took 0.60 ms so, and takes
 * 0.07 ms as one message that binds and executes a prepared statement.
 */
import { protocol, type messages, type PGlite } from '@electric-sql/pglite';
import type { PGliteDialectConfig } from 'kysely';
import { LRUCache } from 'lru-cache';
import { MOST_PREPARED, nameOf } from './prepared-statements.ts';

const { serialize } = protocol;

type KyselyPGlite = Exclude<PGliteDialectConfig['pglite'], (...options: never[]) => unknown>;
type Field = { name: string; dataTypeID: number; parse: (value: string | null) => unknown };
type Statement = { name: string; parameters: number[]; fields: Field[] };
type Row = Record<string, unknown>;
type Result<T> = { rows: T[]; fields: Field[]; affectedRows?: number };

/** A command tag that gives the number of rows that were changed (protocol 3, CommandComplete). */
const CHANGED = /^(?:INSERT|UPDATE|DELETE|MERGE|COPY) .*?(\d+)$/;

const rowOf = (fields: Field[], values: (string | null)[]): Row =>
  Object.fromEntries(fields.map(({ name, parse }, i) => [name, parse(values[i] ?? null)]));

/** What Kysely needs of a PGlite, with prepared statements. */
export class PreparingPGlite implements KyselyPGlite {
  readonly #pglite: PGlite;
  /** Names of statements that the session still has, although they are not used any more. */
  readonly #unused: string[] = [];
  readonly #prepared = new LRUCache<string, Statement>({
    max: MOST_PREPARED,
    dispose: ({ name }) => this.#unused.push(name),
  });

  constructor(pglite: PGlite) {
    this.#pglite = pglite;
  }

  get closed(): boolean {
    return this.#pglite.closed;
  }

  get ready(): boolean {
    return this.#pglite.ready;
  }

  get waitReady(): Promise<void> {
    return this.#pglite.waitReady;
  }

  close(): Promise<void> {
    return this.#pglite.close();
  }

  query: KyselyPGlite['query'] = (text, values) => this.execute(text, values, true);

  transaction: KyselyPGlite['transaction'] = (work) =>
    this.#pglite.transaction(async (tx) => {
      let hasFailed = false;
      const query: KyselyPGlite['query'] = (text, values) =>
        this.execute<never>(text, values, false).catch((error: unknown) => {
          hasFailed = true;
          throw error;
        });
      const value = await work({ query, rollback: () => tx.rollback() });
      // PGlite takes the COMMIT of a failed transaction, which is a rollback, for a success. This fails where it would be one.
      if (hasFailed) await query('select 1');
      return value;
    });

  /**
   * `isAlone`: the statement is a transaction of its own, so what it wrote is to be in the files after it. runExclusive waits for no
   * transaction: the driver, which gives its one connection to one holder at a time (fair-connections.ts), keeps statements out of the
   * transactions of others.
   */
  execute<T>(text: string, values: readonly unknown[] = [], isAlone: boolean): Promise<Result<T>> {
    return this.#pglite.runExclusive(async () => {
      if (this.closed) throw new Error('PGlite is closed'); // As PGlite's own query says it.
      try {
        return (await this.#run(text, values, isAlone)) as Result<T>;
      } catch (error) {
        this.#prepared.delete(text); // Its table may have other columns since.
        throw error;
      }
    });
  }

  async #run(text: string, values: readonly unknown[], isAlone: boolean): Promise<Result<Row>> {
    const { name, parameters, fields } = this.#prepared.get(text) ?? (await this.#prepare(text));
    const bound = values.map((value, i) => this.#asText(value, parameters[i]));
    const answers = await this.#send(
      [serialize.bind({ statement: name, values: bound }), serialize.execute({})],
      isAlone,
    );
    const result: Result<Row> = { rows: [], fields };
    for (const answer of answers)
      if (answer.name === 'dataRow') result.rows.push(rowOf(fields, (answer as messages.DataRowMessage).fields));
      else if (answer.name === 'commandComplete') {
        const changed = CHANGED.exec((answer as messages.CommandCompleteMessage).text)?.[1];
        if (changed !== undefined) result.affectedRows = Number(changed);
      }
    return result;
  }

  async #prepare(text: string): Promise<Statement> {
    const name = nameOf(text) ?? '';
    const closed = this.#unused.splice(0).map((unused) => serialize.close({ type: 'S', name: unused }));
    const parsed = [serialize.parse({ name, text }), serialize.describe({ type: 'S', name })];
    const statement: Statement = { name, parameters: [], fields: [] };
    for (const answer of await this.#send([...closed, ...parsed], false))
      if (answer.name === 'parameterDescription')
        statement.parameters = (answer as messages.ParameterDescriptionMessage).dataTypeIDs;
      else if (answer.name === 'rowDescription')
        statement.fields = this.#fieldsOf(answer as messages.RowDescriptionMessage);
    if (name) this.#prepared.set(text, statement);
    return statement;
  }

  /** Sends several messages at once, and Sync after them, so that the session can go on where one of them fails. */
  #send(sent: Uint8Array[], syncToFs: boolean): Promise<messages.BackendMessage[]> {
    return this.#pglite.execProtocolStream(Buffer.concat([...sent, serialize.sync()]), { syncToFs });
  }

  #fieldsOf({ fields }: messages.RowDescriptionMessage): Field[] {
    return fields.map(({ name, dataTypeID }) => {
      const parser = this.#pglite.parsers[dataTypeID];
      const parse = (value: string | null): unknown => (value === null || !parser ? value : parser(value, dataTypeID));
      return { name, dataTypeID, parse };
    });
  }

  #asText(value: unknown, dataTypeID = 0): string | null {
    if (value === null || value === undefined) return null;
    const serializer = this.#pglite.serializers[dataTypeID];
    return serializer ? serializer(value) : (value as string | number | boolean).toString();
  }
}
