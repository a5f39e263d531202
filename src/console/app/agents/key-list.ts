/** The end of an API key: by its owner, or by its date. */
import type { ApiKey } from '../../../client/almanac-client.ts';
import { go } from '../state/address.ts';
import { proposerId, waiting } from '../state/data.ts';
import { touchAll } from '../state/live.ts';
import { attempt, say } from '../state/messages.ts';
import { client } from '../state/service.ts';
import { counted, cut } from '../ui/words.ts';

/** Its proposals are in view behind it. */
const MOST_OF_LABEL = 40;

export const isOver = ({ revoked_at, expires_at }: ApiKey): boolean =>
  revoked_at !== null || (expires_at !== null && Date.parse(expires_at) <= Date.now());

/** What its agent has proposed still waits, and only the person can decide on it. */
export const revoke = (id: string, label: string): Promise<boolean> =>
  attempt(async () => {
    await client.user.revokeKey({ id });
    touchAll();
    const by = `agent:${id}`;
    const count = (waiting.data.value ?? []).filter((plan) => proposerId(plan) === by).length;
    if (!count) return say(`Revoked: ${label}`);
    const still = `${counted(count, 'proposal')} of it still ${count === 1 ? 'waits' : 'wait'}.`;
    say(`Revoked: ${cut(label, MOST_OF_LABEL)}. ${still}`, undefined, {
      name: 'Show in the queue',
      run: () => go('queue', { by }),
    });
  });

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
