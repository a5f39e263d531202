/**
 * Judges rounds of requests through the whole service: `npm run understand -- judge [FILE...] [--only TEXT] [--all] [--accept]`.
 * Without files it takes the corpus. An entry is tried again only where what the planner understands of it has changed since the
 * last run, or with --all; the verdicts are kept in node_modules/.cache. --accept writes the verdicts into the corpus, and what
 * was understood into test/corpus/judged.json. Of the corpus it lists what is worse than expected, of files what is not right.
 */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { isMap, isScalar, parse, parseDocument, visit } from 'yaml';
import type { TestApp } from '../support/app.ts';
import { keyOf, writeJudged } from '../support/judged.ts';
import {
  CORPUS,
  corpusApp,
  type Counts,
  type Entry,
  isWorse,
  judge,
  type Round,
  run,
  tellOutcome,
  type Verdict,
} from '../support/requests.ts';

const ROOT = join(import.meta.dirname, '../..');
const CACHE = join(ROOT, 'node_modules/.cache/requests.json');
const CORPUS_FILE = join(ROOT, 'test/corpus/requests.yaml');

type Known = Record<string, { verdict: Verdict; told: string }>;
type Judged = { entry: Entry; verdict: Verdict; told: string };

const kindOf = (entry: Entry): string =>
  entry.kind ??
  (Array.isArray(entry.say)
    ? 'dialogue'
    : entry.says
      ? 'question'
      : entry.asks
        ? 'asks'
        : entry.notes
          ? 'note'
          : 'request');

const percent = (count: number, of: number): string => `${((100 * count) / Math.max(1, of)).toFixed(1)} %`;
const counted = (judged: readonly { verdict: Verdict }[]): Counts => {
  const counts = { right: 0, unclear: 0, wrong: 0 };
  for (const { verdict } of judged) counts[verdict]++;
  return counts;
};
/** The counts of a round, as a line. */
export const line = (name: string, judged: readonly { verdict: Verdict }[]): string => {
  const { right, unclear, wrong } = counted(judged);
  const all = judged.length;
  return `${name.padEnd(24)} ${String(right).padStart(5)} ${String(unclear).padStart(5)} ${String(wrong).padStart(5)}   ${percent(right, all)} / ${percent(unclear, all)} / ${percent(wrong, all)}\n`;
};

/** The entries of a file by the offset of their first key, to write verdicts beside it. */
const accept = (verdicts: ReadonlyMap<string, Verdict>): void => {
  const text = readFileSync(CORPUS_FILE, 'utf8');
  const edits: { at: number; entry: Entry }[] = [];
  visit(parseDocument(text), {
    Map: (_, node) => {
      const first = node.items[0]?.key;
      if (isMap(node) && isScalar(first) && first.range && node.has('say'))
        edits.push({ at: first.range[0], entry: node.toJSON() as Entry });
    },
  });
  let made = text;
  for (const { at, entry } of edits.toReversed()) {
    const verdict = verdicts.get(JSON.stringify(entry.say)) ?? 'right';
    const rest = made.slice(at).replace(/^now: \w+\n +/, '');
    made = made.slice(0, at) + (verdict === 'right' ? '' : `now: ${verdict}\n        `) + rest;
  }
  writeFileSync(CORPUS_FILE, made);
};

/** The rounds of files; without files those of the corpus. */
export const roundsIn = (files: readonly string[]): Round[] =>
  files.length === 0
    ? CORPUS.rounds
    : files.flatMap((file) => {
        const read = parse(readFileSync(file, 'utf8')) as Round & { rounds?: Round[] };
        return (read.rounds ?? [read]).map((round) => ({ ...round, name: round.name ?? file.split('/').at(-1)! }));
      });

export const judgeRequests = async (args: readonly string[]): Promise<void> => {
  const option = (name: string): string | undefined => (args.includes(name) ? args[args.indexOf(name) + 1] : undefined);
  const only = option('--only');
  const files = args.filter((one, i) => !one.startsWith('--') && args[i - 1] !== '--only');
  const known: Known = existsSync(CACHE) ? (JSON.parse(readFileSync(CACHE, 'utf8')) as Known) : {};
  const apps: TestApp[] = [];
  const judgeOne = async (entry: Entry): Promise<Judged> => {
    const key = keyOf(entry);
    const before = args.includes('--all') ? undefined : known[key];
    if (before) return { entry, ...before };
    if (apps.length === 0) apps.push(await corpusApp());
    const outcome = await run(apps[0]!, entry);
    known[key] = { verdict: judge(entry, outcome), told: tellOutcome(outcome) };
    return { entry, ...known[key] };
  };
  const all: Judged[] = [];
  for (const { name, requests, dialogues = [] } of roundsIn(files)) {
    const entries = [...requests, ...dialogues].filter(({ say }) => !only || [say].flat().join(' / ').includes(only));
    const judged: Judged[] = [];
    for (const entry of entries) judged.push(await judgeOne(entry));
    process.stdout.write(line(name, judged));
    all.push(...judged);
    mkdirSync(join(ROOT, 'node_modules/.cache'), { recursive: true });
    writeFileSync(CACHE, JSON.stringify(known));
  }
  for (const [kind, judged] of Map.groupBy(all, ({ entry }) => kindOf(entry)))
    process.stdout.write(line(`  ${kind}`, judged));
  process.stdout.write(line('all', all));
  for (const verdict of ['wrong', 'unclear'] as const)
    for (const { entry, told } of all.filter(
      (one) => one.verdict === verdict && (files.length > 0 || only !== undefined || isWorse(one.entry, verdict)),
    ))
      process.stdout.write(
        `${verdict}: ${[entry.say].flat().join(' / ')}\n  expected ${JSON.stringify(entry.then ?? entry.asks ?? entry.says ?? entry.notes ?? entry.reflects)}\n    ${told}\n`,
      );
  if (args.includes('--accept')) {
    if (files.length > 0 || only !== undefined) throw new Error('--accept is for the whole corpus');
    accept(new Map(all.map(({ entry, verdict }) => [JSON.stringify(entry.say), verdict])));
    writeJudged(all);
  }
  for (const app of apps) await app.close();
};
