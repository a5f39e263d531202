/** `npm run expressions`: asks recheck whether the regular expressions that are new take linear time, and notes those that do. */
import { writeFileSync } from 'node:fs';
import { check } from 'recheck';
import { allExpressions, noted, unknownOf } from './support/expressions.ts';

const all = allExpressions();
const fresh = unknownOf(all);
const slow = new Set<string>();
for (const { place, source, flags } of fresh) {
  const found = await check(source, flags.replace('v', 'u'), { timeout: 20_000 });
  if (found.status === 'safe') continue;
  slow.add(place);
  const why = found.status === 'vulnerable' ? found.complexity.summary : found.status;
  console.log(`${place} may take long (${why}): /${source}/${flags}`);
}
const { file, text } = noted(
  all.filter((one) => !slow.has(one.place) && (fresh.includes(one) || !unknownOf([one]).length)),
);
writeFileSync(file, text);
console.log(`${fresh.length} new expressions, ${slow.size} of them may take long.`);
process.exitCode = slow.size ? 1 : 0;
