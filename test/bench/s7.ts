/** S7: approved plans falling due 100 a second: how late they are carried out, as the ledger and as a socket tells it. */
import { setTimeout as sleep } from 'node:timers/promises';
import { aPerson, changesAfter, get, ok, post, type Change, type Person } from '../faults/api.ts';
import type { Place } from '../faults/cluster.ts';
import { servers, type Server } from '../faults/server.ts';
import { percentiles, timed, type Bench, type Figure, type Measured } from './bench.ts';
import { listen } from './listen.ts';

const PER_SECOND = 100;
const PEOPLE = 20;
const AT_ONCE = 100;
const TARGET = { 99: 1_000 };
/** Plans not carried out this long after the last one fell due are lost. */
const PATIENCE_MS = 30_000;
const DAY = 86_400_000;

type Due = { person: Person; action: { uid: string; scheduled_for: string } };

/** Evenly over the time from `start`, one person after the other, reflections and log entries in turn. */
const plansFrom = (people: Person[], start: number, count: number, label: string): Due[] =>
  Array.from({ length: count }, (_, i) => ({
    person: people[i % people.length] as Person,
    action: {
      uid: `${label}-${i}`,
      action_type: Math.floor(i / people.length) % 2 ? 'reflect' : 'log',
      title: `Plan ${i}`,
      task_id: `task-${i % 7}`,
      scheduled_for: new Date(start + (i * 1_000) / PER_SECOND).toISOString(),
    },
  }));

/** Proposed by the agent, approved by the person, before any of them is due. */
const approve = async (instances: Server[], due: Due[]): Promise<void> => {
  const byPerson = [...Map.groupBy(due, ({ person }) => person)];
  const worker = async ({ url }: Server): Promise<void> => {
    for (let next = byPerson.shift(); next; next = byPerson.shift()) {
      const [{ key, agent }, list] = next;
      for (let from = 0; from < list.length; from += AT_ONCE) {
        const actions = list.slice(from, from + AT_ONCE).map(({ action }) => action);
        await ok(url, agent, post('/agent/plan', { actions }));
        const uids = actions.map(({ uid }) => uid);
        const { body } = await ok(url, key, post('/agent/approve', { uids }));
        const refused = (body as { status: number; plan?: { status: string } }[]).find(
          ({ status, plan }) => status !== 200 || plan?.status !== 'approved',
        );
        if (refused) throw new Error(`a plan was not approved in advance: ${JSON.stringify(refused).slice(0, 500)}`);
      }
    }
  };
  await Promise.all(instances.flatMap((server) => [worker(server), worker(server)]));
};

type Round = { ledger: number[]; socket: number[]; early: number; lost: number };

const round = async (instances: Server[], people: Person[], count: number, leadMs: number, label: string) => {
  const [{ url }] = instances as [Server];
  const heads = await Promise.all(people.map(async ({ key }) => (await ok(url, key, get('/agent/changes'))).body.seq));
  const start = Date.now() + leadMs;
  const due = plansFrom(people, start, count, label);
  await approve(instances, due);
  if (Date.now() > start) throw new Error('the plans were not approved in time');
  const heard = new Map<string, number>();
  const note = ({ type, subject }: Change, at: number): void => {
    if (type === 'plan.executed') heard.set(subject, at);
  };
  const sockets = await Promise.all(
    people.map(({ key }, i) => listen((instances[i % instances.length] as Server).url, key, note)),
  );
  const end = start + (count * 1_000) / PER_SECOND;
  while (heard.size < count && Date.now() < end + PATIENCE_MS) await sleep(100);
  for (const close of sockets) close();
  const entries = (await Promise.all(people.map(({ key }, i) => changesAfter(url, key, heads[i])))).flat();
  const executed = new Map(entries.filter((e) => e.type === 'plan.executed').map((e) => [e.subject, e.data]));
  const result: Round = { ledger: [], socket: [], early: 0, lost: 0 };
  for (const { action } of due) {
    const wanted = Date.parse(action.scheduled_for);
    const at = Date.parse(String(executed.get(action.uid)?.['executed_at']));
    const told = heard.get(action.uid);
    if (Number.isNaN(at) || told === undefined) result.lost += 1;
    else {
      result.ledger.push(at - wanted);
      result.socket.push(told - wanted);
      if (at < wanted || told < wanted) result.early += 1;
    }
  }
  return result;
};

/** How long approving `count` plans may take, with room to spare, from a hundred that never fall due here. */
const leadFor = async (instances: Server[], people: Person[], count: number, label: string): Promise<number> => {
  const some = plansFrom(people, Date.now() + 300 * DAY, 100, label);
  const took = await timed(() => approve(instances, some));
  return 4_000 + 1.5 * took * (count / some.length);
};

const figuresOf = (how: string, rounds: Round[]): Figure[] => [
  ...percentiles(
    `due to executed by the ledger, ${how}`,
    rounds.map((r) => r.ledger),
    [50, 95, 99],
    TARGET,
  ),
  ...percentiles(
    `due to message on a socket, ${how}`,
    rounds.map((r) => r.socket),
    [50, 95, 99],
    TARGET,
  ),
  { what: `carried out early, ${how}`, unit: '', target: 0, rounds: rounds.map((r) => r.early) },
  { what: `not carried out or not told, ${how}`, unit: '', target: 0, rounds: rounds.map((r) => r.lost) },
];

const run = async (place: Place, quick: boolean, say: (line: string) => void): Promise<Measured> => {
  const [seconds, rounds] = quick ? [5, 1] : [30, 3];
  const count = seconds * PER_SECOND;
  const figures: Figure[] = [];
  const instances = await servers(1, place.env);
  const people: Person[] = [];
  for (let i = 0; i < PEOPLE; i++) people.push(await aPerson((instances[0] as Server).url));
  for (const executors of [1, 2].slice(0, place.instances(2))) {
    if (executors > instances.length) instances.push(...(await servers(1, place.env)));
    const how = executors === 1 ? 'one executor' : 'two executors';
    const done: Round[] = [];
    for (let i = 0; i < rounds; i++) {
      const lead = await leadFor(instances, people, count, `warm-${executors}-${i}`);
      say(`${how}, round ${i + 1} of ${rounds}: approving ${count} plans, due in ${(lead / 1000).toFixed(0)} s`);
      done.push(await round(instances, people, count, lead, `plan-${executors}-${i}`));
    }
    figures.push(...figuresOf(how, done));
  }
  await Promise.all(instances.map((server) => server.stop()));
  const facts = [
    `${PER_SECOND} plans due per second for ${seconds} s, spread over ${PEOPLE} people, half log and half reflect;`,
    'on a socket the commit and the message are in the figure too.',
  ];
  return { figures, facts };
};

export const S7: Bench = {
  id: 'S7',
  title: `${PER_SECOND} plans due per second`,
  places: ['postgres', 'embedded'],
  embedded: true,
  run,
};
