/** The secret that signs tokens: JWT_SECRET, or a file beside the embedded database, which the first start makes. */
import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createFile } from '../db/create-file.ts';
import { Environment, type Config } from './config.ts';

/** @throws Error with what to do where the file has no usable secret, because then nobody could log in */
export const jwtSecret = ({ JWT_SECRET, DATA_DIR }: Pick<Config, 'JWT_SECRET' | 'DATA_DIR'>): string => {
  if (JWT_SECRET) return JWT_SECRET;
  const file = join(DATA_DIR, 'jwt-secret');
  if (!existsSync(file)) createFile(file, randomBytes(48).toString('base64url'));
  const secret = readFileSync(file, 'utf8');
  if (Environment.shape.JWT_SECRET.safeParse(secret).success) return secret;
  throw new Error(
    `Almanac cannot start, because the secret in ${file} is shorter than 32 characters. Restore the file, or remove it and start again: that makes a new secret, and everybody has to log in again. API keys stay valid.`,
  );
};
