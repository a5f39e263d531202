/** The other user of R15, in a process of its own: what floods the service may not slow down the clock that measures it. */
import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { call, get, post, type Sent } from './api.ts';
import { millisIn } from '../support/today.ts';

/**
 * With a pid, an answer is measured by the work of that process: its processor time at the pace of a machine on which the limit was
 * measured. It depends less on the load and the speed of this one.
 */
export type Work = { url: string; key: string; pid?: number };
/** One answer: what was asked, when (milliseconds of the epoch), and the time until the answer or the work done until then. */
export type Answered = { what: string; ms: number; status: number; since: number; at: number };

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

/** The processor time of the main thread so far, in milliseconds (proc(5), schedstat). */
const workOf = (pid: number): number =>
  Number(readFileSync(`/proc/${pid}/task/${pid}/schedstat`, 'utf8').split(' ')[0]) / 1e6;

/** What the yardstick takes beside a flood on two cores of an AMD EPYC, in milliseconds. There the limit is as it is written. */
const USUAL_MS = 1.1;
const LAST = 9;
const DOCUMENT = JSON.stringify(
  Array.from({ length: 300 }, (_, n) => ({ uid: `trace-${n}`, content: note(n), tags: [n, n + 1] })),
);

/** A fixed piece of work of about a millisecond: it reads, counts, sorts and writes text, as the service does. */
const yardstick = (): number => {
  const began = performance.now();
  const counts = new Map<string, number>();
  const read = JSON.parse(DOCUMENT) as { content: string }[];
  for (const { content } of read) for (const word of content.split(' ')) counts.set(word, (counts.get(word) ?? 0) + 1);
  const sorted = [...counts].sort(([a], [b]) => (a < b ? -1 : 1));
  if (JSON.stringify(read) !== DOCUMENT || sorted.length < 300) throw new Error('The yardstick is wrong.');
  return performance.now() - began;
};

/** How many times as long as usual this machine takes now. A faster one is judged as the usual one. */
const pace = (measured: readonly number[]): number =>
  Math.max(1, (measured.toSorted((a, b) => a - b)[measured.length >> 1] ?? USUAL_MS) / USUAL_MS);

/** Asks for one thing after the other until it is told to stop, and says how long each answer took. */
const work = async ({ url, key, pid }: Work, stopped: AbortSignal): Promise<Answered[]> => {
  const now = (): number => (pid === undefined ? performance.now() : workOf(pid));
  const answered: Answered[] = [];
  // The first ones are slower, until they are compiled.
  const measured = Array.from({ length: 20 * LAST }, yardstick).slice(-LAST);
  for (let n = 0; !stopped.aborted; n++) {
    const { what, sent } = REQUESTS[n % REQUESTS.length] as (typeof REQUESTS)[number];
    const [began, since] = [now(), millisIn(0)];
    const status = await call(url, key, sent(n)).then(
      (answer) => answer.status,
      () => 0,
    );
    const took = now() - began;
    measured.push(yardstick());
    measured.shift();
    const ms = pid === undefined ? took : took / pace(measured);
    answered.push({ what, ms, status, since, at: millisIn(0) });
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
