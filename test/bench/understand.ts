/**
 * Trials of the built-in planner: `npm run understand` says how long it takes for 300 and for 100,000 characters, warm;
 * `npm run understand -- judge` judges rounds of requests; `npm run understand -- owners` compares the owner of each word.
 */
import { compareOwners } from './compare-owners.ts';
import { judgeRequests } from './judge-requests.ts';
import { timeUnderstanding } from './time-understanding.ts';

const [command, ...rest] = process.argv.slice(2);
if (command === 'judge') await judgeRequests(rest);
else if (command === 'owners') compareOwners(rest);
else timeUnderstanding();
