/** What a prompt continues: the last reply to the same credential, or the reply that the prompt names. */
import { sql } from 'kysely';
import { CONVERSATION_MINUTES, type Before, type Planned } from '../agent/prompt/planner.ts';
import { notFound } from '../common/problem.ts';
import type { Db } from '../db/database.ts';
import { oneByOne, only } from '../db/rows-by-key.ts';
import type { Caller } from '../domain/access/caller.ts';
import type { Choice, TalkItem } from '../domain/planner/intents/types.ts';
import { isPlan, type TraceDoc } from '../domain/record/trace.ts';
import { addMinutes, millis, type Instant } from '../domain/time/time.ts';
import { findTraces, firstVersion } from '../ledger/trace-store.ts';

/** The last reply is looked for among this many of all credentials. */
const REPLIES_WALKED = 200;

/** The choices are part of the trace of the reply, whose metadata have at most 16 KiB. */
const CHOICES_CHARACTERS = 8_000;

type Offered = Planned['choices'];

/** The choices that are offered: those that can be stored with the reply. */
export const offerable = (choices: Offered): Offered =>
  JSON.stringify(choices).length <= CHOICES_CHARACTERS ? choices : [];

/** The last reply to this credential, as it was given. Uses the index traces_origin. */
const lastReply = async (db: Db, { user_id, actor }: Caller, since: Instant): Promise<TraceDoc | null> => {
  const first = sql`
    select payload as doc, seq from ledger
    where user_id = ${user_id} and subject = 'trace' and subject_uid = t.uid and actor = ${actor}
      and ${only('version', 1)}`;
  const { rows } = await sql<{ doc: TraceDoc }>`
    select f.doc from (
      select uid from traces
      where user_id = ${user_id} and origin = 'system' and "timestamp" >= ${since} and type = 'observation' and tags @> array['chat']
      order by "timestamp" desc, uid desc limit ${sql.lit(REPLIES_WALKED)}) t
    cross join ${oneByOne(first, 'f')}
    order by f.seq desc limit 1`.execute(db);
  const reply = rows[0]?.doc;
  return reply && millis(reply.timestamp) >= millis(since) ? reply : null;
};

/** A reply that this credential was given. @throws 404 */
const namedReply = async (db: Db, { user_id, actor }: Caller, uid: string): Promise<TraceDoc> => {
  const first = await firstVersion(db, user_id, uid);
  if (first?.actor !== actor || first.doc.origin !== 'system' || first.doc.metadata['role'] !== 'reply')
    throw notFound('reply', uid);
  return first.doc;
};

/**
 * The prompt that was answered before, whether proposals followed from it, and what was offered; null where chat is not recorded.
 * It reads the first versions of both traces, because an agent may edit the later ones.
 */
export const beforeOf = async (
  db: Db,
  caller: Caller,
  now: Instant,
  in_reply_to: string | undefined,
): Promise<Before | null> => {
  const reply =
    in_reply_to === undefined
      ? await lastReply(db, caller, addMinutes(now, -CONVERSATION_MINUTES))
      : await namedReply(db, caller, in_reply_to);
  const [asked, ...linked] = reply?.linked_trace_ids ?? [];
  if (!reply || asked === undefined) return null;
  const prompt = await firstVersion(db, caller.user_id, asked);
  if (!prompt) return null;
  // A reply also links to the traces that it quotes.
  const found = new Set((await findTraces(db, caller.user_id, linked)).filter(isPlan).map(({ uid }) => uid));
  const plans = linked.filter((uid) => found.has(uid));
  const offered = (reply.metadata['choices'] ?? []) as Offered;
  const choices = offered.map(({ label, commands }): Choice => ({ label, intents: commands }));
  const talk = reply.metadata['talk'] as TalkItem[] | undefined;
  return { prompt: prompt.doc.content, proposed: plans.length > 0, choices, plan_uids: plans, ...(talk && { talk }) };
};
