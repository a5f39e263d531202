/**
 * The models of the configured endpoint by purpose. Each is null where none is configured, and a built-in algorithm serves
 * instead.
 */
import type { Logger } from '../observability/log.ts';
import { createEmbeddingModel, type EmbeddingModel } from './embedding-model.ts';
import { createModelPlanner } from './ask-planner.ts';
import type { ModelPlanner } from './model-planner.ts';
import { createModelProse, type ModelProse } from './model-prose.ts';
import { createModelSummaries, type ModelSummaries } from './model-summaries.ts';

export type Models = {
  planner: ModelPlanner | null;
  prose: ModelProse | null;
  summaries: ModelSummaries | null;
  embeddings: EmbeddingModel | null;
};

/** The variables of the environment that concern the endpoint (process/config.ts). */
type ModelConfig = {
  OPENAI_API_KEY?: string | undefined;
  OPENAI_BASE_URL?: string | undefined;
  OPENAI_MODEL: string;
  OPENAI_EMBEDDING_MODEL?: string | undefined;
  OPENAI_TIMEOUT_SECONDS: number;
  OPENAI_REASONING_EFFORT?: string | undefined;
  OPENAI_MAX_COMPLETION_TOKENS?: number | undefined;
};

export const createModels = (config: ModelConfig, log: Logger): Models => {
  const { OPENAI_API_KEY: apiKey, OPENAI_BASE_URL: baseURL, OPENAI_MODEL: model, OPENAI_EMBEDDING_MODEL } = config;
  if (!apiKey && !baseURL) return { planner: null, prose: null, summaries: null, embeddings: null };
  const access = { apiKey, baseURL };
  const timeoutSeconds = config.OPENAI_TIMEOUT_SECONDS;
  const thinking = { reasoningEffort: config.OPENAI_REASONING_EFFORT, maxTokens: config.OPENAI_MAX_COMPLETION_TOKENS };
  const chat = { ...access, ...thinking, model };
  return {
    planner: createModelPlanner({ ...chat, timeoutSeconds, log }),
    prose: createModelProse({ ...chat, timeoutSeconds, log }),
    summaries: createModelSummaries({ ...chat, timeoutSeconds, log }),
    embeddings: OPENAI_EMBEDDING_MODEL ? createEmbeddingModel({ ...access, model: OPENAI_EMBEDDING_MODEL }) : null,
  };
};
