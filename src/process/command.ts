/**
 * `node src/process/command.ts <command> [options]`: runs an operator's command beside the service, on the database that the
 * environment names.
 */
import { existsSync } from 'node:fs';
import { runCommand } from './run-command.ts';

const environment = (): NodeJS.ProcessEnv => {
  if (existsSync('.env')) process.loadEnvFile('.env'); // A variable that is already set wins.
  return process.env;
};

process.exitCode = await runCommand(process.argv.slice(2), environment, {
  print: (line) => void process.stdout.write(`${line}\n`),
  progress: (line) => void process.stderr.write(`${line}\n`),
});
