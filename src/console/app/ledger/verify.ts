/** Verifies the ledger in the browser: every hash is computed again with WebCrypto, from the newest entry to the first, page by page. */
import canonicalize from 'canonicalize';
import type { LedgerEntry as AnyEntry } from '../../../client/almanac-client.ts';

/** An entry with its hashes, which a person’s login is always shown. */
type LedgerEntry = AnyEntry & { hash: string; payload_hash: string };

const hasHashes = (entry: AnyEntry): entry is LedgerEntry =>
  entry.hash !== undefined && entry.payload_hash !== undefined;

const GENESIS = '0'.repeat(64);
const text = new TextEncoder();

const hexOf = (bytes: ArrayBuffer): string =>
  Array.from(new Uint8Array(bytes), (byte) => byte.toString(16).padStart(2, '0')).join('');

const bytesOf = (hex: string): Uint8Array =>
  Uint8Array.from({ length: hex.length / 2 }, (_, n) => Number.parseInt(hex.slice(2 * n, 2 * n + 2), 16));

const sha256 = async (...parts: Uint8Array[]): Promise<string> => {
  const all = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const part of parts) {
    all.set(part, at);
    at += part.length;
  }
  return hexOf(await crypto.subtle.digest('SHA-256', all));
};

/** RFC 8785. */
const canonical = (value: unknown): Uint8Array => text.encode(canonicalize(value));

const hashOf = (entry: LedgerEntry, previous: string): Promise<string> => {
  const { actor, kind, payload_hash, recorded_at, seq, subject, subject_digest, user_id, version } = entry;
  const hashed = { actor, kind, payload_hash, recorded_at, seq, subject, subject_digest, user_id, version };
  return sha256(bytesOf(previous), canonical(hashed));
};

export type Verdict = { checked: number; head: string; unread: number; bad?: { seq: number; why: string } };

/** What is wrong with an entry by itself; documents that this login may not read are counted and not compared. */
const documentFault = async (entry: LedgerEntry): Promise<string | undefined> => {
  if (entry.subject_uid === undefined || entry.payload === undefined) return 'unread';
  if ((await sha256(text.encode(entry.subject_uid))) !== entry.subject_digest) return 'it is about another thing';
  if (entry.payload === null) return 'unread';
  return (await sha256(canonical(entry.payload))) === entry.payload_hash ? undefined : 'its document was changed';
};

/**
 * @param entries newest first, without a gap
 * @param onProgress called with the number of verified entries
 */
export const verify = async (
  entries: AsyncIterable<AnyEntry>,
  onProgress: (checked: number, first: number) => void,
): Promise<Verdict> => {
  const verdict: Verdict = { checked: 0, head: GENESIS, unread: 0 };
  let first = 0;
  /** The entry after, whose hash needs that of this one. */
  let later: LedgerEntry | undefined;
  const linkFault = async (previous: string): Promise<boolean> =>
    later !== undefined && (await hashOf(later, previous)) !== later.hash;
  for await (const entry of entries) {
    if (!hasHashes(entry)) return { ...verdict, bad: { seq: entry.seq, why: 'this login is not shown its hash' } };
    if (later && entry.seq !== later.seq - 1) return { ...verdict, bad: { seq: later.seq - 1, why: 'it is missing' } };
    if (await linkFault(entry.hash)) return { ...verdict, bad: { seq: later?.seq ?? 0, why: 'its hash is wrong' } };
    const fault = await documentFault(entry);
    if (fault === 'unread') verdict.unread += 1;
    else if (fault !== undefined) return { ...verdict, bad: { seq: entry.seq, why: fault } };
    if (!later) {
      verdict.head = entry.hash;
      first = entry.seq;
    }
    later = entry;
    verdict.checked += 1;
    if (verdict.checked % 50 === 0) onProgress(verdict.checked, first);
  }
  if (later && later.seq !== 1) return { ...verdict, bad: { seq: later.seq - 1, why: 'it is missing' } };
  if (await linkFault(GENESIS)) return { ...verdict, bad: { seq: 1, why: 'its hash is wrong' } };
  return verdict;
};
