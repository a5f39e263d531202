/** S8: 1,000 sockets on two instances: from the answer of a write to its message on every socket of that person. */
import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { aPerson, ok, post, type Person } from '../faults/api.ts';
import type { Place } from '../faults/cluster.ts';
import { servers, type Server } from '../faults/server.ts';
import { percentiles, type Bench, type Measured } from './bench.ts';
import type { Heard, Order, Report } from './s8-sockets.ts';

const INSTANCES = 2;
const CLIENTS = 2;
const PEOPLE = 20;
const WRITES_PER_SECOND = 20;
const TARGET = { 95: 300 };
/** Messages that have not come this long after the last write are lost. */
const PATIENCE_MS = 10_000;

type Socket = { person: Person; instance: number };
type Write = { uid: string; person: Person; instance: number; sent: number; answered: number };
type Client = { child: ChildProcess; sockets: Socket[] };

const order = async (child: ChildProcess, said: Order): Promise<Report> => {
  child.send(said);
  const [report] = (await once(child, 'message')) as [Report];
  if ('failed' in report) throw new Error(report.failed);
  return report;
};

const connect = async (instances: Server[], sockets: Socket[]): Promise<Client[]> => {
  const share = Math.ceil(sockets.length / CLIENTS);
  return Promise.all(
    Array.from({ length: CLIENTS }, async (_, i) => {
      const child = fork(join(import.meta.dirname, 's8-sockets.ts'));
      const mine = sockets.slice(i * share, (i + 1) * share);
      await order(child, {
        open: mine.map(({ person, instance }) => ({ url: (instances[instance] as Server).url, key: person.key })),
      });
      return { child, sockets: mine };
    }),
  );
};

/** Writes at an even pace, whether or not the one before was answered; people and instances take turns. */
const write = async (instances: Server[], people: Person[], count: number, label: string): Promise<Write[]> => {
  const began = Date.now();
  const underway: Promise<Write>[] = [];
  for (let i = 0; i < count; i++) {
    await sleep(Math.max(0, began + (i * 1_000) / WRITES_PER_SECOND - Date.now()));
    const person = people[i % people.length] as Person;
    const instance = Math.floor(i / people.length) % instances.length;
    const uid = `${label}-${i}`;
    const sent = Date.now();
    const body = { traces: [{ uid, type: 'observation', content: `Note ${i} of a bench, as long as a note is.` }] };
    const answer = ok((instances[instance] as Server).url, person.key, post('/memory/push', body));
    underway.push(answer.then(() => ({ uid, person, instance, sent, answered: Date.now() })));
  }
  return Promise.all(underway);
};

type Message = Heard & { on: Socket };

/** All messages of the clients, asked for until they are complete or patience ends. */
const collect = async (clients: Client[], expected: number): Promise<Message[]> => {
  const all: Message[] = [];
  for (const deadline = Date.now() + PATIENCE_MS; ;) {
    for (const { child, sockets } of clients) {
      const report = await order(child, { collect: true });
      if ('heard' in report) all.push(...report.heard.map((one) => ({ ...one, on: sockets[one.socket] as Socket })));
    }
    if (all.length >= expected || Date.now() > deadline) return all;
    await sleep(200);
  }
};

type Round = { answered: number[]; elsewhere: number[]; sent: number[]; wrong: number };

const round = async (
  instances: Server[],
  people: Person[],
  clients: Client[],
  count: number,
  label: string,
): Promise<Round> => {
  const writes = new Map((await write(instances, people, count, label)).map((w) => [w.uid, w]));
  const sockets = clients.reduce((sum, client) => sum + client.sockets.length, 0);
  const expected = count * (sockets / people.length);
  const messages = await collect(clients, expected);
  const result: Round = { answered: [], elsewhere: [], sent: [], wrong: 0 };
  const seen = new Set<string>();
  for (const { subject, at, on, socket } of messages) {
    const made = writes.get(subject);
    const key = `${clients.findIndex((c) => c.sockets.includes(on))} ${socket} ${subject}`;
    if (!made || made.person !== on.person || seen.has(key)) result.wrong += 1;
    else {
      seen.add(key);
      const late = Math.max(0, at - made.answered);
      result.answered.push(late);
      result.sent.push(at - made.sent);
      if (made.instance !== on.instance) result.elsewhere.push(late);
    }
  }
  result.wrong += expected - seen.size;
  return result;
};

const run = async (place: Place, quick: boolean, say: (line: string) => void): Promise<Measured> => {
  const [each, seconds, rounds] = quick ? [10, 3, 1] : [50, 15, 3];
  const instances = await servers(place.instances(INSTANCES), place.env);
  const people: Person[] = [];
  for (let i = 0; i < PEOPLE; i++) people.push(await aPerson((instances[0] as Server).url));
  const sockets = Array.from({ length: PEOPLE * each }, (_, i) => ({
    person: people[i % PEOPLE] as Person,
    instance: Math.floor(i / PEOPLE) % instances.length,
  }));
  say(`opening ${sockets.length} sockets`);
  const clients = await connect(instances, sockets);
  try {
    await round(instances, people, clients, PEOPLE * INSTANCES, 'warm');
    const done: Round[] = [];
    for (let i = 0; i < rounds; i++) {
      say(`round ${i + 1} of ${rounds}: ${WRITES_PER_SECOND} writes/s for ${seconds} s`);
      done.push(await round(instances, people, clients, seconds * WRITES_PER_SECOND, `note-${i}`));
    }
    const by = (key: 'answered' | 'elsewhere' | 'sent') => done.map((r) => r[key]);
    return {
      figures: [
        ...percentiles('commit to message, all sockets', by('answered'), [50, 95, 99], TARGET),
        ...percentiles('commit to message, other instance', by('elsewhere'), [50, 95, 99], TARGET),
        ...percentiles('sending of the write to message', by('sent'), [50, 95, 99]),
        { what: 'messages lost, doubled or astray', unit: '', target: 0, rounds: done.map((r) => r.wrong) },
      ],
      facts: [
        `${sockets.length} sockets of ${PEOPLE} people on ${instances.length} instances, ${WRITES_PER_SECOND} writes/s for ${seconds} s:`,
        `${WRITES_PER_SECOND * each} messages/s, ${done.reduce((sum, r) => sum + r.answered.length, 0)} in all;`,
        'the commit is the moment the writer has its answer, 0 where the message came before it.',
      ],
    };
  } finally {
    for (const { child } of clients) child.disconnect();
    await Promise.all(instances.map((server) => server.stop()));
  }
};

export const S8: Bench = {
  id: 'S8',
  title: '1,000 sockets on two instances',
  places: ['postgres'],
  embedded: false,
  run,
};
