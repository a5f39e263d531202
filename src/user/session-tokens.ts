/** Makes the tokens of a login, and the seals by which this service knows its own. */
import { createHmac } from 'node:crypto';
import jwt from 'jsonwebtoken';
import type { Clock } from '../common/clock.ts';
import { instantOf } from '../domain/time/time.ts';
import { isSealOf, sealOf as sealWith } from './seal.ts';

export type SessionTokensDeps = { secret: string; clock: Clock };

export const ISSUER = 'almanac';

const TOKEN_MINUTES = 60;

export type Tokens = { token: string; token_type: 'Bearer'; expires_at: string; refresh_token: string };

export type Refresh = { id: string; secret: string };

export const createSessionTokens = ({ secret, clock }: SessionTokensDeps) => {
  const sealed = (user_id: string, id: string, family: string, stored: Buffer): string =>
    `session ${user_id} ${id} ${family} ${stored.toString('hex')}`;

  const sealOf = (user_id: string, id: string, family: string, stored: Buffer): Buffer =>
    sealWith(secret, sealed(user_id, id, family, stored));

  /** A row without a seal is of an earlier release, and counts until its account is recorded (account-baseline.ts). */
  const isSealed = (
    user_id: string,
    id: string,
    { seal, family, hash, salt }: { seal: Buffer | null; family: string; hash: Buffer; salt: Buffer | null },
  ): boolean => (seal === null ? salt === null : isSealOf(secret, sealed(user_id, id, family, hash), seal));

  /**
   * The successor of a refresh token. It follows from the token and the service's secret, so it can be answered again although
   * only its hash is stored.
   */
  const successorOf = (token: string): Refresh => {
    const derived = (use: string): Buffer => createHmac('sha256', secret).update(`${use} ${token}`).digest();
    return { id: derived('id').subarray(0, 12).toString('hex'), secret: derived('secret').toString('base64url') };
  };

  const tokensOf = (user_id: string, epoch: number, family: string, { id, secret: own }: Refresh): Tokens => {
    const iat = Math.floor(clock.millis() / 1000);
    const exp = iat + TOKEN_MINUTES * 60;
    const token = jwt.sign({ sub: user_id, jti: family, epoch, iat, exp, iss: ISSUER, aud: ISSUER }, secret, {
      algorithm: 'HS256',
    });
    return {
      token,
      token_type: 'Bearer',
      expires_at: instantOf(exp * 1000),
      refresh_token: `${user_id}.${id}.${own}`,
    };
  };

  return { sealOf, isSealed, successorOf, tokensOf };
};

export type SessionTokens = ReturnType<typeof createSessionTokens>;
