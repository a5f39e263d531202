/** Every statement the service sends, heard at the drivers; and which indexes Postgres would answer it by. */
import { CompiledQuery, type Kysely } from 'kysely';
import pg from 'pg';
import { PreparingPGlite } from '../../src/db/prepared-embedded.ts';

export type Statement = { text: string; values: readonly unknown[] };

type Method = (this: unknown, ...args: never[]) => unknown;

/** Puts a method in the place of another. @returns what undoes it */
const replace = (prototype: object, name: string, by: (original: Method) => Method): (() => void) => {
  const original = Reflect.get(prototype, name) as Method;
  Reflect.set(prototype, name, by(original));
  return () => Reflect.set(prototype, name, original);
};

/** Hears what goes to either driver until it is stopped; not the begin and commit of PGlite, which sends none. */
export const hearStatements = (): { heard: Statement[]; stop: () => void } => {
  const heard: Statement[] = [];
  const hearing = (original: Method): Method =>
    function query(this: unknown, ...args: never[]): unknown {
      const [first, second] = args as unknown[];
      const { text, values } = (typeof first === 'string' ? { text: first, values: second } : first) as Statement;
      heard.push({ text, values: values ?? [] });
      return original.apply(this, args);
    };
  const stops = [
    replace(pg.Client.prototype, 'query', hearing),
    replace(PreparingPGlite.prototype, 'execute', hearing),
  ];
  return { heard, stop: () => stops.forEach((stop) => stop()) };
};

/** A table as a plan reads it: by which index, with which condition; `null` reads all of it. */
export type Scan = { table: string; index: string | null; condition: string };

type Node = {
  'Node Type': string;
  'Relation Name'?: string;
  'Index Name'?: string;
  'Index Cond'?: string;
  'Actual Rows'?: number;
  'Actual Loops'?: number;
  'Rows Removed by Filter'?: number;
  Plans?: Node[];
};

const scansOf = (node: Node, tableOf: Map<string, string>): Scan[] => {
  const inner = (node.Plans ?? []).flatMap((child) => scansOf(child, tableOf));
  const { 'Node Type': type, 'Relation Name': table, 'Index Name': index, 'Index Cond': condition = '' } = node;
  // Its table is named again by the heap scan above a bitmap; what a ModifyTable changes, a scan beneath it found.
  if (index !== undefined) return [{ table: tableOf.get(index) ?? '', index, condition }, ...inner];
  if (table !== undefined && /^(Seq|Sample) Scan$/.test(type)) return [{ table, index: null, condition }, ...inner];
  return inner;
};

/** Texts as PREPARE and EXECUTE take them. */
const literal = (value: unknown): string => {
  if (value === null || value === undefined) return 'null';
  // The type of an array is that of the parameter.
  const array = (values: unknown[]): string => `{${values.map((one) => JSON.stringify(one)).join()}}`;
  const text = typeof value === 'string' ? value : Array.isArray(value) ? array(value) : JSON.stringify(value);
  return `'${text.replaceAll("'", "''")}'`;
};

/** As plansOf, but for values that are not known yet: how a prepared statement reads after its first uses. Nothing is switched off. */
export const genericPlansOf = (
  // oxlint-disable-next-line typescript/no-explicit-any -- any database
  db: Kysely<any>,
  statements: readonly Statement[],
): Promise<{ statement: Statement; scans: Scan[] }[]> =>
  db.connection().execute(async (one) => {
    const ask = async (text: string) => (await one.executeQuery<Record<string, string>>(CompiledQuery.raw(text))).rows;
    const indexes = await ask("select indexname, tablename from pg_indexes where schemaname = 'public'");
    const tableOf = new Map(indexes.map((row) => [row['indexname'] as string, row['tablename'] as string]));
    await ask('set plan_cache_mode = force_generic_plan');
    try {
      const plans = [];
      for (const statement of statements) {
        await ask(`prepare generic as ${statement.text}`);
        const given = statement.values.length ? `(${statement.values.map(literal).join()})` : '';
        const [row] = await ask(`explain (format json) execute generic${given}`);
        await ask('deallocate generic');
        plans.push({ statement, scans: scansOf(planOf(row), tableOf) });
      }
      return plans;
    } finally {
      await ask('reset plan_cache_mode');
    }
  });

const planOf = (row: Record<string, string> | undefined): Node => {
  const told = row?.['QUERY PLAN'] as unknown;
  const [{ Plan }] = (typeof told === 'string' ? JSON.parse(told) : told) as [{ Plan: Node }];
  return Plan;
};

/** How each statement would read its tables where it can do so by an index at all. On one connection, and nothing is run. */
export const plansOf = (
  // oxlint-disable-next-line typescript/no-explicit-any -- any database
  db: Kysely<any>,
  statements: readonly Statement[],
): Promise<{ statement: Statement; scans: Scan[] }[]> =>
  db.connection().execute(async (one) => {
    const ask = async (text: string, values: readonly unknown[] = []) =>
      (await one.executeQuery<Record<string, string>>(CompiledQuery.raw(text, [...values]))).rows;
    const indexes = await ask("select indexname, tablename from pg_indexes where schemaname = 'public'");
    const tableOf = new Map(indexes.map((row) => [row['indexname'] as string, row['tablename'] as string]));
    const ways = ['seqscan', 'hashjoin', 'mergejoin', 'material'];
    for (const way of ways) await ask(`set enable_${way} = off`);
    try {
      const plans = [];
      for (const statement of statements) {
        const [row] = await ask(`explain (format json) ${statement.text}`, statement.values);
        plans.push({ statement, scans: scansOf(planOf(row), tableOf) });
      }
      return plans;
    } finally {
      for (const way of ways) await ask(`reset enable_${way}`);
    }
  });

const rowsOf = (node: Node): number => {
  const inner = (node.Plans ?? []).reduce((sum, child) => sum + rowsOf(child), 0);
  if (!/^(traces|events|ledger)$/.test(node['Relation Name'] ?? '')) return inner;
  const { 'Actual Rows': rows = 0, 'Actual Loops': loops = 1, 'Rows Removed by Filter': removed = 0 } = node;
  return inner + (rows + removed) * loops;
};

/** How many rows of traces, events and the ledger each statement reads. They are run, so they must change nothing. */
export const rowsReadBy = async (
  // oxlint-disable-next-line typescript/no-explicit-any -- any database
  db: Kysely<any>,
  statements: readonly Statement[],
): Promise<number[]> => {
  const counts: number[] = [];
  for (const { text, values } of statements) {
    const asked = CompiledQuery.raw(`explain (analyze, format json) ${text}`, [...values]);
    const { rows } = await db.executeQuery<Record<string, string>>(asked);
    counts.push(rowsOf(planOf(rows[0])));
  }
  return counts;
};
