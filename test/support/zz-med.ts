import { readTape } from './tape.ts';
import { mediocre } from './mediocre.ts';
import { aPlayer } from './tape-player.ts';
import { aModel } from './model.ts';
import { anApp } from './app.ts';
import { isDoubted, judgeEffects, OUTSIDE } from './planned-effects.ts';
import { run, tellOutcome } from './requests.ts';
const tape = mediocre(readTape('test/corpus/tapes/good.jsonl'), Number(process.argv[2] ?? 1));
const player = aPlayer();
const stub = await aModel(player.plays);
const app = await anApp({ env: { OPENAI_BASE_URL: stub.baseURL } });
app.clock.set(OUTSIDE.now);
const c: Record<string, Record<string, number>> = {};
for (const { fault, lines } of tape) {
  player.begin(lines);
  const says = lines.map(({ say }) => say);
  const entry = { say: says.length > 1 ? says : says[0]!, want: lines[0]!.want! };
  const o = await run(app, entry, OUTSIDE);
  const v = judgeEffects(entry, o);
  const kind = v === 'wrong' ? (isDoubted(o) ? 'wrong, doubted' : 'wrong, silent') : v;
  (c[fault] ??= {})[kind] = (c[fault]![kind] ?? 0) + 1;
  if (kind === 'wrong, silent')
    console.log(
      `${fault} | ${says.join(' // ')}\n    ${tellOutcome(o)}\n  ANS ${JSON.stringify(lines.at(-1)!.answer)}`,
    );
}
const kinds = ['right', 'unclear', 'wrong, doubted', 'wrong, silent'];
for (const [f, x] of Object.entries(c))
  console.log(f.padEnd(22), kinds.map((k) => String(x[k] ?? 0).padStart(5)).join(' '));
console.log(
  'all'.padEnd(22),
  kinds.map((k) => String(Object.values(c).reduce((a, x) => a + (x[k] ?? 0), 0)).padStart(5)).join(' '),
);
await app.close();
await stub.close();
