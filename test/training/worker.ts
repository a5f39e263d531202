/** Trains one net in a thread of its own. */
import { parentPort, workerData } from 'node:worker_threads';
import { trainNet, type Task } from './learn.ts';

const task = workerData as Task;
const net = trainNet(task, (epoch, loss) => {
  process.stderr.write(`net ${task.seed}, epoch ${epoch} of ${task.epochs}: loss ${loss.toFixed(2)}\n`);
});
parentPort?.postMessage(net);
