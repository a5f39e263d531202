/**
 * Traces for operators: requests, statements, the executor's work and calls of models. What the rest of the code sees of it is
 * this; tracing.ts sends them to a collector.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';

/** Facts of a span: never of a person, never anything they wrote. */
export type Attributes = Record<string, string | number | boolean>;

/** A statement of the database that has just ended. */
export type Statement = { text: string; milliseconds: number; failed: boolean };

export type Telemetry = {
  /** Runs what follows of a request as its span; undefined where there is none. */
  request: ((req: IncomingMessage, res: ServerResponse, next: () => void) => void) | undefined;
  /** Runs work as a span of its own, within the one under way. */
  span: <T>(name: string, attributes: Attributes, work: () => Promise<T>) => Promise<T>;
  query: ((statement: Statement) => void) | undefined;
  /** Sends what is left. */
  stop: () => Promise<void>;
};

export const NO_TELEMETRY: Telemetry = {
  request: undefined,
  span: (_name, _attributes, work) => work(),
  query: undefined,
  stop: async () => undefined,
};
