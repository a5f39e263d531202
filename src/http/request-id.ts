/** What a request is called in logs and problems. */
import { randomUUID } from 'node:crypto';

const HARMLESS_ID = /^[\w.:-]{1,128}$/;

/** The id a client gave its request, where it can be written anywhere safely, else a new one. */
export const requestIdOf = (given: string | undefined): string =>
  given && HARMLESS_ID.test(given) ? given : randomUUID();
