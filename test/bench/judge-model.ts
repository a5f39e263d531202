/**
 * Judges a language model through the whole service: `npm run understand -- model [--record FILE | --replay FILE] [FILE...]` asks
 * the configured endpoint the rounds of the corpus, or the given files (rounds in YAML, or *.jsonl in the notation of
 * ../shared/planner-trial/effects.md), and says of each prompt what came of it, how long it took and its tokens. --record keeps
 * the answers as a tape, and --replay plays a tape instead of asking. `npm run understand -- check` asks five requests.
 */
import { writeFileSync } from 'node:fs';
import { anApp, type TestApp } from '../support/app.ts';
import { aModel, type StubModel } from '../support/model.ts';
import { judgeEffects, OUTSIDE, type Wanted, wantedIn } from '../support/planned-effects.ts';
import { corpusClock, type Entry, judge, type Outcome, run, tellOutcome, type Verdict } from '../support/requests.ts';
import { type Line, readTape } from '../support/tape.ts';
import { wantedOf } from '../support/tape-app.ts';
import { aPlayer } from '../support/tape-player.ts';
import { type Asked, aRecorder } from '../support/tape-recorder.ts';
import { line, roundsIn } from './judge-requests.ts';

const NO_ENDPOINT =
  'No endpoint is configured. Set OPENAI_API_KEY, or OPENAI_BASE_URL (such as http://localhost:11434/v1), and OPENAI_MODEL; see docs/models.md.';

type Tried = { entry: Entry | Wanted; verdict: Verdict; told: string };
type Round = { name: string; entries: (Entry | Wanted)[] };
type Result = { outcome: Outcome; verdict: Verdict; asked: Asked[]; lines: Line[] };
export type Trial = {
  app: TestApp;
  attempt: (entry: Entry | Wanted) => Promise<Result | null>;
  close: () => Promise<void>;
};

const keyOf = ({ say }: Entry | Wanted): string => [say].flat().join('\n');
const isWanted = (entry: Entry | Wanted): entry is Wanted => 'want' in entry;

/** The variables of the endpoint, without its address: the app asks a server in between. */
const modelSettings = (): Record<string, string> =>
  Object.fromEntries(
    Object.entries(process.env).flatMap(([name, value]) =>
      name.startsWith('OPENAI_') && value ? [[name, value] as const] : [],
    ),
  );

const appBeside = async (stub: StubModel): Promise<TestApp> =>
  anApp({ env: { ...modelSettings(), OPENAI_BASE_URL: stub.baseURL } });

const tryOn = async (app: TestApp, entry: Entry | Wanted): Promise<{ outcome: Outcome; verdict: Verdict }> => {
  if (!isWanted(entry)) {
    app.clock.set(corpusClock);
    const outcome = await run(app, entry);
    return { outcome, verdict: judge(entry, outcome) };
  }
  app.clock.set(OUTSIDE.now);
  const outcome = await run(app, entry, OUTSIDE);
  return { outcome, verdict: judgeEffects(entry, outcome) };
};

/** The address of the endpoint; null where none is configured. */
const endpoint = (): string | null => {
  const { OPENAI_API_KEY, OPENAI_BASE_URL } = process.env;
  return OPENAI_BASE_URL || (OPENAI_API_KEY ? 'https://api.openai.com/v1' : null);
};

/** Asks the configured endpoint; null, and says so, where there is none. */
export const recording = async (): Promise<Trial | null> => {
  const to = endpoint();
  if (to === null) {
    process.stderr.write(`${NO_ENDPOINT}\n`);
    process.exitCode = 1;
    return null;
  }
  const recorder = aRecorder(to);
  const stub = await aModel(recorder.records);
  const app = await appBeside(stub);
  return {
    app,
    attempt: async (entry) => {
      recorder.begin();
      const result = await tryOn(app, entry);
      return { ...result, asked: recorder.asked(), lines: recorder.lines() };
    },
    close: async () => {
      await app.close();
      await stub.close();
    },
  };
};

const replaying = async (tape: Line[][]): Promise<Trial> => {
  const player = aPlayer();
  const known = new Map(tape.map((lines) => [lines.map(({ say }) => say).join('\n'), lines]));
  const stub = await aModel(player.plays);
  const app = await appBeside(stub);
  return {
    app,
    attempt: async (entry) => {
      const lines = known.get(keyOf(entry));
      if (!lines) return null;
      player.begin(lines);
      return { ...(await tryOn(app, entry)), asked: [], lines };
    },
    close: async () => {
      await app.close();
      await stub.close();
    },
  };
};

const roundsOf = (files: readonly string[], tape: readonly Line[][]): Round[] => {
  const own = files.length === 0 ? tape.filter(([head]) => head?.want).map(wantedOf) : [];
  if (own.length > 0) return [{ name: 'tape', entries: own }];
  const rounds = (some: readonly string[]): Round[] =>
    roundsIn(some).map(({ name, requests, dialogues = [] }) => ({ name, entries: [...requests, ...dialogues] }));
  if (files.length === 0) return rounds([]);
  return files.flatMap((file) =>
    file.endsWith('.jsonl') ? [{ name: file.split('/').at(-1)!, entries: wantedIn(file) }] : rounds([file]),
  );
};

const seconds = (milliseconds: number): string => `${(milliseconds / 1000).toFixed(1)} s`;
const sum = (numbers: readonly number[]): number => numbers.reduce((a, b) => a + b, 0);
const percentile = (numbers: readonly number[], part: number): number =>
  numbers.toSorted((a, b) => a - b)[Math.floor(part * Math.max(0, numbers.length - 1))] ?? 0;

/** '2.1 s, 5210 + 130 tokens'; what an endpoint does not count is left out. */
export const costOf = (asked: readonly Asked[]): string => {
  if (asked.length === 0) return '';
  const tokens = asked.flatMap(({ tokens: own }) => own ?? []);
  const counted =
    tokens.length > 0
      ? `, ${sum(tokens.map(({ prompt }) => prompt))} + ${sum(tokens.map(({ completion }) => completion))} tokens`
      : '';
  return `${seconds(sum(asked.map(({ milliseconds }) => milliseconds)))}${counted}`;
};

const summaryOf = (asked: readonly Asked[]): string => {
  const plans = asked.filter((one) => one.isForPlan);
  const first = plans.filter(({ isAgain }) => !isAgain);
  const times = plans.map(({ milliseconds }) => milliseconds);
  const again = plans.length - first.length;
  return `${plans.length} answers: median ${seconds(percentile(times, 0.5))}, 95 % within ${seconds(percentile(times, 0.95))}; ${again} asked again; in all ${costOf(asked)}\n`;
};

export const judgeModel = async (args: readonly string[]): Promise<void> => {
  const option = (name: string): string | undefined => (args.includes(name) ? args[args.indexOf(name) + 1] : undefined);
  const [record, replay] = [option('--record'), option('--replay')];
  if (record && replay) throw new Error('--record asks the endpoint and --replay does not: give one of the two.');
  const files = args.filter((one) => !one.startsWith('--') && one !== record && one !== replay);
  const tape = replay ? readTape(replay) : [];
  const trial = replay ? await replaying(tape) : await recording();
  if (!trial) return;
  const all: Tried[] = [];
  const asked: Asked[] = [];
  const kept: string[] = [];
  for (const { name, entries } of roundsOf(files, tape)) {
    const tried: Tried[] = [];
    for (const entry of entries) {
      const result = await trial.attempt(entry);
      if (!result) continue;
      const told = tellOutcome(result.outcome);
      tried.push({ entry, verdict: result.verdict, told });
      asked.push(...result.asked);
      const by = result.outcome.isByModel ? '' : ' (by the built-in planner)';
      process.stdout.write(
        `${result.verdict.padEnd(8)}${costOf(result.asked)}${by} ${[entry.say].flat().join(' / ')}\n`,
      );
      if (result.verdict !== 'right') {
        const { want, then, asks, says, notes, reflects } = entry as Partial<Wanted & Entry>;
        process.stdout.write(
          `    expected ${JSON.stringify(want ?? then ?? asks ?? says ?? notes ?? reflects)}\n    ${told}\n`,
        );
      }
      const [head, ...rest] = result.lines;
      if (head)
        kept.push(
          ...[{ ...head, ...(isWanted(entry) && { want: entry.want }) }, ...rest].map((one) => JSON.stringify(one)),
        );
    }
    process.stdout.write(line(name, tried));
    all.push(...tried);
  }
  process.stdout.write(line('all', all));
  if (!replay) process.stdout.write(summaryOf(asked));
  if (record) writeFileSync(record, `${kept.join('\n')}\n`);
  await trial.close();
};
