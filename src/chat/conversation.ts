/** What a prompt continues: the last reply to the same credential, or the reply that the prompt names. */
import { sql, type RawBuilder } from 'kysely';
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

/** As many turns as the model is given. */
const TURNS = 3;

/** A reply, and the prompt that it answers; null where that is removed. */
type Turn = { reply: TraceDoc; prompt: TraceDoc | null };

const firstOf = (user_id: string, uid: RawBuilder<unknown>, condition = sql``): RawBuilder<unknown> => sql`
  select payload as doc, seq from ledger
  where user_id = ${user_id} and subject = 'trace' and subject_uid = ${uid} ${condition} and ${only('version', 1)}`;

/**
 * The last replies of an hour to this credential as they were given, newest first, with their prompts. Uses the index traces_origin.
 * @param last the last one of them, where one is named
 */
const lastTurns = async (db: Db, { user_id, actor }: Caller, now: Instant, last: TraceDoc | null): Promise<Turn[]> => {
  const since = addMinutes(last?.timestamp ?? now, -CONVERSATION_MINUTES);
  const { rows } = await sql<Turn>`
    select r.doc as reply, (select p.doc from ${oneByOne(firstOf(user_id, sql`r.asked`), 'p')}
      where exists (select 1 from traces where user_id = ${user_id} and uid = r.asked)) as prompt
    from (select f.doc, f.seq, f.doc -> 'linked_trace_ids' ->> 0 as asked from (
      select uid from traces
      where user_id = ${user_id} and origin = 'system' and "timestamp" >= ${since} ${last ? sql`and "timestamp" <= ${last.timestamp}` : sql``}
        and type = 'observation' and tags @> array['chat']
      order by "timestamp" desc, uid desc limit ${sql.lit(REPLIES_WALKED)}) t
    cross join ${oneByOne(firstOf(user_id, sql`t.uid`, sql`and actor = ${actor}`), 'f')}
    order by f.seq desc limit ${sql.lit(TURNS)}) r
    order by r.seq desc`.execute(db);
  return rows.filter(({ reply }) => millis(reply.timestamp) >= millis(since));
};

/** The turns as the model is given them, oldest first. */
const shownOf = (turns: readonly Turn[]): Before['turns'] =>
  turns.toReversed().flatMap(({ prompt, reply }) => (prompt ? { prompt: prompt.content, reply: reply.content } : []));

/** The prompt of a reply as it was sent. */
const promptOf = async (db: Db, user_id: string, uid: string): Promise<TraceDoc | undefined> =>
  (await firstVersion(db, user_id, uid))?.doc;

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
  const named = in_reply_to === undefined ? null : await namedReply(db, caller, in_reply_to);
  const turns = await lastTurns(db, caller, now, named);
  const reply = named ?? turns[0]?.reply;
  const [asked, ...linked] = reply?.linked_trace_ids ?? [];
  if (!reply || asked === undefined) return null;
  const turn = turns.find(({ reply: { uid } }) => uid === reply.uid);
  const prompt = turn?.prompt ?? (await promptOf(db, caller.user_id, asked));
  if (!prompt) return null;
  // A reply also links to the traces that it quotes.
  const found = new Set((await findTraces(db, caller.user_id, linked)).filter(isPlan).map(({ uid }) => uid));
  const plans = linked.filter((uid) => found.has(uid));
  const offered = (reply.metadata['choices'] ?? []) as Offered;
  const choices = offered.map(({ label, commands }): Choice => ({ label, intents: commands }));
  const talk = reply.metadata['talk'] as TalkItem[] | undefined;
  return {
    ...{ prompt: prompt.content, proposed: plans.length > 0, choices, plan_uids: plans, ...(talk && { talk }) },
    turns: shownOf(turns),
  };
};
