/** Runs an operator's command with the environment of the process (command.js calls it). */
import { runCommand } from './commands/run.ts';
import { readEnvironment } from './environment.ts';

process.exitCode = await runCommand(process.argv.slice(2), readEnvironment, {
  print: (line) => void process.stdout.write(`${line}\n`),
  progress: (line) => void process.stderr.write(`${line}\n`),
});
