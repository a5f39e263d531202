/** Reads one file of a zip that was sent as a body, line by line, without ever holding the whole file. */
import { fromBufferPromise, type Entry, type ZipFile } from 'yauzl';
import { problem, Problem } from '../../common/problem.ts';
import { MIB } from '../route.ts';

export const ZIP_TYPE = 'application/zip';

/** An archive has five files. */
const MOST_FILES = 100;
/** The file may have this many bytes, which are some 20,000 traces. An import of 32 MiB took 270 MB, and a user may send two at once. */
const MOST_BYTES = 24 * MIB;
const LONGEST_LINE = 4 * MIB;
const LONGEST_REASON = 200;

/** @throws 413 */
const entryOf = async (zip: ZipFile, name: string): Promise<Entry> => {
  if (zip.entryCount > MOST_FILES)
    throw problem('body_too_large', `The zip has ${zip.entryCount} files. Send the archive of GET /user/archive.`);
  for await (const entry of zip.eachEntry()) {
    if (entry.fileName !== name) continue;
    if (entry.uncompressedSize > MOST_BYTES)
      throw problem(
        'body_too_large',
        `${name} has more than ${MOST_BYTES / MIB} MiB. Unzip it, and send it in parts of whole lines (split -C 15m) as application/x-ndjson.`,
      );
    return entry;
  }
  throw problem('malformed_request', `The zip has no file ${name}. Send the archive of GET /user/archive.`);
};

/** The reader refuses a file that has other bytes than the directory of the zip says, so a small zip cannot become a large file. */
const textOf = async function* (bytes: Buffer, name: string): AsyncGenerator<string> {
  const zip = await fromBufferPromise(bytes, { lazyEntries: true, validateEntrySizes: true, strictFileNames: true });
  const decoder = new TextDecoder('utf-8', { fatal: true });
  const stream = await zip.openReadStreamPromise(await entryOf(zip, name));
  for await (const chunk of stream) yield decoder.decode(chunk as Buffer, { stream: true });
  yield decoder.decode();
};

/** Joins the pieces of a text to lines. @throws 413 */
const joined = async function* (texts: AsyncIterable<string>): AsyncGenerator<string> {
  let begun: string[] = [];
  let length = 0;
  for await (const text of texts) {
    const [first = '', ...more] = text.split('\n');
    begun.push(first);
    length += first.length;
    if (length > LONGEST_LINE)
      throw problem(
        'body_too_large',
        'A line of the file is longer than any trace can be. Send the archive of GET /user/archive unchanged.',
      );
    for (const next of more) {
      yield begun.join('');
      [begun, length] = [[next], next.length];
    }
  }
  yield begun.join('');
};

/** @throws 400, 413 */
export const linesOfZip = async function* (bytes: Buffer, name: string): AsyncGenerator<string> {
  try {
    yield* joined(textOf(bytes, name));
  } catch (error) {
    if (error instanceof Problem) throw error;
    const why = (error as Error).message.slice(0, LONGEST_REASON);
    throw problem(
      'malformed_request',
      `The zip cannot be read: ${why}. Send the archive of GET /user/archive unchanged.`,
    );
  }
};
