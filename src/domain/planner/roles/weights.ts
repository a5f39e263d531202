/**
 * The file of the reader's weights, which `npm run train-reader` writes. It is compressed and holds the number of features, what
 * scores are multiplied by, the hashes of the features in order, and for each net and each of its matrices a scale for each row
 * and the rows as whole numbers.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { deflateRawSync, inflateRawSync } from 'node:zlib';
import { emptyNet, PARTS, type Net } from './net.ts';

export const WEIGHTS_FILE = join(import.meta.dirname, 'weights.bin');
/** The scores of this many nets are averaged. */
export const NETS = 2;

/** The row of each known feature in the nets, by its hash; and what all scores are multiplied by, so that probabilities are honest. */
export type Weights = { rows: ReadonlyMap<number, number>; nets: Net[]; sharpness: number };

const LARGEST = 127;

const bytes = ({ buffer, byteOffset, byteLength }: Uint32Array | Float32Array | Int8Array): Uint8Array =>
  new Uint8Array(buffer, byteOffset, byteLength);

export const encodeWeights = ({ rows, nets, sharpness }: Weights): Buffer => {
  const head = [Uint32Array.of(rows.size), Float32Array.of(sharpness), Uint32Array.from(rows.keys())];
  const matrices = nets.flatMap((net) => PARTS.map((part) => net[part]));
  const body = matrices.flatMap(({ rows, columns, values }) => {
    const scales = Float32Array.from({ length: rows }, (_, row) => {
      const sizes = values.subarray(row * columns, (row + 1) * columns).map(Math.abs);
      return sizes.reduce((most, x) => Math.max(most, x), 0) / LARGEST || 1;
    });
    return [scales, Int8Array.from(values, (x, i) => Math.round(x / scales[Math.floor(i / columns)]!))];
  });
  return deflateRawSync(Buffer.concat([...head, ...body].map(bytes)), { level: 9 });
};

export const decodeWeights = (file: Buffer): Weights => {
  const data = inflateRawSync(file);
  const rows = new Map<number, number>();
  const size = data.readUInt32LE(0);
  let at = 8;
  for (; rows.size < size; at += 4) rows.set(data.readUInt32LE(at), rows.size);
  const nets = Array.from({ length: NETS }, () => emptyNet(size));
  for (const matrix of nets.flatMap((net) => PARTS.map((part) => net[part]))) {
    const { columns, values } = matrix;
    const whole = at + 4 * matrix.rows;
    for (let row = 0; row < matrix.rows; row++) {
      const scale = data.readFloatLE(at + 4 * row);
      for (let i = row * columns; i < (row + 1) * columns; i++) values[i] = data.readInt8(whole + i) * scale;
    }
    at = whole + values.length;
  }
  return { rows, nets, sharpness: data.readFloatLE(4) };
};

let loaded: Weights | undefined;

/** The weights. The file is read at the first sentence. */
export const weights = (): Weights => (loaded ??= decodeWeights(readFileSync(WEIGHTS_FILE)));
