/**
 * DAY: a day of people and their agents, without the pauses: opening the calendar, an agent that reads its context, notes and
 * proposes, decisions, chat, searches, edits and sync. What a thousand people cost is computed from it.
 */
import { aPerson, call, get, patch, post, type Person, type Sent } from '../faults/api.ts';
import type { Place } from '../faults/cluster.ts';
import { aServer } from '../faults/server.ts';
import { percentiles, type Bench, type Figure, type Measured } from './bench.ts';
import { forgetPeak, peak, resident } from './memory.ts';
import { processorTime, processorTimeOfDatabase } from './processor.ts';

const PEOPLE = { quick: 10, full: 200 };
/** So many people are at work at once. */
const AT_ONCE = 8;
const THOUSAND = 1_000;
const DAY_SECONDS = 86_400;
/** Most of a day's work is done in these hours. */
const BUSY_HOURS = 10;

const TOPICS = ['the kitchen', 'the invoice', 'the garden', 'the supplier', 'the tax return', 'the trip to Lisbon'];
const topic = (n: number): string => TOPICS[n % TOPICS.length] as string;

type Times = Map<string, number[]>;
type Tell = (kind: string, token: string, sent: Sent) => Promise<{ body: unknown }>;

/** Asks, and keeps the time under the name of the kind. */
const telling =
  (url: string, times: Times): Tell =>
  async (kind, token, sent) => {
    const began = performance.now();
    const answer = await call(url, token, sent);
    const all = times.get(kind) ?? [];
    times.set(kind, all);
    all.push(performance.now() - began);
    if (answer.status >= 300)
      throw new Error(`${sent.method} ${sent.path} answered ${answer.status}: ${JSON.stringify(answer.body)}`);
    return answer;
  };

const WEEK = '/calendar/events?start=2026-12-07&end=2026-12-13';

const openCalendar = async (tell: Tell, { key }: Person): Promise<void> => {
  await tell('profile', key, get('/user/profile'));
  await tell('events of a week', key, get(WEEK));
  await tell('queue', key, get('/agent/queue'));
  await tell('status', key, get('/agent/status'));
};

/** An agent reads its context, notes what it did, and asks what changed. */
const agentWorks = async (tell: Tell, { user_id, agent }: Person, round: number): Promise<void> => {
  const query = `user_id=${user_id}&export_format=summary&max_token_count=1000`;
  await tell('summary export', agent, get(`/memport/export?${query}`));
  const traces = [0, 1].map((n) => ({
    ...{
      type: 'observation',
      task_id: topic(round),
      content: `Asked about ${topic(round + n)}; Ana answers on day ${round}.`,
    },
  }));
  await tell('push of two', agent, post('/memory/push', { traces }));
  const { position } = (await tell('changes', agent, get('/agent/changes?limit=1'))).body as { position: string };
  await tell('changes', agent, get(`/agent/changes?after=${encodeURIComponent(position)}`));
};

/** An agent proposes; the person looks at the queue, approves three and rejects one. */
const decide = async (tell: Tell, { key, agent }: Person, round: number): Promise<void> => {
  const actions = Array.from({ length: 4 }, (_, n) => ({
    ...{ action_type: 'schedule', title: `Work on ${topic(round + n)}`, duration_minutes: 30, task_id: topic(round) },
  }));
  const plans = (await tell('proposal of four', agent, post('/agent/plan', { actions }))).body as { uid: string }[];
  await tell('queue', key, get('/agent/queue'));
  for (const [n, { uid }] of plans.entries())
    if (n < 3) await tell('approval', key, post('/agent/approve', { uid }));
    else await tell('rejection', key, post('/agent/reject', { uid, note: 'Not this week.' }));
};

const PROMPTS = [
  'Plan 30 minutes of reading tomorrow at 18:00',
  'What is on Tuesday?',
  'What did I decide about the kitchen?',
];

const aDay = async (tell: Tell, person: Person): Promise<void> => {
  const { key } = person;
  for (let n = 0; n < 3; n++) {
    const event = { title: `Meeting ${n}`, scheduled_for: `2026-12-${String(8 + n).padStart(2, '0')}T09:00` };
    const { body } = await tell('new event', key, post('/calendar/create', { ...event, duration_minutes: 45 }));
    const { uid } = body as { uid: string };
    if (n === 0)
      await tell('event edit', key, patch('/calendar/edit', { uid, updates: { title: 'Meeting with Ana' } }));
  }
  for (let round = 0; round < 8; round++) {
    await agentWorks(tell, person, round);
    if (round % 2 === 0) await openCalendar(tell, person);
    if (round % 4 === 1) await decide(tell, person, round);
    if (round < PROMPTS.length) await tell('chat', key, post('/chat/respond', { prompt: PROMPTS[round] }));
    if (round < 3)
      await tell('search', key, post('/memory/search', { query: `when does Ana answer about ${topic(round)}` }));
  }
};

const run = async (place: Place, quick: boolean, say: (line: string) => void): Promise<Measured> => {
  const count = quick ? PEOPLE.quick : PEOPLE.full;
  const server = await aServer(place.env);
  await server.start();
  const people: Person[] = [];
  for (let n = 0; n < count; n++) people.push(await aPerson(server.url));
  say(`${count} people are registered`);
  const pid = server.pid() as number;
  const database = new URL(place.env['DATABASE_URL'] ?? 'postgres://none/').pathname.slice(1);
  const cpu = () => [processorTime(pid), database ? processorTimeOfDatabase(database) : 0] as const;
  const idle = resident(pid);
  forgetPeak(pid);
  const times: Times = new Map();
  const tell = telling(server.url, times);
  const [before, began] = [cpu(), performance.now()];
  let next = 0;
  await Promise.all(
    Array.from({ length: AT_ONCE }, async () => {
      while (next < people.length) await aDay(tell, people[next++] as Person);
    }),
  );
  const seconds = (performance.now() - began) / 1_000;
  const after = cpu();
  const most = peak(pid);
  await server.stop();
  const requests = [...times.values()].reduce((sum, all) => sum + all.length, 0);
  const [service, postgres] = [after[0] - before[0], after[1] - before[1]].map((spent) => (spent * THOUSAND) / count);
  const figure = (what: string, unit: Figure['unit'], value: number): Figure => ({
    what,
    unit,
    target: null,
    rounds: [value],
  });
  const cores = ((service as number) + (postgres as number)) / ((BUSY_HOURS / 24) * DAY_SECONDS);
  return {
    figures: [
      figure('service, processor time of 1,000 days', 's', service as number),
      ...(database ? [figure('Postgres, processor time of 1,000 days', 's', postgres as number)] : []),
      figure('memory above idle, at most', 'MiB', most - idle),
      figure('requests', '/s', requests / seconds),
      ...[...times].flatMap(([kind, all]) => percentiles(kind, [all], [50, 95, 99])),
    ],
    facts: [
      `${count} people, ${AT_ONCE} at once without pauses: ${Math.round(requests / count)} requests each, ${Math.round(seconds)} s in all.`,
      `A thousand people who do this within ${BUSY_HOURS} hours take ${cores.toFixed(3)} cores on average${database ? '' : ', with the database in the same process'}.`,
      'The time of Postgres is that of its backends, without checkpoints and the writer of its log.',
    ],
  };
};

export const DAY: Bench = {
  id: 'DAY',
  title: 'a day of people and their agents',
  places: ['postgres', 'embedded'],
  embedded: true,
  run,
};
