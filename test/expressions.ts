/** `npm run expressions`: asks recheck whether the regular expressions that are new take linear time, and notes those that do. */
import { check } from 'recheck';
import { allExpressions, note, unknownOf, type Expression } from './support/expressions.ts';

const all = allExpressions();
const fresh = unknownOf(all);
const slow = new Set<Expression>();
for (const one of fresh) {
  const { place, source, flags } = one;
  const found = await check(source, flags.replace('v', 'u'), { timeout: 20_000 });
  if (found.status === 'safe') continue;
  slow.add(one);
  const why = found.status === 'vulnerable' ? found.complexity.summary : found.status;
  console.log(`${place} may take long (${why}): /${source}/${flags}`);
}
note(all.filter((one) => !slow.has(one)));
console.log(`${fresh.length} new expressions, ${slow.size} of them may take long.`);
process.exitCode = slow.size ? 1 : 0;
