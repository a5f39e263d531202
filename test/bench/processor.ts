/** Processor time of other processes, in seconds, as Linux counts it (proc(5)). */
import { readdirSync, readFileSync } from 'node:fs';

/** Linux counts in hundredths of a second on all common machines. */
const TICKS = 100;

/** utime and stime. The name before them may contain spaces, and ends with the last bracket. */
export const processorTime = (pid: number): number => {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[11]) + Number(fields[12])) / TICKS;
};

/** Of the Postgres processes on this machine that serve a database: their titles contain its name. */
export const processorTimeOfDatabase = (name: string): number => {
  let sum = 0;
  for (const pid of readdirSync('/proc').filter((entry) => /^\d+$/.test(entry)))
    try {
      const title = readFileSync(`/proc/${pid}/cmdline`, 'utf8');
      if (title.startsWith('postgres:') && title.includes(name)) sum += processorTime(Number(pid));
    } catch {
      // The process has ended meanwhile.
    }
  return sum;
};
