/** Loads a webhook, and records its versions in the ledger. */
import { notFound } from '../common/problem.ts';
import type { Db } from '../db/database.ts';
import { attest, saltOf } from '../ledger/attested.ts';
import type { Writer } from '../ledger/ledger-writer.ts';
import { versionsOf } from '../ledger/read-ledger.ts';
import { findWebhooks, type Row } from './queries.ts';
import type { Webhook } from './schemas.ts';

/** What the ledger shows of a webhook. Of its URL, which may contain a secret, it has the host only. */
type Recorded = Pick<Webhook, 'id' | 'types' | 'description' | 'scopes' | 'status' | 'created_at'>;

type WebhookDoc = Recorded & { host: string };

/** What is not shown. */
type Secrets = { url: string; secret: string };

export const hostOf = (url: string): string => new URL(url).host;

const docOf = ({
  id,
  url,
  types,
  description,
  scopes,
  status,
  created_at,
}: Recorded & { url: string }): WebhookDoc => ({
  ...{ id, host: hostOf(url), types, description, scopes, status, created_at },
});

/** Of what is not shown the ledger has digests (ledger/attested.ts). */
const attested = (salt: Buffer, { url, secret }: Secrets): { address: string; secret: string } => ({
  address: attest(salt, 'webhook', url),
  secret: attest(salt, 'webhook secret', secret),
});

/** @throws 404 */
export const load = async (from: Db, user_id: string, id: string): Promise<Row> => {
  const [row] = await findWebhooks(from, user_id, { id });
  if (!row) throw notFound('webhook', id);
  return row;
};

/** Records a version. Its number follows the last one in the ledger. @returns the seq of the entry */
export const record = async (
  writer: Writer,
  what: 'created' | 'updated' | 'removed',
  webhook: Recorded & Secrets,
): Promise<number> => {
  const salt = await saltOf(writer.tx, writer.author.user_id);
  const doc = { ...docOf(webhook), ...(salt ? attested(salt, webhook) : {}) };
  const { items } =
    what === 'created'
      ? { items: [] }
      : await versionsOf(writer.tx, writer.author.user_id, 'webhook', doc.id, { limit: 1 });
  const version = (items[0]?.version ?? 0) + 1;
  let at = 0;
  writer.record({
    ...{ kind: `webhook.${what}`, subject: 'webhook', uid: doc.id, version },
    payload: ({ seq }) => {
      at = seq;
      return doc;
    },
  });
  return at;
};
