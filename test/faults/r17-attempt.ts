/** One request of R17, sent as webhooks and calendar sources are; as a process of its own, so that its memory can be measured. */
import { createOutbound, type OutboundRequest } from '../../src/outbound/guarded-fetch.ts';
import { playPublicNetwork, resolvePlayed } from '../support/public-network.ts';
import { CERTIFICATE } from '../support/tls.ts';
import type { Case } from './r17-cases.ts';

export const LIMITS = { timeoutMs: 3_000, beginsMs: 1_000 };
const ASKED: OutboundRequest = {
  ...{ method: 'GET', headers: {}, ...LIMITS },
  ...{ maxBytes: 16 * 1024 * 1024, longer: 'fail' },
};

const shared = { ca: CERTIFICATE, resolve: async (host: string) => resolvePlayed(host) };
const outbounds = {
  open: createOutbound({ ...shared, networks: ['127.0.0.0/8', '::1/128'] }),
  closed: createOutbound({ ...shared, networks: [] }),
};

export type Attempted = { codes: string[]; ms: number; peakMiB: number };

/** Sends a request as often as the case says. @returns how each ended, and how long the longest took */
export const attempt = async ({ url, via, policy, times }: Case): Promise<Attempted> => {
  const outbound = outbounds[policy];
  const codes: string[] = [];
  let slowest = 0;
  const session = via === 'session' && URL.canParse(url) ? outbound.session(url) : null;
  for (let n = 0; n < times; n += 1) {
    const began = performance.now();
    const sent = session ? session.send(ASKED) : outbound.fetch(url, ASKED);
    codes.push(
      await sent.then(
        ({ status }) => String(status),
        (error: unknown) => (error as { code?: string }).code ?? 'unknown',
      ),
    );
    slowest = Math.max(slowest, performance.now() - began);
  }
  session?.close();
  return { codes, ms: slowest, peakMiB: process.resourceUsage().maxRSS / 1024 };
};

if (process.argv[2] === 'child') {
  playPublicNetwork();
  process.on('message', async (one: Case) => process.send?.(await attempt(one)));
}
