/**
 * Loaded into the service that R15 tries (`--import`). The answer to a request with the header `X-Counted` says in a header of the same
 * name what the main thread did between the request and its answer. The first number is its slices: the iterations of the event loop,
 * but not more than milliseconds of processor time, because short iterations delay nobody. The second is the longest processor time,
 * in milliseconds, in which it did not come to its timers.
 */
import { subscribe } from 'node:diagnostics_channel';

const TICK_MS = 10;

const worked = () => {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
};
const iterations = () => performance.nodeTiming.uvMetricsInfo.loopCount;

/** Requests under way. */
const counted = new Set();
let until = worked();
/** The work since the last look. */
const look = () => {
  const now = worked();
  const work = now - until;
  until = now;
  for (const one of counted) one.longest = Math.max(one.longest, work);
  return work;
};

/** What was done before the last tick. A request that came meanwhile is read after it. */
let before = 0;
setInterval(() => (before = look()), TICK_MS).unref();

subscribe('http.server.request.start', ({ request, response }) => {
  if (!request.headers['x-counted']) return;
  const one = { longest: before };
  const [from, since] = [iterations(), worked()];
  counted.add(one);
  const { writeHead } = response;
  response.writeHead = (...head) => {
    look();
    const slices = Math.min(iterations() - from, Math.ceil(worked() - since));
    response.setHeader('X-Counted', `${slices} ${one.longest.toFixed(1)}`);
    return writeHead.apply(response, head);
  };
  response.on('close', () => counted.delete(one));
});
