/** Reads a zip the way its format says (APPNOTE 6.3, §4.3): by the central directory at its end. */
import { crc32, inflateRawSync } from 'node:zlib';

/** Texts by name. @throws where a file is not what the directory says */
export const unzipped = (zip: Buffer): Map<string, string> => {
  const end = zip.lastIndexOf(Buffer.from('PK\x05\x06'));
  const files = new Map<string, string>();
  let at = zip.readUInt32LE(end + 16);
  for (let left = zip.readUInt16LE(end + 10); left > 0; left--) {
    const [nameLength, extraLength, commentLength] = [28, 30, 32].map((offset) => zip.readUInt16LE(at + offset)) as [
      number,
      number,
      number,
    ];
    const name = zip.toString('utf8', at + 46, at + 46 + nameLength);
    const local = zip.readUInt32LE(at + 42);
    const from = local + 30 + zip.readUInt16LE(local + 26) + zip.readUInt16LE(local + 28);
    const bytes = inflateRawSync(zip.subarray(from, from + zip.readUInt32LE(at + 20)));
    if (bytes.length !== zip.readUInt32LE(at + 24) || crc32(bytes) !== zip.readUInt32LE(at + 16))
      throw new Error(`${name} is damaged`);
    files.set(name, bytes.toString('utf8'));
    at += 46 + nameLength + extraLength + commentLength;
  }
  return files;
};
