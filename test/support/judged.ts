/** Which entries of the corpus were judged, with what the planner understood of them (test/corpus/judged.json). */
import { hash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { understand } from '../../src/domain/planner/intents/understand.ts';
import type { Intent, PendingPlan } from '../../src/domain/planner/intents/types.ts';
import { corpusContext, type Entry, type Verdict } from './requests.ts';

const FILE = join(import.meta.dirname, '../corpus/judged.json');
const plain = corpusContext();

/** A plan as it may wait after an intent. Where free time is looked for, the start of the window stands for it. */
const waiting = (intent: Intent, uid: string): PendingPlan => ({
  ...{ uid, title: intent.title, action_type: intent.action_type, proposal_id: uid.split('-')[0]! },
  scheduled_for: intent.scheduled_for ?? intent.between?.start ?? null,
  duration_minutes: intent.duration_minutes ?? 30,
  rrule: intent.rrule ?? null,
  target_event_uid: intent.target_event_uid ?? null,
  recurrence_id: intent.arguments.recurrence_id ?? null,
  cancel: intent.arguments.cancel === true,
});

/** What is understood of an entry, as far as it has effects, and its verdict. */
export const keyOf = (entry: Entry, verdict = entry.now ?? 'right'): string => {
  let context = plain;
  const understood = [entry.say].flat().map((prompt, turn) => {
    const { intents, questions, reply, question, choices, talk } = understand(prompt, context);
    const made = intents.filter(({ target_plan_uid: uid }) => uid === undefined);
    const gone = new Set(intents.map(({ target_plan_uid: uid }) => uid));
    const pending = [
      ...context.pending.filter(({ uid }) => !gone.has(uid)),
      ...made.map((one, i) => waiting(one, `${turn}-${i}`)),
    ];
    const plan_uids = pending.flatMap(({ uid }) => (uid.startsWith(`${turn}-`) || gone.has(uid) ? uid : []));
    const before = { prompt, proposed: intents.length > 0, choices: choices ?? [], plan_uids, ...(talk && { talk }) };
    context = { ...context, pending, before };
    const effects = intents.map(({ content, reasoning: _reasoning, tags: _tags, ...rest }) =>
      rest.action_type === 'log' ? { ...rest, content } : rest,
    );
    return { effects, questions, said: intents.length > 0 ? (question ?? '') : reply };
  });
  const { now: _now, ...asked } = entry;
  return hash('sha256', JSON.stringify([asked, verdict, understood])).slice(0, 16);
};

/** Keys that have been judged: what CI need not try through the service. */
export const readJudged = (): Set<string> => new Set(JSON.parse(readFileSync(FILE, 'utf8')) as string[]);
export const writeJudged = (judged: readonly { entry: Entry; verdict: Verdict }[]): void => {
  const keys = judged.map(({ entry, verdict }) => keyOf(entry, verdict));
  writeFileSync(FILE, `${JSON.stringify(keys.toSorted(), null, 2)}\n`);
};
