/** The fields of a document, each named once. Schemas of answers, requests and imports are made of their parts. */
import type { z } from 'zod';

export type Field = {
  /** As it is stored and answered. */
  stored: z.ZodType;
  /** As a request may set it; without this no request can. */
  input?: z.ZodType;
  /** As an import may set it, where that differs from other requests. */
  imported?: z.ZodType;
  /** Imports may contain the field, and the service sets its value itself. */
  anew?: z.ZodType;
  /** Its value where a request says none. */
  initial?: unknown;
};

type Parts<F, P extends keyof Field> = {
  [N in keyof F as F[N] extends Record<P, unknown> ? N : never]: F[N] extends Record<P, infer V> ? V : never;
};

/** One part of those fields that have it. */
export const partsOf = <F extends Record<string, Field>, P extends keyof Field>(fields: F, part: P): Parts<F, P> =>
  Object.fromEntries(
    Object.entries(fields).flatMap(([name, field]) => (part in field ? [[name, field[part]]] : [])),
  ) as Parts<F, P>;
