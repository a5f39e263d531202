/** The end of an API key: by its owner, or by its date. */
import type { ApiKey } from '../../../client/almanac-client.ts';
import { save } from '../state/save.ts';
import { client } from '../state/service.ts';

export const isOver = ({ revoked_at, expires_at }: ApiKey): boolean =>
  revoked_at !== null || (expires_at !== null && Date.parse(expires_at) <= Date.now());

export const revoke = (id: string, label: string): Promise<boolean> =>
  save(() => client.user.revokeKey({ id }), `Revoked: ${label}`);

/** Choices for the end of a key, in days. */
export const LIFETIMES: readonly [days: string, name: string][] = [
  ['', 'Never'],
  ['7', 'In 7 days'],
  ['30', 'In 30 days'],
  ['90', 'In 90 days'],
  ['365', 'In a year'],
];
export const endOf = (days: string): { expires_at?: string } =>
  days ? { expires_at: new Date(Date.now() + Number(days) * 86_400_000).toISOString() } : {};
