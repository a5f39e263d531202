/** How long the built-in planner takes for 300 and for 100,000 characters, warm. */
import { CORPUS } from '../support/requests.ts';
import { understand } from '../../src/domain/planner/intents/understand.ts';
import type { IntentContext } from '../../src/domain/planner/intents/types.ts';
import { localDate, wallToInstant } from '../../src/domain/time/time.ts';

const zone = 'Europe/Berlin';
const now = wallToInstant('2026-11-23T08:00', zone);
const DAYS = 60;
const ROUNDS = 5;

/** The corpus's calendar, with a meeting on each day of two months. */
const events = [
  ...CORPUS.given.map(({ title, at, minutes }, i) => ({
    uid: `given-${i}`,
    title,
    scheduled_for: wallToInstant(at, zone),
    duration_minutes: minutes,
  })),
  ...Array.from({ length: DAYS }, (_, i) => {
    const at = wallToInstant(
      `${Temporal.PlainDate.from(localDate(now, zone)).add({ days: i }).toString()}T09:15`,
      zone,
    );
    return { uid: 'daily', title: 'Daily sync', scheduled_for: at, recurrence_id: at, duration_minutes: 15 };
  }),
];
const context: IntentContext = { now, zone, events, pending: [] };

export const timeUnderstanding = (): void => {
  const said = CORPUS.rounds.flatMap(({ requests }) => requests.flatMap(({ say }) => say));
  const whole = said.join('. ');
  const prompts = Array.from({ length: Math.floor(whole.length / 300) }, (_, i) => whole.slice(i * 300, (i + 1) * 300));
  const timed = (prompt: string): number => {
    const start = performance.now();
    understand(prompt, context);
    return performance.now() - start;
  };

  for (const prompt of prompts) timed(prompt);
  // The best of some rounds, as other processes take time too
  const best = prompts
    .map((prompt) => Math.min(...Array.from({ length: ROUNDS }, () => timed(prompt))))
    .toSorted((a, b) => a - b);
  const share = (of: number): string => best[Math.floor((best.length - 1) * of)]!.toFixed(2);
  const long = whole.repeat(5).slice(0, 100_000);
  process.stdout.write(
    `300 characters: p50 ${share(0.5)} ms, p99 ${share(0.99)} ms, longest ${share(1)} ms (${best.length} prompts)\n` +
      `100,000 characters: ${timed(long).toFixed(2)} ms\n`,
  );
};
