/** Words that mark the fields of a person's documents, so that an answer which holds one names the document and the field. */
import { unzipped } from '../zip.ts';

const LETTERS = 'qxzjkvw';
/** A part of a word counts from so many letters on. No two words have such a part in common, and no other text has one. */
const PART = 4;
const LENGTH = 8;

const parts = (text: string): string[] =>
  Array.from({ length: Math.max(0, text.length - PART + 1) }, (_, i) => text.slice(i, i + PART));

/** Letters that repeat after a long time only (Knuth, MMIX), so that every run has the same words. */
const letters = function* (): Generator<string> {
  for (let state = 20_261_127n; ;) {
    state = (state * 6_364_136_223_846_793_005n + 1_442_695_040_888_963_407n) & ((1n << 64n) - 1n);
    yield LETTERS[Number((state >> 33n) % BigInt(LETTERS.length))] as string;
  }
};

export type Finding = { field: string; part: string };

const ENCODED = /[\w-]{24,}/g;
const isWord = (run: string): boolean => !/\d/.test(run) || !/[A-Z]/.test(run);
/** A text with what it holds in base64 (cursors, for example) decoded, in which chance letters could be taken for a part. */
const decoded = (text: string): string =>
  text.replace(ENCODED, (run) => (isWord(run) ? run : ` ${Buffer.from(run, 'base64url').toString('latin1')} `));

/** What a cursor has of its query is a hash, which may have a part by chance. */
const FINGERPRINT = /"q":"[\w-]{12}"/g;

const readable = (text: string): string =>
  decoded(text.replaceAll(/\r\n[ \t]/g, '').replaceAll('**', ''))
    .replaceAll(FINGERPRINT, '')
    .toLowerCase();

/** What a body says, also that of an archive. */
export const textOf = (body: Buffer): string =>
  body.subarray(0, 2).toString('latin1') === 'PK' ? [...unzipped(body).values()].join('\n') : body.toString('utf8');

export const markedWords = () => {
  const source = letters();
  const words = new Map<string, string>();
  const fieldOf = new Map<string, string>();

  const made = (): string => {
    for (;;) {
      const word = Array.from({ length: LENGTH }, () => source.next().value as string).join('');
      const own = parts(word);
      if (new Set(own).size === own.length && own.every((part) => !fieldOf.has(part))) return word;
    }
  };
  const word = (field: string): string => {
    const known = words.get(field);
    if (known !== undefined) return known;
    const fresh = made();
    words.set(field, fresh);
    for (const part of parts(fresh)) fieldOf.set(part, field);
    return fresh;
  };

  const RUN = new RegExp(`[${LETTERS}]{${PART},}`, 'g');
  /** Each field of which a text holds a part of the word, with the longest such part. What was sent does not count. */
  const findIn = (text: string, sent = ''): Finding[] => {
    const found = new Map<string, string>();
    const said = readable(sent);
    for (const [run] of readable(text).matchAll(RUN)) {
      let last: string | undefined;
      for (const part of parts(run)) {
        const field = said.includes(part) ? undefined : fieldOf.get(part);
        if (field === undefined) continue;
        const before = found.get(field) ?? '';
        const joined = last === field && before.endsWith(part.slice(0, -1)) ? before + part.at(-1) : part;
        if (joined.length > before.length) found.set(field, joined);
        last = field;
      }
    }
    return [...found].map(([field, part]) => ({ field, part }));
  };

  return { word, fields: () => [...words.keys()], findIn };
};

export type MarkedWords = ReturnType<typeof markedWords>;
