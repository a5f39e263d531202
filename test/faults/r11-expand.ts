/** R11's child process: reads cases from stdin and says when each happens. Run under several TZ, which must not matter. */
import { createInterface } from 'node:readline';
import { checkRrule, expand } from '../../src/domain/calendar/series-expansion.ts';
import { scheduleOf, windowOf, type Case } from './r11-cases.ts';

/** Starts within the window, or why the rule is not kept. */
export type Answer = { id: number; starts: string[] } | { id: number; refused: string };

const answerOf = (one: Case): Answer => {
  const schedule = scheduleOf(one);
  const start = one.all_day ? one.start.slice(0, 10) : schedule.scheduled_for;
  const refused = checkRrule(one.rrule, start, one.zone);
  if (refused !== null) return { id: one.id, refused };
  const { start: from } = windowOf(one);
  const found = expand(schedule, [], windowOf(one), { limit: 1_000_000 });
  // What began before the window and runs into it is left out on both sides.
  return { id: one.id, starts: found.map((o) => o.scheduled_for).filter((at) => at >= from) };
};

for await (const line of createInterface({ input: process.stdin }))
  process.stdout.write(`${JSON.stringify(answerOf(JSON.parse(line) as Case))}\n`);
