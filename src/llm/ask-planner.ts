/**
 * Plans with the configured model: one deadline, one second attempt, and a checked answer or an Error that says why there is
 * none.
 */
import type { Logger } from '../observability/log.ts';
import { readAnswer } from './model-answer.ts';
import { wireSchema } from './model-shape.ts';
import { createModelClient, type Deadline, type ModelAccess } from './chat-completion.ts';
import { failure } from './endpoint.ts';
import type { ModelAnswer, ModelPlanner, PlanningFacts } from './model-planner.ts';
import { correctionMessages, openingMessages } from './prompt.ts';

type ModelPlannerOptions = ModelAccess & {
  /** The time for one plan, retries included. */
  timeoutSeconds: number;
  log: Logger;
};

const ATTEMPTS = 2;

/**
 * @throws Error where baseURL carries a user name or password, because fetch refuses such addresses and error messages may quote
 * them
 */
export const createModelPlanner = ({ timeoutSeconds, log, ...access }: ModelPlannerOptions): ModelPlanner => {
  const { model } = access;
  const client = createModelClient({ ...access, log }, { name: 'almanac_plan', schema: wireSchema() });

  /** Asks the model, and once more with the faults where its answer can't be used. */
  const consult = async (prompt: string, facts: PlanningFacts, deadline: Deadline): Promise<ModelAnswer> => {
    const { messages, given } = openingMessages(prompt, facts);
    for (let attempt = 1; ; attempt += 1) {
      const text = await client.ask(messages, deadline);
      const read = readAnswer(text, given);
      if ('answer' in read) return read.answer;
      log.debug({ model, attempt, faults: read.faults.length }, 'the model’s answer can’t be used');
      if (attempt === ATTEMPTS) throw failure(read.why);
      messages.push(...correctionMessages(text, read.faults));
    }
  };

  const plan = async (prompt: string, facts: PlanningFacts, signal?: AbortSignal): Promise<ModelAnswer> => {
    const began = performance.now();
    const timeout = AbortSignal.timeout(Math.ceil(timeoutSeconds * 1000));
    const deadline = {
      signal: signal ? AbortSignal.any([signal, timeout]) : timeout,
      end: began + timeoutSeconds * 1000,
    };
    try {
      return await consult(prompt, facts, deadline);
    } catch (error) {
      const aborted = signal?.aborted
        ? 'was cancelled, because the client closed the connection'
        : timeout.aborted
          ? `timed out after ${timeoutSeconds} s`
          : null;
      const why = aborted ?? (error as Error).message;
      log.warn({ model, why, milliseconds: Math.round(performance.now() - began) }, 'the model gave no usable answer');
      throw aborted ? failure(aborted) : error;
    }
  };

  return { model, plan };
};
