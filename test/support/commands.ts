/** Runs an operator's command and returns what it said. */
import { execFile } from 'node:child_process';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { runCommand } from '../../src/process/commands/run.ts';
import { COMPILED } from './child-processes.ts';

type Told = { code: number; stdout: string; stderr: string };

/** Runs an operator's command as its users do, in a process of its own. */
export const commandProcess = (args: string[], env: Record<string, string>): Promise<Told> =>
  promisify(execFile)(process.execPath, [join(import.meta.dirname, '../../src/process/command.js'), ...args], {
    cwd: tmpdir(),
    env: { ...COMPILED, ...env },
  }).then(
    ({ stdout, stderr }) => ({ code: 0, stdout, stderr }),
    ({ code, stdout, stderr }: Told) => ({ code, stdout, stderr }),
  );

/** Runs an operator's command in this process, which takes a tenth of the time. */
export const commandHere = async (args: string[], env: Record<string, string>): Promise<Told> => {
  const told = { stdout: '', stderr: '' };
  const code = await runCommand(args, () => env, {
    print: (line) => void (told.stdout += `${line}\n`),
    progress: (line) => void (told.stderr += `${line}\n`),
  });
  return { code, ...told };
};
