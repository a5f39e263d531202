/**
 * Trial of the planner: `npm run act -- FILE.jsonl...` does what requests with their true roles say, and compares it with the wanted
 * effects; `--read` reads the roles first. `-v` lists what is wrong. `npm run act -- spans [DIRECTORY] [ROLE]` lists what each
 * distinct span of time is read as.
 */
import { parseArgs } from 'node:util';
import { judgeDialogues } from './act-dialogues.ts';
import { judgeFiles } from './act-effects.ts';
import { listSpans } from './act-spans.ts';

const { values, positionals } = parseArgs({
  options: { read: { type: 'boolean', default: false }, verbose: { type: 'boolean', short: 'v', default: false } },
  allowPositionals: true,
});
const [command = '', ...rest] = positionals;
const options = { isVerbose: values.verbose, isRead: values.read };
if (command === 'spans') listSpans(rest);
else if (command === 'dialogues') judgeDialogues(rest, options);
else judgeFiles(positionals, options);
