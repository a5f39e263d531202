/**
 * The table of the built-in embedder: a vector for each common English stem. word-table.NOTICE.md says where it comes from, and
 * src/process/generated/write-word-table.ts writes it.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

export const DIMENSIONS = 128;
export const TABLE_FILE = join(import.meta.dirname, 'word-table.bin');

export type WordVector = { stem: string; vector: ArrayLike<number> };

/** The components of all vectors one after the other, as whole numbers that a scale for each stem makes small. */
type WordTable = { rows: Map<string, number>; scales: Float32Array; components: Int8Array };

const LARGEST = 127;

/** The number of bytes of the stems; the stems, one a line; a scale for each; and the components. */
export const encodeTable = (words: readonly WordVector[]): Buffer => {
  const stems = Buffer.from(words.map(({ stem }) => stem).join('\n'));
  const head = Buffer.alloc(4);
  head.writeUInt32LE(stems.length);
  const scales = Buffer.alloc(4 * words.length);
  const components = new Int8Array(DIMENSIONS * words.length);
  for (const [row, { vector }] of words.entries()) {
    const scale = Math.max(...Array.from(vector, Math.abs)) / LARGEST;
    scales.writeFloatLE(scale, 4 * row);
    components.set(
      Array.from(vector, (x) => Math.round(x / scale)),
      DIMENSIONS * row,
    );
  }
  return Buffer.concat([head, stems, scales, Buffer.from(components.buffer)]);
};

const decodeTable = (file: Buffer): WordTable => {
  const end = 4 + file.readUInt32LE();
  const stems = file.toString('utf8', 4, end).split('\n');
  const after = end + 4 * stems.length;
  return {
    rows: new Map(stems.map((stem, row) => [stem, row])),
    scales: Float32Array.from(stems, (_, row) => file.readFloatLE(end + 4 * row)),
    components: new Int8Array(file.subarray(after)),
  };
};

let table: WordTable | undefined;

/** Adds the vector of a stem to a sum. An unknown stem adds nothing. The table is read on first use. */
export const addWord = (sum: Float64Array, stem: string): void => {
  table ??= decodeTable(readFileSync(TABLE_FILE));
  const row = table.rows.get(stem);
  if (row === undefined) return;
  const { components } = table;
  const scale = table.scales[row] as number;
  const start = row * DIMENSIONS;
  for (let i = 0; i < DIMENSIONS; i++) sum[i] = (sum[i] as number) + (components[start + i] as number) * scale;
};
