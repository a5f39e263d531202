/**
 * The thread that reads prompts (reader.ts). It tells how much processor time it has used when it is ready, and with each
 * result. It is JavaScript, because the cache of compiled code has to be enabled before Node loads TypeScript (process/main.js).
 */
import { enableCompileCache } from 'node:module';
import { parentPort, workerData } from 'node:worker_threads';

if (workerData.cache) enableCompileCache(workerData.cache);
const { reading } = await import('./understand.ts');
const { resultOf } = await import('../../domain/text/result-of.ts');

const tell = (read) => parentPort.postMessage({ read, used: process.threadCpuUsage() });
parentPort.on('message', (asked) => tell(resultOf(reading(JSON.parse(asked)))));
// The tables of the planner are made with the first sentence. Its time is not counted as that of somebody's prompt.
const known = { now: new Date(0).toISOString(), zone: 'UTC', events: [], pending: [] };
resultOf(reading({ prompt: 'Lunch tomorrow at noon', known }));
tell(null);
