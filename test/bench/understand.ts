/**
 * Trials of the built-in planner: `npm run understand` says how long it takes for 300 and for 100,000 characters, warm;
 * `npm run understand -- judge` judges rounds of requests. `model` and `check` try the configured language model.
 */
import { checkModel } from './check-model.ts';
import { judgeModel } from './judge-model.ts';
import { judgeRequests } from './judge-requests.ts';
import { timeUnderstanding } from './time-understanding.ts';

const [command, ...rest] = process.argv.slice(2);
if (command === 'judge') await judgeRequests(rest);
else if (command === 'model') await judgeModel(rest);
else if (command === 'check') await checkModel();
else timeUnderstanding();
