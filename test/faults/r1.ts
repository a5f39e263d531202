/** R1: kill -9 at random moments while clients write. Every acknowledged write is there, none of them twice. */
import { setTimeout as sleep } from 'node:timers/promises';
import { aPerson, audit, changesAfter, walk, type Change, type Person } from './api.ts';
import type { Place } from './cluster.ts';
import { killedImports } from './r1-imports.ts';
import { aServer, type Server } from './server.ts';
import { between, check, exactlyOnce, merge, random, type Check, type Outcome, type Trial } from './trial.ts';
import { aWriter, currentContents, quiet, type Promises, type Writer } from './writers.ts';
import { dayAhead } from '../support/today.ts';

const PEOPLE = 2;
const WRITERS_EACH = 3;
/** Share of kills that hit a process on its way up. */
const KILLED_STARTING = 0.2;

type Left = { content: string; title: string; plan_uid: string | null; linked_trace_ids: string[] };

/** What a change is recognised by. A doubled write would leave the same fingerprint again. */
const fingerprints = ({ type, subject, data }: Change): string[] => {
  const { content, title, plan_uid, linked_trace_ids } = data as unknown as Left;
  switch (type) {
    case 'trace.created': {
      const found = [`trace ${subject}`, `content ${content}`];
      // What a plan leaves links to the plan first; the records of its transitions are not effects.
      const plan = data['transition'] || data['type'] === 'calendar_event' ? undefined : linked_trace_ids[0];
      return plan ? [...found, `effect ${plan}`] : found;
    }
    case 'trace.updated':
      return [`edit ${content}`];
    case 'event.created':
      return plan_uid ? [`effect ${plan_uid}`] : [`event ${title}`];
    case 'plan.proposed':
      return [`proposal ${title}`];
    case 'plan.approved':
      return [`approval ${subject}`];
    case 'plan.executed':
      return [`execution ${subject}`];
    default:
      return [];
  }
};

const killAgain = async (server: Server, kills: number, say: (line: string) => void): Promise<void> => {
  for (let k = 1; k <= kills;) {
    await sleep(between(50, 1500));
    await server.kill();
    if (k++ % 10 === 0) say(`${k - 1} of ${kills} kills`);
    const up = server.start();
    if (k <= kills && random() < KILLED_STARTING) {
      await sleep(between(50, 2000));
      await server.kill();
      k += 1;
      await up;
      await server.start();
    } else await up;
  }
};

type Seen = {
  found: Map<string, number>;
  subjects: Map<number, string>;
  contents: Map<string, string>;
  events: Set<string>;
};

export const look = async (url: string, person: Person): Promise<Seen> => {
  const found = new Map<string, number>();
  const subjects = new Map<number, string>();
  for (const change of await changesAfter(url, person.key, 0)) {
    subjects.set(change.sequence, change.subject);
    for (const print of fingerprints(change)) found.set(print, (found.get(print) ?? 0) + 1);
  }
  const [start, end] = [-1, 700].map((days) => `${dayAhead(days)}T00:00:00Z`);
  const events = await walk<{ title: string }>(
    url,
    person.key,
    `/calendar/events?start=${start}&end=${end}&limit=1000`,
  );
  return { found, subjects, contents: await currentContents(url, person), events: new Set(events.map((e) => e.title)) };
};

const union = <T>(writers: Writer[], pick: (promises: Promises) => Iterable<T>): T[] =>
  writers.flatMap((w) => [...pick(w.promises)]);

/** One person's writers against what the service shows that person. */
export const compare = (writers: Writer[], { found, subjects, contents, events }: Seen): Check[] => {
  const all = <T>(pick: (promises: Promises) => Iterable<T>): T[] => union(writers, pick);
  const approvals = all((p) => p.approvals);
  const promisedContents = all((p) => p.contents);
  const promisedSeqs = all((p) => p.seqs);
  const titles = all((p) => p.events).map((print) => print.replace('event ', ''));
  return [
    exactlyOnce(
      'traces pushed with uids',
      all((p) => p.traces),
      found,
    ),
    exactlyOnce(
      'traces pushed with a key',
      all((p) => p.keyedTraces),
      found,
    ),
    exactlyOnce(
      'edits',
      all((p) => p.edits),
      found,
    ),
    exactlyOnce(
      'events',
      all((p) => p.events),
      found,
    ),
    exactlyOnce(
      'proposals',
      all((p) => p.proposals),
      found,
    ),
    exactlyOnce(
      'approvals',
      approvals.map((uid) => `approval ${uid}`),
      found,
    ),
    exactlyOnce(
      'executions of what was approved',
      approvals.map((uid) => `execution ${uid}`),
      found,
    ),
    exactlyOnce(
      'effects of what was approved',
      approvals.map((uid) => `effect ${uid}`),
      found,
    ),
    check('seqs that were answered', promisedSeqs.length, {
      wrong: promisedSeqs.filter(([seq, uid]) => subjects.get(seq) !== uid).map(([seq, uid]) => `${seq} is not ${uid}`),
    }),
    check('traces and events as they are now', promisedContents.length + titles.length, {
      lost: [
        ...promisedContents.filter(([uid]) => !contents.has(uid)).map(([uid]) => uid),
        ...titles.filter((title) => !events.has(title)),
      ],
      wrong: promisedContents
        .filter(([uid, content]) => contents.has(uid) && contents.get(uid) !== content)
        .map(([uid, content]) => `${uid}: ${contents.get(uid) ?? ''} instead of ${content}`),
    }),
    // Also what was never acknowledged may not be there twice.
    check('all entries by what is in them', found.size, {
      doubled: [...found].filter(([, times]) => times > 1).map(([print, times]) => `${print}, ${times} times`),
    }),
  ];
};

/** Requests whose key a dead request holds count as abandoned after half a minute; here the clock is helped. */
const sendHeld = async (place: Place, server: Server, writers: Writer[]): Promise<number> => {
  const held = writers.flatMap((w) => w.tally.held);
  if (!held.length) return 0;
  await server.stop();
  await place.sql((query) =>
    query(`update idempotency_keys set created_at = now() - interval '6 minutes' where answer is null`),
  );
  await server.start();
  for (const again of held) await again();
  return held.length;
};

const run = async (place: Place, quick: boolean, say: (line: string) => void): Promise<Outcome> => {
  const kills = quick ? 3 : 50;
  const server = await aServer(place.env);
  await server.start();
  const people: Person[] = [];
  for (let i = 0; i < PEOPLE; i++) people.push(await aPerson(server.url));
  const crews = people.map((person) => Array.from({ length: WRITERS_EACH }, (_, i) => aWriter(server.url, person, i)));
  const writers = crews.flat();
  let stopped = false;
  const work = Promise.all(writers.map((w) => w.run(() => stopped)));
  await killAgain(server, kills, say).finally(() => {
    stopped = true;
  });
  await work;
  const held = await sendHeld(place, server, writers);
  await quiet(server.url, people, 20_000);
  say('comparing');
  const compared = await Promise.all(
    crews.map(async (crew, i) => compare(crew, await look(server.url, people[i] as Person))),
  );
  say('killing imports');
  const importing = await killedImports(server, await aPerson(server.url), quick);
  const sum = (pick: (w: Writer) => number): number => writers.reduce((total, w) => total + pick(w), 0);
  const replayed = sum((w) => w.tally.replayed);
  const checks = [
    ...merge(compared),
    ...importing,
    check('answered requests sent again with their key', replayed, {
      wrong: writers.flatMap((w) => w.tally.differently),
    }),
    check(
      'answers',
      sum((w) => w.tally.requests),
      { wrong: writers.flatMap((w) => w.tally.unexpected) },
    ),
    check('ledgers verified', people.length, { wrong: await audit(server.url, people) }),
    check('processes killed and started again', kills, { wrong: server.accidents }),
  ];
  await server.stop();
  const facts = [
    `${kills} kills under ${writers.length} clients of ${people.length} people;`,
    `${sum((w) => w.tally.again)} requests were cut off and sent again; ${held} found their key held by a request that had died.`,
  ];
  return { checks, facts };
};

export const R1: Trial = {
  id: 'R1',
  title: 'kill -9 while clients write',
  places: ['postgres', 'embedded'],
  embedded: true,
  run,
};
