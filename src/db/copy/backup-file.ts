/**
 * The file of a backup: lines of JSON, compressed with gzip. The first line is the header, which names the tables and how many rows
 * each has; then the rows follow, one on each line (tables.ts); the last line has the SHA-256 of all lines before it. So a file that
 * was cut or altered is noticed, and both writing and reading take little memory.
 */
import { createHash } from 'node:crypto';
import { pipeline } from 'node:stream/promises';
import { Readable, type Writable } from 'node:stream';
import { createGunzip, createGzip } from 'node:zlib';
import { z } from 'zod';
import { parse } from '../../common/fault-text.ts';
import type { Batch, Snapshot, TableHeader } from './snapshot.ts';

/** It rises when a release could not read the file any more. */
const FORMAT = 1;

const Count = z.number().int().min(0).max(Number.MAX_SAFE_INTEGER);
const Name = z.string().min(1).max(63);

const Header = z.object({
  almanac_backup: Count,
  release: z.string().max(100),
  at: z.string().max(100),
  migrations: z.array(z.string().max(255)).max(10_000),
  tables: z.array(z.object({ name: Name, columns: z.array(Name).min(1).max(1_600), rows: Count })).max(10_000),
  /** Files of DATA_DIR that belong to the database, with their content. */
  files: z.record(z.string().max(255), z.string().max(10_000)),
});

/** What the file says beside the rows. */
export type About = Pick<z.infer<typeof Header>, 'release' | 'at' | 'files'>;

const End = z.object({ sha256: z.string() });

/** A row has at most some MB. A longer line is no row, and is not collected in memory. */
const LONGEST_LINE = 256 * 1024 * 1024;
const LINES_AT_ONCE = 100;
const CHARACTERS_AT_ONCE = 1_000_000;

/** The fastest level: a backup takes as long as it takes to compress, and the best level saves a tenth of the size. */
const LEVEL = 1;

const linesOf = async function* (about: About, { migrations, tables, batches }: Snapshot): AsyncGenerator<string> {
  const digest = createHash('sha256');
  const hashed = (text: string): string => {
    digest.update(text);
    return text;
  };
  yield hashed(`${JSON.stringify({ almanac_backup: FORMAT, ...about, migrations, tables })}\n`);
  for await (const { lines } of batches) yield hashed(`${lines.join('\n')}\n`);
  yield `${JSON.stringify({ sha256: digest.digest('hex') })}\n`;
};

/** Writes a snapshot to the file, and ends it. */
export const writeBackup = (about: About, snapshot: Snapshot, file: Writable): Promise<void> =>
  pipeline(Readable.from(linesOf(about, snapshot)), createGzip({ level: LEVEL }), file);

/** The file is no whole backup; the message says why. */
export class BadBackup extends Error {}

const CUT =
  'The file ends too early, so a part of the backup is missing. Nothing was restored. Copy it again, or use another one.';
const ALTERED = 'The file was altered or damaged. Nothing was restored. Copy it again, or use another one.';

/** What is wrong with compressed data, by the code of zlib. */
const UNREADABLE: Record<string, string> = {
  Z_BUF_ERROR: CUT,
  Z_DATA_ERROR: 'The file is no backup of Almanac, or it was altered or damaged. Nothing was restored.',
};

/** Decompresses and passes on errors of both streams. */
const decompressed = async function* (file: Readable): AsyncGenerator<Buffer> {
  const gunzip = createGunzip();
  file.on('error', (error) => gunzip.destroy(error));
  file.pipe(gunzip);
  try {
    for await (const chunk of gunzip) yield chunk as Buffer;
  } catch (error) {
    const why = UNREADABLE[(error as NodeJS.ErrnoException).code ?? ''];
    throw why === undefined ? error : new BadBackup(why, { cause: error });
  } finally {
    gunzip.destroy();
    file.destroy();
  }
};

/** The lines as bytes, without their ends. @throws BadBackup where the last line has no end */
const linesIn = async function* (file: Readable): AsyncGenerator<Buffer> {
  let begun: Buffer[] = [];
  let length = 0;
  for await (const chunk of decompressed(file)) {
    let start = 0;
    for (let end = chunk.indexOf('\n'); end >= 0; end = chunk.indexOf('\n', start)) {
      const rest = chunk.subarray(start, end);
      yield begun.length ? Buffer.concat([...begun, rest]) : rest;
      [begun, length, start] = [[], 0, end + 1];
    }
    if (start === chunk.length) continue;
    begun.push(chunk.subarray(start));
    length += chunk.length - start;
    if (length > LONGEST_LINE) throw new BadBackup(ALTERED);
  }
  if (length) throw new BadBackup(CUT);
};

const valueOf = <S extends z.ZodType>(shape: S, line: Buffer): z.infer<S> | null => {
  try {
    const parsed = parse(shape, JSON.parse(line.toString()) as unknown);
    return parsed.success ? parsed.data : null;
  } catch {
    return null;
  }
};

/** @throws BadBackup for a file of another program, and of a release with another format */
const headerOf = (line: Buffer | undefined): z.infer<typeof Header> => {
  if (!line) throw new BadBackup(CUT);
  const format = valueOf(Header.pick({ almanac_backup: true, release: true }), line);
  if (format && format.almanac_backup > FORMAT)
    throw new BadBackup(
      `The file is of the newer release ${format.release}, whose format this release does not know. Restore it with that release.`,
    );
  const header = format && valueOf(Header, line);
  if (!header) throw new BadBackup('The file is no backup of Almanac (npm run backup). Nothing was restored.');
  return header;
};

const NEWLINE = Buffer.from('\n');

/** The rows of all tables, and then the check of the last line. @throws BadBackup */
const batchesIn = async function* (
  lines: AsyncGenerator<Buffer>,
  tables: readonly TableHeader[],
  first: Buffer,
): AsyncGenerator<Batch> {
  const digest = createHash('sha256').update(first).update(NEWLINE);
  const next = async (): Promise<Buffer> => {
    const { value, done } = await lines.next();
    if (done) throw new BadBackup(CUT);
    return value;
  };
  for (const table of tables) {
    let batch: string[] = [];
    let characters = 0;
    for (let row = 1; row <= table.rows; row++) {
      const line = await next();
      if (line[0] !== 0x5b) throw new BadBackup(ALTERED); // "["
      digest.update(line).update(NEWLINE);
      batch.push(line.toString());
      characters += line.length;
      if (row < table.rows && batch.length < LINES_AT_ONCE && characters < CHARACTERS_AT_ONCE) continue;
      yield { table, lines: batch };
      [batch, characters] = [[], 0];
    }
  }
  const end = valueOf(End, await next());
  if (end?.sha256 !== digest.digest('hex') || !(await lines.next()).done) throw new BadBackup(ALTERED);
};

/**
 * Reads a backup. The rows are checked against the sum while they are read, so whoever takes them must undo it where the last batch
 * throws.
 * @throws BadBackup
 */
export const readBackup = async (file: Readable): Promise<{ about: About; snapshot: Snapshot }> => {
  const lines = linesIn(file);
  const { value: first } = (await lines.next()) as { value: Buffer | undefined };
  const { migrations, tables, ...about } = headerOf(first);
  return { about, snapshot: { migrations, tables, batches: batchesIn(lines, tables, first as Buffer) } };
};
