/**
 * Loaded before a program (NODE_OPTIONS=--import=…): its clock, and that of its threads and of every program that it starts, is
 * ahead by SHIFT_MS. The clock is shifted and goes on, so that what waits still ends.
 */
import { ChildProcess } from 'node:child_process';
import { SHIFT_MS, shiftClock } from './shift-clock.js';

/** Programs that get an environment of their own have the shift too. */
const shiftChildren = () => {
  const loaded = `--import=${import.meta.url}`;
  const { spawn } = ChildProcess.prototype;
  ChildProcess.prototype.spawn = function (options) {
    const envPairs = [...(options.envPairs ?? [])];
    const at = envPairs.findIndex((pair) => pair.startsWith('NODE_OPTIONS='));
    if (at === -1) envPairs.push(`NODE_OPTIONS=${loaded}`);
    else if (!envPairs[at].includes(loaded)) envPairs[at] += ` ${loaded}`;
    if (!envPairs.some((pair) => pair.startsWith('SHIFT_MS='))) envPairs.push(`SHIFT_MS=${SHIFT_MS}`);
    return spawn.call(this, { ...options, envPairs });
  };
};

if (SHIFT_MS) {
  shiftClock(SHIFT_MS);
  shiftChildren();
}
