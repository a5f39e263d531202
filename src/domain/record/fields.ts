/** Describes the fields of a document, each once. The schemas of answers, requests and imports are built from its parts. */
import type { z } from 'zod';

export type Field = {
  /** The schema of the stored and answered value. */
  stored: z.ZodType;
  /** The schema of a request. Without it no request can set the field. */
  input?: z.ZodType;
  /** The schema of an import, where it differs from that of other requests. */
  imported?: z.ZodType;
  /** Imports may contain the field, and the service sets its value itself. */
  anew?: z.ZodType;
  /** The value where a request does not set the field. */
  initial?: unknown;
};

type Parts<F, P extends keyof Field> = {
  [N in keyof F as F[N] extends Record<P, unknown> ? N : never]: F[N] extends Record<P, infer V> ? V : never;
};

/** Takes one part of all fields that have it. */
export const partsOf = <F extends Record<string, Field>, P extends keyof Field>(fields: F, part: P): Parts<F, P> =>
  Object.fromEntries(
    Object.entries(fields).flatMap(([name, field]) => (part in field ? [[name, field[part]]] : [])),
  ) as Parts<F, P>;
