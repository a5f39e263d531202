/**
 * Embeds traces in the background, with one reader of the ledgers for each embedder. No write waits for them. The progress of a
 * reader is in the database, so a crashed instance loses nothing, and instances share the users.
 */
import type { Db } from '../../db/database.ts';
import { embed, EMBEDDER, toVectorLiteral } from '../../domain/text/word-embedder.ts';
import type { EmbeddingModel } from '../../llm/embedding-model.ts';
import type { Logger } from '../../observability/log.ts';
import { SWEEP_MS, createEmbeddingLoop, type Reader } from './loop.ts';
import { entriesBehind, fillBuiltin, progressOf, readAhead, storeVectors, type Ahead, type Claim } from './progress.ts';

export type EmbeddingsDeps = {
  db: Db;
  log: Logger;
  /** Whether pgvector is installed. */
  vectors: boolean;
  /** The model that embeds every ledger. null: only the built-in embedder is used, which embeds with each write. */
  model: EmbeddingModel | null;
};

/** A request has this many texts. Its answer, about 20 KB for each, is parsed in a few milliseconds. */
const TEXTS = 32;
/** The built-in embedder embeds this many texts under a user's lock, about 5 ms. */
const BUILTIN_TEXTS = 32;

/** The key of a model's vectors. Vectors of different length are never compared, so each length has its own key. */
export const modelKey = (model: string, dimensions: number): string => `${model}/${dimensions}`;

export const createEmbeddings = ({ db, log, vectors, model }: EmbeddingsDeps) => {
  let skipped = 0;
  let isFilling = false;
  let key: string | undefined;

  /** Embeds texts of several users in one request. Each user has their own progress. @returns the users with more entries */
  const byModel = (model: EmbeddingModel): Reader => {
    const vectorsFor = async (ahead: Ahead[], signal: AbortSignal): Promise<void> => {
      const versions = ahead.flatMap((one) => one.versions.map((version) => ({ version, user_id: one.user_id })));
      for (let i = 0; i < versions.length; i += TEXTS) {
        const some = versions.slice(i, i + TEXTS);
        const found = await model.embed(
          some.map(({ version }) => version.content),
          signal,
        );
        for (const [at, { version, user_id }] of some.entries()) {
          const vector = found[at];
          if (vector) version.vector = toVectorLiteral(vector);
          else {
            skipped += 1;
            log.warn({ user_id, uid: version.uid, seq: version.seq }, 'the embedding model refuses this text');
          }
        }
      }
    };
    return {
      key: async (signal) => (key = modelKey(model.model, await model.dimensions(signal))),
      read: async (claims, under, signal) => {
        const ahead = await readAhead(db, claims, Math.ceil(TEXTS / claims.length));
        await vectorsFor(ahead, signal);
        for (const one of ahead) await storeVectors(db, under, one);
        return ahead.filter((one) => one.more).map((one) => one.user_id);
      },
    };
  };

  const builtin: Reader = {
    key: async () => EMBEDDER,
    read: async (claims: Claim[]) => {
      const more: string[] = [];
      for (const one of claims)
        if (await fillBuiltin(db, one, BUILTIN_TEXTS, (text) => toVectorLiteral(embed(text)))) more.push(one.user_id);
      return more;
    },
  };

  const reading = vectors && model ? createEmbeddingLoop({ db, log, reader: byModel(model), everyMs: SWEEP_MS }) : null;
  // Traces that were written before pgvector was installed, or by a release with another built-in embedder, are embedded from
  // the start on. Later writes embed their own.
  const filling = vectors ? createEmbeddingLoop({ db, log, reader: builtin, everyMs: null }) : null;

  return {
    /** The ledger calls this after each commit (ledger.onCommit). */
    committed: (user_id: string): void => reading?.follow(user_id),

    /** The seq up to which the model has read a user's ledger, under the key of its vectors. */
    progress: (user_id: string, under: string): Promise<number> => progressOf(db, user_id, under),

    /** The number of entries of a user up to `at` whose vectors of the built-in embedder may be missing; 0 once all are there. */
    unfilled: async (user_id: string, at: number): Promise<number> =>
      !isFilling || !filling || filling.isDone() ? 0 : Math.max(0, at - (await progressOf(db, user_id, EMBEDDER))),

    /** The number of entries of all users that the embedders have not read. */
    behind: async (): Promise<number> => {
      const byModel =
        vectors && model ? await entriesBehind(db, key === undefined ? { name: model.model } : { key }) : 0;
      return byModel + (!isFilling || !filling || filling.isDone() ? 0 : await entriesBehind(db, { key: EMBEDDER }));
    },

    /** The number of texts that the model refused since the start of this process. */
    skipped: (): number => skipped,

    start: (): void => {
      isFilling = true;
      filling?.start();
      reading?.start();
    },
    /** Embeds everything that is pending; tests wait for it. @throws what made the embedder stop */
    settle: async (): Promise<void> => {
      await filling?.settle();
      await reading?.settle();
    },
    stop: async (): Promise<void> => {
      await Promise.all([filling?.stop(), reading?.stop()]);
    },
  };
};
