/**
 * Compares the owner of each word with annotated requests (test/corpus/owners): `npm run understand -- owners [FILE...]
 * [--list ROLE]`. Pairs of roles that the writers used for the same thing count as one.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ownersOf, type Owner } from '../../src/domain/intent/clause/owners.ts';
import { readFrames } from '../../src/domain/intent/read-prompt.ts';
import { resultOf } from '../../src/domain/text/result-of.ts';
import { corpusContext } from '../support/requests.ts';

const FOLDER = join(import.meta.dirname, '../corpus/owners');
const VERBS = 'create remind move cancel resize change note reflect find setting undo refuse agree'.split(' ');
/** The owners that agree with a role of the annotation. */
const AGREES: Record<string, readonly Owner[]> = {
  ...Object.fromEntries(VERBS.map((verb): [string, Owner[]] => [verb, ['verb']])),
  ask: ['ask', 'verb'],
  title: ['title', 'place'],
  target: ['target'],
  when: ['when', 'limit', 'length', 'repeat'],
  old: ['old'],
  dur: ['length', 'when'],
  limit: ['limit', 'when', 'except'],
  repeat: ['repeat', 'when', 'count', 'limit'],
  except: ['except', 'limit'],
  count: ['count', 'repeat'],
  place: ['place', 'title'],
  extra: ['extra', 'aside'],
  aside: ['aside', 'extra'],
  polite: ['polite', 'glue', 'join'],
  void: ['void'],
  join: ['join', 'glue', 'polite'],
};

type Span = { role: string; from: number; to: number };
/** '[create:book] [title:lunch]' as its text and its spans. */
const readLine = (line: string): { text: string; spans: Span[] } => {
  let text = '';
  const spans: Span[] = [];
  for (const [whole, role, words, plain] of line.matchAll(/\[([a-z]+):([^\]]*)\]|([^[]+|\[)/g)) {
    if (role !== undefined) spans.push({ role, from: text.length, to: text.length + words!.length });
    text += role === undefined ? (plain ?? whole) : words;
  }
  return { text, spans };
};

export const compareOwners = (args: readonly string[]): void => {
  const listed = args.includes('--list') ? args[args.indexOf('--list') + 1] : undefined;
  const named = args.filter((one, i) => !one.startsWith('--') && args[i - 1] !== '--list');
  const files =
    named.length > 0
      ? named
      : readdirSync(FOLDER)
          .filter((one) => one.endsWith('.txt'))
          .map((one) => join(FOLDER, one));
  const context = corpusContext();
  const found = new Map<string, { right: number; none: number; all: number; instead: Map<string, number> }>();
  for (const line of files.flatMap((file) => readFileSync(file, 'utf8').split('\n').filter(Boolean))) {
    const { text, spans } = readLine(line);
    const reading = resultOf(readFrames(text, context));
    const { tokens } = reading;
    const owners = ownersOf(reading);
    for (const [at, { start, end, kind, text: word }] of tokens.entries()) {
      const span = spans.find(({ from, to }) => start >= from && end <= to);
      if (!span || kind === 'mark' || kind === 'break') continue;
      const counts = found.get(span.role) ?? { right: 0, none: 0, all: 0, instead: new Map<string, number>() };
      const owner = owners[at] ?? null;
      const isSmall = owner === 'glue' && span.role !== 'aside';
      const isRight = owner !== null && (isSmall || AGREES[span.role]?.includes(owner) === true);
      counts.all++;
      if (isRight) counts.right++;
      else counts.instead.set(owner ?? 'none', (counts.instead.get(owner ?? 'none') ?? 0) + 1);
      if (owner === null) counts.none++;
      if (!isRight && span.role === listed) process.stdout.write(`${word} (${owner ?? 'none'}): ${text}\n`);
      found.set(span.role, counts);
    }
  }
  const sum = { right: 0, none: 0, all: 0 };
  for (const [role, { right, none, all, instead }] of [...found].toSorted(([, a], [, b]) => b.all - a.all)) {
    sum.right += right;
    sum.none += none;
    sum.all += all;
    const most = [...instead].toSorted(([, a], [, b]) => b - a).slice(0, 4);
    process.stdout.write(
      `${role.padEnd(8)} ${String(right).padStart(6)} of ${String(all).padStart(6)}  ${((100 * right) / all).toFixed(1).padStart(5)} %   instead: ${most.map(([owner, n]) => `${owner} ${n}`).join(', ')}\n`,
    );
  }
  process.stdout.write(
    `all      ${sum.right} of ${sum.all}  ${((100 * sum.right) / sum.all).toFixed(1)} %, without an owner ${sum.none}\n`,
  );
};
