/** Creates the memory feature: traces, the search over them, their embeddings and summaries. */
import type { MemoryPlanPort } from './plan-port.ts';
import type { Clock } from '../common/clock.ts';
import type { DatabaseHandle } from '../db/database.ts';
import type { VectorSupport } from '../db/vectors.ts';
import type { Ledger } from '../ledger/ledger.ts';
import type { Sensitive } from '../ledger/sensitive-values.ts';
import type { TraceStore } from '../ledger/trace-store.ts';
import type { Models } from '../llm/models.ts';
import type { Logger } from '../observability/log.ts';
import { createProbes } from './embeddings/query-embeddings.ts';
import { createReindex } from './search/reindex.ts';
import { createSearch } from './search/search.ts';
import { createMemoryService } from './service.ts';
import { createEmbeddings } from './embeddings/trace-embeddings.ts';
import { createSummaries } from './trace-summaries.ts';

export type MemoryFeatureDeps = VectorSupport & {
  handle: DatabaseHandle;
  ledger: Ledger;
  clock: Clock;
  log: Logger;
  traces: TraceStore;
  sensitive: Sensitive;
  planHooks: MemoryPlanPort;
  models: Models;
};

export const createMemoryFeature = (deps: MemoryFeatureDeps) => {
  const { handle, ledger, clock, log, traces, sensitive, planHooks, models, vectors, whyNoVectors } = deps;
  const { db, reads } = handle;
  const embeddings = createEmbeddings({ db, log, vectors, model: models.embeddings });
  ledger.onCommit(embeddings.committed);
  const probeFor = createProbes({ ...embeddings, model: models.embeddings });
  return {
    embeddings,
    reindex: createReindex({ db, log }),
    memory: createMemoryService({ db, reads, ledger, clock, traces, sensitive, planHooks }),
    search: createSearch({ db, reads, clock, sensitive, vectors, whyNoVectors, probeFor }),
    summaries: createSummaries({ db, sensitive, model: models.summaries }).summaries,
  };
};
