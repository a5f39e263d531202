/** Schemas of the list of ledger entries. */
import { z } from 'zod';
import { Actor, RecordedAt, Uid } from '../domain/record/field-shapes.ts';
import { PageQuery } from '../http/cursors.ts';
import { AsOf, UserId } from '../http/shapes.ts';

export const LedgerQuery = z.strictObject({
  user_id: UserId,
  subject: z
    .enum(['trace', 'event', 'profile', 'key', 'checkpoint', 'webhook', 'source', 'invitation'])
    .optional()
    .describe('Entries about things of this kind; plans are traces.'),
  uid: Uid.optional().describe('Entries about this thing: all its versions.'),
  actor: z.string().max(100).optional().describe('Entries of this `actor`, such as agent:k3f9zq27m1xw8t5b.'),
  as_of: AsOf,
  ...PageQuery,
});
export type LedgerQuery = z.infer<typeof LedgerQuery>;

const Sha256 = z.string().describe('A SHA-256 as 64 lower-case hex digits.');

export const LedgerEntry = z
  .object({
    user_id: z.string(),
    seq: z.int(),
    kind: z.string().describe('What happened, such as trace.created, plan.approved or key.revoked.'),
    subject: LedgerQuery.shape.subject.unwrap(),
    version: z.int().describe('The version of the thing, from 1 on.'),
    actor: z.string().describe('The actor as it was hashed.'),
    by: Actor,
    recorded_at: RecordedAt,
    subject_digest: Sha256.describe('The SHA-256 of subject_uid.'),
    payload_hash: Sha256.optional().describe(
      'The SHA-256 of the document’s RFC 8785 text. Both hashes are missing without export:sensitive where a sensitive field was ever set, because they would say which guess of a hidden value is right.',
    ),
    hash: Sha256.describe(
      'The SHA-256 of the previous hash (32 bytes, zeros before the first entry) and of the RFC 8785 text of the entry’s actor, kind, payload_hash, recorded_at, seq, subject, subject_digest, user_id and version.',
    ).optional(),
    subject_uid: z
      .string()
      .optional()
      .describe('The uid of the thing; it is missing where the credential may not read it.'),
    payload: z
      .record(z.string(), z.unknown())
      .nullable()
      .optional()
      .describe(
        'The whole document at this version. Without export:sensitive it is blanked as in exports, and may then differ from what was hashed.',
      ),
  })
  .meta({ id: 'LedgerEntry', description: 'An entry of the ledger, with everything that its hash is made from.' });
export type LedgerEntry = z.infer<typeof LedgerEntry>;
