/** Memory of another process, in MiB, as Linux counts it. */
import { readFileSync, writeFileSync } from 'node:fs';

const field = (pid: number, name: string): number => {
  const line = new RegExp(`^${name}:\\s+(\\d+) kB`, 'm').exec(readFileSync(`/proc/${pid}/status`, 'utf8'));
  if (!line) throw new Error(`/proc/${pid}/status has no ${name}`);
  return Number(line[1]) / 1024;
};

/** Resident now. */
export const resident = (pid: number): number => field(pid, 'VmRSS');

/** Resident at most, since forgetPeak() where the kernel allows that, else since the start. */
export const peak = (pid: number): number => field(pid, 'VmHWM');

export const forgetPeak = (pid: number): void => {
  try {
    writeFileSync(`/proc/${pid}/clear_refs`, '5');
  } catch {
    // A sandbox may refuse: the peak then counts from the start of the process.
  }
};
