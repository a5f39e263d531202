/**
 * How well search finds (CONTRIBUTING.md, Benchmarks): `npm run recall -- <file> [--mode hybrid] [--json out] [--calibration] [--halves] [--url http://… [--key …]]`.
 * Loads conversations in LoCoMo's shape over HTTP, one task per session, asks their questions, and counts the evidence found.
 */
import { randomBytes } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { aPerson, ok, post } from '../faults/api.ts';
import { aPlace } from '../faults/cluster.ts';
import { killAll, servers, type Server } from '../faults/server.ts';
import { percentile } from './bench.ts';
import { CATEGORIES, readConversations, type Conversation } from './locomo.ts';

const HELP = `npm run recall -- <file> [options]: how much of the evidence of questions search finds.
  --mode hybrid|keyword|semantic|tag   default hybrid; with tag every word is looked for as a tag
  --json <file>      every question with its figures
  --calibration      how often the first result is evidence, by its confidence
  --halves           the figures of each half of the conversations: what is tuned to one shows on the other
  --url <address>    a running service, else one is started on an empty embedded database
  --key <API key>    of somebody there, else people are registered there`;
const MODES = ['hybrid', 'keyword', 'semantic', 'tag'];
/** Results asked for; recall is told of the first 5, 10 and 20. */
const LIMIT = 20;

type Asked = {
  conversation: string;
  category: number;
  question: string;
  /** Share of the evidence among the first 5, 10, 20; of its sessions among those of the first 10; whether any of them is. */
  at5: number;
  at10: number;
  at20: number;
  sessions: number;
  anySession: number;
  /** Of the first result; null without any. */
  first: { confidence: number; evidence: boolean } | null;
  ms: number;
};

const say = (line: string): void => void process.stderr.write(`${line}\n`);
const mean = (values: number[]): number => values.reduce((sum, v) => sum + v, 0) / values.length;
const sessionOf = (turn: string): string => turn.slice(0, turn.indexOf(':'));

const load = async (url: string, key: string, { id, sessions }: Conversation, run: string): Promise<void> => {
  for (const { number, at, turns } of sessions)
    await ok(
      url,
      key,
      post('/memory/push', {
        traces: turns.map((turn) => ({
          uid: `${run}/${id}/${turn.id}`,
          type: 'observation',
          task_id: `${run}/${id}/${number}`,
          tags: [`#${run}-${id}`],
          timestamp: at,
          content: turn.text,
        })),
      }),
    );
};

type Hit = { uid: string; confidence: number };

const judge = (
  evidence: string[],
  hits: Hit[],
  start: string,
): Pick<Asked, 'at5' | 'at10' | 'at20' | 'sessions' | 'anySession' | 'first'> => {
  const found = hits.map((hit) => hit.uid.slice(start.length));
  const share = (n: number): number =>
    evidence.filter((turn) => found.slice(0, n).includes(turn)).length / evidence.length;
  const wanted = [...new Set(evidence.map(sessionOf))];
  const seen = new Set(found.slice(0, 10).map(sessionOf));
  const sessions = wanted.filter((session) => seen.has(session)).length / wanted.length;
  const [best] = hits;
  return {
    at5: share(5),
    at10: share(10),
    at20: share(20),
    sessions,
    anySession: sessions > 0 ? 1 : 0,
    first: best ? { confidence: best.confidence, evidence: evidence.includes(found[0] ?? '') } : null,
  };
};

const ask = async (
  url: string,
  key: string,
  conversation: Conversation,
  run: string,
  mode: string,
  alone: boolean,
): Promise<Asked[]> => {
  const { id, questions } = conversation;
  const asked: Asked[] = [];
  for (const { question, category, evidence } of questions) {
    const began = performance.now();
    const query = { query: question, mode, limit: LIMIT, ...(alone ? {} : { tags: [`#${run}-${id}`] }) };
    const { body } = await ok(url, key, post('/memory/search', query));
    const ms = performance.now() - began;
    asked.push({ conversation: id, category, question, ...judge(evidence, body as Hit[], `${run}/${id}/`), ms });
  }
  return asked;
};

const percent = (value: number): string => (Number.isNaN(value) ? '-' : (100 * value).toFixed(1)).padStart(8);
const HEAD = ['questions', 'turn@5', 'turn@10', 'turn@20', 'session@10', 'any session'];

const row = (what: string, asked: Asked[]): string =>
  [
    what.padEnd(14),
    String(asked.length).padStart(9),
    ...(['at5', 'at10', 'at20', 'sessions', 'anySession'] as const).map((k, i) =>
      percent(mean(asked.map((a) => a[k]))).padStart(HEAD[i + 1]?.length ?? 0),
    ),
  ].join('  ');

const tell = (asked: Asked[], halves: boolean): void => {
  const lines = [`${''.padEnd(14)}  ${HEAD.map((h) => h.padStart(8)).join('  ')}`];
  for (const [category, name] of CATEGORIES)
    lines.push(
      row(
        name,
        asked.filter((a) => a.category === category),
      ),
    );
  lines.push(row('all', asked));
  const ids = [...new Set(asked.map((a) => a.conversation))];
  if (halves)
    for (const half of [0, 1])
      lines.push(
        row(
          half ? 'even ones' : 'odd ones',
          asked.filter((a) => ids.indexOf(a.conversation) % 2 === half),
        ),
      );
  const times = asked.map((a) => a.ms);
  lines.push(
    `search took ${percentile(times, 0.5).toFixed(0)} ms (p50), ${percentile(times, 0.95).toFixed(0)} ms (p95)`,
  );
  process.stdout.write(`${lines.join('\n')}\n`);
};

/** Of ten steps of confidence: how many first results had it, and the share that was evidence. */
const tellCalibration = (asked: Asked[]): void => {
  const firsts = asked.flatMap((a) => a.first ?? []);
  process.stdout.write('\nconfidence of the first result, how many, and how many of 100 were evidence\n');
  for (let step = 0; step < 10; step++) {
    const those = firsts.filter((f) => Math.min(9, Math.floor(f.confidence * 10)) === step);
    const right = mean(those.map((f) => (f.evidence ? 1 : 0)));
    process.stdout.write(
      `${(step / 10).toFixed(1)} to ${((step + 1) / 10).toFixed(1)}  ${String(those.length).padStart(5)}  ${percent(right)}  ${'#'.repeat(Math.round((right || 0) * 40))}\n`,
    );
  }
};

const {
  values: flags,
  positionals: [file],
} = parseArgs({
  allowPositionals: true,
  options: {
    mode: { type: 'string', default: 'hybrid' },
    json: { type: 'string' },
    url: { type: 'string' },
    key: { type: 'string' },
    calibration: { type: 'boolean', default: false },
    halves: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
});

const main = async (): Promise<void> => {
  if (flags.help || file === undefined || !MODES.includes(flags.mode)) {
    process.stdout.write(`${HELP}\n`);
    process.exitCode = flags.help ? 0 : 2;
    return;
  }
  const conversations = readConversations(file);
  const run = randomBytes(3).toString('hex');
  const place = flags.url === undefined ? await aPlace('embedded') : undefined;
  try {
    const url = flags.url ?? ((await servers(1, place?.env ?? {})) as [Server])[0].url;
    const asked: Asked[] = [];
    for (const [i, conversation] of conversations.entries()) {
      const key = flags.key ?? (await aPerson(url, 'UTC')).key;
      await load(url, key, conversation, run);
      asked.push(...(await ask(url, key, conversation, run, flags.mode, flags.key === undefined)));
      say(
        `${conversation.id} (${i + 1} of ${conversations.length}): turn recall@10 so far ${percent(mean(asked.map((a) => a.at10))).trim()}`,
      );
    }
    tell(asked, flags.halves);
    if (flags.calibration) tellCalibration(asked);
    if (flags.json) writeFileSync(flags.json, `${JSON.stringify({ file, mode: flags.mode, asked }, null, 2)}\n`);
  } finally {
    killAll();
    await place?.drop();
  }
};
await main();
