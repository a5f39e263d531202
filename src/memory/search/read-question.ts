/** Reads what a search asks for: the question to the database, with its times and its vector. */
import type { Clock } from '../../common/clock.ts';
import type { Db } from '../../db/database.ts';
import type { VectorSupport } from '../../db/vectors.ts';
import type { Caller } from '../../domain/access/caller.ts';
import { tagLexeme } from '../../domain/text/lexemes.ts';
import { answerAsked } from '../../domain/text/speech.ts';
import { readTime, type Instant } from '../../domain/time/time.ts';
import { headOf, recordedAt, resolveAsOf } from '../../ledger/read-ledger.ts';
import type { Sensitive } from '../../ledger/sensitive-values.ts';
import { loadProfile } from '../../user/profile.ts';
import { askedOf, parse, type Parsed } from './parse.ts';
import type { Hiding, Question } from './question.ts';
import type { SearchBody } from '../schemas.ts';
import type { Pinned, Probes, Probing } from '../embeddings/query-embeddings.ts';

export type ReadQuestionDeps = {
  vectors: VectorSupport['vectors'];
  probeFor: Probes;
  reads: Db;
  clock: Clock;
  sensitive: Sensitive;
};

/** Where the next page continues: the seq, the number of results so far, and the embedder of the first page. */
export type SearchPosition = { at: number; offset: number; semantic?: Pinned | undefined };

/** By what a hybrid search compares meanings. */
const comparedBy = (probe: Question['probe']): Question['compared'] =>
  probe && (probe.model === undefined ? 'words' : 'model');

export const createReadQuestion = ({ vectors, probeFor, reads, clock, sensitive }: ReadQuestionDeps) => {
  const probingFor = async (
    { mode, query }: SearchBody,
    user_id: string,
    at: number,
    pinned: Pinned | undefined,
  ): Promise<Probing> =>
    vectors && (mode === 'hybrid' || mode === 'semantic') ? probeFor(user_id, at, query, pinned) : { probe: undefined };

  /** The entry that a search is true for: the one asked for, or the newest. */
  const entryOf = async (user_id: string, seq: number | undefined): Promise<{ seq: number; recorded_at: Instant }> =>
    seq === undefined ? headOf(reads, user_id) : { seq, recorded_at: await recordedAt(reads, user_id, seq) };

  /** Reads what is asked: the question to the database, and what stands for vectors that are not there yet. */
  const read = async (
    caller: Caller,
    body: SearchBody,
    position: SearchPosition | undefined,
    without: string | undefined,
  ): Promise<{ question: Question; parsed: Parsed; probing: Probing; view: Hiding }> => {
    const { user_id, zone } = caller;
    const [known, { profile }] = await Promise.all([
      entryOf(user_id, position?.at ?? (await resolveAsOf(reads, { user_id, zone, now: clock.now() }, body.as_of))),
      loadProfile(reads, user_id),
    ]);
    const { seq: at, recorded_at } = known;
    // After the newest entry is known, so that no value of what is shown is newer than the view.
    const [probing, view] = await Promise.all([
      probingFor(body, user_id, at, position?.semantic),
      sensitive.viewWithWords(caller, at),
    ]);
    // Traces whose vectors are not there yet are found by their words.
    const isLacking = body.mode === 'semantic' && probing.probe?.model === undefined && probing.waiting !== undefined;
    const mode = isLacking ? 'hybrid' : body.mode;
    const parsed = parse({ ...body, mode }, zone, recorded_at);
    const { probe } = probing;
    const time = (text: string | undefined, edge: 'start' | 'end') =>
      text === undefined ? undefined : (readTime(text, zone, edge) as Instant);
    const { task_id, tempo_tag, type, kind, origin, recorded_by } = body;
    const question: Question = {
      user_id,
      at,
      recorded_at,
      filter: {
        ...{ task_id, tempo_tag, type, kind, origin, recorded_by },
        start: time(body.start_time, 'start'),
        end: time(body.end_time, 'end'),
      },
      tags: view.show(body.tags).map(tagLexeme),
      without: without === undefined ? undefined : tagLexeme(without),
      asked: askedOf(parsed),
      answer: answerAsked(body.query),
      probe,
      compared: mode === 'hybrid' ? comparedBy(probe) : undefined,
      hiding: view.hides ? view : undefined,
      halfLifeDays: profile.settings.memory.recency_half_life_days,
      limit: body.limit + 1,
      offset: position?.offset ?? 0,
    };
    return { question, parsed, probing, view };
  };

  return { read };
};
