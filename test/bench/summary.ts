/**
 * How much of what matters a summary export tells in few tokens (CONTRIBUTING.md, Benchmarks): `npm run summary -- [file]`.
 * Always over a month of a person and an agent (test/support/agent-month.ts), beside the contents of the newest traces. With a
 * LoCoMo file, also over its questions: the share of the turns that answer each.
 */
import { parseArgs } from 'node:util';
import { aUser, anApp, type TestUser } from '../support/app.ts';
import { aMonth, factsTold, falseReadings } from '../support/agent-month.ts';
import { createPacker } from '../../src/domain/text/token-budget.ts';
import { exported, walk, type Trace } from '../support/memport.ts';
import { CATEGORIES, readConversations, type Conversation } from './locomo.ts';

const HELP = `npm run summary -- [file] [options]: how much of what matters a summary export tells in few tokens.
  file          a LoCoMo file; the turns that answer its questions are looked for as well. An export takes no question, so
                it is asked for the whole conversation, and once more for the session (task_id) of each turn
  --lines       print the lines of the smallest budget`;
const BUDGETS = [500, 1_000, 2_000];

type Line = { type: string; summary: string };
type Query = { task_id?: string };

const linesOf = async (user: TestUser, max_token_count: number, query: Query = {}): Promise<Line[]> =>
  (await exported<Line>(user, { export_format: 'summary', max_token_count, ...query })).results;

/** What an export would tell that only takes the contents of the newest traces. */
const newestContents = (traces: Trace[], max_token_count: number): Line[] => {
  const packer = createPacker(max_token_count);
  return traces
    .toReversed()
    .map((t) => ({ type: t['type'] as string, task_id: t['task_id'], timestamp: t['timestamp'], summary: t.content }))
    .filter((line) => !packer.isFull() && packer.offer(JSON.stringify(line)));
};

const percent = (value: number): string => `${(100 * value).toFixed(1)} %`;
const mean = (values: number[]): number => values.reduce((sum, value) => sum + value, 0) / values.length;
const say = (line: string): void => void process.stdout.write(`${line}\n`);

const measureMonth = async (): Promise<void> => {
  const app = await anApp();
  try {
    const month = await aMonth(app);
    const traces = await walk<Trace>(month.user, { export_format: 'full' });
    const { length } = month.facts;
    for (const budget of BUDGETS) {
      const export_ = await linesOf(month.user, budget);
      for (const [how, lines] of [
        ['month', export_],
        ['  newest contents', newestContents(traces, budget)],
      ] as const) {
        const told = factsTold(lines, month);
        const wrong = falseReadings(lines, month);
        say(
          `${how}, ${budget} tokens: ${lines.length} lines, ${told.length} of ${length} facts (${percent(told.length / length)}), ${wrong.length} false readings`,
        );
        if (how === 'month') for (const line of wrong) say(`  false: ${line}`);
      }
      const told = factsTold(export_, month);
      for (const { what } of month.facts) if (!told.includes(what)) say(`  not told: ${what}`);
      if (flags.lines && budget === BUDGETS[0]) for (const { type, summary } of export_) say(`  ${type}: ${summary}`);
    }
  } finally {
    await app.close();
  }
};

/** The shares of the evidence of one question: of the whole conversation, of the newest turns, of its sessions. */
type Found = { category: number; budget: number; shares: [whole: number, newest: number, focused: number] };

const measureConversation = async (user: TestUser, { sessions, questions }: Conversation): Promise<Found[]> => {
  const turns = sessions.flatMap(({ at, number, turns: told }) =>
    told.map(({ id, text }) => ({ uid: id, type: 'observation', task_id: `${number}`, timestamp: at, content: text })),
  );
  for (let done = 0; done < turns.length; done += 500)
    await user.post('/memory/push', { traces: turns.slice(done, done + 500) }).expect(201);
  // A line has no uid. A long turn is shortened, so lines are known by the summary that the full export has.
  const traces = await walk<Trace>(user, { export_format: 'full' });
  const uids = Map.groupBy(traces, (t) => `${String(t['task_id'])} ${String(t['summary'])}`);
  const uidsOf = (lines: (Line & { task_id?: string })[]) =>
    new Set(lines.flatMap((line) => uids.get(`${line.task_id} ${line.summary}`) ?? []).map(({ uid }) => uid));
  const summarised = traces.map((t) => ({ ...t, content: t['summary'] as string }));
  const found: Found[] = [];
  for (const budget of BUDGETS) {
    const whole = uidsOf(await linesOf(user, budget));
    const newest = uidsOf(newestContents(summarised, budget));
    const focused = new Set<string>();
    for (const { number } of sessions)
      for (const uid of uidsOf(await linesOf(user, budget, { task_id: `${number}` }))) focused.add(uid);
    for (const { category, evidence } of questions) {
      const share = (held: Set<string>): number => mean(evidence.map((uid) => Number(held.has(uid))));
      found.push({ category, budget, shares: [share(whole), share(newest), share(focused)] });
    }
  }
  return found;
};

const measureConversations = async (file: string): Promise<void> => {
  const app = await anApp();
  try {
    const found: Found[] = [];
    for (const conversation of readConversations(file))
      found.push(...(await measureConversation(await aUser(app), conversation)));
    for (const budget of BUDGETS)
      for (const [category, name] of [[null, 'all questions'] as const, ...CATEGORIES]) {
        const asked = found.filter((f) => f.budget === budget && (category === null || f.category === category));
        const [whole, newest, focused] = [0, 1, 2].map((i) => percent(mean(asked.map(({ shares }) => shares[i] ?? 0))));
        say(
          `${name}, ${budget} tokens: ${whole} of the evidence in the export, ${newest} in the newest turns, ${focused} in the exports of its sessions`,
        );
      }
  } finally {
    await app.close();
  }
};

const {
  values: flags,
  positionals: [file],
} = parseArgs({
  allowPositionals: true,
  options: { lines: { type: 'boolean', default: false }, help: { type: 'boolean', default: false } },
});

if (flags.help) say(HELP);
else {
  await measureMonth();
  if (file) await measureConversations(file);
}
