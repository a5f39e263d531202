/** Who acted, as people read it: the ledger stores the id of the credential, and this finds the label of its key. */
import { sql } from 'kysely';
import type { Db } from '../db/database.ts';
import { eachKey, only } from '../db/rows-by-key.ts';
import type { Actor } from '../domain/record/field-shapes.ts';

/** What acts without a key. */
const LABELS: Record<string, string> = {
  'user:session': 'login',
  'system:executor': 'executor',
  'system:webhooks': 'webhooks',
  'system:sources': 'calendar sources',
  'system:timezone': 'time zone update',
  'system:operator': 'operator',
  'system:upgrade': 'upgrade',
  'system:invitations': 'invitations',
};

const partsOf = (actor: string): { kind: string; id: string } => {
  const at = actor.indexOf(':');
  return at < 0 ? { kind: 'system', id: actor } : { kind: actor.slice(0, at), id: actor.slice(at + 1) };
};

/**
 * Returns a function from an actor as the ledger stores it. A revoked key keeps its label. Uses the ledger's unique key
 * (user_id, subject, subject_uid, version).
 */
export const readActors = async (
  db: Db,
  user_id: string,
  actors: readonly string[],
): Promise<(actor: string) => Actor> => {
  const keys = actors.flatMap((actor) => (LABELS[actor] === undefined ? partsOf(actor).id : []));
  const labels = new Map<string, string | null>();
  if (keys.length) {
    const made = sql`select payload->>'label' as label from ledger
      where user_id = ${user_id} and subject = 'key' and subject_uid = key.uid and ${only('version', 1)}`;
    const { rows } = await sql<{ id: string; label: string | null }>`
      select key.uid as id, l.label from ${eachKey(keys, made, 'l')}`.execute(db);
    for (const { id, label } of rows) labels.set(id, label);
  }
  return (actor) => {
    const { kind, id } = partsOf(actor);
    return { kind, id, label: LABELS[actor] ?? labels.get(id) ?? id };
  };
};
