/** The other user of R15, in a process of its own: what floods the service may not slow down the clock that measures it. */
import { setTimeout as sleep } from 'node:timers/promises';
import { call, get, post, type Sent } from './api.ts';
import { millisIn } from '../support/today.ts';

export type Work = { url: string; key: string };
export type Answered = {
  what: string;
  /** 0 where there was none. */
  status: number;
  ms: number;
  /** When it was asked and answered, in milliseconds of the epoch. */
  since: number;
  at: number;
  /** In how many slices the service worked meanwhile (r15-probe.js). */
  slices: number;
  /** The longest that the service worked without a pause, in milliseconds of processor time. */
  longest: number;
};

/** Between two requests, as people and their agents have pauses. */
const PAUSE_MS = 10;

const note = (n: number): string => `Ana asked for the figures of October again, for the ${n}th time`;

/** What a person and their agent do all day. */
const REQUESTS: { what: string; sent: (n: number) => Sent }[] = [
  { what: 'profile', sent: () => get('/user/profile') },
  { what: 'pull', sent: () => get('/memory/pull?limit=20') },
  { what: 'push', sent: (n) => post('/memory/push', { traces: [{ type: 'observation', content: note(n) }] }) },
  { what: 'events', sent: () => get('/calendar/events?start=2026-11-23&end=2026-11-29') },
  { what: 'search', sent: () => post('/memory/search', { query: 'figures october' }) },
  { what: 'queue', sent: () => get('/agent/queue?limit=20') },
  {
    what: 'prompt',
    sent: () => post('/chat/plan-preview', { prompt: 'Write to Ana tomorrow at 10 for half an hour' }),
  },
];

/** Asks for one thing after the other until it is told to stop, and says how each was answered. */
const work = async ({ url, key }: Work, stopped: AbortSignal): Promise<Answered[]> => {
  const answered: Answered[] = [];
  for (let n = 0; !stopped.aborted; n++) {
    const { what, sent } = REQUESTS[n % REQUESTS.length] as (typeof REQUESTS)[number];
    const [began, since] = [performance.now(), millisIn(0)];
    const answer = await call(url, key, { ...sent(n), headers: { 'X-Counted': '1' } }).catch(() => null);
    // What the service did not count is late (r15-measures.ts).
    const [slices = Infinity, longest = Infinity] = answer?.headers.get('X-Counted')?.split(' ').map(Number) ?? [];
    const times = { ms: performance.now() - began, since, at: millisIn(0) };
    answered.push({ what, status: answer?.status ?? 0, ...times, slices, longest });
    await sleep(PAUSE_MS);
  }
  return answered;
};

let stop = new AbortController();
process.on('message', (message: Work | 'stop') => {
  if (message === 'stop') return stop.abort();
  stop = new AbortController();
  return void work(message, stop.signal).then((answered) => process.send?.(answered));
});
