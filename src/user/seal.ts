/** Seals rows that open something: a row that somebody else inserts into the database, or changes there, has no valid seal. */
import { createHmac, timingSafeEqual } from 'node:crypto';

/** @param secret JWT_SECRET, which only the service has. @param what names the kind of row, and all that the row decides */
export const sealOf = (secret: string, what: string): Buffer => createHmac('sha256', secret).update(what).digest();

export const isSealOf = (secret: string, what: string, seal: Buffer): boolean => {
  const own = sealOf(secret, what);
  return seal.length === own.length && timingSafeEqual(seal, own);
};
