/** Where the start shows the owner's secrets: on a terminal, and elsewhere in a file, because other outputs are collected. */
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const FILE = 'first-start.txt';

/** Writes a text into DATA_DIR for its owner only. @returns the file */
const writeSecrets = (dataDir: string, text: string): string => {
  mkdirSync(dataDir, { recursive: true, mode: 0o700 });
  const file = join(dataDir, FILE);
  writeFileSync(file, text, { mode: 0o600 });
  chmodSync(file, 0o600); // A file that was there before keeps its mode.
  return file;
};

export type Texts = { open: string; secret: string | null; isGenerated: boolean };

/**
 * @param texts `secret` is the whole text with the secrets, null where there are none; `open` is the text without them; `isGenerated`
 *   says whether this start has made a password or a key, which nobody else knows
 * @returns what to print
 */
export const shown = (texts: Texts, isTerminal: boolean, dataDir: string): string => {
  if (texts.secret === null) return texts.open;
  if (isTerminal) return texts.secret;
  try {
    const file = writeSecrets(dataDir, texts.secret);
    return `${texts.open}  What only the first start shows is in ${file}, because this output is no terminal. Read and remove it.\n\n`;
  } catch (error) {
    // It replaces both, so it is no advice where the operator has chosen both.
    const remedy = texts.isGenerated ? ' npm run owner -- --reset gives the owner a new password and API key.' : '';
    return `${texts.open}  What only the first start shows could not be written to ${dataDir} (${(error as Error).message}).${remedy}\n\n`;
  }
};
