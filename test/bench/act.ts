/**
 * Trial of the planner behind the reader of roles: true roles to actions. `npm run act -- FILE.jsonl... [-v]` compares the actions
 * with the wanted effects; `npm run act -- spans [DIRECTORY] [ROLE]` lists what each distinct span of time is read as.
 */
import { judgeFiles } from './act-effects.ts';
import { listSpans } from './act-spans.ts';

const [command = '', ...rest] = process.argv.slice(2);
const files = [command, ...rest].filter((word) => word !== '-v');
if (command === 'spans') listSpans(rest);
else judgeFiles(files, rest.includes('-v') || command === '-v');
