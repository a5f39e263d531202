/** How busy the machine is: figures mean little without what else ran beside them. */
import { cpus } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';

type Reading = { busy: number; all: number };

const read = (): Reading => {
  const times = cpus().map((cpu) => cpu.times);
  const idle = times.reduce((sum, t) => sum + t.idle, 0);
  const all = times.reduce((sum, t) => sum + t.user + t.nice + t.sys + t.irq + t.idle, 0);
  return { busy: all - idle, all };
};

/** Cores in use since this was called, on average. */
export const watchLoad = (): (() => number) => {
  const from = read();
  return () => {
    const to = read();
    return to.all === from.all ? 0 : (cpus().length * (to.busy - from.busy)) / (to.all - from.all);
  };
};

/** Cores others use, looked at while nothing of ours runs. */
export const othersLoad = async (): Promise<number> => {
  const load = watchLoad();
  await sleep(2_000);
  return load();
};
