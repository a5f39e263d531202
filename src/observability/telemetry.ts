/**
 * The interface of tracing for operators: requests, statements, the executor's work and calls of models. tracing.ts sends the
 * traces to a collector.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';

/** Attributes of a span. They never describe a person or hold what they wrote. */
export type Attributes = Record<string, string | number | boolean>;

/** A database statement that has just ended. */
export type Statement = { text: string; milliseconds: number; failed: boolean };

export type Telemetry = {
  /** Runs the rest of a request as its span; undefined without a collector. */
  request: ((req: IncomingMessage, res: ServerResponse, next: () => void) => void) | undefined;
  /** Runs work as a span, as a child of the current one. */
  span: <T>(name: string, attributes: Attributes, work: () => Promise<T>) => Promise<T>;
  query: ((statement: Statement) => void) | undefined;
  /** Sends the spans that are not sent yet. */
  stop: () => Promise<void>;
};

export const NO_TELEMETRY: Telemetry = {
  request: undefined,
  span: (_name, _attributes, work) => work(),
  query: undefined,
  stop: async () => undefined,
};
