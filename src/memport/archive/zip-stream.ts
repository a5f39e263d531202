/** Writes files one after the other into a zip while it is sent, so that no file is held in memory. */
import { once } from 'node:events';
import { Readable } from 'node:stream';
import { ZipFile } from 'yazl';

export type ZippedFile = { name: string; text: () => AsyncIterable<string> };

/** Begins each file when the one before has ended. A file that fails fails the zip. Where the reader stops, the work stops. */
export const zipped = async function* (files: readonly ZippedFile[], mtime: Date): AsyncGenerator<Uint8Array> {
  const zip = new ZipFile();
  const output = zip.outputStream as Readable;
  let current: Readable | undefined;
  const fail = (error: Error): void => void output.destroy(error);
  zip.on('error', fail);
  for (const { name, text } of files)
    zip.addReadStreamLazy(name, { mtime }, (begin) => {
      current = Readable.from(text(), { objectMode: false }).on('error', fail);
      begin(null, current);
    });
  zip.end();
  try {
    yield* output as AsyncIterable<Uint8Array>;
  } finally {
    output.destroy();
    if (current && !current.destroyed) {
      current.destroy();
      await once(current, 'close');
    }
  }
};
